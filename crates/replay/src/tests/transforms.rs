//! What an activity is changed to is what is replayed.

use super::*;
use chronos_activity::transform::{self, Identity, Transform};
use chronos_activity::{Event, Operation};
use std::borrow::Cow;

/// Says of every part that it is another one, and gives the same: all of the activity is made anew.
struct Rebuilt;

impl Transform for Rebuilt {
    fn duration(&mut self, _: TaskId, time: Picoseconds) -> Option<Picoseconds> {
        Some(time)
    }

    fn event(&mut self, _: TaskId, event: &Event) -> Option<Event> {
        Some(event.clone())
    }
}

/// Messages and receives of twice as many bytes.
struct LargerMessages;

impl Transform for LargerMessages {
    fn event(&mut self, _: TaskId, event: &Event) -> Option<Event> {
        let mut event = event.clone();
        let (Operation::Send { bytes, .. } | Operation::Recv { bytes, .. }) = &mut event.operation else { return None };
        *bytes = *bytes + *bytes;
        Some(event)
    }
}

fn texts() -> Vec<Activity> {
    let exchange = "calc 5; irecv * 8 req=1; isend 1 8 req=2; wait 1 2";
    let nested = format!("0: loop 3 [ {exchange}; loop 4 [ calc 7; send 1 2000 ] ]\n");
    let other = "1: loop 3 [ isend 0 8 req=2; recv 0 8; wait 2; loop 4 [ recv 0 2000 ] ]";
    vec![activity(&(nested + other)), activity("0: bcast 0 64; calc 3\n1: calc 9; bcast 0 64\n2: bcast 0 64")]
}

fn traces() -> Vec<Activity> {
    let folder = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("testdata/ti");
    let text = std::fs::read_to_string(folder.join("pair.txt")).unwrap();
    vec![chronos_tool_formats::ti::parse([("pair.txt", text.as_str())], 1e9).unwrap()]
}

#[test]
fn an_activity_that_is_made_anew_is_replayed_alike() {
    for before in texts().into_iter().chain(traces()) {
        assert!(matches!(transform::apply(&before, &mut Identity), Cow::Borrowed(_)));
        let rebuilt = transform::apply(&before, &mut Rebuilt);
        assert!(matches!(rebuilt, Cow::Owned(_)));
        assert_eq!(rebuilt.tasks, before.tasks);
        let [one, other] = [&before, &rebuilt].map(|some| play(some, &round_network(), Placement::spread()));
        assert_eq!((one.total, &one.tasks, &one.matrix), (other.total, &other.tasks, &other.matrix));
        assert_eq!((one.messages, one.critical_path), (other.messages, other.critical_path));
    }
}

#[test]
fn larger_messages_take_the_time_that_they_take_in_a_program_that_sends_them() {
    let pair = |bytes: u64| activity(&format!("0: loop 3 [ send 1 {bytes} ]\n1: loop 3 [ recv 0 {bytes} ]"));
    let changed = pair(400);
    let changed = transform::apply(&changed, &mut LargerMessages);
    let [found, expected] =
        [&*changed, &pair(800)].map(|some| table(&play(some, &round_network(), Placement::spread())));
    assert_eq!(found, expected);
}
