//! How a loop uses a variable that it only counts up or down: modulo something, in comparisons with what the loop leaves alone,
//! printed in decimal, or otherwise.

use crate::code::instructions::{Bound, Comparison, CounterRead, Modulus, Src};
use crate::compile::functions::Compiler;
use crate::compile::operands;
use crate::compile::patterns::{home, is_number, plain_variable, reads_variable};
use crate::compile::printed::{limits, printed_as};
use chronos_base::ids::Id;
use chronos_ir::{
    BinaryOp, BlockId, BlockKind, Const, CounterId, Loop, Op, OpKind, Operand, Program, ScalarType, Straight, ValueId,
    VarId,
};
use chronos_values::arith::mirrored;

/// Operations of a bound that are looked at within one another.
const DEEPEST_BOUND: u32 = 8;

/// How blocks of a loop use a variable.
#[derive(Default)]
pub(crate) struct CounterUse {
    /// The constants that are added to it: at least one, all of one sign.
    pub moves: Vec<i64>,
    /// Executions of the blocks that write something else to it.
    pub(crate) resets: Vec<CounterId>,
    pub moduli: Box<[Modulus]>,
    pub comparisons: Box<[Comparison]>,
    pub elsewhere: Box<[CounterRead]>,
    is_unconditional: bool,
}

impl CounterUse {
    /// Every iteration that comes to its end moves the variable by the same constant.
    pub(crate) fn is_steady(&self) -> bool {
        self.moves.len() == 1 && self.resets.is_empty() && self.is_unconditional
    }
}

/// The constants that some blocks of the loop add to the variable, what else they write to it, and what becomes of their reads of
/// it. `None` where they do not move it, or up as well as down.
pub(crate) fn counter_use(
    compiler: &mut Compiler,
    inner: &Loop,
    parts: &[BlockId],
    variable: VarId,
) -> Option<CounterUse> {
    let program = compiler.program;
    let mut found = CounterUse { is_unconditional: is_unconditional(program, inner, variable), ..Default::default() };
    let mut reads = Vec::new();
    for &part in parts {
        let BlockKind::Straight(straight) = &program.blocks[part].kind else { continue };
        let executions = program.blocks[part].first_counter;
        for op in &straight.ops {
            match &op.kind {
                OpKind::Read(place) if plain_variable(place) == Some(variable) => reads.push((part, op.dst?)),
                OpKind::Write(place, operand) if plain_variable(place) == Some(variable) => {
                    match increment(compiler, straight, variable, operand) {
                        Some(step) => found.moves.push(step),
                        None => found.resets.push(executions),
                    }
                }
                _ => {}
            }
        }
    }
    let sign = found.moves.first()?.signum();
    if found.moves.iter().any(|step| step.signum() != sign || *step == 0) {
        return None;
    }
    let (mut understood, mut elsewhere) = (Understood::default(), Vec::new());
    for (part, read) in reads {
        elsewhere.extend(understood.add(compiler, variable, part, read));
    }
    (found.moduli, found.comparisons) = (understood.moduli.into(), understood.comparisons.into());
    found.elsewhere = elsewhere.into();
    Some(found)
}

/// As `CounterUse`, for reads in the given blocks.
#[derive(Default)]
struct Understood {
    moduli: Vec<Modulus>,
    comparisons: Vec<Comparison>,
}

impl Understood {
    /// Adds what becomes of a read; gives the read where that is something else.
    fn add(&mut self, compiler: &mut Compiler, variable: VarId, part: BlockId, read: ValueId) -> Option<CounterRead> {
        let program = compiler.program;
        let BlockKind::Straight(straight) = &program.blocks[part].kind else { return None };
        let executions = program.blocks[part].first_counter;
        let mut reading = Reading { compiler, straight, variable, executions, found: Self::default() };
        if reading.follow(read, 0, &[]) {
            self.moduli.append(&mut reading.found.moduli);
            self.comparisons.append(&mut reading.found.comparisons);
            return None;
        }
        let only_to = only_to(compiler, straight, read);
        Some(CounterRead { executions, only_to })
    }
}

/// Follows a value of the variable through its block.
struct Reading<'r, 'c> {
    compiler: &'r mut Compiler<'c>,
    straight: &'c Straight,
    variable: VarId,
    executions: CounterId,
    found: Understood,
}

