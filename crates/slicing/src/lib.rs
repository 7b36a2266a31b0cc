//! Static slicing: which storage MPI calls and block counts depend on, and what can never be known.
//!
//! # Purpose
//!
//! The analyses of this crate decide which parts of a program are worth executing. What a value is, the evaluation
//! finds out (crates `chronos_interpreter` and `chronos_abstract_execution`). `Analysis` answers for a variable, a
//! class of storage, an operation or a block whether it is relevant, what is lost without it (`Loss`), whether it
//! reaches MPI, and whether its condition is unknowable (`Analysis::is_unknowable_condition`).
//!
//! # How it works
//!
//! 1. **Points-to analysis** (`points_to`, `classes`): storage that may be reached through the same pointer is unified
//!    into one class. Storage is a variable, an allocation site, a string literal, or the environment. Functions that
//!    only hand out fresh storage, like wrappers of `malloc`, count as allocation sites themselves (`allocators`).
//!    Integers that hold addresses are followed (`integers`).
//! 2. **Dependences** (`dependences`): what each value, class and decision is computed from, over the whole program.
//! 3. **Backward slice** (`graph`): from arguments of MPI calls, the control around them, and conditions of loops and
//!    branches. What MPI calls depend on is `Loss::Structure`; what only counts depend on is `Loss::Counts`.
//! 4. **Forward analysis** (`unknowable`): which conditions can never be known, because they depend on random numbers,
//!    clocks, input that was not given, or functions without source. The interpreter wastes no budget on them. A class
//!    of storage is unknowable only where nothing known is written to it, because one class may hold clock readings
//!    and sizes.
//! 5. **Checks left to heuristics** (`unevaluated_checks`): checks of floating-point results whose one way is an error are left to
//!    heuristics, since evaluating them would mean to execute every operation on the arrays behind them.
//! 6. **Order of arrival** (`arrival`): what may depend on the order in which messages arrive. In a program that
//!    unpacks whichever message comes first this is nearly everything. `chronos count` therefore evaluates such a
//!    program in other, random orders and marks only the counts that differed (`chronos_predict`,
//!    `profile/orders.rs`).
//!
//! Four further parts concern what is assumed. `heuristics` gives probabilities of branches. `annotations` reads what
//! the source says by `PIC_proba`, `chronos_probability` and `chronos_iterations`, and decides once, from where the
//! call stands, which branch or loop it speaks of. `assumptions` holds what the user says on the command line.
//! `doubts` is the one mechanism for everything that is used although a run may have it otherwise; a doubt marks all
//! counts that depend on it.
//!
//! # Invariants
//!
//! - All analyses are insensitive to flow and context, and work on abstract storage. They know no time and no state of
//!   a task.
//! - The points-to analysis and the slices take almost linear time in the size of the program.
//! - Relevance is over-approximated, checks left to heuristics apart: imprecision costs time or marks more counts as
//!   inexact.
//! - `errno` is not relevant by itself: no loop is executed operation by operation only because it may set `errno`.
//!
//! # Limits
//!
//! - Fields of a structure and elements of an array are one class of storage. A structure that holds a relevant size
//!   and large floating-point data is relevant as a whole.
//! - Calls through pointers may reach every function of a fitting number of parameters whose address is taken.
//! - What the stack of the program may hold is compared with 8 MiB, the usual default of `ulimit -s`
//!   (`doubts::stack`).
//! - Memory without a name is left out of the search for operands whose unspecified order matters
//!   (`doubts::unsequenced`).
//!
//! # Literature
//!
//! - B. Steensgaard, "Points-to analysis in almost linear time", POPL 1996: the unification of `points_to`.
//! - M. Weiser, "Program slicing", IEEE Transactions on Software Engineering, 1984: backward slices, and the forward
//!   slices of `doubts` and `arrival`.
//! - T. Ball, J. Larus, "Branch prediction for free", PLDI 1993: the heuristics.
//! - Y. Wu, J. Larus, "Static branch frequency and program profile analysis", MICRO-27, 1994: their hit rates (Table
//!   1) and the rule of Dempster and Shafer to combine them.

#![forbid(unsafe_code)]

pub mod allocators;
pub mod annotations;
pub mod assumptions;
pub mod doubts;
pub mod heuristics;
pub mod work;

pub use assumptions::Assumptions;

