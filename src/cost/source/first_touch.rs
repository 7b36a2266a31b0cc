//! Pages that a program writes for the first time: the system gives each of them when it is touched, which takes longer
//! than all that a short loop does with it.
//!
//! Counts do not say what is executed first. The order of the text does, from `main` on: the first loop or body there
//! that writes a static object, or memory that an allocator gave (allocations.rs), pays for its pages; writes through a
//! global pointer are not followed to what it holds. What is executed again and again between MPI calls is never charged,
//! because each time would be. Reading what nothing wrote maps one page of zeros; that is not charged either.

use super::allocations::Allocations;
use super::graph::Root;
use super::scope::Scope;
use crate::program::{BlockId, BlockKind, Callee, FuncId, OpKind, Program, Storage, VarId};
use std::collections::{HashMap, HashSet};

/// What the pages belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Memory {
    Object(VarId),
    /// What the variable was given by an allocator.
    Allocated(VarId),
}

/// An object whose first writer a scope is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    pub object: Memory,
    pub bytes: f64,
    /// The number of the writing access in its scope.
    pub access: usize,
}

/// Bytes that the system gives at once.
pub const PAGE: f64 = 4096.0;

/// By scope, the objects that it writes first. `bodies`: the scopes of functions' bodies.
pub fn owners(
    program: &Program,
    held: &Allocations,
    scopes: &[Scope],
    bodies: HashMap<FuncId, usize>,
) -> HashMap<usize, Vec<Touch>> {
    let loops = scopes.iter().enumerate().filter_map(|(index, scope)| Some((scope.header?, index))).collect();
    let (written, visited, found) = Default::default();
    let mut walk = Walk { program, held, scopes, bodies, loops, written, visited, found };
    if let Some(main) = program.main {
        walk.function(main, false);
    }
    walk.found
}

struct Walk<'a> {
    program: &'a Program,
    held: &'a Allocations,
    scopes: &'a [Scope],
    bodies: HashMap<FuncId, usize>,
    loops: HashMap<BlockId, usize>,
    written: HashSet<Memory>,
    visited: HashSet<FuncId>,
    found: HashMap<usize, Vec<Touch>>,
}

impl Walk<'_> {
    /// `again`: it is executed between MPI calls more than once.
    fn function(&mut self, function: FuncId, again: bool) {
        if !self.visited.insert(function) {
            return;
        }
        if let Some(&scope) = self.bodies.get(&function) {
            self.scope(scope, again);
        }
        let program = self.program;
        self.region(&program.functions[function].body, again);
    }

    fn region(&mut self, region: &[BlockId], again: bool) {
        let program = self.program;
        for &block in region {
            match &program.blocks[block].kind {
                BlockKind::Straight(straight) => {
                    for op in &straight.ops {
                        if let OpKind::Call(leaf) = op.kind
                            && let Some(Callee::Function(callee)) = program.call(leaf).map(|call| &call.callee)
                        {
                            self.function(*callee, again);
                        }
                    }
                }
                BlockKind::Loop(head) => {
                    let condition = head.condition.iter().flat_map(|condition| &condition.region);
                    let inside: Vec<BlockId> = condition.chain(&head.body).chain(&head.step).copied().collect();
                    let again = again || inside.iter().any(|&block| self.reaches_mpi(block));
                    self.region(&head.init, again);
                    if let Some(&scope) = self.loops.get(&block) {
                        self.scope(scope, again);
                    }
                    self.region(&inside, again);
                }
                BlockKind::Branch(branch) => branch.arms.iter().for_each(|arm| self.region(&arm.region, again)),
                BlockKind::Call(_) => {}
            }
        }
    }

    fn reaches_mpi(&self, block: BlockId) -> bool {
        let mut found = false;
        super::build::visit(self.program, block, &mut |straight| {
            found |= straight.ops.iter().any(|op| {
                let OpKind::Call(leaf) = op.kind else { return false };
                match self.program.call(leaf).map(|call| &call.callee) {
                    Some(Callee::Mpi(_) | Callee::Indirect(_)) => true,
                    Some(Callee::Function(callee)) => self.program.functions[*callee].effects.reaches_mpi,
                    _ => false,
                }
            });
        });
        found
    }

    fn scope(&mut self, index: usize, again: bool) {
        for (access, found) in self.scopes[index].accesses.iter().enumerate().filter(|(_, access)| access.store) {
            for (object, bytes) in self.untouched(&found.address.root) {
                if self.written.insert(object) && !again {
                    self.found.entry(index).or_default().push(Touch { object, bytes, access });
                }
            }
        }
    }

    /// What a write may be the first to touch: the variables that stand for it, and its bytes where they are known.
    fn untouched(&self, root: &Root) -> Vec<(Memory, f64)> {
        match root {
            Root::Object(object) => {
                let variable = &self.program.variables[*object];
                let zero = matches!(variable.storage, Storage::Global | Storage::Static)
                    && variable.init.as_ref().is_some_and(Vec::is_empty);
                let bytes = self.program.types.size(variable.ty, self.program.model) as f64;
                if zero { vec![(Memory::Object(*object), bytes)] } else { Vec::new() }
            }
            // As many as the write walks over.
            Root::Pointer(pointer) => self
                .held
                .holds
                .get(pointer)
                .into_iter()
                .flatten()
                .map(|&given| (Memory::Allocated(given), f64::INFINITY))
                .collect(),
            Root::Value(_) => Vec::new(),
        }
    }
}
