//! The state of one task.

use crate::code::program::{Code, StaticObject};
use crate::state::by_rank::ByRank;
use crate::state::formulas::{FormulaId, Formulas};
use crate::state::jumps::JumpLoop;
use crate::state::location::Location;
use crate::state::log::{LogEntry, Logs};
use crate::state::memory::Memory;
use crate::state::posix_threads::PosixThreads;
use crate::state::process::Process;
use crate::state::random_numbers::RandomNumbers;
use crate::state::remembered::effort::Effort;
use crate::state::remembered::folds::{Fold, Patience, Spinning};
use crate::state::remembered::linear::Linear;
use crate::state::remembered::memos::Recording;
use crate::state::streams::Streams;
use crate::state::team::{League, Team, ThreadState};
use chronos_activity::{ContextId, Count, Step, TaskId};
use chronos_base::hash::FxHashSet;
use chronos_ir::openmp::RuntimeSchedule;
use chronos_ir::{BlockId, FuncId, ScalarType};
use chronos_slicing::annotations::Target;
use chronos_slicing::heuristics::Likelihood;
use chronos_values::storage::{Content, Fill, Storage};
use chronos_values::{ObjectId, Origin, Pointer, ReasonId, Value};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

/// An active call.
#[derive(Clone, Debug)]
pub struct Frame {
    pub function: FuncId,
    pub(crate) pc: u32,
    pub base: u32,
    pub context: ContextId,
    /// Register of the caller, with the type that the result is converted to.
    pub dst: Option<(u32, ScalarType)>,
    pub result_place: Option<Pointer>,
    pub loops: u32,
    pub splits: u32,
    /// Values returned under unknown conditions.
    pub(crate) alternatives: Vec<Option<Value>>,
    pub allocations: Vec<ObjectId>,
}

/// A point where the outcome of a condition is unknown: its ways are executed one after the other.
#[derive(Clone, Debug)]
pub struct Split {
    pub kind: SplitKind,
    /// Weight before the branch.
    pub weight: Count,
    /// Weight that has left the branch by jumps.
    pub left: Vec<(f64, chronos_activity::CountSource)>,
    pub reason: ReasonId,
    /// What the ways that are done wrote last.
    pub finals: Vec<Vec<(Location, Value)>>,
    pub forgotten: Vec<ObjectId>,
    /// Where the last way that left went.
    pub exit: Option<u32>,
    pub loops: u32,
    /// Of the value of an `&&`, `||` or `?:`, over the ways that are done.
    pub truth: Likelihood,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum SplitKind {
    /// The branch's ways that are still to do: arm and probability; the arm and probability of the current one.
    Branch { branch: u32, todo: Vec<(u32, f64)>, way: u32, current: f64, source: chronos_activity::CountSource },
    /// What follows a branch that some ways have left.
    Remainder,
}

#[derive(Clone, Debug)]
pub(crate) struct LoopState {
    pub index: u32,
    pub weight: Count,
    pub splits: u32,
    pub logs: u32,
    pub iterations: u64,
    /// Those of them that code of this processor did.
    pub(crate) native: u64,
    pub mode: LoopMode,
    /// Places that passes over the body of a forced loop have written.
    pub written: Option<Box<Written>>,
    pub fold: Option<Box<Fold>>,
    pub watch: Patience,
}

impl LoopState {
    /// Its iterations as far as they are charged to the budget: code of this processor does many in the time of one.
    pub(crate) fn charged(&self) -> u64 {
        self.iterations.saturating_sub(self.native) + self.native / NATIVE_SPEED
    }
}

/// How many operations code of this processor does in the time of one that is interpreted, at least.
pub(crate) const NATIVE_SPEED: u64 = 20;

/// Places that are written by every iteration of a loop that is not followed.
#[derive(Clone, Debug, Default)]
pub struct Written {
    pub scalars: BTreeSet<Location>,
    /// Written as a whole, or somewhere.
    pub objects: BTreeSet<ObjectId>,
}

impl Written {
    /// What a log names, without objects whose life has ended.
    pub fn of(log: &[LogEntry], ended: &FxHashSet<ObjectId>) -> Self {
        let mut written = Self::default();
        for entry in log {
            match entry {
                LogEntry::Scalar(Location::Memory(object, ..), _) | LogEntry::Object(object, _)
                    if ended.contains(object) => {}
                LogEntry::Scalar(place, _) => {
                    written.scalars.insert(*place);
                }
                LogEntry::Object(object, _) => {
                    written.objects.insert(*object);
                }
            }
        }
        written
    }

