//! The steps of tasks to lines of a trace; repeats are unrolled.

use super::BYTE;
use crate::codes;
use chronos_activity::{
    Activity, Collective, CollectiveKind, CommId, Operation, Repeat, RequestId, Step, TaskId, Volume, Work,
};
use chronos_base::diag::Diagnostic;
use chronos_base::hash::FxHashMap;
use chronos_base::units::{Bytes, Picoseconds};
use std::collections::VecDeque;

/// Writes an activity whose computation `pricing` turns into time.
///
/// # Errors
/// The activity has what the format cannot express, or more than `limit` actions.
pub fn render(
    activity: &Activity,
    pricing: &mut dyn FnMut(TaskId, Work) -> Picoseconds,
    rate: f64,
    limit: usize,
) -> Result<String, Diagnostic> {
    let mut text = String::new();
    let mut left = limit;
    for (rank, steps) in activity.tasks.iter().enumerate() {
        let mut writer = Writer {
            rank,
            rate,
            pricing: &mut *pricing,
            text: &mut text,
            left: &mut left,
            open: FxHashMap::default(),
            time: 0.0,
        };
        writer.line("init");
        writer.steps(steps)?;
        writer.flush();
        writer.line("finalize");
    }
    Ok(text)
}

struct Writer<'a> {
    rank: usize,
    rate: f64,
    pricing: &'a mut dyn FnMut(TaskId, Work) -> Picoseconds,
    text: &'a mut String,
    left: &'a mut usize,
    /// Source, destination and tag of requests; several of one number where a repeat is unrolled.
    open: FxHashMap<RequestId, VecDeque<(u32, u32, i32)>>,
    /// Computation in seconds that no line tells yet.
    time: f64,
}

impl Writer<'_> {
    fn line(&mut self, text: &str) {
        self.text.push_str(&format!("{} {text}\n", self.rank));
    }

    /// Writes what was computed since the last action.
    fn flush(&mut self) {
        if self.time > 0.0 {
            let flops = self.time * self.rate;
            self.time = 0.0;
            self.line(&format!("compute {flops}"));
        }
    }

    fn steps(&mut self, steps: &[Step]) -> Result<(), Diagnostic> {
        for step in steps {
            match step {
                Step::Work(work) => self.time += (self.pricing)(TaskId(self.rank as u32), *work).as_seconds(),
                Step::Event(event) => self.event(&event.operation)?,
                Step::Repeat(repeat) => self.repeat(repeat)?,
                Step::LoopEnter | Step::LoopIteration | Step::LoopExit | Step::Spin(_) | Step::End | Step::Stuck => {}
            }
        }
        Ok(())
    }

    fn repeat(&mut self, repeat: &Repeat) -> Result<(), Diagnostic> {
        (0..repeat.times).try_for_each(|_| self.steps(&repeat.steps))
    }

    fn event(&mut self, operation: &Operation) -> Result<(), Diagnostic> {
        *self.left = self.left.checked_sub(1).ok_or_else(|| impossible("it has too many actions"))?;
        if !matches!(operation, Operation::Local { .. } | Operation::ReadClock { .. } | Operation::Elapsed { .. }) {
            self.flush();
        }
        let own = self.rank as u32;
        match operation {
            Operation::Send { to, tag, comm, bytes, request, .. } => {
                world(*comm)?;
                let name = if request.is_some() { "isend" } else { "send" };
                self.remember(*request, (own, to.0, *tag));
                self.line(&format!("{name} {} {tag} {} {BYTE}", to.0, bytes.0));
            }
            Operation::Recv { from, tag, comm, bytes, request } => {
                world(*comm)?;
                let name = if request.is_some() { "irecv" } else { "recv" };
                let (from, tag) = (from.map_or(-1, |from| i64::from(from.0)), tag.unwrap_or(-1));
                self.remember(*request, (u32::try_from(from).unwrap_or(u32::MAX), own, tag));
                self.line(&format!("{name} {from} {tag} {} {BYTE}", bytes.0));
            }
            Operation::WaitAll { requests } => requests.iter().for_each(|&request| self.wait(request)),
            Operation::WaitAny { requests } if requests.len() == 1 => self.wait(requests[0]),
            Operation::Collective(collective) => self.collective(collective)?,
            Operation::Local { .. } | Operation::ReadClock { .. } | Operation::Elapsed { .. } | Operation::Start => {}
            Operation::WaitAny { .. }
            | Operation::TestAll { .. }
            | Operation::TestAny { .. }
            | Operation::Cancel { .. }
            | Operation::Probe { .. } => {
                return Err(impossible("a call depends on what has arrived"));
            }
            Operation::Access { .. }
            | Operation::Lock { .. }
            | Operation::Unlock { .. }
            | Operation::Storage { .. } => {
                return Err(impossible("the program accesses windows or files"));
            }
            Operation::Abort { .. } => return Err(impossible("the program calls MPI_Abort")),
        }
        Ok(())
    }

    fn remember(&mut self, request: Option<RequestId>, key: (u32, u32, i32)) {
        if let Some(request) = request {
            self.open.entry(request).or_default().push_back(key);
        }
    }

    fn wait(&mut self, request: RequestId) {
        let key = self.open.get_mut(&request).and_then(VecDeque::pop_front);
        if let Some((from, to, tag)) = key {
            let from = if from == u32::MAX { -1 } else { i64::from(from) };
            self.line(&format!("wait {from} {to} {tag}"));
        }
    }

    fn collective(&mut self, collective: &Collective) -> Result<(), Diagnostic> {
        world(collective.comm)?;
        if collective.request.is_some() {
            return Err(impossible("it has non-blocking collective operations"));
        }
        let root = collective.root.map_or(0, |root| root.0);
        let text = match (&collective.volume, collective.kind) {
            (Volume::Each(bytes), kind) => each(kind, bytes.0, root)?,
            (Volume::Blocks { own, blocks }, kind) => blocked(kind, own.0, blocks, root)?,
        };
        self.line(&text);
        Ok(())
    }
}

