//! One calling context for each function.

use super::TracedCounts;
use chronos_activity::{ContextId, Segments};
use chronos_base::hash::FxHashMap;
use chronos_ir::{Arg, BlockId, BlockKind, Callee, Const, FuncId, Operand, Program};

/// See the module.
pub struct Contexts {
    by_function: FxHashMap<FuncId, ContextId>,
    root: ContextId,
}

impl Contexts {
    /// A tree of calls from `main`, made of those that were executed most.
    pub fn new(program: &Program, executed: &TracedCounts, segments: &mut Segments) -> Self {
        let main = program.main.unwrap_or(FuncId(0));
        let root = segments.root(main);
        let mut contexts = Self { by_function: FxHashMap::from_iter([(main, root)]), root };
        let mut calls: Vec<Edge> = edges(program);
        let count = |edge: &Edge| executed.get(&program.blocks[edge.call].counter(0)).copied().unwrap_or(0);
        calls.sort_by_key(|edge| (std::cmp::Reverse(count(edge)), edge.call));
        // Each round takes the most executed call that leads on.
        while let Some(edge) = calls.iter().find(|edge| contexts.leads_on(edge)) {
            let context = segments.enter(contexts.of(edge.from), edge.call, edge.to);
            contexts.by_function.insert(edge.to, context);
        }
        contexts
    }

    fn leads_on(&self, edge: &Edge) -> bool {
        self.by_function.contains_key(&edge.from) && !self.by_function.contains_key(&edge.to)
    }

    /// That of `main` for a function that no call leads to.
    pub fn of(&self, function: FuncId) -> ContextId {
        self.by_function.get(&function).copied().unwrap_or(self.root)
    }
}

struct Edge {
    from: FuncId,
    call: BlockId,
    to: FuncId,
}

/// Direct calls; functions whose address is taken may be what a pointer names or a library calls back.
fn edges(program: &Program) -> Vec<Edge> {
    let mut edges = Vec::new();
    for (call, block) in program.blocks.iter() {
        let BlockKind::Call(node) = &block.kind else { continue };
        let mut add = |to| edges.push(Edge { from: block.function, call, to });
        match &node.callee {
            Callee::Function(to) => add(*to),
            Callee::Indirect(_) => {
                program.functions.iter().filter(|(_, f)| f.effects.address_taken).for_each(|(to, _)| add(to));
            }
            Callee::Library(_) | Callee::Mpi(_) => {}
        }
        for arg in &node.args {
            if let Arg::Scalar(Operand::Const(Const::Function(to))) = arg {
                add(*to);
            }
        }
    }
    edges
}
