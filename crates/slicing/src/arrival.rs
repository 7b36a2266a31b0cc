//! What depends on the order in which messages arrive.
//!
//! A receive from any source, a wait for any request, a test or a probe brings what the clock
//! decides. What such calls write is followed forward through storage, messages and decisions. The same slice
//! serves `doubts`.

use crate::dependences::{Dependences, collect};
use crate::doubts::Subject;
use crate::graph::decided_by;
use crate::heuristics::Heuristics;
use crate::reachability::reach;
use crate::unevaluated_checks::compares_floats;
use crate::{Analysis, writes};
use chronos_base::hash::FxHashMap;
use chronos_base::ids::Id;
use chronos_ir::{Arg, BlockId, BlockKind, Callee, FuncId, OpKind, Operand, Program, ValueId};
use std::collections::BTreeSet;

/// What may differ when messages arrive in another order.
#[derive(Clone, Debug, Default)]
pub struct Arrival {
    /// Blocks that may be executed another number of times, or in another task.
    pub blocks: BTreeSet<BlockId>,
    /// MPI calls may differ: their number, ranks, tags or sizes.
    pub structure: bool,
}

impl Arrival {
    /// What one or the other may change.
    #[must_use]
    pub fn and(mut self, other: &Self) -> Self {
        self.blocks.extend(&other.blocks);
        self.structure |= other.structure;
        self
    }
}

impl Analysis {
    /// What follows where these blocks, which communicate nothing, are executed another number of times, themselves included.
    pub fn repeated_otherwise(&self, program: &Program, blocks: &BTreeSet<BlockId>) -> Arrival {
        if blocks.is_empty() {
            return Arrival::default();
        }
        let dependences = collect(program, self, false);
        let straight = |&id: &BlockId| match &program.blocks[id].kind {
            BlockKind::Straight(straight) => Some((program.blocks[id].function, &straight.ops)),
            _ => None,
        };
        let all = blocks.iter().filter_map(straight);
        let written =
            all.flat_map(|(function, ops)| ops.iter().filter_map(move |op| writes::written(self, function, op)));
        let seeds: Vec<u32> = written.map(|class| class.0).collect();
        let mut found = self.reached_from(program, &dependences, &seeds, checks(program, &dependences));
        found.blocks.extend(blocks);
        found
    }

    /// What follows from the `calls` whose outcome arrival decided.
    pub fn arrival(&self, program: &Program, calls: &BTreeSet<BlockId>) -> Arrival {
        if calls.is_empty() {
            return Arrival::default();
        }
        let dependences = collect(program, self, false);
        let first = self.arrival_at(program, &dependences, calls);
        if !first.structure {
            return first;
        }
        let receiving = program.blocks.ids().filter(|&id| receives(program, id)).chain(calls.iter().copied());
        self.arrival_at(program, &dependences, &receiving.collect())
    }

    fn arrival_at(&self, program: &Program, dependences: &Dependences, calls: &BTreeSet<BlockId>) -> Arrival {
        let written: Vec<u32> = calls.iter().flat_map(|&call| self.written(program, call)).collect();
        self.reached_from(program, dependences, &written, checks(program, dependences))
    }

    /// What follows from these nodes, apart from the outcome of checks.
    fn reached_from(
        &self,
        program: &Program,
        found: &Dependences,
        seeds: &[u32],
        checks: BTreeSet<BlockId>,
    ) -> Arrival {
        let checked = decided_by(found, &checks);
        let edges = found.edges.iter().filter(|edge| !checked[edge.source as usize]);
        let edges = edges.map(|edge| (edge.source, edge.target));
        let reached = Reached { nodes: reach(found.nodes, edges, seeds), analysis: self, program, checks };
        reached.arrival(found)
    }

    /// Blocks that may be executed another number of times where one of each of these groups of things is otherwise.
    pub fn followed(&self, program: &Program, groups: &[&BTreeSet<Subject>]) -> Vec<BTreeSet<BlockId>> {
        let dependences = collect(program, self, false);
        let receives: Vec<BlockId> = program.blocks.ids().filter(|&id| receives(program, id)).collect();
        let results = Results::new(program, self);
        let one = |subjects: &&BTreeSet<Subject>| {
            let mut seeds: Vec<u32> = subjects.iter().flat_map(|&subject| results.nodes(subject)).collect();
            let first = self.reached_from(program, &dependences, &seeds, BTreeSet::new());
            if !first.structure {
                return first.blocks;
            }
            // Other messages may be sent, so what is received may be another one.
            seeds.extend(receives.iter().flat_map(|&call| self.written(program, call)));
            self.reached_from(program, &dependences, &seeds, BTreeSet::new()).blocks
        };
        groups.iter().map(one).collect()
    }

    /// Storage that a call may write through its pointers.
    fn written(&self, program: &Program, call: BlockId) -> Vec<u32> {
        let function = program.blocks[call].function;
        let arguments = program.call(call).map_or(&[][..], |call| &call.args);
        let pointers = arguments.iter().filter_map(writes::scalar);
        pointers.filter_map(|operand| self.pointed(function, operand)).map(|class| class.0).collect()
    }
}

