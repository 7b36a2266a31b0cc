//! Pages that a program writes for the first time: the system gives each of them when it is touched, which takes longer
//! than all that a short loop does with it.
//!
//! Counts do not say what is executed first. The order of the text does, from `main` on: the first loop or body there
//! that writes a static object, or memory that an allocator gave (`whole_program/allocations.rs`), pays for its pages,
//! also where it writes through a pointer that it is given; writes through a global pointer are not followed to what it
//! holds. What is executed again and again between MPI calls or readings of the clock, which begin another segment, is
//! never charged, because each time would be. Reading what nothing wrote maps one page of zeros; that is not charged
//! either.
//!
//! Data that MPI brings touches pages as well, even again and again: how many it is the first of all calls to write is
//! known where the program is followed (`Segment::volumes`). It is charged where nothing in the text before the call
//! writes to that memory; where the call's buffer is not known, it is not charged.

use crate::source::address::place::Root;
use crate::source::loops::scope::Scope;
use crate::source::whole_program::allocations::Allocations;
use crate::source::whole_program::assignments::{Assigned, Assignments};
use crate::source::whole_program::calls::visit_straight;
use crate::source::whole_program::pointed_objects::pointed_objects;
use chronos_base::hash::{FxHashMap, FxHashSet};
use chronos_functions as functions;
use chronos_ir::{Arm, BlockId, BlockKind, Callee, FuncId, OpKind, Program, Storage, VarId};
use std::collections::BTreeSet;

/// What the pages belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Memory {
    Object(VarId),
    /// What the variable was given by an allocator.
    Allocated(VarId),
}

/// An object whose first writer a scope is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FirstTouch {
    pub object: Memory,
    pub bytes: f64,
    /// The number of the writing access in its scope.
    pub access: usize,
}

/// Bytes that the system gives at once.
pub const PAGE: f64 = 4096.0;

/// Who touches memory first.
#[derive(Clone, Debug, Default)]
pub struct FirstTouches {
    /// By scope, the objects that it writes first.
    pub scopes: FxHashMap<usize, Vec<FirstTouch>>,
    /// Calls of MPI whose data comes to memory that the program has not written before.
    pub calls: FxHashSet<BlockId>,
}

/// `bodies`: the scopes of functions' bodies.
pub(crate) fn first_touches(
    program: &Program,
    flow: &Assignments,
    held: &Allocations,
    scopes: &[Scope],
    bodies: FxHashMap<FuncId, usize>,
) -> FirstTouches {
    let loops = scopes.iter().enumerate().filter_map(|(index, scope)| Some((scope.header?, index))).collect();
    let pointed = pointed_objects(program, flow, |object| is_zero(program, object));
    let clocks = reads_clock(program);
    let (inside, written, visited, found) = Default::default();
    let walk =
        TextWalk { program, flow, held, pointed, clocks, scopes, bodies, loops, inside, written, visited, found };
    let mut walk = walk;
    if let Some(main) = program.main {
        walk.function(main, false);
    }
    walk.found
}

/// Who has written an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Writer {
    Loop,
    /// Code that is executed once: no more than some pages.
    LoopBody,
    /// Functions of the library: nobody was charged.
    Library,
    Mpi,
}

/// What was written up to here, with the order in which that became known.
#[derive(Default)]
struct Written {
    known: FxHashSet<(Memory, Writer)>,
    order: Vec<(Memory, Writer)>,
}

impl Written {
    fn has(&self, object: Memory, writers: &[Writer]) -> bool {
        writers.iter().any(|&writer| self.known.contains(&(object, writer)))
    }

    fn add(&mut self, object: Memory, writer: Writer) {
        if self.known.insert((object, writer)) {
            self.order.push((object, writer));
        }
    }

    /// Forgets what came behind a place in the order, and gives it.
    fn back_to(&mut self, place: usize) -> Vec<(Memory, Writer)> {
        let later = self.order.split_off(place);
        for one in &later {
            self.known.remove(one);
        }
        later
    }
}

struct TextWalk<'a> {
    program: &'a Program,
    flow: &'a Assignments,
    held: &'a Allocations,
    /// By pointer, the objects of the program that it may lead to.
    pointed: FxHashMap<VarId, BTreeSet<VarId>>,
    /// Functions that read the clock, themselves or by what they call.
    clocks: FxHashSet<FuncId>,
    scopes: &'a [Scope],
    bodies: FxHashMap<FuncId, usize>,
    loops: FxHashMap<BlockId, usize>,
    /// Loops around what is looked at, those of callers included.
    inside: usize,
    written: Written,
    visited: FxHashSet<FuncId>,
    found: FirstTouches,
}

