//! What is known of a stretch of memory, for readers outside of the task: messages, windows, files.
//!
//! Memory that was never written is known too where it is zero. A scalar that was written and is unknown is not: a reader
//! that looks at known scalars alone cannot tell it from one that nobody wrote, so both are sorted out here.

use crate::Value;
use crate::storage::{Content, Fill};
use chronos_ir::{DataModel, ScalarType};

/// The largest scalar, in bytes: how far before a place one may begin that reaches it.
const LARGEST_SCALAR: u64 = 16;

type Item = (u64, ScalarType, Value);

impl Content {
    /// The scalars in `offset .. offset + bytes` that are known, at offsets from `offset`, sorted. The last one may reach
    /// beyond the end.
    pub fn known_scalars(&self, offset: u64, bytes: u64, model: DataModel) -> Vec<Item> {
        let written = self.items(offset, bytes, model);
        if self.fill != Fill::Zero {
            return written.into_iter().filter(|(.., value)| !value.is_unknown()).collect();
        }
        let before = offset.saturating_sub(LARGEST_SCALAR - 1);
        let reaches = |(at, ty, _): Item| (before + at + ty.size(model)).saturating_sub(offset);
        let mut end = self.items(before, offset - before, model).into_iter().map(reaches).max().unwrap_or(0);
        let mut known = Vec::with_capacity(written.len());
        for (at, ty, value) in written {
            self.zeros(offset, end, at, model, &mut known);
            end = end.max(at + ty.size(model));
            if !value.is_unknown() {
                known.push((at, ty, value));
            }
        }
        self.zeros(offset, end, bytes, model, &mut known);
        known
    }

    /// Zeros from `begin` up to `end`, as scalars of the kind that the object holds.
    fn zeros(&self, offset: u64, begin: u64, end: u64, model: DataModel, known: &mut Vec<Item>) {
        let ty = self.element().unwrap_or(ScalarType::I32);
        let size = ty.size(model);
        let mut at = begin;
        while at < end {
            let fits = (offset + at).is_multiple_of(size) && end - at >= size;
            let unit = if fits { ty } else { ScalarType::I8 };
            known.push((at, unit, Fill::Zero.scalar(unit)));
            at += unit.size(model);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ReasonId;

    const MODEL: DataModel = DataModel::Lp64;

    #[track_caller]
    fn check(writes: &[(u64, ScalarType, Value)], range: (u64, u64), expected: &[(u64, i64)]) {
        let mut content = Content::new(Fill::Zero);
        writes.iter().for_each(|&(at, ty, value)| content.write(at, ty, value, 24, MODEL));
        let known = content.known_scalars(range.0, range.1, MODEL);
        let numbers: Vec<(u64, i64)> = known.iter().filter_map(|(at, _, value)| Some((*at, value.as_int()?))).collect();
        assert_eq!(numbers, expected, "{known:?}");
    }

    #[test]
    fn zeros_are_known_where_nothing_was_written() {
        let unknown = Value::Unknown(ReasonId(0));
        check(&[], (4, 8), &[(0, 0), (4, 0)]);
        check(&[(0, ScalarType::I32, unknown), (4, ScalarType::I32, unknown)], (0, 8), &[]);
        check(&[(4, ScalarType::I32, Value::Int(7))], (0, 12), &[(0, 0), (4, 7), (8, 0)]);
        let mixed = [(8, ScalarType::I64, unknown), (2, ScalarType::I8, Value::Int(5))];
        check(&mixed, (0, 18), &[(0, 0), (1, 0), (2, 5), (3, 0), (4, 0), (5, 0), (6, 0), (7, 0), (16, 0)]);
    }

    #[test]
    fn what_reaches_into_the_range_is_not_zero() {
        let mixed = [(8, ScalarType::I64, Value::Int(-1)), (0, ScalarType::I8, Value::Int(5))];
        check(&mixed, (12, 8), &[(4, 0)]);
    }
}
