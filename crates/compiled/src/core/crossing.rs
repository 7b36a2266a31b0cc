//! Accesses that lie in two lines of the cache: they take the way to it twice.
//!
//! Measured on a Zen 5 with eight loads or stores per iteration, at every multiple of 8 bytes: loads of 64 bytes take 0.50
//! cycles where they are aligned and 0.99 elsewhere; of 32 bytes side by side 0.50 and 0.75, of 16 bytes 0.50 and 0.62:
//! each that crosses a border of 64 bytes counts twice. Stores likewise, but those of 64 bytes take a cycle everywhere. On a Zen 4 a
//! load that crosses takes its port for two cycles with 16 bytes, for three with 32, a store for one and a half (four of 16 bytes side
//! by side: 2.5 cycles aligned, 3.0 elsewhere; two of 32: 1.07 and 2.01; stores of 16: 4.03 and 4.52).

use super::describe::MemoryUnit;
use super::lower::{LoweredInstruction, OperationKind};
use crate::affine::{Affine, State, Term};
use crate::instruction::{Instruction, MemoryOperand, Trait};
use std::collections::BTreeMap;

/// Bytes of a line.
const LINE: u16 = 64;

/// Bytes of the narrowest vectors.
const NARROW: u16 = 16;

/// The cycles that ports are taken longer by the accesses of a path that cross borders.
pub(super) struct Crossing<'a> {
    unit: &'a MemoryUnit,
    path: &'a [&'a Instruction],
    probabilities: Vec<f64>,
    /// Quarters of a cycle that are still to be added, of loads and of stores: a quarter is as fine as ports are counted.
    left: [f64; 2],
}

impl<'a> Crossing<'a> {
    pub(super) fn new(unit: &'a MemoryUnit, path: &'a [&'a Instruction]) -> Self {
        Self { unit, path, probabilities: crossings(path), left: [0.0; 2] }
    }

    /// Makes the accesses of the instruction at a position of the path as long as they are in the mean.
    pub(super) fn add_to(&mut self, lowered: &mut LoweredInstruction, at: usize) {
        let probability = self.probabilities[at];
        let narrow = self.path[at].memory.as_ref().is_some_and(|memory| memory.width <= NARROW);
        for operation in &mut lowered.operations {
            let taken = operation.cost.busy_quarters;
            let (cycles, left) = match operation.kind {
                OperationKind::Load => (self.load_cycles(narrow), &mut self.left[0]),
                // Stores of whole lines take all ways to the cache anyway.
                OperationKind::StoreData if lowered.stored_bytes < LINE => {
                    (self.unit.crossing_store_cycles, &mut self.left[1])
                }
                _ => continue,
            };
            let quarters = cycles.map_or(2.0 * f64::from(taken), |cycles| cycles * 4.0);
            *left += (quarters - f64::from(taken)).max(0.0) * probability;
            let whole = left.round().max(0.0);
            *left -= whole;
            operation.cost.busy_quarters += whole as u32;
        }
    }

    fn load_cycles(&self, narrow: bool) -> Option<f64> {
        self.unit.crossing_narrow_load_cycles.filter(|_| narrow).or(self.unit.crossing_load_cycles)
    }
}

/// For each instruction of a path, how probable it is that its access crosses a border of lines.
pub(crate) fn crossings(path: &[&Instruction]) -> Vec<f64> {
    let accesses = accesses(path);
    let known = alignments(path, &accesses);
    // Moves do not tell what they move: what the others work on.
    let elements = path.iter().map(|instruction| instruction.lanes.element).filter(|element| *element > 0);
    let common = elements.min().unwrap_or(0);
    let each = path.iter().zip(&accesses).map(|(instruction, access)| {
        let Some((memory, address)) = access else { return 0.0 };
        let own = if instruction.lanes.element > 0 { instruction.lanes.element } else { common };
        let element = u16::from(own.max(4));
        match known.get(&address.terms) {
            _ if memory.width <= element || instruction.has(Trait::Aligned) => 0.0,
            Some(&(alignment, constant)) if alignment >= memory.width => {
                let offset = address.constant.wrapping_sub(constant).rem_euclid(i64::from(alignment));
                of_offset(offset, i64::from(alignment), i64::from(memory.width))
            }
            // Any multiple of an element is as probable.
            _ => f64::from(memory.width - element) / f64::from(LINE),
        }
    });
    each.collect()
}

type Accesses<'a> = Vec<Option<(&'a MemoryOperand, Affine)>>;

fn accesses<'a>(path: &[&'a Instruction]) -> Accesses<'a> {
    let mut state = State::default();
    let mut found = Vec::new();
    for (at, instruction) in path.iter().enumerate() {
        let memory = instruction.memory.as_ref().filter(|memory| (memory.reads || memory.writes) && memory.width >= 16);
        found.push(memory.map(|memory| (memory, state.address(memory))));
        state.execute(instruction, at);
    }
    found
}

/// The widest alignment that an instruction proves of addresses of the same terms, and the constant that it holds for.
fn alignments<'a>(path: &[&Instruction], accesses: &'a Accesses<'_>) -> BTreeMap<&'a BTreeMap<Term, i64>, (u16, i64)> {
    let mut known: BTreeMap<&BTreeMap<Term, i64>, (u16, i64)> = BTreeMap::new();
    for (instruction, access) in path.iter().zip(accesses) {
        let Some((memory, address)) = access.as_ref().filter(|_| instruction.has(Trait::Aligned)) else { continue };
        let entry = known.entry(&address.terms).or_insert((memory.width, address.constant));
        if memory.width > entry.0 {
            *entry = (memory.width, address.constant);
        }
    }
    known
}

/// An access at `offset` from a multiple of `alignment`, which itself lies anywhere in a line.
fn of_offset(offset: i64, alignment: i64, width: i64) -> f64 {
    let places = i64::from(LINE) / alignment.clamp(1, i64::from(LINE));
    let crossing = (0..places).filter(|place| (place * alignment + offset) % i64::from(LINE) + width > i64::from(LINE));
    crossing.count() as f64 / places as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_not_aligned_crosses() {
        assert_eq!(of_offset(0, 64, 64), 0.0);
        assert_eq!(of_offset(8, 64, 64), 1.0);
        // Of two halves of a line only the second one reaches into the next.
        assert_eq!(of_offset(8, 32, 32), 0.5);
        assert_eq!(of_offset(8, 16, 16), 0.25);
    }
}
