//! A small text form of activities, so that schedules can be checked by hand.
//!
//! One line per task, `rank: step; step; ...`; times in ns, `*` is a wildcard, tags default to 0,
//! requests are numbers: `calc 100; send 1 8 tag=3; isend 1 8 req=0; recv * 8; wait 0 1; bcast 0 64; loop 3 [ ... ]`.

use chronos_activity::*;
use chronos_base::units::{Bytes, Picoseconds};
use std::sync::Arc;

pub fn activity(text: &str) -> Activity {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let tasks = lines.map(|line| steps(line.split_once(':').unwrap().1)).collect();
    Activity { tasks, ..Activity::default() }
}

pub fn steps(text: &str) -> Vec<Step> {
    let mut result = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let (step, after) = if let Some(body) = rest.strip_prefix("loop ") {
            let (times, body) = body.split_once('[').unwrap();
            let close = closing(body);
            let repeat = Repeat { times: times.trim().parse().unwrap(), steps: steps(&body[..close]) };
            (Step::Repeat(Arc::new(repeat)), &body[close + 1..])
        } else {
            let end = rest.find(';').unwrap_or(rest.len());
            (step(&rest[..end]), &rest[end..])
        };
        result.push(step);
        rest = after.trim_start_matches([';', ' ']);
    }
    result
}

fn closing(text: &str) -> usize {
    let mut depth = 1;
    let is_closing = |c: char| {
        depth += i32::from(c == '[') - i32::from(c == ']');
        depth == 0
    };
    text.find(is_closing).unwrap()
}

struct Words<'a> {
    words: Vec<&'a str>,
}

impl Words<'_> {
    fn rank(&self, index: usize) -> Option<TaskId> {
        self.words[index].parse().ok().map(TaskId)
    }
    fn bytes(&self, index: usize) -> Bytes {
        Bytes(self.words[index].parse().unwrap())
    }
    fn named(&self, name: &str) -> Option<&str> {
        self.words.iter().find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
    }
    fn tag(&self) -> Option<i32> {
        self.named("tag").map_or(Some(0), |tag| tag.parse().ok())
    }
    fn request(&self) -> Option<RequestId> {
        self.named("req").map(|request| RequestId(request.parse().unwrap()))
    }
    fn comm(&self) -> CommId {
        CommId(self.named("comm").map_or(0, |comm| comm.parse().unwrap()))
    }
    fn requests(&self) -> Arc<[RequestId]> {
        self.words[1..].iter().map(|word| RequestId(word.parse().unwrap())).collect()
    }
}

fn step(text: &str) -> Step {
    let w = Words { words: text.split_whitespace().collect() };
    let send = |mode| Operation::Send {
        to: w.rank(1).unwrap(),
        tag: w.tag().unwrap(),
        comm: w.comm(),
        bytes: w.bytes(2),
        mode,
        request: w.request(),
    };
    let probe = |blocking| Operation::Probe { from: w.rank(1), tag: w.tag(), comm: w.comm(), blocking };
    let operation = match w.words[0] {
        "calc" => return Step::Work(Work::Time(Picoseconds(w.words[1].parse::<u64>().unwrap() * 1000))),
        "stuck" => return Step::Stuck,
        "send" | "isend" => send(SendMode::Standard),
        "ssend" => send(SendMode::Synchronous),
        "bsend" => send(SendMode::Buffered),
        "recv" | "irecv" => {
            Operation::Recv { from: w.rank(1), tag: w.tag(), comm: w.comm(), bytes: w.bytes(2), request: w.request() }
        }
        "wait" => Operation::WaitAll { requests: w.requests() },
        "waitany" => Operation::WaitAny { requests: w.requests() },
        "test" => Operation::TestAll { requests: w.requests() },
        "testany" => Operation::TestAny { requests: w.requests() },
        "put" => Operation::Access {
            to: w.rank(1).unwrap(),
            sent: w.bytes(2),
            returned: Bytes(0),
            request: w.request().unwrap(),
        },
        "probe" => probe(true),
        "iprobe" => probe(false),
        "clock" => Operation::ReadClock { slot: chronos_ir::BlockId(w.words[1].parse().unwrap()) },
        "elapsed" => {
            let block = |index: usize| chronos_ir::BlockId(w.words[index].parse().unwrap());
            Operation::Elapsed { from: block(1), to: block(2) }
        }
        "local" => Operation::Local { function: "MPI_Comm_rank".into() },
        "start" => Operation::Start,
        "abort" => Operation::Abort { code: w.words[1].parse().unwrap() },
        name => Operation::Collective(collective(name, &w)),
    };
    Step::Event(Arc::new(Event { operation, site: None }))
}

/// `kind ROOT|- BYTES`; the v-forms end with `v`, and `blocks=N` gives the blocks of all N members.
fn collective(name: &str, w: &Words<'_>) -> Collective {
    let vector = name.ends_with('v');
    let kind = match name.trim_end_matches('v') {
        "barrier" => CollectiveKind::Barrier,
        "bcast" => CollectiveKind::Bcast,
        "reduce" => CollectiveKind::Reduce,
        "allreduce" => CollectiveKind::Allreduce,
        "gather" => CollectiveKind::Gather,
        "scatter" => CollectiveKind::Scatter,
        "allgather" => CollectiveKind::Allgather,
        "alltoall" => CollectiveKind::Alltoall,
        "reduce_scatter" => CollectiveKind::ReduceScatter,
        "scan" => CollectiveKind::Scan,
        "exscan" => CollectiveKind::Exscan,
        "agree" => CollectiveKind::Agreement,
        other => panic!("unknown step {other}"),
    };
    let (root, bytes) = if w.words.len() > 2 { (w.rank(1), w.bytes(2)) } else { (None, Bytes(0)) };
    let blocks = w.named("blocks").map_or(0, |count| count.parse().unwrap());
    let volume =
        if vector { Volume::Blocks { own: bytes, blocks: vec![bytes; blocks].into() } } else { Volume::Each(bytes) };
    Collective { kind, comm: w.comm(), root, volume, commutative: true, request: w.request() }
}
