//! Which objects of a task something is known of, by their origin, so that a store through an unknown pointer need not
//! look at all objects again and again: programs with tens of thousands of allocations store so in loops.
//!
//! Nothing is followed before the first such store. Must not know what objects hold.

use chronos_base::hash::FxHashMap;
use chronos_values::{ObjectId, Origin};

/// Objects that are followed without having been sorted by origin, at most; a program that allocates more between two
/// such stores is looked through anew.
const MOST_UNSORTED: usize = 1 << 16;

#[derive(Clone, Debug, Default)]
pub(crate) struct KnownObjects {
    followed: Option<Box<Followed>>,
}

#[derive(Clone, Debug, Default)]
struct Followed {
    /// Each object of which something may be known is here or among those that are not sorted; others may be as well.
    by_origin: FxHashMap<Origin, Vec<ObjectId>>,
    /// How many were left when those whose life had ended were taken out last.
    pruned: usize,
    unsorted: Vec<ObjectId>,
}

impl KnownObjects {
    pub fn is_followed(&self) -> bool {
        self.followed.is_some()
    }

    /// Begins with these objects.
    pub fn follow(&mut self, objects: impl Iterator<Item = ObjectId>) {
        self.followed = Some(Box::new(Followed { unsorted: objects.collect(), ..Followed::default() }));
    }

    /// Something of the object may be known from now on.
    #[inline]
    pub fn add(&mut self, id: ObjectId) {
        if let Some(followed) = &mut self.followed {
            followed.unsorted.push(id);
            let unsorted = followed.unsorted.len();
            if unsorted > MOST_UNSORTED && unsorted > 2 * followed.sorted() {
                self.followed = None;
            }
        }
    }

    /// Takes out the objects of these origins, in the order of their slots; `living` gives the origin of one that lives.
    pub fn take(&mut self, living: impl Fn(ObjectId) -> Option<Origin>, of: impl Fn(Origin) -> bool) -> Vec<ObjectId> {
        let Some(followed) = &mut self.followed else { return Vec::new() };
        for id in std::mem::take(&mut followed.unsorted) {
            if let Some(origin) = living(id) {
                followed.by_origin.entry(origin).or_default().push(id);
            }
        }
        followed.prune(&living);
        let reached = followed.by_origin.iter_mut().filter(|(origin, _)| of(**origin));
        let mut taken: Vec<ObjectId> = reached.flat_map(|(_, ids)| std::mem::take(ids)).collect();
        taken.retain(|&id| living(id).is_some());
        taken.sort_unstable_by_key(|id| id.slot());
        taken.dedup();
        taken
    }
}

impl Followed {
    /// Takes out objects whose life has ended, once they may be half of all.
    fn prune(&mut self, living: impl Fn(ObjectId) -> Option<Origin>) {
        if self.sorted() > MOST_UNSORTED.max(2 * self.pruned) {
            self.by_origin.values_mut().for_each(|ids| ids.retain(|&id| living(id).is_some()));
            self.pruned = self.sorted();
        }
    }

    /// Origins are few, beside the objects.
    fn sorted(&self) -> usize {
        self.by_origin.values().map(Vec::len).sum()
    }
}
