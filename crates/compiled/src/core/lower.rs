//! Instructions of a loop body as operations of a core.

use super::crossing::Crossing;
use super::delivery::deliver;
use super::describe::{Core, Family, MemoryUnit, MicroOperation, ReadBack};
pub use super::loads::Passing;
use super::loads::{Met, met_stores};
use super::strings;
use crate::entry_values::EntryValues;
use crate::instruction::{FamilyUse, Flow, Instruction, MemoryOperand, Register, RegisterClass, Trait};

/// What an operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperationKind {
    /// Reads memory.
    Load,
    /// Computes the address of a store.
    StoreAddress,
    /// Hands the data of a store over.
    StoreData,
    /// Moves the register of the address, whatever becomes of the access.
    AddressUpdate,
    /// Anything else.
    Execute,
}

/// One operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    /// Ports, latency and how long the port is taken.
    pub cost: MicroOperation,
    /// What it does.
    pub kind: OperationKind,
}

/// What renaming does with an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Its operations are executed.
    Execute,
    /// The destination becomes another name of the source.
    Rename(Register),
    /// The destination is 0, whatever was before.
    Zero,
    /// It is part of the conditional jump behind it.
    Fused,
}

/// An instruction as the core executes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoweredInstruction {
    /// The position in the path.
    pub position: usize,
    /// Slots of the front end and the reorder buffer.
    pub slots: u32,
    /// Its operations: load, execution, store, in this order.
    pub operations: Vec<Operation>,
    /// What renaming does.
    pub step: Step,
    /// Registers whose values its operations wait for, those of the address excluded.
    pub reads: Vec<Register>,
    /// Registers of its address.
    pub address: Vec<Register>,
    /// Registers it gives new values.
    pub writes: Vec<Register>,
    /// The register of its address that it moves; it is not among `writes`.
    pub updates: Option<Register>,
    /// The family, by which results are forwarded sooner.
    pub family: Option<&'static str>,
    /// Cycles to the next instruction of the same family.
    pub(crate) to_same: Option<u32>,
    /// Cycles that flags come later.
    pub(crate) flags_extra: u32,
    /// The store that its load reads back.
    pub met: Option<Met>,
    /// It reads or writes a vector in memory.
    pub(crate) vector_memory: bool,
    /// Cycles from a stored integer to its load's.
    pub(crate) read_back_cycles: u32,
    /// Bytes that it stores.
    pub(crate) stored_bytes: u16,
    /// Cycles of the front end that its line takes, in parts of [`LoweredLoop::parts`]; 0 but for the first of a line.
    pub(crate) line_parts: u32,
    /// It is the last of a path over a taken jump.
    pub(crate) ends_line: bool,
}

/// A loop body as the core executes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoweredLoop {
    /// Instructions in order.
    pub instructions: Vec<LoweredInstruction>,
    /// Parts of a cycle that `line_parts` counts.
    pub parts: u32,
    /// An iteration is a call of a function: registers hold other arguments each time.
    pub is_call: bool,
}

/// Makes operations of a path through a loop, from the header to the jump back to it. `entry` has the registers that the
/// loop leaves as they are.
///
/// # Errors
/// The position in the path of the first instruction without figures.
pub fn lower(core: &Core, path: &[&Instruction], entry: &EntryValues) -> Result<LoweredLoop, usize> {
    let met = met_stores(path, entry);
    let mut crossing = Crossing::new(&core.memory, path);
    let mut instructions = Vec::new();
    for (at, instruction) in path.iter().enumerate() {
        let next = path.get(at + 1).copied();
        let fused = next.is_some_and(|next| fuses(core, instruction, next));
        let mut lowered = match instruction.is_string() {
            true => strings::repeated(core, path, at),
            false => one(core, instruction, at),
        }
        .ok_or(at)?;
        lowered.met = met[at];
        crossing.add_to(&mut lowered, at);
        if fused {
            // The pair is one operation: the jump's. What the first one computes comes with it.
            lowered.slots = 0;
            lowered.step = Step::Fused;
        }
        instructions.push(lowered);
    }
    unite_fused(core, &mut instructions);
    let parts = deliver(core, path, 0, &mut instructions);
    Ok(LoweredLoop { instructions, parts, is_call: is_call(path) })
}

