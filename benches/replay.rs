//! Speed of the replay in steps per second: ring, 2-D stencil, recursive doubling, with random times of computing; a linear
//! exchange among all as a schedule, by the LogGOPS model and on a network; a schedule from its text on.

use chronos::activity::schedule::{Action, Edge, Schedule, ScheduledOperation};
use chronos::activity::{
    Activity, ActivityFeed, CommId, Event, Operation, Repeat, Segments, SendMode, Step, TaskId, Work,
};
use chronos::base::units::{Bytes, Picoseconds};
use chronos::machine::network::Network;
use chronos::replay::{ReplayOptions, loggops, replay};
use chronos::tool_formats::goal::{self, ScheduleFeed};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use std::sync::Arc;

type Partners = fn(u32, u32) -> Vec<(u32, u32)>;

/// Each iteration: computing, then one eager exchange (send, receive) per pair of partners.
fn folded(size: u32, times: u64, partners: Partners) -> Activity {
    let task = |rank: u32| {
        let exchanges = partners(rank, size).into_iter().flat_map(|(to, from)| [send(to), receive(from)]);
        let compute = Step::Work(Work::Time(Picoseconds(u64::from(rank % 7) * 1_000_000)));
        let steps = std::iter::once(compute).chain(exchanges).collect();
        vec![Step::Repeat(Arc::new(Repeat { steps, times }))]
    };
    Activity { tasks: (0..size).map(task).collect(), ..Activity::default() }
}

fn send(to: u32) -> Step {
    let (mode, bytes) = (SendMode::Standard, Bytes(1024));
    event(Operation::Send { to: TaskId(to), tag: 0, comm: CommId(0), bytes, mode, request: None })
}

fn receive(from: u32) -> Step {
    let (from, tag) = (Some(TaskId(from)), Some(0));
    event(Operation::Recv { from, tag, comm: CommId(0), bytes: Bytes(1024), request: None })
}

fn event(operation: Operation) -> Step {
    Step::Event(Arc::new(Event { operation, site: None }))
}

fn ring(rank: u32, size: u32) -> Vec<(u32, u32)> {
    vec![((rank + 1) % size, (rank + size - 1) % size)]
}

fn doubling(rank: u32, size: u32) -> Vec<(u32, u32)> {
    (0..size.ilog2()).map(|bit| (rank ^ (1 << bit), rank ^ (1 << bit))).collect()
}

/// A torus whose sides are powers of two.
fn stencil(rank: u32, size: u32) -> Vec<(u32, u32)> {
    let side = 1 << (size.ilog2() / 2);
    let at = |x: u32, y: u32| (y % (size / side)) * side + x % side;
    let (x, y, rows) = (rank % side, rank / side, size / side);
    let (right, left) = (at(x + 1, y), at(x + side - 1, y));
    let (up, down) = (at(x, y + 1), at(x, y + rows - 1));
    vec![(right, left), (left, right), (up, down), (down, up)]
}

fn steps_per_second(criterion: &mut Criterion) {
    let network = Network::load("ethernet-1000").expect("the library is valid");
    let mut group = criterion.benchmark_group("replay");
    group.sample_size(10);
    let patterns: [(&str, Partners); 3] = [("ring", ring), ("stencil", stencil), ("doubling", doubling)];
    for (name, partners) in patterns {
        for size in [64, 1024, 16384] {
            let activity = folded(size, (200_000 / u64::from(size)).max(20), partners);
            group.throughput(Throughput::Elements(run(&activity, &network)));
            let id = BenchmarkId::new(name, size);
            group.bench_with_input(id, &activity, |b, activity| b.iter(|| black_box(run(activity, &network))));
        }
    }
}

/// Every task posts all its receives and begins all its sends at once.
fn linear(size: u32) -> Schedule {
    let mut schedule = Schedule::new(size as usize);
    for rank in 0..size {
        let received = (1..size).map(|k| Action::Recv { from: (rank + size - k) % size, tag: 0, bytes: 8 });
        let sent = (1..size).map(|k| Action::Send { to: (rank + k) % size, tag: 0, bytes: 8 });
        for action in received.chain(sent) {
            schedule.push(TaskId(rank), ScheduledOperation { action, cpu: 0, linked: false });
        }
    }
    schedule
}

