//! Which operation of a task a label stands for: looked up for each end of each dependence.

use super::text::Word;
use chronos_base::hash::FxHashMap;

/// Positions of the operations of a task by label: `l1`, `l2`, ... are looked up by number.
#[derive(Default)]
pub(super) struct Labels<'a> {
    numbered: Vec<u32>,
    /// By key, which says all of a label this short.
    short: FxHashMap<u64, u32>,
    long: FxHashMap<&'a [u8], u32>,
    /// Short ones that were told or asked for last: dependences mostly stand behind their operation, or share what they
    /// wait for. No label has the key 0.
    recent: [(u64, u32); 2],
}

/// No operation has the label.
const FREE: u32 = u32::MAX;

/// Bytes of a key.
const SHORT: usize = 8;

impl<'a> Labels<'a> {
    pub fn clear(&mut self) {
        self.numbered.clear();
        self.short.clear();
        self.long.clear();
        self.recent = Default::default();
    }

    /// Whether the label is new.
    #[inline]
    pub fn insert(&mut self, label: Word<'a>, position: u32) -> bool {
        match number(label, position as usize) {
            Some(number) => self.insert_number(number, position),
            None if label.bytes.len() > SHORT => self.long.insert(label.bytes, position).is_none(),
            None => {
                self.recent[0] = (label.key, position);
                self.short.insert(label.key, position).is_none()
            }
        }
    }

    #[inline]
    fn insert_number(&mut self, number: usize, position: u32) -> bool {
        if self.numbered.len() <= number {
            self.numbered.resize(number + 1, FREE);
        }
        std::mem::replace(&mut self.numbered[number], position) == FREE
    }

    #[inline]
    pub fn get(&mut self, label: Word<'a>) -> Option<u32> {
        let numbered = number(label, self.numbered.len()).and_then(|number| self.numbered.get(number).copied());
        if let Some(position) = numbered.filter(|&position| position != FREE) {
            return Some(position);
        }
        if label.bytes.len() > SHORT {
            return self.long.get(label.bytes).copied();
        }
        self.named(label.key)
    }

    #[inline]
    fn named(&mut self, key: u64) -> Option<u32> {
        if let Some(&(_, position)) = self.recent.iter().find(|(recent, _)| *recent == key && key != 0) {
            return Some(position);
        }
        let position = *self.short.get(&key)?;
        self.recent[1] = (key, position);
        Some(position)
    }
}

/// The number of `l12`, where the table need not become much larger than the task for it.
#[inline]
fn number(label: Word, operations: usize) -> Option<usize> {
    let digits =
        label.bytes.strip_prefix(b"l").filter(|digits| (1..=9).contains(&digits.len()) && digits[0] != b'0')?;
    let value = digits
        .iter()
        .try_fold(0usize, |value, byte| byte.is_ascii_digit().then(|| value * 10 + usize::from(byte - b'0')))?;
    (value <= 2 * operations + 1024).then_some(value)
}
