//! Messages that share links, computed by hand: overheads 10 ns, latency 100 ns, 1 ns per byte alone.

use super::*;
use chronos_machine::topology::{Contention, GraphLink, Links, Shape, Topology};

fn play_on(text: &str, topology: &Topology, nodes: u32, loads: &[f64]) -> ReplayResult {
    assert_eq!(topology.faults(nodes), []);
    let links = Links::new(topology, nodes, loads);
    let (network, mut pricing, activity) = (round_network(), given_time, activity(text));
    let options = ReplayOptions { links: Some(&links), ..ReplayOptions::new(&network, &mut pricing, &|_| None) };
    let result = replay(&mut ActivityFeed::new(&activity), options);
    for task in &result.tasks {
        assert_eq!(task.end, task.compute + task.send + task.recv + task.collective + task.idle, "parts add up");
    }
    assert!(result.complete, "{}", faults(&result));
    result
}

fn ends(text: &str, topology: &Topology, nodes: u32) -> Vec<f64> {
    play_on(text, topology, nodes, &[]).tasks.iter().map(|task| task.end.as_nanoseconds()).collect()
}

fn with(shape: Shape) -> Topology {
    Topology { shape, ..Topology::switch() }
}

#[test]
fn a_message_alone_takes_what_the_network_says() {
    let alone = "0: send 1 100; recv 1 8\n1: recv 0 100; send 0 8";
    assert_eq!(ends(alone, &Topology::switch(), 2), [348.0, 230.0]);
    assert_eq!(ends("0: send 1 2000\n1: recv 0 2000", &Topology::switch(), 2), [2230.0, 2340.0], "rendezvous");
    assert_eq!(ends("0: send 1 0\n1: recv 0 0", &Topology::switch(), 2), [10.0, 120.0]);
}

#[test]
fn two_senders_share_the_port_of_the_receiver() {
    // Both are through at 210, at half the rate each.
    let both = "0: send 2 100\n1: send 2 100\n2: recv 0 100; recv 1 100";
    assert_eq!(ends(both, &Topology::switch(), 3), [10.0, 10.0, 330.0]);
    // Alone until 60, then at half the rate until 160; the other one has 50 left then.
    let later = "0: send 2 100\n1: calc 50; send 2 100\n2: recv 0 100; recv 1 100";
    assert_eq!(ends(later, &Topology::switch(), 3), [10.0, 60.0, 320.0]);
    let none = Topology { contention: Contention::None, ..Topology::switch() };
    assert_eq!(ends(both, &none, 3), [10.0, 10.0, 230.0]);
    let ports = Topology { contention: Contention::Ports, ..Topology::switch() };
    assert_eq!(ends(both, &ports, 3), [10.0, 10.0, 320.0]);
}

#[test]
fn a_bus_is_shared_by_all() {
    let sent_traffic = "0: send 1 100\n1: recv 0 100\n2: send 3 100\n3: recv 2 100";
    assert_eq!(ends(sent_traffic, &Topology::switch(), 4)[1], 220.0);
    assert_eq!(ends(sent_traffic, &with(Shape::Bus), 4), [10.0, 320.0, 10.0, 320.0]);
}

#[test]
fn what_others_use_is_missing() {
    let alone = "0: send 1 100\n1: recv 0 100";
    let result = play_on(alone, &Topology::switch(), 2, &[0.5, 0.0]);
    assert_eq!(result.tasks[1].end.as_nanoseconds(), 320.0);
}

#[test]
fn a_thin_link_in_the_middle_is_what_counts() {
    // Two pairs across a link of half the width of a port: a quarter each, 400 ns; 50 ns for the third link.
    let link = |a, b, width| GraphLink { between: [a, b], width };
    let links = vec![link(0, 4, 1.0), link(1, 4, 1.0), link(2, 5, 1.0), link(3, 5, 1.0), link(4, 5, 0.5)];
    let topology = Topology { hop_ns: 50.0, ..with(Shape::Graph { switches: 2, links }) };
    let sent_traffic = "0: send 2 100\n1: send 3 100\n2: recv 0 100\n3: recv 1 100";
    assert_eq!(ends(sent_traffic, &topology, 4), [10.0, 10.0, 570.0, 570.0]);
}

#[test]
fn messages_of_a_pair_follow_one_another() {
    // Left at 10 and 20; the second begins when the first is through at 110, ends at 118.
    let two = "0: send 1 100 tag=1; send 1 8 tag=2\n1: recv 0 8 tag=2; recv 0 100 tag=1";
    assert_eq!(ends(two, &Topology::switch(), 2), [20.0, 238.0]);
    // Whatever comes first is what was sent first.
    let any = "0: send 1 100 tag=1; send 1 8 tag=2\n1: recv * 100 tag=*; recv * 8 tag=2";
    assert_eq!(ends(any, &Topology::switch(), 2), [20.0, 230.0]);
}

/// All to all among eight: every port has seven flows each way, all of the same rate.
#[test]
fn an_exchange_of_all_with_all_fills_every_port() {
    let send = |rank: u32| (0..8).filter(move |&to| to != rank).map(|to| format!("isend {to} 700 req={to}; "));
    let recv = |rank: u32| (0..8).filter(move |&from| from != rank).map(|from| format!("recv {from} 700; "));
    let wait = |rank: u32| (0..8).filter(|&to| to != rank).map(|to| format!(" {to}")).collect::<String>();
    let line = |rank| {
        format!("{rank}: {}{}wait{}\n", send(rank).collect::<String>(), recv(rank).collect::<String>(), wait(rank))
    };
    let text: String = (0..8).map(line).collect();
    let result = play_on(&text, &Topology::switch(), 8, &[]);
    let total = result.total.as_nanoseconds();
    assert!((5000.0..5250.0).contains(&total), "{total}");
    assert_eq!(result.total, play_on(&text, &Topology::switch(), 8, &[]).total);
}

/// Each of as many flows over one medium as a rate had parts once takes its part of it: together they take as long as one
/// after the other.
#[test]
fn thousands_of_flows_share_a_link_without_loss() {
    for pairs in [3_000u32, 5_000] {
        let pair = |pair: u32| {
            let (from, to) = (2 * pair, 2 * pair + 1);
            format!("{from}: send {to} 100\n{to}: recv {from} 100\n")
        };
        let text: String = (0..pairs).map(pair).collect();
        let alone = ends("0: send 1 100\n1: recv 0 100", &with(Shape::Bus), 2)[1];
        let all = play_on(&text, &with(Shape::Bus), 2 * pairs, &[]).total.as_nanoseconds();
        let expected = alone + 100.0 * f64::from(pairs - 1);
        assert!((all - expected).abs() <= 1e-6 * expected, "{pairs} pairs: {all} instead of {expected}");
    }
}
