//! Recognises counting loops, and how the body uses the counter: not at all, modulo something, or otherwise.

use super::code::{Advance, CounterRead, FoldShape, Home, Modulus, Src};
use super::compile::Compiler;
use chronos_base::ids::Id;
use chronos_ir::{
    Base, BinaryOp, BlockId, BlockKind, Const, Loop, Op, OpKind, Operand, Place, Program, Region, ScalarType, ValueId,
    VarId,
};

/// The shape of a loop `for (...; counter op bound; counter += step)` with no other write of the counter.
pub(super) fn fold_shape(compiler: &mut Compiler, block: BlockId, inner: &Loop) -> Option<FoldShape> {
    let program = compiler.program;
    let condition = inner.condition.as_ref()?;
    let ops = region_ops(program, &condition.region)?;
    let Operand::Value(result) = condition.value else { return None };
    let (op, ty, a, b) = comparison(&ops, result)?;
    let (variable, op, bound) = match (reads_variable(&ops, a), reads_variable(&ops, b)) {
        (Some(v), _) if is_counter(compiler, block, inner, v) => (v, op, b),
        (_, Some(v)) if is_counter(compiler, block, inner, v) => (v, mirrored(op), a),
        _ => return None,
    };
    let CounterUse { step, moduli, elsewhere } = counter_use(compiler, block, inner, variable)?;
    let bound = compiler.src(bound);
    let own = program.types.scalar(program.variables[variable].ty)?;
    let counter = home(compiler, variable)?;
    Some(FoldShape { counter, own, ty, step, op, bound, moduli, elsewhere })
}

/// How a loop uses its counter beside the condition.
struct CounterUse {
    step: i64,
    moduli: Box<[Modulus]>,
    elsewhere: Box<[CounterRead]>,
}

pub(super) fn home(compiler: &Compiler, variable: VarId) -> Option<Src> {
    match compiler.tables.homes[variable.index()] {
        Home::Register(register) => Some(Src::Reg(register)),
        Home::Global(register) => Some(Src::Global(register)),
        _ => None,
    }
}

/// The operations of a region that is one straight block.
fn region_ops<'p>(program: &'p Program, region: &Region) -> Option<Vec<&'p Op>> {
    let [block] = region[..] else { return None };
    match &program.blocks[block].kind {
        BlockKind::Straight(straight) => Some(straight.ops.iter().collect()),
        _ => None,
    }
}

fn comparison<'p>(ops: &[&'p Op], result: ValueId) -> Option<(BinaryOp, ScalarType, &'p Operand, &'p Operand)> {
    let op = ops.iter().find(|op| op.dst == Some(result))?;
    match &op.kind {
        OpKind::Binary(op, ty, a, b) if op.is_comparison() && is_number(*ty) => Some((*op, *ty, a, b)),
        _ => None,
    }
}

fn is_number(ty: ScalarType) -> bool {
    ty.is_integer() || matches!(ty, ScalarType::F32 | ScalarType::F64)
}

fn mirrored(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Lt => BinaryOp::Gt,
        BinaryOp::Gt => BinaryOp::Lt,
        BinaryOp::Le => BinaryOp::Ge,
        BinaryOp::Ge => BinaryOp::Le,
        other => other,
    }
}

pub(super) fn plain_variable(place: &Place) -> Option<VarId> {
    match place.base {
        Base::Variable(id) if place.steps.is_empty() => Some(id),
        _ => None,
    }
}

fn reads_variable(ops: &[&Op], operand: &Operand) -> Option<VarId> {
    let Operand::Value(value) = operand else { return None };
    match &ops.iter().find(|op| op.dst == Some(*value))?.kind {
        OpKind::Read(place) => plain_variable(place),
        // Whether the value is the same is seen where it is known.
        OpKind::Convert(from, inner) if from.is_integer() => reads_variable(ops, inner),
        _ => None,
    }
}

fn is_counter(compiler: &mut Compiler, block: BlockId, inner: &Loop, variable: VarId) -> bool {
    // A global one may be accessed by functions that the body calls.
    compiler.program.variables[variable].function.is_some()
        && home(compiler, variable).is_some()
        && counter_use(compiler, block, inner, variable).is_some()
}

