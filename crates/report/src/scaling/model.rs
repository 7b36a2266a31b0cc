//! `chronos-scale/1`.

use super::analytic::AnalyticData;
use super::isoefficiency;
use crate::model::DiagnosticData;
use chronos_base::units::Seconds;
use chronos_scaling::band::{Estimate, PartLaw};
use chronos_scaling::class::Class;
use chronos_scaling::fit::Fitted;
use chronos_scaling::model::Model;
use chronos_scaling::study::{By, ReferenceFrom, Study, Verified};
use chronos_scaling::{Parts, Point};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// The studies of all series: one for each machine.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ScalingReport {
    /// `chronos-scale/1`.
    pub schema: &'static str,
    /// Programs on their machines and networks, each with its times by number of tasks.
    pub series: Vec<Series>,
    /// How much the work must grow with the tasks, where amounts of work were swept; empty elsewhere.
    pub isoefficiency: Vec<IsoefficiencyData>,
    /// Models by their parameters alone, where such were asked for.
    pub analytic: Vec<AnalyticData>,
    /// Notes, warnings and errors of the predictions and of the fits.
    pub diagnostics: Vec<DiagnosticData>,
}

impl ScalingReport {
    /// The name and version of the format.
    pub const SCHEMA: &'static str = "chronos-scale/1";

    /// A report without diagnostics.
    pub fn new(series: Vec<Series>) -> Self {
        let isoefficiency = isoefficiency::all(&series);
        Self { schema: Self::SCHEMA, series, isoefficiency, analytic: Vec::new(), diagnostics: Vec::new() }
    }

    /// Of models by their parameters.
    pub fn of_models(analytic: Vec<AnalyticData>) -> Self {
        Self { analytic, ..Self::new(Vec::new()) }
    }
}

/// The work that keeps an efficiency, over sweeps of a program on one machine.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct IsoefficiencyData {
    /// The program, without the values of the sweep.
    pub program: String,
    /// Null where the times are from a file that does not say.
    pub machine: Option<String>,
    /// Null where the times are from a file that does not say.
    pub network: Option<String>,
    /// The efficiency that is kept.
    pub efficiency: f64,
    /// Each amount of work, with the number of tasks where the efficiency falls below the level.
    pub points: Vec<IsoefficiencyPoint>,
    /// Seconds of work on one task that N tasks need, as Python writes it; null with fewer than three points.
    pub work_s: Option<String>,
    /// The exponent of N in it.
    pub exponent: Option<f64>,
    /// Root of the mean square of the relative errors of the work.
    pub rms_percent: Option<f64>,
}

/// One amount of work.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct IsoefficiencyPoint {
    /// Name of the series.
    pub series: String,
    /// Time of the work on one task.
    pub work_s: Seconds,
    /// Between two numbers of tasks, so not whole.
    pub tasks: f64,
}

/// One program on one machine, or one file of times.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Series {
    /// Files of the program, or the file that the times are from.
    pub name: String,
    /// Null where the times are from a file that does not say.
    pub machine: Option<String>,
    /// Name of the network; null where the times are from a file that does not say.
    pub network: Option<String>,
    /// What stays the same with more tasks: `work` or `work-per-task`.
    pub hold: &'static str,
    /// Time of one task, which speedups are relative to.
    pub(crate) reference_s: Seconds,
    /// Where that time comes from, in words.
    pub reference: String,
    /// Predicted or given times, by number of tasks.
    pub points: Vec<PointData>,
    /// The best first.
    pub models: Vec<ModelData>,
    /// The law of each part; they add up to the total.
    pub laws: Vec<LawData>,
    /// Calls that communicate, as expressions of the number of tasks; empty where only times are known.
    pub calls: Vec<CallData>,
    /// What these calls take without waiting, and what is computed between them, by number of tasks; empty where only
    /// times are known.
    pub a_priori: Vec<PriorData>,
    /// Null where no model suits.
    pub class: Option<ClassData>,
    /// What times beyond the points follow: `laws` of the parts, or the first of `models`; null where nothing does.
    pub extrapolated_by: Option<&'static str>,
    /// Times for numbers of tasks beyond the points; empty where none were asked for.
    pub extrapolated: Vec<Extrapolated>,
    /// Laws beside replays with more tasks than the points have; empty where none were asked for.
    pub verified: Vec<VerifiedData>,
    /// The number of tasks with the greatest speedup among points and extrapolated times.
    pub best_tasks: Option<usize>,
    /// The greatest speedup.
    pub(crate) best_speedup: Option<f64>,
    /// The most tasks whose efficiency is at least one half.
    pub(crate) half_efficient_tasks: Option<usize>,
    /// The efficiency falls below one half beyond `half_efficient_tasks`, as far as was looked.
    pub(crate) falls_below_half: bool,
    /// Where the efficiency falls below a level, between two numbers of tasks; levels that it does not fall below are
    /// left out.
    pub efficiency_crossings: Vec<Crossing>,
    /// The most tasks up to which twice as many always gain a tenth of speedup; null where not even the second point
    /// does.
    pub largest_useful_tasks: Option<usize>,
    /// Where the times are from the same program with other values: its name without them.
    #[serde(skip)]
    pub(crate) program: String,
    /// The first of `models`, to draw it.
    #[serde(skip)]
    pub(crate) best_model: Option<Model>,
}

