//! A program as it is evaluated: read, checked, with what the flags say about it.

use super::args::FrontEndArgs;
use super::front_end;
use crate::count::Assumptions;
use crate::count::interp::Inputs;
use crate::diag::Diagnostic;
use crate::evaluation::{Job, spawning};
use crate::machine::network::Network;
use crate::program::{DataModel, Program};
use crate::span::SourceFiles;
use std::sync::Arc;

/// A program with its macros and constants set.
pub struct Loaded {
    pub front_end: FrontEndArgs,
    pub program: Arc<Program>,
    pub files: Arc<SourceFiles>,
    pub assumptions: Assumptions,
    pub inputs: Inputs,
    /// Of reading it.
    pub diagnostics: Vec<Diagnostic>,
}

/// Why a program cannot be taken, and the files that places name.
pub type Refused = (Vec<Diagnostic>, Arc<SourceFiles>);

impl Loaded {
    /// `function`: one that must be there, with the flag that names it; `several`: tasks.
    ///
    /// # Errors
    /// What is wrong with the sources, or with what is said about them.
    pub fn read(
        front_end: FrontEndArgs,
        model: DataModel,
        function: Option<(&str, &str)>,
        several: bool,
    ) -> Result<Self, Box<Refused>> {
        let (program, files, mut diagnostics) = front_end::program(&front_end, model);
        let Some(program) = program else { return Err(Box::new((diagnostics, files))) };
        let mut faults = front_end::before_evaluation(&program);
        faults.extend(function.and_then(|(flag, name)| front_end::unknown_function(flag, Some(name), &program)));
        let given = front_end::assumptions(&front_end, &program).and_then(|a| Ok((a, front_end::inputs(&front_end)?)));
        match given {
            Ok((assumptions, inputs)) if faults.is_empty() => {
                diagnostics.extend(front_end::without_mpi(&program, several));
                diagnostics.extend(crate::count::mpi::own_operations(&program));
                Ok(Self { front_end, program: Arc::new(program), files, assumptions, inputs, diagnostics })
            }
            given => {
                diagnostics.extend(faults);
                diagnostics.extend(given.err().unwrap_or_default());
                Err(Box::new((diagnostics, files)))
            }
        }
    }

    /// With these arguments of the program, and so many tasks to begin with.
    ///
    /// # Errors
    /// It starts tasks without end.
    pub fn job(&self, tasks: usize, arguments: &[String]) -> Result<Job, Vec<Diagnostic>> {
        let job = Job {
            program: self.program.clone(),
            tasks,
            spawned: 0,
            arguments: arguments.to_vec(),
            inputs: self.inputs.clone(),
            assumptions: self.assumptions.clone(),
            correctness: false,
        };
        with_spawned(job)
    }
}

/// The job with the tasks that the program itself starts.
///
/// # Errors
/// It starts them without end.
pub fn with_spawned(job: Job) -> Result<Job, Vec<Diagnostic>> {
    spawning::complete(job, &Network::load(super::count::NETWORK)?).map_err(|fault| vec![fault])
}
