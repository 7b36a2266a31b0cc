//! `chronos predict`.

use super::args::{CostModelChoice, Format, PredictArgs};
use super::exit::Exit;
use super::output::Terminal;
use super::progress::Progress;
use super::{codes, front_end, timeline};
use crate::cost::{ModelName, Source};
use crate::diag::Diagnostic;
use crate::exchange::Timeline;
use crate::machine::Machine;
use crate::machine::network::Network;
use crate::predict::symbolic::predict_symbolic;
use crate::predict::{Evaluated, Job, Outcome, Target, call_name, nodes, predict, predict_again, schedule};
use crate::program::{DataModel, Program};
use crate::replay::ReplayResult;
use crate::report::model::{Prediction, Report};
use crate::report::table::Limits;
use crate::report::{csv, diagnostics, table};
use crate::span::SourceFiles;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

pub fn run(options: &PredictArgs, terminal: &Terminal) -> Exit {
    let (machines, network) = match targets(options) {
        Ok(targets) => targets,
        Err(errors) => return terminal.report(&errors, &SourceFiles::default()),
    };
    let writable =
        terminal.writable(options.output.as_deref()).and_then(|()| timeline::writable(&options.traces, terminal));
    if let Err(error) = writable.and_then(|()| one_timeline(options)) {
        return terminal.report(&[error], &SourceFiles::default());
    }
    let mut session = Session::new(options);
    let mut predictions = Vec::new();
    let progress = Progress::new(terminal, (machines.len() * options.tasks.0.len()) as u64);
    for machine in &machines {
        if let Err(exit) = session.load(machine.data_model, terminal) {
            return exit;
        }
        for &tasks in &options.tasks.0 {
            progress.begin(format!("-n {tasks} on {}", machine.name));
            let begin = Instant::now();
            predictions.push(session.predict(machine, &network, tasks, terminal));
            let model = cost_model(options.cost_model, machine);
            terminal
                .tell(|| format!("-n {tasks} on {} ({model:?}): evaluated in {:.3?}", machine.name, begin.elapsed()));
            progress.done();
        }
    }
    drop(progress);
    session.finish(predictions, terminal)
}

fn targets(options: &PredictArgs) -> Result<(Vec<Machine>, Network), Vec<Diagnostic>> {
    let mut errors: Vec<Diagnostic> = without_expressions(options).into_iter().collect();
    let mut machines = Vec::new();
    for name in &options.machines {
        match machine(name) {
            Ok(machine) => machines.push(machine),
            Err(error) => errors.push(error),
        }
    }
    let network = Network::load(&options.network).map_err(|found| errors.extend(found)).ok();
    match network {
        Some(network) if errors.is_empty() => Ok((machines, network)),
        _ => Err(errors),
    }
}

fn machine(name: &str) -> Result<Machine, Diagnostic> {
    let is_count = |text: &str| text.split(',').next().is_some_and(|first| first.parse::<u32>().is_ok());
    match name.split_once(':') {
        Some((_, rest)) if is_count(rest) => {
            let message = format!("`--machine {name}` names a cluster of several kinds of machine");
            Err(Diagnostic::error(&codes::CLUSTER_FORM, message).help("give one machine name or file without `:COUNT`"))
        }
        _ => Machine::load(name),
    }
}

/// One program under prediction, per data model.
struct Session<'a> {
    options: &'a PredictArgs,
    programs: HashMap<DataModel, Arc<Program>>,
    current: Option<Arc<Program>>,
    files: Arc<SourceFiles>,
    /// What was evaluated and may be used again, by data model and number of tasks.
    evaluated: HashMap<(DataModel, usize), Evaluated>,
    diagnostics: Vec<Diagnostic>,
    /// How writing timelines ended.
    exit: Exit,
}

impl<'a> Session<'a> {
    fn new(options: &'a PredictArgs) -> Self {
        Self {
            options,
            programs: HashMap::new(),
            current: None,
            files: Arc::default(),
            evaluated: HashMap::new(),
            diagnostics: Vec::new(),
            exit: Exit::Done,
        }
    }

