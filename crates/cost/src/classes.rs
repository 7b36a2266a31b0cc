//! How many operations of each instruction class one unit of a counter stands for.
//!
//! It knows the program's operations, not any machine; every cost model that sums over operations
//! shares it.

use super::constants::Constants;
use chronos_base::hash::FxHashSet;
use chronos_ir::op::{Arg, Base, Call, Jump, Op, OpKind, Operand, Place, Step};
use chronos_ir::{
    BinaryOp, Block, BlockKind, Branch, BranchKind, FuncId, InstructionClass, Loop, LoopForm, Program, ScalarType,
    Storage, Straight, UnaryOp, ValueId, VarId,
};

/// A number of operations of one class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weight(pub InstructionClass, pub f64);

/// Bytes of a [`InstructionClass::CopyWord`].
const WORD_BYTES: u64 = 8;

/// Operations that one unit of the counter `[offset]` of a block stands for, without callees and the
/// call itself; sorted by class, none twice.
pub(crate) fn of_counter(program: &Program, block: &Block, offset: u32) -> Vec<Weight> {
    match &block.kind {
        BlockKind::Straight(straight) => of_straight(program, block.function, straight),
        BlockKind::Loop(inner) => decisions(loop_decisions(inner, offset)),
        BlockKind::Branch(branch) => decisions(branch_decisions(branch, offset)),
        BlockKind::Call(_) => Vec::new(),
    }
}

/// 8-byte words of structs that a call passes by value or returns.
pub(crate) fn words_passed(call: &Call) -> f64 {
    call.args.iter().map(argument_words).sum()
}

fn argument_words(arg: &Arg) -> f64 {
    match arg {
        Arg::Scalar(_) => 0.0,
        Arg::Object(_, bytes) => words(*bytes),
    }
}

fn words(bytes: u64) -> f64 {
    bytes.div_ceil(WORD_BYTES) as f64
}

fn decisions(number: f64) -> Vec<Weight> {
    if number == 0.0 { Vec::new() } else { vec![Weight(InstructionClass::Branch, number)] }
}

/// Counters `[iterations, entries]`: a condition is decided once per iteration and, where it stands at the
/// begin, once more per entry; a loop without condition jumps back once per iteration.
fn loop_decisions(inner: &Loop, offset: u32) -> f64 {
    match offset {
        0 => 1.0,
        _ if inner.condition.is_some() && inner.form != LoopForm::DoWhile => 1.0,
        _ => 0.0,
    }
}

/// Counters `[evaluations, taken...]`: each evaluation decides once; a switch compares with half
/// of its cases, or jumps through a table.
fn branch_decisions(branch: &Branch, offset: u32) -> f64 {
    match (offset, branch.kind) {
        (0, BranchKind::Switch) => (branch.arms.len() as f64 / 2.0).clamp(1.0, 3.0),
        (0, _) => 1.0,
        _ => 0.0,
    }
}

fn of_straight(program: &Program, function: FuncId, straight: &Straight) -> Vec<Weight> {
    let constants = Constants::new(program);
    let mut tally = Tally { program, function, constants, numbers: [0.0; InstructionClass::ALL.len()] };
    let free = only_assumed(program, straight);
    for op in &straight.ops {
        if !tally.constants.folds(op) && op.dst.is_none_or(|dst| !free.contains(&dst)) {
            tally.operation(op);
        }
    }
    let counted = InstructionClass::ALL.into_iter().zip(tally.numbers);
    counted.filter(|&(_, number)| number != 0.0).map(|(class, number)| Weight(class, number)).collect()
}

/// Values that serve nothing but an assumption stated in the source: no compiler computes them.
fn only_assumed(program: &Program, straight: &Straight) -> FxHashSet<ValueId> {
    let mut free = FxHashSet::default();
    for op in straight.ops.iter().rev() {
        let is_free = op.dst.is_some_and(|dst| free.contains(&dst));
        match &op.kind {
            OpKind::Call(leaf) => {
                if let Some(call) = program.call(*leaf).filter(|call| call.callee.states_assumption()) {
                    free.extend(call.args.iter().filter_map(|arg| match arg {
                        Arg::Scalar(Operand::Value(value)) => Some(*value),
                        _ => None,
                    }));
                }
            }
            OpKind::Unary(_, a) | OpKind::Convert(_, a) | OpKind::Move(a) if is_free => free.extend(value_of(a)),
            OpKind::Binary(_, _, a, b) if is_free => free.extend(value_of(a).into_iter().chain(value_of(b))),
            _ => {}
        }
    }
    free
}

fn value_of(operand: &Operand) -> Option<ValueId> {
    if let Operand::Value(value) = operand { Some(*value) } else { None }
}