pub mod arrival;
pub mod writes;

mod classes;
mod dependences;
mod graph;
mod integers;
mod nodes;
mod points_to;
mod reachability;
#[cfg(test)]
mod tests;
mod unevaluated_checks;
mod unknowable;

pub use points_to::{callbacks, targets};
pub use writes::{ModSet, ModSets};

use crate::allocators::allocators;
use chronos_base::hash::FxHashMap;
use chronos_base::ids::Id;
use chronos_ir::{Base, Block, BlockId, BlockKind, Callee, FuncId, OpKind, Operand, Place, Program, ValueId, VarId};
use chronos_values::Origin;
use classes::Classes;
use nodes::Nodes;

chronos_base::define_ids! {
    /// A class of storage that the points-to analysis does not tell apart.
    ClassId = "class";
}

/// What is lost with storage whose contents are not followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Loss {
    /// Nothing that matters.
    #[default]
    None,
    /// How often blocks are executed.
    Counts,
    /// What MPI calls do: without it nothing at all can be said.
    Structure,
}

/// What the analyses found out about a program.
#[derive(Clone, Debug)]
pub struct Analysis {
    nodes: Nodes,
    classes: Classes,
    members: FxHashMap<ClassId, Vec<Origin>>,
    losses: Vec<Loss>,
    unknowable_conditions: Vec<bool>,
    reaches_mpi: Vec<bool>,
    allocators: Vec<bool>,
    subtree_end: Vec<BlockId>,
}

impl Analysis {
    /// Analyses a program; almost linear in its size.
    pub fn new(program: &Program, assumptions: &Assumptions) -> Self {
        let nodes = Nodes::new(program);
        let allocators = allocators(program);
        let classes = points_to::analyse(program, &nodes, &allocators);
        let members = members(&nodes, &classes);
        let reaches_mpi = reaches_mpi(program);
        let subtree_end = subtree_ends(program);
        let mut analysis = Self {
            nodes,
            classes,
            members,
            losses: Vec::new(),
            unknowable_conditions: Vec::new(),
            reaches_mpi,
            allocators,
            subtree_end,
        };
        let flow = graph::solve(program, &analysis, assumptions);
        analysis.losses = flow.losses;
        // A loop that computes roots is not followed operation by operation for the sake of `errno`: what stands in it
        // is unknown behind the loop, and so are the branches that ask for it.
        if let Some(errno) = program.errno {
            let class = analysis.variable(errno).index();
            analysis.losses[class] = Loss::None;
        }
        analysis.unknowable_conditions = flow.unknowable_conditions;
        analysis
    }

    /// A scalar variable's value matters.
    pub fn relevant_variable(&self, variable: VarId) -> bool {
        self.relevant_class(self.variable(variable))
    }

    /// The contents of storage of this origin matter.
    pub fn is_relevant(&self, origin: Origin) -> bool {
        self.relevant_class(self.class(origin))
    }

    /// The contents of storage of this class matter.
    pub fn relevant_class(&self, class: ClassId) -> bool {
        self.loss_of_class(class) > Loss::None
    }

    /// What is lost with the contents of storage of this class.
    fn loss_of_class(&self, class: ClassId) -> Loss {
        self.losses.get(class.index()).copied().unwrap_or(Loss::Structure)
    }

    /// What is lost with the contents of storage of this origin.
    pub fn loss(&self, origin: Origin) -> Loss {
        self.loss_of_class(self.class(origin))
    }

    /// What is lost with a scalar variable's value.
    pub fn loss_of_variable(&self, variable: VarId) -> Loss {
        self.loss_of_class(self.variable(variable))
    }

    /// What an operation of the function computes matters.
    pub fn relevant_value(&self, function: FuncId, value: ValueId) -> bool {
        let loss = self.losses.get(self.nodes.value(function, value) as usize);
        loss.is_none_or(|&loss| loss > Loss::None)
    }

    /// The condition of this loop or branch can never be known: interpreting it is a waste.
    pub fn is_unknowable_condition(&self, block: BlockId) -> bool {
        self.unknowable_conditions.get(block.index()).copied().unwrap_or(false)
    }

    /// The block or something in it calls MPI, directly or not.
    pub fn reaches_mpi(&self, block: BlockId) -> bool {
        self.reaches_mpi[block.index()]
    }

