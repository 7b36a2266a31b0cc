//! Expected times are those of LogGOPSim (commit 76451de) with L=1000000 o=1000 g=10000 G=100 O=7.

use super::*;
use chronos_machine::network::Network;
use chronos_tool_formats::goal;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

const NETWORK: &str = "loggops:L=1000000,o=1000,g=10000,G=100,O=7";

fn ends_on(network: &str, text: &str) -> Vec<u64> {
    let schedule = goal::parse("a.goal", text).unwrap();
    let parameters = Network::load(network).unwrap().loggops.unwrap();
    let result = replay(&schedule, &parameters, 0);
    assert!(result.complete, "{}", result.diagnostics[0].message);
    result.tasks.iter().map(|task| task.end.0 / 1000).collect()
}

fn ends(text: &str) -> Vec<u64> {
    ends_on(NETWORK, text)
}

fn pair(first: &str, second: &str) -> String {
    format!("num_ranks 2 rank 0 {{ {first} }} rank 1 {{ {second} }}")
}

#[test]
fn one_message() {
    assert_eq!(ends(&pair("send 10b to 1", "recv 10b from 0")), [1063, 1_002_900]);
    let slow = "loggops:L=1000000,o=1000,g=10000,G=100,O=700";
    assert_eq!(ends_on(slow, &pair("send 10b to 1", "recv 5b from 0")), [7300, 1_008_300]);
}

#[test]
fn the_gap_separates_messages() {
    let two = "a: send 10b to 1 b: send 10b to 1";
    let taken = "a: recv 10b from 0 b: recv 10b from 0";
    assert_eq!(ends(&pair(two, taken)), [11963, 1_013_800]);
    assert_eq!(ends(&pair(&format!("{two} b requires a"), &format!("{taken} b requires a"))), [11963, 1_013_800]);
}

#[test]
fn a_late_or_busy_receiver_takes_the_message_then() {
    assert_eq!(ends(&pair("send 10b to 1", "a: calc 5000000 b: recv 10b from 0 b requires a")), [1063, 5_001_900]);
    assert_eq!(ends(&pair("send 10b to 1", "calc 5000000 recv 10b from 0")), [1063, 5_001_900]);
    assert_eq!(
        ends(&pair("send 10b to 1", "recv 10b from 0 a: calc 1001001 b: calc 5000000 b requires a"))[1],
        6_002_901
    );
}

#[test]
fn the_receive_that_was_posted_first_takes_the_message() {
    // The wildcard is known before the other receive, but its processor is busy for longer. The second message is taken when
    // the computing behind the first has ended.
    let sender = "a: send 10b to 1 b: calc 1000000 b requires a c: send 10b to 1 c requires b";
    let receiver = "a: calc 100 cpu 1 b: recv 10b from -1 cpu 1 b requires a \
                    c: calc 10 d: calc 10 d requires c e: recv 10b from 0 e requires d f: calc 5000000 f requires e";
    assert_eq!(ends(&pair(sender, receiver)), [1_002_126, 6_004_800]);
}

#[test]
fn a_large_message_ends_its_send_when_its_receive_begins() {
    let limited = "loggops:L=1000000,o=1000,g=10000,G=100,O=7,S=5";
    let sender = "a: send 10b to 1 b: calc 5 b requires a";
    assert_eq!(ends_on(limited, &pair(sender, "recv 10b from 0")), [1_001_005, 1_002_900]);
    let late = "a: calc 5000000 b: recv 10b from 0 b requires a";
    assert_eq!(ends_on(limited, &pair(sender, late)), [5_000_005, 5_001_900]);
    assert_eq!(ends_on(limited, &pair(sender, "calc 5000000 recv 10b from 0")), [5_000_005, 5_001_900]);
    assert_eq!(ends_on(limited, &pair("send 10b to 1 calc 77777", "recv 10b from 0")), [1_001_000, 1_002_900]);
    let two = "send 10b to 1 tag 0 send 10b to 1 tag 1";
    assert_eq!(ends_on(limited, &pair(two, "recv 10b from 0 tag 0 recv 10b from 0 tag 1")), [1_011_900, 1_013_800]);
}

#[test]
fn of_what_is_ready_at_one_time_sends_come_first() {
    let text = "a: calc 100 b: calc 5000 c: calc 3000 d: send 10b to 1 e: send 10b to 2 \
                b requires a c requires a d requires a e requires a";
    let text = format!("num_ranks 3 rank 0 {{ {text} }} rank 1 {{ recv 10b from 0 }} rank 2 {{ recv 10b from 0 }}");
    assert_eq!(ends(&text), [12063, 1_003_000, 1_013_900]);
}

