//! What the scopes of contexts took, by their counts: evaluations of one program price the same segments again and again, for
//! each network that they are replayed on, and reports ask what bounds their loops.
//!
//! Times follow from the counts of a context and of its whole segment alone, so that what is known is what would be found
//! again. It must not know how they are found.

use super::scopes::CompiledTimes;
use chronos_base::hash::FxHashMap;
use chronos_ir::CounterId;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Times by counts; all that price the program on the machine share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct KnownTimes(Arc<Mutex<Known>>);

#[derive(Debug, Default)]
struct Known {
    times: FxHashMap<Box<[u64]>, Arc<CompiledTimes>>,
    /// Words of all keys.
    words: usize,
}

/// Words of keys that are kept at most. Where there are more, the first ones are kept: all are asked for again from the first
/// on, so that of the latest ones none would be left when it is.
const MOST_WORDS: usize = 1 << 21;

impl KnownTimes {
    /// The times of a context with these counts, in a segment with these, found once. Two that ask at the same time both find
    /// them, and find the same.
    pub(crate) fn get(
        &self,
        own: &FxHashMap<CounterId, f64>,
        all: &FxHashMap<CounterId, f64>,
        find: impl FnOnce() -> CompiledTimes,
    ) -> Arc<CompiledTimes> {
        let key = key(own, all);
        if let Some(known) = self.known().times.get(&key) {
            return Arc::clone(known);
        }
        let found = Arc::new(find());
        self.known().add(key, Arc::clone(&found));
        found
    }

    /// Nothing that is kept here can be left half changed.
    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    fn add(&mut self, key: Box<[u64]>, found: Arc<CompiledTimes>) {
        if self.words + key.len() <= MOST_WORDS {
            self.words += key.len();
            self.times.insert(key, found);
        }
    }
}

/// How a counter of a segment stands in a context: as in the whole segment, with another count, or not.
const ALIKE: u64 = 0;
const OTHERWISE: u64 = 1 << 32;
const ABSENT: u64 = 2 << 32;

/// The counters of a segment in their order, each with its count, and with that of the context where it is another one.
fn key(own: &FxHashMap<CounterId, f64>, all: &FxHashMap<CounterId, f64>) -> Box<[u64]> {
    let mut sorted: Vec<(CounterId, f64)> = all.iter().map(|(counter, count)| (*counter, *count)).collect();
    sorted.sort_unstable_by_key(|entry| entry.0);
    let mut key = Vec::with_capacity(2 * sorted.len() + own.len());
    for (counter, count) in sorted {
        let (number, count) = (u64::from(counter.0), count.to_bits());
        match own.get(&counter).map(|own| own.to_bits()) {
            Some(own) if own == count => key.extend([number | ALIKE, count]),
            Some(own) => key.extend([number | OTHERWISE, count, own]),
            None => key.extend([number | ABSENT, count]),
        }
    }
    key.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(all: &[(u32, f64)]) -> FxHashMap<CounterId, f64> {
        all.iter().map(|&(counter, count)| (CounterId(counter), count)).collect()
    }

    #[test]
    fn keys_tell_all_counts_of_a_context_and_of_its_segment() {
        let (one, two) = (counts(&[(1, 2.0)]), counts(&[(1, 2.0), (7, 0.5)]));
        assert_eq!(&*key(&one, &one), &[1 | ALIKE, 2.0f64.to_bits()]);
        assert_eq!(&*key(&one, &two), &[1 | ALIKE, 2.0f64.to_bits(), 7 | ABSENT, 0.5f64.to_bits()]);
        let more = counts(&[(1, 3.0)]);
        assert_eq!(&*key(&one, &more), &[1 | OTHERWISE, 3.0f64.to_bits(), 2.0f64.to_bits()]);
        assert_ne!(key(&two, &two), key(&one, &two));
        assert_ne!(key(&one, &one), key(&more, &more));
    }

    #[test]
    fn what_is_known_is_bounded() {
        let mut known = Known::default();
        for number in 0..MOST_WORDS as u64 {
            known.add([1, number, 0].into(), Arc::default());
        }
        assert!(known.words <= MOST_WORDS && known.times.len() <= MOST_WORDS / 3);
    }
}
