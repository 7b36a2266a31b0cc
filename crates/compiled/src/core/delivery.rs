//! How the front end delivers a path: lines and entries of decoded operations, and the places that a linker may give to them.
//!
//! A loop whose body crosses a border of lines takes a cycle more per iteration on cores that read one line per cycle, which
//! is twice as long where the body has few instructions: on a Zen 4, `a[i] = a[i + 1] + b[i]` (26 bytes) takes 1 or 2 cycles.
//! The object says where in its section the loop lies; where the section goes, only the linker knows.

use super::describe::{Core, FrontEnd};
use super::lower::{LoweredInstruction, LoweredLoop};
use super::simulate::{Relaxed, cycles};
use crate::instruction::{Flow, Instruction};
use crate::object_code::Placement;

/// Places of a section that are tried where it may begin at any byte.
const MOST_PLACES: u64 = 8;

/// A front end that needs less of the time than this at no place limits nothing.
const HIDDEN: f64 = 0.9;

/// Cycles per iteration of a path at the places where it may lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PlacedCycles {
    /// In the mean of all places.
    pub mean: f64,
    /// At the fastest and at the slowest one.
    pub ends: [f64; 2],
}

/// Cycles per iteration of a path where the linker puts it, in the mean of all places where that is not known. `body` is the path
/// as it lies in the object.
pub(crate) fn placed_cycles(
    core: &Core,
    path: &[&Instruction],
    body: &LoweredLoop,
    placement: Placement,
    relaxed: Relaxed,
) -> PlacedCycles {
    let places = places(core, path, body, placement);
    let all: u32 = places.iter().map(|(_, weight)| weight).sum();
    let (mut fastest, mut slowest) = (f64::INFINITY, 0.0_f64);
    let mut sum = 0.0;
    for (place, weight) in &places {
        // What the front end alone takes here is hidden behind what the fastest place takes in all.
        let hidden = delivery_cycles(place) < HIDDEN * fastest && fastest.is_finite();
        let own = if hidden { fastest } else { cycles(core, place, relaxed) };
        (fastest, slowest) = (fastest.min(own), slowest.max(own));
        sum += own * f64::from(*weight);
    }
    let mean = sum / f64::from(all.max(1));
    PlacedCycles { mean, ends: [fastest.min(mean), slowest.max(mean)] }
}

/// The path at each place, with how many of the places are alike; that with the fewest lines first.
fn places(core: &Core, path: &[&Instruction], body: &LoweredLoop, placement: Placement) -> Vec<(LoweredLoop, u32)> {
    let mut found: Vec<(LoweredLoop, u32)> = Vec::new();
    for shift in shifts(core, placement) {
        let mut place = body.clone();
        place.parts = deliver(core, path, shift, &mut place.instructions);
        match found.iter_mut().find(|(known, _)| *known == place) {
            Some((_, weight)) => *weight += 1,
            None => found.push((place, 1)),
        }
    }
    found.sort_by(|(a, _), (b, _)| delivery_cycles(a).total_cmp(&delivery_cycles(b)));
    found
}

/// Bytes, modulo a line, by which a path may lie behind its place in the object.
fn shifts(core: &Core, placement: Placement) -> Vec<u64> {
    let line = core.front_end.line_bytes.max(1);
    match placement {
        _ if core.front_end.loop_buffer => vec![0],
        Placement::Known(shift) => vec![shift % line],
        Placement::Multiple(alignment) => {
            let step = alignment.max(line / MOST_PLACES).clamp(1, line);
            (0..line / step).map(|n| n * step).collect()
        }
    }
}

/// Cycles in which the front end delivers a path.
fn delivery_cycles(body: &LoweredLoop) -> f64 {
    let parts: u32 = body.instructions.iter().map(|instruction| instruction.line_parts).sum();
    f64::from(parts) / f64::from(body.parts.max(1))
}

/// Says which instructions begin what the front end reads at once, where the path lies `shift` bytes behind its place in the
/// object; the parts of a cycle that they count.
pub(super) fn deliver(core: &Core, path: &[&Instruction], shift: u64, instructions: &mut [LoweredInstruction]) -> u32 {
    for instruction in instructions.iter_mut() {
        (instruction.line_parts, instruction.ends_line) = (0, false);
    }
    match core.front_end.loop_buffer {
        true => runs(core, path, instructions),
        false => lines(core, path, shift, instructions),
    }
}

/// Runs of instructions up to a taken jump, out of a loop buffer: borders of lines do not matter there, nor does the end of
/// an iteration, but no two jumps are taken in one cycle. Loops of 4 to 18 operations at any place in a line took
/// max(1, operations / width) cycles on a Redwood Cove, those of 24 to 201 at most a tenth more.
fn runs(core: &Core, path: &[&Instruction], instructions: &mut [LoweredInstruction]) -> u32 {
    let width = core.front_end.width;
    for run in cyclic_runs(path, |_, _| true) {
        let operations: u32 = run.iter().map(|&at| instructions[at].slots).sum();
        if let Some(&first) = run.first() {
            instructions[first].line_parts = operations.max(width);
        }
    }
    width
}

/// Positions of a path that is repeated, in runs of instructions that follow each other in memory for as long as `joins` says so
/// of neighbours. An iteration may end in the middle of a run: a loop whose header is not its first instruction in memory
/// goes on there without a jump.
fn cyclic_runs(path: &[&Instruction], joins: impl Fn(&Instruction, &Instruction) -> bool) -> Vec<Vec<usize>> {
    let length = path.len();
    let before = |at: usize| path[(at + length - 1) % length];
    let goes_on = |at: usize| follows(before(at), path[at]) && joins(before(at), path[at]);
    let first = (0..length).find(|&at| !goes_on(at)).unwrap_or(0);
    let mut runs: Vec<Vec<usize>> = Vec::new();
    for at in (first..first + length).map(|at| at % length) {
        match runs.last_mut() {
            Some(run) if goes_on(at) => run.push(at),
            _ => runs.push(vec![at]),
        }
    }
    runs
}

