//! Which ways a region takes, and how often its loops run, by the counts of the source.

use super::ExecutionProfile;
use super::judge::RegionJudge;
use super::ways::{Step, Way, ways};
use crate::code::FunctionCode;
use crate::loops::LoopId;
use crate::matching::{LoopMatches, Places, SourceFunctions};
use std::collections::BTreeMap;

/// A way of a region with its weight and the iterations of the loops on it.
#[derive(Clone, Debug)]
pub struct Execution {
    /// How often the way is taken, of 1.
    pub weight: f64,
    /// Its steps.
    pub(super) steps: Vec<Step>,
    /// Iterations of each loop on it, each time the way is taken.
    pub trips: BTreeMap<LoopId, f64>,
    /// Iterations of source loops that stand in its blocks, by source loop.
    pub written_out: BTreeMap<usize, f64>,
}

/// How one execution of a region goes.
#[derive(Clone, Debug, Default)]
pub struct RegionPlan {
    /// The ways it takes.
    pub executions: Vec<Execution>,
    /// Iterations that no way brings, of all elements of the loops inside: what the plan is wrong by.
    pub missed: f64,
    /// Loops that run, and that none of these ways comes to.
    apart: BTreeMap<LoopId, Visit>,
}

/// How often a loop inside a region runs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Visit {
    /// Iterations of the machine loop in one execution of the region.
    pub iterations: f64,
    /// Executions of the region's that come to loops of the same source loop, of 1.
    pub reached: f64,
}

/// Everything that says how a machine function runs.
#[derive(Clone, Copy)]
pub struct Situation<'a> {
    /// The function.
    pub code: &'a FunctionCode,
    /// What its loops are of the source.
    pub matches: &'a LoopMatches,
    /// Loops and blocks of the source.
    pub source: &'a SourceFunctions,
    /// Where instructions come from.
    pub places: &'a Places,
    /// How often the source runs.
    pub profile: &'a dyn ExecutionProfile,
}

/// Ways that miss as many elements of the source but for this bring as many iterations.
pub(super) const EQUAL: f64 = 0.25;

/// Plans one execution of a region.
pub fn plan(situation: &Situation<'_>, id: Option<LoopId>) -> RegionPlan {
    let judge = RegionJudge::new(situation, id);
    let found = ways(situation.code, id, &judge);
    let Some(missed) = found.first().map(|(_, penalty)| *penalty) else { return RegionPlan::default() };
    // Ways that bring as many iterations are told apart by their probabilities alone.
    let equal: Vec<Way> =
        found.into_iter().filter(|(_, penalty)| *penalty < missed + EQUAL).map(|(way, _)| way).collect();
    let mut executions = judge.likely(&equal);
    judge.bring_left_out(&mut executions, &equal, missed);
    let apart = judge.apart(&executions);
    RegionPlan { executions, missed, apart }
}

impl RegionPlan {
    /// Iterations of source loops that stand in blocks, in one execution of the region.
    pub fn written_out(&self) -> BTreeMap<usize, f64> {
        let mut all = BTreeMap::new();
        for execution in &self.executions {
            for (source, iterations) in &execution.written_out {
                *all.entry(*source).or_default() += execution.weight * iterations;
            }
        }
        all
    }

    /// How often the loops inside run.
    pub fn visits(&self, matches: &LoopMatches) -> BTreeMap<LoopId, Visit> {
        // Copies that are inlined by other calls have entries of their own.
        let matched = |id: &LoopId| matches.get(id).and_then(|found| found.as_ref().ok());
        let source = |id: &LoopId| matched(id).map(|found| (found.source, found.inlined_by));
        let mut visits: BTreeMap<LoopId, Visit> = BTreeMap::new();
        for execution in &self.executions {
            for (id, trips) in &execution.trips {
                visits.entry(*id).or_default().iterations += execution.weight * trips;
            }
        }
        for (id, visit) in &mut visits {
            let comes = |execution: &&Execution| {
                execution
                    .trips
                    .keys()
                    .any(|other| other == id || (source(other).is_some() && source(other) == source(id)))
            };
            visit.reached = self.executions.iter().filter(comes).map(|execution| execution.weight).sum();
        }
        visits.extend(&self.apart);
        visits
    }
}
