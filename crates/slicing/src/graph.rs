//! Dependences between storage, values and decisions, and what follows from them: backward what
//! matters, forward what nobody can know.

use crate::annotations::Annotations;
use crate::dependences::{Dependences, collect};
use crate::reachability::reach;
use crate::spared::spared;
use crate::unknowable::unknowable;
use crate::{Analysis, Assumptions, Loss};
use chronos_base::ids::Id;
use chronos_ir::{BlockId, BlockKind, Program};
use std::collections::BTreeSet;

/// What the reachability analyses found.
pub struct Flow {
    /// Per class of storage.
    pub losses: Vec<Loss>,
    /// Per block.
    pub hopeless: Vec<bool>,
}

/// Solves both directions; linear in the number of dependences.
pub fn solve(program: &Program, analysis: &Analysis, assumptions: &Assumptions) -> Flow {
    let dependences = collect(program, analysis);
    let unknowable = unknowable(analysis, &dependences);
    let spared = spared(program, analysis, &dependences);
    let left_out = left_out(program, assumptions, &spared);
    let seeds = seeds(program, &left_out, &dependences, &unknowable);
    let not_asked = decided_by(&dependences, &spared);
    let asked = dependences.edges.iter().filter(|edge| !not_asked[edge.source as usize]);
    let asked = asked.map(|edge| (edge.target, edge.source));
    let relevant = reach(dependences.nodes, asked.clone(), &seeds);
    let structural = reach(dependences.nodes, asked, &dependences.structural);
    let losses = relevant.iter().zip(&structural).map(|(&relevant, &structural)| loss(relevant, structural)).collect();
    let mut hopeless = hopeless(program, &dependences, &unknowable);
    spared.iter().for_each(|block| hopeless[block.index()] = true);
    Flow { losses, hopeless }
}

fn loss(relevant: bool, structural: bool) -> Loss {
    match (relevant, structural) {
        (_, true) => Loss::Structure,
        (true, false) => Loss::Counts,
        (false, false) => Loss::None,
    }
}

/// Loops and branches whose condition nobody asks for: something else says how they behave.
fn left_out(program: &Program, assumptions: &Assumptions, spared: &BTreeSet<BlockId>) -> BTreeSet<BlockId> {
    let annotations = Annotations::new(program);
    let said = assumptions.probability.keys().chain(assumptions.iterations.keys()).copied();
    let annotated = program.blocks.ids().filter(|&block| annotations.speaks_of(block));
    said.chain(annotated).chain(spared.iter().copied()).collect()
}

/// The values that decide these branches.
pub(super) fn decided_by(found: &Dependences, spared: &BTreeSet<BlockId>) -> Vec<bool> {
    let mut values = vec![false; found.nodes];
    let of_spared = found.conditions.iter().filter(|(block, _)| spared.contains(block));
    of_spared.for_each(|(_, from)| values[from.value as usize] = true);
    values
}

/// What shapes MPI calls, and what counts depend on as far as it can be known.
fn seeds(program: &Program, left_out: &BTreeSet<BlockId>, found: &Dependences, unknowable: &[bool]) -> Vec<u32> {
    let mut seeds = found.structural.clone();
    let knowable = |node: &&u32| !unknowable[**node as usize];
    for (block, sources) in &found.conditions {
        if left_out.contains(block) {
            continue;
        }
        let is_loop = matches!(program.blocks[*block].kind, BlockKind::Loop(_));
        if is_loop || !unknowable[sources.value as usize] {
            seeds.extend(std::iter::once(&sources.value).chain(&sources.operands).filter(knowable));
        }
    }
    seeds.extend(found.sizes.iter().filter(knowable));
    seeds
}

/// Loops and branches whose condition nobody can know; loops that such a branch may leave as well.
fn hopeless(program: &Program, found: &Dependences, unknowable: &[bool]) -> Vec<bool> {
    let mut hopeless = vec![false; program.blocks.len()];
    for (block, sources) in &found.conditions {
        hopeless[block.index()] = unknowable[sources.value as usize];
    }
    for &(left, decided_by) in &found.exits {
        if hopeless[decided_by.index()] {
            hopeless[left.index()] = true;
        }
    }
    hopeless
}