#[test]
fn messages_are_taken_as_they_come() {
    let task = |delay: u64| {
        format!(
            "num_ranks 3 rank 0 {{ a: recv 1001b from 1 b: recv 101b from 2 b requires a }} \
             rank 1 {{ a: calc {delay} b: send 1001b to 0 b requires a }} rank 2 {{ send 101b to 0 }}"
        )
    };
    let network = "loggops:L=1000000,o=1000,g=10000,G=100";
    assert_eq!(ends_on(network, &task(5000)), [1_122_000, 6000, 1000]);
    assert_eq!(ends_on(network, &task(30000)), [1_132_000, 31000, 1000]);
    let limited = "loggops:L=1000000,o=1000,g=10000,G=100,S=50";
    let text = "num_ranks 3 rank 0 { send 101b to 1 } rank 1 { a: recv 5b from 2 b: calc 50000 c: recv 101b from 0 \
                b requires a c requires b } rank 2 { a: calc 3000000 b: send 5b to 1 b requires a }";
    assert_eq!(ends_on(limited, text), [4_052_400, 4_052_400, 3_001_000]);
}

/// Task 0 may go on at 1,500,000, while it takes the message of task 2 until 2,052,000: only then it asks for that of
/// task 3.
#[test]
fn a_receive_is_posted_when_the_processor_is_free() {
    let limited = "loggops:L=1000000,o=1000,g=10000,G=100,O=7,S=5";
    let text = "num_ranks 4 rank 0 { a: send 10b to 1 b: recv 10b from 3 c: recv 10001b from 2 b requires a c requires b } \
                rank 1 { a: calc 1500000 b: recv 10b from 0 b requires a } \
                rank 2 { a: calc 50000 b: send 10001b to 0 b requires a } \
                rank 3 { a: send 10b to 0 b: calc 5 b requires a }";
    let ends = [2_052_000, 1_501_900, 2_052_000, 2_052_005];
    assert_eq!(ends_on(limited, text), ends);
    // In the order of operations, for one that waits for nothing.
    let free = text.replace("b: calc 5 b requires a", "b: calc 5 b requires a calc 0");
    assert_eq!(ends_on(limited, &free), ends);
}

#[test]
fn a_message_occupies_the_first_processor() {
    let network = "loggops:L=1000000,o=1000,g=10000,G=100";
    let posted = |task: &str| ends_on(network, &pair("send 101b to 1", task))[1];
    assert_eq!(posted("calc 1005000 cpu 1 recv 101b from 0 cpu 1"), 1_012_000);
    assert_eq!(posted("calc 1005000 cpu 0 recv 101b from 0 cpu 1"), 1_016_000);
    assert_eq!(
        posted("a: calc 1005000 cpu 1 b: recv 101b from 0 c: calc 7 cpu 1 b requires a c requires b"),
        1_012_000
    );
    assert_eq!(
        posted("a: calc 1105000 cpu 1 b: recv 101b from 0 c: calc 7 cpu 1 b requires a c requires b"),
        1_105_007
    );
}

#[test]
fn processors_of_a_task_work_at_the_same_time() {
    assert_eq!(ends("num_ranks 1 rank 0 { calc 500 cpu 1 calc 700 cpu 0 }"), [700]);
}

#[test]
fn a_begin_can_be_waited_for() {
    let sender = "a: send 10b to 1 b: calc 5 b irequires a";
    let receiver = "a: recv 10b from 0 b: calc 5 b irequires a";
    assert_eq!(ends(&pair(sender, receiver)), [1068, 1_002_900]);
}

#[test]
fn a_shared_schedule_ends_as_loggopsim_says() {
    let text = include_str!("../../../../testdata/goal/exchange.goal");
    let network = "loggops:L=2500,o=1500,g=1000,G=6,O=0,S=65535";
    assert_eq!(ends_on(network, text), [27276, 26276, 25276, 24276]);
}

fn fault(text: &str) -> String {
    let schedule = goal::parse("a.goal", text).unwrap();
    let result = replay(&schedule, &Network::load(NETWORK).unwrap().loggops.unwrap(), 0);
    format!("{} {}", result.diagnostics[0].code.id, result.diagnostics[0].message)
}

#[test]
fn a_circle_is_named() {
    let text = pair("a: recv 8b from 1 b: send 8b to 1 b requires a", "a: recv 8b from 0 b: send 8b to 0 b requires a");
    insta::assert_snapshot!(fault(&text), @"C0701 tasks wait for one another: task 0 in its operation 1 (recv 8b from 1 tag 0); task 1 in its operation 1 (recv 8b from 0 tag 0)");
    insta::assert_snapshot!(fault(&pair("recv 8b from 1 tag 3", "calc 5")),
        @"C0702 1 of 2 tasks do not end: task 0 in its operation 1 (recv 8b from 1 tag 3)");
}