/// A scalar of the function's own that no pointer reaches.
pub(crate) fn is_register(program: &Program, place: &Place) -> bool {
    match place.base {
        Base::Variable(variable) => place.steps.is_empty() && !place.volatile && may_be_register(program, variable),
        Base::Pointer(_) => false,
    }
}

fn may_be_register(program: &Program, variable: VarId) -> bool {
    let variable = &program.variables[variable];
    !variable.address_taken && matches!(variable.storage, Storage::Local | Storage::Parameter(_))
}

/// Counts operations by class.
struct Tally<'a> {
    program: &'a Program,
    function: FuncId,
    constants: Constants,
    /// In the order of `InstructionClass::ALL`.
    numbers: [f64; InstructionClass::ALL.len()],
}

impl Tally<'_> {
    fn operation(&mut self, op: &Op) {
        match &op.kind {
            OpKind::Read(place) => self.access(place, InstructionClass::LocalLoad, InstructionClass::Load),
            OpKind::Write(place, _) => self.access(place, InstructionClass::LocalStore, InstructionClass::Store),
            OpKind::Address(place) => self.address_of(place),
            OpKind::Copy { to, from, bytes } => {
                self.steps(to);
                self.steps(from);
                self.add(InstructionClass::CopyWord, words(*bytes));
            }
            OpKind::Zero { to, bytes } => {
                self.steps(to);
                self.add(InstructionClass::CopyWord, words(*bytes));
            }
            OpKind::Allocate { .. } => self.add(InstructionClass::IntAdd, 1.0),
            OpKind::Jump(Jump::Return(Some(Arg::Object(place, bytes)))) => {
                self.steps(place);
                self.add(InstructionClass::CopyWord, words(*bytes));
            }
            // A bare copy is a renaming, a call is counted at its own block, an unconditional jump is free.
            OpKind::Move(_) | OpKind::Call(_) | OpKind::Jump(_) | OpKind::Opaque(_) => {}
            OpKind::Unary(UnaryOp::Neg | UnaryOp::Not | UnaryOp::LogicalNot, _)
            | OpKind::Binary(..)
            | OpKind::Convert(..)
            | OpKind::PointerDiff(..) => self.arithmetic(op),
        }
    }

    fn arithmetic(&mut self, op: &Op) {
        let Some(class) = InstructionClass::of_arithmetic(&op.kind, self.result_type(op)) else { return };
        match self.constant_divisor(&op.kind) {
            Some((remainder, divisor)) => self.constant_division(remainder, divisor),
            None => self.add(class, 1.0),
        }
    }

    /// Compilers divide by a constant without a division, even without optimisation: by shifts with a
    /// correction of the sign, or by the high half of a product; a remainder multiplies back.
    fn constant_division(&mut self, remainder: bool, divisor: i64) {
        self.add(InstructionClass::IntAdd, 2.0);
        if divisor.unsigned_abs().is_power_of_two() {
            return;
        }
        self.add(InstructionClass::IntMul, if remainder { 2.0 } else { 1.0 });
        self.add(InstructionClass::IntAdd, 1.0);
    }

    /// Of an integer quotient or remainder by a constant other than 0: whether it is a remainder, the constant.
    fn constant_divisor(&self, kind: &OpKind) -> Option<(bool, i64)> {
        match kind {
            OpKind::Binary(op @ (BinaryOp::Div | BinaryOp::Rem), ty, _, divisor) if ty.is_integer() => {
                let divisor = self.constants.integer(divisor).filter(|&divisor| divisor != 0)?;
                Some((*op == BinaryOp::Rem, divisor))
            }
            _ => None,
        }
    }

    /// The type of the value that an operation defines; an unused value costs as an `int`.
    fn result_type(&self, op: &Op) -> ScalarType {
        let values = &self.program.functions[self.function].values;
        op.dst.and_then(|value| values.get(value)).copied().unwrap_or(ScalarType::I32)
    }

    fn access(&mut self, place: &Place, local: InstructionClass, memory: InstructionClass) {
        let class = if is_register(self.program, place) { local } else { memory };
        self.steps(place);
        self.add(class, 1.0);
        if place.bits.is_some() {
            self.add(InstructionClass::IntAdd, 2.0);
        }
    }

    /// The address of a variable or of a member at a fixed offset is a constant of the frame.
    fn address_of(&mut self, place: &Place) {
        self.steps(place);
    }

    fn steps(&mut self, place: &Place) {
        let indices = place.steps.iter().filter(|step| matches!(step, Step::Index { .. })).count();
        self.add(InstructionClass::Address, indices as f64);
    }

    fn add(&mut self, class: InstructionClass, number: f64) {
        let position = InstructionClass::ALL.iter().position(|&known| known == class);
        self.numbers[position.expect("ALL lists every class")] += number;
    }
}
