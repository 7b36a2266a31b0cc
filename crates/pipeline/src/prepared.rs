//! A program as it is evaluated: read, checked, with what its options say about it.

use super::options::DEFAULT_BUDGET;
use super::options::ProgramOptions;
use super::values::LocatedValue;
use super::{assumption_files, checks, codes, locations, sources};
use chronos_base::diag::{Diagnostic, system_cause};
use chronos_base::governor;
use chronos_base::hash::FxHashMap;
use chronos_base::span::SourceFiles;
use chronos_interpreter::{FilesAtHand, Inputs};
use chronos_ir::places::Decision;
use chronos_ir::{BlockId, DataModel, Program};
use chronos_machine::network::Network;
use chronos_predict::evaluation::{Job, OtherPrograms, least_memory, spawning};
use chronos_predict::object_code::ObjectCodes;
use chronos_slicing::Assumptions;
use std::path::Path;
use std::sync::Arc;

/// The network that settles which message is the first where several may be, and times are not told.
pub const ORDERING_NETWORK: &str = "ethernet-100";

/// A program with its macros and constants set.
pub struct PreparedProgram {
    /// What was asked for, with the values of one combination.
    pub options: ProgramOptions,
    /// The program as it was read.
    pub program: Arc<Program>,
    /// The files that its places name.
    pub files: Arc<SourceFiles>,
    /// What options and files of assumptions say of its branches and loops.
    pub assumptions: Assumptions,
    /// Standard input and the files that it may read.
    pub inputs: Inputs,
    /// Of reading it.
    pub diagnostics: Vec<Diagnostic>,
}

/// Why predictions cannot be made.
#[derive(Clone, Debug, Default)]
pub struct Refused {
    /// What is wrong, with remedies.
    pub diagnostics: Vec<Diagnostic>,
    /// The files that they speak of.
    pub files: Arc<SourceFiles>,
}

impl From<Vec<Diagnostic>> for Box<Refused> {
    fn from(diagnostics: Vec<Diagnostic>) -> Self {
        Self::new(Refused { diagnostics, files: Arc::default() })
    }
}

impl From<Diagnostic> for Box<Refused> {
    fn from(diagnostic: Diagnostic) -> Self {
        vec![diagnostic].into()
    }
}

/// A function that an option names, so that it must be there.
#[derive(Clone, Copy, Debug)]
pub struct RequiredFunction<'a> {
    /// The option, as messages name it.
    pub option: &'a str,
    /// Name of the function that the program must define.
    pub name: &'a str,
}

impl PreparedProgram {
    /// `several`: whether it is to be evaluated with more than one task.
    ///
    /// # Errors
    /// What is wrong with the sources, or with what is said about them.
    pub fn read(
        options: ProgramOptions,
        model: DataModel,
        required: Option<RequiredFunction<'_>>,
        several: bool,
    ) -> Result<Self, Box<Refused>> {
        let (program, files, mut diagnostics) = sources::program(&options, model);
        let Some(program) = program else { return Err(Box::new(Refused { diagnostics, files })) };
        let mut faults = checks::before_evaluation(&program);
        faults.extend(required.and_then(|function| checks::unknown_function(function.option, function.name, &program)));
        let said = assumptions(&options, &program).and_then(|assumptions| Ok((assumptions, inputs(&options)?)));
        match said {
            Ok((assumptions, inputs)) if faults.is_empty() => {
                diagnostics.extend(checks::without_mpi(&program, several));
                diagnostics.extend(chronos_mpi_calls::own_operations(&program));
                Ok(Self { options, program: Arc::new(program), files, assumptions, inputs, diagnostics })
            }
            said => {
                diagnostics.extend(faults);
                diagnostics.extend(said.err().unwrap_or_default());
                Err(Box::new(Refused { diagnostics, files }))
            }
        }
    }

    /// With these arguments of the program, and so many tasks to begin with.
    ///
    /// # Errors
    /// It starts tasks without end.
    pub fn job(&self, tasks: usize, arguments: &[String]) -> Result<Job, Vec<Diagnostic>> {
        self.job_with(OtherPrograms::default(), tasks, arguments)
    }

