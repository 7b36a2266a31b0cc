//! Arrays of one scalar type, in pages that exist once written and that copies share until one of them is written.

use crate::Value;
use crate::common_pages::{CommonPages, SharedPage};
use crate::fill::Fill;
use chronos_ir::ScalarType;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// Elements of a page; one of a smaller object has those of the object.
const PAGE: usize = 256;
/// Pages with lower numbers stand in a vector, those with higher ones in a map.
const DENSE_PAGES: usize = 1 << 16;

/// Scalars of one type side by side, in pages that exist from the first write on.
#[derive(Clone, Debug)]
pub struct Array {
    ty: ScalarType,
    size: u64,
    /// Sizes of scalars are powers of two: index is offset shifted.
    shift: u32,
    /// Elements that its object has room for.
    room: usize,
    pages: Vec<Option<Page>>,
    /// Pages with higher numbers, by number: a huge object may be written anywhere.
    sparse: BTreeMap<usize, Page>,
}

/// Copy on write. What nobody shares is written without a look at a counter, for stores are frequent.
#[derive(Clone, Debug)]
enum Page {
    Own(Box<[Value]>),
    Shared(Arc<Box<[Value]>>),
}

impl Page {
    fn filled(elements: usize, value: Value) -> Self {
        Self::Own(vec![value; elements].into_boxed_slice())
    }

    /// Has no fewer elements than so many; an object may have taken over the pages of a smaller one.
    fn grow(&mut self, least: usize, value: Value) {
        if self.elements().len() < least {
            let mut elements = std::mem::take(self.own_mut()).into_vec();
            elements.resize(PAGE, value);
            *self = Self::Own(elements.into_boxed_slice());
        }
    }

    #[inline(always)]
    fn elements(&self) -> &[Value] {
        match self {
            Self::Own(elements) => elements,
            Self::Shared(elements) => elements,
        }
    }

    #[inline(always)]
    fn elements_mut(&mut self) -> &mut [Value] {
        self.own_mut()
    }

    #[inline(always)]
    fn own_mut(&mut self) -> &mut Box<[Value]> {
        loop {
            match self {
                Self::Own(elements) => return elements,
                Self::Shared(elements) => *self = Self::Own(Arc::unwrap_or_clone(std::mem::take(elements))),
            }
        }
    }

    fn share(&mut self) {
        if let Self::Own(elements) = self {
            *self = Self::Shared(Arc::new(std::mem::take(elements)));
        }
    }

    fn share_equal(&mut self, pages: &mut CommonPages) {
        if let Self::Own(elements) = self {
            *self = Self::Shared(pages.common(std::mem::take(elements)));
        }
    }
}

/// Elements of an array in pages that copies share. Nobody writes to such a page, so that the same pages hold equal
/// elements for as long as they are kept here.
#[derive(Clone, Debug)]
pub struct SharedElements {
    ty: ScalarType,
    fill: Fill,
    /// The first element and how many there are.
    first: u64,
    count: u64,
    pages: Vec<Option<SharedPage>>,
}

impl SharedElements {
    /// Whether these are the same elements of the same pages.
    pub fn are(&self, other: &Self) -> bool {
        let same = |(one, other): (&Option<SharedPage>, &Option<SharedPage>)| match (one, other) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (one, other) => one.is_none() && other.is_none(),
        };
        (self.ty, self.fill, self.first, self.count) == (other.ty, other.fill, other.first, other.count)
            && self.pages.iter().zip(&other.pages).all(same)
    }
}

impl Array {
    /// An array without elements that were written in an object of `bytes`; `size` is that of a scalar in bytes, a power of
    /// two.
    pub fn new(ty: ScalarType, size: u64, bytes: u64) -> Self {
        let room = usize::try_from(bytes / size.max(1)).unwrap_or(usize::MAX);
        Self { ty, size, shift: size.trailing_zeros(), room, pages: Vec::new(), sparse: BTreeMap::new() }
    }

    /// Type of all its elements.
    #[inline(always)]
    pub fn ty(&self) -> ScalarType {
        self.ty
    }

    /// Whether so many bytes are whole elements.
    pub fn divides(&self, bytes: u64) -> bool {
        bytes.is_multiple_of(self.size)
    }

    /// What a clone copies from now on is shared.
    pub fn share(&mut self) {
        self.pages.iter_mut().flatten().chain(self.sparse.values_mut()).for_each(Page::share);
    }

