//! The sections of the report: tasks, functions, blocks. Tasks for which an expression is the same
//! share a row.

use super::prices::Prices;
use super::sum::{Time, TimeSum};
use super::text;
use crate::evaluation::Job;
use crate::report_sections::kind;
use chronos_activity::TaskId;
use chronos_base::ids::Id as _;
use chronos_interpreter::describe;
use chronos_ir::{BlockId, FuncId, Parameter, ParameterId, ParameterKind, Program};
use chronos_report::model::source_name;
use chronos_report::symbolic::{BlockTimes, FunctionTimes, ParameterInfo, SymbolicTimes, TaskTimes, TimeExpression};
use chronos_symbolic::{SymbolicCounts, TaskCounts};
use chronos_values::ReasonId;
use num_bigint::BigInt;
use num_rational::BigRational;
use std::collections::BTreeMap;

/// Counts and costs, to be joined.
pub(crate) struct SymbolicReport<'a> {
    pub(super) job: &'a Job,
    pub(super) counts: &'a SymbolicCounts,
    pub(super) prices: &'a Prices<'a>,
    /// By symbol; `None` where a parameter has no default.
    pub(super) defaults: Option<Vec<BigRational>>,
    /// The same for parameters that are large; nothing where they have defaults.
    pub(super) large: Option<Vec<BigRational>>,
}

/// Sums of one group of tasks.
#[derive(Default)]
struct Sums {
    total: TimeSum,
    blocks: BTreeMap<BlockId, TimeSum>,
    exclusive: BTreeMap<FuncId, TimeSum>,
    inclusive: BTreeMap<FuncId, TimeSum>,
}

impl<'a> SymbolicReport<'a> {
    pub fn new(job: &'a Job, counts: &'a SymbolicCounts, prices: &'a Prices<'a>) -> Self {
        let parameters: Option<Vec<i64>> = job.program.parameters.values().map(|p| default(p, job)).collect();
        let value = |values: &[i64], id: ParameterId| BigInt::from(values.get(id.index()).copied().unwrap_or(0));
        let defaults = parameters.and_then(|values| counts.atoms.values(&|id| value(&values, id)));
        let large = |id: ParameterId| BigInt::from(LARGE * (id.index() + 1));
        let large = if defaults.is_none() { counts.atoms.values(&large) } else { None };
        Self { job, counts, prices, defaults, large }
    }

    /// Times of blocks, with how many tasks have them.
    #[cfg(test)]
    pub(crate) fn block_times(&self) -> Vec<(usize, BlockId, Time)> {
        let groups = self.counts.tasks.iter().map(|(tasks, counts)| (tasks.len(), self.sums(counts)));
        let times = groups
            .flat_map(|(tasks, sums)| sums.blocks.into_iter().map(move |(block, time)| (tasks, block, time.finish())));
        times.collect()
    }

    pub fn report(&self) -> SymbolicTimes {
        let groups: Vec<(&[TaskId], Sums)> =
            self.counts.tasks.iter().map(|(tasks, counts)| (tasks.as_slice(), self.sums(counts))).collect();
        let tasks = shared(groups.iter().map(|(tasks, sums)| (*tasks, sums.total.finish())));
        let tasks: Vec<TaskTimes> =
            tasks.into_iter().map(|(tasks, time)| TaskTimes { tasks, compute: self.expression(&time) }).collect();
        SymbolicTimes {
            parameters: self.job.program.parameters.values().map(|p| self.parameter(p)).collect(),
            python_prelude: text::python_prelude(&self.counts.atoms),
            checked: Vec::new(),
            communicating_total: None,
            complete: !tasks.is_empty() && tasks.iter().all(|task| task.compute.complete),
            total: self.total(&tasks),
            tasks,
            segments: self.segments(),
            functions: self.functions(&groups),
            blocks: self.blocks(&groups),
        }
    }

