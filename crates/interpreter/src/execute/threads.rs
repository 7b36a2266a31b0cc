//! Threads of OpenMP: a parallel region is executed by one thread after the other, each up to the next barrier.
//!
//! For a program without data races every order of the threads between two barriers gives the same values, so this one is as
//! good as any. What a run decides otherwise is a doubt (`library::openmp`).

use crate::code::instructions::{CallCode, Home};
use crate::codes;
use crate::execute::machine::{Flow, Machine};
use crate::state::task::Frame;
use crate::state::team::{Stage, Team, Thread, ThreadPrivate, ThreadState, sum};
use chronos_activity::{Count, Segment, Step, Work};
use chronos_base::diag::Diagnostic;
use chronos_base::ids::Id;
use chronos_ir::openmp::{FLUSH, FORK, JOIN, POSIX, REGION, REGION_END};
use chronos_ir::{FuncId, VarId};
use chronos_slicing::doubts::{Certainty, Doubt, Subject};
use chronos_values::{Origin, Pointer, Value};
use std::ops::Range;
use std::sync::Arc;

/// More threads than any node has processors.
const MOST_THREADS: u32 = 1024;
/// Flags of the call that begins a region.
const COPIES_IN: i64 = 2;

impl Machine<'_> {
    /// Whether several threads execute the program here.
    pub(crate) fn in_team(&self) -> bool {
        self.task.team.is_some()
    }

    /// Whether loops tell the replay of their iterations: those of threads and of functions that a library calls do not, as
    /// no event of others comes between.
    pub(crate) fn hands_out_steps(&self) -> bool {
        !self.in_team() && self.task.called_back.is_none()
    }

    /// The number of the thread in its team, and of the threads in it.
    pub(crate) fn thread_of_team(&self) -> (u32, u32) {
        match &self.task.team {
            Some(team) if self.task.thread.inactive == 0 => (team.current as u32, team.size()),
            _ => (0, 1),
        }
    }

    /// Threads of the next region that asks for no other number.
    pub(crate) fn usual_threads(&self) -> u32 {
        let given = self.code.program.openmp.as_ref().map_or(1, |openmp| openmp.threads);
        let limit = if self.task.league.limit > 0 { self.task.league.limit } else { MOST_THREADS };
        self.task.wanted_threads.unwrap_or(given).clamp(1, limit.min(MOST_THREADS))
    }

    /// A call where a thread stops.
    pub(crate) fn thread_call(&mut self, call: &CallCode, name: &str) -> Flow<()> {
        match name {
            FORK => self.fork(call),
            JOIN => self.end_thread(),
            FLUSH => self.look_at_others(),
            _ => match name.strip_prefix(POSIX) {
                Some(step) => self.posix_call(call, step),
                None => self.barrier(),
            },
        }
    }

    fn fork(&mut self, call: &CallCode) -> Flow<()> {
        let args = self.arguments(call);
        let number = |index: usize| args.get(index).and_then(|value: &Value| value.as_int());
        let (Some(wanted), Some(flags)) = (number(0), number(1)) else {
            return Err(self.error(
                &codes::UNKNOWN_THREADS,
                "the number of threads of this region is unknown",
                HELP_THREADS,
            ));
        };
        let wanted =
            u32::try_from(wanted).ok().filter(|&n| n > 0).map_or_else(|| self.usual_threads(), |n| n.min(MOST_THREADS));
        // Nested regions have one thread each (OMP_MAX_ACTIVE_LEVELS=1, the default).
        if self.in_team() || flags & 1 == 0 || wanted <= 1 {
            let asks = self.task.nests || self.task.team.as_ref().is_some_and(|team| team.posix.is_some());
            if asks && self.in_team() && flags & 1 != 0 && wanted > 1 {
                self.doubt_nested_region(call);
            }
            self.task.thread.inactive += 1;
            return Ok(());
        }
        self.task.give_up_linear();
        self.forget_jump();
        self.begin_team(call, wanted, number(2).unwrap_or(0));
        if flags & COPIES_IN != 0 {
            self.copy_in();
        }
        Ok(())
    }

    /// The program asks for threads of a region in a region, which has one here.
    fn doubt_nested_region(&mut self, call: &CallCode) {
        let text = "a parallel region in another one is taken to have one thread";
        let certainty = Certainty::Unknown;
        let doubt = Doubt { span: call.span, certainty, text: text.into(), help: None };
        let function = self.code.program.blocks[call.block].function;
        self.shared.doubts.add(doubt, Subject::Function(function));
    }

    fn begin_team(&mut self, call: &CallCode, size: u32, region: i64) {
        let outside = if self.is_uncertain() {
            self.tell_uncertain_region(call);
            Some(self.shared.scratch.begin_layer(self.task.weight))
        } else {
            self.flush();
            None
        };
        let site = Some((self.context(), call.block));
        let task = &mut *self.task;
        let Some(frame) = task.frames.last() else { return };
        let (base, function) = (frame.base as usize, frame.function);
        let mut team = Team {
            frames: task.frames.len() - 1,
            stack: base,
            loops: task.loops.len(),
            splits: task.splits.len(),
            allocations: frame.allocations.len(),
            site,
            outside,
            parts: vec![Segment::default(); size as usize],
            ..Team::default()
        };
        let frame = frame.clone();
        let stack = task.stack[base..].to_vec();
        let range = self.region_variables(function, region);
        team.threads.push(Thread::default());
        for _ in 1..size {
            team.threads.push(self.new_thread(function, frame.clone(), stack.clone(), &range));
        }
        self.task.thread = ThreadState::default();
        self.task.team = Some(Box::new(team));
    }

    /// The local variables that each thread has for itself: the lowering declares them between two marks.
    fn region_variables(&self, function: FuncId, region: i64) -> Range<u32> {
        let program = &self.code.program;
        let named = |name: &str| {
            let name = format!("{name}{region}");
            program.functions[function].locals.iter().find(|&&id| *program.variables[id].name == *name).copied()
        };
        let index = |id: Option<VarId>| id.map_or(u32::MAX, |id| id.index() as u32);
        index(named(REGION))..index(named(REGION_END))
    }

    /// A thread that begins where the region does, with objects of its own for the variables that the region declares.
    fn new_thread(&mut self, function: FuncId, frame: Frame, mut stack: Vec<Value>, own: &Range<u32>) -> Thread {
        let mut objects = Vec::new();
        let fill = self.shared.fresh();
        for &(register, variable, bytes) in &self.code.functions[function.index()].frame_objects {
            if own.contains(&(variable.index() as u32)) {
                let object = self.task.memory.allocate(bytes, Origin::Variable(variable), fill);
                stack[register as usize] = Value::Pointer(Pointer { object, offset: 0 });
                objects.push(object);
            }
        }
        let private = self.threadprivate_values();
        Thread { frames: vec![frame], stack, objects, private, ..Thread::default() }
    }

    /// What variables that are `threadprivate` hold for the thread that runs.
    pub(super) fn threadprivate_values(&mut self) -> ThreadPrivate {
        let mut private = ThreadPrivate::default();
        let code = self.code;
        for &variable in code.program.openmp.iter().flat_map(|openmp| &openmp.threadprivate) {
            match code.homes[variable.index()] {
                Home::Global(at) => private.globals.push((at, self.task.globals[at as usize])),
                Home::Object(object) => {
                    private.contents.push((object, self.task.memory.content_to_share(object).clone()));
                }
                _ => {}
            }
        }
        private
    }

    fn put_threadprivate(&mut self, private: ThreadPrivate) {
        for (at, value) in private.globals {
            self.task.globals[at as usize] = value;
        }
        for (object, content) in private.contents {
            self.task.memory.object_mut(object).content = content;
        }
    }

    /// All threads begin with the values of the first one.
    fn copy_in(&mut self) {
        let private = self.threadprivate_values();
        let Some(team) = &mut self.task.team else { return };
        for thread in &mut team.threads {
            thread.private.clone_from(&private);
        }
    }

    pub(super) fn barrier(&mut self) -> Flow<()> {
        if self.task.thread.inactive > 0 || !self.in_team() {
            return Ok(());
        }
        self.stop_thread(Stage::AtBarrier)
    }

    /// The thread looks at what others have written. It may wait for that in a loop, so the others run first, unless it keeps
    /// them out by a lock, or stands where no thread can be stopped.
    fn look_at_others(&mut self) -> Flow<()> {
        let thread = &self.task.thread;
        if thread.inactive > 0 || thread.locked > 0 || !self.in_team() || self.check_stop().is_err() {
            return Ok(());
        }
        self.stop_thread(Stage::Looking)
    }

    fn end_thread(&mut self) -> Flow<()> {
        if self.task.thread.inactive > 0 {
            self.task.thread.inactive -= 1;
            return Ok(());
        }
        if !self.in_team() {
            return Ok(());
        }
        self.stop_thread(Stage::Ended)
    }

    /// The thread stops here; another one goes on, or all of them when the last one is here.
    fn stop_thread(&mut self, stage: Stage) -> Flow<()> {
        self.check_stop()?;
        self.take_part();
        let Some(mut team) = self.task.team.take() else { return Ok(()) };
        team.threads[team.current].stage = stage;
        let next = team.ready().or_else(|| {
            team.close_interval();
            let waiting = team.threads.iter_mut().filter(|thread| thread.stage == Stage::AtBarrier);
            waiting.for_each(|thread| thread.stage = Stage::Ready);
            team.ready()
        });
        self.suspend(&mut team);
        self.go_on(&mut team, next.unwrap_or(0));
        self.task.team = Some(team);
        if next.is_none() {
            self.end_team();
        }
        Ok(())
    }

    /// A thread stops under no condition that is unknown, and in no loop of unknown length that it is in since the begin.
    pub(super) fn check_stop(&self) -> Flow<()> {
        let Some(team) = &self.task.team else { return Ok(()) };
        let forced = (team.loops..self.task.loops.len()).any(|at| self.is_forced(at));
        if self.task.splits.len() > team.splits || forced {
            let message = match &team.posix {
                Some(_) => "a thread waits for others under a condition that is unknown",
                None => "a barrier of OpenMP stands under a condition that is unknown",
            };
            return Err(self.error(
                &codes::UNKNOWN_THREADS,
                message,
                "give the value that decides (--set, program arguments)",
            ));
        }
        Ok(())
    }

    /// What was counted since the last switch belongs to the thread.
    pub(super) fn take_part(&mut self) {
        let Some(part) = self.shared.scratch.take(self.task.weight) else { return };
        let Some(team) = &mut self.task.team else { return };
        let sofar = &mut team.parts[team.current];
        *sofar =
            if sofar.counts.is_empty() && sofar.volumes.is_empty() { part } else { sum([&*sofar, &part].into_iter()) };
    }

    pub(super) fn suspend(&mut self, team: &mut Team) {
        let private = self.threadprivate_values();
        let task = &mut *self.task;
        let thread = &mut team.threads[team.current];
        thread.frames = task.frames.split_off(team.frames);
        thread.stack = task.stack.split_off(team.stack);
        thread.loops = task.loops.split_off(team.loops);
        thread.private = private;
        thread.state = task.thread;
    }

    pub(super) fn go_on(&mut self, team: &mut Team, next: usize) {
        team.current = next;
        let thread = &mut team.threads[next];
        let task = &mut *self.task;
        task.frames.append(&mut thread.frames);
        task.stack.append(&mut thread.stack);
        task.loops.append(&mut thread.loops);
        task.thread = thread.state;
        self.put_threadprivate(std::mem::take(&mut thread.private));
    }

    /// All threads are at the end: the first one goes on alone.
    pub(super) fn end_team(&mut self) {
        let Some(mut team) = self.task.team.take() else { return };
        for mut thread in team.threads.drain(..) {
            let frames = thread.frames.drain(..);
            let made = frames.flat_map(|frame| frame.allocations.into_iter().skip(team.allocations));
            thread.objects.extend(made);
            thread.objects.into_iter().for_each(|object| self.task.retire(object));
        }
        self.task.thread = ThreadState::default();
        self.hand_out(*team);
    }

    /// What the threads counted so far, where the task is about to be left in the middle of a region.
    pub(crate) fn hand_out_team(&mut self) {
        self.take_part();
        let Some(team) = &mut self.task.team else { return };
        team.close_interval();
        let size = team.threads.len();
        let mut given = Team { site: team.region(), intervals: std::mem::take(&mut team.intervals), ..Team::default() };
        given.outside = team.outside.take();
        team.parts = vec![Segment::default(); size];
        if given.outside.is_some() {
            team.outside = Some(Default::default());
        }
        self.hand_out(given);
    }

    fn hand_out(&mut self, mut team: Team) {
        let mut whole = sum(team.intervals.iter().flat_map(|interval| &interval.threads));
        let Some(outside) = team.outside.take() else {
            team.intervals.retain(|interval| interval.threads.iter().any(|part| !part.counts.is_empty()));
            if !team.intervals.is_empty() {
                let intervals = std::mem::take(&mut team.intervals);
                whole.team = Some(Arc::new(chronos_activity::Team { site: team.region(), intervals }));
                self.emit_segment(whole);
            }
            return;
        };
        // Nobody knows how often: counted with what stands around the region.
        let weight = self.task.weight;
        self.shared.scratch.end_layer(weight, outside);
        for (context, counter, count) in whole.counts {
            self.shared.scratch.add(context, counter, count);
        }
        for (context, block, bytes) in whole.volumes {
            self.shared.scratch.add_volume(context, block, bytes);
        }
    }

    fn emit_segment(&mut self, segment: Segment) {
        segment.counts.iter().for_each(|&(_, counter, count)| self.task.effort.note(counter, count));
        let predictor = &mut self.known.predictor;
        predictor.settle_all();
        let id = self.shared.segments.intern_with(segment, |segment| {
            segment.mispredicted = predictor.of_segment(segment, &self.code.program);
        });
        self.emit(Step::Work(Work::Segment(id)));
    }

    /// MPI as `MPI_THREAD_FUNNELED` allows it: the other threads compute beside it.
    pub(super) fn only_first_thread(&self, call: &CallCode, name: &str) -> Flow<()> {
        let first = self
            .task
            .team
            .as_ref()
            .is_none_or(|team| team.posix.is_some() || team.current == 0 && self.task.thread.inactive == 0);
        if first {
            return Ok(());
        }
        let message = format!("`{name}` is called by a thread other than the first of a parallel region");
        let help =
            "let the first thread call it (`#pragma omp master`): MPI_THREAD_SERIALIZED and _MULTIPLE are not followed";
        Err(Diagnostic::error(&codes::UNKNOWN_THREADS, message).label(call.span, "this call").help(help).into())
    }

    fn tell_uncertain_region(&mut self, call: &CallCode) {
        let message = "how often this parallel region is executed is unknown: its time is that of one thread";
        let warning = Diagnostic::warning(&codes::UNKNOWN_THREADS, message)
            .label(call.span, "this region")
            .help("give what decides (--set, program arguments, --iterations, --prob with 0 or 1)");
        self.shared.reports.add(self.task.id, warning);
        debug_assert!(self.is_uncertain() || self.task.weight == Count::ONE);
    }
}

const HELP_THREADS: &str = "give the value that decides (--set, program arguments)";
