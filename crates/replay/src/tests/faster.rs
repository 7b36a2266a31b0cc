//! Messages that are faster than the network says.

use super::*;
use chronos_machine::network::{CollectiveName, MeasuredCollective};
use proptest::prelude::*;

/// Neighbours at several distances exchange messages of several sizes after computing for times of their own.
fn exchanges(size: u32, phases: &[(u32, u32, Vec<u32>)]) -> Activity {
    let phase = |rank: u32, (number, (distance, bytes, times)): (usize, &(u32, u32, Vec<u32>))| {
        let (to, from) = ((rank + distance) % size, (rank + size - distance % size) % size);
        let work = times[rank as usize % times.len()];
        format!("calc {work}; irecv {from} {bytes} tag={number} req=0; send {to} {bytes} tag={number}; wait 0")
    };
    let line = |rank: u32| {
        let phases = phases.iter().enumerate().filter(|(_, phase)| phase.0 % size != 0);
        let steps: Vec<String> = phases.map(|numbered| phase(rank, numbered)).chain(["calc 1".to_owned()]).collect();
        format!("{rank}: {}\n", steps.join("; "))
    };
    activity(&(0..size).map(line).collect::<String>())
}

fn replayed(activity: &Activity, network: &Network, faster: FasterMessages) -> ReplayResult {
    let mut pricing = given_time;
    let options = ReplayOptions {
        critical_path: true,
        faster: Some(faster),
        ..ReplayOptions::new(network, &mut pricing, &|_| None)
    };
    replay(&mut ActivityFeed::new(activity), options)
}

/// Measured times of an operation that nobody calls: then all events are dealt with in the order of time.
fn in_order(network: &Network) -> Network {
    let measured = MeasuredCollective {
        collective: CollectiveName::Scan,
        tasks: 4,
        within_node: false,
        time_ns: Curve::constant(1000.0),
    };
    Network { measured_collectives: vec![measured], ..network.clone() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn windows_change_nothing_where_messages_are_faster(
        size in 3u32..9,
        phases in prop::collection::vec((1u32..5, 0u32..2500, prop::collection::vec(0u32..400, 1..9)), 1..9),
        pair in (0u32..3, 0u32..3),
        left in prop::sample::select(vec![0.0, 0.03, 0.1, 0.5, 0.8, 0.99]),
    ) {
        let (network, activity) = (round_network(), exchanges(size, &phases));
        let which = WhichMessages::Between(TaskId(pair.0), TaskId(pair.1));
        let faster = FasterMessages { which, left };
        let (windows, ordered) = (replayed(&activity, &network, faster), replayed(&activity, &in_order(&network), faster));
        prop_assert!(windows.complete);
        prop_assert_eq!(windows.tasks, ordered.tasks);
        prop_assert_eq!(windows.critical_path, ordered.critical_path);
    }
}
