//! The repeats that a task is in, innermost first. Nearly always there is one, which needs no memory of its own.

use super::packed_steps::RepeatCursor;

/// The repeats that a task is in.
#[derive(Debug, Default)]
#[repr(align(64))]
pub(crate) struct RepeatStack {
    innermost: Option<RepeatCursor>,
    /// Those around it, the outermost first.
    #[expect(clippy::box_collection, reason = "the pointer alone stands in every task")]
    outer: Option<Box<Vec<RepeatCursor>>>,
}

impl RepeatStack {
    #[inline]
    pub(crate) fn innermost_mut(&mut self) -> Option<&mut RepeatCursor> {
        self.innermost.as_mut()
    }

    pub fn innermost(&self) -> Option<&RepeatCursor> {
        self.innermost.as_ref()
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.innermost.is_none()
    }

    pub fn len(&self) -> usize {
        self.iter().count()
    }

    #[inline]
    pub fn push(&mut self, cursor: RepeatCursor) {
        if let Some(around) = self.innermost.replace(cursor) {
            self.outer.get_or_insert_default().push(around);
        }
    }

    pub fn pop(&mut self) -> Option<RepeatCursor> {
        let around = self.outer.as_mut().and_then(|outer| outer.pop());
        std::mem::replace(&mut self.innermost, around)
    }

    /// The outermost first.
    pub fn iter(&self) -> impl Iterator<Item = &RepeatCursor> {
        self.outer.iter().flat_map(|outer| outer.iter()).chain(&self.innermost)
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut RepeatCursor> {
        self.outer.iter_mut().flat_map(|outer| outer.iter_mut()).chain(&mut self.innermost)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronos_activity::{Repeat, Step, Work};
    use chronos_base::units::Picoseconds;
    use std::sync::Arc;

    #[test]
    fn repeats_are_left_in_the_order_in_which_they_were_entered() {
        let steps = vec![Step::Work(Work::Time(Picoseconds(1)))];
        let cursor = |times| RepeatCursor::new(Arc::new(Repeat { steps: steps.clone(), times }), true).unwrap();
        let mut cursors = RepeatStack::default();
        (1..4).for_each(|left| cursors.push(cursor(left)));
        assert!(cursors.iter().map(RepeatCursor::left).eq(1..4));
        assert_eq!(cursors.pop().map(|cursor| cursor.left()), Some(3));
        assert_eq!(cursors.innermost_mut().map(|cursor| cursor.left()), Some(2));
        (0..2).for_each(|_| _ = cursors.pop());
        assert!(cursors.is_empty() && cursors.pop().is_none());
    }
}
