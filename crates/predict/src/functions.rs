//! Inclusive and exclusive times of functions.

use crate::aggregate::Aggregate;
use crate::evaluation::Job;
use crate::intervals::Intervals;
use chronos_activity::{Count, TaskId};
use chronos_base::ids::Id as _;
use chronos_base::units::Nanoseconds;
use chronos_ir::{BlockKind, CounterId, FuncId, Program};
use chronos_report::model::{Function, PerTaskFunction};

/// Functions that were executed, the one with the most exclusive time first.
pub fn functions(job: &Job, aggregate: &Aggregate<'_>, intervals: &Intervals) -> Vec<Function> {
    let program = &job.program;
    let times = Times::new(job, aggregate);
    let one = |id| {
        let found = function(id, program, aggregate, &times)?;
        let interval_s = intervals.around(found.inclusive_s, id, aggregate);
        Some(Function { interval_s, ..found })
    };
    let mut all: Vec<Function> = program.functions.ids().filter_map(one).collect();
    all.sort_by(|a, b| b.exclusive_s.total_cmp(&a.exclusive_s).then_with(|| a.name.cmp(&b.name)));
    all
}

fn function(id: FuncId, program: &Program, aggregate: &Aggregate<'_>, times: &Times) -> Option<Function> {
    let function = &program.functions[id];
    let counter = entry_counter(program, id);
    let calls = counter.map_or(Count::ZERO, |counter| aggregate.count(counter));
    let (inclusive, exclusive) = (&times.inclusive[id.index()], &times.exclusive[id.index()]);
    if calls.is_zero() && inclusive.iter().all(|t| t.0 == 0.0) {
        return None;
    }
    let seconds = |row: &[Nanoseconds]| row.iter().map(|t| t.0 / 1e9).collect::<Vec<f64>>();
    let per_task = PerTaskFunction {
        calls: counter.map(|counter| aggregate.calls_per_task(counter)).unwrap_or_default(),
        inclusive_s: seconds(inclusive),
        exclusive_s: seconds(exclusive),
    };
    let mean = |row: &[f64]| row.iter().sum::<f64>() / row.len().max(1) as f64;
    Some(Function {
        name: function.name.to_string(),
        file: program.files.get(function.span.file).name.to_string(),
        line: function.span.line_start,
        unit: program.own_unit(id).map(str::to_owned),
        calls,
        inclusive_s: mean(&per_task.inclusive_s),
        interval_s: None,
        exclusive_s: mean(&per_task.exclusive_s),
        per_task,
    })
}

/// The counter that says how often a function was called: that of its first block.
pub(crate) fn entry_counter(program: &Program, function: FuncId) -> Option<CounterId> {
    let &first = program.functions[function].body.first()?;
    let block = &program.blocks[first];
    match block.kind {
        BlockKind::Loop(_) => Some(block.counter(1)),
        _ => Some(block.counter(0)),
    }
}

/// Times by function, then task.
struct Times {
    inclusive: Vec<Vec<Nanoseconds>>,
    exclusive: Vec<Vec<Nanoseconds>>,
}

impl Times {
    fn new(job: &Job, aggregate: &Aggregate<'_>) -> Self {
        let nothing = vec![vec![Nanoseconds::default(); job.tasks]; job.program.functions.len()];
        let mut times = Self { inclusive: nothing.clone(), exclusive: nothing };
        for task in 0..job.tasks {
            times.add_task(task, aggregate);
        }
        times
    }

    /// A function stands on a path of contexts once, so nothing is counted twice.
    fn add_task(&mut self, task: usize, aggregate: &Aggregate<'_>) {
        let mut contexts: Vec<_> = aggregate.contexts(TaskId::new(task)).into_iter().collect();
        contexts.sort_by_key(|&(context, _)| context);
        for (context, time) in contexts {
            let own = aggregate.segments.context(context).function;
            self.exclusive[own.index()][task] += time;
            for (_, on_path) in aggregate.segments.path(context) {
                self.inclusive[on_path.function.index()][task] += time;
            }
        }
    }
}
