//! What MPI calls asked for, as operations.

use crate::codes;
use crate::task::{Asked, TracedCall};
use chronos_activity::{Collective, CollectiveKind, CommId, Operation, RequestId, SendMode, TaskId, Volume};
use chronos_base::diag::Diagnostic;
use chronos_base::span::Span;
use chronos_base::units::Bytes;
use chronos_functions::{self as functions, Traced};
use chronos_ir::{BlockId, BlockKind, Call, Callee, Program};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Communicators by their numbers on the task.
type Comms = BTreeMap<i64, CommId>;

/// The operation of a call; `None` where it moved nothing.
///
/// # Errors
/// A call of which the trace has not what it asked for.
pub fn operations(
    call: &TracedCall,
    program: &Program,
    tasks: u32,
    comms: &Comms,
) -> Result<Option<Operation>, Box<Diagnostic>> {
    let block = BlockId(call.site);
    let Some(asked) = &call.asked else { return unrecorded(block, program) };
    if asked.kind == "none" {
        return Ok(without_partner(block, program));
    }
    operation(asked, tasks, comms).map(Some).ok_or_else(|| {
        let message = format!("the trace has a call `{}` whose numbers mean nothing", asked.kind);
        Box::new(
            Diagnostic::error(&codes::UNREADABLE, message)
                .help("the file was changed, or is of an earlier version of chronos: trace the program again"),
        )
    })
}

/// What a call asked for, as an operation; `None` where its numbers mean nothing.
pub fn operation(asked: &Asked, tasks: u32, comms: &Comms) -> Option<Operation> {
    Numbers { asked, tasks, comms }.operation()
}

struct Numbers<'a> {
    asked: &'a Asked,
    tasks: u32,
    comms: &'a Comms,
}

impl Numbers<'_> {
    fn operation(&self) -> Option<Operation> {
        let kind = &*self.asked.kind;
        match kind {
            "send" => self.send(SendMode::Standard),
            "ssend" => self.send(SendMode::Synchronous),
            "bsend" => self.send(SendMode::Buffered),
            "rsend" => self.send(SendMode::Ready),
            "recv" => Some(Operation::Recv {
                from: self.task(0)?,
                tag: self.tag()?,
                comm: self.comm(2)?,
                bytes: self.bytes(3)?,
                request: self.request(4)?,
            }),
            "probe" => {
                Some(Operation::Probe { from: self.task(0)?, tag: self.tag()?, comm: self.comm(2)?, blocking: true })
            }
            "wait" => {
                let requests = (0..self.asked.numbers.len()).map(|at| self.request(at)?);
                let requests: Arc<[RequestId]> = requests.collect::<Option<_>>()?;
                // A request is waited for once; traces of earlier versions may have one twice.
                let mut seen = BTreeSet::new();
                requests.iter().all(|request| seen.insert(*request)).then_some(Operation::WaitAll { requests })
            }
            "cancel" => Some(Operation::Cancel { request: self.request(0)?? }),
            "access" => Some(Operation::Access {
                to: self.task(0)??,
                sent: self.bytes(1)?,
                returned: self.bytes(2)?,
                request: self.request(3)??,
            }),
            "lock" => Some(Operation::Lock { comm: self.comm(0)?, of: self.task(1)?, exclusive: self.number(2)? != 0 }),
            "unlock" => Some(Operation::Unlock { comm: self.comm(0)?, of: self.task(1)? }),
            "storage" => Some(Operation::Storage {
                bytes: self.bytes(0)?,
                write: self.number(1)? != 0,
                request: self.request(2)?,
            }),
            _ => self.collective(collective_kind(kind)?),
        }
    }

    fn number(&self, at: usize) -> Option<i64> {
        self.asked.numbers.get(at).copied()
    }

    fn task(&self, at: usize) -> Option<Option<TaskId>> {
        match self.number(at)? {
            -1 => Some(None),
            rank => u32::try_from(rank).ok().filter(|&rank| rank < self.tasks).map(|rank| Some(TaskId(rank))),
        }
    }

    fn tag(&self) -> Option<Option<i32>> {
        match self.number(1)? {
            -1 => Some(None),
            tag => i32::try_from(tag).ok().map(Some),
        }
    }

    fn comm(&self, at: usize) -> Option<CommId> {
        self.comms.get(&self.number(at)?).copied()
    }

    fn bytes(&self, at: usize) -> Option<Bytes> {
        self.number(at)?.try_into().ok().map(Bytes)
    }

    fn request(&self, at: usize) -> Option<Option<RequestId>> {
        match self.number(at)? {
            -1 => Some(None),
            request => request.try_into().ok().map(|request| Some(RequestId(request))),
        }
    }

    fn send(&self, mode: SendMode) -> Option<Operation> {
        Some(Operation::Send {
            to: self.task(0)??,
            tag: self.tag()??,
            comm: self.comm(2)?,
            bytes: self.bytes(3)?,
            mode,
            request: self.request(4)?,
        })
    }

    fn collective(&self, kind: CollectiveKind) -> Option<Operation> {
        let blocks: Option<Vec<Bytes>> = (5..self.asked.numbers.len()).map(|at| self.bytes(at)).collect();
        let volume = match self.asked.kind.ends_with('v') {
            true => Volume::Blocks { own: self.bytes(4)?, blocks: blocks?.into() },
            false => Volume::Each(self.bytes(4)?),
        };
        Some(Operation::Collective(Collective {
            kind,
            comm: self.comm(0)?,
            root: self.task(1)?,
            volume,
            commutative: self.number(3)? != 0,
            request: self.request(2)?,
        }))
    }
}