/// Where the efficiency falls below a level.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct Crossing {
    /// The level, as a share.
    pub efficiency: f64,
    /// Number of tasks; not whole.
    pub tasks: f64,
}

/// Efficiencies whose crossings are told.
const LEVELS: [f64; 2] = [0.8, 0.5];

/// The time with one number of tasks.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PointData {
    /// Number of tasks.
    pub tasks: usize,
    /// Total time in seconds.
    pub total_s: Seconds,
    /// Speedup relative to `reference_s`.
    pub speedup: f64,
    /// Speedup by the number of tasks; 1 is perfect.
    pub efficiency: f64,
    /// Means over the tasks; with `end` they add up to `total_s`. Null where only the total is known.
    pub parts: Option<BTreeMap<&'static str, Seconds>>,
}

/// A model of scalability, fitted to the points.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ModelData {
    /// Name of the model: `flat`, `hierarchical`, `tree`, `state-space`, `massive`, `amdahl`, `scaled` or `universal`.
    pub name: &'static str,
    /// `T(N)`.
    pub formula: String,
    /// Times in seconds.
    pub parameters: BTreeMap<&'static str, f64>,
    /// Root of the mean square of the relative errors.
    pub rms_percent: f64,
    /// Greatest error at the two largest points of a fit to the others.
    pub holdout_percent: Option<f64>,
    /// Computation to communication; null where the model has no such ratio.
    pub ratio: Option<f64>,
    /// The number of tasks with the model's greatest speedup; null where the speedup only grows.
    pub best_tasks: Option<f64>,
    /// The model's greatest speedup; null where the speedup only grows.
    pub(crate) best_speedup: Option<f64>,
}

/// How the time of one part depends on the number of tasks.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LawData {
    /// `compute`, `messages`, `collective`, `idle`, `end`, or `total`.
    pub part: &'static str,
    /// In seconds, as Python writes it; `log2` and `sqrt` are functions.
    pub python: String,
}

/// What a call of the program communicates with N tasks, as Python writes it; `log2` and `sqrt` are functions.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CallData {
    /// Name of the MPI function.
    pub call: String,
    /// File and line.
    pub place: String,
    /// Executions, as the mean over all tasks.
    pub per_task: String,
    /// Mean bytes: of a message, of a buffer that is broadcast or reduced, of one block of other collective operations.
    pub bytes: String,
    /// Members of the communicator.
    pub members: String,
}

/// Means over the tasks of what the calls of the program take with nothing between them. Nothing is fitted to times.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PriorData {
    /// Number of tasks.
    pub tasks: usize,
    /// In seconds; 0 where nothing is known.
    pub parts: BTreeMap<&'static str, Seconds>,
}

impl PriorData {
    fn new((&tasks, parts): (&usize, &Parts)) -> Self {
        Self { tasks, parts: Parts::NAMES.into_iter().zip(parts.all()).collect() }
    }
}

/// How the program scales, in one of a few classes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ClassData {
    /// Name of the class.
    pub name: &'static str,
    /// What the class was told by, in words.
    pub why: String,
    /// What else is worth knowing of it, in words; null where there is nothing.
    pub remark: Option<String>,
}

/// From the laws, with what other laws and fewer points say.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Extrapolated {
    /// Number of tasks that the time is extrapolated to.
    pub tasks: usize,
    /// Total time in seconds by the likeliest laws.
    pub total_s: Seconds,
    /// The least and the greatest time by other laws and by laws of fewer points.
    pub(crate) band_s: [Seconds; 2],
    /// Speedup relative to the reference of the series.
    pub speedup: f64,
    /// Speedup by the number of tasks; 1 is perfect.
    pub efficiency: f64,
}

/// An extrapolated time beside one that was replayed afterwards.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct VerifiedData {
    /// Number of tasks of both.
    pub tasks: usize,
    /// Total time by the replay.
    pub(crate) replay_s: Seconds,
    /// Total time by the likeliest laws.
    pub(crate) law_s: Seconds,
    /// The least and the greatest time by other laws and by laws of fewer points.
    pub(crate) band_s: [Seconds; 2],
    /// Error of the laws relative to the replayed time, in percent.
    pub error_percent: f64,
    /// The band holds the replayed time.
    pub holds: bool,
}

