//! Tables of what a task has made, by handle.

use chronos_activity::RequestId;
use chronos_base::ids::Id;
use chronos_mpi::handles;
use std::collections::BinaryHeap;
use std::marker::PhantomData;

chronos_base::define_ids! {
    /// A derived datatype of a task.
    DatatypeId = "datatype";
    /// A group of a task.
    GroupId = "group";
    /// A reduction operation of the program.
    OperationId = "operation";
    /// A key of attributes.
    KeyId = "key";
    /// A file that a task has open.
    FileId = "file";
    /// An info object of a task.
    InfoId = "info";
    /// A message that a matched probe has found.
    ProbedId = "probed";
}

/// Ids that programs know as handles: integers in a row, from the first that is not predefined.
pub(crate) trait Handle: Id {
    /// Handles below are predefined, or null.
    const FIRST: i64;

    /// `None` for what cannot be such a handle.
    fn from_handle(handle: i64) -> Option<Self> {
        let position = u32::try_from(handle.checked_sub(Self::FIRST)?).ok()?;
        Some(Self::new(position as usize))
    }

    fn handle(self) -> i64 {
        i64::try_from(self.index()).unwrap_or(i64::MAX).saturating_add(Self::FIRST)
    }
}

impl Handle for RequestId {
    const FIRST: i64 = handles::FIRST_REQUEST;
}

impl Handle for DatatypeId {
    const FIRST: i64 = handles::FIRST_DATATYPE;
}

impl Handle for GroupId {
    const FIRST: i64 = handles::FIRST_GROUP;
}

impl Handle for OperationId {
    const FIRST: i64 = handles::FIRST_OP;
}

impl Handle for KeyId {
    const FIRST: i64 = handles::FIRST_KEY;
}

impl Handle for ProbedId {
    const FIRST: i64 = handles::FIRST_MESSAGE;
}

impl Handle for FileId {
    const FIRST: i64 = 1;
}

impl Handle for InfoId {
    /// 1 is `MPI_INFO_ENV`.
    const FIRST: i64 = 2;
}

/// A table whose free entries are used again, lowest first, so that equal iterations of a program
/// see equal handles.
#[derive(Clone, Debug)]
pub(crate) struct HandleTable<I, T> {
    items: Vec<Option<T>>,
    free: BinaryHeap<std::cmp::Reverse<usize>>,
    key: PhantomData<fn(I)>,
}

impl<I, T> Default for HandleTable<I, T> {
    fn default() -> Self {
        Self { items: Vec::new(), free: BinaryHeap::new(), key: PhantomData }
    }
}

impl<I: Id, T> HandleTable<I, T> {
    pub fn insert(&mut self, item: T) -> I {
        if let Some(std::cmp::Reverse(index)) = self.free.pop() {
            self.items[index] = Some(item);
            return I::new(index);
        }
        self.items.push(Some(item));
        I::new(self.items.len() - 1)
    }

    pub fn remove(&mut self, id: I) -> Option<T> {
        let item = self.items.get_mut(id.index())?.take()?;
        self.free.push(std::cmp::Reverse(id.index()));
        Some(item)
    }

    /// Removes without ever using the place again.
    pub fn retire(&mut self, id: I) {
        if let Some(place) = self.items.get_mut(id.index()) {
            *place = None;
        }
    }

    pub fn get(&self, id: I) -> Option<&T> {
        self.items.get(id.index())?.as_ref()
    }

    pub fn get_mut(&mut self, id: I) -> Option<&mut T> {
        self.items.get_mut(id.index())?.as_mut()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(items: &[char]) -> HandleTable<GroupId, char> {
        let mut table = HandleTable::default();
        for &item in items {
            table.insert(item);
        }
        table
    }

    #[test]
    fn the_lowest_free_place_is_used_again() {
        let mut table = table(&['a', 'b', 'c']);
        table.remove(GroupId(2));
        table.remove(GroupId(0));
        assert_eq!([table.insert('d'), table.insert('e'), table.insert('f')], [GroupId(0), GroupId(2), GroupId(3)]);
    }

    #[test]
    fn a_retired_place_is_not_used_again() {
        let mut table = table(&['a']);
        table.retire(GroupId(0));
        assert_eq!((table.insert('b'), table.get(GroupId(0))), (GroupId(1), None));
    }

    #[test]
    fn handles_lead_back_and_what_is_none_leads_nowhere() {
        assert_eq!(GroupId::from_handle(GroupId(7).handle()), Some(GroupId(7)));
        let none = [i64::MIN, handles::NULL, handles::FIRST_GROUP - 1, i64::MAX];
        assert!(none.iter().all(|&handle| GroupId::from_handle(handle).is_none()));
    }
}
