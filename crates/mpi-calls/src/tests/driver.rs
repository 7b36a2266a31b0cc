//! A small job to make calls in: memories of tasks, and a message layer that keeps no time.

use crate::{Action, CallEnvironment, MpiCalls, MpiState, Options, Payload};
use chronos_activity::{
    Arrival, Collective, CommId, ContextId, Event, MessageId, Operation, Outcome, RequestId, Site, TaskId,
};
use chronos_base::hash::FxHashMap;
use chronos_base::ids::Id;
use chronos_base::span::{FileId, Span};
use chronos_ir::{BlockId, ScalarType};
use chronos_values::{ObjectId, Pointer, Reason, ReasonId, Reasons, Value};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

pub(crate) const WORLD: Arg = Arg::Value(Value::Int(1));
pub(crate) const CHAR: Arg = Arg::Value(Value::Int(1));
pub const INT: Arg = Arg::Value(Value::Int(8));
pub const DOUBLE: Arg = Arg::Value(Value::Int(15));
pub(crate) const TWO_INT: Arg = Arg::Value(Value::Int(31));
pub const MAX: Arg = Arg::Value(Value::Int(1));
pub const SUM: Arg = Arg::Value(Value::Int(3));
pub(crate) const MAXLOC: Arg = Arg::Value(Value::Int(11));
pub const NULL: Arg = Arg::Value(Value::Int(0));
pub const IN_PLACE: Arg = Arg::Value(Value::Int(-1));
pub const ANY: Arg = Arg::Value(Value::Int(-101));
pub const ANY_TAG: Arg = Arg::Value(Value::Int(-102));
pub const PROC_NULL: Arg = Arg::Value(Value::Int(-103));
pub const UNDEFINED: i64 = -32766;

#[derive(Clone, Copy, Debug)]
pub enum Arg {
    Value(Value),
    /// Address in the caller's memory.
    At(i64),
    /// The `int` that stands there when the call is made.
    Load(i64),
    Unknown,
}

pub fn int(n: i64) -> Arg {
    Arg::Value(Value::Int(n))
}

pub fn at(offset: i64) -> Arg {
    Arg::At(offset)
}

pub fn load(offset: i64) -> Arg {
    Arg::Load(offset)
}

/// One object per task holds all its memory.
struct Memory<'a> {
    cells: &'a mut BTreeMap<i64, (ScalarType, Value)>,
    reasons: &'a mut Reasons,
    arguments: Vec<Value>,
}

impl CallEnvironment for Memory<'_> {
    fn argument(&self, index: usize) -> Value {
        self.arguments[index]
    }

    fn load(&self, pointer: Pointer, _: ScalarType) -> Value {
        self.cells.get(&{ pointer.offset }).map_or(Value::Unknown(ReasonId(0)), |cell| cell.1)
    }

    fn store(&mut self, pointer: Pointer, ty: ScalarType, value: Value) {
        self.cells.insert(pointer.offset, (ty, value));
    }

    fn snapshot(&self, pointer: Pointer, bytes: u64) -> Option<Payload> {
        let end = pointer.offset.checked_add(i64::try_from(bytes).ok()?)?;
        let inside = self.cells.range(pointer.offset..end);
        let items = inside.map(|(at, &(ty, value))| ((at - pointer.offset).cast_unsigned(), ty, value)).collect();
        Some(Payload { items })
    }

    fn deposit(&mut self, pointer: Pointer, bytes: u64, payload: Option<&Payload>, _: ReasonId) {
        let end = pointer.offset.saturating_add(i64::try_from(bytes).unwrap_or(i64::MAX));
        self.cells.retain(|&at, _| at < pointer.offset || at >= end);
        for &(at, ty, value) in payload.iter().flat_map(|payload| &payload.items) {
            self.cells.insert(pointer.offset + at.cast_signed(), (ty, value));
        }
    }

    fn intern_reason(&mut self, reason: Reason) -> ReasonId {
        self.reasons.intern(reason)
    }

    fn string(&self, pointer: Pointer) -> Option<String> {
        let byte = |at: i64| u8::try_from(self.cells.get(&at)?.1.as_int()?).ok();
        let text: Option<Vec<u8>> = (pointer.offset..).map(byte).take_while(|byte| *byte != Some(0)).collect();
        String::from_utf8(text?).ok()
    }

    fn allocate(&mut self, _: u64, _: BlockId) -> Option<Pointer> {
        Some(Pointer { object: ObjectId(0), offset: 1 << 40 })
    }
}