/// Why an instruction of a path could not be lowered.
pub(crate) fn without_figures(core: &Core, instruction: &Instruction) -> String {
    if instruction.is_string() && strings::has_figures(core, instruction) {
        return format!("how many bytes `{}` works on is not known", instruction.text);
    }
    format!("the core `{}` has no figures for `{}`", core.name, instruction.text)
}

/// Whether a path is one call of a function, up to its return.
pub(super) fn is_call(path: &[&Instruction]) -> bool {
    path.last().is_some_and(|last| matches!(last.flow, Flow::Return | Flow::TailCall(_)))
}

/// AMD 57647 and 58455, "branch fusion": cmp, test, add, sub, inc, dec, and, or, xor. Intel 248966, "macro-fusion": the
/// same without or and xor. Neither with an immediate and an address relative to the next instruction; Intel not with an
/// immediate and memory at all.
fn fuses(core: &Core, first: &Instruction, next: &Instruction) -> bool {
    use super::describe::Fusing;
    let Flow::Branch(_) = next.flow else { return false };
    if first.end() != next.address || first.stores() {
        return false;
    }
    let compares = first.has(Trait::FusesComparison);
    let computes = first.has(Trait::FusesArithmetic);
    let known = match core.front_end.fusing {
        Fusing::None => false,
        Fusing::Compare => compares,
        Fusing::Arithmetic => compares || computes,
        Fusing::AllArithmetic => compares || computes || first.has(Trait::FusesLogic),
    };
    let immediate = (0..first.operands.len()).any(|at| first.immediate(at).is_some());
    let relative = first.memory.as_ref().is_some_and(|m| m.base.is_none() && m.index.is_none());
    known && !(immediate && relative)
}

/// The jump takes over what the fused instruction reads, writes and loads.
fn unite_fused(core: &Core, instructions: &mut [LoweredInstruction]) {
    for at in 0..instructions.len().saturating_sub(1) {
        if instructions[at].step != Step::Fused {
            continue;
        }
        let first = std::mem::take(&mut instructions[at].operations);
        let (reads, address) = (instructions[at].reads.clone(), instructions[at].address.clone());
        let (writes, met) = (instructions[at].writes.clone(), instructions[at].met);
        let next = &mut instructions[at + 1];
        if writes.iter().any(|register| register.class == RegisterClass::Integer) {
            execute_as(core, "branch_of_result", next);
        }
        let load = first.into_iter().filter(|operation| operation.kind == OperationKind::Load);
        next.operations.splice(0..0, load);
        next.reads.retain(|register| !writes.contains(register));
        next.reads.extend(reads);
        (next.address, next.writes, next.met) = (address, writes, met);
    }
}

/// Registers that the operations of an instruction wait for. What a gather loads goes into its destination at the end: on a
/// Zen 4 gathers into the same register begin every 5 cycles, as those into different ones.
fn waited_for<'a>(instruction: &'a Instruction, family: Option<&str>) -> impl Iterator<Item = &'a Register> {
    let merged = instruction.register(0).filter(|_| family.is_some_and(|family| family.starts_with("gather")));
    let waits = !instruction.has(Trait::WaitsForNothing);
    instruction.reads.iter().filter(move |register| waits && Some(**register) != merged)
}

/// Executes an instruction by the operations of another family.
fn execute_as(core: &Core, name: &'static str, instruction: &mut LoweredInstruction) {
    let Some(family) = core.family(name, 0) else { return };
    let operations = family.operations.iter().map(|&cost| Operation { cost, kind: OperationKind::Execute });
    instruction.operations = operations.collect();
}

