//! The open requests of a task.
//!
//! Programs and schedules number them from 0 on, so those with small numbers are found without hashing.

use super::slab::NONE;
use crate::activity::RequestId;
use crate::hash::FastMap;

#[derive(Debug, Default)]
pub(super) struct Requests {
    /// Operations by request; `NONE` where there is none.
    near: Vec<u32>,
    far: Option<Box<FastMap<RequestId, u32>>>,
}

/// Numbers below are near.
const NEAR: u32 = 1 << 12;
/// So many are few.
const FEW: usize = 64;

impl Requests {
    pub fn insert(&mut self, request: RequestId, op: u32) {
        if request.0 >= NEAR {
            self.far.get_or_insert_default().insert(request, op);
            return;
        }
        let position = request.0 as usize;
        if self.near.len() <= position {
            if position < FEW {
                // A task with few of them should not have room for twice as many.
                self.near.reserve_exact((position + 1).next_multiple_of(4) - self.near.len());
            }
            self.near.resize(position + 1, NONE);
        }
        self.near[position] = op;
    }

    pub fn get(&self, request: RequestId) -> Option<u32> {
        match self.near.get(request.0 as usize) {
            Some(&op) => Some(op).filter(|&op| op != NONE),
            None => self.far.as_ref()?.get(&request).copied(),
        }
    }

    pub fn remove(&mut self, request: RequestId) {
        match self.near.get_mut(request.0 as usize) {
            Some(op) => *op = NONE,
            None => _ = self.far.as_mut().and_then(|far| far.remove(&request)),
        }
    }

    /// Operations of all requests, by number.
    pub fn ops(&self) -> impl Iterator<Item = u32> {
        let mut far: Vec<_> = self.far.iter().flat_map(|far| far.iter()).map(|(request, op)| (*request, *op)).collect();
        far.sort_unstable();
        self.near.iter().copied().filter(|&op| op != NONE).chain(far.into_iter().map(|(_, op)| op))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn they_are_found_whatever_their_numbers(
            steps in prop::collection::vec((any::<bool>(), prop_oneof![0u32..8, NEAR - 2..NEAR + 6]), 0..60),
        ) {
            let (mut requests, mut map) = (Requests::default(), BTreeMap::new());
            for (op, (begins, number)) in (0..).zip(steps) {
                let request = RequestId(number);
                if begins {
                    requests.insert(request, op);
                    map.insert(request, op);
                } else {
                    requests.remove(request);
                    map.remove(&request);
                }
                prop_assert_eq!(requests.get(request), map.get(&request).copied());
            }
            prop_assert!(requests.ops().eq(map.into_values()));
        }
    }
}
