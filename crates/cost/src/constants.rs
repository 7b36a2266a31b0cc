//! What a compiler knows as a constant though the user left it free: with `--symbolic N` the program
//! reads a variable where the compiled one holds a number, and computes from it what the compiler
//! folds. That costs nothing.

use chronos_base::hash::FxHashMap;
use chronos_ir::op::{BinaryOp, Const, Op, OpKind, Operand, UnaryOp};
use chronos_ir::{Program, ValueId, VarId};

/// Values of a straight block that depend on constants alone.
#[derive(Debug)]
pub(super) struct Constants {
    /// Variables that stand for constants of the source, with their values in it.
    parameters: Vec<(VarId, Option<i64>)>,
    /// Their integers at those values; `None` for numbers of another kind.
    known: FxHashMap<ValueId, Option<i128>>,
}

impl Constants {
    pub fn new(program: &Program) -> Self {
        let of = |parameter: &chronos_ir::Parameter| Some((parameter.constant()?, parameter.default()));
        Self { parameters: program.parameters.values().filter_map(of).collect(), known: FxHashMap::default() }
    }

    /// Whether a compiler needs no instruction for the operation; asked of all operations in order.
    pub fn folds(&mut self, op: &Op) -> bool {
        if self.parameters.is_empty() {
            return false;
        }
        match (op.dst, self.value(&op.kind)) {
            (Some(value), Some(number)) => {
                self.known.insert(value, number);
                true
            }
            _ => false,
        }
    }

    /// The integer that an operand is in the source, where a parameter gives it.
    pub fn integer(&self, operand: &Operand) -> Option<i64> {
        match operand {
            Operand::Value(value) => self.known.get(value).copied().flatten().and_then(|n| i64::try_from(n).ok()),
            Operand::Const(Const::Int(n, _)) => Some(*n),
            Operand::Const(_) => None,
        }
    }

    fn value(&self, kind: &OpKind) -> Option<Option<i128>> {
        match kind {
            OpKind::Read(place) => match place.base {
                chronos_ir::Base::Variable(variable) => {
                    let parameter = self.parameters.iter().find(|(known, _)| *known == variable)?;
                    Some(parameter.1.map(i128::from))
                }
                chronos_ir::Base::Pointer(_) => None,
            },
            OpKind::Unary(op, a) => Some(unary(*op, self.operand(a)?)),
            OpKind::Convert(from, a) => Some(self.operand(a)?.filter(|_| from.is_integer())),
            OpKind::Binary(op, _, a, b) => Some(binary(*op, self.operand(a)?, self.operand(b)?)),
            _ => None,
        }
    }

    fn operand(&self, operand: &Operand) -> Option<Option<i128>> {
        match operand {
            Operand::Value(value) => self.known.get(value).copied(),
            Operand::Const(Const::Int(n, _)) => Some(Some(i128::from(*n))),
            Operand::Const(Const::Float(..)) => Some(None),
            Operand::Const(_) => None,
        }
    }
}

fn unary(op: UnaryOp, a: Option<i128>) -> Option<i128> {
    match op {
        UnaryOp::Neg => a?.checked_neg(),
        UnaryOp::Not => Some(!a?),
        UnaryOp::LogicalNot => Some(i128::from(a? == 0)),
    }
}

fn binary(op: BinaryOp, a: Option<i128>, b: Option<i128>) -> Option<i128> {
    let (a, b) = (a?, b?);
    match op {
        BinaryOp::Add => a.checked_add(b),
        BinaryOp::Sub => a.checked_sub(b),
        BinaryOp::Mul => a.checked_mul(b),
        BinaryOp::Div => a.checked_div(b),
        BinaryOp::Rem => a.checked_rem(b),
        BinaryOp::Shl => a.checked_shl(u32::try_from(b).ok()?),
        BinaryOp::Shr => a.checked_shr(u32::try_from(b).ok()?),
        // Comparisons and bits: of no use as a divisor.
        _ => None,
    }
}
