//! Calls as the processes tell them, as operations of the replay.

use crate::codes;
use chronos_activity::{CommId, Operation, RequestId};
use chronos_base::diag::Diagnostic;
use chronos_functions::{Traced, lookup};
use chronos_ir::{BlockId, BlockKind, Callee, Program};
use chronos_mpi_calls::{moves_messages, takes_call_time};
use chronos_trace::steps::operations;
use chronos_trace::task::{Asked, TracedCall};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Numbers in front of what a call asks for: site, processor time, whether it waits for an answer, its name.
const FRONT: usize = 5;

/// A call of a task.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    /// Its block; `None` where it has none.
    pub site: Option<BlockId>,
    /// Processor time of the task since the call before, in nanoseconds.
    pub cpu_ns: u64,
    /// Whether the task waits for an answer.
    pub asks: bool,
    /// Whether it is the first operation of a call.
    pub begins: bool,
    /// Which operation it is.
    pub kind: String,
    /// What it asks for.
    pub numbers: Vec<i64>,
}

impl Told {
    /// Of the numbers of a frame.
    pub fn of(mut numbers: Vec<i64>) -> Option<Self> {
        if numbers.len() < FRONT {
            return None;
        }
        let rest = numbers.split_off(FRONT);
        let [site, cpu, asks, first, second] = numbers[..] else { return None };
        let name: Vec<u8> = [first.to_ne_bytes(), second.to_ne_bytes()].concat();
        let kind = String::from_utf8_lossy(&name).trim_end_matches('\0').to_owned();
        let site = u32::try_from(site).ok().map(BlockId);
        Some(Self {
            site,
            cpu_ns: u64::try_from(cpu).unwrap_or(0),
            asks: asks & 1 != 0,
            begins: asks & 2 != 0,
            kind,
            numbers: rest,
        })
    }

    /// The operation; `None` where it takes no time.
    ///
    /// # Errors
    /// Nothing tells what it asks for.
    pub fn operation(
        &self,
        program: &Program,
        tasks: u32,
        comms: &BTreeMap<i64, CommId>,
    ) -> Result<Option<Operation>, Box<Diagnostic>> {
        let name = self.function(program);
        match &*self.kind {
            "none" => Ok(name.filter(|name| moves_messages(name)).map(local)),
            "-" => unrecorded(name.as_deref(), self.site, program),
            "abort" => Ok(Some(Operation::Abort { code: self.code() })),
            "clock" => Ok(Some(Operation::ReadClock { slot: self.site.unwrap_or(BlockId(0)) })),
            "test" => Ok(Some(Operation::TestAll { requests: self.requests() })),
            "waitany" => Ok(Some(Operation::WaitAny { requests: self.requests() })),
            "testany" => Ok(Some(Operation::TestAny { requests: self.requests() })),
            "iprobe" => Ok(self.traced("probe", program, tasks, comms)?.map(without_waiting)),
            kind => self.traced(kind, program, tasks, comms),
        }
    }

    /// The MPI function that it calls.
    pub fn function(&self, program: &Program) -> Option<Arc<str>> {
        match &program.blocks.get(self.site?)?.kind {
            BlockKind::Call(call) => match &call.callee {
                Callee::Mpi(name) => Some(name.strip_prefix('P').unwrap_or(name).into()),
                _ => None,
            },
            _ => None,
        }
    }

    /// That of `MPI_Abort`.
    fn code(&self) -> i32 {
        self.numbers.first().and_then(|&code| i32::try_from(code).ok()).unwrap_or(1)
    }

    fn requests(&self) -> Arc<[RequestId]> {
        self.numbers.iter().filter_map(|&id| u32::try_from(id).ok()).map(RequestId).collect()
    }

    /// As traces tell it.
    fn traced(
        &self,
        kind: &str,
        program: &Program,
        tasks: u32,
        comms: &BTreeMap<i64, CommId>,
    ) -> Result<Option<Operation>, Box<Diagnostic>> {
        let asked = Some(Asked { kind: kind.to_owned(), numbers: self.numbers.clone() });
        let call = TracedCall { site: self.site.map_or(u32::MAX, |site| site.0), asked };
        operations(&call, program, tasks, comms)
    }
}

fn local(function: Arc<str>) -> Operation {
    Operation::Local { function }
}

fn without_waiting(operation: Operation) -> Operation {
    match operation {
        Operation::Probe { from, tag, comm, .. } => Operation::Probe { from, tag, comm, blocking: false },
        other => other,
    }
}

/// A call of which only its place is told.
fn unrecorded(
    name: Option<&str>,
    site: Option<BlockId>,
    program: &Program,
) -> Result<Option<Operation>, Box<Diagnostic>> {
    let Some(name) = name else { return Ok(None) };
    match lookup(name).map_or(Traced::Missing, |row| row.traced) {
        Traced::Missing if moves_messages(name) => {
            let message = format!("a run in virtual time cannot follow {name}");
            let span = site.and_then(|site| program.blocks.get(site)).map(|block| block.span);
            let error = Diagnostic::error(&codes::NOT_FOLLOWED, message)
                .help("predict the program without a run, or trace it on an installed MPI");
            Err(Box::new(match span {
                Some(span) => error.label(span, "the runtime does not tell what it asks for"),
                None => error,
            }))
        }
        _ => Ok(Some(local(name.into())).filter(|_| takes_call_time(name))),
    }
}
