use super::*;
use proptest::prelude::*;

/// Steps in which everybody exchanges with both neighbours in a ring, `times` times.
fn ring(size: u32, bytes: &[u64], times: u32, folded: bool) -> String {
    let line = |rank: u32| {
        let (left, right) = ((rank + size - 1) % size, (rank + 1) % size);
        let step =
            |&n: &u64| format!("calc {}; isend {right} {n} req=0; recv {left} {n}; wait 0", (rank * 37 + 11) % 101);
        let body = bytes.iter().map(step).collect::<Vec<_>>().join("; ");
        if folded {
            format!("{rank}: loop {times} [ {body} ]; barrier\n")
        } else {
            format!("{rank}: {}; barrier\n", vec![body; times as usize].join("; "))
        }
    };
    (0..size).map(line).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn folded_and_unfolded_take_the_same_time(size in 2u32..9, bytes in prop::collection::vec(0u64..3000, 1..4), times in 1u32..6) {
        let folded = run(&ring(size, &bytes, times, true));
        let unfolded = run(&ring(size, &bytes, times, false));
        prop_assert!(folded.complete);
        prop_assert_eq!(&folded.tasks, &unfolded.tasks);
        prop_assert_eq!(&folded.matrix, &unfolded.matrix);
    }

    #[test]
    fn renaming_tasks_renames_the_result(order in Just((0u32..6).collect::<Vec<_>>()).prop_shuffle()) {
        let line = |rank: usize| {
            let (left, right) = (order[(rank + 5) % 6], order[(rank + 1) % 6]);
            format!("calc {}; isend {right} 700 req=0; recv {left} 700; wait 0; barrier", (rank * 37 + 11) % 101)
        };
        let mut lines = vec![String::new(); 6];
        (0..6).for_each(|rank| lines[order[rank] as usize] = line(rank));
        let text: String = lines.iter().enumerate().map(|(rank, line)| format!("{rank}: {line}\n")).collect();
        let network = Network {
            measured_collectives: vec![crate::machine::network::MeasuredCollective {
                collective: crate::machine::network::CollectiveName::Barrier,
                tasks: 6,
                time_ns: Curve::constant(50.0),
            }],
            ..round_network()
        };
        let renamed = play(&activity(&text), &network, Placement::spread());
        let identity: String = (0..6)
            .map(|rank| {
                let (left, right) = ((rank + 5) % 6, (rank + 1) % 6);
                format!("{rank}: calc {}; isend {right} 700 req=0; recv {left} 700; wait 0; barrier\n", (rank * 37 + 11) % 101)
            })
            .collect();
        let plain = play(&activity(&identity), &network, Placement::spread());
        for (rank, &renamed_rank) in order.iter().enumerate() {
            prop_assert_eq!(&renamed.tasks[renamed_rank as usize], &plain.tasks[rank]);
        }
    }
}

#[test]
fn the_same_input_gives_the_same_result() {
    let text = "0: recv * 8; recv * 8; recv * 8\n1: send 0 8\n2: send 0 8\n3: send 0 8";
    assert_eq!(run(text).messages, run(text).messages);
}

#[test]
fn a_recorded_activity_replays_to_the_same_times() {
    let activity = activity(&ring(4, &[10, 2000], 3, true));
    let network = round_network();
    let mut pricing = given_time;
    let options = ReplayOptions { record: true, ..ReplayOptions::new(&network, &mut pricing, &|_| None) };
    let first = replay(&mut ActivityFeed::new(&activity), options);
    let again = play(first.activity.as_ref().unwrap(), &network, Placement::spread());
    assert_eq!(first.tasks, again.tasks);
}

#[test]
fn a_linear_exchange_of_many_tasks_matches_in_constant_time() {
    // 65,280 messages, all receives posted before all sends.
    const SIZE: u32 = 256;
    let others = |rank: u32| (1..SIZE).map(move |distance| (rank + distance) % SIZE);
    let line = |rank: u32| {
        let receives: String = others(rank).map(|other| format!("irecv {other} 8 req={other}; ")).collect();
        let sends: String = others(rank).map(|other| format!("send {other} 8; ")).collect();
        let requests: String = others(rank).map(|other| format!(" {other}")).collect();
        format!("{rank}: {receives}{sends}wait{requests}\n")
    };
    let result = run(&(0..SIZE).map(line).collect::<String>());
    assert!(result.complete);
    assert_eq!(result.matrix.len() as u32, SIZE * (SIZE - 1));
}