fn linear_exchange(criterion: &mut Criterion) {
    let network = Network::load("ethernet-1000").expect("the library is valid");
    let model = Network::load("loggops:L=2000,o=500,g=500,G=1,O=0").expect("the parameters are right");
    let parameters = model.loggops.expect("it is a model");
    let mut group = criterion.benchmark_group("linear exchange");
    group.sample_size(10);
    for size in [128, 256] {
        let schedule = linear(size);
        group.throughput(Throughput::Elements(schedule.operations()));
        group.bench_with_input(BenchmarkId::new("loggops", size), &schedule, |b, schedule| {
            b.iter(|| black_box(loggops::replay(schedule, &parameters, 0).total));
        });
        group.bench_with_input(BenchmarkId::new("network", size), &schedule, |b, schedule| {
            b.iter(|| black_box(replayed(schedule, &network)));
        });
    }
}

/// From the text of a schedule to its times.
fn text(criterion: &mut Criterion) {
    let model = Network::load("loggops:L=2000,o=500,g=500,G=1,O=0").expect("the parameters are right");
    let parameters = model.loggops.expect("it is a model");
    let network = Network::load("ethernet-1000").expect("the library is valid");
    let mut group = criterion.benchmark_group("goal");
    group.sample_size(10);
    for (name, order) in [("stencil", Order::Sequence), ("stencil with waits for all", Order::Joined)] {
        for size in [256, 4096] {
            let text = goal::render(&rounds(size, 20, order));
            let read =
                || goal::read("bench", text.as_bytes()).expect("memory is readable").expect("it was just written");
            group.throughput(Throughput::Elements(read().operations()));
            let id = |engine| BenchmarkId::new(format!("{name}, {engine}"), size);
            group.bench_function(id("loggops"), |b| {
                b.iter(|| black_box(loggops::replay(&read(), &parameters, 0).total));
            });
            group.bench_function(id("network"), |b| b.iter(|| black_box(replayed(&read(), &network))));
        }
    }
}

/// In which order the operations of a round go on.
#[derive(Clone, Copy)]
enum Order {
    /// Each waits for the one before it.
    Sequence,
    /// Messages wait for computing, the next computing for all messages.
    Joined,
}

/// Each task computes and exchanges with its neighbours, again and again.
fn rounds(size: u32, times: u64, order: Order) -> Schedule {
    let mut schedule = Schedule::new(size as usize);
    for rank in 0..size {
        let partners = stencil(rank, size);
        for round in 0..times {
            let compute = Action::Compute { ns: u64::from(rank) * 7919 % 20_000 + round };
            let sent = partners.iter().map(|&(to, _)| Action::Send { to, tag: 0, bytes: 1024 });
            let received = partners.iter().map(|&(_, from)| Action::Recv { from, tag: 0, bytes: 1024 });
            let begin = schedule.length(TaskId(rank));
            for action in std::iter::once(compute).chain(sent).chain(received) {
                let linked = matches!(order, Order::Sequence);
                schedule.push(TaskId(rank), ScheduledOperation { action, cpu: 0, linked });
            }
            if matches!(order, Order::Joined) {
                join(&mut schedule, TaskId(rank), begin, round + 1 < times);
            }
        }
        schedule.seal(TaskId(rank));
    }
    schedule
}

/// The operations since `begin` wait for the first of them, and the next one, if there will be one, for all of them.
fn join(schedule: &mut Schedule, task: TaskId, begin: u32, goes_on: bool) {
    let end = schedule.length(task);
    for operation in begin + 1..end {
        schedule.depend(task, Edge { after: operation, before: begin, begin: false });
    }
    for operation in (begin + 1..end).filter(|_| goes_on) {
        schedule.depend(task, Edge { after: end, before: operation, begin: false });
    }
}

fn replayed(schedule: &Schedule, network: &Network) -> Picoseconds {
    let mut pricing = |_: TaskId, _: Work, _: &Segments| Picoseconds::ZERO;
    replay(&mut ScheduleFeed::new(schedule), ReplayOptions::new(network, &mut pricing, &|_| None)).total
}

fn run(activity: &Activity, network: &Network) -> u64 {
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    let mut pricing = |_: TaskId, _: Work, _: &Segments| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        Picoseconds(random % 20_000_000)
    };
    replay(&mut ActivityFeed::new(activity), ReplayOptions::new(&network.clone(), &mut pricing, &|_| None)).steps
}

criterion_group!(benches, steps_per_second, linear_exchange, text);
criterion_main!(benches);
