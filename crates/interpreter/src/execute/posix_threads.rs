//! Threads of POSIX: each has frames of its own, and goes on until it waits for another one or gives back what others may
//! wait for. Then the next one by number goes on.
//!
//! A thread begins as a copy of the frame of a function in our own `pthread.h`, which calls the start function there. What is
//! counted until all threads have met (at a barrier, or at their ends) is an interval of a team, as of a parallel region.

use crate::code::instructions::CallCode;
use crate::codes;
use crate::execute::machine::{Flow, Machine, Stop};
use crate::state::posix_threads::{Place, Started, Wait, place};
use crate::state::task::Frame;
use crate::state::team::{Stage, Team, Thread, ThreadState};
use chronos_activity::Segment;
use chronos_values::Value;

/// Numbers of threads: `pthread.h` keeps the results of so many.
const MOST_THREADS: u32 = 1024;
/// From so many turns on, a thread that gives a mutex back makes way only at each `SELDOM`th time: who polls still sees the
/// others move, and a thread that only adds under a mutex does not stop at each addition.
const EACH_TURN: u64 = 4096;
const SELDOM: u64 = 64;
/// Numbers of errors, of Linux.
const ESRCH: i64 = 3;
const EBUSY: i64 = 16;
const ETIMEDOUT: i64 = 110;
/// `PTHREAD_BARRIER_SERIAL_THREAD`.
const SERIAL_THREAD: i64 = -1;

