//! From the counts of a segment to its time: scopes are timed one by one, and their time is shared out over blocks.

use crate::source::compiled::Totals;
use crate::source::memory::lines::{walk_cycles, walked_pages};
use crate::source::model::Source;
use crate::source::objects::first_touch::{Memory, PAGE};
use crate::source::price::loop_time::{scope_time, summed};
use crate::source::price::unknown_rows::{DECISIVE, assumed_rows};
use crate::source::profile::counts::{ExecutionCounts, trips};
use crate::source::profile::row_lengths::learn_row_lengths;
use crate::{EntryCost, Priced, Reuse, UnknownRows};
use chronos_activity::{ContextId, Count, Segment};
use chronos_base::hash::FxHashSet;
use chronos_base::span::Span;
use chronos_base::units::Nanoseconds;
use chronos_ir::{BlockId, CounterId, InstructionClass};
use std::collections::{BTreeMap, BTreeSet};

/// The time of one execution of a segment: the times of its scopes, shared out over their blocks.
pub(crate) fn price_segment(model: &Source, segment: &Segment, reuse: &Reuse) -> Priced {
    model.sizes.learn(segment);
    let mut sheet = BlockTimes::default();
    let mut rest: &[(ContextId, CounterId, Count)] = &segment.counts;
    let totals = Totals::new(model, segment);
    while let Some(&(context, ..)) = rest.first() {
        let (here, later) = rest.split_at(rest.partition_point(|entry| entry.0 == context));
        let counts = ExecutionCounts::of_context(segment, context).after(reuse).timed(model, &totals);
        context_counts(model, context, here, &counts, &mut sheet);
        rest = later;
    }
    for &(context, block, bytes) in &segment.volumes {
        if model.touches.calls.contains(&block) {
            sheet.add(context, block, InstructionClass::Store, bytes / PAGE * model.costs.page_fault(bytes));
        } else {
            sheet.add(context, block, InstructionClass::Library, model.sum.per_byte(block).0 * bytes);
        }
    }
    sheet.finish(model.costs.ns_per_cycle)
}

fn context_counts(
    model: &Source,
    context: ContextId,
    entries: &[(ContextId, CounterId, Count)],
    counts: &ExecutionCounts,
    sheet: &mut BlockTimes,
) {
    let mut scopes = BTreeSet::new();
    for &(_, counter, count) in entries {
        let block = model.blocks[counter.0 as usize];
        let Some(number) = count.as_f64() else {
            sheet.unknown.insert(block);
            continue;
        };
        match model.scope_of[counter.0 as usize] {
            Some(scope) => drop(scopes.insert(scope)),
            None if model.free_calls[block.0 as usize] => {}
            // Calls; and of optimised branches, how often each arm is taken costs nothing.
            None => {
                for &(class, time) in model.sum.unit(counter) {
                    sheet.add(context, block, class, time.0 * number);
                }
            }
        }
    }
    learn_row_lengths(model, context, counts, &scopes);
    for scope in scopes {
        scope_entries(model, scope as usize, context, counts, sheet);
        first_touches(model, scope as usize, context, counts, sheet);
        sheet.assume(assumed_rows(model, scope as usize, counts));
    }
}

/// The pages that a scope is the first to write, in the first context that executes it. The system clears a page just
/// before it is written, so its lines come from no farther than the second level (64 MiB: 1345 ns a page touched, 1400
/// written as a whole).
fn first_touches(model: &Source, index: usize, context: ContextId, counts: &ExecutionCounts, sheet: &mut BlockTimes) {
    let scope = &model.scopes[index];
    let Some(&(block, counter, _)) = scope.blocks.first() else { return };
    let Some(touches) = model.touches.scopes.get(&index) else { return };
    let time = scope_time(model, index, counts);
    let mut waits = (time.total - time.misprediction - time.recurrence.max(time.throughput)).max(0.0);
    for touch in touches {
        if counts.of(counter) > 0.0 && sheet.touched.insert(touch.object) {
            let pages = walked_pages(model, index, counts, &scope.accesses[touch.access]);
            // An object has no more pages than its bytes fill.
            let pages = pages.min(touch.bytes / PAGE);
            let walk = walk_cycles(model, index, counts, &scope.accesses[touch.access], pages).min(waits);
            waits -= walk;
            let ns = pages * model.costs.page_fault(pages * PAGE) - walk * model.costs.ns_per_cycle;
            let ns = ns.max(0.0);
            sheet.add(context, scope.header.unwrap_or(block), InstructionClass::Store, ns);
        }
    }
}

