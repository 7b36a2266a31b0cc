//! Collective operations against medians measured with Open MPI 4.1.4 on an emulated cluster of 100 Mbit/s
//! (the one that `ethernet-100` was fitted to by its ping-pong alone).
//!
//! The benchmark takes the time from each task's end of a barrier to its end of the operation, and of these
//! the greatest; so the skew with which a barrier lets its tasks go is part of the time.
//!
//! What remains: where both directions of a link carry messages of 64 KiB and more (allreduce, alltoall and
//! allgather of 128 KiB, allreduce of 1 MiB), the real network is bimodal: it takes either the time of a full-duplex
//! link, which is predicted, or nearly twice that, and the median may be either. Below 1 KiB, the wake-up
//! of blocked processes on a shared host adds 40 to 400 us that a ping-pong does not have.

use super::*;
use chronos_machine::network::Nearness;

/// Operation, bytes, microseconds (median) at 2, 4 and 8 tasks.
const MEASURED: &[(&str, u64, [f64; 3])] = &[
    ("barrier", 0, [189., 263., 888.]),
    ("bcast", 8, [2., 111., 164.]),
    ("bcast", 256, [72., 224., 193.]),
    ("bcast", 2048, [322., 692., 914.]),
    ("bcast", 16384, [1525., 4301., 4618.]),
    ("bcast", 131_072, [11509., 33793., 78316.]),
    ("bcast", 1_048_576, [89471., 268_644., 624_789.]),
    ("reduce", 8, [215., 322., 610.]),
    ("reduce", 256, [230., 391., 759.]),
    ("reduce", 2048, [492., 893., 1522.]),
    ("reduce", 16384, [1728., 4961., 5217.]),
    ("reduce", 131_072, [11729., 23404., 35346.]),
    ("reduce", 1_048_576, [89756., 268_955., 272_531.]),
    ("allreduce", 8, [210., 317., 664.]),
    ("allreduce", 256, [253., 418., 874.]),
    ("allreduce", 2048, [462., 886., 1507.]),
    ("allreduce", 16384, [1847., 3008., 3934.]),
    ("allreduce", 131_072, [23437., 24262., 37200.]),
    ("allreduce", 1_048_576, [91871., 270_571., 319_818.]),
    ("alltoall", 8, [199., 268., 655.]),
    ("alltoall", 256, [179., 342., 758.]),
    ("alltoall", 2048, [457., 886., 1891.]),
    ("alltoall", 16384, [1750., 4610., 11047.]),
    ("alltoall", 131_072, [12111., 66801., 134_242.]),
    ("gather", 8, [172., 340., 622.]),
    ("gather", 256, [185., 427., 872.]),
    ("gather", 2048, [423., 845., 2148.]),
    ("gather", 16384, [1692., 4733., 10961.]),
    ("gather", 131_072, [11692., 34699., 80238.]),
    ("allgather", 8, [170., 317., 630.]),
    ("allgather", 256, [172., 479., 920.]),
    ("allgather", 2048, [458., 1085., 2102.]),
    ("allgather", 16384, [1752., 4780., 17565.]),
    ("allgather", 131_072, [23059., 68080., 159_440.]),
];

/// The same program, replayed.
fn predicted_us(network: &Network, name: &str, bytes: u64, size: u32) -> f64 {
    const TIMES: u64 = 4;
    let root = if matches!(name, "bcast" | "reduce" | "gather") { "0" } else { "-" };
    let once = format!("barrier; clock 1; {name} {root} {bytes}; clock 2; elapsed 1 2; reduce 0 8");
    let lines = (0..size).map(|rank| format!("{rank}: loop {TIMES} [ {once} ]\n"));
    let result = play(&activity(&lines.collect::<String>()), network, Placement::spread());
    assert!(result.complete, "{}", faults(&result));
    let slowest = result.tasks.iter().map(|task| task.elapsed[0].total).max().unwrap_or_default();
    slowest.as_nanoseconds() / 1000.0 / TIMES as f64
}

/// Relative errors, sorted by magnitude; the table goes to the output of the test.
fn errors(network: &Network, rows: impl Fn(u64) -> bool) -> Vec<f64> {
    let mut errors = Vec::new();
    for &(name, bytes, measured) in MEASURED.iter().filter(|(_, bytes, _)| rows(*bytes)) {
        let mut line = format!("{name:9} {bytes:8}");
        for (size, measured) in [2, 4, 8].into_iter().zip(measured) {
            let predicted = predicted_us(network, name, bytes, size);
            let error = predicted / measured - 1.0;
            line += &format!(" | {measured:9.0} {predicted:9.0} {:5.0} %", 100.0 * error);
            errors.push(error.abs());
        }
        println!("{line}");
    }
    errors.sort_by(f64::total_cmp);
    let share = |limit: f64| 100 * errors.iter().filter(|error| **error <= limit).count() / errors.len();
    println!("median {:.0} %", 100.0 * errors[errors.len() / 2]);
    println!("within 10 %: {} %, 25 %: {} %, 50 %: {} %", share(0.1), share(0.25), share(0.5));
    errors
}

#[test]
fn collectives_come_close_to_measured_medians() {
    let network = Network::load("ethernet-100").unwrap();
    let large = errors(&network, |bytes| bytes >= 16384);
    let small = errors(&network, |bytes| bytes < 16384);
    assert!(large[large.len() / 2] <= 0.05, "median error {}", large[large.len() / 2]);
    assert!(small[small.len() / 2] <= 0.2, "median error {}", small[small.len() / 2]);
}

#[test]
fn the_clock_around_a_ping_pong_shows_the_one_way_times_of_the_network() {
    for name in ["ethernet-100", "ethernet-1000"] {
        let network = Network { call_ns: 0.0, ..Network::load(name).unwrap() };
        for bytes in (0..21).map(|power| 1 << power) {
            let ping = format!("clock 1; loop 20 [ send 1 {bytes}; recv 1 {bytes} ]; clock 2; elapsed 1 2");
            let pong = format!("loop 20 [ recv 0 {bytes}; send 0 {bytes} ]");
            let result = play(&activity(&format!("0: {ping}\n1: {pong}")), &network, Placement::spread());
            let (told, expected) = (
                result.tasks[0].elapsed[0].total.as_nanoseconds() / 40.0,
                network.idle_time(Nearness::Network, bytes).as_nanoseconds(),
            );
            assert!((told / expected - 1.0).abs() < 0.02, "{name}, {bytes} bytes: {told} ns, not {expected} ns");
        }
    }
}
