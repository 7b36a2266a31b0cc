//! Blocks: the nodes of the tree into which a function is split.

use super::op::{Call, Op, Operand};
use super::{BlockId, CounterId, FuncId, LabelId, TargetId, ValueId};
use chronos_base::span::Span;

/// Blocks that run one after the other; only `Straight`, `Loop` and `Branch`.
pub type Region = Vec<BlockId>;

/// A node of the block tree.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// The function that the block belongs to.
    pub function: FuncId,
    /// The loop or branch around it; `None` at the top of the function.
    pub parent: Option<BlockId>,
    /// The source of the block.
    pub span: Span,
    /// What the block is, with what it contains.
    pub kind: BlockKind,
    /// Counters of a block stand side by side, from this one on:
    /// straight and call: `[count]`; loop: `[iterations, entries]`;
    /// branch: `[evaluations, taken of arm 0, taken of arm 1, ...]`.
    pub first_counter: CounterId,
}

impl Block {
    /// Number of counters from `first_counter` on.
    pub fn counters(&self) -> u32 {
        match &self.kind {
            BlockKind::Straight(_) | BlockKind::Call(_) => 1,
            BlockKind::Loop(_) => 2,
            BlockKind::Branch(branch) => 1 + u32::try_from(branch.arms.len()).expect("arms fit"),
        }
    }

    /// The counter `[offset]` of the block.
    pub fn counter(&self, offset: u32) -> CounterId {
        CounterId(self.first_counter.0 + offset)
    }
}

/// The kinds of blocks.
#[derive(Clone, Debug, PartialEq)]
pub enum BlockKind {
    /// Leaf: a maximal run of source that always executes together.
    Straight(Straight),
    /// Leaf of kind `call`, or `mpi` where the callee is MPI; driven by an `OpKind::Call`.
    Call(Call),
    /// Inner node: a loop with its condition, body and step.
    Loop(Loop),
    /// Inner node: a decision with its arms (`if`, `switch`, `?:`, `&&`, `||`).
    Branch(Branch),
}

/// A maximal run of source that always executes together.
#[derive(Clone, Debug, PartialEq)]
pub struct Straight {
    /// The label that a `goto` reaches it by.
    pub label: Option<LabelId>,
    /// Operations in the order of execution; all of them are executed together.
    pub ops: Vec<Op>,
}

/// How the source spells a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LoopForm {
    /// `for`.
    For,
    /// `while`: the condition first, then the body.
    While,
    /// Body first, then the condition.
    DoWhile,
}

/// A loop. `for`: init; while (condition) { body; step }.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    /// How the source spells the loop.
    pub form: LoopForm,
    /// What `break` and `continue` of this loop name.
    pub target: TargetId,
    /// Blocks before the first test; empty but for `for`.
    pub init: Region,
    /// `None` where it is absent or constantly true.
    pub condition: Option<Condition>,
    /// The blocks that are repeated.
    pub body: Region,
    /// `continue` goes here.
    pub step: Region,
}

impl Loop {
    /// All regions, in the order in which they first run where the condition stands in front.
    pub fn regions(&self) -> impl Iterator<Item = &Region> {
        let condition = self.condition.iter().map(|condition| &condition.region);
        [&self.init].into_iter().chain(condition).chain([&self.body, &self.step])
    }
}

/// Blocks that compute a truth value.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// The blocks that compute `value`.
    pub region: Region,
    /// Nonzero: go on.
    pub value: Operand,
}

/// What kind of choice a branch is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BranchKind {
    /// Arms: `True`, and `False` where there is an else.
    If,
    /// `a && b`: one arm `True` that computes b; the result is 0 where it is not taken.
    And,
    /// `a || b`: one arm `False` that computes b; the result is 1 where it is not taken.
    Or,
    /// `c ? a : b`: arms `True` and `False`.
    Conditional,
    /// Arms in source order.
    Switch,
}

/// A choice. The operations of its condition belong to the straight block before it.
#[derive(Clone, Debug, PartialEq)]
pub struct Branch {
    /// What kind of choice it is.
    pub kind: BranchKind,
    /// The scalar that decides which arm is taken.
    pub condition: Operand,
    /// The ways through the branch; the condition chooses at most one, which may fall through into the next.
    pub arms: Vec<Arm>,
    /// Value of `&&`, `||` and `?:` (absent for a `?:` of type void or struct).
    pub result: Option<ValueId>,
    /// What `break` of a switch names.
    pub target: Option<TargetId>,
}

/// One way through a branch.
#[derive(Clone, Debug, PartialEq)]
pub struct Arm {
    /// Several for `case 1: case 2:`.
    pub labels: Vec<ArmLabel>,
    /// The blocks of the arm.
    pub region: Region,
    /// The value the arm yields for `Branch::result`.
    pub value: Option<Operand>,
    /// Control goes on into the next arm (switch).
    pub falls_through: bool,
}

/// For which value of the condition an arm is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArmLabel {
    /// The condition is not 0.
    True,
    /// The condition is 0.
    False,
    /// `case low ... high`, both included.
    Case(i64, i64),
    /// `default`, or no `case` that fits.
    Default,
}