fn one(core: &Core, instruction: &Instruction, position: usize) -> Option<LoweredInstruction> {
    let used = instruction.family;
    let (name, family) = match used {
        FamilyUse::Family(name) => (Some(name), Some(core.family(name, instruction.vector_bytes)?)),
        FamilyUse::Unknown => return None,
        _ => (None, None),
    };
    let step = match used {
        FamilyUse::Move if core.front_end.eliminates_moves => {
            instruction.register(1).map_or(Step::Execute, Step::Rename)
        }
        FamilyUse::Zero => Step::Zero,
        _ if core.front_end.adds_constants => added_constant(instruction).map_or(Step::Execute, Step::Rename),
        _ => Step::Execute,
    };
    let mut operations = Vec::new();
    load_operations(core, instruction, family, &mut operations)?;
    execution(core, instruction, used, family, &mut operations)?;
    store_operations(core, instruction, &mut operations)?;
    if instruction.updates.is_some() {
        let cost = *core.family("int", 0)?.operations.first()?;
        operations.push(Operation { cost, kind: OperationKind::AddressUpdate });
    }
    let stack = instruction.has(Trait::OfStack) || matches!(instruction.flow, Flow::Call(_) | Flow::Exit(_));
    // The stack pointer is kept by the front end there (Intel 248966, "stack pointer tracker"; AMD 58455, "stack engine").
    let kept = |register: &&Register| !(stack && register.is_stack_pointer());
    Some(LoweredInstruction {
        position,
        slots: slots(core, instruction, family, &operations),
        operations,
        step,
        reads: waited_for(instruction, name).filter(kept).copied().collect(),
        address: instruction.address_registers().filter(|register| kept(&register)).collect(),
        writes: { instruction.writes.iter() }
            .filter(|register| kept(register) && Some(**register) != instruction.updates)
            .copied()
            .collect(),
        updates: instruction.updates,
        family: name,
        to_same: family.and_then(|family| family.to_same),
        flags_extra: family.map_or(0, |family| family.flags_extra),
        met: None,
        vector_memory: is_vector(instruction),
        read_back_cycles: core.memory.read_back_cycles(read_back(instruction)),
        stored_bytes: instruction.memory.as_ref().filter(|memory| memory.writes).map_or(0, |memory| memory.width),
        line_parts: 0,
        ends_line: false,
    })
}

fn read_back(instruction: &Instruction) -> ReadBack {
    let indexed = instruction.memory.as_ref().is_some_and(|memory| memory.index.is_some());
    match instruction.has(Trait::Copies) {
        _ if instruction.loads() && instruction.stores() => ReadBack::Update,
        true => ReadBack::Copy { indexed },
        false => ReadBack::Other,
    }
}

/// The register that a small constant is added to: chains of `add $1`, `inc`, `sub $1`, `lea 8(%rax)` on 64 bits take no
/// cycle on a Redwood Cove, as many begin as are renamed, and sums beyond a byte or on 32 bits are executed.
fn added_constant(instruction: &Instruction) -> Option<Register> {
    let base = || instruction.memory.as_ref().and_then(|place| place.base);
    let register = if instruction.memory.is_some() { base() } else { instruction.register(0) };
    register.filter(|_| instruction.has(Trait::AddsSmallConstant))
}

fn is_vector(instruction: &Instruction) -> bool {
    instruction.vector_bytes > 0
}

