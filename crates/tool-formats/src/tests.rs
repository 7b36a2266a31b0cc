use super::*;
use chronos_base::units::Picoseconds;
use chronos_machine::network::Network;
use chronos_replay::{Placement, ReplayOptions, replay};

const PAIR: &str =
    "num_ranks 2 rank 0 { a: calc 500 b: send 8b to 1 tag 3 b requires a } rank 1 { recv 8b from 0 tag 3 }";

fn played() -> ReplayResult {
    let schedule = goal::parse("a.goal", PAIR).unwrap();
    let network = Network::load("loggops:L=1000,o=100,g=10,G=0").unwrap();
    let mut pricing = |_, work, _: &chronos_activity::Segments| match work {
        chronos_activity::Work::Time(time) => time,
        chronos_activity::Work::Segment(_) => Picoseconds::ZERO,
    };
    let mut options = ReplayOptions::new(&network, &mut pricing, &|_| None);
    (options.timeline, options.messages, options.placement) = (10_000, 100, Placement::spread());
    replay(&mut goal::ScheduleFeed::new(&schedule), options)
}

fn timeline(result: &ReplayResult) -> Timeline<'_> {
    Timeline { result, nodes: &[], name: &|_| "call".to_owned() }
}

#[test]
fn a_chrome_trace_is_json_of_slices_and_arrows() {
    let result = played();
    let text = chrome::render(&timeline(&result));
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    let events = value["traceEvents"].as_array().unwrap();
    let of = |phase: &str| events.iter().filter(|event| event["ph"] == phase).count();
    assert_eq!((of("M"), of("X"), of("s"), of("f")), (6, 4, 1, 1));
    let last = text.lines().rev().nth(1).unwrap();
    insta::assert_snapshot!(last, @r#"{"name":"message","cat":"message","ph":"f","bp":"e","id":0,"pid":1,"tid":1,"ts":1.700000,"args":{"bytes":8,"tag":3}}"#);
}

#[test]
fn a_paraver_trace_has_states_and_communications() {
    let result = played();
    let trace = paraver::render(&timeline(&result));
    insta::assert_snapshot!(trace.prv, @r"
    #Paraver (01/01/2000 at 00:00):1700_ns:2(1,1):1:2(1:1,1:2)
    1:1:1:1:1:0:500:1
    1:2:1:2:1:0:500:0
    1:1:1:1:1:500:600:4
    1:2:1:2:1:500:1700:3
    3:1:1:1:1:600:600:2:1:2:1:1700:1700:8:3
    ");
    assert!(trace.pcf.contains("13 Group Communication") && trace.row.starts_with("LEVEL NODE SIZE 2\n"));
}
