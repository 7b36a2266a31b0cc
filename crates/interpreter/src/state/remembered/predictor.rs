//! A branch predictor that watches what is followed operation by operation: how often a branch goes another way than
//! its history suggests, which counts alone do not tell.
//!
//! It is a small predictor of the kind that processors have had since about 2013: a table by branch, and tables by
//! branch and ever longer histories of all branches (A. Seznec and P. Michaud, A case for (partially) tagged geometric
//! history length branch prediction, JILP 8, 2006). What branches do is watched as a whole at first, later now and then.
//! It must not know time, nor which branches a compiler leaves.

use chronos_activity::{ContextId, Mispredicted, Segment};
use chronos_base::hash::FxHashMap;
use chronos_base::ids::Id;
use chronos_ir::{BlockId, Program};

/// Branches in each history; none in the table by branch.
const HISTORIES: [u32; 5] = [6, 14, 32, 70, 128];
/// Entries of one table, as a power of two: with as many, sequences of 16,384 random branches that repeat are learnt, as a Zen 5
/// learns them (of 32,768 it does not), and the tables take 400 KB.
const TABLE_BITS: u32 = 14;
const SIZE: usize = 1 << TABLE_BITS;
/// How sure an entry gets.
const SUREST: u8 = 3;

/// Branches that are watched first.
const FIRST: u32 = 1 << 19;
/// Later, of each period, so many are watched, the first [`WARMING`] of them only to learn. Each period is twice as long as the one
/// before, up to the last one: what goes on for long is seen often enough.
const PERIOD: u32 = 1 << 17;
const LAST_PERIOD: u32 = 1 << 20;
const WATCHED: u32 = 1 << 14;
const WARMING: u32 = 1 << 12;

#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    tag: u16,
    way: u8,
    sure: u8,
}

/// What became of the evaluations of one branch in one context.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Seen {
    evaluations: u32,
    missed: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Counting,
    Learning,
    Resting,
}

/// The predictor of all tasks of an evaluation.
#[derive(Clone, Debug)]
pub(crate) struct Predictor {
    /// Ways of all branches so far, the last one in the lowest bits.
    history: u128,
    /// By branch.
    base: Box<[Entry; SIZE]>,
    /// By branch and history, the shortest first.
    tables: Box<[Entry; SIZE * HISTORIES.len()]>,
    phase: Phase,
    /// Branches until the phase ends.
    left: u32,
    /// Branches of the next period.
    period: u32,
    /// Chooses where to learn.
    draw: u32,
    /// What was last predicted as surely as can be, and rightly: block, way and the history before. There is nothing to
    /// learn from the same again, as every turn of a long loop is.
    surest: (usize, u8, u128),
    /// By block: the context that it was last counted in, and what was counted there since.
    recent: Vec<(ContextId, Seen)>,
    /// Blocks with something in `recent`.
    touched: Vec<u32>,
    known: FxHashMap<(ContextId, BlockId), Record>,
    /// Of all branches so far that were watched.
    missed: u64,
}

/// What is known of a branch in a context: all that was seen, and what was seen last, when the predictor had learnt.
#[derive(Clone, Copy, Debug, Default)]
struct Record {
    all: Sum,
    /// The last evaluations that are enough to tell.
    late: Sum,
    /// What came after those.
    latest: Sum,
}

#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    evaluations: u64,
    missed: u64,
}

impl Sum {
    fn add(&mut self, seen: Seen) {
        self.evaluations += u64::from(seen.evaluations);
        self.missed += u64::from(seen.missed);
    }

    fn share(self) -> f64 {
        self.missed as f64 / self.evaluations.max(1) as f64
    }
}

/// Of the evaluations so far, the last ones in this number tell how the others go on: few, because a period of a loop
/// that repeats is not followed for long.
const TELLING: u64 = 64;

impl Record {
    fn add(&mut self, seen: Seen) {
        self.all.add(seen);
        self.latest.add(seen);
        if self.latest.evaluations * TELLING >= self.all.evaluations {
            self.late = std::mem::take(&mut self.latest);
        }
    }

    /// The share of so many evaluations, of which those that were seen are a part: the others go on as the last ones.
    fn share_of(&self, evaluations: f64) -> f64 {
        let others = evaluations - self.all.evaluations as f64;
        if others <= 0.0 {
            return self.all.share();
        }
        (self.all.missed as f64 + others * self.late.share()) / evaluations
    }
}

/// How often the branches and conditions of loops are evaluated in an activity, by context.
pub(crate) type Evaluations = FxHashMap<(ContextId, BlockId), f64>;

impl Predictor {
    /// For programs of so many blocks.
    pub fn new(blocks: usize) -> Self {
        Self {
            history: 0,
            base: entries(),
            tables: entries(),
            phase: Phase::Counting,
            left: FIRST,
            period: PERIOD,
            draw: 1,
            surest: (usize::MAX, 0, 0),
            recent: vec![(ContextId(0), Seen::default()); blocks],
            touched: Vec::new(),
            known: FxHashMap::default(),
            missed: 0,
        }
    }

