//! What a program has of OpenMP beside its calls of `__chronos_omp_...`, which the front end writes in place of directives.
//!
//! The names of these calls, and which of them stop a thread, are known here alone; what they do, the evaluation knows.

use crate::{Callee, Program, VarId};
use chronos_base::span::Span;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Facts of a program whose compilers are told of OpenMP.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenMp {
    /// Threads of a parallel region that asks for no other number.
    pub threads: u32,
    /// Somebody said so.
    pub given: bool,
    /// The first parallel region.
    pub region: Option<Span>,
    /// Variables that each thread has for itself.
    pub threadprivate: Vec<VarId>,
    /// Of loops that leave their schedule to the runtime (`OMP_SCHEDULE`); none: as the runtime of GCC has it.
    pub schedule: Option<RuntimeSchedule>,
}

/// How the iterations of a loop are shared out. The calls that the front end writes name it by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Schedule {
    /// A stretch for each thread.
    Static = 0,
    /// Chunks in turn.
    StaticChunks = 1,
    /// Whoever is free takes the next chunk.
    Dynamic = 2,
    /// Chunks that become smaller.
    Guided = 3,
    /// One after the other.
    Ordered = 4,
    /// Among the teams of a league, not among threads.
    Teams = 5,
    /// As `omp_set_schedule` or [`OpenMp::schedule`] says.
    Runtime = 6,
}

impl Schedule {
    /// The schedule of a number.
    pub fn of_number(number: i64) -> Option<Self> {
        let all =
            [Self::Static, Self::StaticChunks, Self::Dynamic, Self::Guided, Self::Ordered, Self::Teams, Self::Runtime];
        all.into_iter().find(|&schedule| schedule as i64 == number)
    }

    /// Of `omp_sched_t`, whose kinds are static, dynamic, guided and auto.
    pub fn of_library(kind: i64, chunk: i64) -> Option<Self> {
        match kind & 0xff {
            1 if chunk > 0 => Some(Self::StaticChunks),
            1 | 4 => Some(Self::Static),
            2 => Some(Self::Dynamic),
            3 => Some(Self::Guided),
            _ => None,
        }
    }

    /// Of a `schedule` clause, by its word and whether there is a chunk; `None` where there is no such schedule.
    pub fn of_clause(word: &str, has_chunk: bool) -> Option<Self> {
        match word {
            "static" if has_chunk => Some(Self::StaticChunks),
            "static" | "auto" => Some(Self::Static),
            "dynamic" => Some(Self::Dynamic),
            "guided" => Some(Self::Guided),
            "runtime" => Some(Self::Runtime),
            _ => None,
        }
    }
}

/// What loops with `schedule(runtime)` have, as `OMP_SCHEDULE` and `omp_set_schedule` say it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RuntimeSchedule {
    /// Static, dynamic or guided.
    pub kind: Schedule,
    /// Iterations of a chunk, at least one.
    pub chunk: i64,
}

impl FromStr for RuntimeSchedule {
    type Err = String;

    /// `kind` or `kind,chunk`, with a modifier before it or without (OpenMP 5.2, 21.2.1).
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "`{text}` is no schedule: write static, dynamic, guided or auto, or one with a chunk, as in dynamic,4"
            )
        };
        let plain = text.trim().to_ascii_lowercase();
        let plain = plain.strip_prefix("monotonic:").or(plain.strip_prefix("nonmonotonic:")).unwrap_or(&plain);
        let (word, chunk) = plain.split_once(',').map_or((plain, None), |(word, chunk)| (word, Some(chunk)));
        let chunk = chunk.map(|chunk| chunk.trim().parse::<u32>().ok().filter(|&n| n > 0).ok_or_else(wrong));
        let chunk = chunk.transpose()?;
        let kind = Schedule::of_clause(word.trim(), chunk.is_some());
        let kind = kind.filter(|&kind| kind != Schedule::Runtime).ok_or_else(wrong)?;
        Ok(Self { kind, chunk: chunk.unwrap_or(1).into() })
    }
}

