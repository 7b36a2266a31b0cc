//! A vector with holes that are used again: ids stay valid while the item lives.

/// Marks the absence of an id in intrusive lists.
pub const NONE: u32 = u32::MAX;

/// An id of an item in a slab.
pub(crate) trait SlabId: Copy {
    fn from_raw(raw: u32) -> Self;
    fn raw(self) -> u32;
}

/// Lets ids of `define_ids!` name items of slabs.
macro_rules! slab_ids {
    ($($name:ident)*) => {$(
        impl $crate::memory::slab::SlabId for $name {
            #[inline]
            fn from_raw(raw: u32) -> Self {
                Self(raw)
            }
            #[inline]
            fn raw(self) -> u32 {
                self.0
            }
        }
    )*};
}
pub(crate) use slab_ids;

#[derive(Debug)]
pub struct Slab<I, T> {
    items: Vec<T>,
    free: Vec<I>,
}

impl<I, T> Default for Slab<I, T> {
    fn default() -> Self {
        Self { items: Vec::new(), free: Vec::new() }
    }
}

impl<I: SlabId, T> Slab<I, T> {
    #[inline]
    pub fn insert(&mut self, item: T) -> I {
        if let Some(id) = self.free.pop() {
            self.items[id.raw() as usize] = item;
            return id;
        }
        self.items.push(item);
        I::from_raw((self.items.len() - 1) as u32)
    }

    /// Items, with those whose place is free.
    #[inline]
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// All items, those too whose place is free.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.items.iter_mut()
    }

    /// The item stays readable until its place is taken again.
    #[inline]
    pub fn release(&mut self, id: I) {
        self.free.push(id);
    }
}

impl<I: SlabId, T> std::ops::Index<I> for Slab<I, T> {
    type Output = T;
    #[inline]
    fn index(&self, id: I) -> &T {
        &self.items[id.raw() as usize]
    }
}

impl<I: SlabId, T> std::ops::IndexMut<I> for Slab<I, T> {
    #[inline]
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.raw() as usize]
    }
}