fn load_operations(
    core: &Core,
    instruction: &Instruction,
    family: Option<&Family>,
    to: &mut Vec<Operation>,
) -> Option<()> {
    if !instruction.loads() {
        return Some(());
    }
    let memory = instruction.memory.as_ref()?;
    let vector = is_vector(instruction);
    let name = if vector { "load_vector" } else { "load" };
    let mut cost = *core.family(name, instruction.vector_bytes)?.operations.first()?;
    let base = if vector { core.memory.load_vector_cycles } else { core.memory.load_cycles };
    cost.latency = base + if memory.index.is_some() { core.memory.indexed_extra_cycles } else { 0 };
    cost.latency += address_extra_cycles(&core.memory, memory);
    if instruction.has(Trait::SignExtends) {
        cost.latency += core.memory.sign_extra_cycles;
    }
    if instruction.vector_bytes > core.vector_bytes {
        cost.busy_quarters *= 2;
    }
    let loads = family.map_or(1, |family| family.loads.max(1));
    to.extend((0..loads).map(|_| Operation { cost, kind: OperationKind::Load }));
    Some(())
}

/// Cycles that an address takes longer than a base with a constant.
fn address_extra_cycles(unit: &MemoryUnit, memory: &MemoryOperand) -> u32 {
    let index = memory.index.is_some();
    let scaled = if index && memory.scale > 1 { unit.scaled_extra_cycles } else { 0 };
    let three = index && (memory.displacement != 0 || memory.symbol.is_some());
    scaled.max(if three { unit.three_part_extra_cycles } else { 0 })
}

fn execution(
    core: &Core,
    instruction: &Instruction,
    used: FamilyUse,
    family: Option<&Family>,
    to: &mut Vec<Operation>,
) -> Option<()> {
    let moved = used == FamilyUse::Move && !core.front_end.eliminates_moves;
    let name = if is_vector(instruction) { "vector_logic" } else { "int" };
    let family = if moved { Some(core.family(name, instruction.vector_bytes)?) } else { family };
    for mut cost in family.into_iter().flat_map(|family| family.operations.iter().copied()) {
        // Vectors wider than the data paths go through in two passes.
        if instruction.vector_bytes > core.vector_bytes {
            cost.busy_quarters *= 2;
        }
        to.push(Operation { cost, kind: OperationKind::Execute });
    }
    Some(())
}

fn store_operations(core: &Core, instruction: &Instruction, to: &mut Vec<Operation>) -> Option<()> {
    if !instruction.stores() {
        return Some(());
    }
    let name = if is_vector(instruction) { "store_data_vector" } else { "store_data" };
    let mut address = *core.family("store_address", instruction.vector_bytes)?.operations.first()?;
    let mut data = *core.family(name, instruction.vector_bytes)?.operations.first()?;
    if instruction.vector_bytes > core.vector_bytes {
        data.busy_quarters *= 2;
    }
    let width = instruction.memory.as_ref().map_or(0, |memory| memory.width);
    let passes = core.memory.store_bytes.map_or(1, |bytes| u32::from(width.div_ceil(bytes.max(1)).max(1)));
    address.busy_quarters *= passes;
    data.busy_quarters *= passes;
    to.push(Operation { cost: address, kind: OperationKind::StoreAddress });
    to.push(Operation { cost: data, kind: OperationKind::StoreData });
    Some(())
}

/// A load with what uses it is one slot, as are the two operations of a store.
fn slots(core: &Core, instruction: &Instruction, family: Option<&Family>, operations: &[Operation]) -> u32 {
    let executed = operations.iter().filter(|operation| operation.kind == OperationKind::Execute).count();
    let own = family.and_then(|family| family.slots).unwrap_or(u32::try_from(executed).unwrap_or(u32::MAX)).max(1);
    let indexed = instruction.memory.as_ref().is_some_and(|memory| memory.index.is_some());
    // Intel 248966, "unlamination": an indexed operand beside an execution is split again where three registers are read.
    let sources = instruction.reads.len() + instruction.address_registers().count();
    let split = core.front_end.splits_indexed && indexed && executed > 0 && sources >= 3;
    let updates = instruction.loads() && instruction.stores();
    // What reads, changes and writes memory is two fused pairs on Intel; one operation of the macro kind on AMD.
    own + u32::from(split) + u32::from(updates && core.binds_ports_early)
}