    /// A branch or the end of a loop, block `block`, goes a way: 0 where no arm is taken or the loop ends.
    #[inline(always)]
    pub fn see(&mut self, context: ContextId, block: usize, way: u8) {
        self.left -= 1;
        if self.phase == Phase::Resting {
            self.history = self.history << 1 | u128::from(way & 1);
        } else {
            self.watch(context, block, way);
        }
        if self.left == 0 {
            self.next_phase();
        }
    }

    /// Nobody asks what it knows.
    pub(crate) fn rest(&mut self) {
        (self.phase, self.left) = (Phase::Resting, u32::MAX);
    }

    /// How many branches may pass unseen: they are not watched, and the ways of all that its histories reach back to are
    /// seen again before they are.
    pub(crate) fn unwatched(&self) -> u32 {
        let longest = u128::BITS + 1;
        if self.phase == Phase::Resting { self.left.saturating_sub(longest) } else { 0 }
    }

    /// So many branches have passed unseen.
    pub(crate) fn pass(&mut self, branches: u32) {
        self.left -= branches.min(self.unwatched());
    }

    fn next_phase(&mut self) {
        (self.phase, self.left) = match self.phase {
            Phase::Counting => {
                let period = self.period;
                self.period = (period * 2).min(LAST_PERIOD);
                (Phase::Resting, period - WATCHED)
            }
            Phase::Resting => (Phase::Learning, WARMING),
            Phase::Learning => (Phase::Counting, WATCHED - WARMING),
        };
    }

    #[inline(never)]
    fn watch(&mut self, context: ContextId, block: usize, way: u8) {
        let missed = self.surest != (block, way, self.history) && self.learn(block, way);
        // A switch tells more than one bit.
        let bits = if way > 1 { 3 } else { 1 };
        self.history = self.history << bits | u128::from(way & 7);
        if self.phase == Phase::Counting {
            self.count(context, block, missed);
        }
    }

    fn count(&mut self, context: ContextId, block: usize, missed: bool) {
        let Some((of, seen)) = self.recent.get_mut(block) else { return };
        if seen.evaluations == 0 {
            self.touched.push(block as u32);
        } else if *of != context {
            settle(&mut self.known, *of, block, std::mem::take(seen));
        }
        *of = context;
        seen.evaluations += 1;
        seen.missed += u32::from(missed);
    }

    /// Whether the way was not the predicted one; corrects what led to the prediction.
    fn learn(&mut self, block: usize, way: u8) -> bool {
        let slots: [_; HISTORIES.len()] = std::array::from_fn(|table| self.slot(block, table));
        let mut tagged = 0u32;
        for (table, &(at, tag)) in slots.iter().enumerate() {
            tagged |= u32::from(self.tables[at].tag == tag) << table;
        }
        let provider = tagged.checked_ilog2().map(|table| table as usize);
        let entry = match provider {
            Some(table) => &mut self.tables[slots[table].0],
            None => &mut self.base[block % SIZE],
        };
        let Entry { sure, .. } = *entry;
        let mut missed = correct(entry, way);
        let is_surest = !missed && sure == SUREST;
        self.surest = (if is_surest { block } else { usize::MAX }, way, self.history);
        if let (Some(table), 0) = (provider, sure) {
            // A new entry has proved nothing yet.
            missed = correct(
                match (tagged ^ 1 << table).checked_ilog2() {
                    Some(second) => &mut self.tables[slots[second as usize].0],
                    None => &mut self.base[block % SIZE],
                },
                way,
            );
        }
        if missed {
            self.missed += 1;
            self.allocate(&slots, provider.map_or(0, |table| table + 1), way);
        }
        missed
    }

    /// Learns a longer history: the shortest free one behind `from`, or a longer one now and then.
    fn allocate(&mut self, slots: &[(usize, u16)], from: usize, way: u8) {
        self.draw = self.draw.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let from = if self.draw >> 30 == 0 { from + 1 } else { from };
        for &(at, tag) in slots.iter().skip(from) {
            let entry = &mut self.tables[at];
            if entry.sure == 0 {
                *entry = Entry { tag, way, sure: 0 };
                return;
            }
            entry.sure -= 1;
        }
    }

