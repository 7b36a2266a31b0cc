//! Parts of a function whose code is not timed, though copies of inlined functions stand in them.
//!
//! What an inlined function does outside machine loops of its own is timed with the code that it was copied into. Where that
//! code is priced from the source, so is what the copy does: nothing else has it.

use super::code::CompiledFunction;
use super::times::Profile;
use chronos_compiled::loops::LoopId;
use chronos_compiled::nest::NestTimes;
use chronos_compiled::object_code::Frame;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The regions of a function (loops, and the function outside its loops, `None`) with how often each runs and whether it has a
/// time.
#[derive(Debug, Default)]
pub(super) struct Regions(BTreeMap<Option<LoopId>, Region>);

#[derive(Clone, Copy, Debug)]
struct Region {
    runs: f64,
    is_timed: bool,
}

impl Regions {
    /// Those of a function, of which `nest` has the times. It is called so many times.
    pub(super) fn of(nest: &NestTimes<'_>, found: &CompiledFunction, profile: &Profile<'_>, calls: f64) -> Self {
        let of_loop = |id: LoopId| match found.matches.get(&id) {
            Some(Ok(matched)) => {
                let counts = profile.of_loop(profile.compiled.scopes[matched.source]);
                let runs = counts.map_or(0.0, |counts| counts.iterations.max(f64::from(u8::from(counts.under_way))));
                Region { runs, is_timed: runs == 0.0 || nest.region(Some(id)).is_ok() }
            }
            // A loop of the compiler's own around others only chooses between them. How often one runs that is not matched is not
            // known: as often as the function is called at least.
            _ => Region { runs: calls, is_timed: !found.code.forest.loops[id].children.is_empty() },
        };
        let mut all: BTreeMap<_, _> = found.code.forest.loops.ids().map(|id| (Some(id), of_loop(id))).collect();
        all.insert(None, Region { runs: calls, is_timed: nest.region(None).is_ok() });
        Self(all)
    }

    /// Whether most of a source loop that was written out is executed where nothing has a time.
    pub(super) fn lose_loop(&self, found: &CompiledFunction, source: usize) -> bool {
        self.lose(found, |at| found.places.of(at).contains(&source))
    }

    /// The same of copies of a function, its loops excluded.
    pub(super) fn lose_body(&self, found: &CompiledFunction, function: &str) -> bool {
        let copied = |frames: &Arc<[Frame]>| frames.last().is_some_and(|frame| *frame.function == *function);
        self.lose(found, |at| found.code.function.frames.get(at).is_some_and(copied))
    }

    fn lose(&self, found: &CompiledFunction, is_of: impl Fn(usize) -> bool) -> bool {
        let executed = |(id, region): (&Option<LoopId>, &Region)| {
            region.runs * found.code.own_instructions(*id).filter(|&at| is_of(at)).count() as f64
        };
        let all: f64 = self.0.iter().map(executed).sum();
        let lost: f64 = self.0.iter().filter(|(_, region)| !region.is_timed).map(executed).sum();
        lost > all / 2.0
    }
}
