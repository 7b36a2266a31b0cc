//! Points of a study from predictions, with what the program communicates.

use super::{ScalingInput, SeriesInput, point_of};
use crate::cli::args::ScaleArgs;
use crate::cli::exit::Exit;
use crate::cli::output::Terminal;
use crate::cli::progress::TerminalProgress;
use chronos_base::diag::Diagnostic;
use chronos_pipeline::{self as pipeline, PredictOptions, SweepPlan, SweepPoint};
use chronos_predict::a_priori::{APriori, CallLaws, CommunicationProfile};
use chronos_report::model::Prediction;
use chronos_report::scaling::model::{CallData, Origin};
use chronos_scaling::class::Collected;
use chronos_scaling::law::Law;
use chronos_scaling::study::of_interest;
use std::collections::BTreeMap;
use std::time::Instant;

/// What predictions of one series say of its communication.
struct Communication {
    /// Any point of the series.
    point: SweepPoint,
    profiles: Vec<CommunicationProfile>,
}

pub(super) fn predicted(options: &ScaleArgs, terminal: &Terminal) -> Result<ScalingInput, Exit> {
    let verify = options.verify.as_ref().map_or(&[][..], |counts| &counts.0);
    let fitted = |tasks: usize| options.points.tasks().contains(&tasks);
    let tasks: Vec<usize> =
        options.points.tasks().iter().copied().chain(verify.iter().copied().filter(|&n| !fitted(n))).collect();
    let progress = TerminalProgress::new(terminal);
    let plan = SweepPlan::new(predict_options(options, tasks), &progress).map_err(|r| terminal.refuse(&r))?;
    let mut found = ScalingInput::default();
    let mut communication: BTreeMap<usize, Communication> = BTreeMap::new();
    plan.read().for_each(|(files, diagnostics)| found.told.add(diagnostics, files));
    let made = plan.run(&progress, |sweep_point, result| {
        found.told.add(&result.diagnostics, plan.files(sweep_point));
        let (tasks, system) = (sweep_point.tasks, plan.system_name(sweep_point));
        progress.suspend(|| terminal.tell(|| format!("-n {tasks} on {system}: {:.3?}", result.took)));
        let Some(point) = point_of(&result.prediction) else {
            found.exit = found.exit.max(Exit::Incomplete);
            return;
        };
        let series = found.add(origin(options, &result.prediction), point, fitted(tasks));
        let none = || Communication { point: sweep_point.clone(), profiles: Vec::new() };
        let profiles = &mut communication.entry(series).or_insert_with(none).profiles;
        profiles.extend(result.communication.filter(|_| fitted(tasks)));
    });
    drop(progress);
    made.map_err(|refused| terminal.refuse(&refused))?;
    for (series, communication) in communication {
        let shown = add_a_priori(options, terminal, &plan, &mut found.series[series], &communication)?;
        found.told.add(&shown, plan.files(&communication.point));
    }
    Ok(found)
}

/// What follows from counts alone, and what that shows.
fn add_a_priori(
    options: &ScaleArgs,
    terminal: &Terminal,
    plan: &SweepPlan,
    series: &mut SeriesInput,
    communication: &Communication,
) -> Result<Vec<Diagnostic>, Exit> {
    let begin = Instant::now();
    let a_priori = APriori::new(&communication.profiles);
    let interest = of_interest(&series.known, &series.questions(options));
    let priors = plan.priors(&communication.point, &a_priori, interest);
    let (priors, shown) = priors.map_err(|refused| terminal.refuse(&refused))?;
    series.priors = priors;
    let name = |laws: &CallLaws| plan.call_name(&communication.point, laws.call);
    series.calls = a_priori.calls().iter().map(|laws| call_data(&name(laws), laws)).collect();
    series.collected = match a_priori.calls().iter().find(|laws| is_collected(laws)) {
        Some(laws) => Collected::OneByOne { call: name(laws) },
        None if a_priori.calls().is_empty() => Collected::Unknown,
        None => Collected::Otherwise,
    };
    terminal.tell(|| format!("times of calls a priori: {:.3?}", begin.elapsed()));
    Ok(shown)
}

/// Nearly all messages of a call go to one task.
fn is_collected(laws: &CallLaws) -> bool {
    laws.is_message() && laws.to_one > 0.9
}

fn call_data(name: &str, laws: &CallLaws) -> CallData {
    let (call, place) = name.split_once(' ').unwrap_or((name, ""));
    let python = |law: &Law| law.python(&number);
    CallData {
        call: call.to_owned(),
        place: place.to_owned(),
        per_task: python(&laws.per_task),
        bytes: python(&laws.bytes),
        members: python(&laws.members),
    }
}

/// Whole numbers without a fraction: counts are whole, or means of whole ones.
fn number(x: f64) -> String {
    let whole = x.round();
    if (x - whole).abs() <= 1e-6 * x.abs() && whole.abs() < 1e15 { format!("{whole:.0}") } else { format!("{x:.6}") }
}

fn predict_options(options: &ScaleArgs, tasks: Vec<usize>) -> PredictOptions {
    let common = options.systems.predict_options(vec![options.front_end.program()], &options.points);
    PredictOptions { tasks, communication: true, run: options.work.options(), ..common }
}

fn name(options: &ScaleArgs) -> String {
    pipeline::info(&options.front_end.program()).files.join(" ")
}

fn origin(options: &ScaleArgs, prediction: &Prediction) -> Origin {
    let values = prediction.sweep.iter().map(|value| format!(", {} = {}", value.name, value.value));
    let name = std::iter::once(name(options)).chain(values).collect();
    let platform = &prediction.platform;
    Origin {
        program: self::name(options),
        name,
        machine: Some(platform.machine.clone()),
        network: Some(platform.network.clone()),
    }
}