fn collective_kind(kind: &str) -> Option<CollectiveKind> {
    Some(match kind {
        "barrier" => CollectiveKind::Barrier,
        "bcast" => CollectiveKind::Bcast,
        "reduce" => CollectiveKind::Reduce,
        "allreduce" => CollectiveKind::Allreduce,
        "gather" | "gatherv" => CollectiveKind::Gather,
        "scatter" | "scatterv" => CollectiveKind::Scatter,
        "allgather" | "allgatherv" => CollectiveKind::Allgather,
        "alltoall" | "alltoallv" => CollectiveKind::Alltoall,
        "reduce_scatter" => CollectiveKind::ReduceScatter,
        "scan" => CollectiveKind::Scan,
        "exscan" => CollectiveKind::Exscan,
        "agreement" => CollectiveKind::Agreement,
        _ => return None,
    })
}

/// A call that moved nothing takes the time of a call; a test that found nothing is part of waiting.
fn without_partner(id: BlockId, program: &Program) -> Option<Operation> {
    let name = mpi_name(id, program)?.0;
    let row = functions::lookup(name)?;
    ((row.moves || row.takes_call_time) && !row.polls).then(|| Operation::Local { function: name.clone() })
}

fn mpi_name(id: BlockId, program: &Program) -> Option<(&Arc<str>, Span)> {
    let block = program.blocks.get(id)?;
    match &block.kind {
        BlockKind::Call(Call { callee: Callee::Mpi(name), .. }) => Some((name, block.span)),
        _ => None,
    }
}

/// A call of which only its place is known.
fn unrecorded(id: BlockId, program: &Program) -> Result<Option<Operation>, Box<Diagnostic>> {
    let Some((name, span)) = mpi_name(id, program) else { return Ok(None) };
    match functions::lookup(name).map_or(Traced::Missing, |row| row.traced) {
        // What it asked for stands in the event behind this one.
        Traced::Recorded => Ok(None),
        Traced::Clock => Ok(Some(Operation::ReadClock { slot: id })),
        Traced::Abort => Ok(Some(Operation::Abort { code: 1 })),
        Traced::Local => Ok(Some(Operation::Local { function: name.clone() })),
        Traced::Missing => Err(Box::new(
            Diagnostic::error(&codes::NOT_RECORDED, format!("the trace does not say what {name} asked for"))
                .label(span, "traces record no such call")
                .help("give what the structure depends on (--set, --prob, --iterations), so that it need not come from the trace"),
        )),
    }
}
