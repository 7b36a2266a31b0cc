//! Dependences between storage, values and decisions, and what follows from them.

use super::Analysis;
use crate::count::Assumptions;
use crate::program::Program;

/// What the reachability analyses found.
pub struct Flow {
    /// Per class of storage.
    pub relevant: Vec<bool>,
    /// Per block.
    pub hopeless: Vec<bool>,
}

pub fn solve(program: &Program, analysis: &Analysis, _assumptions: &Assumptions) -> Flow {
    Flow { relevant: vec![true; analysis.classes.len()], hopeless: vec![false; program.blocks.len()] }
}
