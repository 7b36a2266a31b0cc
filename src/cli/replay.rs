//! `chronos replay`: schedules of other tools on a network.

use super::args::{Format, ReplayArgs};
use super::exit::Exit;
use super::output::Terminal;
use super::{codes, timeline};
use crate::activity::schedule::Schedule;
use crate::diag::{Diagnostic, system_cause};
use crate::exchange::{self, Timeline, goal};
use crate::machine;
use crate::machine::network::{Network, scale};
use crate::predict::TIMELINE_ROOM;
use crate::replay::{Placement, ReplayOptions, ReplayResult, loggops};
use crate::report::model::{Platform, Prediction, ProgramInfo, Report, Task};
use crate::report::table::Limits;
use crate::report::{csv, diagnostics, table};
use crate::span::SourceFiles;
use crate::units::Picoseconds;
use std::path::Path;
use std::time::Instant;

pub fn run(options: &ReplayArgs, terminal: &Terminal) -> Exit {
    match read(options, terminal) {
        Ok((schedule, network, platform)) => replay(options, terminal, &schedule, &network, platform.as_ref()),
        Err(errors) => terminal.report(&errors, &SourceFiles::default()),
    }
}

type Input = (Schedule, Network, Option<machine::platform::Platform>);

fn read(options: &ReplayArgs, terminal: &Terminal) -> Result<Input, Vec<Diagnostic>> {
    let writable =
        terminal.writable(options.output.as_deref()).and_then(|()| timeline::writable(&options.traces, terminal));
    writable.map_err(|error| vec![error])?;
    let platform = options.platform.as_deref().map(machine::platform::Platform::load).transpose()?;
    let network = match platform.as_ref().and_then(|platform| platform.network.clone()) {
        Some(network) => network,
        None => Network::load(&options.network)?,
    };
    let network = network.scaled(&options.factors).map_err(|error| vec![error])?;
    if let Some(factor) = options.factors.iter().find(|factor| !factor.key.starts_with("network.")) {
        return Err(vec![only_network(&factor.key)]);
    }
    let begin = Instant::now();
    let text = std::fs::read_to_string(&options.file).map_err(|error| vec![unreadable(&options.file, &error)])?;
    let schedule = goal::parse(&options.file.display().to_string(), &text).map_err(|error| vec![error])?;
    terminal.tell(|| format!("{} operations read in {:.3?}", schedule.operations(), begin.elapsed()));
    if let Some(platform) = &platform {
        platform.place(schedule.tasks.len()).map_err(|error| vec![error])?;
    }
    Ok((schedule, network, platform))
}

/// Times of computing are given; a factor for a machine would change nothing.
fn only_network(key: &str) -> Diagnostic {
    Diagnostic::error(&codes::NOTHING_TO_SCALE, format!("`--scale {key}` is no part of a network"))
        .help(format!("a schedule gives its own computing times; of the network scale {}", scale::KEYS.join(", ")))
}

fn unreadable(path: &Path, error: &std::io::Error) -> Diagnostic {
    let message = format!("cannot read {}: {}", path.display(), system_cause(error));
    Diagnostic::error(&exchange::codes::UNREADABLE, message).help("name a GOAL schedule (text)")
}