/// Rounds in which each task computes and exchanges with partners that some shift gives.
fn rounds(size: u32, shifts: &[(u32, u64, u64)], linked: bool) -> String {
    let task = |rank: u32| {
        let mut text = format!("rank {rank} {{ l1: calc {}\n", rank * 37 % 101);
        let mut label = 1;
        for &(shift, bytes, ns) in shifts {
            let (to, from) = ((rank + shift) % size, (rank + size - shift % size) % size);
            for operation in [
                format!("calc {}", ns * u64::from(rank + 1)),
                format!("send {bytes}b to {to}"),
                format!("recv {bytes}b from {from}"),
            ] {
                text += &format!("l{}: {operation}\nl{} requires l{label}\n", label + 1, label + 1);
                label += 1;
            }
        }
        if !linked {
            text += &format!("l{}: calc 0\n", label + 1);
        }
        text + "}\n"
    };
    format!("num_ranks {size}\n{}", (0..size).map(task).collect::<String>())
}

#[test]
fn messages_to_oneself_end_alike_both_ways() {
    let shifts = [(3, 1365, 376), (3, 83, 2020), (4, 0, 4078), (4, 0, 1463), (6, 0, 4774)];
    let network = "loggops:L=2500,o=1500,g=1000,G=6,O=1,S=100000";
    assert_eq!(ends_on(network, &rounds(4, &shifts, true)), ends_on(network, &rounds(4, &shifts, false)));
}

/// How the schedule ends operation by operation, and by chains, where these can tell.
fn both_ways(network: &str, text: &str) -> (Vec<TaskOutcome>, Option<Vec<TaskOutcome>>) {
    let schedule = goal::parse("a.goal", text).unwrap();
    let model = LogGopsModel::new(&Network::load(network).unwrap().loggops.unwrap());
    let mut log = ReplayLog::new(schedule.len(), 0);
    (ordered::run(&schedule, &model, &mut log), chained::run(&schedule, &model, &mut log, true))
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(1), cases: 1000, ..ProptestConfig::default() })]

    /// An operation that waits for nothing makes a schedule one of any shape, without changing its times.
    #[test]
    fn both_ways_to_replay_give_the_same_times(
        size in 2u32..9,
        shifts in prop::collection::vec((1u32..9, 0u64..2000, 0u64..5000), 1..12),
        network in prop::sample::select(vec![
            "loggops:L=2500,o=1500,g=1000,G=6,O=1,S=100000",
            "loggops:L=100,o=1500,g=9000,G=1,O=0,S=100000",
            "loggops:L=0,o=0,g=0,G=1,O=2,S=100000",
        ]),
    ) {
        prop_assert_eq!(ends_on(network, &rounds(size, &shifts, true)), ends_on(network, &rounds(size, &shifts, false)));
    }

    #[test]
    fn ties_end_alike_both_ways(
        size in 2u32..7,
        steps in prop::collection::vec((1u32..7, 0u64..3, 0u64..3), 1..8),
        limit in prop::sample::select(vec![0, 1, 1000]),
    ) {
        let network = format!("loggops:L=2,o=1,g=1,G=1,O=1,S={limit}");
        let shifts: Vec<_> = steps.into_iter().filter(|&(shift, ..)| shift % size != 0).collect();
        let (all, chains) = both_ways(&network, &ties(size, &shifts));
        prop_assert!(chains.is_none_or(|chains| chains == all));
    }
}

/// Both messages leave at 5; that of task 1 was known at 0, that of task 0 at 4, when its last computing began.
#[test]
fn of_two_messages_at_one_time_the_one_known_first_is_taken_first() {
    let text = "num_ranks 3 rank 0 { a: calc 4 b: calc 1 c: send 1b to 2 b requires a c requires b } \
                rank 1 { a: calc 5 b: send 1b to 2 b requires a } \
                rank 2 { a: recv 1b from 1 b: calc 5000 c: recv 1b from 0 b requires a c requires b }";
    let (all, chains) = both_ways("loggops:L=1000,o=100,g=1000,G=0,O=0", text);
    assert_eq!(all[2].end, 6_305_000);
    assert_eq!(chains, Some(all));
}

/// As `rounds`, with computing times that differ little.
fn ties(size: u32, shifts: &[(u32, u64, u64)]) -> String {
    let task = |rank: u32| {
        let mut text = format!("rank {rank} {{ l1: calc {}\n", rank % 2);
        let mut label = 1;
        for &(shift, bytes, ns) in shifts {
            let (to, from) = ((rank + shift) % size, (rank + size - shift % size) % size);
            let operations = [
                format!("calc {}", ns * u64::from(rank % 3)),
                format!("send {bytes}b to {to}"),
                format!("recv {bytes}b from {from}"),
            ];
            for operation in operations {
                text += &format!("l{}: {operation}\nl{} requires l{label}\n", label + 1, label + 1);
                label += 1;
            }
        }
        text + "}\n"
    };
    format!("num_ranks {size}\n{}", (0..size).map(task).collect::<String>())
}
