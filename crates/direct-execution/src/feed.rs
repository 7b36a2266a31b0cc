//! The feed: steps of tasks as their processes tell them.

use crate::communicators::{Communicators, OwnCommunicators};
use crate::counted::{Counters, Points, SegmentTable};
use crate::ended::{Ended, How};
use crate::events::Told;
use crate::frames::{Channel, Frame, FrameKind};
use crate::known::{Evaluated, Known};
use crate::listener::Connected;
use crate::outcomes::{self, MessageNumbers};
use crate::spawned::{self, Started};
use chronos_activity::{Arrival, CommId, Event, Feed, Operation, Outcome, Segments, Site, Step, TaskId, Work};
use chronos_base::diag::Diagnostic;
use chronos_base::units::Picoseconds;
use chronos_ir::{BlockId, Program};
use std::collections::VecDeque;
use std::sync::Arc;

/// What the time of computation is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Timing {
    /// The processor time that the process took, so many times as long.
    Measured {
        /// How many times as long the target takes as this machine.
        slower: f64,
    },
    /// That of a cost model for what the trace points counted.
    Predicted,
}

/// What a task that has ended says of MPI (`runtime/chronos_live.c`): after `MPI_Init` and without `MPI_Finalize`, without both.
const OPEN: i64 = 1;
const NEVER_OPEN: i64 = 2;

/// The tasks of a program that runs.
pub struct LiveFeed<'a> {
    program: &'a Program,
    timing: Timing,
    tasks: Vec<LiveTask>,
    communicators: Communicators,
    segments: SegmentTable<'a>,
    diagnostics: Vec<Diagnostic>,
    /// The first task that was noticed to have ended before its program did.
    ended_early: Option<Ended>,
    /// Tasks that the run begins with.
    begun: usize,
    started: Started,
}

#[derive(Debug)]
struct LiveTask {
    channel: Channel,
    /// Steps that were told and not yet given to the replay.
    pending: VecDeque<Step>,
    /// The process waits for what comes of its last call.
    asks: bool,
    communicators: OwnCommunicators,
    /// Executed since the last step.
    counted: Points,
    /// Processor time since the last step, in nanoseconds.
    cpu_ns: u64,
    /// Messages that it has sent as the replay counts them, and which of these are no messages of the program.
    sent: u64,
    unnumbered: Vec<u64>,
    known: Known,
    /// Where it called MPI last, and whether that was its last call of all (`MPI_Finalize`).
    last_call: Option<BlockId>,
    is_finalized: bool,
    /// Its program has ended, or it cannot be followed further.
    last: Option<Step>,
}

impl<'a> LiveFeed<'a> {
    /// The feed of processes that have connected, of which so many, the last ones, stand by until others start them; of what
    /// was evaluated statically as far as they do the same.
    pub fn new(
        program: &'a Program,
        counters: &'a Counters,
        timing: Timing,
        evaluated: Evaluated<'_>,
        connected: Connected,
        standing_by: usize,
    ) -> Self {
        let channels = connected.0.into_iter().enumerate();
        let tasks: Vec<LiveTask> =
            channels.map(|(rank, channel)| LiveTask::new(channel, Known::new(evaluated, rank))).collect();
        let begun = tasks.len().saturating_sub(standing_by);
        let started = Started::none(tasks.len(), standing_by);
        let communicators = Communicators::new(u32::try_from(begun).unwrap_or(u32::MAX));
        let segments = SegmentTable::new(program, counters, evaluated);
        Self {
            program,
            timing,
            tasks,
            communicators,
            segments,
            diagnostics: Vec::new(),
            ended_early: None,
            begun,
            started,
        }
    }

    /// What is to be said of tasks that could not be followed to their end.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// The first task that was noticed to have ended before its program did. Others may have been ended because of another
    /// one that ended itself.
    pub fn ended_early(&self) -> Option<Ended> {
        self.ended_early
    }

    /// What is to be said of a task that ended before its program did.
    pub fn of_early_end(&self, ended: Ended) -> Diagnostic {
        let task = self.tasks.get(ended.task.0 as usize).filter(|task| task.last.is_some());
        let block = task.and_then(|task| task.last_call).and_then(|call| self.program.blocks.get(call));
        ended.diagnostic(block.map(|block| block.span))
    }

    /// How many tasks the program has started, or would have, had so many stood by.
    pub fn wanted(&self) -> usize {
        self.started.wanted(self.begun)
    }

