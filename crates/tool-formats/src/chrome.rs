//! Timelines as trace events in JSON, for Perfetto and `chrome://tracing`.
//!
//! A node is a process, a task a thread; calls are slices, messages arrows. Times are microseconds.

use super::Timeline;
use chronos_base::units::Picoseconds;
use chronos_replay::{MessageTime, Part, TimeSpan};
use std::fmt::Write as _;

/// The whole trace.
pub fn render(timeline: &Timeline<'_>) -> String {
    let mut text = String::from("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
    let mut separator = "";
    let mut line = |event: String| {
        text.push_str(separator);
        text.push_str(&event);
        separator = ",\n";
    };
    for task in 0..timeline.result.tasks.len() {
        let node = timeline.node(task);
        line(named("process_name", node, task, &format!("node {node}")));
        line(named("thread_name", node, task, &format!("task {task}")));
        line(format!(
            "{{\"name\":\"thread_sort_index\",\"ph\":\"M\",\"pid\":{node},\"tid\":{task},\"args\":{{\"sort_index\":{task}}}}}"
        ));
    }
    for (task, spans) in timeline.result.timeline.iter().enumerate() {
        spans.iter().for_each(|span| line(slice(timeline, task, span)));
    }
    for (number, message) in timeline.result.messages.iter().enumerate() {
        line(arrow(timeline, number, message, true));
        line(arrow(timeline, number, message, false));
    }
    text.push_str("\n]}\n");
    text
}

fn named(kind: &str, node: u32, task: usize, name: &str) -> String {
    format!("{{\"name\":\"{kind}\",\"ph\":\"M\",\"pid\":{node},\"tid\":{task},\"args\":{{\"name\":\"{name}\"}}}}")
}

fn slice(timeline: &Timeline<'_>, task: usize, span: &TimeSpan) -> String {
    let part = super::part_name(span.part);
    let name = span.site.map_or_else(|| part.to_owned(), |site| (timeline.name)(site));
    let mut text = format!("{{\"name\":{},\"cat\":\"{part}\",\"ph\":\"X\"", quoted(&name));
    let (begin, length) = (micro(span.begin), micro(span.end - span.begin));
    let _ = write!(text, ",\"pid\":{},\"tid\":{task},\"ts\":{begin},\"dur\":{length}", timeline.node(task));
    if let Some(colour) = colour(span.part) {
        let _ = write!(text, ",\"cname\":\"{colour}\"");
    }
    text + "}"
}

/// Of the colours that viewers have names for.
fn colour(part: Part) -> Option<&'static str> {
    match part {
        Part::Compute => Some("good"),
        Part::Idle => Some("bad"),
        Part::Ready => Some("terrible"),
        Part::Send | Part::Recv => None,
        Part::Collective => Some("olive"),
    }
}

/// One end of the arrow of a message.
fn arrow(timeline: &Timeline<'_>, number: usize, message: &MessageTime, begin: bool) -> String {
    let (task, at) = if begin { (message.from, message.sent) } else { (message.to, message.received) };
    let phase = if begin { "\"ph\":\"s\"" } else { "\"ph\":\"f\",\"bp\":\"e\"" };
    let task = task.0 as usize;
    format!(
        "{{\"name\":\"message\",\"cat\":\"message\",{phase},\"id\":{number},\"pid\":{},\"tid\":{task},\"ts\":{},\
         \"args\":{{\"bytes\":{},\"tag\":{}}}}}",
        timeline.node(task),
        micro(at),
        message.bytes.0,
        message.tag
    )
}

/// Exact: integer picoseconds have six decimals of a microsecond.
fn micro(time: Picoseconds) -> String {
    format!("{}.{:06}", time.0 / 1_000_000, time.0 % 1_000_000)
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
