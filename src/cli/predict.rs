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
use crate::machine::platform::Platform;
use crate::machine::scale::Factor;
use crate::predict::recorded::{Stretches, predict_recorded};
use crate::predict::replayed::replayed as happened;
use crate::predict::symbolic::predict_symbolic;
use crate::predict::traced::predict_traced;
use crate::predict::{
    Evaluated, Job, Outcome, Target, call_name, nodes, predict, predict_again, schedule, sensitivity,
};
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
    let (places, network) = match targets(options) {
        Ok(targets) => targets,
        Err(errors) => return terminal.report(&errors, &SourceFiles::default()),
    };
    let writable = [&options.output, &options.html].iter().try_for_each(|path| terminal.writable(path.as_deref()));
    let writable = writable.and_then(|()| timeline::writable(&options.traces, terminal));
    if let Err(error) = writable.and_then(|()| one_timeline(options)) {
        return terminal.report(&[error], &SourceFiles::default());
    }
    let mut session = Session::new(options);
    let mut predictions = Vec::new();
    let progress = Progress::new(terminal, (places.len() * options.tasks.0.len()) as u64);
    for place in &places {
        if let Err(exit) = session.load(place.machine().data_model, terminal) {
            return exit;
        }
        for &tasks in &options.tasks.0 {
            progress.begin(format!("-n {tasks} on {}", place.name()));
            let begin = Instant::now();
            predictions.push(session.predict(place, &network, tasks, terminal));
            terminal.tell(|| format!("-n {tasks} on {}: evaluated in {:.3?}", place.name(), begin.elapsed()));
            progress.done();
        }
    }
    drop(progress);
    session.finish(predictions, terminal)
}

/// Where it is to be predicted: one kind of machine, or a platform.
enum Place {
    Machine(Box<Machine>),
    Platform(Box<Platform>),
}

impl Place {
    /// The first kind of machine.
    fn machine(&self) -> &Machine {
        match self {
            Self::Machine(machine) => machine,
            Self::Platform(platform) => &platform.machines[0],
        }
    }

    fn platform(&self) -> Option<&Platform> {
        match self {
            Self::Machine(_) => None,
            Self::Platform(platform) => Some(platform),
        }
    }

    fn machines_mut(&mut self) -> &mut [Machine] {
        match self {
            Self::Machine(machine) => std::slice::from_mut(machine),
            Self::Platform(platform) => &mut platform.machines,
        }
    }

    /// Makes parts of it better; machines say so in their names.
    fn scale(&mut self, factors: &[Factor]) -> Result<(), Diagnostic> {
        let of_machine: Vec<Factor> = factors.iter().filter(|f| !f.key.starts_with("network.")).cloned().collect();
        let scaled = |machine: &mut Machine| {
            let list = of_machine.iter().map(Factor::to_string).collect::<Vec<_>>().join(" ");
            machine.scaled(&format!("{} {list}", machine.name), &of_machine).map(|scaled| *machine = scaled)
        };
        match self {
            _ if factors.is_empty() => Ok(()),
            Self::Machine(machine) if !of_machine.is_empty() => scaled(machine),
            Self::Machine(_) => Ok(()),
            Self::Platform(platform) => {
                if let Some(network) = &platform.network {
                    platform.network = Some(network.scaled(factors)?);
                }
                let list = factors.iter().map(Factor::to_string).collect::<Vec<_>>().join(" ");
                platform.name = format!("{} {list}", platform.name);
                let mut machines = platform.machines.iter_mut().filter(|_| !of_machine.is_empty());
                machines.try_for_each(scaled)
            }
        }
    }

    fn name(&self) -> &str {
        self.platform().map_or(&self.machine().name, |platform| &platform.name)
    }
}