    /// Tasks that did something else than was evaluated statically, or went further.
    pub fn beyond_known(&self) -> impl Iterator<Item = TaskId> {
        (0..).map(TaskId).zip(&self.tasks).filter(|(_, task)| task.known.is_lost()).map(|(id, _)| id)
    }

    /// Reads frames until there is a step.
    fn read(&mut self, id: TaskId) {
        let at = id.0 as usize;
        while self.tasks[at].pending.is_empty() {
            match self.tasks[at].channel.next_frame() {
                Ok(Some(frame)) => self.told(id, frame),
                Ok(None) => self.lost(id),
                Err(_) => self.finish(id, Step::Stuck),
            }
        }
    }

    fn told(&mut self, id: TaskId, frame: Frame) {
        let task = &mut self.tasks[id.0 as usize];
        match frame.kind {
            FrameKind::Hello => {}
            FrameKind::Segment => task.count(&frame.numbers),
            FrameKind::Group => {
                if let Some((&number, members)) = frame.numbers.split_first() {
                    self.communicators.add(&mut task.communicators, number, members);
                }
            }
            FrameKind::Event => match Told::of(frame.numbers) {
                Some(told) => self.called(id, &told),
                None => self.lost(id),
            },
            FrameKind::End => self.ended(id, &frame.numbers),
            FrameKind::Children => self.start_children(id, frame.numbers.first().copied().unwrap_or(0)),
        }
    }

    /// The program has ended by itself: its code, processor time, and whether it was done with MPI.
    fn ended(&mut self, id: TaskId, numbers: &[i64]) {
        let number = |at: usize| numbers.get(at).copied().unwrap_or(0);
        let (code, cpu_ns, state) = (number(0), number(1), number(2));
        self.tasks[id.0 as usize].cpu_ns += u64::try_from(cpu_ns).unwrap_or(0);
        if state == OPEN {
            self.ended_early.get_or_insert(Ended { task: id, how: How::Exit(code) });
            return self.finish(id, Step::Stuck);
        }
        if state == NEVER_OPEN && code != 0 && self.diagnostics.is_empty() {
            self.diagnostics.push(Ended::failed_before_mpi(id, code));
        }
        self.finish(id, Step::End);
    }

    /// The process waits for the numbers of the tasks that it starts.
    fn start_children(&mut self, id: TaskId, count: i64) {
        match self.started.take(usize::try_from(count).unwrap_or(0)) {
            Some(first) => _ = self.tasks[id.0 as usize].channel.send(spawned::CHILDREN, &[first]),
            None => self.finish(id, Step::Stuck),
        }
    }

    fn called(&mut self, id: TaskId, told: &Told) {
        let tasks = u32::try_from(self.tasks.len()).unwrap_or(u32::MAX);
        let of_start = spawned::operation(told, id, &mut self.communicators);
        let task = &mut self.tasks[id.0 as usize];
        let operation = match of_start {
            Some(operation) => Ok(Some(operation)),
            None => told.operation(self.program, tasks, &task.communicators.ids),
        };
        task.cpu_ns += told.cpu_ns;
        task.last_call = told.site.or(task.last_call);
        task.is_finalized |= told.function(self.program).as_deref() == Some("MPI_Finalize");
        match operation {
            Ok(None) => {}
            Ok(Some(operation)) if spawned::is_before_start(told) => {
                task.asks = told.asks;
                task.cpu_ns = 0;
                task.pending.push_back(Step::Event(Arc::new(Event { operation, site: None })));
            }
            Ok(Some(operation)) => {
                task.asks = told.asks;
                task.note(&operation, told, self.program);
                let site = told.site.and_then(|block| self.site(block));
                self.work(id, told.site);
                self.count_call(id, told);
                self.tasks[id.0 as usize].pending.push_back(Step::Event(Arc::new(Event { operation, site })));
            }
            Err(diagnostic) => {
                self.diagnostics.push(*diagnostic);
                self.finish(id, Step::Stuck);
            }
        }
    }

    fn site(&self, block: BlockId) -> Option<Site> {
        let function = self.program.blocks.get(block)?.function;
        Some(Site { context: self.segments.contexts().of(function), block })
    }

