//! Dependences between storage, values and decisions, and what follows from them: backward what
//! matters, forward what nobody can know.

use crate::annotations::Annotations;
use crate::dependences::{Dependences, collect};
use crate::reachability::reach;
use crate::unevaluated_checks::checks_left_to_heuristics;
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
    pub unknowable_conditions: Vec<bool>,
}

/// Solves both directions; linear in the number of dependences.
pub fn solve(program: &Program, analysis: &Analysis, assumptions: &Assumptions) -> Flow {
    let dependences = collect(program, analysis, assumptions.seed_taken.is_some());
    let unknowable = unknowable(analysis, &dependences);
    let checks_left_to_heuristics = checks_left_to_heuristics(program, analysis, &dependences);
    let left_out = left_out(program, assumptions, &checks_left_to_heuristics);
    let seeds = seeds(program, &left_out, &dependences, &unknowable);
    let not_asked = decided_by(&dependences, &checks_left_to_heuristics);
    let asked = dependences.edges.iter().filter(|edge| !not_asked[edge.source as usize]);
    let asked = asked.map(|edge| (edge.target, edge.source));
    let relevant = reach(dependences.nodes, asked.clone(), &seeds);
    let structural = reach(dependences.nodes, asked, &dependences.structural);
    let losses = relevant.iter().zip(&structural).map(|(&relevant, &structural)| loss(relevant, structural)).collect();
    let mut unknowable_conditions = unknowable_conditions(program, &dependences, &unknowable);
    checks_left_to_heuristics.iter().for_each(|block| unknowable_conditions[block.index()] = true);
    Flow { losses, unknowable_conditions }
}

fn loss(relevant: bool, structural: bool) -> Loss {
    match (relevant, structural) {
        (_, true) => Loss::Structure,
        (true, false) => Loss::Counts,
        (false, false) => Loss::None,
    }
}

/// Loops and branches whose condition nobody asks for: something else says how they behave.
fn left_out(
    program: &Program,
    assumptions: &Assumptions,
    checks_left_to_heuristics: &BTreeSet<BlockId>,
) -> BTreeSet<BlockId> {
    let annotations = Annotations::new(program);
    let said = assumptions.probability.keys().chain(assumptions.iterations.keys()).copied();
    let annotated = program.blocks.ids().filter(|&block| annotations.covers(block));
    said.chain(annotated).chain(checks_left_to_heuristics.iter().copied()).collect()
}

/// The values that decide these branches.
pub(super) fn decided_by(found: &Dependences, checks_left_to_heuristics: &BTreeSet<BlockId>) -> Vec<bool> {
    let mut values = vec![false; found.nodes];
    let of_checks = found.conditions.iter().filter(|(block, _)| checks_left_to_heuristics.contains(block));
    of_checks.for_each(|(_, from)| values[from.value as usize] = true);
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
fn unknowable_conditions(program: &Program, found: &Dependences, unknowable: &[bool]) -> Vec<bool> {
    let mut unknowable_conditions = vec![false; program.blocks.len()];
    for (block, sources) in &found.conditions {
        unknowable_conditions[block.index()] = unknowable[sources.value as usize];
    }
    for &(left, decided_by) in &found.exits {
        if unknowable_conditions[decided_by.index()] {
            unknowable_conditions[left.index()] = true;
        }
    }
    unknowable_conditions
}
