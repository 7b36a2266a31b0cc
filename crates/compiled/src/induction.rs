//! What a machine loop does in each iteration: induction registers with their steps, accesses with their addresses,
//! vector lanes, reductions, calls.

use crate::affine::{Affine, State, Term};
use crate::graph::{ControlFlowGraph, MachineBlockId};
pub use crate::instruction::Reduction;
use crate::instruction::{Flow, Instruction, Register, RegisterClass};
use crate::loops::{LoopForest, LoopId};
use crate::object_code::MachineFunction;
use std::collections::{BTreeMap, BTreeSet};

/// A register or place of the frame to which each iteration adds the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Induction {
    /// The register or place.
    pub term: Term,
    /// What each iteration adds.
    pub step: i64,
}

/// Something that is not known, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown(pub String);

/// An access to memory by one instruction of a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// The position of the instruction in the function.
    pub instruction: usize,
    /// Its address by what registers held when the iteration began.
    pub address: Affine,
    /// Bytes from iteration to iteration.
    pub step: Result<i64, Unknown>,
    /// Bytes that it reads or writes.
    pub width: u16,
    /// Whether it reads.
    pub reads: bool,
    /// Whether it writes.
    pub writes: bool,
}

impl Access {
    /// Whether it goes to a place of the frame that is the same in each iteration: a spilled register, not data.
    pub(crate) fn is_frame(&self) -> bool {
        self.step == Ok(0)
            && self.address.terms.keys().all(|term| matches!(term, Term::Register(r) if r.is_stack()))
            && !self.address.terms.is_empty()
    }
}

/// A register that collects a value of each iteration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReducedRegister {
    /// The register.
    pub register: Register,
    /// How values are collected.
    pub operation: Reduction,
    /// Partial results in it: elements of a vector.
    pub lanes: u16,
}

/// What each iteration of a loop does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoopFacts {
    /// Registers and places to which each iteration adds the same.
    pub inductions: Vec<Induction>,
    /// Accesses outside inner loops, in the order of instructions.
    pub accesses: Vec<Access>,
    /// Registers that collect a value of each iteration.
    pub reductions: Vec<ReducedRegister>,
    /// Registers that carry other values from iteration to iteration.
    pub recurrences: Vec<Register>,
    /// Elements of the widest arithmetic instruction, 1 for scalar ones; `None` where there is none that tells.
    pub lanes: Option<u16>,
    /// Bytes of the elements of that instruction.
    pub element: Option<u8>,
    /// Bytes of the widest vector register that is used.
    pub(crate) vector_bytes: u16,
    /// Some instruction works on several elements at once.
    pub packed: bool,
    /// Functions that are called, outside inner loops; `None` for calls through pointers.
    pub calls: Vec<Option<String>>,
}

/// Finds what one iteration does; `entry`: what registers hold when the loop is entered.
pub fn facts(
    function: &MachineFunction,
    graph: &ControlFlowGraph,
    forest: &LoopForest,
    id: LoopId,
    entry: &State,
) -> LoopFacts {
    let walk = Walk { function, graph, forest, id };
    let (end, addresses) = walk.run();
    let inductions = inductions(&end, entry);
    let steps: BTreeMap<&Term, i64> = inductions.iter().map(|induction| (&induction.term, induction.step)).collect();
    let own: Vec<usize> = walk.own_instructions();
    let instructions = &function.instructions;
    let accesses = own.iter().filter_map(|&at| {
        let memory = instructions[at].memory.as_ref().filter(|memory| memory.reads || memory.writes)?;
        let address = addresses.get(&at)?.clone();
        let step = step_of(&address, &steps, &end, function);
        let (width, reads, writes) = (memory.width, memory.reads, memory.writes);
        Some(Access { instruction: at, address, step, width, reads, writes })
    });
    let widest = own.iter().map(|&at| instructions[at].lanes).filter(|lanes| lanes.count > 0);
    let widest = widest.max_by_key(|lanes| (lanes.packed, lanes.float, lanes.count));
    let calls = own.iter().filter_map(|&at| match &instructions[at].flow {
        Flow::Call(name) => Some(name.clone()),
        _ => None,
    });
    let (reductions, recurrences) = carried(function, &own, &steps);
    LoopFacts {
        accesses: accesses.collect(),
        reductions,
        recurrences,
        lanes: widest.map(|lanes| lanes.count),
        element: widest.map(|lanes| lanes.element),
        vector_bytes: own.iter().map(|&at| instructions[at].vector_bytes).max().unwrap_or(0),
        packed: own.iter().any(|&at| instructions[at].lanes.packed && instructions[at].lanes.count > 1),
        calls: calls.collect(),
        inductions: inductions.clone(),
    }
}