/// The constant that body and step add to the variable in the only write to it, and their other reads of it.
fn counter_use(compiler: &mut Compiler, block: BlockId, inner: &Loop, variable: VarId) -> Option<CounterUse> {
    let program = compiler.program;
    let mut reads = Vec::new();
    let mut writes = Vec::new();
    for part in straight_blocks(program, inner) {
        let BlockKind::Straight(straight) = &program.blocks[part].kind else { continue };
        for op in &straight.ops {
            match &op.kind {
                OpKind::Read(place) if plain_variable(place) == Some(variable) => reads.push((part, op.dst?)),
                OpKind::Write(place, operand) if plain_variable(place) == Some(variable) => {
                    writes.push((part, operand.clone()));
                }
                _ => {}
            }
        }
    }
    let [(written_in, Operand::Value(written))] = &writes[..] else { return None };
    if uses(program, block, *written) != 1 || !is_unconditional(program, inner, variable) {
        return None;
    }
    let (own, step) = increment(program, block, *written_in, *written)?;
    if uses(program, block, own) != 1 || !reads.iter().any(|&(_, read)| read == own) {
        return None;
    }
    let mut found = CounterUse { step, moduli: Box::default(), elsewhere: Box::default() };
    let (mut moduli, mut elsewhere) = (Vec::new(), Vec::new());
    for (part, read) in reads.into_iter().filter(|&(_, read)| read != own) {
        match modulus(compiler, block, part, read, 0) {
            Some(modulus) => moduli.push(modulus),
            None => elsewhere.push(CounterRead {
                executions: program.blocks[part].first_counter,
                only_to: only_to(compiler, block, part, read),
            }),
        }
    }
    (found.moduli, found.elsewhere) = (moduli.into(), elsewhere.into());
    Some(found)
}

/// The variable as one that the loop moves by a constant; the condition's blocks read it as they please.
pub(super) fn induction(
    compiler: &mut Compiler,
    block: BlockId,
    inner: &Loop,
    variable: VarId,
    condition: &[BlockId],
) -> Option<Advance> {
    let program = compiler.program;
    let ty = program.types.scalar(program.variables[variable].ty).filter(|ty| ty.is_integer())?;
    let CounterUse { step, moduli, elsewhere } = counter_use(compiler, block, inner, variable)?;
    let is_own = |kind: &OpKind| match kind {
        OpKind::Read(place) | OpKind::Write(place, _) => plain_variable(place) == Some(variable),
        _ => false,
    };
    let reads = condition.iter().filter(|&&part| match &program.blocks[part].kind {
        BlockKind::Straight(straight) => straight.ops.iter().any(|op| is_own(&op.kind)),
        _ => false,
    });
    let reads = reads.map(|&part| CounterRead { executions: program.blocks[part].first_counter, only_to: None });
    Some(Advance { variable, ty, step, moduli, elsewhere: elsewhere.into_iter().chain(reads).collect() })
}

/// The straight blocks of body and step.
fn straight_blocks(program: &Program, inner: &Loop) -> Vec<BlockId> {
    let mut blocks = Vec::new();
    let mut todo: Vec<BlockId> = inner.body.iter().chain(&inner.step).copied().collect();
    while let Some(block) = todo.pop() {
        match &program.blocks[block].kind {
            BlockKind::Straight(_) => blocks.push(block),
            BlockKind::Loop(l) => {
                todo.extend(l.init.iter().chain(&l.body).chain(&l.step));
                l.condition.iter().for_each(|condition| todo.extend(&condition.region));
            }
            BlockKind::Branch(branch) => branch.arms.iter().for_each(|arm| todo.extend(&arm.region)),
            BlockKind::Call(_) => {}
        }
    }
    blocks
}

/// The value that is read and the constant that is added to it to make `written`.
fn increment(program: &Program, outer: BlockId, block: BlockId, written: ValueId) -> Option<(ValueId, i64)> {
    let BlockKind::Straight(straight) = &program.blocks[block].kind else { return None };
    let own = |value: &ValueId| unconverted(program, outer, &straight.ops, *value);
    let constant = |operand: &Operand| match operand {
        Operand::Const(Const::Int(n, _)) => Some(*n),
        _ => None,
    };
    let sum = own(&written);
    match &straight.ops.iter().find(|op| op.dst == Some(sum))?.kind {
        OpKind::Binary(BinaryOp::Add, _, Operand::Value(a), b) if constant(b).is_some() => Some((own(a), constant(b)?)),
        OpKind::Binary(BinaryOp::Add, _, a, Operand::Value(b)) => Some((own(b), constant(a)?)),
        OpKind::Binary(BinaryOp::Sub, _, Operand::Value(a), b) => Some((own(a), constant(b)?.checked_neg()?)),
        _ => None,
    }
}

