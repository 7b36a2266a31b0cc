//! Schedules and faults do not depend on pieces and parts.

use super::blocks::Blocks;
use super::read::read_pieces;
use super::{parse, render};
use chronos_activity::TaskId;
use chronos_activity::schedule::{ANY, Action, Edge, Schedule, ScheduledOperation};
use proptest::prelude::*;

const RANKS: u32 = 12;

fn action() -> impl Strategy<Value = Action> {
    let size = || prop_oneof![0u64..2000, Just(1 << 40)];
    let tag = || 0u32..9;
    prop_oneof![
        size().prop_map(|ns| Action::Compute { ns }),
        (0..RANKS, tag(), size()).prop_map(|(to, tag, bytes)| Action::Send { to, tag, bytes }),
        (0..RANKS, tag(), size()).prop_map(|(from, tag, bytes)| Action::Recv { from, tag, bytes }),
        size().prop_map(|bytes| Action::Recv { from: ANY, tag: ANY, bytes }),
    ]
}

fn edge(operations: u32) -> impl Strategy<Value = Edge> {
    let edge = (0..operations, 0..operations, any::<bool>());
    edge.prop_map(|(after, before, begin)| Edge { after, before, begin })
}

/// Operations of a task and the dependences among them.
fn task() -> impl Strategy<Value = (Vec<(Action, u16)>, Vec<Edge>)> {
    let cpu = prop_oneof![4 => Just(0u16), 1 => 0u16..12];
    prop::collection::vec((action(), cpu), 0..6).prop_flat_map(|operations| {
        let edges = operations.len().min(1) * 6;
        let edge = edge(operations.len().max(1) as u32);
        (Just(operations), prop::collection::vec(edge, 0..=edges))
    })
}

fn schedule() -> impl Strategy<Value = Schedule> {
    prop::collection::vec(task(), RANKS as usize).prop_map(|tasks| {
        let mut schedule = Schedule::new(tasks.len());
        for (id, (operations, edges)) in (0..).map(TaskId).zip(tasks) {
            let packed = operations.into_iter().map(|(action, cpu)| ScheduledOperation { action, cpu, linked: false });
            packed.for_each(|operation| _ = schedule.push(id, operation));
            edges.into_iter().for_each(|edge| schedule.depend(id, edge));
            schedule.seal(id);
        }
        schedule
    })
}

/// Ends of lines; comments in which a block seems to begin or to end.
const LINES: [&str; 8] = [
    "\n",
    "\n\n",
    " // }\n",
    "\t/* one */\r\n",
    "/*\nrank 3 {\n*/\n",
    "/* }\nrank 1 { calc 7 }\nrank 2 {} */\n",
    " /* // \nrank 0 {}\n*/ ",
    "\n// /*\n",
];

fn text() -> impl Strategy<Value = (Schedule, String)> {
    let label = prop::sample::select(vec!["l", "op", "operation_"]);
    let plain = prop_oneof![9 => 0..2usize, 1 => 0..LINES.len()];
    (schedule(), label, prop::collection::vec(plain, 30)).prop_map(|(schedule, label, ends)| {
        let text = render(&schedule).replace("\nl", &format!("\n{label}")).replace("s l", &format!("s {label}"));
        let lines = text.lines().zip(ends.iter().cycle()).map(|(line, &end)| format!("{line}{}", LINES[end]));
        (schedule, lines.collect())
    })
}

fn in_parts(text: &str, piece: usize, part: usize) -> Result<Schedule, String> {
    let read = read_pieces("a.goal", text.as_bytes(), piece, Blocks::of_parts(part));
    read.unwrap().map_err(|fault| fault.message)
}

fn in_one_go(text: &str) -> Result<Schedule, String> {
    parse("a.goal", text).map_err(|fault| fault.message)
}

proptest! {
    #[test]
    fn a_text_is_read_the_same_in_any_parts((schedule, text) in text(), piece in 1usize..2000, part in 1usize..400) {
        prop_assert_eq!(in_one_go(&text), Ok(schedule.clone()));
        prop_assert_eq!(in_parts(&text, piece, part), Ok(schedule));
    }

    #[test]
    fn a_fault_is_the_same_in_any_parts(
        (_, text) in text(),
        at in any::<prop::sample::Index>(),
        byte in prop::sample::select(&b"l0129 {}/*\n:r-bx"[..]),
        piece in 1usize..2000,
        part in 1usize..400,
    ) {
        let mut bytes = text.into_bytes();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        let text = String::from_utf8(bytes).unwrap();
        prop_assert_eq!(in_parts(&text, piece, part), in_one_go(&text));
    }
}

#[test]
fn a_rank_that_two_parts_describe_is_a_fault_of_the_second() {
    let blocks = |ranks: &[u32]| ranks.iter().map(|rank| format!("\nrank {rank} {{ calc 1 }}")).collect::<String>();
    let text = format!("num_ranks 8{}\nrank 2 {{ calc x }}", blocks(&[0, 1, 2, 3, 4, 1, 5, 6, 0, 7]));
    let expected = "a.goal:7:6: expected a rank that was not described before, found `1 { calc 1 }`";
    for part in 1..text.len() {
        assert_eq!(in_parts(&text, 1 << 10, part).unwrap_err(), expected);
    }
}
