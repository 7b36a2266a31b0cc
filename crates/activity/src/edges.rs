//! Dependences among the operations of a task as bytes: sorted by the operation that waits, two bytes for most.
//!
//! Schedules whose operations do not simply follow one another have more dependences than operations, so their size
//! decides how large a schedule can be. This module must not know what the operations do.

/// `after` waits for `before`, both positions in the task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// Position of the operation that waits.
    pub after: u32,
    /// Position of the operation that is waited for.
    pub before: u32,
    /// Until it begins, not until it ends.
    pub begin: bool,
}

/// Dependences in the order of `after`, then `before`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Edges<'s> {
    bytes: &'s [u8],
    /// `after` of the last one that was read.
    last: u32,
}

/// Where reading stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgePosition {
    /// Bytes that are not read yet.
    pub(super) left: u32,
    /// `after` of the last edge that was read.
    last: u32,
}

impl<'s> Edges<'s> {
    #[inline]
    pub(super) fn new(bytes: &'s [u8]) -> Self {
        Self { bytes, last: 0 }
    }

    /// Where it goes on, to come back to with `resume`.
    #[inline]
    pub(super) fn pause(&self) -> EdgePosition {
        EdgePosition { left: self.bytes.len() as u32, last: self.last }
    }

    #[inline]
    pub(super) fn resume(bytes: &'s [u8], position: EdgePosition) -> Self {
        Self { bytes: &bytes[bytes.len() - position.left as usize..], last: position.last }
    }

    /// The next one, if its operation is below a position.
    #[inline]
    pub(super) fn below(&mut self, end: u32) -> Option<Edge> {
        let mut ahead = *self;
        let edge = ahead.next().filter(|edge| edge.after < end)?;
        *self = ahead;
        Some(edge)
    }

    #[inline]
    fn number(&mut self) -> Option<u64> {
        let (mut value, mut shift) = (0, 0);
        loop {
            let (&byte, rest) = self.bytes.split_first()?;
            self.bytes = rest;
            value |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
    }
}

#[expect(clippy::copy_iterator, reason = "the copy is a place in packed bytes, and edges are read from it again")]
impl Iterator for Edges<'_> {
    type Item = Edge;

    #[inline]
    fn next(&mut self) -> Option<Edge> {
        let head = self.number()?;
        let distance = self.number()?;
        self.last += (head >> 1) as u32;
        let away = (distance >> 1) as u32;
        let before = if distance & 1 == 0 { self.last - away } else { self.last + away };
        Some(Edge { after: self.last, before, begin: head & 1 != 0 })
    }
}

/// Appends sorted edges.
pub(super) fn encode(edges: &[Edge], bytes: &mut Vec<u8>) {
    let mut last = 0;
    for edge in edges {
        let Edge { after, before, begin } = *edge;
        append(u64::from(after - last) << 1 | u64::from(begin), bytes);
        append(u64::from(after.abs_diff(before)) << 1 | u64::from(before > after), bytes);
        last = after;
    }
}

/// Seven bits per byte, the low ones first.
fn append(mut value: u64, bytes: &mut Vec<u8>) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn edge() -> impl Strategy<Value = Edge> {
        let number = || prop_oneof![0u32..40, 0..u32::MAX];
        (number(), number(), any::<bool>()).prop_map(|(after, before, begin)| Edge { after, before, begin })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(mut edges in prop::collection::vec(edge(), 0..40), stop in 0u32..60) {
            edges.sort_unstable();
            let mut bytes = Vec::new();
            encode(&edges, &mut bytes);
            prop_assert!(Edges::new(&bytes).eq(edges.iter().copied()));
            let mut read = Edges::new(&bytes);
            let mut found: Vec<Edge> = std::iter::from_fn(|| read.below(stop)).collect();
            prop_assert!(found.iter().all(|edge| edge.after < stop));
            found.extend(Edges::resume(&bytes, read.pause()));
            prop_assert_eq!(found, edges);
        }
    }

    #[test]
    fn most_take_two_bytes() {
        let mut bytes = Vec::new();
        encode(&[Edge { after: 8, before: 1, begin: false }, Edge { after: 8, before: 7, begin: true }], &mut bytes);
        assert_eq!(bytes.len(), 4);
    }
}
