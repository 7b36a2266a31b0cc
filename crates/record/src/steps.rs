//! From recorded calls to the steps of an activity.

use crate::calls::CallProgram;
use crate::codes;
use crate::folder::Record;
use crate::task::{CallItem, RecordedCall, Stretch, TaskRecord};
use chronos_activity::{
    Activity, CommId, Count, CountSource, CountValue, Event, Operation, RequestId, Segment, Segments, Site, Step,
    TaskId, Work,
};
use chronos_base::diag::Diagnostic;
use chronos_base::hash::FxHashMap;
use chronos_base::units::Picoseconds;
use chronos_mpi_calls::takes_call_time;
use chronos_trace::steps::{Contexts, Groups, operation};
use std::collections::BTreeMap;
use std::sync::Arc;

/// How a record is read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading<'a> {
    /// Receives of any source or tag are matched anew, not as in the run.
    pub matched_anew: bool,
    /// Computing takes so many times the processor time that was recorded.
    pub factor: f64,
    /// The same for each stretch of each task, beside `factor`; `None`: it is the same for all.
    pub of_stretches: Option<&'a [Vec<f64>]>,
}

impl Reading<'_> {
    /// As it was recorded.
    pub const AS_RECORDED: Self = Self { matched_anew: false, factor: 1.0, of_stretches: None };

    /// The time of a task's stretch with this number.
    fn time(self, rank: u32, number: usize, stretch: Stretch) -> Picoseconds {
        let of_task = self.of_stretches.and_then(|all| all.get(rank as usize));
        let own = of_task.and_then(|factors| factors.get(number)).copied().unwrap_or(1.0);
        Picoseconds::from_nanoseconds(stretch.cpu_ns as f64 * self.factor * own)
    }
}

/// What the tasks of a record did.
///
/// # Errors
/// A call whose numbers mean nothing.
pub fn activity(record: &Record, calls: &CallProgram, reading: Reading<'_>) -> Result<Activity, Box<Diagnostic>> {
    let mut segments = Segments::default();
    let contexts = Contexts::new(&calls.program, &BTreeMap::new(), &mut segments);
    let mut groups = Groups::default();
    let mut tasks = Vec::new();
    for task in &record.tasks {
        let comms = groups.of_task(&task.groups);
        let sites = task.places.iter().filter_map(|(&id, place)| {
            let block = calls.block(place)?;
            let context = contexts.of(calls.program.blocks[block].function);
            Some((id, Site { context, block }))
        });
        let mut steps = TaskSteps {
            task,
            comms,
            sites: sites.collect(),
            calls,
            reading,
            segments: &mut segments,
            known: FxHashMap::default(),
            receives: FxHashMap::default(),
            steps: Vec::new(),
        };
        steps.all()?;
        tasks.push(steps.steps);
    }
    Ok(Activity { tasks, segments, groups: groups.into_members(), timing_dependent: false })
}

/// The steps of a task as they are made.
struct TaskSteps<'a> {
    task: &'a TaskRecord,
    comms: BTreeMap<i64, CommId>,
    sites: BTreeMap<u32, Site>,
    calls: &'a CallProgram,
    reading: Reading<'a>,
    segments: &'a mut Segments,
    /// By place and what is asked for.
    known: FxHashMap<(u32, u32), Option<Arc<Event>>>,
    /// Where the receive of a request stands, whose source or tag is open.
    receives: FxHashMap<RequestId, usize>,
    steps: Vec<Step>,
}