    /// Mean computing time of the tasks where the parameters have these values, in seconds; `None` where that is not known.
    pub fn computing_at(&self, values: &[i64]) -> Option<f64> {
        let value = |id: ParameterId| BigInt::from(values.get(id.index()).copied().unwrap_or(0));
        let symbols = self.counts.atoms.values(&value)?;
        let (mut sum, mut tasks) = (0.0, 0);
        for (group, counts) in &self.counts.tasks {
            let time = self.sums(counts).total.finish();
            if !time.certainty.complete {
                return None;
            }
            sum += time.nanoseconds(&symbols) * group.len() as f64;
            tasks += group.len();
        }
        (tasks > 0).then(|| sum / tasks as f64 / 1e9)
    }

    /// The time of a program whose tasks all do the same and never wait.
    fn total(&self, tasks: &[TaskTimes]) -> Option<TimeExpression> {
        let program = &self.job.program;
        let communicates = program.main.is_none_or(|main| program.functions[main].effects.reaches_mpi);
        match tasks {
            [all] if !communicates => Some(all.compute.clone()),
            _ => None,
        }
    }

    fn sums(&self, counts: &TaskCounts) -> Sums {
        let mut sums = Sums::default();
        let program = &self.job.program;
        for (context, counter, count) in &counts.counts {
            let mut time = TimeSum::default();
            time.add(count, self.prices.of(program, *counter));
            self.enter(&mut sums, *context, program.block_of(*counter), &time);
        }
        for (context, block, bytes) in &counts.volumes {
            let mut time = TimeSum::default();
            time.add(bytes, self.prices.per_byte(*block));
            self.enter(&mut sums, *context, *block, &time);
        }
        sums
    }

    /// A function stands on a path of contexts once, so nothing is counted twice.
    fn enter(&self, sums: &mut Sums, context: chronos_activity::ContextId, block: BlockId, time: &TimeSum) {
        let segments = &self.counts.segments;
        sums.total.add_sum(time);
        sums.blocks.entry(block).or_default().add_sum(time);
        sums.exclusive.entry(segments.context(context).function).or_default().add_sum(time);
        for (_, on_path) in segments.path(context) {
            sums.inclusive.entry(on_path.function).or_default().add_sum(time);
        }
    }

    fn functions(&self, groups: &[(&[TaskId], Sums)]) -> Vec<FunctionTimes> {
        let mut all = Vec::new();
        for id in self.job.program.functions.ids() {
            let times = groups.iter().filter_map(|(tasks, sums)| {
                let inclusive = sums.inclusive.get(&id)?.finish();
                let exclusive = sums.exclusive.get(&id).cloned().unwrap_or_default().finish();
                Some((*tasks, (inclusive, exclusive)))
            });
            all.extend(shared(times).into_iter().map(|(tasks, times)| self.function(id, tasks, &times.0, &times.1)));
        }
        let time = |f: &FunctionTimes| f.exclusive.rank;
        all.retain(|f| f.inclusive.text != NOTHING || !f.inclusive.complete);
        all.sort_by(|a, b| time(b).total_cmp(&time(a)));
        all
    }

    fn function(&self, id: FuncId, tasks: Vec<u32>, inclusive: &Time, exclusive: &Time) -> FunctionTimes {
        let function = &self.job.program.functions[id];
        FunctionTimes {
            name: function.name.to_string(),
            file: self.job.program.files.get(function.span.file).name.to_string(),
            line: function.span.line_start,
            unit: self.job.program.own_unit(id).map(str::to_owned),
            tasks,
            inclusive: self.expression(inclusive),
            exclusive: self.expression(exclusive),
        }
    }

    fn blocks(&self, groups: &[(&[TaskId], Sums)]) -> Vec<BlockTimes> {
        let mut all = Vec::new();
        for id in self.job.program.blocks.ids() {
            let times = groups.iter().filter_map(|(tasks, sums)| Some((*tasks, sums.blocks.get(&id)?.finish())));
            let worth = shared(times).into_iter().filter(|(_, time)| !time.is_nothing());
            all.extend(worth.map(|(tasks, time)| block(&self.job.program, id, tasks, self.expression(&time))));
        }
        all
    }

