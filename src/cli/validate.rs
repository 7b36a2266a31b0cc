//! `chronos validate`.

use super::args::{self, Format, ValidateArgs};
use super::exit::Exit;
use super::output::Terminal;
use super::progress::TerminalProgress;
use super::{compilers, folders, native};
use chronos_base::diag::Diagnostic;
use chronos_base::hash::FxHashSet;
use chronos_base::span::{FileId, SourceFiles};
use chronos_frontend::flags::split;
use chronos_ir::Program;
use chronos_machine::Machine;
use chronos_machine::choice::{NATIVE, Processor};
use chronos_machine::network::Network;
use chronos_pipeline::{self as pipeline, CompilerUse, ProgramOptions, Progress as _};
use chronos_predict::{ModelOptions, Outcome, Target, assumption_interval, network_interval, predict};
use chronos_report::validation::{self, Measurement, ValidationReport};
use chronos_report::{diagnostics, json};
use chronos_validate::{self as validate, Compilation, Options, Running, codes};
use std::sync::Arc;
use std::time::Duration;

pub fn run(options: &ValidateArgs, terminal: &Terminal) -> Exit {
    let prepared = prepared(options).and_then(|found| {
        terminal.writable(options.output.file()).map_err(|error| vec![error])?;
        Ok(found)
    });
    let ValidationSetup { machine, network, compiler, warnings } = match prepared {
        Ok(setup) => setup,
        Err(errors) => return terminal.report(&errors, &SourceFiles::default()),
    };
    let program_options = with_compiler(options, &compiler);
    let (program, files, mut diagnostics) = pipeline::program(&program_options, machine.model());
    diagnostics.extend(warnings);
    diagnostics.extend(pipeline::fallback(options.cost_model.name(), &machine));
    let Some(program) = program else { return terminal.report(&diagnostics, &files) };
    diagnostics.extend(pipeline::before_evaluation(&program));
    diagnostics.extend(pipeline::without_mpi(&program, options.tasks > 1));
    diagnostics.extend(pipeline::recording_unsupported(&program));
    if diagnostics.iter().any(Diagnostic::is_error) {
        return terminal.report(&diagnostics, &files);
    }
    let session = ValidationSession { options, program_options, terminal, machine, network, compiler, files };
    session.run(Arc::new(program), diagnostics)
}

/// What is needed before the program is looked at.
struct ValidationSetup {
    machine: Machine,
    network: Network,
    /// Words of the compiler's command with its flags.
    compiler: Vec<String>,
    warnings: Vec<Diagnostic>,
}

fn prepared(options: &ValidateArgs) -> Result<ValidationSetup, Vec<Diagnostic>> {
    let front_end = &options.front_end;
    if !front_end.settings.is_empty() || !front_end.symbolic.is_empty() {
        let error = Diagnostic::error(&codes::CANNOT_BE_RUN, "the program cannot be compiled with --set or --symbolic");
        return Err(vec![error.help("use -D where the source allows it, or edit a copy of the source")]);
    }
    let given = front_end.cc.as_deref().and_then(split).filter(|words| !words.is_empty());
    let machine = match &options.machine {
        Some(name) => Machine::load(name).map_err(|error| vec![error])?,
        None => {
            native::of_compiler(Some(given.clone().unwrap_or_else(usual_compiler)))
                .machine(NATIVE)
                .map_err(|error| vec![error])?
                .machine
        }
    };
    let network = Network::load(&options.network)?;
    let own = || std::iter::once(machine.compiler.command.clone()).chain(machine.compiler.flags.iter().cloned());
    let compiler = match given {
        Some(compiler) => compiler,
        None => compilers::trusted(own().collect(), &machine.name, &args::trust(front_end.trust))
            .map_err(|error| vec![error])?,
    };
    let warnings = native::of_compiler(Some(compiler.clone())).warning(&machine).into_iter().collect();
    Ok(ValidationSetup { machine, network, compiler, warnings })
}