/// The value before conversions of integers of which nothing else takes the results: what a counter of a small type goes through.
fn unconverted(program: &Program, outer: BlockId, ops: &[Op], mut value: ValueId) -> ValueId {
    while let Some(op) = ops.iter().find(|op| op.dst == Some(value))
        && let OpKind::Convert(from, Operand::Value(inner)) = &op.kind
        && from.is_integer()
        && uses(program, outer, *inner) == 1
    {
        value = *inner;
    }
    value
}

/// What becomes of a value of the counter, plus `addend`, where it is nothing but the operand of one `%`.
fn modulus(compiler: &mut Compiler, outer: BlockId, block: BlockId, value: ValueId, addend: i64) -> Option<Modulus> {
    let program = compiler.program;
    if uses(program, outer, value) != 1 {
        return None;
    }
    let BlockKind::Straight(straight) = &program.blocks[block].kind else { return None };
    let read = Operand::Value(value);
    straight.ops.iter().find_map(|op| match &op.kind {
        OpKind::Binary(BinaryOp::Rem, ty, a, divisor) if *a == read => {
            Some(Modulus { divisor: divisor_src(compiler, straight, divisor)?, addend, ty: *ty })
        }
        OpKind::Binary(BinaryOp::Add, _, a, Operand::Const(Const::Int(n, _)))
        | OpKind::Binary(BinaryOp::Add, _, Operand::Const(Const::Int(n, _)), a)
            if *a == read =>
        {
            modulus(compiler, outer, block, op.dst?, addend.checked_add(*n)?)
        }
        OpKind::Binary(BinaryOp::Sub, _, a, Operand::Const(Const::Int(n, _))) if *a == read => {
            modulus(compiler, outer, block, op.dst?, addend.checked_sub(*n)?)
        }
        _ => None,
    })
}

/// The variables in registers that a value goes to by arithmetic within its block, where it goes nowhere else.
fn only_to(compiler: &Compiler, outer: BlockId, block: BlockId, value: ValueId) -> Option<Box<[VarId]>> {
    let program = compiler.program;
    let BlockKind::Straight(straight) = &program.blocks[block].kind else { return None };
    let (mut values, mut variables, mut mentions) = (vec![value], Vec::new(), 0);
    for op in &straight.ops {
        let mut here = 0;
        let is_one = |operand: &Operand| matches!(operand, Operand::Value(value) if values.contains(value));
        super::uses::in_op(&op.kind, &mut |operand| here += usize::from(is_one(operand)));
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
    let all: usize = values.iter().map(|&value| uses(program, outer, value)).sum();
    (all == mentions).then_some(variables.into())
}

/// A constant, or a variable in a register.
fn divisor_src(compiler: &mut Compiler, straight: &chronos_ir::Straight, divisor: &Operand) -> Option<Src> {
    match divisor {
        Operand::Const(_) => Some(compiler.src(divisor)),
        Operand::Value(_) => {
            let ops: Vec<&Op> = straight.ops.iter().collect();
            home(compiler, reads_variable(&ops, divisor)?)
        }
    }
}

/// The variable is written at the top level of body or step.
pub(super) fn is_unconditional(program: &Program, inner: &Loop, variable: VarId) -> bool {
    inner.body.iter().chain(&inner.step).any(|&block| match &program.blocks[block].kind {
        BlockKind::Straight(straight) => straight
            .ops
            .iter()
            .any(|op| matches!(&op.kind, OpKind::Write(place, _) if plain_variable(place) == Some(variable))),
        _ => false,
    })
}

/// How often a value is used in a block, by text: every mention of it counts.
fn uses(program: &Program, block: BlockId, value: ValueId) -> usize {
    let mut count = 0;
    let first = block.index();
    let function = program.blocks[block].function;
    let end = program.functions[function].blocks.1.index();
    for b in &program.blocks.as_slice()[first..end] {
        count += super::uses::in_block(&b.kind, value);
    }
    count
}
