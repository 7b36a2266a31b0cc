//! Piecewise linear factors by message size: by how much something takes longer.

use super::check::Range;
use chronos_base::units::Picoseconds;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One point of a table of factors.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FactorPoint {
    /// Size of the message, in bytes.
    pub bytes: u64,
    /// What a time is multiplied by at this size.
    pub factor: f64,
}

/// Factors by bytes, linear between points and constant outside of them; empty: 1 everywhere.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Factors {
    /// Points of the table, strictly rising in bytes.
    pub points: Vec<FactorPoint>,
}

impl Factors {
    /// Whether the table has no points: the factor is 1 for every size.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// The factor for so many bytes.
    pub fn at(&self, bytes: u64) -> f64 {
        let above = self.points.partition_point(|point| point.bytes <= bytes);
        match (above.checked_sub(1).and_then(|left| self.points.get(left)), self.points.get(above)) {
            (Some(left), Some(right)) => {
                let share = (bytes - left.bytes) as f64 / (right.bytes - left.bytes) as f64;
                left.factor + share * (right.factor - left.factor)
            }
            (Some(only), None) | (None, Some(only)) => only.factor,
            (None, None) => 1.0,
        }
    }

    /// What a time becomes longer by.
    pub fn surplus(&self, bytes: u64, time: Picoseconds) -> Picoseconds {
        Picoseconds::from_nanoseconds(time.as_nanoseconds() * (self.at(bytes) - 1.0))
    }

    /// Faults: fields, what is expected there, and what was found.
    pub(super) fn faults(&self, field: &str) -> Vec<(String, String, String)> {
        let mut faults = Vec::new();
        for (index, point) in self.points.iter().enumerate() {
            if !Range::FACTOR.holds(point.factor) {
                let found = point.factor.to_string();
                faults.push((format!("{field}[{index}].factor"), Range::FACTOR.to_string(), found));
            }
        }
        for (index, pair) in self.points.windows(2).enumerate() {
            if pair[0].bytes >= pair[1].bytes {
                let expected = format!("more than {}", pair[0].bytes);
                faults.push((format!("{field}[{}].bytes", index + 1), expected, pair[1].bytes.to_string()));
            }
        }
        faults
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_are_linear_between_points_and_constant_outside() {
        let point = |bytes, factor| FactorPoint { bytes, factor };
        let factors = Factors { points: vec![point(100, 1.0), point(200, 2.0)] };
        assert_eq!([0, 100, 150, 200, 900].map(|bytes| factors.at(bytes)), [1.0, 1.0, 1.5, 2.0, 2.0]);
        assert_eq!(factors.surplus(150, Picoseconds(1000)), Picoseconds(500));
        assert_eq!(Factors::default().at(7), 1.0);
    }
}