fn inductions(end: &State, entry: &State) -> Vec<Induction> {
    let step = |term: Term, value: &Affine| {
        let added = value.plus(&Affine::term(term.clone()).times(-1));
        let step = constant(&added, end, entry)?;
        Some(Induction { term, step })
    };
    let registers = end.changed_registers().filter_map(|(register, value)| step(Term::Register(register), value));
    let slots = end.changed_slots().filter_map(|((base, offset), value)| step(Term::Slot(base, offset), value));
    registers.chain(slots).filter(|induction| induction.step != 0).collect()
}

/// A sum of registers that the loop leaves as they are and that hold a number when it is entered.
fn constant(sum: &Affine, end: &State, entry: &State) -> Option<i64> {
    sum.terms.iter().try_fold(sum.constant, |all, (term, factor)| {
        let Term::Register(register) = term else { return None };
        let kept = end.register(*register) == Affine::term(term.clone());
        let number = entry.register(*register).number().filter(|_| kept)?;
        Some(all.wrapping_add(number.wrapping_mul(*factor)))
    })
}

/// How far an address moves from iteration to iteration.
fn step_of(
    address: &Affine,
    steps: &BTreeMap<&Term, i64>,
    end: &State,
    function: &MachineFunction,
) -> Result<i64, Unknown> {
    let mut sum = 0i64;
    for (term, factor) in &address.terms {
        let step = match steps.get(term) {
            Some(step) => *step,
            None => unmoved(term, end, function)?,
        };
        sum = sum.wrapping_add(step.wrapping_mul(*factor));
    }
    Ok(sum)
}

/// 0 where the term is the same in every iteration.
fn unmoved(term: &Term, end: &State, function: &MachineFunction) -> Result<i64, Unknown> {
    let unchanged = match term {
        Term::Register(register) => end.register(*register) == Affine::term(term.clone()),
        Term::Slot(base, offset) => end.slot((*base, *offset)) == Affine::term(term.clone()),
        Term::Symbol(_) | Term::Before(_) => true,
        Term::Computed(at, _) => {
            let text = function.instructions.get(*at).map_or("", |instruction| &instruction.text);
            return Err(Unknown(format!("its address depends on the result of `{text}`")));
        }
        Term::Joined(_, register) => {
            return Err(Unknown(format!("its address depends on which way the iteration takes ({register})")));
        }
        Term::Lost(..) => return Err(Unknown("its address depends on a local that may change elsewhere".to_owned())),
    };
    match (unchanged, term) {
        (true, _) => Ok(0),
        (false, term) => Err(Unknown(format!("the iterations change {term} by different amounts"))),
    }
}

/// The way over the blocks of one iteration.
struct Walk<'a> {
    function: &'a MachineFunction,
    graph: &'a ControlFlowGraph,
    forest: &'a LoopForest,
    id: LoopId,
}

