//! Type signatures: the sequence of predefined types that a message is made of.
//!
//! MPI asks that what is sent and what is received, and what the members of a collective give, have matching
//! signatures; where the elements lie in memory does not matter for that. So a signature is kept as runs of equal
//! types.

use super::datatype::{Datatype, Shape};
use super::predefined::{Element, Predefined};
use chronos_ir::DataModel;
use std::sync::Arc;

/// Runs up to which signatures of irregular types are compared.
const RUNS: usize = 4096;

/// Copies of a datatype.
#[derive(Clone, Debug, PartialEq)]
pub struct TypedElements {
    /// What is repeated.
    pub datatype: Arc<Datatype>,
    /// Number of copies.
    pub count: u64,
}

/// How two signatures go together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Agreement {
    /// The same types and as many of them.
    Same,
    /// The same types, but the second has more of them.
    Longer,
    /// The second has fewer of them.
    Shorter,
    /// Types of equal class and size that differ in their sign.
    Signs,
    /// Other types.
    Different,
}

/// A type and how often it stands in a row.
type Run = (Predefined, u64);

impl TypedElements {
    /// `count` copies of a datatype.
    pub fn new(datatype: &Arc<Datatype>, count: u64) -> Self {
        Self { datatype: datatype.clone(), count }
    }

    /// Bytes in a message.
    pub fn bytes(&self) -> u64 {
        self.datatype.message_size.saturating_mul(self.count)
    }

    /// How what this stands for is received as `other`.
    pub fn compare(&self, other: &Self, model: DataModel) -> Agreement {
        if self.bytes() == 0 || other.bytes() == 0 {
            return by_length(self.bytes(), other.bytes());
        }
        let (Some(one), Some(two)) = (self.runs(), other.runs()) else {
            return by_length(self.bytes(), other.bytes());
        };
        if one.iter().chain(&two).any(|&(kind, _)| is_anything(kind)) {
            return by_length(self.bytes(), other.bytes());
        }
        compare_runs(&one, &two, model)
    }

    /// `None` where there are too many.
    fn runs(&self) -> Option<Vec<Run>> {
        if let Some(kind) = self.datatype.uniform() {
            return Some(vec![(kind, self.datatype.elements.saturating_mul(self.count))]);
        }
        let mut runs = Vec::new();
        for _ in 0..self.count {
            add(&self.datatype, 1, &mut runs)?;
        }
        Some(runs)
    }

    /// The elements by place from the buffer's address on, no more than `limit`; `None` where places are not known.
    pub fn elements(&self, limit: usize) -> Option<Vec<(i64, Predefined)>> {
        if self.datatype.scattered {
            return None;
        }
        let mut all = Vec::new();
        repeat(&self.datatype, self.count, self.datatype.extent(), 0, limit, &mut all);
        Some(all)
    }
}

fn by_length(one: u64, two: u64) -> Agreement {
    match two.cmp(&one) {
        std::cmp::Ordering::Equal => Agreement::Same,
        std::cmp::Ordering::Greater => Agreement::Longer,
        std::cmp::Ordering::Less => Agreement::Shorter,
    }
}

fn is_anything(kind: Predefined) -> bool {
    matches!(kind, Predefined::Byte | Predefined::Packed)
}

fn add(datatype: &Datatype, copies: u64, runs: &mut Vec<Run>) -> Option<()> {
    if let Some(kind) = datatype.uniform() {
        let n = datatype.elements.saturating_mul(copies);
        match runs.last_mut() {
            Some(last) if last.0 == kind => last.1 = last.1.saturating_add(n),
            _ if n > 0 => runs.push((kind, n)),
            _ => {}
        }
        return (runs.len() <= RUNS).then_some(());
    }
    for _ in 0..copies {
        match &datatype.shape {
            Shape::Predefined(_) => {}
            Shape::Repeat { count, of, .. } => add(of, *count, runs)?,
            Shape::Sequence(members) => members.iter().try_for_each(|(_, of)| add(of, 1, runs))?,
        }
    }
    Some(())
}