    /// Pages that others hold with the same elements are shared with them.
    pub fn share_equal(&mut self, pages: &mut CommonPages) {
        self.pages.iter_mut().flatten().for_each(|page| page.share_equal(pages));
    }

    /// Elements from an offset on; `None` where some of them stand in a page that is not shared, or in a sparse one.
    pub fn shared_elements(&self, offset: u64, count: u64, fill: Fill) -> Option<SharedElements> {
        let first = self.index(offset)?;
        let (from, to) = (first as usize / PAGE, (first + count).div_ceil(PAGE as u64) as usize);
        let page = |number: usize| match self.pages.get(number) {
            Some(Some(Page::Shared(page))) => Some(Some(Arc::clone(page))),
            Some(Some(Page::Own(_))) => None,
            _ => Some(None),
        };
        if to > DENSE_PAGES {
            return None;
        }
        let pages = (from..to).map(page).collect::<Option<_>>()?;
        Some(SharedElements { ty: self.ty, fill, first, count, pages })
    }

    /// Pages that exist, without the sparse ones.
    pub fn dense_pages(&self) -> usize {
        self.pages.len()
    }

    /// The element at `offset`; `None` between two.
    #[inline]
    pub fn index(&self, offset: u64) -> Option<u64> {
        let index = offset >> self.shift;
        (index << self.shift == offset).then_some(index)
    }

    /// The element at `offset` where all of it lies in an object of `size` bytes.
    #[inline(always)]
    pub fn index_within(&self, offset: i64, size: u64) -> Option<usize> {
        let index = self.index(offset as u64)?;
        (offset >= 0 && offset as u64 + self.size <= size).then_some(index as usize)
    }

    /// Writes an element to `to`, unless its page is among the sparse ones; whether it did.
    #[inline(always)]
    pub fn copy_dense_element(&self, index: usize, fill: Fill, to: &mut Value) -> bool {
        match self.pages.get(index / PAGE) {
            Some(Some(page)) => match page.elements().get(index % PAGE) {
                Some(element) => *to = element.by_parts(),
                None => return false,
            },
            _ if index / PAGE < DENSE_PAGES => *to = fill.scalar(self.ty),
            _ => return false,
        }
        true
    }

    /// Where an element stands, if its page is a dense one and not shared.
    #[inline(always)]
    pub fn slot_mut(&mut self, index: usize) -> Option<&mut Value> {
        match self.pages.get_mut(index / PAGE)? {
            Some(Page::Own(page)) => page.get_mut(index % PAGE),
            _ => None,
        }
    }

    /// The elements of the page that an index is in, with the index of the first of them; `None` where the page was never
    /// written to.
    pub fn page_of(&self, index: u64) -> Option<(u64, &[Value])> {
        let number = index as usize / PAGE;
        let elements = self.page(number)?.elements();
        let room = self.room.saturating_sub(number * PAGE).min(elements.len());
        Some(((number * PAGE) as u64, &elements[..room]))
    }

    /// The indices of the page that an index is in.
    pub fn page_range(&self, index: u64) -> Range<u64> {
        let first = index / PAGE as u64 * PAGE as u64;
        first..(first + PAGE as u64).min(self.room as u64)
    }

    /// The same to write in, and whether the page stood elsewhere before, or nowhere.
    pub fn page_of_mut(&mut self, index: u64, fill: Fill) -> (u64, &mut [Value], bool) {
        let number = index as usize / PAGE;
        let moves = !matches!(self.page(number), Some(Page::Own(elements)) if elements.len() > index as usize % PAGE);
        let room = self.room.saturating_sub(number * PAGE);
        let page = self.page_mut(number, index as usize % PAGE + 1, fill);
        let elements = page.elements_mut();
        let room = room.min(elements.len());
        ((number * PAGE) as u64, &mut elements[..room], moves)
    }

    /// The element at an index; `None` where its page was never written to, or is one of a smaller object.
    #[inline]
    pub fn get(&self, index: u64) -> Option<Value> {
        let number = index as usize / PAGE;
        let page = if number < DENSE_PAGES { self.pages.get(number)?.as_ref()? } else { self.sparse.get(&number)? };
        page.elements().get(index as usize % PAGE).copied()
    }