#[derive(Default)]
struct TaskRun {
    memory: BTreeMap<i64, (ScalarType, Value)>,
    calls: VecDeque<(String, Vec<Arg>)>,
    events: VecDeque<Arc<Event>>,
    current: Vec<Value>,
    outcome: Outcome,
    sent: u64,
    collectives: FxHashMap<CommId, u64>,
    returned: Vec<Value>,
    failed: Option<Action>,
}

struct Message {
    to: TaskId,
    comm: CommId,
    arrival: Arrival,
}

struct Posted {
    task: TaskId,
    from: Option<TaskId>,
    tag: Option<i32>,
    comm: CommId,
    request: Option<RequestId>,
    arrival: Option<Arrival>,
}

/// Tasks with queues of calls, and the messages between them.
pub struct TestJob {
    pub calls: MpiState,
    tasks: Vec<TaskRun>,
    reasons: Reasons,
    messages: Vec<Message>,
    posted: Vec<Posted>,
    entered: FxHashMap<(CommId, u64), usize>,
    started: FxHashMap<(TaskId, RequestId), (CommId, u64)>,
    /// All events in the order in which they were performed.
    pub log: Vec<(usize, Operation)>,
}

impl TestJob {
    /// `tasks` tasks that have called `MPI_Init`.
    pub fn new(tasks: usize) -> Self {
        let mut job = Self::uninitialised(tasks, Options::default());
        job.all("MPI_Init", &[NULL, NULL]);
        job.run();
        job.log.clear();
        job
    }

    pub fn uninitialised(tasks: usize, options: Options) -> Self {
        Self {
            calls: MpiState::new(tasks, options),
            tasks: (0..tasks).map(|_| TaskRun::default()).collect(),
            reasons: Reasons::default(),
            messages: Vec::new(),
            posted: Vec::new(),
            entered: FxHashMap::default(),
            started: FxHashMap::default(),
            log: Vec::new(),
        }
    }

    pub fn call(&mut self, task: usize, name: &str, args: &[Arg]) {
        self.tasks[task].calls.push_back((name.to_owned(), args.to_vec()));
    }

    pub fn all(&mut self, name: &str, args: &[Arg]) {
        (0..self.tasks.len()).for_each(|task| self.call(task, name, args));
    }

    /// Names of the calls of a task that moved nothing; there are no others.
    pub(crate) fn local_calls(&self, own: usize) -> Vec<String> {
        let name = |operation: &Operation| match operation {
            Operation::Local { function } => function.to_string(),
            other => format!("{other:?}"),
        };
        self.log.iter().filter(|(task, _)| *task == own).map(|(_, operation)| name(operation)).collect()
    }

    /// Puts `int`s into memory.
    pub fn set(&mut self, task: usize, offset: i64, values: &[i64]) {
        for (at, &value) in (offset..).step_by(4).zip(values) {
            self.tasks[task].memory.insert(at, (ScalarType::I32, Value::Int(value)));
        }
    }

    pub(crate) fn set_as(&mut self, task: usize, offset: i64, ty: ScalarType, value: Value) {
        self.tasks[task].memory.insert(offset, (ty, value));
    }

    pub(crate) fn set_all(&mut self, offset: i64, values: &[i64]) {
        (0..self.tasks.len()).for_each(|task| self.set(task, offset, values));
    }

    pub fn get(&self, task: usize, offset: i64) -> Option<i64> {
        self.tasks[task].memory.get(&offset)?.1.as_int()
    }

    pub fn value(&self, task: usize, offset: i64) -> Option<Value> {
        Some(self.tasks[task].memory.get(&offset)?.1)
    }

    /// `int`s from memory; what is not known as -999.
    pub fn ints(&self, task: usize, offset: i64, count: usize) -> Vec<i64> {
        (offset..).step_by(4).take(count).map(|at| self.get(task, at).unwrap_or(-999)).collect()
    }

