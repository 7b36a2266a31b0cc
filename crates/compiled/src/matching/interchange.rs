//! Nests whose loops a compiler interchanged, with the one that became the inner one written out (J. R. Allen and K. Kennedy, PLDI
//! 1984; gcc: -floop-interchange and complete unrolling, at -O3).
//!
//! What is left is a machine loop with the line of the outer source loop that walks through memory as the inner one does, row by
//! row, and works off a whole row in each iteration.

use super::positions::{Places, SourceFunctions, SourceStride};
use super::{machine_depth, source_depth, voted};
use crate::code::FunctionCode;
use crate::loops::LoopId;
use std::collections::BTreeMap;

/// A machine loop of an interchanged nest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Interchanged {
    /// The inner loop of the source, which it walks as.
    pub inner: usize,
    /// The outer loop of the source, all of which stands in each iteration.
    pub outer: usize,
    /// Iterations of the outer loop that one iteration of the machine works off.
    pub elements: u64,
}

/// What an innermost machine loop with the line of the source loop `outer` is of an interchanged nest.
pub(super) fn interchanged(
    code: &FunctionCode,
    source: &SourceFunctions,
    places: &Places,
    (id, outer): (LoopId, usize),
) -> Option<Interchanged> {
    let mut inside = (0..source.loops.len()).filter(|&inner| source.loops[inner].parent == Some(outer));
    let inner = inside.next().filter(|_| inside.next().is_none())?;
    // Two loops of the source are one of the machine, whatever is around them.
    let innermost = code.forest.loops[id].children.is_empty();
    if !innermost || machine_depth(code, id) >= source_depth(source, places, inner) {
        return None;
    }
    let [walked, passed] = [inner, outer].map(|of| voted(code, source, id, of, false));
    let walks =
        walked.is_some_and(|walked| walked.elements == 1 && passed.is_none_or(|it| walked.accesses >= it.accesses));
    let elements = row(code, source, id, [inner, outer]).filter(|&elements| walks && elements > 1)?;
    Some(Interchanged { inner, outer, elements })
}

/// Elements of a row that one iteration accesses at one place: the outer loop walks along them, the inner one from row to row. Stores
/// tell before loads: two loads of one statement may have the same place.
fn row(code: &FunctionCode, source: &SourceFunctions, id: LoopId, [inner, outer]: [usize; 2]) -> Option<u64> {
    let of = |of: usize, line: u32| source.loops[of].strides.iter().filter(move |stride| stride.line == line);
    let is_along = |stride: &SourceStride| stride.bytes.unsigned_abs() == stride.width;
    let mut bytes: BTreeMap<(bool, (u32, u32)), u64> = BTreeMap::new();
    for access in &code.facts[id].accesses {
        let (Ok(step), Some(place)) = (&access.step, code.function.place(access.instruction)) else { continue };
        let from_row_to_row = of(inner, place.line).any(|stride| !is_along(stride) && stride.bytes == *step);
        let memory = code.function.instructions[access.instruction].memory.as_ref();
        if let Some(memory) = memory.filter(|_| from_row_to_row) {
            *bytes.entry((memory.reads, (place.line, place.column))).or_default() += u64::from(memory.width);
        }
    }
    // Places that only write come first.
    let (&(reads, (line, _)), _) = bytes.first_key_value()?;
    let of_kind = bytes.iter().filter(|(place, _)| place.0 == reads).map(|(_, bytes)| *bytes);
    let along = of(outer, line).filter(|stride| is_along(stride)).map(|stride| stride.width).max()?;
    Some(of_kind.min()? / along)
}
