//! Predictions that are calibrated by one short run of the same program.
//!
//! # Purpose
//!
//! What a cost model does not know of a compiler, of caches or of data is mostly the same for a short run and for a long one. So a
//! short run is recorded and predicted, and what was measured / predicted of each part of the program multiplies
//! the predicted times of other arguments, sizes and numbers of tasks. This module must not know how runs are recorded and files read.
//!
//! # How it works
//!
//! - [`parts`] says what gets a ratio: outermost loops without MPI, and the rest of each function.
//! - [`fit`] finds the ratios by least squares over all stretches of all tasks; `crate::short_run` gathers these.
//! - `transfer` draws a ratio to 1 as far as loops run otherwise than in the short run. Prices of blocks are multiplied where
//!   segments are priced (`crate::pricing`), so everything that follows from times follows from the calibrated ones. `crate::intervals` takes the spread in place of the residuals of the calibration suite.
//!
//! # Limits
//!
//! - Parts that the short run did not execute keep their predicted times (C1708).
//! - Where another level of memory or another vector length bounds a loop than in the short run, its ratio holds no longer for
//!   certain: its interval is that of the cost model (C1710).

pub(crate) mod errors;
pub mod fit;
mod notes;
pub mod parts;
pub mod regimes;
pub(crate) mod transfer;

use fit::Ratio;
use parts::Part;
use regimes::Regime;
use std::collections::BTreeMap;

/// What a short run tells of the program.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibration {
    /// Measured / predicted of the whole run.
    pub common: f64,
    /// Of the parts that it executed for long enough.
    pub ratios: BTreeMap<Part, Ratio>,
    /// Standard deviation over all stretches.
    pub spread: f64,
    /// How each loop ran there, by its function, file and line.
    pub regimes: BTreeMap<Part, Regime>,
}
