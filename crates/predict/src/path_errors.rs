//! How far the difference of two predictions of one program may lie from the truth.
//!
//! Before and after a change, a loop is computed by the same code on the same machine, so that its price is wrong by the
//! same factor both times (the same draw). The total depends on that factor by what the critical path holds of the loop,
//! so that the difference depends on it by how much less the path holds afterwards; what the change leaves alone adds
//! nothing. Errors of different loops are independent, as for the interval of a total (`intervals`).

use super::pricing::Prices;
use super::replays::PathTimes;
use super::{Job, Target};
use chronos_activity::Activity;
use chronos_base::ids::Id as _;
use chronos_cost::{Shape, intervals};
use chronos_ir::{BlockId, BlockKind, Program};
use chronos_machine::Residuals;
use std::collections::BTreeMap;

/// Errors of what the critical path of a program computes.
#[derive(Debug)]
pub struct PathErrors<'a> {
    program: &'a Program,
    residuals: &'a Residuals,
    /// Of each loop, as where it takes most time.
    shapes: BTreeMap<BlockId, Shape>,
}

impl<'a> PathErrors<'a> {
    /// Of an activity on one kind of machine; `None` without residuals, as for the interval of a total.
    pub fn new(job: &'a Job, target: Target<'a>, activity: &Activity) -> Option<Self> {
        let residuals = target.residuals()?;
        let prices = Prices::of_activity(job, target, activity);
        let mut shapes: BTreeMap<BlockId, (f64, Shape)> = BTreeMap::new();
        for (id, _) in activity.segments.iter() {
            for found in prices.loops(0, id, &activity.segments) {
                let shape = Shape::of_loop(found.kind, found.iterations / found.entries.max(1.0), found.lanes);
                let known = shapes.entry(found.header).or_insert((found.time.0, shape));
                if found.time.0 > known.0 {
                    *known = (found.time.0, shape);
                }
            }
        }
        let shapes = shapes.into_iter().map(|(header, (_, shape))| (header, shape)).collect();
        Some(Self { program: &job.program, residuals, shapes })
    }

    /// Around what a change saves, between whose two critical paths the program's time lies; 90 %.
    pub fn around(&self, saved: f64, before: &PathTimes, after: &PathTimes) -> [f64; 2] {
        let mut less = self.by_loop(before);
        for (key, seconds) in self.by_loop(after) {
            *less.entry(key).or_default() -= seconds;
        }
        let (mut below, mut above) = (0.0, 0.0);
        for ((_, shape), seconds) in less {
            let (least, most) = intervals::factors(self.residuals, shape);
            // What the path holds more of afterwards makes the change save less where it takes longer than predicted.
            let (shorter, longer) = (seconds * (1.0 - least), seconds * (most - 1.0));
            let (low, high) = if seconds < 0.0 { (-longer, -shorter) } else { (shorter, longer) };
            below += low.powi(2);
            above += high.powi(2);
        }
        [saved - below.sqrt(), saved + above.sqrt()]
    }

    /// Computing on the path by the innermost loop around it, as errors are drawn.
    fn by_loop(&self, path: &PathTimes) -> BTreeMap<(Option<BlockId>, Shape), f64> {
        let mut seconds = BTreeMap::new();
        for (&(_, _, block), time) in &path.computing {
            let header = self.innermost_loop(block);
            let shape = header.and_then(|header| self.shapes.get(&header).copied());
            *seconds.entry((header, shape.unwrap_or(Shape::outside()))).or_default() += time;
        }
        seconds
    }

    fn innermost_loop(&self, block: BlockId) -> Option<BlockId> {
        let block = Some(block).filter(|block| block.index() < self.program.blocks.len());
        let mut outwards = std::iter::successors(block, |&at| self.program.blocks[at].parent);
        outwards.find(|&at| matches!(self.program.blocks[at].kind, BlockKind::Loop(_)))
    }
}
