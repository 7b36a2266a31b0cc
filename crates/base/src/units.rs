//! Quantities with their unit in the type. No bare `f64` crosses a module border.

use serde::{Deserialize, Serialize};
use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul, Sub};

/// Simulated time, in integer picoseconds: the only clock of the replay (2^64 ps are 213 days).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Picoseconds(pub u64);

impl Picoseconds {
    /// No time; the begin of the simulation.
    pub const ZERO: Self = Self(0);
    /// The latest time, to which arithmetic saturates.
    pub const MAX: Self = Self(u64::MAX);

    /// Rounds to the nearest picosecond; negative and NaN become 0, too large saturates.
    pub fn from_nanoseconds(ns: f64) -> Self {
        Self((ns * 1e3).round() as u64)
    }

    /// Rounds to the nearest picosecond; negative and NaN become 0, too large saturates.
    pub fn from_seconds(s: f64) -> Self {
        Self((s * 1e12).round() as u64)
    }

    /// The time in seconds, rounded to a double.
    pub fn as_seconds(self) -> f64 {
        self.0 as f64 / 1e12
    }

    /// The time in nanoseconds, rounded to a double.
    pub fn as_nanoseconds(self) -> f64 {
        self.0 as f64 / 1e3
    }

    /// The difference, 0 where `other` is later.
    pub fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// The multiple, at most `MAX`.
    pub fn saturating_mul(self, times: u64) -> Self {
        Self(self.0.saturating_mul(times))
    }
}

impl Add for Picoseconds {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Picoseconds {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Picoseconds {
    type Output = Self;
    /// Saturates at zero: differences of clocks that ran backwards do not exist.
    fn sub(self, other: Self) -> Self {
        self.saturating_sub(other)
    }
}

impl Sum for Picoseconds {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::ZERO, Add::add)
    }
}

/// A duration in nanoseconds, as machine and network files give it.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(transparent)]
pub struct Nanoseconds(pub f64);

impl Mul<f64> for Nanoseconds {
    type Output = Self;
    fn mul(self, times: f64) -> Self {
        Self(self.0 * times)
    }
}

impl Add for Nanoseconds {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for Nanoseconds {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl Sum for Nanoseconds {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::default(), Add::add)
    }
}

/// A duration in seconds, as reports and fitted models give it.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(transparent)]
pub struct Seconds(pub f64);

/// A duration in processor cycles of one machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(transparent)]
pub struct Cycles(pub f64);

/// A size of memory or of a message, in bytes.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(transparent)]
pub struct Bytes(pub u64);

impl Add for Bytes {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sum for Bytes {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::default(), Add::add)
    }
}