    /// Makes the program for a data model the current one.
    fn load(&mut self, model: DataModel, terminal: &Terminal) -> Result<(), Exit> {
        if let Some(program) = self.programs.get(&model) {
            self.current = Some(program.clone());
            return Ok(());
        }
        let begin = Instant::now();
        let (program, files, diagnostics) = front_end::program(&self.options.front_end, model);
        terminal.tell(|| format!("preprocessed, parsed and lowered in {:.3?}", begin.elapsed()));
        let first = self.programs.is_empty();
        self.files = files;
        let Some(program) = program else { return Err(terminal.report(&diagnostics, &self.files)) };
        let mut faults = front_end::before_evaluation(&program);
        faults.extend(front_end::unknown_function("--explain", self.options.explain.as_deref(), &program));
        if !faults.is_empty() {
            terminal.report(&[diagnostics, faults].concat(), &self.files);
            return Err(Exit::Usage);
        }
        if first {
            self.diagnostics.extend(diagnostics);
            let several = self.options.tasks.0.iter().any(|&tasks| tasks > 1);
            self.diagnostics.extend(front_end::without_mpi(&program, several));
        }
        let program = Arc::new(program);
        self.programs.insert(model, program.clone());
        self.current = Some(program);
        Ok(())
    }

    fn predict(
        &mut self,
        machine: &Machine,
        network: &Network,
        tasks: usize,
        terminal: &Terminal,
    ) -> Result<Prediction, Vec<Diagnostic>> {
        let program = self.current.clone().expect("a program was loaded before");
        let front_end = &self.options.front_end;
        let job = Job {
            assumptions: front_end::assumptions(front_end, &program)?,
            inputs: front_end::inputs(front_end)?,
            program,
            tasks,
            arguments: front_end.arguments.clone(),
        };
        let target = Target {
            machine,
            network,
            tasks_per_node: self.options.tasks_per_node,
            cost_model: cost_model(self.options.cost_model, machine),
            timeline: !self.options.traces.is_empty(),
        };
        let key = (machine.data_model, tasks);
        let mut outcome = match self.evaluated.get(&key) {
            _ if !self.options.front_end.symbolic.is_empty() => predict_symbolic(&job, target),
            Some(evaluated) => predict_again(&job, target, evaluated),
            None => predict(&job, target),
        };
        let replayed = outcome.replayed.take();
        let evaluated = outcome.activity.as_ref();
        let exit = replayed.map(|result| self.write_timeline(&job, target, (&result, evaluated), terminal));
        self.exit = self.exit.max(exit.unwrap_or(Exit::Done));
        Ok(self.keep(key, outcome))
    }

    fn write_timeline(
        &self,
        job: &Job,
        target: Target<'_>,
        (result, evaluated): (&ReplayResult, Option<&Evaluated>),
        terminal: &Terminal,
    ) -> Exit {
        let nodes = nodes(job, target);
        let name = |site: crate::activity::Site| call_name(&job.program, site.block);
        let timeline = Timeline { result, nodes: &nodes, name: &name };
        let scheduled = || evaluated.map_or_else(|| Err(no_schedule()), |evaluated| schedule(job, target, evaluated));
        timeline::write(&self.options.traces, &timeline, &scheduled, terminal)
    }

    /// A diagnostic is told once, however many machines and numbers of tasks it holds for.
    fn keep(&mut self, key: (DataModel, usize), outcome: Outcome) -> Prediction {
        for diagnostic in outcome.diagnostics {
            let same = |d: &Diagnostic| {
                d.code == diagnostic.code && d.labels == diagnostic.labels && d.message == diagnostic.message
            };
            if !self.diagnostics.iter().any(same) {
                self.diagnostics.push(diagnostic);
            }
        }
        if let Some(evaluated) = outcome.activity {
            self.evaluated.insert(key, evaluated);
        }
        outcome.prediction
    }