fn targets(options: &PredictArgs) -> Result<(Vec<Place>, Network), Vec<Diagnostic>> {
    let mut errors: Vec<Diagnostic> = without_expressions(options).into_iter().collect();
    let mut places = Vec::new();
    for name in &options.machines {
        match place(name, options.tasks_per_node) {
            Ok(place) => places.push(place),
            Err(error) => errors.push(error),
        }
    }
    for path in &options.platforms {
        match Platform::load(path) {
            Ok(platform) => places.push(Place::Platform(Box::new(platform))),
            Err(found) => errors.extend(found),
        }
    }
    match front_end::library_costs(&options.front_end) {
        Ok(costs) => places.iter_mut().flat_map(Place::machines_mut).for_each(|machine| costs.apply(machine)),
        Err(found) => errors.extend(found),
    }
    let library = |network: Network| match &options.mpi_library {
        Some(library) => network.with_library(library),
        None => Ok(network),
    };
    let network = Network::load(&options.network).map_err(|found| errors.extend(found)).ok();
    let network = network.and_then(|network| library(network).map_err(|error| errors.push(error)).ok());
    for place in &mut places {
        if let Place::Platform(platform) = place
            && let Some(network) = platform.network.take()
        {
            platform.network = library(network).map_err(|error| errors.push(error)).ok();
        }
    }
    let network = network.and_then(|network| network.scaled(&options.factors).map_err(|error| errors.push(error)).ok());
    places.iter_mut().filter_map(|place| place.scale(&options.factors).err()).for_each(|error| errors.push(error));
    for place in places.iter().filter_map(Place::platform) {
        errors.extend(options.tasks.0.iter().filter_map(|&tasks| place.place(tasks).err()));
    }
    match network {
        Some(network) if errors.is_empty() => Ok((places, network)),
        _ => Err(errors),
    }
}

/// `NAME|FILE`, or `A:3,B:1`.
fn place(name: &str, tasks_per_node: u32) -> Result<Place, Diagnostic> {
    match is_cluster(name) {
        true => Ok(Place::Platform(Box::new(Platform::of_kinds(name, tasks_per_node)?))),
        false => Ok(Place::Machine(Box::new(Machine::load(name)?))),
    }
}

/// What an evaluation depends on: data model, number of tasks, and the platform that places them.
type Key = (DataModel, usize, String);

fn is_cluster(name: &str) -> bool {
    let counts = |part: &str| part.rsplit_once(':').is_some_and(|(_, count)| count.parse::<u32>().is_ok());
    name.split(',').any(counts)
}

