//! Lines of a trace to the steps of tasks.

use super::{BYTE, DOUBLE, SIZES};
use crate::codes;
use chronos_activity::{
    Activity, Collective, CollectiveKind, CommId, Event, Operation, RequestId, SendMode, Step, TaskId, Volume, Work,
};
use chronos_base::diag::Diagnostic;
use chronos_base::units::{Bytes, Picoseconds};
use std::sync::Arc;

/// Reads the lines of all ranks, with the name of the file for messages.
///
/// # Errors
/// A line that is none of the format, or a rank without lines.
pub fn parse<'t>(files: impl IntoIterator<Item = (&'t str, &'t str)>, rate: f64) -> Result<Activity, Diagnostic> {
    let files: Vec<(&str, &str)> = files.into_iter().collect();
    let most: usize = files.iter().map(|(_, text)| text.lines().count()).sum();
    let mut lines: Vec<Vec<Line<'t>>> = Vec::new();
    for (name, text) in files {
        for (index, text) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let mut words = text.split_whitespace();
            let line = Line { file: name, number: index + 1, words: Vec::new() };
            let rank = words.next().and_then(|word| word.parse::<usize>().ok());
            let rank = rank.ok_or_else(|| line.fault("a line begins with the number of a rank"))?;
            if rank >= most {
                return Err(line.fault(&format!("there are no lines of some ranks below {rank}")));
            }

            if lines.len() <= rank {
                lines.resize_with(rank + 1, Vec::new);
            }
            lines[rank].push(Line { words: words.collect(), ..line });
        }
    }
    if let Some(rank) = lines.iter().position(Vec::is_empty) {
        let message = format!("the trace has no lines of rank {rank}, and has some of rank {}", lines.len() - 1);
        let help = "give the files of all ranks";
        return Err(Diagnostic::error(&codes::MALFORMED, message).help(help));
    }
    let size = lines.len();
    let tasks: Result<Vec<Vec<Step>>, Diagnostic> =
        lines.iter().enumerate().map(|(rank, lines)| Reader::new(rank, size, rate).read(lines)).collect();
    Ok(Activity { tasks: tasks?, ..Activity::default() })
}

/// An action with its place.
struct Line<'t> {
    file: &'t str,
    number: usize,
    words: Vec<&'t str>,
}

impl Line<'_> {
    fn fault(&self, what: &str) -> Diagnostic {
        let message = format!("{}:{}: {what}", self.file, self.number);
        Diagnostic::error(&codes::MALFORMED, message).help("give a time-independent trace as SimGrid writes it")
    }

    /// The argument at a position behind the action.
    fn number(&self, index: usize) -> Result<u64, Diagnostic> {
        let word = self.words.get(index + 1);
        let number = word.and_then(|word| word.parse::<f64>().ok()).filter(|n| (0.0..1e18).contains(n));
        number.map(|n| n as u64).ok_or_else(|| {
            let found = word.map_or("is missing".to_owned(), |word| format!("is `{word}`"));
            self.fault(&format!("argument {} of `{}` {found}, not a number", index + 1, self.words[0]))
        })
    }

    fn real(&self, index: usize) -> Result<f64, Diagnostic> {
        let number = self.words.get(index + 1).and_then(|word| word.parse::<f64>().ok());
        number.filter(|n| n.is_finite() && *n >= 0.0).ok_or_else(|| self.fault("an amount of computation is missing"))
    }

    fn has(&self, index: usize) -> bool {
        self.words.len() > index + 1
    }
}

/// The actions of one rank.
struct Reader {
    rank: usize,
    size: usize,
    rate: f64,
    /// The datatype of actions that name none.
    default: u64,
    steps: Vec<Step>,
    next_request: u32,
    /// Requests that are not waited for, in the order of posting, with source, destination and tag.
    open: Vec<(RequestId, (u64, u64, u64))>,
}

impl Reader {
    fn new(rank: usize, size: usize, rate: f64) -> Self {
        Self { rank, size, rate, default: BYTE, steps: Vec::new(), next_request: 0, open: Vec::new() }
    }