/// The time of a scope, shared out over its blocks.
fn scope_entries(model: &Source, index: usize, context: ContextId, counts: &ExecutionCounts, sheet: &mut BlockTimes) {
    let shares = shares(model, index, counts);
    // The loop is timed as a whole: blocks get shares by what they execute.
    let time = scope_time(model, index, counts).total * model.costs.ns_per_cycle;
    let weight: f64 = shares.iter().map(|&(_, _, weight)| weight).sum();
    if weight > 0.0 {
        shares.into_iter().for_each(|(block, class, part)| sheet.add(context, block, class, time * part / weight));
    } else if let Some(header) = model.scopes[index].header.or_else(|| Some(model.scopes[index].blocks.first()?.0)) {
        sheet.add(context, header, InstructionClass::Branch, time);
    }
}

fn shares(model: &Source, index: usize, counts: &ExecutionCounts) -> Vec<(BlockId, InstructionClass, f64)> {
    let scope = &model.scopes[index];
    let mut shares = Vec::new();
    if !model.profile.optimises {
        for (block, counter) in summed(model, scope) {
            let number = counts.of(counter);
            shares.extend(model.sum.unit(counter).iter().map(|(class, time)| (block, *class, time.0 * number)));
        }
        return shares;
    }
    for (block, counter, share) in &scope.blocks {
        let number = counts.of(*counter);
        shares.extend(share.classes.iter().map(|(class, cycles)| (*block, *class, cycles * number)));
    }
    if let Some((header, _, entries)) = trips(model, index, counts) {
        shares.extend(scope.hoisted.classes.iter().map(|(class, cycles)| (header, *class, cycles * entries)));
    }
    shares.retain(|share| share.2 > 0.0);
    shares
}

/// What blocks cost, as it comes together.
#[derive(Default)]
struct BlockTimes {
    entries: BTreeMap<(ContextId, BlockId), BTreeMap<InstructionClass, f64>>,
    unknown: BTreeSet<BlockId>,
    /// Objects whose first touch is charged.
    touched: FxHashSet<Memory>,
    /// Cycles that rows which are taken to lie one beside the other would take longer apart.
    rows: BTreeMap<(UnknownRows, Span), f64>,
}

impl BlockTimes {
    fn add(&mut self, context: ContextId, block: BlockId, class: InstructionClass, ns: f64) {
        *self.entries.entry((context, block)).or_default().entry(class).or_default() += ns;
    }

    fn assume(&mut self, rows: Vec<(UnknownRows, Span, f64)>) {
        for (rows, at, longer) in rows {
            *self.rows.entry((rows, at)).or_default() += longer;
        }
    }

    fn finish(self, ns_per_cycle: f64) -> Priced {
        let entry = |((context, block), classes): ((ContextId, BlockId), BTreeMap<InstructionClass, f64>)| {
            let classes: Vec<_> = classes.into_iter().map(|(class, ns)| (class, Nanoseconds(ns))).collect();
            EntryCost { context, block, time: classes.iter().map(|&(_, time)| time).sum(), classes }
        };
        let entries: Vec<EntryCost> = self.entries.into_iter().map(entry).collect();
        let total: Nanoseconds = entries.iter().map(|entry| entry.time).sum();
        let decisive = |longer: f64| longer * ns_per_cycle > DECISIVE * total.0;
        let rows = self.rows.into_iter().filter(|&(_, longer)| decisive(longer)).map(|(rows, _)| rows).collect();
        Priced { entries, unknown: self.unknown.into_iter().collect(), rows }
    }
}
