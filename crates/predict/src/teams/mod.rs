//! The time of a parallel region (OpenMP): that of its slowest thread between any two barriers.
//!
//! Each thread's part is priced as a segment of its own, with memory and caches shared among the threads of the node. What a
//! schedule hands to whichever thread is free is taken to be spread evenly. Threads that are more than the processors of the
//! task's share of the node wait for one another, and share these fairly. The prices of blocks are those of all threads,
//! scaled so that they add up to the time that passes.

pub mod codes;

use chronos_activity::{ContextId, Interval, Segment, Team};

use chronos_base::diag::Diagnostic;
use chronos_base::units::Nanoseconds;
use chronos_cost::{BARRIER_ALONE_NS, EntryCost, Priced, REGION_ALONE_NS};
use chronos_ir::openmp::LOCK;
use chronos_ir::{BlockId, BlockKind, Callee, InstructionClass, Program};
use chronos_machine::{Machine, ThreadCosts};
use std::collections::{BTreeMap, BTreeSet};

/// What the time of a team depends on, beside the prices of its threads.
pub(crate) struct TeamSetting<'p> {
    pub program: &'p Program,
    pub costs: ThreadCosts,
    /// Processors of the node for each of its tasks; threads beyond share them.
    pub processors: f64,
}

/// What is to be said of threads on a machine: its costs are typical figures, or its processors are fewer than threads.
pub(crate) fn diagnostics(program: &Program, machine: &Machine, tasks: u32) -> Vec<Diagnostic> {
    let Some(openmp) = program.openmp.as_ref().filter(|openmp| openmp.region.is_some() && openmp.threads > 1) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    if machine.threads.is_none() {
        let message = format!(
            "machine `{}` has no costs of OpenMP threads: typical ones of GCC's runtime are taken",
            machine.name
        );
        let help = "`chronos calibrate` measures them with two processors or more; `threads` in the machine file has them: region_ns, \
                    barrier_ns, lock_ns, dispatch_ns (docs/openmp.md)";
        found.push(Diagnostic::note(&codes::THREAD_COSTS, message).help(help));
    }
    let threads = openmp.threads.saturating_mul(tasks.max(1));
    if threads > machine.cores {
        let message = format!("a node has {threads} threads and {} cores: they share these fairly", machine.cores);
        let help = "real runs are slower still where threads wait actively; take fewer threads or tasks per node, or say `cores` \
                    in the machine file";
        found.push(Diagnostic::warning(&codes::OVERSUBSCRIBED, message).help(help));
    }
    found
}

/// The price of all that a team executes; `price` gives that of one thread's part in a team of so many.
pub(crate) fn price(team: &Team, setting: &TeamSetting<'_>, price: &mut dyn FnMut(&Segment, u32) -> Priced) -> Priced {
    let mut sheet = Sheet::default();
    let mut threads = 1;
    for interval in &team.intervals {
        threads = threads.max(u32::try_from(interval.threads.len()).unwrap_or(u32::MAX));
        let parts: Vec<Priced> = interval.threads.iter().map(|part| price(part, threads)).collect();
        let passed = elapsed(interval, &parts, setting);
        let whole: f64 = parts.iter().map(|part| part.total().0).sum();
        let factor = if whole > 0.0 { passed / whole } else { 0.0 };
        parts.iter().for_each(|part| sheet.add(part, factor));
    }
    let overhead = overhead(team, setting, threads);
    if let Some((context, block)) = team.site {
        *sheet.entries.entry((context, block)).or_default().entry(InstructionClass::Library).or_default() += overhead;
    }
    sheet.finish()
}

/// What passes until the last thread has come to the end of the interval.
fn elapsed(interval: &Interval, parts: &[Priced], setting: &TeamSetting<'_>) -> f64 {
    let locks = |part: &Segment| locks(setting.program, part) * setting.costs.lock_ns.0;
    let serialised: f64 = interval.threads.iter().map(locks).sum();
    let time = |(part, priced): (&Segment, &Priced)| priced.total().0 + locks(part);
    let times: Vec<f64> = interval.threads.iter().zip(parts).map(time).collect();
    let whole: f64 = times.iter().sum();
    let threads = times.len().max(1) as f64;
    let slowest = if interval.pieces > 0 {
        // One piece is the least that a thread executes: the last ones wait for a whole one.
        let pieces = interval.pieces as f64;
        (whole / threads).max(whole / pieces) + pieces / threads * setting.costs.dispatch_ns.0
    } else {
        times.iter().copied().fold(0.0, f64::max)
    };
    // The processors that there are execute all of it, and one thread at a time has the lock.
    slowest.max(whole / setting.processors.max(1e-9)).max(serialised)
}

/// What begin, barriers and end take.
fn overhead(team: &Team, setting: &TeamSetting<'_>, threads: u32) -> f64 {
    // The end of the region is a barrier that its own cost has.
    let barriers = team.intervals.len().saturating_sub(1) as f64;
    // What a thread takes alone, its own part has.
    let region = (setting.costs.region(threads).0 - REGION_ALONE_NS).max(0.0);
    region + barriers * (setting.costs.barrier(threads).0 - BARRIER_ALONE_NS).max(0.0)
}