    /// Calls of the function count as allocations: what it returns has the class of the call.
    pub fn is_allocator(&self, function: FuncId) -> bool {
        self.allocators[function.index()]
    }

    /// One past the last block inside `block`; the calls that a straight block drives count as inside.
    pub fn subtree_end(&self, block: BlockId) -> BlockId {
        self.subtree_end[block.index()]
    }

    /// The class of storage of this origin.
    pub fn class(&self, origin: Origin) -> ClassId {
        ClassId(self.classes.class(self.nodes.origin(origin)))
    }

    /// The class of a variable.
    pub fn variable(&self, variable: VarId) -> ClassId {
        ClassId(self.classes.class(self.nodes.variable(variable)))
    }

    /// Storage of the class, strings excepted.
    pub fn members(&self, class: ClassId) -> &[Origin] {
        self.members.get(&class).map_or(&[], Vec::as_slice)
    }

    /// The class of the storage that a place of `function` reaches.
    pub fn place(&self, function: FuncId, place: &Place) -> ClassId {
        match &place.base {
            Base::Variable(variable) => self.variable(*variable),
            Base::Pointer(operand) => {
                self.pointed(function, operand).unwrap_or_else(|| self.class(Origin::Environment))
            }
        }
    }

    /// The class that a pointer operand of `function` points to; `None` for what points nowhere.
    pub fn pointed(&self, function: FuncId, operand: &Operand) -> Option<ClassId> {
        match operand {
            Operand::Value(value) => self.classes.known_pointee(self.nodes.value(function, *value)).map(ClassId),
            Operand::Const(constant) => self.nodes.addressed(constant).map(|node| ClassId(self.classes.class(node))),
        }
    }

    /// The class that the contents of `class` point to.
    pub fn pointee(&self, class: ClassId) -> Option<ClassId> {
        self.classes.known_pointee(class.0).map(ClassId)
    }

    /// The storage of a call has a user: the call allocates something.
    fn is_reached(&self, class: ClassId) -> bool {
        self.members(class).len() > 1 || self.classes.known_pointee(class.0).is_some()
    }
}

fn members(nodes: &Nodes, classes: &Classes) -> FxHashMap<ClassId, Vec<Origin>> {
    let mut members: FxHashMap<ClassId, Vec<Origin>> = FxHashMap::default();
    for (node, origin) in nodes.origins() {
        members.entry(ClassId(classes.class(node))).or_default().push(origin);
    }
    members.values_mut().for_each(|origins| origins.sort_unstable());
    members
}

/// Calls that a straight block drives; they stand right behind it.
fn driven(block: &Block) -> impl Iterator<Item = BlockId> + '_ {
    let ops = if let BlockKind::Straight(straight) = &block.kind { &straight.ops[..] } else { &[] };
    ops.iter().filter_map(|op| if let OpKind::Call(leaf) = op.kind { Some(leaf) } else { None })
}

/// Per block, one past the last block inside it.
fn subtree_ends(program: &Program) -> Vec<BlockId> {
    let mut ends: Vec<BlockId> = program.blocks.ids().map(|block| BlockId(block.0 + 1)).collect();
    for (id, block) in program.blocks.iter().rev() {
        ends[id.index()] = driven(block).map(|leaf| BlockId(leaf.0 + 1)).fold(ends[id.index()], BlockId::max);
        if let Some(parent) = block.parent {
            ends[parent.index()] = ends[parent.index()].max(ends[id.index()]);
        }
    }
    ends
}

/// Which blocks call MPI, or hold something that does, directly or not.
pub fn reaches_mpi(program: &Program) -> Vec<bool> {
    let mut reaches = vec![false; program.blocks.len()];
    for (id, block) in program.blocks.iter().rev() {
        if let BlockKind::Call(call) = &block.kind {
            reaches[id.index()] = match &call.callee {
                Callee::Mpi(_) => true,
                Callee::Library(_) => program.answers(&call.callee),
                Callee::Function(_) | Callee::Indirect(_) => {
                    targets(program, call).iter().any(|&target| program.functions[target].effects.reaches_mpi)
                }
            };
        }
        if driven(block).any(|leaf| reaches[leaf.index()]) {
            reaches[id.index()] = true;
        }
        if let Some(parent) = block.parent.filter(|_| reaches[id.index()]) {
            reaches[parent.index()] = true;
        }
    }
    reaches
}