impl Walk<'_> {
    /// Registers at the end of an iteration, and the address of each access.
    fn run(&self) -> (State, BTreeMap<usize, Affine>) {
        let natural = &self.forest.loops[self.id];
        let mut ends: BTreeMap<MachineBlockId, State> = BTreeMap::new();
        let mut addresses = BTreeMap::new();
        for block in self.graph.reverse_postorder().into_iter().filter(|block| natural.blocks.contains(block)) {
            let mut state = self.begin(block, &ends);
            for at in self.graph.blocks[block].instructions.clone() {
                let instruction = &self.function.instructions[at];
                if let Some(memory) = &instruction.memory {
                    addresses.insert(at, state.address(memory));
                }
                state.execute(instruction, at);
            }
            ends.insert(block, state);
        }
        let mut latches = natural.latches.iter().filter_map(|latch| ends.get(latch));
        let mut end = latches.next().cloned().unwrap_or_default();
        latches.for_each(|other| end.join(other, natural.header.0));
        (end, addresses)
    }

    fn begin(&self, block: MachineBlockId, ends: &BTreeMap<MachineBlockId, State>) -> State {
        let natural = &self.forest.loops[self.id];
        if block == natural.header {
            return State::default();
        }
        let inside = self.graph.blocks[block].predecessors.iter().filter(|from| natural.blocks.contains(from));
        let mut known = inside.filter_map(|from| ends.get(from));
        let mut state = known.next().cloned().unwrap_or_default();
        known.for_each(|other| state.join(other, block.0));
        // Of an inner loop nothing is known that it changes: how often it runs is not known.
        let inner = self.forest.loops.values().find(|inner| inner.header == block);
        let inside = inner.iter().flat_map(|inner| &inner.blocks);
        for at in inside.flat_map(|block| self.graph.blocks[*block].instructions.clone()) {
            state.lose(&self.function.instructions[at], at);
        }
        for register in inner.into_iter().flat_map(|inner| self.written(&inner.blocks)) {
            state.set(register, Affine::term(Term::Joined(block.0, register)));
        }
        state
    }

    fn written(&self, blocks: &BTreeSet<MachineBlockId>) -> BTreeSet<Register> {
        let instructions = blocks.iter().flat_map(|block| self.graph.blocks[*block].instructions.clone());
        instructions.flat_map(|at| self.function.instructions[at].writes.iter().copied()).collect()
    }

    /// Instructions of the loop that are in no inner loop.
    fn own_instructions(&self) -> Vec<usize> {
        let natural = &self.forest.loops[self.id];
        let own = natural.blocks.iter().filter(|block| self.forest.innermost(**block) == Some(self.id));
        own.flat_map(|block| self.graph.blocks[*block].instructions.clone()).collect()
    }
}

/// Registers that carry values from iteration to iteration: reductions, and others.
fn carried(
    function: &MachineFunction,
    own: &[usize],
    steps: &BTreeMap<&Term, i64>,
) -> (Vec<ReducedRegister>, Vec<Register>) {
    let mut seen = BTreeSet::new();
    let mut carried = BTreeSet::new();
    for &at in own {
        let instruction = &function.instructions[at];
        let read = instruction.reads.iter().copied().chain(instruction.address_registers());
        carried.extend(read.filter(|register| !seen.contains(register)));
        seen.extend(instruction.writes.iter().copied());
    }
    let is_data = |register: &Register| matches!(register.class, RegisterClass::Integer | RegisterClass::Vector);
    let varies = |register: &Register| seen.contains(register) && !steps.contains_key(&Term::Register(*register));
    let (mut reductions, mut recurrences) = (Vec::new(), Vec::new());
    for register in carried.into_iter().filter(|register| is_data(register) && varies(register)) {
        match reduction(function, own, register) {
            Some(reduction) => reductions.push(reduction),
            None => recurrences.push(register),
        }
    }
    (reductions, recurrences)
}

/// A register that is written only by one kind of associative operation that also reads it, and read by nothing else.
fn reduction(function: &MachineFunction, own: &[usize], register: Register) -> Option<ReducedRegister> {
    let instructions = own.iter().map(|&at| &function.instructions[at]);
    let touching: Vec<&Instruction> = instructions
        .filter(|i| {
            i.writes.contains(&register) || i.reads.contains(&register) || i.address_registers().any(|r| r == register)
        })
        .collect();
    let operation = touching.first()?.operation?;
    let same = |i: &&Instruction| {
        i.writes.contains(&register) && i.reads.contains(&register) && i.operation == Some(operation)
    };
    let lanes = touching.iter().map(|i| i.lanes.count.max(1)).max().unwrap_or(1);
    touching.iter().all(same).then_some(ReducedRegister { register, operation, lanes })
}