fn compare_runs(one: &[Run], two: &[Run], model: DataModel) -> Agreement {
    let (mut first, mut second) = (one.iter().copied(), two.iter().copied());
    let (mut a, mut b) = (first.next(), second.next());
    let mut worst = Agreement::Same;
    loop {
        let (Some((kind, n)), Some((other, m))) = (a, b) else {
            let rest = match (a, b) {
                (Some(_), None) => Agreement::Shorter,
                (None, Some(_)) => Agreement::Longer,
                _ => Agreement::Same,
            };
            return if worst == Agreement::Same { rest } else { worst };
        };
        match kinds(kind, other, model) {
            Agreement::Different => return Agreement::Different,
            how => worst = worst.max(how),
        }
        let taken = n.min(m);
        a = if n > taken { Some((kind, n - taken)) } else { first.next() };
        b = if m > taken { Some((other, m - taken)) } else { second.next() };
    }
}

/// Types that stand for the same C type, as `MPI_INT` and `MPI_INT32_T`, are taken to be the same.
fn kinds(one: Predefined, two: Predefined, model: DataModel) -> Agreement {
    let (a, b) = (one.element(model), two.element(model));
    match (a, b) {
        _ if one == two || a == b => Agreement::Same,
        (Element::Scalar(a), Element::Scalar(b))
            if a.is_integer() && b.is_integer() && a.size(model) == b.size(model) =>
        {
            Agreement::Signs
        }
        _ => Agreement::Different,
    }
}

fn repeat(of: &Datatype, count: u64, stride: i64, at: i64, limit: usize, all: &mut Vec<(i64, Predefined)>) {
    let mut place = at;
    for _ in 0..count {
        if all.len() >= limit || of.size == 0 {
            return;
        }
        match &of.shape {
            Shape::Predefined(kind) => all.push((place, *kind)),
            Shape::Repeat { count, stride, of } => repeat(of, *count, *stride, place, limit, all),
            Shape::Sequence(members) => {
                let each = |(offset, member): &(i64, Arc<Datatype>)| {
                    repeat(member, 1, member.extent(), place.saturating_add(*offset), limit, all);
                };
                members.iter().for_each(each);
            }
        }
        place = place.saturating_add(stride);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: DataModel = DataModel::Lp64;

    fn of(which: Predefined) -> Arc<Datatype> {
        Arc::new(Datatype::predefined(which, MODEL))
    }

    fn typed(which: Predefined, count: u64) -> TypedElements {
        TypedElements::new(&of(which), count)
    }

    #[test]
    fn layout_does_not_matter_and_length_does() {
        let column = Arc::new(Datatype::strided(4, 1, 80, &of(Predefined::Int)));
        let column = TypedElements::new(&column, 2);
        assert_eq!(column.compare(&typed(Predefined::Int, 8), MODEL), Agreement::Same);
        assert_eq!(column.compare(&typed(Predefined::Int, 9), MODEL), Agreement::Longer);
        assert_eq!(column.compare(&typed(Predefined::Int, 7), MODEL), Agreement::Shorter);
        assert_eq!(column.compare(&typed(Predefined::Unsigned, 8), MODEL), Agreement::Signs);
        assert_eq!(column.compare(&typed(Predefined::Float, 8), MODEL), Agreement::Different);
        assert_eq!(column.compare(&typed(Predefined::Byte, 32), MODEL), Agreement::Same);
    }

    #[test]
    fn structures_are_compared_element_by_element() {
        let members = |first, second| [(Some(0), 1, of(first)), (Some(8), 1, of(second))];
        let one = Arc::new(Datatype::structure(&members(Predefined::Int, Predefined::Double), true));
        let two = Arc::new(Datatype::structure(&members(Predefined::Double, Predefined::Int), true));
        let (one, two) = (TypedElements::new(&one, 2), TypedElements::new(&two, 2));
        assert_eq!(one.compare(&one, MODEL), Agreement::Same);
        assert_eq!(one.compare(&two, MODEL), Agreement::Different);
        let places = [(0, Predefined::Int), (8, Predefined::Double), (16, Predefined::Int)];
        assert_eq!(one.elements(3).as_deref(), Some(&places[..]));
    }
}