/// One program under prediction, per data model.
struct Session<'a> {
    options: &'a PredictArgs,
    programs: HashMap<DataModel, Arc<Program>>,
    current: Option<Arc<Program>>,
    files: Arc<SourceFiles>,
    /// What was evaluated and may be used again.
    evaluated: HashMap<Key, Evaluated>,
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
        place: &Place,
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
            machine: place.machine(),
            platform: place.platform(),
            network: place.platform().and_then(|platform| platform.network.as_ref()).unwrap_or(network),
            tasks_per_node: self.options.tasks_per_node,
            cost_model: cost_model(self.options.cost_model, place.machine()),
            timeline: !self.options.traces.is_empty(),
        };
        let platform = place.platform().map_or_else(String::new, |platform| platform.name.clone());
        let key = (place.machine().data_model, tasks, platform);
        let mut outcome = match (self.evaluated.get(&key), self.options.trace.as_deref()) {
            _ if !self.options.front_end.symbolic.is_empty() => predict_symbolic(&job, target),
            (Some(evaluated), _) => predict_again(&job, target, evaluated),
            (None, None) => predict(&job, target),
            (None, Some(folder)) => {
                let (trace, partial) = super::count::read_trace(folder, &job)?;
                let mut outcome = predict_traced(&job, target, &trace);
                outcome.diagnostics.extend(partial);
                outcome
            }
        };
        if let Some(base) = &self.options.recorded {
            outcome = recorded(&job, target, &outcome, (base, self.options.recorded_slower))?;
        }
        let replayed = outcome.replayed.take();
        let evaluated = outcome.activity.as_ref();
        if self.options.sensitivity {
            let found = evaluated.map(|evaluated| sensitivity(&job, target, evaluated));
            outcome.prediction.sensitivity = found.unwrap_or_default();
        }
        if let Some(evaluated) = evaluated.or(outcome.once.as_ref()).filter(|_| self.timeline_room() > 0) {
            outcome.prediction.replayed = Some(Box::new(happened(&job, target, evaluated, self.timeline_room())));
        }
        let exit = replayed.map(|result| self.write_timeline(&job, target, (&result, evaluated), terminal));
        self.exit = self.exit.max(exit.unwrap_or(Exit::Done));
        Ok(self.keep(key, outcome))
    }

    /// Spans that a report of one prediction holds; a page of many predictions has room for some of each.
    fn timeline_room(&self) -> usize {
        let options = self.options;
        let predictions = (options.machines.len() + options.platforms.len()) * options.tasks.0.len();
        match (options.format, &options.html) {
            (Format::Json, _) => options.timeline,
            (_, Some(_)) => options.timeline.min((options.timeline / predictions.max(1)).max(1000)),
            _ => 0,
        }
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
    fn keep(&mut self, key: Key, outcome: Outcome) -> Prediction {
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
        let page = self.options.html.as_deref().map(|path| super::report::write(&report, path, terminal));
        let written = written.max(page.unwrap_or(Exit::Done));
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

/// What is asked of expressions and cannot be had.
fn without_expressions(options: &PredictArgs) -> Option<Diagnostic> {
    let cluster = options.machines.iter().any(|name| is_cluster(name));
    let (message, help) = match options.cost_model {
        _ if options.front_end.symbolic.is_empty() => return None,
        Some(CostModelChoice::Source) => (
            "--cost-model source gives no expressions for --symbolic",
            "use --cost-model instruction-sum, or give values with --set instead of --symbolic",
        ),
        _ if cluster => (
            "--symbolic gives expressions of one kind of machine, not of a cluster",
            "give one machine without `:COUNT`, or values with --set instead of --symbolic",
        ),
        _ => return None,
    };
    Some(Diagnostic::error(&codes::SYMBOLIC_MODEL, message).help(help))
}

/// The same with recorded computing times.
fn recorded(
    job: &Job,
    target: Target<'_>,
    outcome: &Outcome,
    (base, slower): (&std::path::Path, f64),
) -> Result<Outcome, Vec<Diagnostic>> {
    let evaluated = outcome.activity.as_ref().ok_or_else(|| vec![no_schedule()])?;
    let read = |rank: usize| {
        let path = format!("{}.{rank}", base.display());
        std::fs::read(&path).map_err(|error| vec![unread(&path, &error)])
    };
    let files: Vec<Vec<u8>> = (0..job.tasks).map(read).collect::<Result<_, _>>()?;
    let (outcome, used) = predict_recorded(job, target, evaluated, &Stretches::of_bytes(&files, slower));
    match used.iter().enumerate().find(|(_, (used, given))| used != given) {
        Some((rank, (used, given))) => Err(vec![unlike(rank, *used, *given)]),
        None => Ok(outcome),
    }
}

fn unread(path: &str, error: &std::io::Error) -> Diagnostic {
    let message = format!("cannot read {path}: {}", crate::diag::system_cause(error));
    Diagnostic::error(&codes::INPUT_NOT_READ, message)
        .help("--recorded names the files without their last part, the rank")
}

fn unlike(rank: usize, used: usize, given: usize) -> Diagnostic {
    let message = format!("task {rank} has {used} stretches of computation, and {given} were recorded");
    Diagnostic::error(&codes::INPUT_NOT_READ, message)
        .help("record the same program with the same arguments, from the end of MPI_Init to MPI_Finalize")
}

fn no_schedule() -> Diagnostic {
    let message = "what the program does depends on the order in which messages arrive, or is not known to the end";
    Diagnostic::error(&crate::replay::codes::NO_SCHEDULE, message)
        .help("a schedule cannot express that; write a timeline instead (--trace-out chrome=FILE)")
}

fn one_timeline(options: &PredictArgs) -> Result<(), Diagnostic> {
    if options.traces.is_empty() || (options.machines.len() + options.platforms.len()) * options.tasks.0.len() == 1 {
        return Ok(());
    }
    let message = "--trace-out writes the timeline of one prediction, and there are several";
    Err(Diagnostic::error(&codes::SEVERAL_TIMELINES, message).help("give one --machine and one number of tasks"))
}

fn over(limit: f64) -> Diagnostic {
    Diagnostic::error(&codes::OVER_LIMIT, format!("a prediction takes longer than {limit} s (--fail-over)"))
        .help("the exit code is 1")
}