    /// Writes the element at an index; the others of a new page get what `fill` says.
    #[inline]
    pub fn set(&mut self, index: u64, value: Value, fill: Fill) {
        match self.slot_mut(index as usize) {
            Some(slot) => *slot = value,
            None => self.set_first(index, value, fill),
        }
    }

    /// Sets an element in a page that is sparse, shared or does not exist.
    fn set_first(&mut self, index: u64, value: Value, fill: Fill) {
        let page = self.page_mut(index as usize / PAGE, index as usize % PAGE + 1, fill);
        if let Some(slot) = page.elements_mut().get_mut(index as usize % PAGE) {
            *slot = value;
        }
    }

    /// A page with so many elements at least.
    fn page_mut(&mut self, number: usize, least: usize, fill: Fill) -> &mut Page {
        let initial = fill.scalar(self.ty);
        let elements = self.room.saturating_sub(number.saturating_mul(PAGE)).clamp(least, PAGE);
        let page = if number >= DENSE_PAGES {
            self.sparse.entry(number).or_insert_with(|| Page::filled(elements, initial))
        } else {
            if number >= self.pages.len() {
                self.pages.resize_with(number + 1, || None);
            }
            self.pages[number].get_or_insert_with(|| Page::filled(elements, initial))
        };
        page.grow(least, initial);
        page
    }

    /// Sets the elements from one offset up to another. `fill` is what pages hold that do not exist.
    pub fn set_range(&mut self, begin: u64, end: u64, new: Fill, fill: Fill) {
        let (value, initial) = (new.scalar(self.ty), fill.scalar(self.ty));
        let (mut index, end) = ((begin / self.size) as usize, (end / self.size) as usize);
        while index < end {
            let (number, first) = (index / PAGE, index % PAGE);
            let behind = PAGE.min(first + end - index);
            if value != initial || self.page(number).is_some() {
                self.page_mut(number, behind, fill).elements_mut()[first..behind].fill(value);
            }
            index += behind - first;
        }
    }

    fn page(&self, number: usize) -> Option<&Page> {
        if number < DENSE_PAGES { self.pages.get(number)?.as_ref() } else { self.sparse.get(&number) }
    }

    /// The pages that reach into the elements `first .. end`, with their numbers.
    fn pages_in(&self, first: u64, end: u64) -> impl Iterator<Item = (usize, &Page)> {
        let (from, to) = (first as usize / PAGE, (end as usize).div_ceil(PAGE));
        let dense = self.pages.get(from.min(self.pages.len())..to.min(self.pages.len())).unwrap_or(&[]);
        let dense = (from..).zip(dense).filter_map(|(number, page)| Some((number, page.as_ref()?)));
        let sparse = if from < to { Some(self.sparse.range(from..to)) } else { None };
        dense.chain(sparse.into_iter().flatten().map(|(&number, page)| (number, page)))
    }

    /// Elements that begin in `offset .. end` and are known or unlike the fill, at offsets from `offset`, sorted.
    pub fn items(&self, offset: u64, end: u64, fill: Fill) -> Vec<(u64, ScalarType, Value)> {
        let initial = fill.scalar(self.ty);
        let mut items = Vec::new();
        for (number, page) in self.pages_in(offset / self.size, end.div_ceil(self.size)) {
            let first = number as u64 * PAGE as u64 * self.size;
            let index = |place: u64| place.saturating_sub(first).div_ceil(self.size) as usize;
            for (i, &value) in page.elements().iter().enumerate().take(index(end)).skip(index(offset)) {
                let at = first + i as u64 * self.size;
                if value != initial || !value.is_unknown() {
                    items.push((at - offset, self.ty, value));
                }
            }
        }
        items
    }