impl TaskSteps<'_> {
    fn all(&mut self) -> Result<(), Box<Diagnostic>> {
        for (number, call) in self.task.calls.iter().enumerate() {
            self.compute(number, call.before);
            self.count(call.place);
            self.call(call)?;
        }
        match self.task.end {
            Some(rest) => self.compute(self.task.calls.len(), rest),
            None => self.steps.push(Step::Stuck),
        }
        Ok(())
    }

    fn compute(&mut self, number: usize, stretch: Stretch) {
        let time = self.reading.time(self.task.rank, number, stretch);
        if time > Picoseconds::ZERO {
            self.steps.push(Step::Work(Work::Time(time)));
        }
    }

    /// One execution of the call, for its count.
    fn count(&mut self, place: u32) {
        let Some(site) = self.sites.get(&place) else { return };
        let one = Count { value: CountValue::Exact(1), source: CountSource::Trace };
        let counter = self.calls.program.blocks[site.block].counter(0);
        let counts = vec![(site.context, counter, one)];
        let segment = self.segments.intern(Segment { counts, ..Segment::default() });
        self.steps.push(Step::Work(Work::Segment(segment)));
    }

    fn call(&mut self, call: &RecordedCall) -> Result<(), Box<Diagnostic>> {
        for item in &call.items {
            match *item {
                CallItem::Asked(id) => {
                    if let Some(event) = self.event(call.place, id)? {
                        self.note(&event);
                        self.steps.push(Step::Event(event));
                    }
                }
                CallItem::Got { .. } if self.reading.matched_anew => {}
                CallItem::Got { request, source, tag } => self.got(request, TaskId(source), tag),
            }
        }
        Ok(())
    }

    fn event(&mut self, place: u32, id: u32) -> Result<Option<Arc<Event>>, Box<Diagnostic>> {
        if let Some(known) = self.known.get(&(place, id)) {
            return Ok(known.clone());
        }
        let operation = self.operation(place, id)?;
        let site = self.sites.get(&place).copied();
        let event = operation.map(|operation| Arc::new(Event { operation, site }));
        self.known.insert((place, id), event.clone());
        Ok(event)
    }

    fn operation(&self, place: u32, id: u32) -> Result<Option<Operation>, Box<Diagnostic>> {
        let site = self.sites.get(&place).copied();
        let (Some(place), Some(asked)) = (self.task.places.get(&place), self.task.asked.get(&id)) else {
            return Ok(None);
        };
        if asked.kind == "none" {
            let name = &place.function;
            return Ok(takes_time(name).then(|| Operation::Local { function: name.as_str().into() }));
        }
        if asked.kind == "clock" {
            // Nobody asks for the difference of two readings.
            return Ok(site.map(|site| Operation::ReadClock { slot: site.block }));
        }
        operation(asked, self.task.tasks, &self.comms).map(Some).ok_or_else(|| {
            let message =
                format!("the record of task {} has a call `{}` whose numbers mean nothing", self.task.rank, asked.kind);
            Box::new(
                Diagnostic::error(&codes::UNREADABLE, message).help("the file was changed; record the program again"),
            )
        })
    }

    fn note(&mut self, event: &Event) {
        if let Operation::Recv { from, tag, request: Some(request), .. } = &event.operation
            && (from.is_none() || tag.is_none())
        {
            self.receives.insert(*request, self.steps.len());
        }
    }

    /// Gives the receive of a request, or the event before, the source and tag that it got.
    fn got(&mut self, request: Option<u32>, source: TaskId, tag: i32) {
        let at = match request {
            Some(request) => self.receives.remove(&RequestId(request)),
            None => self.steps.len().checked_sub(1),
        };
        let Some(Step::Event(event)) = at.and_then(|at| self.steps.get_mut(at)) else { return };
        let mut settled = Event::clone(event);
        if let Operation::Recv { from, tag: wanted, .. } | Operation::Probe { from, tag: wanted, .. } =
            &mut settled.operation
        {
            *from = from.or(Some(source));
            *wanted = wanted.or(Some(tag));
            *event = Arc::new(settled);
        }
    }
}

/// A test that finds nothing is part of waiting.
fn takes_time(name: &str) -> bool {
    takes_call_time(name) && !chronos_functions::exact(name).is_some_and(|row| row.polls)
}

/// What is to be known of a run beside its steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Totals {
    /// From the begin of the first task's program to the end of the last one's, without `MPI_Init` and `MPI_Finalize`.
    pub wall_s: f64,
    /// Processor time between the calls, of all tasks.
    pub processor_s: f64,
    /// Of the time that passed between calls in which no task lost its processor to another program, the share that
    /// was not the tasks' own: what the system took.
    pub system_share: f64,
}

/// Sums over a record.
pub fn totals(record: &Record) -> Totals {
    let mut totals = Totals { wall_s: 0.0, processor_s: 0.0, system_share: 0.0 };
    let (mut calm_wall, mut calm_cpu) = (0_u64, 0_u64);
    for task in &record.tasks {
        let mut wall = task.end.unwrap_or_default().wall_ns;
        totals.processor_s += task.end.unwrap_or_default().cpu_ns as f64 * 1e-9;
        for call in &task.calls {
            let name = task.places.get(&call.place).map_or("", |place| &*place.function);
            let is_frame = matches!(name, "MPI_Init" | "MPI_Init_thread" | "MPI_Finalize");
            wall += call.before.wall_ns + if is_frame { 0 } else { call.inside_wall_ns };
            totals.processor_s += call.before.cpu_ns as f64 * 1e-9;
            if call.switches == 0 {
                calm_wall += call.before.wall_ns;
                calm_cpu += call.before.cpu_ns.min(call.before.wall_ns);
            }
        }
        totals.wall_s = totals.wall_s.max(wall as f64 * 1e-9);
    }
    if calm_wall > 0 {
        totals.system_share = 1.0 - calm_cpu as f64 / calm_wall as f64;
    }
    totals
}
