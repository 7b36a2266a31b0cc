//! Instructions that store or copy a block of memory by themselves (`rep stos`, `rep movs`), which compilers use for initialisers and
//! structures. How long they take depends on their bytes, so the number in `rcx` has to be known.
//!
//! This module must not know what loops are, nor what the caches hold: times are those of the first level.

use super::describe::{Core, MicroOperation};
use super::lower::{LoweredInstruction, Operation, OperationKind, Step};
use crate::instruction::{Instruction, Register};
use serde::Deserialize;

/// Times of both kinds.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StringInstructions {
    store: StringTimes,
    copy: StringTimes,
}

/// The time of a block by its bytes: `short_cycles` up to `short_bytes`, then the greatest of some straight lines. Short blocks go by
/// stores of microcode, longer ones by whole lines of the cache (Intel 248966, "fast short REP MOV and STOS").
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct StringTimes {
    short_bytes: u64,
    short_cycles: u32,
    lines: Vec<Line>,
}

/// `start_cycles`, and a cycle for each `bytes_per_cycle`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    start_cycles: u32,
    bytes_per_cycle: u32,
}

impl StringTimes {
    fn cycles(&self, bytes: u64) -> u32 {
        let of = |line: &Line| u64::from(line.start_cycles) + bytes / u64::from(line.bytes_per_cycle.max(1));
        let cycles = if bytes <= self.short_bytes { 0 } else { self.lines.iter().map(of).max().unwrap_or(0) };
        u32::try_from(cycles).unwrap_or(u32::MAX).clamp(self.short_cycles, LONGEST_CYCLES)
    }
}

/// Beyond it the sum of a path's cycles would not fit.
const LONGEST_CYCLES: u32 = 1 << 24;

/// The register that counts repetitions.
const COUNT: Register = Register::integer(1);

/// What the core knows of an instruction, and the bytes of one repetition.
fn known<'a>(core: &'a Core, instruction: &Instruction) -> Option<(&'a StringTimes, u64)> {
    let (name, width) = instruction.mnemonic.split_at_checked(4)?;
    let strings = core.strings.as_ref()?;
    let times = match name {
        "stos" => &strings.store,
        "movs" => &strings.copy,
        _ => return None,
    };
    let width = [("b", 1), ("w", 2), ("d", 4), ("q", 8)].into_iter().find(|&(suffix, _)| suffix == width)?.1;
    Some((times, width))
}

/// Whether a repeated instruction would have a time if its number of repetitions were known.
pub(super) fn has_figures(core: &Core, instruction: &Instruction) -> bool {
    known(core, instruction).is_some()
}

/// A repeated instruction of a path; `None` where the core has no figures for it, or the number of repetitions is not known.
pub(super) fn repeated(core: &Core, path: &[&Instruction], at: usize) -> Option<LoweredInstruction> {
    let instruction = path[at];
    let (times, width) = known(core, instruction)?;
    let cycles = times.cycles(repetitions(path, at)?.checked_mul(width)?);
    let cost = MicroOperation {
        latency: cycles,
        busy_quarters: cycles * 4,
        ..*core.family("store_address", 0)?.operations.first()?
    };
    Some(LoweredInstruction {
        position: at,
        // Microcode is dispatched for as long as it runs: what follows waits, what came before goes on (Zen 4: 50 copies of
        // constants behind 32 bytes take 27 cycles, where both alone take 15 and 12).
        slots: (cycles.saturating_mul(core.front_end.width)).min(core.reorder_buffer * 3 / 4),
        operations: vec![Operation { cost, kind: OperationKind::Execute }],
        step: Step::Execute,
        reads: instruction.reads.clone(),
        address: Vec::new(),
        writes: instruction.writes.clone(),
        updates: None,
        family: None,
        to_same: None,
        flags_extra: 0,
        met: None,
        vector_memory: false,
        read_back_cycles: core.memory.forward_cycles,
        stored_bytes: 0,
        line_parts: 0,
        ends_line: false,
    })
}

/// The number in the counting register: a constant that the path puts there, directly or over the stack (`push 10; pop rcx`,
/// which is shorter: gcc -Os).
fn repetitions(path: &[&Instruction], at: usize) -> Option<u64> {
    let writes = path[..at].iter().rposition(|before| before.writes.contains(&COUNT))?;
    let constant = match path[writes].mnemonic.as_str() {
        "mov" | "movabs" => path[writes].immediate(1),
        "xor" => Some(0),
        "pop" => path[..writes].last().filter(|before| before.mnemonic == "push")?.immediate(0),
        _ => None,
    };
    u64::try_from(constant?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_take_the_greatest_of_the_lines() {
        let line = |start_cycles, bytes_per_cycle| Line { start_cycles, bytes_per_cycle };
        let times = StringTimes { short_bytes: 96, short_cycles: 15, lines: vec![line(40, 64), line(8, 32)] };
        let cycles = [0, 96, 128, 1024, 4096].map(|bytes| times.cycles(bytes));
        assert_eq!(cycles, [15, 15, 42, 56, 136]);
        assert_eq!(times.cycles(u64::MAX), LONGEST_CYCLES);
    }
}