    pub fn text(&self, task: usize, offset: i64) -> String {
        let bytes = (offset..).map_while(|at| u8::try_from(self.get(task, at)?).ok()).take_while(|&byte| byte != 0);
        bytes.map(char::from).collect()
    }

    pub fn returned(&self, task: usize) -> Option<Value> {
        self.tasks[task].returned.last().copied()
    }

    pub fn failure(&self, task: usize) -> Option<&Action> {
        self.tasks[task].failed.as_ref()
    }

    /// Performs all calls; every task must come to its end.
    pub fn run(&mut self) {
        self.run_partly();
        for (task, state) in self.tasks.iter().enumerate() {
            assert!(state.failed.is_none(), "task {task}: {:?}", state.failed);
            assert!(state.events.is_empty() && state.calls.is_empty(), "task {task} hangs in {:?}", state.events);
        }
    }

    /// Lets tasks whose calls were refused go on with the next one.
    pub(crate) fn retry(&mut self) {
        self.tasks.iter_mut().for_each(|task| task.failed = None);
    }

    /// Performs what can be performed.
    pub(crate) fn run_partly(&mut self) {
        let mut moved = true;
        while moved {
            let advanced: Vec<bool> = (0..self.tasks.len()).map(|task| self.advance(task)).collect();
            moved = advanced.contains(&true);
        }
    }

    fn advance(&mut self, task: usize) -> bool {
        if self.tasks[task].failed.is_some() {
            return false;
        }
        if let Some(event) = self.tasks[task].events.front().cloned() {
            let Some(outcome) = self.perform(task, &event.operation) else { return false };
            self.log.push((task, event.operation.clone()));
            let state = &mut self.tasks[task];
            state.outcome = outcome;
            state.events.pop_front();
            if state.events.is_empty() {
                self.act(task, true);
            }
            return true;
        }
        if self.tasks[task].calls.is_empty() {
            return false;
        }
        self.act(task, false);
        true
    }

    fn act(&mut self, task: usize, finish: bool) {
        let state = &mut self.tasks[task];
        let id = TaskId::new(task);
        let mut name = String::new();
        if !finish {
            let (next, args) = state.calls.pop_front().expect("checked");
            name = next;
            state.current = args.iter().map(|arg| resolve(arg, task, &state.memory)).collect();
        }
        let arguments = state.current.clone();
        let mut env = Memory { cells: &mut state.memory, reasons: &mut self.reasons, arguments };
        let site = Site { context: ContextId(0), block: BlockId(3) };
        let action = if finish {
            self.calls.finish(id, std::mem::take(&mut state.outcome), &mut env)
        } else {
            self.calls.begin(id, &name, site, &mut env, Span::line(FileId(0), 1))
        };
        match action {
            Action::Events(events) => state.events = events.into(),
            Action::Return(value) => state.returned.push(value),
            failed => state.failed = Some(failed),
        }
    }

    /// The outcome; `None`: not yet, and the task blocks.
    fn perform(&mut self, task: usize, operation: &Operation) -> Option<Outcome> {
        let id = TaskId::new(task);
        match operation {
            Operation::Send { to, tag, comm, bytes, .. } => {
                let message = MessageId { sender: id, sequence: self.tasks[task].sent };
                self.tasks[task].sent += 1;
                let arrival = Arrival { message, tag: *tag, bytes: *bytes, request: None };
                self.messages.push(Message { to: *to, comm: *comm, arrival });
                Some(Outcome::None)
            }
            Operation::Recv { from, tag, comm, request, .. } => {
                let (from, tag, comm, request) = (*from, *tag, *comm, *request);
                let waiting = self.posted.iter().position(|p| p.task == id && p.request.is_none());
                if request.is_some() || waiting.is_none() {
                    self.posted.push(Posted { task: id, from, tag, comm, request, arrival: None });
                }
                self.matching();
                if request.is_some() { Some(Outcome::None) } else { self.received(id, None) }
            }
            Operation::WaitAll { requests } => self.all_done(id, requests),
            Operation::Cancel { request } => {
                let waits = |p: &Posted| p.task == id && p.request == Some(*request) && p.arrival.is_none();
                let posted = self.posted.iter().position(waits);
                Some(posted.map_or(Outcome::NotYet, |at| {
                    self.posted.remove(at);
                    Outcome::None
                }))
            }
            Operation::TestAll { requests } => Some(self.all_done(id, requests).unwrap_or(Outcome::NotYet)),
            Operation::WaitAny { requests } => self.any_done(id, requests),
            Operation::TestAny { requests } => Some(self.any_done(id, requests).unwrap_or(Outcome::NotYet)),
            Operation::Probe { from, tag, comm, blocking } => {
                let found = self.messages.iter().find(|m| fits(m, id, *comm, *from, *tag));
                let outcome = found.map(|message| Outcome::Arrived(vec![message.arrival]));
                if *blocking { outcome } else { Some(outcome.unwrap_or(Outcome::NotYet)) }
            }
            Operation::Collective(collective) => self.collective(task, collective),
            _ => Some(Outcome::None),
        }
    }

