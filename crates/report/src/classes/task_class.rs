//! What reports say of tasks that one row stands for.

use super::cut::Class;
use super::ranks::Ranks;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Tasks that one row stands for. Its times are means over them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TaskClass {
    /// Their ranks.
    pub ranks: Ranks,
    /// How many they are.
    pub count: usize,
    /// The greatest difference that two of them have in any of their times, those in functions included, in seconds; 0
    /// where all times are equal.
    pub spread_s: f64,
}

impl TaskClass {
    pub(super) fn new(class: &Class) -> Option<Self> {
        let count = class.rows.len();
        (count > 1).then(|| Self { ranks: Ranks::new(&class.rows), count, spread_s: class.spread })
    }
}
