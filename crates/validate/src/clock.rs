//! The clock of the moment: a shared machine's drifts by a tenth from one hour to the next, and a machine file holds
//! that of the hour of its calibration.
//!
//! It must not know what is predicted: it says how long a cycle takes now, and by which factor that differs.

use super::{Compilation, codes};
use chronos_base::diag::Diagnostic;
use chronos_calibrate::build::{Built, Run, Workshop};
use chronos_calibrate::{host, output};
use chronos_report::validation::Clock;

/// The microbenchmark of dependent additions, built.
pub struct Watch {
    built: Built,
    /// The program lies in its folder.
    _folder: chronos_base::temporary::Folder,
}

/// Milliseconds that a measurement takes at most.
const MILLISECONDS: f64 = 30.0;

impl Watch {
    /// # Errors
    /// The compiler makes no program of it, as one for another machine.
    pub fn build(compilation: &Compilation) -> Result<Self, Diagnostic> {
        let (built, folder) = Workshop::open(&compilation.compiler)?.build_clock()?;
        Ok(Self { built, _folder: folder })
    }

    /// Nanoseconds that an addition waits for the one before: a cycle on every pipelined processor.
    ///
    /// # Errors
    /// It does not run here.
    pub fn ns_per_cycle(&self) -> Result<f64, Diagnostic> {
        let processor = host::allowed_processors().last().copied().unwrap_or(0);
        let run = Run { processor, milliseconds: MILLISECONDS, ..Run::default() };
        output::parse("clock", &self.built.run(&run)?)?.ns("clock.clock")
    }
}

/// Joins two looks at the clock with what a machine file says; `None` where none was taken.
///
/// # Errors
/// A look failed.
pub fn between(
    file: Option<f64>,
    before: Option<Result<f64, Diagnostic>>,
    after: Option<Result<f64, Diagnostic>>,
) -> Result<Option<Clock>, Diagnostic> {
    let (Some(file), Some(before), Some(after)) = (file, before, after) else { return Ok(None) };
    let (before, after) = (before?, after?);
    // The shortest runs count, so does the faster clock.
    let factor = before.min(after) / file;
    let sound = file > 0.0 && factor.is_finite() && factor > 0.0;
    Ok(sound.then_some(Clock {
        machine_ns_per_cycle: file,
        before_ns_per_cycle: before,
        after_ns_per_cycle: after,
        factor,
    }))
}

pub(crate) fn not_measured(why: &Diagnostic) -> Diagnostic {
    let message =
        format!("the clock of the moment was not measured, predictions are not corrected for it: {}", why.message);
    Diagnostic::warning(&codes::NO_CLOCK, message).help("--no-clock leaves it out")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_faster_look_counts() {
        let clock = between(Some(0.25), Some(Ok(0.3)), Some(Ok(0.275))).expect("both").expect("measured");
        assert!((clock.factor - 1.1).abs() < 1e-12);
        assert_eq!(between(None, Some(Ok(0.3)), Some(Ok(0.3))).expect("fine"), None);
        assert_eq!(between(Some(0.0), Some(Ok(0.3)), Some(Ok(0.3))).expect("fine"), None);
    }

    #[test]
    fn a_compiler_that_makes_no_program_is_reported() {
        let compilation = Compilation { compiler: vec!["no-such-compiler".to_owned()], ..Compilation::default() };
        let error = Watch::build(&compilation).err().expect("there is none");
        assert!(not_measured(&error).message.contains("no-such-compiler"));
    }
}
