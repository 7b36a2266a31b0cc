//! The open requests of a task.
//!
//! With very many tasks each has a few of them, which are kept where they need no memory of their own. Where they are more,
//! those with small numbers are found without hashing: programs and schedules number them from 0 on.

use super::slab::NONE;
use crate::activity::RequestId;
use crate::hash::FastMap;

#[derive(Debug)]
pub(super) struct Requests {
    /// Requests and their operations, by number; behind them `FREE`.
    few: [(u32, u32); FEW],
    /// All of them, once they were more.
    many: Option<Box<Table>>,
}

/// So many have room.
const FEW: usize = 4;
const FREE: (u32, u32) = (u32::MAX, NONE);

#[derive(Debug, Default)]
struct Table {
    /// Operations by request; `NONE` where there is none.
    near: Vec<u32>,
    far: FastMap<RequestId, u32>,
}

/// Numbers below are near.
const NEAR: u32 = 1 << 12;

impl Default for Requests {
    fn default() -> Self {
        Self { few: [FREE; FEW], many: None }
    }
}

impl Requests {
    #[inline]
    fn few(&self) -> &[(u32, u32)] {
        let count = self.few.iter().take_while(|&&(_, op)| op != NONE).count();
        &self.few[..count]
    }

    #[inline]
    pub fn insert(&mut self, request: RequestId, op: u32) {
        if let Some(many) = &mut self.many {
            return many.insert(request, op);
        }
        let position = self.few().partition_point(|&(number, _)| number < request.0);
        match self.few().get(position) {
            Some(&(number, _)) if number == request.0 => self.few[position].1 = op,
            _ if self.few().len() < FEW => {
                self.few.copy_within(position..FEW - 1, position + 1);
                self.few[position] = (request.0, op);
            }
            _ => {
                let mut many = Box::<Table>::default();
                self.few.iter().for_each(|&(number, op)| many.insert(RequestId(number), op));
                many.insert(request, op);
                (self.many, self.few) = (Some(many), [FREE; FEW]);
            }
        }
    }

    #[inline]
    pub fn get(&self, request: RequestId) -> Option<u32> {
        match &self.many {
            Some(many) => many.get(request),
            None => self.few().iter().find(|(number, _)| *number == request.0).map(|&(_, op)| op),
        }
    }

    #[inline]
    pub fn remove(&mut self, request: RequestId) {
        if let Some(many) = &mut self.many {
            return many.remove(request);
        }
        if let Some(position) = self.few().iter().position(|(number, _)| *number == request.0) {
            self.few.copy_within(position + 1.., position);
            self.few[FEW - 1] = FREE;
        }
    }

    /// Operations of all requests, by number.
    pub fn ops(&self) -> impl Iterator<Item = u32> {
        self.few().iter().map(|&(_, op)| op).chain(self.many.iter().flat_map(|many| many.ops()))
    }
}

impl Table {
    fn insert(&mut self, request: RequestId, op: u32) {
        if request.0 >= NEAR {
            self.far.insert(request, op);
            return;
        }
        let position = request.0 as usize;
        if self.near.len() <= position {
            self.near.resize(position + 1, NONE);
        }
        self.near[position] = op;
    }

    fn get(&self, request: RequestId) -> Option<u32> {
        match self.near.get(request.0 as usize) {
            Some(&op) => Some(op).filter(|&op| op != NONE),
            None => self.far.get(&request).copied(),
        }
    }

    fn remove(&mut self, request: RequestId) {
        match self.near.get_mut(request.0 as usize) {
            Some(op) => *op = NONE,
            None => _ = self.far.remove(&request),
        }
    }

    fn ops(&self) -> impl Iterator<Item = u32> {
        let mut far: Vec<_> = self.far.iter().map(|(request, op)| (*request, *op)).collect();
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