    /// Adds places; gives those that are new.
    pub fn add(&mut self, other: Self) -> Self {
        let scalars = other.scalars.into_iter().filter(|place| self.scalars.insert(*place)).collect();
        let objects = other.objects.into_iter().filter(|object| self.objects.insert(*object)).collect();
        Self { scalars, objects }
    }

    pub fn is_empty(&self) -> bool {
        self.scalars.is_empty() && self.objects.is_empty()
    }

    /// The objects in which single places are written.
    pub fn around(&self) -> impl Iterator<Item = ObjectId> + '_ {
        self.scalars.iter().filter_map(|place| match place {
            Location::Memory(object, ..) => Some(*object),
            _ => None,
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum LoopMode {
    Normal,
    /// It was given up before: it is counted as soon as it iterates.
    GivenUp,
    /// The body is executed to see what it writes, so often as something new is seen, then once with the weight of all
    /// iterations.
    Forced {
        trips: Count,
        /// Passes to see what is written, so far; none where the counts are taken.
        discovering: Option<u8>,
        reason: ReasonId,
        spent: u64,
    },
    /// The number of iterations was given, the body is executed so often.
    Times(u64),
}

/// An MPI call that waits for its events.
#[derive(Clone, Debug)]
pub struct Pending {
    pub args: Vec<Value>,
    pub dst: Option<(u32, ScalarType)>,
    /// Events still to be emitted.
    pub events: usize,
    /// The events are the interpreter's own: their outcome tells nothing.
    pub own: Option<Value>,
    /// Where the time goes, where the clock is followed.
    pub clock: Option<AskedClock>,
}

/// A reading of the simulated clock that a task waits for.
#[derive(Clone, Copy, Debug)]
pub struct AskedClock {
    /// The call that reads it.
    pub call: chronos_ir::BlockId,
    /// Ticks per second, and the register of the result; a time in seconds may have a fraction.
    pub result: Option<(Ticks, u32)>,
    /// Where whole ticks go.
    pub whole: Option<(Ticks, Pointer)>,
    /// Where the rest of a second goes, in ticks.
    pub rest: Option<(Ticks, Pointer)>,
}

/// What a clock counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ticks {
    /// Seconds with what is left of them.
    Seconds,
    /// Whole ticks, so many per second.
    PerSecond(f64),
}

#[derive(Clone, Debug)]
pub struct Task {
    pub id: TaskId,
    pub frames: Vec<Frame>,
    pub stack: Vec<Value>,
    pub globals: Vec<Value>,
    pub memory: Memory,
    pub loops: Vec<LoopState>,
    pub splits: Vec<Split>,
    pub logs: Logs,
    /// Objects whose life has ended while a log may still name them.
    retired: Vec<ObjectId>,
    pub queue: VecDeque<Step>,
    pub pending: Option<Pending>,
    /// The spin that it was said to be in.
    pub spinning: Option<Spinning>,
    /// What moves in the period that is tried out.
    pub(crate) linear: Option<Box<Linear>>,
    /// What it knows of the tasks that it stands for.
    pub(crate) by_rank: Option<Box<ByRank>>,
    /// The loop of jumps that it is in, as far as that is known.
    pub(crate) jump: Option<Box<JumpLoop>>,
    /// Unsuccessful polls so far.
    pub failed: u64,
    /// Frames below the innermost function that a library has called.
    pub(crate) called_back: Option<usize>,
    pub weight: Count,
    /// Calls under way that will be remembered.
    pub(crate) recordings: Vec<Recording>,
    pub finished: Option<Step>,
    pub result: Option<Value>,
    /// Operations of MPI-free loops interpreted so far.
    pub spent: u64,
    /// Operations of recursive functions called so far.
    pub(crate) recursed: u64,
    /// Operations between `goto`s and their labels, for jumps back so far.
    pub jumped: u64,
    /// What `PIC_proba` and the like said last.
    pub annotated: BTreeMap<Target, f64>,
    /// Branches that an assumption was reported of.
    pub told: FxHashSet<BlockId>,
    pub effort: Effort,
    pub streams: Streams,
    pub process: Process,
    pub(crate) random_numbers: RandomNumbers,
    /// Counts changes of library state that is not in memory.
    pub epoch: u64,
    /// The threads of the parallel region that it is in.
    pub(crate) team: Option<Box<Team>>,
    /// What OpenMP knows of the thread that is executed.
    pub(crate) thread: ThreadState,
    /// What threads of POSIX share.
    pub(crate) posix: PosixThreads,
    /// The level that `MPI_Init_thread` asked for.
    pub(crate) thread_level: Option<i64>,
    /// Threads of the next parallel region, where the program has said so.
    pub(crate) wanted_threads: Option<u32>,
    /// What `omp_set_schedule` asks for.
    pub(crate) schedule: Option<RuntimeSchedule>,
    /// The program lets regions in regions have threads of their own.
    pub(crate) nests: bool,
    /// The team of a league that runs.
    pub(crate) league: League,
    /// Objects whose addresses other tasks may be told as numbers.
    pub published: std::collections::BTreeSet<ObjectId>,
}

impl Task {
    pub fn new(id: TaskId, code: &Code) -> Self {
        let program = &code.program;
        let mut memory = Memory::new(program.model);
        for object in &code.statics {
            match *object {
                StaticObject::Variable(variable) => {
                    let size = program.types.size(program.variables[variable].ty, program.model);
                    memory.allocate(size, Origin::Variable(variable), Fill::Zero);
                }
                StaticObject::String(string) => {
                    let bytes = &program.strings[string];
                    let object = memory.allocate(bytes.len() as u64, Origin::String(string), Fill::Zero);
                    memory.object_mut(object).content.storage = Storage::Text(bytes.as_slice().into());
                }
            }
        }
        Self {
            id,
            frames: Vec::new(),
            stack: Vec::new(),
            globals: Vec::new(),
            memory,
            loops: Vec::new(),
            splits: Vec::new(),
            logs: Logs::default(),
            retired: Vec::new(),
            queue: VecDeque::new(),
            pending: None,
            spinning: None,
            linear: None,
            by_rank: None,
            jump: None,
            failed: 0,
            called_back: None,
            weight: Count::ONE,
            recordings: Vec::new(),
            finished: None,
            result: None,
            spent: 0,
            recursed: 0,
            jumped: 0,
            annotated: BTreeMap::new(),
            told: FxHashSet::default(),
            effort: Default::default(),
            streams: Streams::default(),
            process: Default::default(),
            random_numbers: RandomNumbers::default(),
            epoch: 0,
            team: None,
            thread: ThreadState::default(),
            posix: PosixThreads::default(),
            thread_level: None,
            wanted_threads: None,
            schedule: None,
            nests: false,
            league: League::default(),
            published: Default::default(),
        }
    }

    /// The same state as that of another task.
    pub(crate) fn as_task(&self, id: TaskId) -> Self {
        Self { id, ..self.clone() }
    }

    pub fn get(&self, location: Location) -> Option<Value> {
        match location {
            Location::Register(at) => self.stack.get(at as usize).copied(),
            Location::Global(at) => self.globals.get(at as usize).copied(),
            Location::Memory(object, offset, ty) => {
                let pointer = Pointer { object, offset: offset as i64 };
                self.memory.object(object).live.then(|| self.memory.read(pointer, ty)).flatten()
            }
        }
    }

    /// Ends a trial: nothing is noticed any more.
    pub(crate) fn end_linear(&mut self) -> Option<Box<Linear>> {
        self.memory.traps = None;
        self.linear.take()
    }

    /// The trial does not tell how the period goes on.
    pub(crate) fn give_up_linear(&mut self) {
        self.end_linear();
    }

    /// Somebody has touched what moves in memory.
    pub(crate) fn is_sprung(&self) -> bool {
        self.memory.traps.as_ref().is_some_and(|traps| traps.is_sprung())
    }

    /// What is written there does not move, unless it is said.
    #[inline]
    pub(crate) fn settle_place(&mut self, location: Location) {
        if self.is_watched() {
            self.settle_watched(location);
        }
    }

    /// Whether it is noted of each operation what it makes of periods or of the rank: rarely, so that one test has to
    /// answer for both.
    #[inline]
    pub(crate) fn is_watched(&self) -> bool {
        self.linear.is_some() | self.by_rank.is_some()
    }

    // Every write to a register comes here: what is rare stays out of its code.
    #[cold]
    #[inline(never)]
    fn settle_watched(&mut self, location: Location) {
        if let Some(linear) = &mut self.linear {
            linear.put(location, 0);
        }
        if self.by_rank.is_some() {
            self.put_formula(location, None);
        }
    }

    /// What stands there is this function of the rank; `None`: the same for all tasks that it stands for.
    pub(crate) fn put_formula(&mut self, location: Location, formula: Option<FormulaId>) {
        let Some(by_rank) = &mut self.by_rank else { return };
        by_rank.put(location, formula);
        if let (Location::Memory(object, begin, ty), Some(traps)) = (location, &mut self.memory.traps) {
            match formula {
                Some(_) => traps.set(object, begin, ty.size(self.memory.model)),
                None => traps.clear(object, begin),
            }
        }
    }

    /// Of these bytes nothing is to be said any more: they are written as a whole.
    pub(crate) fn clear_formulas(&mut self, at: Pointer, bytes: u64) {
        let (begin, end) = (at.offset as u64, (at.offset as u64).saturating_add(bytes));
        let places = self.by_rank.as_ref().map(|by_rank| by_rank.overlapping(at.object, begin, end));
        let model = self.memory.model;
        for place in places.unwrap_or_default() {
            if matches!(place, Location::Memory(_, at, ty) if at >= begin && at + ty.size(model) <= end) {
                self.put_formula(place, None);
            }
        }
    }

    /// The same for what the MPI call in progress will write.
    pub(crate) fn clear_rewritten(&mut self, at: Pointer, bytes: u64) {
        if let Some(by_rank) = &mut self.by_rank {
            let places = by_rank.overlapping(at.object, at.offset as u64, (at.offset as u64).saturating_add(bytes));
            let stamps: Vec<_> = places.into_iter().map(|place| (place, by_rank.stamp(place))).collect();
            by_rank.rewritten.extend(stamps);
        }
        self.clear_formulas(at, bytes);
    }

    /// Nobody says how these bytes depend on the rank.
    pub(crate) fn leave_unsaid(&mut self, at: Pointer, bytes: u64) {
        /// More is not followed.
        const MOST: u64 = 1024;
        if bytes > MOST {
            self.by_rank.iter().for_each(|by_rank| by_rank.refuse("something depends on much data that is received"));
            return;
        }
        let (begin, end) = (at.offset as u64, at.offset as u64 + bytes);
        let mut next = begin;
        while next < end {
            let ty = if end - next >= 4 { ScalarType::I32 } else { ScalarType::I8 };
            self.put_formula(Location::Memory(at.object, next, ty), Some(Formulas::UNSAID));
            next += ty.size(self.memory.model);
        }
        self.by_rank.iter_mut().for_each(|by_rank| by_rank.restore_rewritten());
    }

    /// What stands there decides something: all tasks of the class have the same.
    pub(crate) fn pin(&mut self, location: Location) {
        let Some(by_rank) = &mut self.by_rank else { return };
        by_rank.pin(location);
        if let (Location::Memory(object, begin, _), Some(traps)) = (location, &mut self.memory.traps) {
            traps.clear(object, begin);
        }
    }

    /// Writes without a note in the log.
    pub fn put(&mut self, location: Location, value: Value) {
        if !matches!(location, Location::Memory(..)) {
            self.settle_place(location);
        }
        match location {
            Location::Register(at) => {
                if let Some(slot) = self.stack.get_mut(at as usize) {
                    *slot = value;
                }
            }
            Location::Global(at) => self.globals[at as usize] = value,
            Location::Memory(object, offset, ty) => {
                if self.memory.object(object).live {
                    self.memory.write(Pointer { object, offset: offset as i64 }, ty, value);
                }
            }
        }
    }

    /// Writes with a note in the innermost log.
    #[inline]
    pub fn set(&mut self, location: Location, value: Value) {
        if !self.logs.is_empty() {
            self.note(location);
        }
        self.put(location, value);
    }

    /// Begins a log of what may not happen, or will be undone.
    pub(crate) fn begin_uncertain_log(&mut self) {
        self.logs.push_uncertain(self.memory.allocated());
    }

    /// Ends the life of an object: as soon as it is certain, where something may be undone.
    pub fn retire(&mut self, object: ObjectId) {
        if self.logs.is_empty() {
            self.release_retired();
        }
        match self.logs.uncertain_since() {
            None => self.memory.release(object),
            Some(_) => self.retired.push(object),
        }
    }

    /// Ends the life of an allocation. One from before what may not happen lives on: it may be used where that did not.
    pub(crate) fn free(&mut self, object: ObjectId) {
        if self.logs.uncertain_since().is_none_or(|allocated| self.memory.is_younger(object, allocated)) {
            self.retire(object);
        }
    }

    /// Objects whose life has ended, though a log may still name them.
    pub fn ended(&self) -> FxHashSet<ObjectId> {
        self.retired.iter().copied().collect()
    }

    pub(crate) fn release_retired(&mut self) {
        for object in std::mem::take(&mut self.retired) {
            self.memory.release(object);
        }
    }

    pub fn note(&mut self, location: Location) {
        let Some(old) = self.get(location) else { return };
        self.logs.note(location, old);
    }

    pub(crate) fn note_object(&mut self, object: ObjectId) {
        if !self.logs.is_empty() {
            self.logs.note_object(object, self.memory.content_to_share(object));
        }
    }

    pub fn forget(&mut self, object: ObjectId, reason: ReasonId) {
        let content = &self.memory.object(object).content;
        if matches!(content, Content { storage: Storage::Empty, fill: Fill::Value(Value::Unknown(_)) }) {
            return;
        }
        self.note_object(object);
        self.memory.forget(object, Value::Unknown(reason));
    }

    /// Nothing of the objects of these origins is known any longer.
    pub fn forget_all(&mut self, reached: impl Fn(Origin) -> bool, reason: ReasonId) {
        let objects = self.memory.known(reached);
        objects.iter().for_each(|&object| self.forget(object, reason));
        self.memory.settle_known(&objects);
    }

    pub fn store(&mut self, pointer: Pointer, ty: ScalarType, value: Value) {
        if !self.logs.is_empty() {
            self.note(Location::Memory(pointer.object, pointer.offset as u64, ty));
        }
        self.memory.write(pointer, ty, value);
    }

    /// Undoes the entries of a log, newest first; gives what they had written, each place once.
    pub fn undo(&mut self, log: Vec<LogEntry>) -> (Vec<(Location, Value)>, Vec<ObjectId>) {
        let mut finals: Vec<(Location, Value)> = Vec::new();
        let mut seen = chronos_base::hash::FxHashSet::default();
        let mut objects = Vec::new();
        for entry in &log {
            match entry {
                LogEntry::Scalar(location, _) if seen.insert(*location) => {
                    finals.extend(self.get(*location).map(|value| (*location, value)));
                }
                LogEntry::Scalar(..) => {}
                LogEntry::Object(object, _) => objects.push(*object),
            }
        }
        for entry in log.into_iter().rev() {
            match entry {
                LogEntry::Scalar(location, old) => self.put(location, old),
                LogEntry::Object(object, content) => {
                    self.memory.object_mut(object).content = Arc::unwrap_or_clone(content);
                }
            }
        }
        (finals, objects)
    }
}

/// A string of the environment.
pub fn environment_string(task: &mut Task, text: &str) -> Value {
    let mut bytes = text.as_bytes().to_vec();
    bytes.push(0);
    let object = task.memory.allocate(bytes.len() as u64, Origin::Environment, Fill::Zero);
    task.memory.object_mut(object).content.storage = Storage::Text(bytes.into());
    Value::Pointer(Pointer { object, offset: 0 })
}
