use super::*;
use chronos_activity::{Activity, ActivityFeed, Segments, TaskId, Work};
use chronos_base::units::Picoseconds;
use chronos_machine::network::{Curve, Link, Network};
use script::activity;

mod accuracy;
mod against_reference;
mod calls;
mod faster;
mod faults;
mod flows;
mod lazy_receive;
mod levels;
mod plain;
mod point_to_point;
mod processors;
mod properties;
mod reference;
mod rings;
pub(super) mod script;
mod spins;
mod transforms;

/// A network with round numbers: overheads 10 ns, latency 100 ns, 1 ns per byte, gap 5 ns, eager up to 1000 bytes.
pub(super) fn round_network() -> Network {
    let mut network = Network::load("ethernet-100").unwrap();
    let link = Link {
        send_overhead_ns: Curve::constant(10.0),
        recv_overhead_ns: Curve::constant(10.0),
        latency_ns: Curve::constant(100.0),
        gap_ns: Curve::constant(5.0),
        transfer_ns: Curve::linear(0.0, 1.0),
        eager_limit_bytes: 1000,
        request_ns: 110.0,
        grant_ns: 110.0,
        store_and_forward_bytes: None,
        ports: true,
        shared_medium: false,
        two_way: chronos_machine::network::Factors::default(),
        uncertainty: None,
    };
    network.within_node = Link { ports: false, latency_ns: Curve::constant(1.0), ..link.clone() };
    network.between_nodes = link;
    network.call_ns = 0.0;
    network.reduction_ns_per_byte = 0.0;
    network.algorithms.clear();
    network
}

pub(super) fn given_time(_: TaskId, work: Work, _: &Segments) -> Picoseconds {
    match work {
        Work::Time(time) => time,
        Work::Segment(_) => Picoseconds::ZERO,
    }
}

pub(super) fn play(activity: &Activity, network: &Network, placement: Placement) -> ReplayResult {
    let mut pricing = given_time;
    let options = ReplayOptions {
        placement,
        messages: 100,
        critical_path: true,
        ..ReplayOptions::new(network, &mut pricing, &|_| None)
    };
    let result = replay(&mut ActivityFeed::new(activity), options);
    for task in &result.tasks {
        let busy = task.compute + task.send + task.recv + task.collective;
        assert_eq!(task.end, busy + task.idle + task.ready, "parts add up");
    }
    result
}

pub(super) fn run(text: &str) -> ReplayResult {
    play(&activity(text), &round_network(), Placement::spread())
}

/// Ends and parts of all tasks in nanoseconds, and the diagnostics.
pub(super) fn table(result: &ReplayResult) -> String {
    let mut text = String::new();
    for (rank, task) in result.tasks.iter().enumerate() {
        let parts = [("compute", task.compute), ("send", task.send), ("recv", task.recv)];
        let more = [("collective", task.collective), ("idle", task.idle), ("ready", task.ready)];
        text += &format!("{rank}: {}", task.end.as_nanoseconds());
        for (name, time) in parts.into_iter().chain(more).filter(|(_, time)| *time > Picoseconds::ZERO) {
            text += &format!(" {name} {}", time.as_nanoseconds());
        }
        text += "\n";
    }
    text + &faults(result)
}

pub(super) fn faults(result: &ReplayResult) -> String {
    result.diagnostics.iter().map(|d| format!("{} {:?} {}\n", d.code.id, d.severity, d.message)).collect()
}