/// Whether an instruction is delivered behind another one without a jump. What a called function executes lies elsewhere.
fn follows(one: &Instruction, next: &Instruction) -> bool {
    one.end() == next.address && !matches!(one.flow, Flow::Call(_))
}

/// Which lines of decoded operations the path goes over, and how long each takes.
fn lines(core: &Core, path: &[&Instruction], shift: u64, instructions: &mut [LoweredInstruction]) -> u32 {
    let front = &core.front_end;
    let line = |instruction: &Instruction| (instruction.address + shift) / front.line_bytes;
    if front.entries_cross_lines {
        for run in cyclic_runs(path, |_, _| true) {
            // A jump of which one byte lies in the next line takes that line.
            let end = |at: usize| (path[at].end() - 1 + shift) / front.line_bytes;
            let lines = run.first().zip(run.last()).map_or(1, |(&a, &b)| end(b).saturating_sub(line(path[a])) + 1);
            entries_of_run(front, path, (&run, lines), instructions);
        }
        return front.entries_per_cycle;
    }
    for run in cyclic_runs(path, |one, next| line(one) == line(next)) {
        let (Some(&first), Some(&last)) = (run.first(), run.last()) else { continue };
        let operations: u32 = run.iter().map(|&at| instructions[at].slots).sum();
        let entries = operations.div_ceil(front.entry_operations).max(1);
        let per_cycle = front.entries_per_cycle;
        let parts = match entries <= per_cycle {
            true => entries,
            // Further entries of the same line are looked up one after the other.
            false => per_cycle * (1 + (entries.div_ceil(per_cycle) - 1) * front.further_entries_cycles),
        };
        instructions[first].line_parts = parts;
        instructions[last].ends_line = !follows(path[last], path[(last + 1) % path.len()]);
    }
    front.entries_per_cycle
}

/// Entries of decoded operations of a run up to a taken jump: at least one for each line that it lies in, as many as its
/// operations fill. Measured on a Zen 4 with loops of 4 to 48 copies of registers, whose end reaches into another line or not:
/// 9 operations in one line take 1.5 cycles (renaming), 10 take 2; 5 and 9 in two lines take 2, 3 and 10 in two lines 2.17.
fn entries_of_run(
    front: &FrontEnd,
    path: &[&Instruction],
    (run, lines): (&[usize], u64),
    instructions: &mut [LoweredInstruction],
) {
    let Some(&last) = run.last() else { return };
    let slots: u32 = run.iter().map(|&at| instructions[at].slots).sum();
    let entries = u64::from(slots.div_ceil(front.entry_operations)).max(lines);
    let (mut before, mut begun) = (0, 0);
    for &at in run {
        // The entry that holds this operation, where all hold as many.
        let entry = u64::from(before) * entries / u64::from(slots.max(1));
        if entry >= begun {
            instructions[at].line_parts = u32::try_from(entry + 1 - begun).unwrap_or(u32::MAX);
            begun = entry + 1;
        }
        before += instructions[at].slots;
    }
    instructions[last].ends_line = !follows(path[last], path[(last + 1) % path.len()]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::{Compilation, object_of};
    use crate::core::lower;
    use crate::entry_values::EntryValues;

    /// A loop of 18 bytes, which begins at a border of lines.
    const LOOP: &str = "void f(long n) { __asm__ volatile(\".p2align 6\\n1: lea 8(%%rax), %%rax\\n lea 8(%%rdx), %%rdx\\n \
                        lea 8(%%rcx), %%rcx\\n sub $1, %%rdi\\n jne 1b\" ::: \"rax\", \"rdx\", \"rcx\", \"rdi\"); }";

    fn check(core: &str, placement: Placement) -> f64 {
        placed(core, placement).mean
    }

    fn placed(core: &str, placement: Placement) -> PlacedCycles {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a.c");
        std::fs::write(&file, LOOP).expect("written");
        let compilation = Compilation { command: vec!["gcc".to_owned(), "-O2".to_owned()], ..Compilation::default() };
        let object = object_of(&compilation, &file).expect("compiled");
        let (unit, _) = crate::object_code::read(&object.bytes, "a.c").expect("an object");
        let code = &unit.function("f").expect("there").instructions;
        let first = code.iter().position(|found| found.mnemonic == "lea").expect("the loop");
        let path: Vec<_> = code[first..first + 5].iter().collect();
        let core = Core::load(core).expect("shipped");
        let body = lower(&core, &path, &EntryValues::new()).expect("figures");
        placed_cycles(&core, &path, &body, placement, Relaxed::default())
    }

    #[test]
    fn a_loop_over_a_border_takes_a_cycle_more_where_one_line_is_read_per_cycle() {
        assert_eq!(check("zen4", Placement::Known(0)), 1.0);
        assert_eq!(check("zen4", Placement::Known(56)), 2.0);
        // Only the last of four places reaches over the border.
        assert_eq!(check("zen4", Placement::Multiple(16)), 1.25);
        assert_eq!(placed("zen4", Placement::Multiple(16)).ends, [1.0, 2.0]);
        assert_eq!(placed("zen4", Placement::Known(0)).ends, [1.0, 1.0]);
        assert_eq!(check("redwood-cove", Placement::Known(56)), check("redwood-cove", Placement::Known(0)));
    }
}
