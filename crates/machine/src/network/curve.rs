//! Piecewise linear functions of the message size.

use chronos_base::units::Picoseconds;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One point of a curve.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Point {
    /// Size of the message or operand, in bytes.
    pub bytes: u64,
    /// Time at this size, in nanoseconds.
    pub ns: f64,
}

/// Nanoseconds by bytes; points rise strictly in bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Curve {
    /// Points of the curve, strictly rising in bytes.
    pub points: Vec<Point>,
}

impl Curve {
    /// The same value for every size.
    pub fn constant(ns: f64) -> Self {
        Self { points: vec![Point { bytes: 0, ns }] }
    }

    /// `at_zero` and so much per byte.
    pub fn linear(at_zero: f64, ns_per_byte: f64) -> Self {
        const FAR: u64 = 1 << 20;
        let end = Point { bytes: FAR, ns: at_zero + ns_per_byte * FAR as f64 };
        Self { points: vec![Point { bytes: 0, ns: at_zero }, end] }
    }

    /// The value for a message of so many bytes; an empty curve is 0 everywhere.
    pub fn at(&self, bytes: u64) -> Picoseconds {
        Picoseconds::from_nanoseconds(self.nanoseconds(bytes))
    }

    /// No message of any size has less; 0 where the last stretch falls.
    pub fn least(&self) -> Picoseconds {
        let falls = self.points.windows(2).last().is_some_and(|pair| pair[1].ns < pair[0].ns);
        let least = self.points.iter().map(|point| point.ns).fold(f64::INFINITY, f64::min);
        if falls || self.points.is_empty() { Picoseconds::ZERO } else { Picoseconds::from_nanoseconds(least) }
    }

    fn nanoseconds(&self, bytes: u64) -> f64 {
        let above = self.points.partition_point(|point| point.bytes <= bytes);
        match (above, self.points.len()) {
            (_, 0) => 0.0,
            (0, _) | (_, 1) => self.points[0].ns,
            (above, count) => {
                let right = above.min(count - 1);
                interpolate(self.points[right - 1], self.points[right], bytes)
            }
        }
    }
}

fn interpolate(left: Point, right: Point, bytes: u64) -> f64 {
    let share = (bytes as f64 - left.bytes as f64) / (right.bytes as f64 - left.bytes as f64);
    left.ns + share * (right.ns - left.ns)
}