impl Reading<'_, '_> {
    /// Whether all uses are understood of a value that is the variable plus `addend`, converted to some types on the way.
    fn follow(&mut self, value: ValueId, addend: i64, types: &[ScalarType]) -> bool {
        let truths = self.compiler.mentions.truths[value.index()];
        if truths > 0 {
            let ty = self.compiler.type_of(value);
            let bound = Bound::Constant(chronos_values::Value::Int(0));
            self.compare(BinaryOp::Ne, ty, bound, addend, types);
        }
        let read = Operand::Value(value);
        let mut understood = truths;
        for op in &self.straight.ops {
            let mut here = 0;
            operands::in_op(&op.kind, &mut |operand| here += u32::from(*operand == read));
            if here > 0 && (here > 1 || !self.follow_op(op, &read, addend, types)) {
                return false;
            }
            understood += here;
        }
        let uses = self.compiler.mentions.uses(value);
        understood == uses || understood + self.printed(value, addend, types) == uses
    }

    /// How often the value is printed in decimal: a comparison with each integer at which its number of digits changes. None
    /// where a call does anything else with it.
    fn printed(&mut self, value: ValueId, addend: i64, types: &[ScalarType]) -> u32 {
        let found = printed_as(self.compiler, value).unwrap_or_default();
        for &ty in &found {
            let bounds = limits().map(|limit| Bound::Constant(chronos_values::Value::Int(limit)));
            let types: Vec<_> = types.iter().copied().chain([ty]).collect();
            bounds.for_each(|bound| _ = self.compare(BinaryOp::Ge, ScalarType::I64, bound, addend, &types));
        }
        found.len() as u32
    }

    fn follow_op(&mut self, op: &Op, read: &Operand, addend: i64, types: &[ScalarType]) -> bool {
        match &op.kind {
            OpKind::Write(place, written) => {
                plain_variable(place) == Some(self.variable)
                    && increment(self.compiler, self.straight, self.variable, written).is_some()
            }
            OpKind::Convert(from, _) => match op.dst {
                Some(dst) if from.is_integer() && is_number(self.compiler.type_of(dst)) => {
                    let types: Vec<_> = types.iter().copied().chain([self.compiler.type_of(dst)]).collect();
                    self.follow(dst, addend, &types)
                }
                _ => false,
            },
            OpKind::Binary(BinaryOp::Rem, ty, a, divisor) if a == read => self.divided(op, *ty, divisor, addend, types),
            OpKind::Binary(operator, ty, a, b) if operator.is_comparison() && is_number(*ty) => {
                let (operator, other) = if a == read { (*operator, b) } else { (mirrored(*operator), a) };
                let bound = self.bound(other, 0);
                bound.is_some_and(|bound| self.compare(operator, *ty, bound, addend, types))
            }
            OpKind::Binary(operator, ty, a, b) => {
                let other = if a == read { b } else { a };
                let sum = moved_by(*operator, a == read, other).and_then(|n| addend.checked_add(n));
                let types: Vec<_> = types.iter().copied().chain([*ty]).collect();
                sum.zip(op.dst).is_some_and(|(sum, dst)| ty.is_integer() && self.follow(dst, sum, &types))
            }
            _ => false,
        }
    }

    /// The value is the first operand of the operation, `%`.
    fn divided(&mut self, op: &Op, ty: ScalarType, by: &Operand, addend: i64, types: &[ScalarType]) -> bool {
        // What a narrower type makes of the sum is another period.
        let wide = types.iter().all(|&one| one == ty);
        let divisor = if wide { divisor_src(self.compiler, self.straight, by) } else { None };
        let (Some(divisor), Some(remainder)) = (divisor, op.dst) else { return false };
        let (straight, variable, executions) = (self.straight, self.variable, self.executions);
        let found = Understood::default();
        let mut reading = Reading { compiler: &mut *self.compiler, straight, variable, executions, found };
        let compared = reading.follow(remainder, 0, &[]) && reading.found.moduli.is_empty();
        let comparisons = compared.then(|| reading.found.comparisons.into());
        self.found.moduli.push(Modulus { divisor, addend, ty, comparisons });
        true
    }

    fn compare(&mut self, op: BinaryOp, ty: ScalarType, bound: Bound, addend: i64, types: &[ScalarType]) -> bool {
        let types = types.iter().copied().chain([ty]).collect();
        self.found.comparisons.push(Comparison { executions: self.executions, op, ty, types, addend, bound });
        true
    }

    /// What the variable is compared with, where constants and variables make it up.
    fn bound(&mut self, operand: &Operand, depth: u32) -> Option<Bound> {
        let value = match operand {
            Operand::Const(Const::Int(n, _)) => return Some(Bound::Constant(chronos_values::Value::Int(*n))),
            Operand::Const(Const::Float(x, _)) => return Some(Bound::Constant(chronos_values::Value::Float(*x))),
            Operand::Const(_) => return None,
            Operand::Value(value) => *value,
        };
        let op = self.straight.ops.iter().find(|op| op.dst == Some(value)).filter(|_| depth < DEEPEST_BOUND)?;
        match &op.kind {
            OpKind::Read(place) => {
                let variable = plain_variable(place).filter(|&variable| variable != self.variable)?;
                let ty = self.compiler.program.types.scalar(self.compiler.program.variables[variable].ty)?;
                Some(Bound::Variable(self.compiler.tables.homes[variable.index()], ty))
            }
            OpKind::Convert(from, inner) => {
                let inner = self.bound(inner, depth + 1)?;
                Some(Bound::Convert(*from, self.compiler.type_of(value), inner.into()))
            }
            OpKind::Binary(op, ty, a, b) => {
                let (a, b) = (self.bound(a, depth + 1)?, self.bound(b, depth + 1)?);
                Some(Bound::Binary(*op, *ty, a.into(), b.into()))
            }
            OpKind::Move(inner) => self.bound(inner, depth + 1),
            _ => None,
        }
    }
}