    fn collective(&mut self, task: usize, collective: &Collective) -> Option<Outcome> {
        let comm = collective.comm;
        let number = *self.tasks[task].collectives.entry(comm).or_default();
        let again = (TaskId::new(task), RequestId(u32::MAX));
        if self.started.insert(again, (comm, number)) != Some((comm, number)) {
            *self.entered.entry((comm, number)).or_default() += 1;
        }
        if let Some(request) = collective.request {
            self.started.insert((TaskId::new(task), request), (comm, number));
        } else if self.entered[&(comm, number)] < self.calls.group(comm).len() {
            return None;
        }
        *self.tasks[task].collectives.get_mut(&comm).expect("entered") += 1;
        Some(Outcome::None)
    }

    fn matching(&mut self) {
        for posted in self.posted.iter_mut().filter(|posted| posted.arrival.is_none()) {
            let found = self.messages.iter().position(|m| fits(m, posted.task, posted.comm, posted.from, posted.tag));
            posted.arrival = found.map(|at| Arrival { request: posted.request, ..self.messages.remove(at).arrival });
        }
    }

    fn received(&mut self, task: TaskId, request: Option<RequestId>) -> Option<Outcome> {
        self.matching();
        let at = self.posted.iter().position(|p| p.task == task && p.request == request && p.arrival.is_some())?;
        Some(Outcome::Arrived(self.posted.remove(at).arrival.into_iter().collect()))
    }

    fn is_done(&mut self, task: TaskId, request: RequestId) -> bool {
        self.matching();
        let posted = self.posted.iter().find(|p| p.task == task && p.request == Some(request));
        let started = self.started.get(&(task, request));
        let complete = |key: &(CommId, u64)| self.entered[key] == self.calls.group(key.0).len();
        posted.is_none_or(|posted| posted.arrival.is_some()) && started.is_none_or(complete)
    }

    fn all_done(&mut self, task: TaskId, requests: &[RequestId]) -> Option<Outcome> {
        if !requests.iter().all(|&request| self.is_done(task, request)) {
            return None;
        }
        let arrivals = requests.iter().filter_map(|&request| self.taken(task, request)).collect();
        Some(Outcome::Arrived(arrivals))
    }

    fn any_done(&mut self, task: TaskId, requests: &[RequestId]) -> Option<Outcome> {
        let index = requests.iter().position(|&request| self.is_done(task, request))?;
        Some(Outcome::Any { index, arrival: self.taken(task, requests[index]) })
    }

    fn taken(&mut self, task: TaskId, request: RequestId) -> Option<Arrival> {
        self.started.remove(&(task, request));
        let at = self.posted.iter().position(|p| p.task == task && p.request == Some(request))?;
        self.posted.remove(at).arrival
    }
}

fn fits(message: &Message, to: TaskId, comm: CommId, from: Option<TaskId>, tag: Option<i32>) -> bool {
    let sender = message.arrival.message.sender;
    let named = from.is_none_or(|from| from == sender) && tag.is_none_or(|tag| tag == message.arrival.tag);
    message.to == to && message.comm == comm && named
}

fn resolve(arg: &Arg, task: usize, memory: &BTreeMap<i64, (ScalarType, Value)>) -> Value {
    match *arg {
        Arg::Value(value) => value,
        Arg::At(offset) => Value::Pointer(Pointer { object: ObjectId::new(task), offset }),
        Arg::Load(offset) => memory[&offset].1,
        Arg::Unknown => Value::Unknown(ReasonId(7)),
    }
}
