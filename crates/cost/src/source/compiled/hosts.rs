//! Parts of a function whose code is not timed, though copies of inlined functions stand in them.
//!
//! What an inlined function does outside machine loops of its own is timed with the code that it was copied into. Where that
//! code is priced from the source, so is what the copy does: nothing else has it.

use super::code::CompiledFunction;
use super::times::Profile;
use chronos_compiled::loops::LoopId;
use chronos_compiled::nest::NestTimes;
use chronos_compiled::object_code::Frame;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Regions that run and have no time: loops, and the function outside its loops (`None`).
#[derive(Debug, Default)]
pub(super) struct LostRegions(BTreeSet<Option<LoopId>>);

impl LostRegions {
    /// Those of a function, of which `nest` has the times.
    pub(super) fn of(nest: &NestTimes<'_>, found: &CompiledFunction, profile: &Profile<'_>) -> Self {
        let is_lost = |id: LoopId| match found.matches.get(&id) {
            Some(Ok(matched)) => {
                let counts = profile.of_loop(profile.compiled.scopes[matched.source]);
                counts.is_some_and(|counts| counts.iterations > 0.0 || counts.under_way)
                    && nest.region(Some(id)).is_err()
            }
            // A loop of the compiler's own around others only chooses between them.
            _ => found.code.forest.loops[id].children.is_empty(),
        };
        let mut lost: BTreeSet<_> = found.code.forest.loops.ids().filter(|&id| is_lost(id)).map(Some).collect();
        if nest.region(None).is_err() {
            lost.insert(None);
        }
        Self(lost)
    }

    /// Whether instructions of a source loop stand in them.
    pub(super) fn have_loop(&self, found: &CompiledFunction, source: usize) -> bool {
        self.have(found, |at| found.places.of(at).contains(&source))
    }

    /// Whether instructions of copies of a function stand in them, those of its loops excluded.
    pub(super) fn have_body(&self, found: &CompiledFunction, function: &str) -> bool {
        let copied = |frames: &Arc<[Frame]>| frames.last().is_some_and(|frame| *frame.function == *function);
        self.have(found, |at| found.code.function.frames.get(at).is_some_and(copied))
    }

    fn have(&self, found: &CompiledFunction, is_of: impl Fn(usize) -> bool) -> bool {
        self.0.iter().any(|&region| found.code.own_instructions(region).any(&is_of))
    }
}