    /// Where a table keeps a branch with its history, and by which tag.
    #[inline(always)]
    fn slot(&self, block: usize, table: usize) -> (usize, u16) {
        let length = HISTORIES[table];
        let history = if length < 128 { self.history & ((1 << length) - 1) } else { self.history };
        let folded = (history as u64) ^ ((history >> 64) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        // The highest bits of a product depend on all of its factor's: index and tag are taken from there.
        let hash = (folded ^ (block as u64).rotate_left(40)).wrapping_mul(0xff51_afd7_ed55_8ccd);
        let index = (hash >> (64 - TABLE_BITS)) as usize;
        ((table << TABLE_BITS) + index, (hash >> (48 - TABLE_BITS)) as u16 | 1)
    }

    /// What is known of the branches of a segment so far.
    pub(crate) fn of_segment(&self, segment: &Segment, program: &Program) -> Vec<Mispredicted> {
        self.shares(segment, program, |_, record| record.all.share())
    }

    /// What is known of them at the end of an activity that evaluates branches so often.
    pub(crate) fn of_whole(
        &self,
        evaluations: &Evaluations,
        segment: &Segment,
        program: &Program,
    ) -> Vec<Mispredicted> {
        self.shares(segment, program, |key, record| record.share_of(evaluations.get(key).copied().unwrap_or(0.0)))
    }

    /// How many branches went another way than predicted, of those that were watched.
    pub(crate) fn missed(&self) -> u64 {
        self.missed
    }

    /// Whether anything is known of any branch.
    pub(crate) fn has_seen_any(&mut self) -> bool {
        self.settle_all();
        !self.known.is_empty()
    }

    /// What was seen up to here is one sample of each branch.
    pub(crate) fn settle_all(&mut self) {
        for block in std::mem::take(&mut self.touched) {
            let (context, seen) = &mut self.recent[block as usize];
            settle(&mut self.known, *context, block as usize, std::mem::take(seen));
        }
    }

    fn shares(
        &self,
        segment: &Segment,
        program: &Program,
        share: impl Fn(&(ContextId, BlockId), &Record) -> f64,
    ) -> Vec<Mispredicted> {
        let mut found: Vec<Mispredicted> = Vec::new();
        for &(context, counter, _) in &segment.counts {
            let key = (context, program.block_of(counter));
            if found.last().is_some_and(|last| (last.context, last.block) == key) {
                continue;
            }
            if let Some(record) = self.known.get(&key) {
                found.push(Mispredicted { context, block: key.1, share: share(&key, record) });
            }
        }
        found
    }
}

fn settle(known: &mut FxHashMap<(ContextId, BlockId), Record>, context: ContextId, block: usize, seen: Seen) {
    known.entry((context, BlockId::new(block))).or_default().add(seen);
}

fn entries<const N: usize>() -> Box<[Entry; N]> {
    let entries = vec![Entry::default(); N].into_boxed_slice();
    // Made with this length in the line above; an array would lie on the stack first.
    entries.try_into().unwrap_or_else(|_| unreachable!("a slice of N entries"))
}

/// Whether the entry names another way; it comes nearer to naming this one.
#[inline(always)]
fn correct(entry: &mut Entry, way: u8) -> bool {
    let missed = entry.way != way;
    match (missed, entry.sure) {
        (false, _) => entry.sure = (entry.sure + 1).min(SUREST),
        (true, 0) => entry.way = way,
        (true, _) => entry.sure -= 1,
    }
    missed
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Share of the evaluations after the first 4000 that go another way than predicted.
    fn check(way: impl Fn(u32) -> u8) -> f64 {
        let mut predictor = Predictor::new(2);
        let missed = |predictor: &mut Predictor, n: u32| predictor.learn(1, way(n));
        let mut sum = 0;
        for n in 0..20_000 {
            let wrong = missed(&mut predictor, n);
            predictor.history = predictor.history << 1 | u128::from(way(n) & 1);
            sum += u32::from(wrong && n >= 4000);
        }
        f64::from(sum) / 16_000.0
    }

    fn random(n: u32) -> u32 {
        let x = u64::from(n).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        ((x ^ x >> 31).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 40) as u32
    }

    #[test]
    fn patterns_are_learnt_and_chance_is_not() {
        assert!(check(|n| u8::from(n % 8 == 3)) < 0.002);
        assert!(check(|n| u8::from(n % 37 < 5)) < 0.002);
        assert!(check(|n| u8::from(n / 1000 % 2 == 0)) < 0.01);
        assert!((0.45..0.55).contains(&check(|n| (random(n) & 1) as u8)));
        // Of rare ways, the rare ones are missed.
        assert!((0.05..0.09).contains(&check(|n| u8::from(random(n) & 15 == 0))));
        // Which of five cases comes.
        assert!(check(|n| (n % 5) as u8) < 0.002);
    }

    #[test]
    fn what_is_seen_is_kept_by_context() {
        let mut predictor = Predictor::new(3);
        for n in 0..1000 {
            predictor.see(ContextId(0), 1, 1);
            predictor.see(ContextId(1), 1, (random(n) & 1) as u8);
        }
        predictor.settle_all();
        let of = |context| predictor.known[&(ContextId(context), BlockId(1))].all;
        assert!(of(0).evaluations == 1000 && of(0).missed < 100, "{:?}", of(0));
        assert!(of(1).evaluations == 1000 && of(1).missed > 350, "{:?}", of(1));
    }

    /// Ten samples of 100 evaluations, of which only the first misses: a thousand more go on as the later ones.
    #[test]
    fn what_is_not_seen_goes_on_as_the_latest() {
        let mut record = Record::default();
        for sample in 0..10 {
            record.add(Seen { evaluations: 100, missed: if sample == 0 { 50 } else { 0 } });
        }
        assert_eq!(record.share_of(1000.0), 0.05);
        assert_eq!(record.share_of(2000.0), 0.025);
        let mut steady = Record::default();
        (0..10).for_each(|_| steady.add(Seen { evaluations: 100, missed: 20 }));
        assert_eq!(steady.share_of(1e6), 0.2);
    }
}