    fn parameter(&self, parameter: &Parameter) -> ParameterInfo {
        let files = &self.job.program.files;
        ParameterInfo {
            name: parameter.name.to_string(),
            kind: match parameter.kind {
                ParameterKind::Macro { .. } => "constant",
                ParameterKind::Variable { .. } => "variable",
                ParameterKind::Argument { .. } => "argument",
            },
            file: parameter.span.map(|span| files.get(span.file).name.to_string()),
            line: parameter.span.map(|span| span.line_start),
            default: default(parameter, self.job),
        }
    }

    pub(super) fn expression(&self, time: &Time) -> TimeExpression {
        let atoms = &self.counts.atoms;
        let Time { value, certainty } = time;
        let pieces = text::plain(value, atoms, self.defaults.as_deref().or(self.large.as_deref()));
        let separator = if value.is_disjoint() { "; " } else { " + " };
        let unknown = if certainty.complete { "" } else { " + unknown" };
        TimeExpression {
            text: pieces.join(separator) + unknown,
            latex: text::latex(value, atoms),
            python: text::python(value, atoms),
            pieces,
            overlapping: !value.is_disjoint(),
            around_defaults: self.defaults.as_ref().and_then(|values| text::around(value, atoms, values)),
            around_large: self.large.as_ref().and_then(|values| text::around(value, atoms, values)),
            at_defaults_s: self.defaults.as_ref().map(|values| time.nanoseconds(values) / 1e9),
            rank: self.defaults.as_ref().or(self.large.as_ref()).map_or(0.0, |values| time.nanoseconds(values)),
            complete: certainty.complete,
            source: source_name(certainty.source),
            reason: certainty.reason.map(|reason| self.reason(reason)),
        }
    }

    /// What made a count uncertain in the first place.
    fn reason(&self, reason: ReasonId) -> String {
        let root = self.counts.reasons.get(self.counts.reasons.root(reason));
        let place = root.span.map_or(String::new(), |span| format!(" ({})", self.job.program.files.locate(span)));
        format!("a value {}{place}", describe(&root.kind))
    }
}

/// More than programs compare with, and a multiple of the numbers of tasks and steps that they divide by.
const LARGE: usize = 5040 * 8;

/// The text of no time.
const NOTHING: &str = "0 ns";

/// The value that a parameter has without `--symbolic`.
pub fn default(parameter: &Parameter, job: &Job) -> Option<i64> {
    match parameter.kind {
        ParameterKind::Argument { index } => job.arguments.get(index.checked_sub(1)? as usize)?.trim().parse().ok(),
        _ => parameter.default(),
    }
}

/// Tasks with equal times, together; ordered by their first task.
pub(super) fn shared<'t, T: PartialEq>(times: impl Iterator<Item = (&'t [TaskId], T)>) -> Vec<(Vec<u32>, T)> {
    let mut rows: Vec<(Vec<u32>, T)> = Vec::new();
    for (tasks, time) in times {
        let ranks = tasks.iter().map(|task| task.0);
        match rows.iter_mut().find(|(_, known)| *known == time) {
            Some((all, _)) => all.extend(ranks),
            None => rows.push((ranks.collect(), time)),
        }
    }
    rows.iter_mut().for_each(|(tasks, _)| tasks.sort_unstable());
    rows.sort_by(|a, b| a.0.cmp(&b.0));
    rows
}

fn block(program: &Program, id: BlockId, tasks: Vec<u32>, time: TimeExpression) -> BlockTimes {
    let block = &program.blocks[id];
    BlockTimes {
        id: id.0,
        function: program.functions[block.function].name.to_string(),
        unit: program.own_unit(block.function).map(str::to_owned),
        kind: kind(program, id),
        file: program.files.get(block.span.file).name.to_string(),
        line_start: block.span.line_start,
        column_start: block.span.column_start,
        line_end: block.span.line_end,
        column_end: block.span.column_end,
        tasks,
        time,
    }
}