fn replay(
    options: &ReplayArgs,
    terminal: &Terminal,
    schedule: &Schedule,
    network: &Network,
    platform: Option<&machine::platform::Platform>,
) -> Exit {
    let blocks = || (0..schedule.tasks.len() as u32).map(|task| task / options.tasks_per_node).collect();
    let nodes: Vec<u32> =
        platform.and_then(|platform| platform.place(schedule.tasks.len()).ok()).unwrap_or_else(blocks);
    let begin = Instant::now();
    let mut result = play(options, schedule, (network, platform), &nodes);
    terminal.tell(|| {
        let elapsed = begin.elapsed();
        let rate = schedule.operations() as f64 / elapsed.as_secs_f64() / 1e6;
        format!("replayed in {elapsed:.3?}: {rate:.1} million operations per second")
    });
    let faults = std::mem::take(&mut result.diagnostics);
    let timeline = Timeline { result: &result, nodes: &nodes, name: &|_| "call".to_owned() };
    let traced = timeline::write(&options.traces, &timeline, &|| Ok(schedule.clone()), terminal);
    let report = report(options, network, &result, &faults);
    terminal.report(&faults, &SourceFiles::default());
    let written = terminal.write(&render(options, &report), options.output.as_deref());
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
fn play(
    options: &ReplayArgs,
    schedule: &Schedule,
    (network, platform): (&Network, Option<&machine::platform::Platform>),
    nodes: &[u32],
) -> ReplayResult {
    let room = if options.traces.is_empty() { 0 } else { TIMELINE_ROOM };
    if let Some(parameters) = network.loggops.as_ref().filter(|_| platform.is_none()) {
        return loggops::replay(schedule, parameters, room);
    }
    let mut pricing = |_, work, _: &crate::activity::Segments| match work {
        crate::activity::Work::Time(time) => time,
        crate::activity::Work::Segment(_) => Picoseconds::ZERO,
    };
    let mut settings = ReplayOptions::new(network, &mut pricing, &|_| None);
    (settings.timeline, settings.messages) = (room, room);
    let sockets = platform.map_or_else(Vec::new, |platform| platform.sockets(nodes));
    settings.placement = Placement { nodes: nodes.to_vec(), sockets, ..Placement::default() };
    settings.links = platform.and_then(|platform| platform.links.as_ref());
    crate::replay::replay(&mut goal::ScheduleFeed::new(schedule), settings)
}

fn report(options: &ReplayArgs, network: &Network, result: &ReplayResult, faults: &[Diagnostic]) -> Report {
    let task = |(rank, time): (usize, &crate::replay::TaskTime)| Task {
        rank,
        machine: String::new(),
        total_s: time.end.as_seconds(),
        compute_s: time.compute.as_seconds(),
        send_s: time.send.as_seconds(),
        recv_s: time.recv.as_seconds(),
        collective_s: time.collective.as_seconds(),
        idle_s: time.idle.as_seconds(),
        late_sender_s: time.causes.late_sender.as_seconds(),
        late_receiver_s: time.causes.late_receiver.as_seconds(),
        late_member_s: time.causes.collective.as_seconds(),
    };
    let known_s = result.total.as_seconds();
    let prediction = Prediction {
        platform: Platform { machine: "given times".to_owned(), network: network.name.clone() },
        tasks_count: result.tasks.len(),
        sweep: Vec::new(),
        total_s: result.complete.then_some(known_s),
        interval_s: None,
        known_s,
        cost_model: "given times".to_owned(),
        tasks: result.tasks.iter().enumerate().map(task).collect(),
        functions: Vec::new(),
        blocks: Vec::new(),
        call_tree: Vec::new(),
        calls: Vec::new(),
        wtime: Vec::new(),
        critical_path: Vec::new(),
        assumptions: Vec::new(),
        sensitivity: Vec::new(),
        loops: Vec::new(),
        replayed: None,
        symbolic: None,
    };
    let files = SourceFiles::default();
    Report {
        schema: Report::SCHEMA,
        program: ProgramInfo {
            files: vec![options.file.display().to_string()],
            arguments: Vec::new(),
            defines: Vec::new(),
        },
        predictions: vec![prediction],
        sources: Default::default(),
        diagnostics: faults.iter().map(|fault| diagnostics::data(fault, &files)).collect(),
    }
}

fn render(options: &ReplayArgs, report: &Report) -> String {
    match options.format {
        Format::Table => table::render(report, &options.top.map_or_else(Limits::default, Limits::top)),
        Format::Json => serde_json::to_string_pretty(report).map(|text| text + "\n").unwrap_or_default(),
        Format::Csv => csv::render(report).unwrap_or_default(),
    }
}
