//! Plain jobs: their replay with less state against the engine and against the reference.

use super::against_reference::{Exchange, Way, any_exchange, text, with_clocks};
use super::*;
use crate::plain;
use proptest::prelude::*;

/// Nobody waits for anyone; what waits to be taken is sent by a blocking call.
fn plain_exchange(size: u32) -> impl Strategy<Value = Exchange> {
    any_exchange(size).prop_map(|exchange| match exchange {
        Exchange::Message { from, to, bytes, sends, waits, .. } => {
            let bytes = if matches!(sends, Way::Request) { bytes % 1001 } else { bytes };
            Exchange::Message { from, to, bytes, sends, waits, wild: false }
        }
        other => other,
    })
}

fn program() -> impl Strategy<Value = (u32, Vec<Exchange>)> {
    (2u32..9).prop_flat_map(|size| (Just(size), prop::collection::vec(plain_exchange(size), 1..40)))
}

/// Networks whose messages meet at ports alone.
fn networks() -> Vec<Network> {
    let mut stored = round_network();
    stored.between_nodes.store_and_forward_bytes = Some(300);
    stored.call_ns = 3.0;
    stored.reduction_ns_per_byte = 0.5;
    let mut slow_ports = round_network();
    slow_ports.between_nodes.gap_ns = Curve::constant(230.0);
    slow_ports.between_nodes.latency_ns = Curve::linear(40.0, 2.0);
    vec![round_network(), stored, slow_ports]
}

fn options<'o>(network: &'o Network, pricing: &'o mut crate::Pricing<'o>) -> ReplayOptions<'o> {
    ReplayOptions {
        critical_path: true,
        jump_ahead: true,
        plain_from: 0,
        ..ReplayOptions::new(network, pricing, &|_| None)
    }
}

/// As a plain job, where it is one, and by the engine.
fn both(activity: &Activity, network: &Network) -> (Option<ReplayResult>, ReplayResult) {
    let (mut pricing, mut same_pricing) = (given_time, given_time);
    let plain = plain::replayed(activity, &mut options(network, &mut pricing));
    let engine = ReplayOptions { jump_ahead: false, ..options(network, &mut same_pricing) };
    (plain, replay(&mut ActivityFeed::new(activity), engine))
}