impl TextWalk<'_> {
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
                        if let OpKind::Call(leaf) = op.kind {
                            self.call(leaf, again);
                        }
                    }
                }
                BlockKind::Loop(head) => {
                    let condition = head.condition.iter().flat_map(|condition| &condition.region);
                    let inside: Vec<BlockId> = condition.chain(&head.body).chain(&head.step).copied().collect();
                    // What repeats between messages would pay for the same pages each time.
                    let again = again || inside.iter().any(|&block| self.ends_segment(block));
                    self.region(&head.init, again);
                    if let Some(&scope) = self.loops.get(&block) {
                        self.scope(scope, again);
                    }
                    self.inside += 1;
                    self.region(&inside, again);
                    self.inside -= 1;
                }
                BlockKind::Branch(branch) => {
                    // What one arm writes, another one has not.
                    let before = self.written.order.len();
                    let arm = |arm: &Arm| {
                        self.region(&arm.region, again);
                        self.written.back_to(before)
                    };
                    let all: Vec<_> = branch.arms.iter().flat_map(arm).collect();
                    all.into_iter().for_each(|(object, writer)| self.written.add(object, writer));
                }
                BlockKind::Call(_) => {}
            }
        }
    }

    fn call(&mut self, leaf: BlockId, again: bool) {
        match self.program.call(leaf).map(|call| &call.callee) {
            Some(Callee::Function(callee)) => self.function(*callee, again),
            Some(Callee::Mpi(_)) => {
                let objects = self.filled(leaf);
                let old = |&object: &Memory| self.written.has(object, &[Writer::Loop, Writer::Library]);
                if !objects.is_empty() && !objects.iter().any(old) {
                    self.found.calls.insert(leaf);
                }
                objects.into_iter().for_each(|object| self.written.add(object, Writer::Mpi));
            }
            Some(Callee::Library(_)) => {
                self.filled(leaf).into_iter().for_each(|object| self.written.add(object, Writer::Library));
            }
            _ => {}
        }
    }

    /// Memory that a call to the outside writes, as far as it is known.
    fn filled(&self, leaf: BlockId) -> Vec<Memory> {
        let root = |given: &Assigned| match given {
            Assigned::Object(object) => Some(Root::Object(*object)),
            Assigned::Variable(pointer) => Some(Root::Pointer(*pointer)),
            _ => None,
        };
        let roots = self.flow.filled.get(&leaf).into_iter().flatten().filter_map(root);
        roots.flat_map(|root| self.untouched(&root)).map(|(object, _)| object).collect()
    }

    /// Whether something at or below the block begins another segment: a call of MPI, a reading of the clock.
    fn ends_segment(&self, block: BlockId) -> bool {
        let ends = |callee: &Callee| match callee {
            Callee::Mpi(_) | Callee::Indirect(_) => true,
            Callee::Function(callee) => {
                self.program.functions[*callee].effects.reaches_mpi || self.clocks.contains(callee)
            }
            Callee::Library(name) => functions::reads_clock(name),
        };
        calls_any(self.program, &[block], &ends)
    }

    fn scope(&mut self, index: usize, again: bool) {
        let once = self.inside == 0 && self.scopes[index].header.is_none();
        let writer = if once { Writer::LoopBody } else { Writer::Loop };
        for (access, found) in self.scopes[index].accesses.iter().enumerate().filter(|(_, access)| access.store) {
            for (object, bytes) in self.untouched(&found.address.root) {
                // The kernel gives a page at its first write (demand paging).
                let first = !self.written.has(object, &[Writer::Loop, Writer::LoopBody, Writer::Mpi]);
                self.written.add(object, writer);
                if first && !again {
                    self.found.scopes.entry(index).or_default().push(FirstTouch { object, bytes, access });
                }
            }
        }
    }

    /// What a write may be the first to touch: the variables that stand for it, and its bytes where they are known.
    fn untouched(&self, root: &Root) -> Vec<(Memory, f64)> {
        match root {
            Root::Object(object) => {
                if is_zero(self.program, *object) {
                    vec![self.object(*object)]
                } else {
                    Vec::new()
                }
            }
            Root::Pointer(pointer) => {
                let held = self.held.holds.get(pointer).into_iter().flatten();
                // As many as the write walks over.
                let held = held.map(|&given| (Memory::Allocated(given), f64::INFINITY));
                let objects = self.pointed.get(pointer).into_iter().flatten();
                held.chain(objects.map(|&object| self.object(object))).collect()
            }
            Root::Value(_) => Vec::new(),
        }
    }

    fn object(&self, object: VarId) -> (Memory, f64) {
        let bytes = self.program.types.size(self.program.variables[object].ty, self.program.model) as f64;
        (Memory::Object(object), bytes)
    }
}

/// Objects of .bss have no page until they are written.
fn is_zero(program: &Program, object: VarId) -> bool {
    let variable = &program.variables[object];
    matches!(variable.storage, Storage::Global | Storage::Static) && variable.init.as_ref().is_some_and(Vec::is_empty)
}

/// Functions that read the clock, themselves or by what they call.
fn reads_clock(program: &Program) -> FxHashSet<FuncId> {
    let mut found = FxHashSet::default();
    loop {
        let reads = |callee: &Callee| match callee {
            Callee::Library(name) => functions::reads_clock(name),
            Callee::Function(callee) => found.contains(callee),
            Callee::Mpi(_) | Callee::Indirect(_) => false,
        };
        let new = |(id, function): (FuncId, &chronos_ir::Function)| {
            (!found.contains(&id) && calls_any(program, &function.body, &reads)).then_some(id)
        };
        let more: Vec<FuncId> = program.functions.iter().filter_map(new).collect();
        if more.is_empty() {
            return found;
        }
        found.extend(more);
    }
}

/// Whether something at or below the blocks calls what is asked for.
fn calls_any(program: &Program, blocks: &[BlockId], asked: &impl Fn(&Callee) -> bool) -> bool {
    let mut found = false;
    for &block in blocks {
        visit_straight(program, block, &mut |straight| {
            found |= straight.ops.iter().any(|op| {
                let OpKind::Call(leaf) = op.kind else { return false };
                program.call(leaf).is_some_and(|call| asked(&call.callee))
            });
        });
    }
    found
}