    fn finish(self, predictions: Vec<Result<Prediction, Vec<Diagnostic>>>, terminal: &Terminal) -> Exit {
        let predictions: Vec<Prediction> = match predictions.into_iter().collect() {
            Ok(predictions) => predictions,
            Err(errors) => return terminal.report(&errors, &self.files),
        };
        terminal.report(&self.diagnostics, &self.files);
        let wrong = self.diagnostics.iter().any(Diagnostic::is_error);
        let report = self.report(predictions);
        let written = terminal.write(&self.render(&report), self.options.output.as_deref());
        let slow = |p: &Prediction| self.options.fail_over.is_some_and(|limit| p.known_s > limit);
        if let Some(limit) = self.options.fail_over.filter(|_| report.predictions.iter().any(slow)) {
            terminal.report(&[over(limit)], &self.files);
        }
        let incomplete = wrong || !report.is_complete() || report.predictions.iter().any(slow);
        written.max(self.exit).max(if incomplete { Exit::Incomplete } else { Exit::Done })
    }

    fn report(&self, predictions: Vec<Prediction>) -> Report {
        let texts = self.files.iter().filter_map(|(_, f)| Some((f.name.to_string(), f.text.as_ref()?.to_string())));
        Report {
            schema: Report::SCHEMA,
            program: front_end::info(&self.options.front_end),
            predictions,
            sources: texts.collect(),
            diagnostics: self.diagnostics.iter().map(|d| diagnostics::data(d, &self.files)).collect(),
        }
    }

    fn limits(&self) -> Limits {
        let limits = self.options.top.map_or_else(Limits::default, Limits::top);
        Limits { explain: self.options.explain.clone(), ..limits }
    }

    fn render(&self, report: &Report) -> String {
        match self.options.format {
            Format::Table => table::render(report, &self.limits()),
            Format::Json => serde_json::to_string_pretty(report).map(|text| text + "\n").unwrap_or_default(),
            Format::Csv => csv::render(report).unwrap_or_default(),
        }
    }
}

/// The model that is asked for; else the best one that the machine has the figures of.
pub fn cost_model(choice: Option<CostModelChoice>, machine: &Machine) -> ModelName {
    match choice {
        Some(CostModelChoice::InstructionSum) => ModelName::InstructionSum,
        Some(CostModelChoice::Source) => ModelName::Source,
        None if Source::suits(machine) => ModelName::Source,
        None => ModelName::InstructionSum,
    }
}

fn without_expressions(options: &PredictArgs) -> Option<Diagnostic> {
    let asked = !options.front_end.symbolic.is_empty() && options.cost_model == Some(CostModelChoice::Source);
    let error = || Diagnostic::error(&codes::SYMBOLIC_MODEL, "--cost-model source gives no expressions for --symbolic");
    asked.then(|| error().help("use --cost-model instruction-sum, or give values with --set instead of --symbolic"))
}

fn no_schedule() -> Diagnostic {
    let message = "what the program does depends on the order in which messages arrive, or is not known to the end";
    Diagnostic::error(&crate::replay::codes::NO_SCHEDULE, message)
        .help("a schedule cannot express that; write a timeline instead (--trace-out chrome=FILE)")
}

fn one_timeline(options: &PredictArgs) -> Result<(), Diagnostic> {
    if options.traces.is_empty() || options.machines.len() * options.tasks.0.len() == 1 {
        return Ok(());
    }
    let message = "--trace-out writes the timeline of one prediction, and there are several";
    Err(Diagnostic::error(&codes::SEVERAL_TIMELINES, message).help("give one --machine and one number of tasks"))
}

fn over(limit: f64) -> Diagnostic {
    Diagnostic::error(&codes::OVER_LIMIT, format!("a prediction takes longer than {limit} s (--fail-over)"))
        .help("the exit code is 1")
}