/// The nodes that subjects of doubts stand for.
struct Results<'a> {
    program: &'a Program,
    analysis: &'a Analysis,
    /// By call, the value that it defines.
    defined: FxHashMap<BlockId, ValueId>,
}

impl<'a> Results<'a> {
    fn new(program: &'a Program, analysis: &'a Analysis) -> Self {
        let straight = program.blocks.values().filter_map(|block| match &block.kind {
            BlockKind::Straight(straight) => Some(&straight.ops),
            _ => None,
        });
        let defined = straight.flatten().filter_map(|op| match (&op.kind, op.dst) {
            (OpKind::Call(leaf), Some(dst)) => Some((*leaf, dst)),
            _ => None,
        });
        Self { program, analysis, defined: defined.collect() }
    }

    fn nodes(&self, subject: Subject) -> Vec<u32> {
        let (program, analysis) = (self.program, self.analysis);
        match subject {
            Subject::Call(call) => {
                let function = program.blocks[call].function;
                let value = self.defined.get(&call).map(|&value| analysis.nodes.value(function, value));
                let written = writes::library_writes(program, analysis, call).into_iter().map(|class| class.0);
                let place = program.call(call).and_then(|call| call.result_place.as_ref());
                let place = place.map(|place| analysis.place(function, place).0);
                value.into_iter().chain(written).chain(place).collect()
            }
            Subject::Value(function, value) => vec![analysis.nodes.value(function, value)],
            Subject::Storage(class) => vec![class.0],
            Subject::Variable(variable) => vec![analysis.variable(variable).0],
            Subject::Loop(_) => Vec::new(),
            Subject::Function(function) => {
                vec![node_of_entry(program, analysis, function)]
            }
        }
    }
}

fn node_of_entry(program: &Program, analysis: &Analysis, function: FuncId) -> u32 {
    u32::try_from(analysis.classes.len() + program.blocks.len() + function.index()).unwrap_or(u32::MAX)
}

/// Calls that bring a message: where other messages are sent, they bring others.
fn receives(program: &Program, block: BlockId) -> bool {
    let Some(Callee::Mpi(name)) = program.call(block).map(|call| &call.callee) else { return false };
    chronos_functions::lookup(name).is_some_and(chronos_functions::Function::brings_message)
}

/// Branches on floating numbers one way of which is an error: another order of arrival rounds otherwise, which makes
/// no error of what is none.
fn checks(program: &Program, dependences: &Dependences) -> BTreeSet<BlockId> {
    let heuristics = Heuristics::new(program);
    let conditions = dependences.conditions.iter().map(|&(block, _)| block);
    let is_check = |block| heuristics.excludes_error(program, block) && compares_floats(program, &heuristics, block);
    conditions.filter(|&block| is_check(block)).collect()
}

struct Reached<'a> {
    /// Checks whose outcome does not depend on the order.
    checks: BTreeSet<BlockId>,
    nodes: Vec<bool>,
    analysis: &'a Analysis,
    program: &'a Program,
}

impl Reached<'_> {
    fn arrival(&self, dependences: &Dependences) -> Arrival {
        let program = self.program;
        let decided = dependences
            .conditions
            .iter()
            .filter(|(id, from)| self.nodes[from.value as usize] && !self.checks.contains(id));
        let decided: BTreeSet<BlockId> = decided.map(|&(block, _)| block).collect();
        let inside = |block: BlockId| self.nodes[self.analysis.classes.len() + block.index()];
        let called =
            |block: BlockId| self.nodes[node_of_entry(program, self.analysis, program.blocks[block].function) as usize];
        let differs = |&block: &BlockId| {
            let parents = std::iter::successors(Some(block), |&block| program.blocks[block].parent);
            parents.into_iter().any(inside) || decided.contains(&block) || called(block)
        };
        let blocks: BTreeSet<BlockId> = program.blocks.ids().filter(differs).collect();
        let mpi = || program.blocks.ids().filter(|&id| self.is_mpi(id));
        let structure = mpi().any(|id| blocks.contains(&id) || self.shaped(id));
        Arrival { blocks, structure }
    }

    fn is_mpi(&self, block: BlockId) -> bool {
        let called = self.program.call(block).map(|call| &call.callee);
        matches!(called, Some(Callee::Mpi(name)) if !chronos_ir::openmp::stops(name))
    }

    /// A rank, tag or size that the call is given differs.
    fn shaped(&self, call: BlockId) -> bool {
        let function = self.program.blocks[call].function;
        let values = self.program.call(call).map_or(&[][..], |call| &call.args);
        values.iter().any(|arg| match arg {
            Arg::Scalar(Operand::Value(value)) => self.nodes[self.analysis.nodes.value(function, *value) as usize],
            _ => false,
        })
    }
}
