//! Loops that an assumed branch leaves: how often they run follows from its chance, also where nothing is said of the loop.

use super::governed::Way;
use crate::evaluation::Job;
use crate::replays::Replayed;
use chronos_base::hash::FxHashMap;
use chronos_ir::{BlockId, BlockKind, Branch, Jump, OpKind, Program, Region};
use chronos_slicing::heuristics::{Assumed, Spread};

/// Of each loop, the assumptions whose branches leave it, by their numbers.
pub type Leaving = FxHashMap<BlockId, Vec<(usize, Way)>>;

/// Loops that run longer than so many times their mean are not told apart from endless ones.
const LONGEST: f64 = 100.0;

/// All of them. Loops of which something is assumed or said themselves are left out: that is how often they run.
pub fn leaving(job: &Job, known: &[&(BlockId, Assumed)], replayed: &Replayed<'_>) -> Leaving {
    let program = &job.program;
    let mut found = Leaving::default();
    for (at, (block, assumed)) in known.iter().enumerate() {
        let (BlockKind::Branch(branch), Spread::Ways(guess)) = (&program.blocks[*block].kind, &assumed.spread) else {
            continue;
        };
        let Some(around) = enclosing(program, *block) else { continue };
        let is_said =
            job.assumptions.iterations.contains_key(&around) || known.iter().any(|(other, _)| *other == around);
        let Some(arm) = leaving_arm(program, branch, around).filter(|_| !is_said) else { continue };
        if guess.arms.get(arm).is_some_and(|&chance| chance > 0.0 && chance < 1.0)
            && let Some((chance, most)) = ends(program, around, (*block, arm), replayed)
        {
            found.entry(around).or_default().push((at, Way::until(arm, chance, most)));
        }
    }
    found
}

/// The innermost loop around a block.
fn enclosing(program: &Program, block: BlockId) -> Option<BlockId> {
    let mut outwards = std::iter::successors(program.blocks[block].parent, |&at| program.blocks[at].parent);
    outwards.find(|&at| matches!(program.blocks[at].kind, BlockKind::Loop(_)))
}

fn leaving_arm(program: &Program, branch: &Branch, around: BlockId) -> Option<usize> {
    branch.arms.iter().position(|arm| leaves(program, &arm.region, around))
}

fn leaves(program: &Program, region: &Region, around: BlockId) -> bool {
    let Some(&last) = region.last() else { return false };
    let BlockKind::Straight(straight) = &program.blocks[last].kind else { return false };
    match straight.ops.last().map(|op| &op.kind) {
        Some(OpKind::Jump(Jump::Break(target))) => {
            program.functions[program.blocks[last].function].targets[*target] == around
        }
        Some(OpKind::Jump(Jump::Return(_))) => true,
        _ => false,
    }
}

/// With which chance each iteration is the last one as the branch goes, and after how many the loop ends at the latest, from how
/// often all tasks did so together. Iterations in which the branch is known not to leave are among them.
fn ends(
    program: &Program,
    around: BlockId,
    (branch, arm): (BlockId, usize),
    replayed: &Replayed<'_>,
) -> Option<(f64, f64)> {
    let (around, branch) = (&program.blocks[around], &program.blocks[branch]);
    let counters = [around.counter(0), around.counter(1), branch.counter(1 + u32::try_from(arm).ok()?)];
    let mut sums = [0.0; 3];
    for &(id, times) in replayed.result.tasks.iter().flat_map(|task| &task.segments) {
        for &(_, counter, count) in &replayed.segments.get(id).counts {
            if let Some(at) = counters.iter().position(|&other| other == counter) {
                sums[at] += count.as_f64().unwrap_or(0.0) * times as f64;
            }
        }
    }
    let [iterations, entries, left] = sums;
    let is_left = entries > 0.0 && left > 0.0 && iterations > left;
    is_left.then(|| (left / iterations, most_trips(left / entries, left / iterations, iterations / entries)))
}

/// After how many iterations a loop ends at the latest that is left before with the chance `left`, and in each iteration with
/// `chance`: `left = 1 - (1 - chance)^most`.
fn most_trips(left: f64, chance: f64, mean: f64) -> f64 {
    let most = if left < 1.0 { (-left).ln_1p() / (-chance).ln_1p() } else { f64::INFINITY };
    most.clamp(mean.max(1.0), LONGEST * mean.max(1.0))
}

/// Mean iterations of a loop that is left with a chance in each of them, and at the latest after so many.
pub fn trips(chance: f64, most: f64) -> f64 {
    if chance < 1e-9 { most } else { (1.0 - (most * (-chance.min(1.0 - 1e-12)).ln_1p()).exp()) / chance }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_iteration_follows_from_how_often_a_loop_is_left() {
        for (chance, most) in [(0.2, 5.0), (0.05, 60.0), (0.5, 3.0)] {
            let mean = trips(chance, most);
            assert!((most_trips(mean * chance, chance, mean) / most - 1.0).abs() < 1e-6, "{chance} {most}");
        }
        assert_eq!(trips(0.0, 60.0), 60.0);
        assert!((trips(1.0, 60.0) - 1.0).abs() < 1e-9);
    }
}