    fn read(mut self, lines: &[Line<'_>]) -> Result<Vec<Step>, Diagnostic> {
        for line in lines {
            self.action(line)?;
        }
        Ok(self.steps)
    }

    fn action(&mut self, line: &Line<'_>) -> Result<(), Diagnostic> {
        let action = line.words.first().ok_or_else(|| line.fault("a rank does nothing"))?.to_ascii_lowercase();
        match action.as_str() {
            "init" => self.default = if line.has(0) { DOUBLE } else { BYTE },
            "finalize" | "comm_size" | "comm_split" | "comm_dup" => {}
            "compute" => self.compute(line.real(0)? / self.rate),
            "sleep" => self.compute(line.real(0)?),
            "send" | "isend" => self.send(line, action == "isend")?,
            "recv" | "irecv" => self.recv(line, action == "irecv")?,
            "sendrecv" => self.sendrecv(line)?,
            "wait" | "test" => self.wait(line)?,
            "waitall" => self.wait_all(),
            _ => self.collective(line, &action)?,
        }
        Ok(())
    }

    fn compute(&mut self, seconds: f64) {
        let time = Picoseconds::from_nanoseconds(seconds * 1e9);
        if time > Picoseconds::ZERO {
            self.steps.push(Step::Work(Work::Time(time)));
        }
    }

    fn event(&mut self, operation: Operation) {
        self.steps.push(Step::Event(Arc::new(Event { operation, site: None })));
    }

    /// The bytes of a count whose datatype may stand at a position.
    fn bytes(&self, line: &Line<'_>, count: usize, datatype: usize) -> Result<Bytes, Diagnostic> {
        Ok(Bytes(line.number(count)?.saturating_mul(self.datatype(line, datatype)?)))
    }

    fn datatype(&self, line: &Line<'_>, index: usize) -> Result<u64, Diagnostic> {
        let number = if line.has(index) { line.number(index)? } else { self.default };
        Ok(usize::try_from(number).ok().and_then(|number| SIZES.get(number)).copied().unwrap_or(1))
    }

    fn peer(&self, line: &Line<'_>, index: usize) -> Result<TaskId, Diagnostic> {
        let rank = line.number(index)?;
        let known = usize::try_from(rank).ok().filter(|&rank| rank < self.size);
        let fault = || line.fault(&format!("rank {rank} is not among the {} ranks of the trace", self.size));
        known.map(|rank| TaskId(rank as u32)).ok_or_else(fault)
    }

    fn request(&mut self, key: (u64, u64, u64)) -> RequestId {
        self.next_request += 1;
        let request = RequestId(self.next_request);
        self.open.push((request, key));
        request
    }

    fn send(&mut self, line: &Line<'_>, immediate: bool) -> Result<(), Diagnostic> {
        let (to, tag, bytes) = (self.peer(line, 0)?, line.number(1)?, self.bytes(line, 2, 3)?);
        let request = immediate.then(|| self.request((self.rank as u64, u64::from(to.0), tag)));
        let (comm, mode) = (CommId(0), SendMode::Standard);
        self.event(Operation::Send { to, tag: as_tag(tag), comm, bytes, mode, request });
        Ok(())
    }

    fn recv(&mut self, line: &Line<'_>, immediate: bool) -> Result<(), Diagnostic> {
        let any = line.words.get(1).is_some_and(|word| word.starts_with('-'));
        let from = if any { None } else { Some(self.peer(line, 0)?) };
        let wild = line.words.get(2).is_some_and(|word| word.starts_with('-'));
        let tag = if wild { None } else { Some(line.number(1)?) };
        let bytes = self.bytes(line, 2, 3)?;
        let key = (from.map_or(u64::MAX, |from| u64::from(from.0)), self.rank as u64, tag.unwrap_or(u64::MAX));
        let request = immediate.then(|| self.request(key));
        self.event(Operation::Recv { from, tag: tag.map(as_tag), comm: CommId(0), bytes, request });
        Ok(())
    }

    /// Count and destination, count and source, and the datatypes of both.
    fn sendrecv(&mut self, line: &Line<'_>) -> Result<(), Diagnostic> {
        let (to, from) = (self.peer(line, 1)?, self.peer(line, 3)?);
        let (sent, received) = (self.bytes(line, 0, 4)?, self.bytes(line, 2, 5)?);
        let (comm, mode) = (CommId(0), SendMode::Standard);
        self.next_request += 2;
        let [first, second] = [RequestId(self.next_request - 1), RequestId(self.next_request)];
        self.event(Operation::Recv { from: Some(from), tag: Some(0), comm, bytes: received, request: Some(first) });
        self.event(Operation::Send { to, tag: 0, comm, bytes: sent, mode, request: Some(second) });
        self.event(Operation::WaitAll { requests: [first, second].into() });
        Ok(())
    }

    fn wait(&mut self, line: &Line<'_>) -> Result<(), Diagnostic> {
        let key = (line.number(0)?, line.number(1)?, line.number(2)?);
        let fits = |open: &(u64, u64, u64)| {
            (open.0 == key.0 || open.0 == u64::MAX) && open.1 == key.1 && (open.2 == key.2 || open.2 == u64::MAX)
        };
        if let Some(position) = self.open.iter().position(|(_, open)| fits(open)) {
            let (request, _) = self.open.remove(position);
            self.event(Operation::WaitAll { requests: [request].into() });
        }
        Ok(())
    }

    fn wait_all(&mut self) {
        let requests: Arc<[RequestId]> = std::mem::take(&mut self.open).into_iter().map(|(id, _)| id).collect();
        if !requests.is_empty() {
            self.event(Operation::WaitAll { requests });
        }
    }

    fn collective(&mut self, line: &Line<'_>, action: &str) -> Result<(), Diagnostic> {
        let n = self.size;
        let root = |index: usize| if line.has(index) { self.peer(line, index) } else { Ok(TaskId(0)) };
        let each = |count: usize, datatype: usize| self.bytes(line, count, datatype).map(Volume::Each);
        let (kind, root, volume) = match action {
            "barrier" => (CollectiveKind::Barrier, None, Volume::Each(Bytes(0))),
            "bcast" => (CollectiveKind::Bcast, Some(root(1)?), each(0, 2)?),
            "reduce" => (CollectiveKind::Reduce, Some(root(2)?), each(0, 3)?),
            "allreduce" => (CollectiveKind::Allreduce, None, each(0, 2)?),
            "scan" => (CollectiveKind::Scan, None, each(0, 2)?),
            "exscan" => (CollectiveKind::Exscan, None, each(0, 2)?),
            "alltoall" => (CollectiveKind::Alltoall, None, each(0, 2)?),
            "gather" => (CollectiveKind::Gather, Some(root(2)?), each(0, 3)?),
            "scatter" => (CollectiveKind::Scatter, Some(root(2)?), each(0, 3)?),
            "allgather" => (CollectiveKind::Allgather, None, each(0, 2)?),
            "gatherv" => (CollectiveKind::Gather, Some(root(n + 1)?), self.blocks(line, (0, n + 2), (1, n + 3))?),
            "allgatherv" => (CollectiveKind::Allgather, None, self.blocks(line, (0, n + 1), (1, n + 2))?),
            "scatterv" => (CollectiveKind::Scatter, Some(root(n + 1)?), self.blocks(line, (n, n + 3), (0, n + 2))?),
            "alltoallv" => (CollectiveKind::Alltoall, None, self.blocks(line, (0, 2 * n + 2), (1, 2 * n + 2))?),
            "reducescatter" => (CollectiveKind::ReduceScatter, None, self.reduced(line)?),
            _ => return Err(line.fault(&format!("`{action}` is no action that is known"))),
        };
        // What a reduction computes stands behind its size.
        let computed =
            matches!(action, "reduce" | "allreduce" | "scan" | "exscan").then(|| line.real(1)).transpose()?;
        let collective = Collective { kind, comm: CommId(0), root, volume, commutative: true, request: None };
        self.event(Operation::Collective(collective));
        if let Some(computed) = computed {
            self.compute(computed / self.rate);
        }
        Ok(())
    }

    /// The own block, and one for each rank: positions of the (first) count and of the datatype.
    fn blocks(&self, line: &Line<'_>, own: (usize, usize), all: (usize, usize)) -> Result<Volume, Diagnostic> {
        let blocks: Result<Arc<[Bytes]>, Diagnostic> =
            (0..self.size).map(|rank| self.bytes(line, all.0 + rank, all.1)).collect();
        Ok(Volume::Blocks { own: self.bytes(line, own.0, own.1)?, blocks: blocks? })
    }

    fn reduced(&self, line: &Line<'_>) -> Result<Volume, Diagnostic> {
        let counts: Result<Vec<u64>, Diagnostic> = (0..self.size).map(|rank| line.number(rank)).collect();
        let size = self.datatype(line, self.size + 1)?;
        Ok(Volume::Each(Bytes(counts?.iter().sum::<u64>().saturating_mul(size))))
    }
}

fn as_tag(tag: u64) -> i32 {
    i32::try_from(tag).unwrap_or(i32::MAX)
}
