//! `chronos replay`: schedules of other tools on a network.

use super::args::{Format, ReplayArgs};
use super::exit::Exit;
use super::output::Terminal;
use super::{codes, timeline};
use chronos_activity::schedule::Schedule;
use chronos_activity::{Activity, Work};
use chronos_base::diag::{Diagnostic, system_cause};
use chronos_base::span::SourceFiles;
use chronos_base::units::Picoseconds;
use chronos_machine::network::{Network, scale};
use chronos_machine::platform::Platform as Cluster;
use chronos_predict::TIMELINE_ROOM;
use chronos_replay::{Placement, ReplayOptions, ReplayResult, TaskTime, loggops};
use chronos_report::model::{Platform, Prediction, ProgramInfo, Report};
use chronos_report::table::Limits;
use chronos_report::{csv, diagnostics, table};
use chronos_tool_formats::{self as exchange, Timeline, goal, ti};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Instant;

pub fn run(options: &ReplayArgs, terminal: &Terminal) -> Exit {
    match read(options, terminal) {
        Ok(all) => replay(options, terminal, &all),
        Err(errors) => terminal.report(&errors, &SourceFiles::default()),
    }
}

/// What is replayed.
enum Input {
    Schedule(Schedule),
    Trace(Activity),
}

impl Input {
    fn tasks(&self) -> usize {
        match self {
            Self::Schedule(schedule) => schedule.len(),
            Self::Trace(activity) => activity.tasks.len(),
        }
    }

    fn operations(&self) -> u64 {
        match self {
            Self::Schedule(schedule) => schedule.operations(),
            Self::Trace(activity) => activity.tasks.iter().map(|steps| steps.len() as u64).sum(),
        }
    }

    fn schedule(&self, network: &Network) -> Result<Schedule, Diagnostic> {
        match self {
            Self::Schedule(schedule) => Ok(schedule.clone()),
            Self::Trace(activity) => chronos_replay::unfold(activity, network, &mut |_, work| given(work)),
        }
    }

    fn trace(&self, rate: f64) -> Result<String, Diagnostic> {
        match self {
            Self::Schedule(_) => Err(no_trace()),
            Self::Trace(activity) => ti::render(activity, &mut |_, work| given(work), rate, usize::MAX),
        }
    }
}

fn no_trace() -> Diagnostic {
    let message =
        "a schedule cannot be written as a time-independent trace: its operations need not follow one another";
    Diagnostic::error(&exchange::codes::NO_TRACE, message).help("write it as a schedule (--trace-out goal=FILE)")
}

fn given(work: Work) -> Picoseconds {
    match work {
        Work::Time(time) => time,
        Work::Segment(_) => Picoseconds::ZERO,
    }
}

/// The file as what its begin says that it is.
fn input(path: &Path, rate: f64) -> Result<Input, Diagnostic> {
    let name = path.display().to_string();
    if begins_as_schedule(path).map_err(|error| unreadable(path, &error))? {
        let read = File::open(path).and_then(|file| goal::read(&name, file));
        return read.map_err(|error| unreadable(path, &error))?.map(Input::Schedule);
    }
    let text = std::fs::read_to_string(path).map_err(|error| unreadable(path, &error))?;
    if ti::is_trace(&text) {
        return ti::parse([(name.as_str(), text.as_str())], rate).map(Input::Trace);
    }
    let listed = text.lines().map(str::trim).filter(|line| !line.is_empty()).map(PathBuf::from);
    let beside = |file: &PathBuf| path.parent().map_or_else(|| file.clone(), |folder| folder.join(file));
    let found = |file: PathBuf| [beside(&file), file].into_iter().rev().find(|file| file.is_file());
    let files: Option<Vec<PathBuf>> = listed.map(found).collect();
    match files.filter(|files| !files.is_empty()) {
        None => goal::parse(&name, &text).map(Input::Schedule),
        Some(files) => traces(&files, rate).map(Input::Trace),
    }
}

fn begins_as_schedule(path: &Path) -> std::io::Result<bool> {
    const ENOUGH: u64 = 1 << 16;
    let mut begin = Vec::new();
    File::open(path)?.take(ENOUGH).read_to_end(&mut begin)?;
    Ok(goal::is_schedule(&begin))
}

fn traces(files: &[PathBuf], rate: f64) -> Result<Activity, Diagnostic> {
    let read = |file: &PathBuf| {
        let text = std::fs::read_to_string(file).map_err(|error| unreadable(file, &error))?;
        Ok((file.display().to_string(), text))
    };
    let texts: Result<Vec<(String, String)>, Diagnostic> = files.iter().map(read).collect();
    ti::parse(texts?.iter().map(|(name, text)| (name.as_str(), text.as_str())), rate)
}

/// What is replayed, and on what.
struct All {
    input: Input,
    network: Network,
    platform: Option<Cluster>,
}

fn read(options: &ReplayArgs, terminal: &Terminal) -> Result<All, Vec<Diagnostic>> {
    let writable =
        terminal.writable(options.output.file()).and_then(|()| timeline::writable(&options.traces, terminal));
    writable.map_err(|error| vec![error])?;
    let platform = options.platform.as_deref().map(Cluster::load).transpose()?;
    let network = match platform.as_ref().and_then(|platform| platform.network.clone()) {
        Some(network) => network,
        None => Network::load(&options.network)?,
    };
    let network = network.scaled(&options.factors).map_err(|error| vec![error])?;
    if let Some(factor) = options.factors.iter().find(|factor| !factor.key.starts_with("network.")) {
        return Err(vec![only_network(&factor.key)]);
    }
    let begin = Instant::now();
    let input = input(&options.file, options.flop_rate).map_err(|error| vec![error])?;
    terminal.tell(|| format!("{} operations read in {:.3?}", input.operations(), begin.elapsed()));
    if let Some(platform) = &platform {
        platform.place(input.tasks()).map_err(|error| vec![error])?;
    }
    Ok(All { input, network, platform })
}