    /// As `job`, where tasks run on machines of several data models.
    ///
    /// # Errors
    /// It starts tasks without end.
    pub(super) fn job_with(
        &self,
        other_programs: OtherPrograms,
        tasks: usize,
        arguments: &[String],
    ) -> Result<Job, Vec<Diagnostic>> {
        let job = Job {
            program: self.program.clone(),
            other_programs,
            tasks,
            spawned: 0,
            arguments: arguments.to_vec(),
            inputs: self.inputs.clone(),
            assumptions: self.assumptions.clone(),
            tasks_per_node: 1,
            correctness: false,
            object_code: ObjectCodes::default(),
        };
        with_spawned(job)
    }
}

/// A program that was read, to be evaluated on so many tasks, those excluded that it starts itself.
///
/// # Errors
/// What is wrong with what the options say about it.
pub fn job(options: &ProgramOptions, program: &Arc<Program>, tasks: usize) -> Result<Job, Vec<Diagnostic>> {
    Ok(Job {
        assumptions: assumptions(options, program)?,
        inputs: inputs(options)?,
        program: program.clone(),
        other_programs: OtherPrograms::default(),
        tasks,
        spawned: 0,
        arguments: options.arguments.clone(),
        tasks_per_node: 1,
        correctness: false,
        object_code: ObjectCodes::default(),
    })
}

/// The job with the tasks that the program itself starts.
///
/// # Errors
/// It starts them without end, or there is no memory for so many tasks.
pub fn with_spawned(job: Job) -> Result<Job, Vec<Diagnostic>> {
    governor::needs_memory(&format!("{} tasks", job.tasks), least_memory(&job)).map_err(|fault| vec![fault])?;
    spawning::complete(job, &Network::load(ORDERING_NETWORK)?).map_err(|fault| vec![fault])
}

/// What the user says about branches and loops, by block.
///
/// # Errors
/// Files that cannot be read, and locations where no branch or loop begins.
fn assumptions(options: &ProgramOptions, program: &Program) -> Result<Assumptions, Vec<Diagnostic>> {
    let mut assumed = assumption_files::read(options, program)?;
    let mut errors = Vec::new();
    let mut resolve = |named: &[LocatedValue], decision: Decision| -> FxHashMap<BlockId, f64> {
        let mut found = FxHashMap::default();
        for place in named.iter().filter(|place| !locations::is_in_another_program(options, program, place)) {
            match locations::blocks_at(program, place, decision) {
                Ok(blocks) => found.extend(blocks.into_iter().map(|block| (block, place.number))),
                Err(error) => errors.push(error),
            }
        }
        found
    };
    let probability = resolve(&options.probabilities, Decision::Branch);
    let iterations = resolve(&options.iterations, Decision::Loop);
    for place in options.probabilities.iter().filter(|place| place.number > 1.0) {
        errors.push(locations::no_probability(place));
    }
    assumed.probability.extend(probability);
    assumed.iterations.extend(iterations);
    assumed.budget = options.budget.unwrap_or(DEFAULT_BUDGET);
    assumed.separate_ranks = options.separate_ranks;
    assumed.mpi_library = options.mpi_library;
    match sources::library_costs(options) {
        Ok(costs) => assumed.library_work = costs.work,
        Err(found) => errors.extend(found),
    }
    if errors.is_empty() { Ok(assumed) } else { Err(errors) }
}

/// The files that the program reads as its own input.
///
/// # Errors
/// Files that cannot be read.
fn inputs(options: &ProgramOptions) -> Result<Inputs, Vec<Diagnostic>> {
    let read = |path: &Path| match std::fs::read(path) {
        Ok(bytes) => Ok(Arc::<[u8]>::from(bytes)),
        Err(error) => Err(vec![not_read(path, &error)]),
    };
    let stdin = options.stdin.as_deref().map(read).transpose()?;
    let mut files = FxHashMap::default();
    for file in &options.input_files {
        files.insert(file.name.clone(), read(&file.path)?);
    }
    let folder = options.files_at_hand.then(std::env::current_dir).and_then(Result::ok);
    Ok(Inputs { stdin, files, at_hand: folder.map(FilesAtHand::below), ..Inputs::default() })
}

fn not_read(path: &Path, error: &std::io::Error) -> Diagnostic {
    Diagnostic::error(&codes::INPUT_NOT_READ, format!("cannot read {}: {}", path.display(), system_cause(error)))
        .help("name a file that exists and may be read")
}
