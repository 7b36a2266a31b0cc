use super::*;
use chronos_machine::platform::Platform;

#[test]
fn an_eager_message_takes_overheads_latency_and_transfer() {
    // 10 + 100 + 8 + 10; the receiver's partner was there from the beginning.
    insta::assert_snapshot!(table(&run("0: send 1 8\n1: recv 0 8")), @r"
    0: 10 send 10
    1: 128 recv 128
    ");
}

#[test]
fn idle_ends_when_the_sender_arrives() {
    insta::assert_snapshot!(table(&run("0: calc 500; send 1 8\n1: recv 0 8")), @r"
    0: 510 compute 500 send 10
    1: 628 recv 128 idle 500
    ");
}

#[test]
fn a_late_receiver_pays_only_its_overhead() {
    insta::assert_snapshot!(table(&run("0: send 1 8\n1: calc 500; recv 0 8")), @r"
    0: 10 send 10
    1: 510 compute 500 recv 10
    ");
}

#[test]
fn a_rendezvous_waits_for_its_receive() {
    // Request there at 120, granted at 500 + 110; port until 2610; data 100 later, then the receiver's overhead.
    insta::assert_snapshot!(table(&run("0: send 1 2000\n1: calc 500; recv 0 2000")), @r"
    0: 2610 send 2120 idle 490
    1: 2720 compute 500 recv 2220
    ");
}

#[test]
fn a_synchronous_send_is_a_rendezvous_whatever_its_size() {
    insta::assert_snapshot!(table(&run("0: ssend 1 8\n1: calc 500; recv 0 8")), @r"
    0: 618 send 128 idle 490
    1: 728 compute 500 recv 228
    ");
}

#[test]
fn a_buffered_send_is_local() {
    insta::assert_snapshot!(table(&run("0: bsend 1 2000\n1: calc 500; recv 0 2000")), @r"
    0: 10 send 10
    1: 2120 compute 500 recv 1620
    ");
}

#[test]
fn messages_queue_at_the_sender_port() {
    // The second leaves at 510 instead of 20.
    insta::assert_snapshot!(table(&run("0: send 1 500; send 2 8\n1: recv 0 500\n2: recv 0 8")), @r"
    0: 20 send 20
    1: 620 recv 620
    2: 628 recv 618 idle 10
    ");
}

#[test]
fn messages_queue_at_the_receiver_port() {
    // Both heads come at 110; the port takes one after the other.
    insta::assert_snapshot!(table(&run("0: send 2 500\n1: send 2 500\n2: recv 1 500; recv 0 500")), @r"
    0: 10 send 10
    1: 10 send 10
    2: 1130 recv 1130
    ");
}

#[test]
fn messages_queue_for_a_shared_medium() {
    let text = "0: send 1 500\n1: recv 0 500\n2: send 3 500\n3: recv 2 500";
    insta::assert_snapshot!(table(&run(text)), @r"
    0: 10 send 10
    1: 620 recv 620
    2: 10 send 10
    3: 620 recv 620
    ");
    let mut network = round_network();
    network.between_nodes.shared_medium = true;
    insta::assert_snapshot!(table(&play(&activity(text), &network, Placement::spread())), @r"
    0: 10 send 10
    1: 620 recv 620
    2: 10 send 10
    3: 1120 recv 1120
    ");
}

#[test]
fn idle_time_has_a_cause() {
    let result = run("0: calc 500; send 1 8; ssend 1 8\n1: recv 0 8; calc 500; recv 0 8");
    let causes = |task: usize| result.tasks[task].causes;
    assert_eq!(causes(1).late_sender, Picoseconds(500_000));
    assert!(causes(0).late_receiver > Picoseconds::ZERO && causes(0).late_sender == Picoseconds::ZERO);
    let result = run("0: barrier\n1: calc 500; barrier");
    assert_eq!(result.tasks[0].causes.collective, result.tasks[0].idle);
}

#[test]
fn within_a_node_there_are_no_ports() {
    let activity = activity("0: send 2 500\n1: send 2 500\n2: recv 0 500; recv 1 500");
    insta::assert_snapshot!(table(&play(&activity, &round_network(), Placement::together(3))), @r"
    0: 10 send 10
    1: 10 send 10
    2: 531 recv 531
    ");
}

#[test]
fn messages_between_two_tasks_match_in_order() {
    let result = run("0: send 1 8; send 1 16\n1: recv 0 8; recv 0 16");
    assert_eq!(faults(&result), "");
    let traffic = Traffic { messages: 2, bytes: chronos_base::units::Bytes(24) };
    assert_eq!(result.matrix.get(TaskId(0), TaskId(1)), Some(traffic));
}

#[test]
fn any_source_takes_what_arrives_first() {
    let result = run("0: calc 1000; send 2 8\n1: calc 500; send 2 16\n2: recv * 99; recv * 99");
    let froms: Vec<_> = result.messages.iter().map(|message| (message.from.0, message.received)).collect();
    assert_eq!(froms, [(1, Picoseconds(636_000)), (0, Picoseconds(1_128_000))]);
}

#[test]
fn a_receive_posted_before_a_wildcard_has_precedence() {
    let result = run("0: send 1 8 tag=5\n1: irecv 0 8 tag=5 req=0; irecv * 99 tag=* req=1; wait 0");
    assert!(faults(&result).starts_with("C0707"), "{}", faults(&result));
    let result = run("0: send 1 8 tag=5\n1: irecv * 99 tag=* req=1; irecv 0 8 tag=5 req=0; wait 1");
    assert!(faults(&result).contains("task 1 posts a receive that gets nothing: a message from task 0"));
}

#[test]
fn a_shipped_network_plays_the_measured_ping_pong() {
    const MEASURED_US: [(u64, f64); 25] = [
        (0, 89.0),
        (1, 94.0),
        (8, 92.0),
        (64, 102.0),
        (256, 148.0),
        (512, 188.0),
        (1024, 273.0),
        (1448, 344.0),
        (2048, 386.0),
        (4096, 550.0),
        (8192, 919.0),
        (12288, 1239.0),
        (16384, 1606.0),
        (24576, 2290.0),
        (32768, 3004.0),
        (49152, 4606.0),
        (65536, 5996.0),
        (66000, 6078.0),
        (98304, 8830.0),
        (131_072, 12132.0),
        (262_144, 22710.0),
        (524_288, 45068.0),
        (1_048_576, 89943.0),
        (2_097_152, 178_715.0),
        (4_194_304, 358_476.0),
    ];
    let network = Network::load("ethernet-100").unwrap();
    for (bytes, measured) in MEASURED_US {
        let text = format!("0: send 1 {bytes}; recv 1 {bytes}\n1: recv 0 {bytes}; send 0 {bytes}");
        let one_way = play(&activity(&text), &network, Placement::spread()).total.as_nanoseconds() / 2e3;
        let error = one_way / measured - 1.0;
        assert!(error.abs() < 0.1, "{bytes} bytes: {one_way} us against {measured} us");
    }
}

#[test]
fn messages_both_ways_between_two_nodes_hold_each_other_up() {
    use chronos_machine::network::{FactorPoint, Factors};
    let mut network = round_network();
    network.between_nodes.two_way = Factors { points: vec![FactorPoint { bytes: 0, factor: 2.0 }] };
    let end = |text: &str| {
        let result = play(&activity(text), &network, Placement::spread());
        result.tasks.iter().map(|task| task.end.as_nanoseconds()).collect::<Vec<_>>()
    };
    // One way: 10 + 100 + 500 + 10.
    assert_eq!(end("0: send 1 500\n1: recv 0 500"), [10.0, 620.0]);
    // The second of the two that leave at the same time is on the wire for 1000.
    let both = "0: isend 1 500 req=0; recv 1 500; wait 0\n1: isend 0 500 req=0; recv 0 500; wait 0";
    assert_eq!(end(both).iter().copied().fold(0.0, f64::max), 1120.0);
    // With 100 of 500 in common, 100 longer.
    let late = "0: send 1 500; recv 1 500\n1: calc 400; isend 0 500 req=0; recv 0 500; wait 0";
    assert_eq!(end(late)[0], 400.0 + 10.0 + 100.0 + 500.0 + 100.0 + 10.0);
}

/// Measured on four tasks on two nodes with 100 Mbit/s, Open MPI over TCP: messages of 256 KiB take 22.97 ms alone, two exchanges at once
/// 69 ms, three times that, and four 115 ms, five times. So an exchange that is held up leaves the line to the others.
#[test]
fn what_is_held_up_leaves_the_line_to_others_of_its_node() {
    use chronos_machine::network::{FactorPoint, Factors};
    let mut network = round_network();
    network.between_nodes.two_way = Factors { points: vec![FactorPoint { bytes: 0, factor: 2.0 }] };
    let two = "0: isend 2 500 req=0; recv 2 500; wait 0\n1: isend 3 500 req=0; recv 3 500; wait 0\n\
               2: isend 0 500 req=0; recv 0 500; wait 0\n3: isend 1 500 req=0; recv 1 500; wait 0";
    let placed = Placement { nodes: vec![0, 0, 1, 1], ..Placement::default() };
    let result = play(&activity(two), &network, placed);
    let last = result.tasks.iter().map(|task| task.end.as_nanoseconds()).fold(0.0, f64::max);
    assert_eq!(last, 10.0 + 100.0 + 3.0 * 500.0 + 10.0);
}

/// They go through one connection. The short message would otherwise be there at 620, when the long one has left the port.
#[test]
fn a_short_message_does_not_overtake_one_of_its_pair_that_is_held_up() {
    use chronos_machine::network::{FactorPoint, Factors};
    let mut network = round_network();
    let factor = |bytes, factor| FactorPoint { bytes, factor };
    network.between_nodes.two_way = Factors { points: vec![factor(10, 1.0), factor(500, 2.0)] };
    let text = "0: isend 1 500 req=0; recv 1 10 tag=2; calc 1000; recv 1 500 tag=1; wait 0\n\
                1: isend 0 500 req=0 tag=1; isend 0 10 req=1 tag=2; recv 0 500; wait 0 1";
    let result = play(&activity(text), &network, Placement::spread());
    // Both are there at 10 + 100 + 2 * 500; each is received for 10.
    assert_eq!(result.tasks[0].end.as_nanoseconds(), 1110.0 + 10.0 + 1000.0 + 10.0);
}

/// Amakata, Shinano and Nakamori: a process is there `alpha * D / C + ts + tc` after it was asked for. With alpha 3,
/// D 2 m, C 3e8 m/s, tc 300 us and ts 0.7 s that is 20 ns + 300,000 ns + 700,000,000 ns = 700,300,020 ns; the second
/// one is asked for when task 0 has computed for 1000 ns.
#[test]
fn spawned_tasks_start_when_their_request_has_come_and_the_process_is_there() {
    let network = Network::load("amakata:alpha=3,D=2,C=3e8,W=30e6,tc=300e-6,ts=0.7").unwrap();
    let text = "0: send 1 0; calc 1000; send 2 0\n1: recv * 0; start; calc 500\n2: recv * 0; start";
    let result = play(&activity(text), &network, Placement::spread());
    insta::assert_snapshot!(table(&result), @r"
    0: 1000 compute 1000
    1: 700300520 compute 700000500 recv 300020
    2: 700301020 compute 700000000 recv 300020 idle 1000
    ");
}

#[test]
fn a_network_without_time_of_a_start_is_told_of_once() {
    let result = run("0: send 1 0; send 2 0\n1: recv * 0; start\n2: recv * 0; start");
    assert_eq!(faults(&result), "C0716 Warning starting spawned tasks takes no time in this prediction\n");
    // 10 to send, 100 on the way, 10 to receive.
    assert_eq!(result.tasks[1].end.as_nanoseconds(), 120.0);
}

/// By hand, in ns, with 8000 bits each: from 0 to 1 20 + 266,666.667 + 300,000; to 2, which has 10 Mbit/s and takes 500 us,
/// 20 + 800,000 + 500,000; to 3 behind 150 km of 1 Mbit/s 1,500,000 + 8,000,000 + 300,000. From 1 to 2, whose pair has 30 Mbit/s,
/// 20 + 266,666.667 + 500,000, from 2 to 3 what is slower of both: 1,500,000 + 8,000,000 + 500,000. Each time is rounded to ps.
#[test]
fn messages_between_some_nodes_take_longer() {
    let network = Platform::load("../../testdata/platforms/slow-segment.json").unwrap().network.unwrap();
    let text = "0: send 1 1000; send 2 1000; send 3 1000\n1: recv 0 1000; send 2 1000\n\
                2: recv 0 1000; recv 1 1000; send 3 1000\n3: recv 0 1000; recv 2 1000";
    let result = play(&activity(text), &network, Placement::spread());
    let ends: Vec<f64> = result.tasks.iter().map(|task| task.end.as_nanoseconds()).collect();
    assert_eq!(ends, [0.0, 566_686.667, 1_333_373.334, 11_333_373.334]);
    // On one node there is no segment between them; where task 1 is on node 3, there is.
    let placed = Placement { nodes: vec![0, 3, 2, 1], ..Placement::default() };
    assert_eq!(play(&activity(text), &network, placed).tasks[1].end.as_nanoseconds(), 9_800_000.0);
}

#[test]
fn starting_a_task_takes_what_its_node_takes() {
    let network = Platform::load("../../testdata/platforms/slow-segment.json").unwrap().network.unwrap();
    let text = "0: send 1 0; send 3 0\n1: recv * 0; start\n2: calc 1\n3: recv * 0; start";
    let result = play(&activity(text), &network, Placement::spread());
    let ends: Vec<f64> = result.tasks.iter().map(|task| task.end.as_nanoseconds()).collect();
    assert_eq!(ends, [0.0, 700_300_020.0, 1.0, 2_001_800_000.0]);
}
