//! Pages of arrays that many tasks have in common.
//!
//! Tasks that compute the same table, of offsets for instance, hold as many copies of it as there are tasks. Where an
//! array is handed on, its pages are looked up here, and equal ones become one. This module must not know tasks.

use crate::Value;
use chronos_base::hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Weak};

/// A page that may be shared.
pub(crate) type SharedPage = Arc<Box<[Value]>>;

/// Pages with fewer entries than this are not looked through for those that nobody has any more.
const FEW: usize = 1 << 10;

/// Pages by their content, as long as somebody has them.
#[derive(Debug, Default)]
pub struct CommonPages {
    by_hash: FxHashMap<u64, Weak<Box<[Value]>>>,
    /// How many entries there may be before they are looked through again.
    room: usize,
}

impl CommonPages {
    /// The page that others have with the same elements, or this one from now on.
    pub(crate) fn common(&mut self, elements: Box<[Value]>) -> SharedPage {
        let key = fingerprint(&elements);
        if let Some(known) = self.by_hash.get(&key).and_then(Weak::upgrade).filter(|known| equal(known, &elements)) {
            return known;
        }
        self.clear_unused();
        let page = Arc::new(elements);
        self.by_hash.insert(key, Arc::downgrade(&page));
        page
    }

    fn clear_unused(&mut self) {
        if self.by_hash.len() >= self.room.max(FEW) {
            self.by_hash.retain(|_, page| page.strong_count() > 0);
            self.room = 2 * self.by_hash.len();
        }
    }
}

/// Equal for equal elements, as `equal` compares them.
fn fingerprint(elements: &[Value]) -> u64 {
    let mut hasher = FxHasher::default();
    for &value in elements {
        match value {
            Value::Int(n) => n.hash(&mut hasher),
            Value::Float(x) => x.to_bits().hash(&mut hasher),
            Value::Unknown(reason) => reason.hash(&mut hasher),
            _ => 0u8.hash(&mut hasher),
        }
    }
    hasher.finish()
}

/// Zeros of different signs compare equal, and are not the same.
fn equal(one: &[Value], other: &[Value]) -> bool {
    one.len() == other.len()
        && one.iter().zip(other).all(|pair| match pair {
            (Value::Float(one), Value::Float(other)) => one.to_bits() == other.to_bits(),
            (one, other) => one == other,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(numbers: &[f64]) -> Box<[Value]> {
        numbers.iter().map(|&x| Value::Float(x)).collect()
    }

    #[test]
    fn equal_pages_become_one_as_long_as_somebody_has_them() {
        let mut pages = CommonPages::default();
        let first = pages.common(page(&[1.0, f64::NAN]));
        assert!(Arc::ptr_eq(&first, &pages.common(page(&[1.0, f64::NAN]))));
        assert!(!Arc::ptr_eq(&pages.common(page(&[0.0])), &pages.common(page(&[-0.0]))));
        let weak = Arc::downgrade(&first);
        drop(first);
        assert!(weak.upgrade().is_none());
        assert_eq!(pages.common(page(&[1.0, 2.0]))[1], Value::Float(2.0));
    }
}