impl fmt::Display for RuntimeSchedule {
    /// As `OMP_SCHEDULE` wants it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            Schedule::Dynamic => write!(f, "dynamic,{}", self.chunk),
            Schedule::Guided => write!(f, "guided,{}", self.chunk),
            Schedule::StaticChunks => write!(f, "static,{}", self.chunk),
            _ => f.write_str("static"),
        }
    }
}

/// What the names of the calls begin with.
pub const PREFIX: &str = "__chronos_omp_";
/// Begins a team of threads: their number (0 for the usual one), flags, and the number of the construct.
pub const FORK: &str = "__chronos_omp_fork";
/// Ends a team.
pub const JOIN: &str = "__chronos_omp_join";
/// All threads of the team come here before one goes on.
pub const BARRIER: &str = "__chronos_omp_barrier";
/// A thread looks at what others have written: where it waits for them, these must run.
pub const FLUSH: &str = "__chronos_omp_flush";
/// Local variables between two of these names, with the number of the construct behind them, belong to each thread.
pub const REGION: &str = "__chronos_omp_region";
/// See [`REGION`].
pub const REGION_END: &str = "__chronos_omp_end";

/// What the calls begin with that our own `pthread.h` and `semaphore.h` have in place of those of POSIX.
pub const POSIX: &str = "__chronos_thread_";
/// Starts a thread of POSIX, which is a copy of the frame that calls.
pub const START: &str = "__chronos_thread_fork";
/// The function of our own `pthread.h` whose frame is copied then.
pub const STARTER: &str = "__chronos_thread_create";
/// Takes a mutex of POSIX.
pub const LOCK: &str = "__chronos_thread_mutex_lock";
/// Gives a mutex of POSIX back.
pub const UNLOCK: &str = "__chronos_thread_mutex_unlock";
/// Waits for a condition variable of POSIX.
pub const WAIT: &str = "__chronos_thread_cond_wait";

/// Whether the front end wrote the call in place of a directive, or a header of our own in place of a call of POSIX.
pub fn is_directive(name: &str) -> bool {
    name.starts_with(PREFIX) || name.starts_with(POSIX)
}

/// What people are told of such a call: the step of OpenMP, or the function of POSIX, that it stands for.
pub fn shown(name: &str) -> Option<String> {
    let posix = |step: &str| match step {
        "fork" => "pthread_create".to_owned(),
        "end" | "number" => "pthread_exit".to_owned(),
        step if step.starts_with("sem_") => step.to_owned(),
        step => format!("pthread_{step}"),
    };
    let openmp = name.strip_prefix(PREFIX).map(|step| format!("OpenMP {step}"));
    openmp.or_else(|| name.strip_prefix(POSIX).map(posix))
}

/// Whether the execution of a thread stops at the call, so that others run.
pub fn stops(name: &str) -> bool {
    matches!(name, FORK | JOIN | BARRIER | FLUSH) || name.starts_with(POSIX)
}

/// Whether the program has parallel regions that hold.
pub fn has_regions(program: &Program) -> bool {
    program.openmp.as_ref().is_some_and(|openmp| openmp.region.is_some())
}

/// Whether the program orders or starts threads by POSIX.
pub fn has_posix_threads(program: &Program) -> bool {
    let called = |id| program.call(id).map(|call| &call.callee);
    program.blocks.ids().any(|id| matches!(called(id), Some(Callee::Mpi(name)) if name.starts_with(POSIX)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_are_read_as_a_run_reads_them() {
        let read = |text: &str| text.parse::<RuntimeSchedule>().map(|schedule| schedule.to_string());
        assert_eq!(read("dynamic"), Ok("dynamic,1".into()));
        assert_eq!(read("Guided, 7"), Ok("guided,7".into()));
        assert_eq!(read("static,16"), Ok("static,16".into()));
        assert_eq!(read("nonmonotonic:static"), Ok("static".into()));
        assert_eq!(read("auto"), Ok("static".into()));
        for wrong in ["", "runtime", "dynamic,0", "dynamic,x", "chunky"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn numbers_of_schedules_lead_back() {
        for number in 0..7 {
            assert_eq!(Schedule::of_number(number).map(|schedule| schedule as i64), Some(number));
        }
        assert_eq!(Schedule::of_number(7), None);
    }
}
