//! Dependences between storage, values and decisions, and what follows from them: backward what
//! matters, forward what nobody can know.

use super::Analysis;
use super::dependences::{Dependences, collect};
use crate::count::Assumptions;
use crate::ids::Id;
use crate::program::{BlockKind, Program};

/// What the reachability analyses found.
pub struct Flow {
    /// Per class of storage.
    pub relevant: Vec<bool>,
    /// Per block.
    pub hopeless: Vec<bool>,
}

/// Solves both directions; linear in the number of dependences.
pub fn solve(program: &Program, analysis: &Analysis, assumptions: &Assumptions) -> Flow {
    let dependences = collect(program, analysis);
    let data = dependences.edges.iter().filter(|edge| edge.data).map(|edge| (edge.source, edge.target));
    let unknowable = reach(dependences.nodes, data, &dependences.unknowable);
    let seeds = seeds(program, assumptions, &dependences, &unknowable);
    let all = dependences.edges.iter().map(|edge| (edge.target, edge.source));
    let relevant = reach(dependences.nodes, all, &seeds);
    Flow { relevant, hopeless: hopeless(program, &dependences, &unknowable) }
}

/// Nodes that can be reached from `seeds`.
pub(super) fn reach(nodes: usize, edges: impl Iterator<Item = (u32, u32)> + Clone, seeds: &[u32]) -> Vec<bool> {
    let mut starts = vec![0_u32; nodes + 1];
    edges.clone().for_each(|(from, _)| starts[from as usize + 1] += 1);
    (0..nodes).for_each(|node| starts[node + 1] += starts[node]);
    let mut ends = vec![0_u32; starts[nodes] as usize];
    let mut next = starts.clone();
    for (from, to) in edges {
        ends[next[from as usize] as usize] = to;
        next[from as usize] += 1;
    }
    let mut reached = vec![false; nodes];
    let mut pending = seeds.to_vec();
    while let Some(node) = pending.pop() {
        if !std::mem::replace(&mut reached[node as usize], true) {
            let range = starts[node as usize] as usize..starts[node as usize + 1] as usize;
            pending.extend(ends[range].iter().filter(|&&end| !reached[end as usize]));
        }
    }
    reached
}

/// What shapes MPI calls, and what counts depend on as far as it can be known.
fn seeds(program: &Program, assumptions: &Assumptions, found: &Dependences, unknowable: &[bool]) -> Vec<u32> {
    let mut seeds = found.structural.clone();
    let knowable = |node: &&u32| !unknowable[**node as usize];
    for (block, sources) in &found.conditions {
        let given = assumptions.probability.contains_key(block) || assumptions.iterations.contains_key(block);
        if given {
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