    /// What was computed since the last step, in front of a call or the end.
    fn work(&mut self, id: TaskId, call: Option<BlockId>) {
        let task = &mut self.tasks[id.0 as usize];
        let (cpu_ns, counted) = (std::mem::take(&mut task.cpu_ns), std::mem::take(&mut task.counted));
        let work = match self.timing {
            Timing::Measured { slower } => {
                let time = Picoseconds::from_seconds(cpu_ns as f64 * 1e-9 * slower);
                Some(Work::Time(time)).filter(|_| time > Picoseconds::ZERO)
            }
            Timing::Predicted => {
                let (table, kind) = (&self.segments, |counter| self.segments.counted(counter));
                let known = (!task.known.is_lost())
                    .then(|| task.known.steps(&table.executed(&counted), call, table.segments(), &kind));
                match known.flatten() {
                    Some((steps, beside)) => {
                        task.pending.extend(steps);
                        self.segments.segment_of(&beside).map(Work::Segment)
                    }
                    None => self.segments.segment(&counted).map(Work::Segment),
                }
            }
        };
        task.pending.extend(work.map(Step::Work));
    }

    /// Where nothing is counted, calls are all the same.
    fn count_call(&mut self, id: TaskId, told: &Told) {
        if let (Timing::Measured { .. }, true, Some(block)) = (self.timing, told.begins, told.site) {
            let segment = self.segments.call(block);
            self.tasks[id.0 as usize].pending.extend(segment.map(|segment| Step::Work(Work::Segment(segment))));
        }
    }

    fn finish(&mut self, id: TaskId, last: Step) {
        self.work(id, None);
        let task = &mut self.tasks[id.0 as usize];
        task.last = Some(last.clone());
        task.pending.push_back(last);
    }

    /// The process is gone and its program has not ended.
    fn lost(&mut self, id: TaskId) {
        if self.tasks[id.0 as usize].is_finalized {
            // It left by `_exit`.
            return self.finish(id, Step::End);
        }
        self.ended_early.get_or_insert(Ended { task: id, how: How::Unknown });
        self.finish(id, Step::Stuck);
    }
}

impl LiveTask {
    fn new(channel: Channel, known: Known) -> Self {
        Self {
            channel,
            pending: VecDeque::new(),
            asks: false,
            communicators: OwnCommunicators::default(),
            counted: Points::new(),
            cpu_ns: 0,
            sent: 0,
            unnumbered: Vec::new(),
            known,
            last_call: None,
            is_finalized: false,
            last: None,
        }
    }

    fn count(&mut self, numbers: &[i64]) {
        for pair in numbers.chunks_exact(2) {
            if let (Ok(point), Ok(count)) = (u32::try_from(pair[0]), u128::try_from(pair[1])) {
                *self.counted.entry(point).or_insert(0) += count;
            }
        }
    }

    /// Windows tell each other by messages of the replay that the processes do not send as such.
    fn note(&mut self, operation: &Operation, told: &Told, program: &Program) {
        if matches!(operation, Operation::Send { .. }) {
            if told.function(program).is_some_and(|name| name.starts_with("MPI_Win_")) {
                self.unnumbered.push(self.sent);
            }
            self.sent += 1;
        }
    }
}

impl MessageNumbers for Vec<LiveTask> {
    fn number(&self, arrival: &Arrival) -> i64 {
        let sequence = arrival.message.sequence;
        let before = self
            .get(arrival.message.sender.0 as usize)
            .map_or(0, |sender| sender.unnumbered.partition_point(|&number| number < sequence));
        i64::try_from(sequence).unwrap_or(i64::MAX) - before as i64
    }
}

impl Feed for LiveFeed<'_> {
    fn tasks(&self) -> usize {
        self.tasks.len()
    }

    fn next(&mut self, id: TaskId, outcome: Outcome) -> Step {
        let at = id.0 as usize;
        if self.started.is_short() {
            return Step::Stuck;
        }
        if let Some(step) = self.tasks[at].pending.pop_front() {
            return step;
        }
        if let Some(last) = &self.tasks[at].last {
            return last.clone();
        }
        if std::mem::take(&mut self.tasks[at].asks) {
            let (kind, numbers) = outcomes::answer(&outcome, &self.tasks);
            // A process that is gone is noticed when it is read from.
            self.tasks[at].channel.send(kind, &numbers);
        }
        self.read(id);
        self.tasks[at].pending.pop_front().unwrap_or(Step::Stuck)
    }

    fn group(&self, comm: CommId) -> Arc<[TaskId]> {
        self.communicators.members(comm)
    }

    fn segments(&self) -> &Segments {
        self.segments.segments()
    }
}
