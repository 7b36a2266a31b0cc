//! Sets of ranks in a short notation: `0`, `1-16382`, `1-16383:2`, `0,4-7`.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::borrow::Cow;
use std::fmt::{self, Write as _};
use std::str::FromStr;

/// Ranks in ascending order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ranks(Vec<Stretch>);

/// Ranks at equal distances; a single one has the distance 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stretch {
    first: u32,
    last: u32,
    step: u32,
}

impl Stretch {
    fn one(rank: u32) -> Self {
        Self { first: rank, last: rank, step: 1 }
    }

    /// The longest one that `ranks` begin with. Two ranks are no shorter as a stretch.
    fn begin_of(ranks: &[u32]) -> Self {
        let &[first, second, ..] = ranks else { return Self::one(ranks.first().copied().unwrap_or(0)) };
        let step = second - first;
        let steps = ranks.windows(2).take_while(|pair| pair[1] - pair[0] == step).count();
        if steps < 2 { Self::one(first) } else { Self { first, last: ranks[steps], step } }
    }

    fn count(self) -> usize {
        ((self.last - self.first) / self.step) as usize + 1
    }

    fn ranks(self) -> impl Iterator<Item = u32> {
        (self.first..=self.last).step_by(self.step as usize)
    }

    /// `None` where the text is none, or the ranks are not in ascending order.
    fn parse(text: &str) -> Option<Self> {
        let (range, step) = text.split_once(':').unwrap_or((text, "1"));
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let stretch = Self { first: first.parse().ok()?, last: last.parse().ok()?, step: step.parse().ok()? };
        let whole = stretch.step > 0
            && stretch.first <= stretch.last
            && (stretch.last - stretch.first).is_multiple_of(stretch.step);
        whole.then_some(stretch)
    }
}

impl fmt::Display for Stretch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.count(), self.step) {
            (1, _) => write!(f, "{}", self.first),
            (_, 1) => write!(f, "{}-{}", self.first, self.last),
            (_, step) => write!(f, "{}-{}:{step}", self.first, self.last),
        }
    }
}

impl Ranks {
    /// Of ranks in ascending order, each once.
    pub fn new(mut ranks: &[u32]) -> Self {
        let mut stretches = Vec::new();
        while !ranks.is_empty() {
            let stretch = Stretch::begin_of(ranks);
            ranks = &ranks[stretch.count()..];
            stretches.push(stretch);
        }
        Self(stretches)
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.iter().map(|stretch| stretch.count()).sum()
    }

    /// All of them, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        self.0.iter().flat_map(|stretch| stretch.ranks())
    }

    /// The notation in at most `room` characters; what does not fit is `...`.
    pub fn shortened(&self, room: usize) -> String {
        let whole = self.to_string();
        if whole.len() <= room {
            return whole;
        }
        let mut text = String::new();
        for stretch in &self.0 {
            let part = format!("{stretch},");
            if text.len() + part.len() + 3 > room {
                break;
            }
            text += &part;
        }
        text + "..."
    }
}

impl fmt::Display for Ranks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, stretch) in self.0.iter().enumerate() {
            if at > 0 {
                f.write_char(',')?;
            }
            stretch.fmt(f)?;
        }
        Ok(())
    }
}

impl FromStr for Ranks {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let stretches: Option<Vec<Stretch>> = text.split(',').map(Stretch::parse).collect();
        let ascending = |all: &Vec<Stretch>| all.windows(2).all(|pair| pair[0].last < pair[1].first);
        stretches.filter(ascending).map(Self).ok_or_else(|| format!("`{text}` are no ranks such as 0,4-7,9-15:2"))
    }
}

impl Serialize for Ranks {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Ranks {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

impl JsonSchema for Ranks {
    fn schema_name() -> Cow<'static, str> {
        "Ranks".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Ranks in ascending order: `FIRST-LAST` is a range with both ends, `FIRST-LAST:STEP` every STEP-th rank of it; several are joined by commas.",
            "type": "string",
            "pattern": "^[0-9]+(-[0-9]+(:[0-9]+)?)?(,[0-9]+(-[0-9]+(:[0-9]+)?)?)*$"
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn ranges_and_steps_are_told_in_short() {
        let check = |ranks: &[u32]| Ranks::new(ranks).to_string();
        let odd: Vec<u32> = (1..16384).step_by(2).collect();
        assert_eq!(check(&odd), "1-16383:2");
        assert_eq!(check(&[0]), "0");
        assert_eq!(check(&[0, 1, 3, 5, 7, 8, 9, 20]), "0,1-7:2,8,9,20");
        assert_eq!(check(&[1, 2, 3, 4, 62, 124]), "1-4,62,124");
    }

    #[test]
    fn long_sets_end_in_dots() {
        let ranks = Ranks::new(&[0, 2, 3, 7, 12, 13, 100, 101, 105]);
        assert_eq!(ranks.shortened(12), "0,2,3,7,...");
        assert_eq!(Ranks::new(&[1, 2, 3]).shortened(4), "1-3");
    }

    #[test]
    fn what_is_no_set_of_ranks_is_refused() {
        for wrong in ["", "a", "3-1", "1-4:2", "1-3:0", "4,2", "1-5,3", "1-", "-1", "1,,2", "99999999999"] {
            assert!(wrong.parse::<Ranks>().is_err(), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn the_notation_says_all_ranks(all in prop::collection::btree_set(0u32..60, 1..40)) {
            let ranks = Ranks::new(&all.iter().copied().collect::<Vec<_>>());
            let read: Ranks = ranks.to_string().parse().expect("ranks");
            prop_assert_eq!(ranks.count(), all.len());
            prop_assert_eq!(read.iter().collect::<BTreeSet<u32>>(), all);
        }
    }
}
