//! Timelines as Paraver traces: records (.prv), names of states (.pcf) and of rows (.row). Times are nanoseconds.
//!
//! States are those that Paraver's own configurations know. The header wants a date; it is always the same one, so
//! that equal predictions give equal files.

use super::Timeline;
use chronos_base::units::Picoseconds;
use chronos_replay::Part;
use std::fmt::Write as _;

/// The three files of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// Records of states and communication.
    pub prv: String,
    /// Names of states.
    pub pcf: String,
    /// Names of rows.
    pub row: String,
}

/// The whole trace.
pub fn render(timeline: &Timeline<'_>) -> Trace {
    Trace { prv: records(timeline), pcf: states(), row: rows(timeline) }
}

fn records(timeline: &Timeline<'_>) -> String {
    let mut all = Vec::new();
    for (task, spans) in timeline.result.timeline.iter().enumerate() {
        let number = task + 1;
        for span in spans {
            let (begin, end) = (nano(span.begin), nano(span.end));
            all.push((begin, format!("1:{number}:1:{number}:1:{begin}:{end}:{}\n", state(span.part).0)));
        }
    }
    for message in &timeline.result.messages {
        let (from, to) = (message.from.0 + 1, message.to.0 + 1);
        let (sent, received) = (nano(message.sent), nano(message.received));
        let ends = format!("3:{from}:1:{from}:1:{sent}:{sent}:{to}:1:{to}:1:{received}:{received}");
        all.push((sent, format!("{ends}:{}:{}\n", message.bytes.0, message.tag)));
    }
    // Stable: states of a time stay before its messages.
    all.sort_by_key(|(time, _)| *time);
    header(timeline) + &all.into_iter().map(|(_, record)| record).collect::<String>()
}

/// Time, nodes with their processors, and the one application with a thread for each task.
fn header(timeline: &Timeline<'_>) -> String {
    let tasks = timeline.result.tasks.len();
    let nodes: Vec<u32> = (0..tasks).map(|task| timeline.node(task)).collect();
    let count = nodes.iter().max().map_or(0, |&node| node as usize + 1);
    let processors = |node: u32| nodes.iter().filter(|&&other| other == node).count().to_string();
    let processors: Vec<String> =
        if count == tasks { vec!["1".to_owned(); count] } else { (0..count as u32).map(processors).collect() };
    let threads: Vec<String> = nodes.iter().map(|node| format!("1:{}", node + 1)).collect();
    format!(
        "#Paraver (01/01/2000 at 00:00):{}_ns:{count}({}):1:{tasks}({})\n",
        nano(timeline.result.total),
        processors.join(","),
        threads.join(",")
    )
}

fn nano(time: Picoseconds) -> u64 {
    (time.0 + 500) / 1000
}

/// Number, name and colour.
fn state(part: Part) -> (u32, &'static str, &'static str) {
    match part {
        Part::Idle => (0, "Idle", "{117,195,255}"),
        Part::Compute => (1, "Running", "{0,0,255}"),
        // Paraver's own state for tasks that the system has not given a processor.
        Part::Ready => (7, "Scheduling and Fork/Join", "{255,255,0}"),
        Part::Recv => (3, "Waiting a message", "{255,0,0}"),
        Part::Send => (4, "Blocking Send", "{255,0,174}"),
        Part::Collective => (13, "Group Communication", "{255,144,26}"),
    }
}

fn states() -> String {
    let parts = [Part::Idle, Part::Compute, Part::Recv, Part::Send, Part::Ready, Part::Collective].map(state);
    let mut text = String::from("DEFAULT_OPTIONS\n\nLEVEL TASK\nUNITS NANOSEC\n\nSTATES\n");
    parts.iter().for_each(|(number, name, _)| {
        let _ = writeln!(text, "{number} {name}");
    });
    text.push_str("\nSTATES_COLOR\n");
    parts.iter().for_each(|(number, _, colour)| {
        let _ = writeln!(text, "{number} {colour}");
    });
    text
}

fn rows(timeline: &Timeline<'_>) -> String {
    let tasks = timeline.result.tasks.len();
    let names: String = (0..tasks).map(|task| format!("task {task}\n")).collect();
    let nodes = (0..tasks).map(|task| timeline.node(task)).max().map_or(0, |node| node + 1);
    let node_names: String = (0..nodes).map(|node| format!("node {node}\n")).collect();
    format!("LEVEL NODE SIZE {nodes}\n{node_names}\nLEVEL THREAD SIZE {tasks}\n{names}")
}