    /// Pages that no copy shares.
    #[cfg(test)]
    pub(crate) fn own_pages(&self) -> usize {
        let own = |page: &&Page| matches!(page, Page::Own(_));
        self.pages.iter().flatten().chain(self.sparse.values()).filter(own).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(count: u64) -> Array {
        let mut array = Array::new(ScalarType::I32, 4, 4 << 20);
        (0..count).for_each(|n| array.set(n, Value::Int(n as i64), Fill::Zero));
        array
    }

    #[test]
    fn copies_share_the_pages_that_neither_writes() {
        let mut array = numbers(1024);
        array.share();
        let mut copy = array.clone();
        copy.set(300, Value::Int(-1), Fill::Zero);
        assert_eq!((array.own_pages(), copy.own_pages()), (0, 1));
        assert_eq!((array.get(300), copy.get(300)), (Some(Value::Int(300)), Some(Value::Int(-1))));
        assert_eq!(copy.get(301), Some(Value::Int(301)));
    }

    #[test]
    fn equal_pages_of_two_arrays_are_one_until_one_of_them_is_written() {
        let (mut pages, mut one, mut other) = (CommonPages::default(), numbers(1024), numbers(1024));
        other.set(700, Value::Int(-1), Fill::Zero);
        [&mut one, &mut other].into_iter().for_each(|array| array.share_equal(&mut pages));
        let same =
            |number: usize| std::ptr::eq(one.page(number).unwrap().elements(), other.page(number).unwrap().elements());
        assert_eq!([0, 1, 2, 3].map(same), [true, true, false, true]);
        other.set(0, Value::Int(5), Fill::Zero);
        assert_eq!(
            (one.get(0), other.get(0), other.get(1)),
            (Some(Value::Int(0)), Some(Value::Int(5)), Some(Value::Int(1)))
        );
    }

    #[test]
    fn shared_elements_are_the_same_until_one_is_written() {
        let (mut pages, mut one, mut other) = (CommonPages::default(), numbers(1024), numbers(1024));
        assert!(one.shared_elements(0, 1024, Fill::Zero).is_none());
        [&mut one, &mut other].into_iter().for_each(|array| array.share_equal(&mut pages));
        let elements = |array: &Array, offset, count| array.shared_elements(offset, count, Fill::Zero);
        let known = elements(&one, 0, 1000).unwrap();
        assert!(elements(&other, 0, 1000).is_some_and(|found| found.are(&known)));
        assert!(!elements(&other, 4, 1000).is_some_and(|found| found.are(&known)));
        other.set(700, Value::Int(-1), Fill::Zero);
        assert!(elements(&other, 0, 1000).is_none() && elements(&other, 0, 512).is_some());
        other.share_equal(&mut pages);
        assert!(!elements(&other, 0, 1000).unwrap().are(&known));
    }

    #[test]
    fn a_range_that_is_set_to_what_it_holds_makes_no_pages() {
        let mut array = numbers(1);
        array.set_range(4, 4 * 100_000, Fill::Zero, Fill::Zero);
        assert_eq!(array.own_pages(), 1);
        array.set_range(4 * 250, 4 * 260, Fill::Value(Value::Int(7)), Fill::Zero);
        assert_eq!(
            (array.get(249), array.get(259), array.get(260)),
            (Some(Value::Int(0)), Some(Value::Int(7)), Some(Value::Int(0)))
        );
    }

    #[test]
    fn a_page_of_a_small_object_grows_where_a_larger_one_takes_it_over() {
        let mut array = Array::new(ScalarType::I32, 4, 4 * 3);
        (0..3).for_each(|n| array.set(n, Value::Int(n as i64), Fill::Zero));
        assert_eq!(array.page(0).map(|page| page.elements().len()), Some(3));
        let mut copy = array.clone();
        copy.set(5, Value::Int(7), Fill::Zero);
        assert_eq!([2, 4, 5, 255].map(|n| copy.get(n)), [2, 0, 7, 0].map(|n| Some(Value::Int(n))));
        array.set_range(8, 4 * 10, Fill::Value(Value::Int(9)), Fill::Zero);
        assert_eq!([1, 2, 9, 10].map(|n| array.get(n)), [1, 9, 9, 0].map(|n| Some(Value::Int(n))));
    }

    #[test]
    fn items_are_those_of_the_range() {
        let mut array = numbers(600);
        array.set(DENSE_PAGES as u64 * PAGE as u64, Value::Int(9), Fill::Zero);
        let items = array.items(4 * 254, 4 * 258 + 1, Fill::Zero);
        let expected = [254, 255, 256, 257, 258].map(|n| (4 * (n - 254) as u64, ScalarType::I32, Value::Int(n)));
        assert_eq!(items, expected);
        let sparse = 4 * DENSE_PAGES as u64 * PAGE as u64;
        assert_eq!(array.items(sparse, sparse + 4, Fill::Zero), [(0, ScalarType::I32, Value::Int(9))]);
    }
}
