//! Cases of all assumptions together.

use super::governed::Way;
use chronos_ir::BlockId;
use chronos_slicing::heuristics::{Assumed, Factors};

/// Cases that are drawn.
pub const NUMBER: usize = 400;
/// Between these, in the order of their totals, nine of ten lie.
pub const ENDS: [usize; 2] = [NUMBER / 20, NUMBER - 1 - NUMBER / 20];

/// By assumption: its cases, and in which order they meet those of the others.
pub struct Cases {
    of: Vec<(Vec<Factors>, Vec<usize>)>,
}

impl Cases {
    pub fn new(known: &[&(BlockId, Assumed)]) -> Self {
        let mut random = Random(0x9E37_79B9_7F4A_7C15);
        let of = known.iter().map(|(_, assumed)| (assumed.spread.cases(NUMBER), random.order())).collect();
        Self { of }
    }

    /// How many assumptions there are.
    pub fn assumptions(&self) -> usize {
        self.of.len()
    }

    /// Of an assumption by itself, in the order of what it is about.
    pub fn alone(&self, at: usize, case: usize, way: Way) -> f64 {
        way.of(&self.of[at].0[case])
    }

    /// Of an assumption where all are off.
    pub fn together(&self, at: usize, case: usize, way: Way) -> f64 {
        let (cases, order) = &self.of[at];
        way.of(&cases[order[case]])
    }

    /// Iterations or chances between which nine of ten cases lie.
    pub fn range(&self, at: usize) -> [f64; 2] {
        ENDS.map(|end| self.of[at].0[end].value)
    }
}

/// SplitMix64 (Steele, Lea and Flood 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// All cases once (Fisher and Yates).
    fn order(&mut self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..NUMBER).collect();
        for last in (1..NUMBER).rev() {
            order.swap(last, (self.next() % (last as u64 + 1)) as usize);
        }
        order
    }
}