/// Times of computing are given; a factor for a machine would change nothing.
fn only_network(key: &str) -> Diagnostic {
    Diagnostic::error(&codes::NOTHING_TO_SCALE, format!("`--scale {key}` is no part of a network"))
        .help(format!("a schedule gives its own computing times; of the network scale {}", scale::KEYS.join(", ")))
}

fn unreadable(path: &Path, error: &std::io::Error) -> Diagnostic {
    let message = format!("cannot read {}: {}", path.display(), system_cause(error));
    Diagnostic::error(&exchange::codes::UNREADABLE, message)
        .help("name a GOAL schedule (text) or a time-independent trace")
}

fn replay(options: &ReplayArgs, terminal: &Terminal, all: &All) -> Exit {
    let All { input, network, platform } = all;
    let blocks = || (0..input.tasks() as u32).map(|task| task / options.tasks_per_node).collect();
    let placed = platform.as_ref().and_then(|platform| platform.place(input.tasks()).ok());
    let nodes: Vec<u32> = placed.unwrap_or_else(blocks);
    let begin = Instant::now();
    let mut result = match play(options, all, &nodes) {
        Ok(result) => result,
        Err(error) => return terminal.report(&[error], &SourceFiles::default()).max(Exit::Incomplete),
    };
    terminal.tell(|| {
        let elapsed = begin.elapsed();
        let rate = input.operations() as f64 / elapsed.as_secs_f64() / 1e6;
        format!("replayed in {elapsed:.3?}: {rate:.1} million operations per second")
    });
    let faults = std::mem::take(&mut result.diagnostics);
    let timeline = Timeline { result: &result, nodes: &nodes, name: &|_| "call".to_owned() };
    let (schedule, trace) = (|| input.schedule(network), || input.trace(options.flop_rate));
    let activities = timeline::Activities { schedule: &schedule, trace: &trace };
    let traced = timeline::write(&options.traces, &timeline, &activities, terminal);
    let report = report(options, network, &result, &faults);
    terminal.report(&faults, &SourceFiles::default());
    let written = terminal.write(&render(options, report), options.output.file());
    let limit = options.fail_over.filter(|&limit| result.total.as_seconds() > limit);
    if let Some(limit) = limit {
        terminal.report(&[over(limit)], &SourceFiles::default());
    }
    let wrong = !result.complete || faults.iter().any(Diagnostic::is_error) || limit.is_some();
    traced.max(written).max(if wrong { Exit::Incomplete } else { Exit::Done })
}

fn over(limit: f64) -> Diagnostic {
    Diagnostic::error(&codes::OVER_LIMIT, format!("the replay takes longer than {limit} s (--fail-over)"))
        .help("the exit code is 1")
}

/// A LogGOPS model alone where nothing else is said; computing times are given, whatever the machines of a platform.
fn play(options: &ReplayArgs, all: &All, nodes: &[u32]) -> Result<ReplayResult, Diagnostic> {
    let All { input, network, platform } = all;
    let room = if options.traces.is_empty() { 0 } else { TIMELINE_ROOM };
    if let Some(parameters) = network.loggops.as_ref().filter(|_| platform.is_none()) {
        return match input {
            Input::Schedule(schedule) => Ok(loggops::replay(schedule, parameters, room)),
            Input::Trace(_) => Ok(loggops::replay(&input.schedule(network)?, parameters, room)),
        };
    }
    let mut pricing = |_, work, _: &chronos_activity::Segments| given(work);
    let mut settings = ReplayOptions::new(network, &mut pricing, &|_| None);
    (settings.timeline, settings.messages) = (room, room);
    let sockets = platform.as_ref().map_or_else(Vec::new, |platform| platform.sockets(nodes));
    settings.placement = Placement { nodes: nodes.to_vec(), sockets, ..Placement::default() };
    settings.links = platform.as_ref().and_then(|platform| platform.links.as_ref());
    Ok(match input {
        Input::Schedule(schedule) => goal::replay(schedule, settings),
        Input::Trace(activity) => chronos_replay::replay_activity(activity, settings),
    })
}

fn report(options: &ReplayArgs, network: &Network, result: &ReplayResult, faults: &[Diagnostic]) -> Report {
    let task = |(rank, time): (usize, &TaskTime)| chronos_predict::task(rank, String::new(), time);
    let known_s = result.total.as_seconds();
    let given = "given times";
    let platform = Platform { machine: given.to_owned(), network: network.name.clone() };
    let prediction = Prediction {
        total_s: result.complete.then_some(known_s),
        known_s,
        tasks: result.tasks.iter().enumerate().map(task).collect(),
        ..Prediction::unknown(platform, result.tasks.len(), given)
    };
    let files = SourceFiles::default();
    Report {
        schema: Report::SCHEMA,
        program: ProgramInfo {
            executable: None,
            files: vec![options.file.display().to_string()],
            arguments: Vec::new(),
            defines: Vec::new(),
        },
        predictions: vec![prediction],
        sources: Default::default(),
        diagnostics: faults.iter().map(|fault| diagnostics::data(fault, &files)).collect(),
    }
}

fn render(options: &ReplayArgs, report: Report) -> String {
    let of_each = options.per_task || options.output.format == Format::Table;
    let report = if of_each { report } else { report.in_classes() };
    let limits = options.top.map_or_else(Limits::default, Limits::top);
    match options.output.format {
        Format::Table => table::render(&report, &Limits { per_task: options.per_task, ..limits }),
        Format::Json => report.json(),
        Format::Csv => csv::render(&report).unwrap_or_default(),
    }
}
