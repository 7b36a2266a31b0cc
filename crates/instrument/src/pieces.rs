//! Which loops can run in pieces of so few iterations that their choices can be counted in bytes.
//!
//! Whether a condition held is a byte to a processor; to add it to a wider counter, it has to be widened first, which
//! in a loop of eight instructions is felt. A loop in pieces is a loop within the loop, which the compiler unrolls.
//! That needs the number of iterations that are left, so only plain loops have pieces: those that count a variable of
//! their own up or down by a constant, against a bound that stays what it is, and in which nothing jumps.

use super::syntax::{Range, Syntax};
use chronos_base::ids::Id;
use chronos_frontend::offsets::OffsetUnit;
use chronos_ir::{
    Base, BinaryOp, Block, BlockId, BlockKind, Branch, BranchKind, Callee, Const, Loop, LoopForm, Op, OpKind, Operand,
    Place, Program, ScalarType, Storage, ValueId, VarId,
};

/// A loop that can run in pieces, as C text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pieces {
    pub body: Range,
    /// How many iterations follow the one that begins.
    pub left: String,
    /// The step, and what takes it back.
    pub(crate) forth: String,
    pub back: String,
}

impl Pieces {
    pub fn of(program: &Program, id: BlockId, unit: &OffsetUnit, syntax: &Syntax) -> Option<Self> {
        let block = &program.blocks[id];
        let BlockKind::Loop(node) = &block.kind else { return None };
        let parts = syntax.loops.get(&Range::of(block.span))?;
        let operands = syntax.comparisons.get(&parts.condition?)?;
        let test = Test::of(program, block, node)?;
        let step = step(program, node, test.index)?;
        let goes_up = matches!(test.comparison, BinaryOp::Lt | BinaryOp::Le);
        if goes_up != (step > 0) || !stays(program, id, node, &test) {
            return None;
        }
        let text = |range: Range| unit.text.get(unit.offset(range.start)..unit.end(range.start, range.end));
        let (index, bound) = (text(operands[0])?, text(operands[1])?);
        let is_name = *program.variables[test.index].name == *index;
        (is_name && !bound.contains('\n')).then_some(Self::written(parts.body?.range, &test, step, index, bound))
    }

    fn written(body: Range, test: &Test, step: i64, index: &str, bound: &str) -> Self {
        let (most, least, forth, back) = if step > 0 { (bound, index, '+', '-') } else { (index, bound, '-', '+') };
        let wide = test.wide();
        let last = if matches!(test.comparison, BinaryOp::Lt | BinaryOp::Gt) { " - 1" } else { "" };
        let distance = format!("({wide})({most}) - ({wide})({least}){last}");
        let by = step.unsigned_abs();
        let left = if by == 1 { distance } else { format!("({distance}) / {by}") };
        Self { body, left, forth: format!("{index} {forth}= {by}"), back: format!("{index} {back}= {by};") }
    }
}

/// The condition: a variable compared with what other variables make.
struct Test {
    index: VarId,
    comparison: BinaryOp,
    /// The type in which they are compared.
    ty: ScalarType,
    bounds: Vec<VarId>,
}

impl Test {
    fn of(program: &Program, block: &Block, node: &Loop) -> Option<Self> {
        let condition = node.condition.as_ref().filter(|_| node.form == LoopForm::For)?;
        let ops = straight(program, &condition.region)?;
        let (last, before) = ops.split_last()?;
        let OpKind::Binary(comparison, ty, Operand::Value(left), _) = last.kind else { return None };
        let is_order = matches!(comparison, BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge);
        let is_tested = condition.value == Operand::Value(last.dst?);
        let read = |op: &Op| match &op.kind {
            OpKind::Read(place) => Some(plain(place)),
            OpKind::Convert(..) | OpKind::Unary(..) | OpKind::Binary(..) => None,
            _ => Some(None),
        };
        let read: Vec<VarId> = before.iter().filter_map(read).collect::<Option<_>>()?;
        let index = variable_of(before, left)?;
        let variable = &program.variables[index];
        let is_own = variable.function == Some(block.function)
            && matches!(variable.storage, Storage::Local | Storage::Parameter(_))
            && program.types.scalar(variable.ty).is_some_and(is_counter);
        let bounds: Vec<VarId> = read.iter().copied().filter(|&id| id != index).collect();
        let reads_once = bounds.len() + 1 == read.len();
        (is_order && is_tested && is_counter(ty) && is_own && reads_once).then_some(Self {
            index,
            comparison,
            ty,
            bounds,
        })
    }

    /// The unsigned type in which distances do not overflow.
    fn wide(&self) -> &'static str {
        match self.ty {
            ScalarType::I32 | ScalarType::U32 => "unsigned",
            _ => "unsigned long long",
        }
    }
}

fn is_counter(scalar: ScalarType) -> bool {
    matches!(scalar, ScalarType::I32 | ScalarType::U32 | ScalarType::I64 | ScalarType::U64)
}