fn assert_same(plain: &ReplayResult, engine: &ReplayResult, text: &str) {
    assert!(plain.complete && engine.complete, "{text}");
    for (rank, (plain, engine)) in plain.tasks.iter().zip(&engine.tasks).enumerate() {
        assert_eq!(plain, engine, "task {rank} of\n{text}");
    }
    assert_eq!((plain.total, plain.steps), (engine.total, engine.steps), "{text}");
    assert_eq!((&plain.matrix, plain.other_sizes), (&engine.matrix, engine.other_sizes), "{text}");
    assert_eq!(plain.critical_path, engine.critical_path, "{text}");
    assert_eq!((faults(plain), plain.diagnostics.len()), (String::new(), engine.diagnostics.len()), "{text}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]
    #[test]
    fn plain_jobs_end_as_the_engine_and_the_reference((size, exchanges) in program(), network in 0usize..3, times in 1u64..4) {
        let text = text(size, &exchanges, times);
        let (activity, network) = (activity(&text), &networks()[network]);
        let (plain, engine) = both(&activity, network);
        if let Some(plain) = plain {
            assert_same(&plain, &engine, &text);
            let nodes: Vec<u32> = (0..size).collect();
            let expected = reference::ends(&activity, network, &nodes);
            prop_assert!(plain.tasks.iter().map(|task| task.end.0).eq(expected), "{}", text);
        }
    }

    #[test]
    fn plain_jobs_keep_clocks((size, exchanges) in program(), times in 1u64..4) {
        let text = with_clocks(&text(size, &exchanges, times), "; elapsed 2 3");
        let (plain, engine) = both(&activity(&text), &round_network());
        if let Some(plain) = plain {
            assert_same(&plain, &engine, &text);
        }
    }
}

/// Collective operations that tasks join at any times, with messages to neighbours between some of them.
fn late_members() -> impl Strategy<Value = String> {
    const KINDS: [&str; 6] =
        ["barrier - 0", "allreduce - 60", "allreduce - 3000", "agree - 200", "allgather - 90", "scan - 8"];
    let one = (prop::sample::select(KINDS.as_slice()), any::<bool>(), prop::collection::vec(0u64..9000, 20));
    (2u32..20, prop::collection::vec(one, 1..8)).prop_map(|(size, operations)| {
        let step = |rank: u32, (kind, talks, late): &(&str, bool, Vec<u64>)| {
            let (next, last) = ((rank + 1) % size, (rank + size - 1) % size);
            let talk = if *talks { format!("send {next} 80; recv {last} 80; ") } else { String::new() };
            format!("calc {}; {kind}; {talk}", late[rank as usize])
        };
        let line = |rank| {
            let steps: String = operations.iter().map(|operation| step(rank, operation)).collect();
            format!("{rank}: {}\n", steps.trim_end_matches("; "))
        };
        (0..size).map(line).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn operations_with_late_members_end_as_the_engine(text in late_members(), network in 0usize..3) {
        let (activity, network) = (activity(&text), &networks()[network]);
        let (plain, engine) = both(&activity, network);
        if let Some(plain) = plain {
            assert_same(&plain, &engine, &text);
        }
    }
}

/// The messages of a member grow to where they ask for their receives; a request is there before the last message that asked
/// for none, to another member.
#[test]
fn growing_messages_to_different_members_are_plain() {
    let line = |rank: u32| format!("{rank}: calc {}; agree - 300; barrier - 0; calc 40000; agree - 300\n", 977 * rank);
    let text: String = (0..32).map(line).collect();
    // On the last network a small message overtakes a large one of the operation before.
    for network in networks().into_iter().take(2) {
        let (plain, engine) = both(&activity(&text), &network);
        assert_same(&plain.expect("nothing in it is not plain"), &engine, &text);
    }
}

/// Neighbours exchange messages, and all agree now and then.
#[test]
fn a_halo_exchange_is_plain() {
    let line = |rank: u32| {
        let (up, down) = ((rank + 63) % 64, (rank + 1) % 64);
        let work = 100 + 37 * (rank % 5);
        format!(
            "{rank}: clock 1; loop 3 [ loop 4 [ irecv {up} 800 tag=1 req=0; irecv {down} 800 tag=2 req=1; \
             isend {down} 800 tag=1 req=2; isend {up} 700 tag=2 req=3; wait 0 1 2 3; calc {work} ]; allreduce - 1500 ]; \
             bcast 5 2000; barrier - 0; agree - 8; clock 2; elapsed 1 2\n"
        )
    };
    let text: String = (0..64).map(line).collect();
    for network in networks() {
        let (plain, engine) = both(&activity(&text), &network);
        assert_same(&plain.expect("nothing in it is not plain"), &engine, &text);
    }
}

/// Large messages to and fro, some of which ask for a receive that is not there yet.
#[test]
fn sends_that_wait_for_their_receives_are_plain() {
    let text = "0: loop 4 [ send 1 5000 tag=1; recv 1 5000 tag=2; calc 7 ]; ssend 2 8 tag=3; barrier - 0\n\
                1: loop 4 [ recv 0 5000 tag=1; calc 900; send 0 5000 tag=2 ]; send 2 900 tag=4; barrier - 0\n\
                2: irecv 1 900 tag=4 req=1; calc 40000; recv 0 8 tag=3; wait 1; barrier - 0\n";
    for network in networks() {
        let (plain, engine) = both(&activity(text), &network);
        assert_same(&plain.expect("nothing in it is not plain"), &engine, text);
    }
}

#[test]
fn many_messages_that_come_early_are_found_again() {
    let senders: String =
        (1..120).map(|rank| format!("{rank}: calc {}; send 0 8 tag=1; send 0 9 tag=1\n", 7 * (rank % 11))).collect();
    let receives = |rank: u32| format!("recv {rank} 8 tag=1; recv {rank} 9 tag=1; ");
    let master: String = (1..120).rev().map(receives).collect();
    let text = format!("0: calc 1000; {}\n{senders}", master.trim_end_matches("; "));
    let (plain, engine) = both(&activity(&text), &round_network());
    assert_same(&plain.expect("it names its senders"), &engine, &text);
}

/// What the engine has to replay, or to tell something of.
#[test]
fn what_is_not_plain_is_refused() {
    let refused = [
        "0: recv * 8\n1: send 0 8",
        "0: isend 1 2000 req=0; calc 5; wait 0\n1: recv 0 2000",
        "0: ssend 1 8\n1: ssend 0 8",
        "0: send 1 8\n1: calc 1",
        "0: recv 1 8\n1: recv 0 8",
        "0: send 1 80\n1: recv 0 8",
        "0: barrier - 0\n1: bcast 0 8",
        "0: irecv 1 8 req=0; test 0; wait 0\n1: send 0 8",
        "0: stuck\n1: calc 1",
    ];
    for text in refused {
        assert!(both(&activity(text), &round_network()).0.is_none(), "{text}");
    }
    let mut no_latency = round_network();
    no_latency.between_nodes.latency_ns = Curve::constant(0.0);
    assert!(both(&activity("0: send 1 8\n1: recv 0 8"), &no_latency).0.is_none());
    let (activity, network, mut pricing) = (activity("0: send 1 8\n1: recv 0 8"), round_network(), given_time);
    let together = Placement::together(2);
    let mut options = ReplayOptions { placement: together, ..options(&network, &mut pricing) };
    assert!(plain::replayed(&activity, &mut options).is_none());
}