impl Machine<'_> {
    /// A call of a function of `pthread.h` or `semaphore.h`, by what stands behind the prefix.
    pub(super) fn posix_call(&mut self, call: &CallCode, step: &str) -> Flow<()> {
        let args = self.arguments(call);
        let result = match step {
            "fork" => return self.start_thread(call, args.first().copied()),
            "end" => return self.end_started(),
            "number" => i64::from(self.thread_number()),
            "join" => return self.join_thread(call, &args),
            "cond_wait" | "cond_timedwait" => return self.wait_for_signal(call, &args, step == "cond_timedwait"),
            "barrier_wait" => return self.wait_at_barrier(call, &args),
            "mutex_trylock" | "sem_trywait" => return self.try_to_take(call, &args, step == "sem_trywait"),
            "cond_signal" | "cond_broadcast" => self.signal(&args, step == "cond_broadcast")?,
            "barrier_init" | "sem_init" => self.set_up(&args, step == "sem_init")?,
            _ => 0,
        };
        self.give(call.dst, Value::Int(result));
        match step {
            "mutex_lock" => self.lock(&args),
            "mutex_unlock" => self.unlock(&args),
            "sem_wait" => {
                let Some(place) = self.shared_place(&args, 0)? else { return Ok(()) };
                self.wait_for(Wait::Semaphore(place))
            }
            "sem_post" => self.post(&args),
            "yield" => self.give_way(true),
            _ => Ok(()),
        }
    }

    /// The number of the thread that runs; 0 of the first one.
    pub(super) fn thread_number(&self) -> u32 {
        let started = self.task.team.as_ref().and_then(|team| Some((team.posix.as_ref()?, team.current)));
        started.map_or(0, |(started, current)| started.numbers[current])
    }

    pub(super) fn has_started(&self) -> bool {
        self.task.team.as_ref().is_some_and(|team| team.posix.is_some())
    }

    /// Where a mutex or its kin lies. One thread alone need not know.
    fn shared_place(&self, args: &[Value], index: usize) -> Flow<Option<Place>> {
        match args.get(index) {
            Some(Value::Pointer(pointer)) => Ok(Some(place(*pointer))),
            _ if !self.has_started() => Ok(None),
            _ => Err(self.error(
                &codes::UNKNOWN_THREADS,
                "which mutex, semaphore, barrier or condition variable this is, is unknown",
                "give the value that decides (--set, program arguments)",
            )),
        }
    }

    fn start_thread(&mut self, call: &CallCode, argument: Option<Value>) -> Flow<()> {
        self.check_start()?;
        let Some(number) = self.task.posix.free_number(MOST_THREADS) else {
            self.give(call.dst, Value::Int(0));
            return Ok(());
        };
        if self.task.team.is_none() {
            self.begin_started(call);
        }
        let function = self.code.program.blocks[call.block].function;
        self.task.posix.started = Some((self.started_at().unwrap_or(call.span), function));
        self.give(call.dst, Value::Int(number.into()));
        let Some(frame) = self.task.frames.last() else { return Ok(()) };
        let mut stack = self.task.stack[frame.base as usize..].to_vec();
        if let Some((register, _)) = call.dst {
            stack[register as usize] = Value::Int(-i64::from(number));
        }
        let frame = Frame { base: 0, loops: 0, splits: 0, allocations: Vec::new(), ..frame.clone() };
        let private = self.threadprivate_values();
        // Regions of OpenMP in it have one thread.
        let state = ThreadState { inactive: 1, ..ThreadState::default() };
        let thread = Thread { frames: vec![frame], stack, private, state, ..Thread::default() };
        self.task.posix.used.insert(number);
        let argument = match argument {
            Some(Value::Pointer(pointer)) => Some((pointer, self.pointed_values(pointer))),
            _ => None,
        };
        if let Some(team) = &mut self.task.team {
            team.threads.push(thread);
            team.parts.push(Segment::default());
            if let Some(started) = &mut team.posix {
                started.numbers.push(number);
                started.waits.push(None);
                started.arguments.push(argument);
            }
        }
        Ok(())
    }

    /// A thread begins where it is known that it does, and in no function that a library calls.
    fn check_start(&self) -> Flow<()> {
        let (what, help) = if self.task.called_back.is_some() {
            ("in a function that a library calls", "start it in a function of the program's own")
        } else if self.in_team() && !self.has_started() {
            ("in a parallel region of OpenMP", "start it outside of regions")
        } else if self.is_uncertain() || !self.task.splits.is_empty() {
            ("under a condition that is unknown", "give the value that decides (--set, program arguments)")
        } else {
            return Ok(());
        };
        Err(self.error(&codes::UNKNOWN_THREADS, format!("a thread is started {what}"), help))
    }

    fn begin_started(&mut self, call: &CallCode) {
        self.task.give_up_linear();
        self.forget_jump();
        self.flush();
        let team = Team {
            site: Some((self.context(), call.block)),
            threads: vec![Thread::default()],
            parts: vec![Segment::default()],
            posix: Some(Box::new(Started { numbers: vec![0], waits: vec![None], arguments: vec![None] })),
            ..Team::default()
        };
        self.task.thread.inactive += 1;
        self.task.team = Some(Box::new(team));
    }

    fn end_started(&mut self) -> Flow<()> {
        let number = self.thread_number();
        if number == 0 {
            // The first thread ends: the process does so with the last one.
            let alone = self.task.team.as_ref().is_none_or(|team| others_ended(team));
            self.task.posix.started = None;
            return if alone { Err(Stop::Exit(Value::Int(0))) } else { self.wait_for(Wait::AllEnds) };
        }
        self.task.posix.ended.insert(number);
        if let Some(team) = &mut self.task.team {
            let current = team.current;
            team.threads[current].stage = Stage::Ended;
        }
        self.switch()
    }

    fn join_thread(&mut self, call: &CallCode, args: &[Value]) -> Flow<()> {
        let Some(number) = args.first().and_then(|value| value.as_int()) else {
            let help = "give the value that decides (--set, program arguments)";
            return Err(self.error(&codes::UNKNOWN_THREADS, "which thread is joined is unknown", help));
        };
        let number = u32::try_from(number).ok().filter(|number| self.task.posix.used.contains(number));
        self.give(call.dst, Value::Int(if number.is_some() { 0 } else { ESRCH }));
        number.map_or(Ok(()), |number| self.wait_for(Wait::End(number)))
    }

    fn lock(&mut self, args: &[Value]) -> Flow<()> {
        let Some(place) = self.shared_place(args, 0)? else { return Ok(()) };
        let number = self.thread_number();
        match self.task.posix.mutexes.get_mut(&place) {
            // Of a kind that its holder may take again.
            Some((holder, times)) if *holder == number => {
                *times += 1;
                Ok(())
            }
            _ => self.wait_for(Wait::Mutex(place)),
        }
    }

    fn unlock(&mut self, args: &[Value]) -> Flow<()> {
        let Some(place) = self.shared_place(args, 0)? else { return Ok(()) };
        self.task.posix.release(place);
        self.give_way(false)
    }

    fn post(&mut self, args: &[Value]) -> Flow<()> {
        let Some(place) = self.shared_place(args, 0)? else { return Ok(()) };
        *self.task.posix.semaphores.entry(place).or_default() += 1;
        self.give_way(false)
    }

    /// Takes a mutex or a semaphore, where that is free.
    fn try_to_take(&mut self, call: &CallCode, args: &[Value], semaphore: bool) -> Flow<()> {
        let Some(place) = self.shared_place(args, 0)? else { return Ok(()) };
        let wait = Some(if semaphore { Wait::Semaphore(place) } else { Wait::Mutex(place) });
        let free = self.task.posix.has_come(wait, false);
        if self.has_started() {
            self.doubt_call(call, "whether another thread holds this is decided in the run: threads take turns here");
        }
        let failed = if semaphore { -1 } else { EBUSY };
        self.give(call.dst, Value::Int(if free { 0 } else { failed }));
        if free {
            let number = self.thread_number();
            self.task.posix.take(wait, number);
            return Ok(());
        }
        self.give_way(true)
    }

    fn wait_for_signal(&mut self, call: &CallCode, args: &[Value], is_timed: bool) -> Flow<()> {
        let (Some(condition), Some(mutex)) = (self.shared_place(args, 0)?, self.shared_place(args, 1)?) else {
            return Err(self.all_wait(&[]));
        };
        if is_timed {
            self.doubt_call(call, "whether a signal comes in time is decided in the run: it is waited for it");
        }
        self.give(call.dst, Value::Int(0));
        let timed = call.dst.filter(|_| is_timed).map(|(register, _)| self.base() + register);
        self.task.posix.release(mutex);
        self.task.posix.signals += 1;
        let since = self.task.posix.signals;
        self.wait_for(Wait::Signal { condition, mutex: Some(mutex), since, timed })
    }

    fn signal(&mut self, args: &[Value], all: bool) -> Flow<i64> {
        if let Some(place) = self.shared_place(args, 0)?
            && let Some(started) = self.task.team.as_mut().and_then(|team| team.posix.as_mut())
        {
            started.signal(place, all);
        }
        Ok(0)
    }

    fn set_up(&mut self, args: &[Value], semaphore: bool) -> Flow<i64> {
        let place = self.shared_place(args, 0)?;
        let number = args.get(1).and_then(|value| value.as_int());
        let (Some(place), Some(number)) = (place, number) else {
            let help = "give the value that decides (--set, program arguments)";
            return Err(self.error(&codes::UNKNOWN_THREADS, "how many threads this is for is unknown", help));
        };
        if semaphore {
            self.task.posix.semaphores.insert(place, number);
        } else {
            self.task.posix.barriers.insert(place, u32::try_from(number).unwrap_or(0));
        }
        Ok(0)
    }

    fn wait_at_barrier(&mut self, call: &CallCode, args: &[Value]) -> Flow<()> {
        let place = self.shared_place(args, 0)?;
        let Some((place, wanted)) = place.and_then(|place| Some((place, *self.task.posix.barriers.get(&place)?)))
        else {
            let help = "call pthread_barrier_init for it";
            return Err(self.error(&codes::UNKNOWN_THREADS, "how many threads meet at this barrier is unknown", help));
        };
        self.doubt_call(call, "which thread comes last to this barrier is decided in the run: threads take turns here");
        let team = self.task.team.as_ref();
        let waiting = team.and_then(|team| team.posix.as_ref()).map_or(0, |started| started.at_barrier(place)) + 1;
        if waiting < wanted as usize {
            self.give(call.dst, Value::Int(0));
            return self.wait_for(Wait::Barrier(place));
        }
        self.give(call.dst, Value::Int(SERIAL_THREAD));
        self.take_part();
        if let Some(team) = &mut self.task.team {
            if waiting == runners(team) {
                team.close_interval();
            }
            if let Some(started) = &mut team.posix {
                started.open(place);
            }
        }
        Ok(())
    }

    /// The thread goes on when this has come.
    fn wait_for(&mut self, wait: Wait) -> Flow<()> {
        let number = self.thread_number();
        if self.task.posix.has_come(Some(wait), false) {
            self.task.posix.take(Some(wait), number);
            return Ok(());
        }
        let Some(team) = &mut self.task.team else { return Err(self.all_wait(&[wait])) };
        let current = team.current;
        match &mut team.posix {
            Some(started) => started.waits[current] = Some(wait),
            None => return Err(self.all_wait(&[wait])),
        }
        self.switch()
    }

    /// Others go on, as they may wait for what this thread has done; not where it cannot be stopped.
    fn give_way(&mut self, always: bool) -> Flow<()> {
        if !self.has_started() || self.check_stop().is_err() {
            return Ok(());
        }
        self.task.posix.turns += 1;
        let turns = self.task.posix.turns;
        if always || turns < EACH_TURN || turns.is_multiple_of(SELDOM) { self.switch() } else { Ok(()) }
    }

    /// The next thread that can goes on.
    fn switch(&mut self) -> Flow<()> {
        self.check_stop()?;
        let Some((next, wait)) = self.next_started() else {
            let started = self.task.team.as_ref().and_then(|team| team.posix.as_ref());
            let waits: Vec<Wait> = started.iter().flat_map(|started| &started.waits).flatten().copied().collect();
            return Err(self.all_wait(&waits));
        };
        self.go_on_with(next);
        if let Some(Wait::Signal { timed: Some(register), .. }) = wait {
            self.task.stack[register as usize] = Value::Int(ETIMEDOUT);
        }
        if wait == Some(Wait::AllEnds) { Err(Stop::Exit(Value::Int(0))) } else { Ok(()) }
    }

    fn go_on_with(&mut self, next: usize) {
        let current = self.task.team.as_ref().map_or(next, |team| team.current);
        if next != current {
            self.take_part();
        }
        let Some(mut team) = self.task.team.take() else { return };
        if next != current {
            self.suspend(&mut team);
            if team.threads[current].stage == Stage::Ended {
                let frames = std::mem::take(&mut team.threads[current].frames);
                let objects = frames.into_iter().flat_map(|frame| frame.allocations);
                objects.for_each(|object| self.task.retire(object));
            }
            self.go_on(&mut team, next);
        }
        let is_over = next == 0 && others_ended(&team);
        if is_over {
            team.close_interval();
        }
        let argument = team.posix.as_mut().and_then(|started| started.arguments[next].take());
        self.task.team = Some(team);
        if let Some(argument) = argument {
            self.doubt_argument(argument);
        }
        if is_over {
            self.end_team();
        }
    }

    /// The next thread that can go on, and what it waited for. Where none can, a wait ends whose time is limited.
    fn next_started(&mut self) -> Option<(usize, Option<Wait>)> {
        let team = self.task.team.as_mut()?;
        let others = others_ended(team);
        let count = team.threads.len();
        let started = team.posix.as_mut()?;
        let order = (1..=count).map(|step| (team.current + step) % count);
        let posix = &mut self.task.posix;
        let threads = &team.threads;
        let found = order
            .clone()
            .find(|&at| threads[at].stage != Stage::Ended && posix.has_come(started.waits[at], at == 0 && others));
        if let Some(at) = found {
            let wait = started.waits[at].take();
            posix.take(wait, started.numbers[at]);
            return Some((at, wait.filter(|wait| *wait == Wait::AllEnds)));
        }
        let timed = order.clone().find_map(|at| match started.waits[at] {
            Some(wait @ Wait::Signal { mutex, timed: Some(_), .. })
                if posix.has_come(mutex.map(Wait::Mutex), false) =>
            {
                Some((at, wait, mutex))
            }
            _ => None,
        });
        let (at, wait, mutex) = timed?;
        started.waits[at] = None;
        posix.take(mutex.map(Wait::Mutex), started.numbers[at]);
        Some((at, Some(wait)))
    }
}

/// Whether all threads but the first one have ended.
fn others_ended(team: &Team) -> bool {
    team.threads.iter().skip(1).all(|thread| thread.stage == Stage::Ended)
}

/// Threads that have not ended, and do not wait for the end of another one.
fn runners(team: &Team) -> usize {
    let Some(started) = &team.posix else { return 0 };
    let waits = team.threads.iter().zip(&started.waits);
    let runs = |(thread, wait): &(&Thread, &Option<Wait>)| {
        thread.stage != Stage::Ended && !matches!(wait, Some(Wait::End(_) | Wait::AllEnds))
    };
    waits.filter(runs).count()
}