/// The constant that an operation adds to its operand.
fn moved_by(op: BinaryOp, first: bool, other: &Operand) -> Option<i64> {
    match (op, other) {
        (BinaryOp::Add, Operand::Const(Const::Int(n, _))) => Some(*n),
        (BinaryOp::Sub, Operand::Const(Const::Int(n, _))) if first => n.checked_neg(),
        _ => None,
    }
}

/// The constant that is added to the variable to make what is written.
fn increment(compiler: &Compiler, straight: &Straight, variable: VarId, written: &Operand) -> Option<i64> {
    let Operand::Value(written) = written else { return None };
    let program = compiler.program;
    let bytes = program.types.size(program.variables[variable].ty, program.model);
    let sum = unconverted(compiler, straight, *written, bytes);
    let OpKind::Binary(op, _, a, b) = &operation(straight, sum)?.kind else { return None };
    let own = |operand: &Operand| {
        let Operand::Value(value) = operand else { return false };
        let read = operation(straight, unconverted(compiler, straight, *value, bytes));
        read.is_some_and(|op| matches!(&op.kind, OpKind::Read(place) if plain_variable(place) == Some(variable)))
    };
    match (own(a), own(b)) {
        (true, false) => moved_by(*op, true, b),
        (false, true) => moved_by(*op, false, a),
        _ => None,
    }
}

fn operation(straight: &Straight, value: ValueId) -> Option<&Op> {
    straight.ops.iter().find(|op| op.dst == Some(value))
}

/// The value before conversions between integers of so many bytes at least: what a counter of a small type goes through.
fn unconverted(compiler: &Compiler, straight: &Straight, mut value: ValueId, bytes: u64) -> ValueId {
    let is_wide = |ty: ScalarType| ty.is_integer() && ty.size(compiler.program.model) >= bytes;
    while let Some(op) = operation(straight, value)
        && let OpKind::Convert(from, Operand::Value(inner)) = &op.kind
        && is_wide(*from)
        && is_wide(compiler.type_of(value))
    {
        value = *inner;
    }
    value
}

/// The variables in registers that a value goes to by arithmetic within its block, where it goes nowhere else.
fn only_to(compiler: &Compiler, straight: &Straight, value: ValueId) -> Option<Box<[VarId]>> {
    let (mut values, mut variables, mut mentions) = (vec![value], Vec::new(), 0);
    for op in &straight.ops {
        let mut here = 0;
        let is_one = |operand: &Operand| matches!(operand, Operand::Value(value) if values.contains(value));
        operands::in_op(&op.kind, &mut |operand| here += u32::from(is_one(operand)));
        if here == 0 {
            continue;
        }
        mentions += here;
        match &op.kind {
            OpKind::Binary(..) | OpKind::Unary(..) | OpKind::Convert(..) | OpKind::Move(_) => values.push(op.dst?),
            OpKind::Write(place, _) => {
                let variable = plain_variable(place)?;
                home(compiler, variable)?;
                variables.push(variable);
            }
            _ => return None,
        }
    }
    let all: u32 = values.iter().map(|&value| compiler.mentions.uses(value)).sum();
    (all == mentions).then_some(variables.into())
}

/// A constant, or a variable in a register.
fn divisor_src(compiler: &mut Compiler, straight: &Straight, divisor: &Operand) -> Option<Src> {
    match divisor {
        Operand::Const(_) => Some(compiler.src(divisor)),
        Operand::Value(_) => {
            let ops: Vec<&Op> = straight.ops.iter().collect();
            home(compiler, reads_variable(&ops, divisor)?)
        }
    }
}

/// The variable is written at the top level of body or step.
fn is_unconditional(program: &Program, inner: &Loop, variable: VarId) -> bool {
    inner.body.iter().chain(&inner.step).any(|&block| match &program.blocks[block].kind {
        BlockKind::Straight(straight) => straight
            .ops
            .iter()
            .any(|op| matches!(&op.kind, OpKind::Write(place, _) if plain_variable(place) == Some(variable))),
        _ => false,
    })
}