/// How often a thread takes a lock or does something atomically.
fn locks(program: &Program, part: &Segment) -> f64 {
    let taken = |&(_, counter, count): &(ContextId, chronos_ir::CounterId, chronos_activity::Count)| {
        let BlockKind::Call(call) = &program.blocks[program.block_of(counter)].kind else { return None };
        let (Callee::Library(name) | Callee::Mpi(name)) = &call.callee else { return None };
        // Entering and leaving are calls of their own.
        let share = match &**name {
            "__chronos_omp_critical" => 0.5,
            "__chronos_omp_atomic" | "omp_set_lock" | LOCK => 1.0,
            _ => return None,
        };
        Some(count.as_f64()? * share)
    };
    part.counts.iter().filter_map(taken).sum()
}

/// Prices of all threads, as they come together.
#[derive(Default)]
struct Sheet {
    entries: BTreeMap<(ContextId, BlockId), BTreeMap<InstructionClass, f64>>,
    unknown: BTreeSet<BlockId>,
    rows: Vec<(chronos_cost::UnknownRows, chronos_base::span::Span)>,
}

impl Sheet {
    fn add(&mut self, part: &Priced, factor: f64) {
        for entry in &part.entries {
            let classes = self.entries.entry((entry.context, entry.block)).or_default();
            for &(class, time) in &entry.classes {
                *classes.entry(class).or_default() += time.0 * factor;
            }
        }
        self.unknown.extend(part.unknown.iter().copied());
        part.rows.iter().for_each(|row| {
            if !self.rows.contains(row) {
                self.rows.push(*row);
            }
        });
    }

    fn finish(self) -> Priced {
        let entry = |((context, block), classes): ((ContextId, BlockId), BTreeMap<InstructionClass, f64>)| {
            let classes: Vec<_> = classes.into_iter().map(|(class, ns)| (class, Nanoseconds(ns))).collect();
            EntryCost { context, block, time: classes.iter().map(|&(_, time)| time).sum(), classes }
        };
        let entries = self.entries.into_iter().map(entry).collect();
        Priced { entries, unknown: self.unknown.into_iter().collect(), rows: self.rows }
    }
}

#[cfg(test)]
mod tests {
    use super::{TeamSetting, price};
    use chronos_activity::{ContextId, Count, Interval, Segment, Team};
    use chronos_base::span::{FileId, Span};
    use chronos_base::units::Nanoseconds;
    use chronos_cost::{EntryCost, Priced};
    use chronos_ir::{BlockId, CounterId, InstructionClass, Program, Straight};
    use chronos_machine::ThreadCosts;

    /// Times of the threads between barriers, in nanoseconds, with the number of pieces that are not bound.
    fn check(intervals: &[(&[u128], u64)], processors: f64) -> f64 {
        let part =
            |&n: &u128| Segment { counts: vec![(ContextId(0), CounterId(0), Count::exact(n))], ..Segment::default() };
        let interval =
            |&(times, pieces): &(&[u128], u64)| Interval { threads: times.iter().map(part).collect(), pieces };
        let team = Team { site: None, intervals: intervals.iter().map(interval).collect() };
        let program = one_block();
        let setting = TeamSetting { program: &program, costs: ThreadCosts::default(), processors };
        let priced = price(&team, &setting, &mut |part, _| {
            let time = Nanoseconds(part.counts[0].2.as_f64().unwrap_or(0.0));
            let entry = EntryCost {
                context: ContextId(0),
                block: BlockId(0),
                time,
                classes: vec![(InstructionClass::Library, time)],
            };
            Priced { entries: vec![entry], ..Priced::default() }
        });
        priced.total().0.round()
    }

    fn one_block() -> Program {
        let mut program = Program::default();
        program.blocks.push(chronos_ir::Block {
            function: chronos_ir::FuncId(0),
            parent: None,
            span: Span::line(FileId(0), 1),
            kind: chronos_ir::BlockKind::Straight(Straight { label: None, ops: Vec::new() }),
            first_counter: CounterId(0),
        });
        program
    }

    #[test]
    fn the_slowest_thread_decides_between_barriers() {
        assert_eq!(check(&[(&[100, 300], 0)], 2.0), 300.0);
        assert_eq!(check(&[(&[100, 300], 0), (&[300, 100], 0)], 2.0), 600.0);
    }

    #[test]
    fn pieces_go_to_whoever_is_free() {
        // 60 ns for handing out each of 1000 pieces, by two threads.
        assert_eq!(check(&[(&[100_000, 300_000], 1000)], 2.0), 230_000.0);
        // Of three pieces the longest takes a third.
        assert_eq!(check(&[(&[300, 0, 0, 0], 3)], 4.0), 145.0);
    }

    #[test]
    fn threads_share_the_processors_that_there_are() {
        assert_eq!(check(&[(&[100, 100, 100, 100], 0)], 2.0), 200.0);
    }
}