/// The operations of a region that is one straight block.
fn straight<'p>(program: &'p Program, region: &[BlockId]) -> Option<&'p [Op]> {
    let &[only] = region else { return None };
    match &program.blocks[only].kind {
        BlockKind::Straight(straight) if straight.label.is_none() => Some(&straight.ops),
        _ => None,
    }
}

/// The variable that a place is the whole of.
fn plain(place: &Place) -> Option<VarId> {
    match place.base {
        Base::Variable(id) if place.steps.is_empty() && place.bits.is_none() && !place.volatile => Some(id),
        _ => None,
    }
}

/// The variable that a value was read from, converted perhaps.
fn variable_of(ops: &[Op], value: ValueId) -> Option<VarId> {
    let op = ops.iter().find(|op| op.dst == Some(value))?;
    match &op.kind {
        OpKind::Read(place) => plain(place),
        OpKind::Convert(_, Operand::Value(from)) => variable_of(ops, *from),
        _ => None,
    }
}

/// By how much the step changes the index, which is all that it does.
fn step(program: &Program, node: &Loop, index: VarId) -> Option<i64> {
    let ops = straight(program, &node.step)?;
    let written = |op: &Op| match &op.kind {
        OpKind::Write(place, Operand::Value(value)) if plain(place) == Some(index) => Some(Some(*value)),
        OpKind::Read(_) | OpKind::Binary(..) | OpKind::Move(_) => None,
        _ => Some(None),
    };
    let written: Vec<ValueId> = ops.iter().filter_map(written).collect::<Option<_>>()?;
    let &[value] = written.as_slice() else { return None };
    let sum = ops.iter().find(|op| op.dst == Some(value))?;
    let OpKind::Binary(kind, _, Operand::Value(from), Operand::Const(Const::Int(by, _))) = &sum.kind else {
        return None;
    };
    let by = match kind {
        BinaryOp::Add => *by,
        BinaryOp::Sub => by.checked_neg()?,
        _ => return None,
    };
    (variable_of(ops, *from) == Some(index) && by != 0 && by.unsigned_abs() < 1 << 16).then_some(by)
}

/// Whether the body chooses, nothing in it changes index or bound, and every iteration runs to its end.
fn stays(program: &Program, id: BlockId, node: &Loop, test: &Test) -> bool {
    let (mut calls, mut chooses) = (false, false);
    for block in node.body.iter().flat_map(|&root| with_inside(program, root)) {
        match &block.kind {
            BlockKind::Straight(straight) if straight.ops.iter().any(|op| disturbs(op, test)) => return false,
            BlockKind::Straight(straight) => calls |= straight.ops.iter().any(|op| calls_more(program, op)),
            BlockKind::Branch(branch) if !is_selection(program, block, branch) || block.parent != Some(id) => {
                return false;
            }
            BlockKind::Branch(_) => chooses = true,
            BlockKind::Loop(_) => return false,
            BlockKind::Call(_) => {}
        }
    }
    let is_hidden = |&id: &VarId| {
        let variable = &program.variables[id];
        let is_own = matches!(variable.storage, Storage::Local | Storage::Parameter(_));
        !variable.address_taken && (is_own || !calls)
    };
    chooses && test.bounds.iter().chain([&test.index]).all(is_hidden)
}

/// Whether a choice is one that compilers make without a jump: where they jump, a byte costs more than the counter
/// that it saves.
fn is_selection(program: &Program, block: &Block, branch: &Branch) -> bool {
    let values = &program.functions[block.function].values;
    let scalar = branch.result.and_then(|result| values.get(result));
    branch.kind == BranchKind::Conditional && scalar.is_some_and(|scalar| !scalar.is_float())
}

/// Whether it calls something that may write to variables with static storage.
fn calls_more(program: &Program, op: &Op) -> bool {
    let OpKind::Call(leaf) = op.kind else { return false };
    !program.call(leaf).is_some_and(|call| matches!(call.callee, Callee::Library(_)))
}

fn disturbs(op: &Op, test: &Test) -> bool {
    match &op.kind {
        OpKind::Write(place, _) => match place.base {
            Base::Variable(written) => written == test.index || test.bounds.contains(&written),
            Base::Pointer(_) => false,
        },
        OpKind::Jump(_) | OpKind::Opaque(_) | OpKind::Allocate { .. } => true,
        _ => false,
    }
}

/// A block and those within it, which follow it as far as it reaches.
fn with_inside(program: &Program, root: BlockId) -> impl Iterator<Item = &Block> {
    let around = move |block: &Block| std::iter::successors(block.parent, |&id| program.blocks[id].parent);
    let blocks = program.blocks.as_slice().get(root.index()..).unwrap_or_default();
    let (first, others) = blocks.split_at(blocks.len().min(1));
    first.iter().chain(others.iter().take_while(move |block| around(block).any(|outer| outer == root)))
}