fn each(kind: CollectiveKind, bytes: u64, root: u32) -> Result<String, Diagnostic> {
    Ok(match kind {
        CollectiveKind::Barrier => "barrier".to_owned(),
        CollectiveKind::Bcast => format!("bcast {bytes} {root} {BYTE}"),
        CollectiveKind::Reduce => format!("reduce {bytes} 0 {root} {BYTE}"),
        CollectiveKind::Allreduce => format!("allreduce {bytes} 0 {BYTE}"),
        CollectiveKind::Scan => format!("scan {bytes} 0 {BYTE}"),
        CollectiveKind::Exscan => format!("exscan {bytes} 0 {BYTE}"),
        CollectiveKind::Alltoall => format!("alltoall {bytes} {bytes} {BYTE} {BYTE}"),
        CollectiveKind::Gather => format!("gather {bytes} {bytes} {root} {BYTE} {BYTE}"),
        CollectiveKind::Scatter => format!("scatter {bytes} {bytes} {root} {BYTE} {BYTE}"),
        CollectiveKind::Allgather | CollectiveKind::Agreement => format!("allgather {bytes} {bytes} {BYTE} {BYTE}"),
        CollectiveKind::ReduceScatter => {
            return Err(impossible("it has MPI_Reduce_scatter, whose parts are not recorded"));
        }
    })
}

fn blocked(kind: CollectiveKind, own: u64, blocks: &[Bytes], root: u32) -> Result<String, Diagnostic> {
    let list = blocks.iter().map(|bytes| bytes.0.to_string()).collect::<Vec<_>>().join(" ");
    match kind {
        CollectiveKind::Allgather => Ok(format!("allgatherv {own} {list} {BYTE} {BYTE}")),
        CollectiveKind::Gather if !blocks.is_empty() => Ok(format!("gatherv {own} {list} {root} {BYTE} {BYTE}")),
        CollectiveKind::Scatter if !blocks.is_empty() => Ok(format!("scatterv {list} {own} {root} {BYTE} {BYTE}")),
        _ => Err(impossible("it has a vector form of a collective operation whose blocks are not all recorded")),
    }
}

fn world(comm: CommId) -> Result<(), Diagnostic> {
    if comm == CommId(0) { Ok(()) } else { Err(impossible("it uses communicators other than MPI_COMM_WORLD")) }
}

fn impossible(why: &str) -> Diagnostic {
    Diagnostic::error(&codes::NO_TRACE, format!("the activity cannot be written as a time-independent trace: {why}"))
        .help("write a timeline instead (--trace-out chrome=FILE), or predict with fewer tasks or iterations")
}