/// Whose times they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// Name of the program without the values of a sweep, or of the file.
    pub program: String,
    /// Name of the program, or of the file that the times are from.
    pub name: String,
    /// Name of the machine; `None` where a file of times does not say.
    pub machine: Option<String>,
    /// Name of the network; `None` where a file of times does not say.
    pub network: Option<String>,
}

impl Series {
    /// The data of a study.
    pub fn new(origin: Origin, study: &Study) -> Self {
        let half = study.half_efficient();
        let best = study.best();
        Self {
            name: origin.name,
            machine: origin.machine,
            network: origin.network,
            hold: study.hold.name(),
            reference_s: study.reference.time,
            reference: reference(study.reference.from),
            points: study.points.iter().map(|point| PointData::new(study, point)).collect(),
            models: study.models.iter().map(ModelData::new).collect(),
            laws: study.laws.iter().flat_map(|laws| &laws.parts).map(LawData::new).collect(),
            calls: Vec::new(),
            a_priori: study.priors.iter().map(PriorData::new).collect(),
            class: study.class.as_ref().map(ClassData::new),
            extrapolated_by: study.by.map(By::name),
            extrapolated: study.beyond.iter().map(|estimate| Extrapolated::new(study, estimate)).collect(),
            verified: study.verified.iter().map(VerifiedData::new).collect(),
            best_tasks: best.map(|(tasks, _)| tasks),
            best_speedup: best.map(|(_, speedup)| speedup),
            half_efficient_tasks: half.map(|(tasks, _)| tasks),
            falls_below_half: half.is_none_or(|(_, falls)| falls),
            efficiency_crossings: LEVELS.into_iter().filter_map(|level| crossing(study, level)).collect(),
            largest_useful_tasks: study.largest_useful(),
            program: origin.program,
            best_model: study.models.first().map(|fitted| fitted.model),
        }
    }
}

fn crossing(study: &Study, efficiency: f64) -> Option<Crossing> {
    study.crossing(efficiency).map(|tasks| Crossing { efficiency, tasks: tasks.0 })
}

fn reference(from: ReferenceFrom) -> String {
    match from {
        ReferenceFrom::OneTask => "the time with one task".to_owned(),
        ReferenceFrom::ComputeTimes { tasks } => format!("the computing times of {tasks} tasks"),
        ReferenceFrom::Efficient { tasks } => format!("the time with {tasks} tasks, taken to be perfectly efficient"),
    }
}

impl PointData {
    fn new(study: &Study, point: &Point) -> Self {
        let parts = point.parts.map(|parts| Parts::NAMES.into_iter().zip(parts.all()).collect());
        Self {
            tasks: point.tasks,
            total_s: point.total,
            speedup: study.speedup(point.tasks, point.total),
            efficiency: study.efficiency(point.tasks, point.total),
            parts,
        }
    }
}

impl ModelData {
    fn new(fitted: &Fitted) -> Self {
        let model = &fitted.model;
        let best = model.best_tasks();
        Self {
            name: model.name(),
            formula: model.formula(),
            parameters: model.parameters().into_iter().collect(),
            rms_percent: fitted.rms_percent,
            holdout_percent: fitted.holdout_percent,
            ratio: model.ratio(),
            best_tasks: best.map(|n| n.0),
            best_speedup: best.map(|n| model.speedup(n)),
        }
    }
}

impl LawData {
    fn new(part: &PartLaw) -> Self {
        Self { part: part.name, python: part.law.python(&|x| format!("{x:.6e}")) }
    }
}

impl ClassData {
    fn new(class: &Class) -> Self {
        Self { name: class.name, why: class.why.clone(), remark: class.remark.clone() }
    }
}

impl Extrapolated {
    fn new(study: &Study, estimate: &Estimate) -> Self {
        Self {
            tasks: estimate.tasks,
            total_s: estimate.time,
            band_s: [estimate.low, estimate.high],
            speedup: study.speedup(estimate.tasks, estimate.time),
            efficiency: study.efficiency(estimate.tasks, estimate.time),
        }
    }
}

impl VerifiedData {
    fn new(verified: &Verified) -> Self {
        let Verified { estimate, replayed } = *verified;
        Self {
            tasks: estimate.tasks,
            replay_s: replayed,
            law_s: estimate.time,
            band_s: [estimate.low, estimate.high],
            error_percent: verified.error_percent(),
            holds: verified.holds(),
        }
    }
}