/// What compiles the program where nobody says otherwise.
fn usual_compiler() -> Vec<String> {
    vec!["cc".to_owned(), "-O2".to_owned()]
}

/// The program is preprocessed as it will be compiled.
fn with_compiler(options: &ValidateArgs, compiler: &[String]) -> ProgramOptions {
    let program = options.front_end.program();
    ProgramOptions { cc: program.cc.clone().or_else(|| Some(compiler.join(" "))), ..program }
}

struct ValidationSession<'a> {
    options: &'a ValidateArgs,
    program_options: ProgramOptions,
    terminal: &'a Terminal,
    machine: Machine,
    network: Network,
    compiler: Vec<String>,
    files: Arc<SourceFiles>,
}

impl ValidationSession<'_> {
    fn run(&self, program: Arc<Program>, mut diagnostics: Vec<Diagnostic>) -> Exit {
        let outcome = match self.predict(&program) {
            Ok(outcome) => outcome,
            Err(errors) => return self.terminal.report(&errors, &self.files),
        };
        diagnostics.extend(outcome.diagnostics.iter().cloned());
        let options = match self.measurement(&program) {
            Ok(options) => options,
            Err(error) => return self.terminal.report(&[error], &self.files),
        };
        let progress = TerminalProgress::new(self.terminal);
        progress.begin(options.runs.into());
        let mut step = |run: u32| {
            progress.describe(format!("run {}", run + 1));
            if run > 0 {
                progress.advance();
            }
        };
        let measured = validate::validate(&options, &program, &outcome.prediction, &mut step);
        drop(progress);
        match measured {
            Ok((validation, found)) => {
                diagnostics.extend(found);
                self.finish(&options, outcome, validation, &diagnostics)
            }
            Err(error) => {
                diagnostics.push(error);
                self.terminal.report(&diagnostics, &self.files)
            }
        }
    }

    fn predict(&self, program: &Arc<Program>) -> Result<Outcome, Vec<Diagnostic>> {
        let mut job = pipeline::job(&self.program_options, program, self.options.tasks)?;
        let cache = pipeline::ObjectCache::new(folders::objects());
        job.object_code = CompilerUse::of(self.options.cost_model.name(), self.options.cost_model.asks_compilers())
            .object_codes(&self.program_options, [&self.machine], &cache);
        let model = ModelOptions {
            tasks_per_node: u32::try_from(self.options.tasks).unwrap_or(u32::MAX),
            cost_model: self.options.cost_model.name(),
            ..ModelOptions::default()
        };
        let target = Target {
            machine: &self.machine,
            platform: None,
            network: &self.network,
            options: &model,
            calibration: None,
            timeline: false,
        };
        let mut outcome = predict(&job, target);
        if let Some(evaluated) = outcome.activity.as_ref().or(outcome.once.as_ref()) {
            let note = network_interval::widen(&mut outcome.prediction, &job, target, evaluated, false);
            outcome.diagnostics.extend(note);
            assumption_interval::widen(&mut outcome.prediction, &job, target, evaluated);
        }
        Ok(outcome)
    }

    fn measurement(&self, program: &Program) -> Result<Options, Diagnostic> {
        let mpi = pipeline::calls_mpi(program);
        let mut compiler = self.compiler.clone();
        let mut launcher = Vec::new();
        if mpi {
            compiler.splice(..1, words("--mpicc", &self.options.mpicc)?);
            launcher = words("--mpirun", &self.options.mpirun.replace("{n}", &self.options.tasks.to_string()))?;
        }
        let flags = &self.program_options;
        // Directives hold in the run where they hold in the prediction.
        let threads = program.openmp.as_ref().map(|openmp| openmp.threads);
        if flags.threads.is_some() && !compiler.iter().any(|word| word == "-fopenmp") {
            compiler.push("-fopenmp".into());
        }
        let defines = flags.defines.iter().map(|define| format!("-D{define}"));
        let compilation = Compilation {
            compiler,
            of_file: pipeline::flags_of_files(flags),
            flags: defines.chain(flags.includes.iter().map(|folder| format!("-I{}", folder.display()))).collect(),
            link: words("--link", &self.options.link)?,
            mpi,
        };
        let threaded = compilation.compiler.iter().chain(&compilation.link).any(|word| THREADS.contains(&&**word));
        let running = Running {
            bound: !mpi && !threaded,
            threads,
            omp_schedule: flags.omp_schedule.map(|schedule| schedule.to_string()),
            tasks: if mpi { self.options.tasks } else { 1 },
            launcher,
            arguments: flags.arguments.clone(),
            stdin: flags.stdin.clone(),
            timeout: Duration::from_secs_f64(self.options.timeout),
        };
        let (runs, least_call_s) = (self.options.runs, self.options.least_call);
        // Another processor's clock says nothing here, and networks do not follow the clock.
        let here = || Processor::here().name == self.machine.provenance.cpu;
        let follows = !self.options.no_clock && !mpi && here();
        let ns_per_cycle = follows.then_some(self.machine.ns_per_cycle.0);
        Ok(Options { compilation, running, units: self.units(), runs, least_call_s, ns_per_cycle })
    }

    fn units(&self) -> Vec<FileId> {
        let names: FxHashSet<String> =
            pipeline::files(&self.program_options).iter().map(|file| file.display().to_string()).collect();
        self.files.iter().filter(|(_, file)| names.contains(&*file.name)).map(|(id, _)| id).collect()
    }

    fn finish(
        &self,
        options: &Options,
        outcome: Outcome,
        validation: validate::Validation,
        diagnostics: &[Diagnostic],
    ) -> Exit {
        self.terminal.report(diagnostics, &self.files);
        let complete = outcome.prediction.total_s.is_some() && !diagnostics.iter().any(Diagnostic::is_error);
        let report = ValidationReport {
            schema: ValidationReport::SCHEMA,
            program: pipeline::info(&self.program_options),
            platform: outcome.prediction.platform,
            cost_model: outcome.prediction.cost_model,
            tasks_count: self.options.tasks,
            measurement: Measurement {
                compiler: options.compilation.compiler.join(" "),
                runs: options.runs,
                least_call_s: options.least_call_s,
                overhead_s: validation.overhead_s,
                load: load(),
                cores: std::thread::available_parallelism().map_or(1, |n| u32::try_from(n.get()).unwrap_or(u32::MAX)),
                clock: validation.clock,
            },
            total: validation.total,
            functions: validation.functions,
            untimed: validation.untimed,
            summary: validation.summary,
            diagnostics: diagnostics.iter().map(|d| diagnostics::data(d, &self.files)).collect(),
        };
        let written = self.terminal.write(&self.render(&report), self.options.output.file());
        written.max(if complete { Exit::Done } else { Exit::Incomplete })
    }

    fn render(&self, report: &ValidationReport) -> String {
        match self.options.output.format {
            Format::Table => {
                let width = self.options.output.width(self.terminal.width());
                validation::table(report, self.options.top, width)
            }
            Format::Json => json(report),
            Format::Csv => validation::csv(report).unwrap_or_default(),
        }
    }
}

/// Flags of programs with several threads.
const THREADS: [&str; 4] = ["-fopenmp", "-pthread", "-lpthread", "-ftree-parallelize-loops"];

/// Words of a command that a flag gives.
fn words(flag: &str, text: &str) -> Result<Vec<String>, Diagnostic> {
    let open = || {
        let message = format!("{flag} \"{text}\": a quote stays open");
        Diagnostic::error(&codes::BUILD_FAILED, message).help("quote as for a shell")
    };
    split(text).ok_or_else(open)
}

/// Mean number of processes that wanted a processor in the last minute.
fn load() -> Option<f64> {
    std::fs::read_to_string("/proc/loadavg").ok()?.split(' ').next()?.parse().ok()
}
