//! From a schedule to GOAL text.

use chronos_activity::TaskId;
use chronos_activity::schedule::{ANY, Action, Schedule, ScheduledOperation};
use std::fmt::Write as _;

/// The whole file; operations are labelled `l1`, `l2`, ... in each rank.
pub fn render(schedule: &Schedule) -> String {
    let mut text = format!("num_ranks {}\n", schedule.len());
    for task in 0..schedule.len() as u32 {
        let _ = writeln!(text, "\nrank {task} {{");
        rank(schedule, TaskId(task), &mut text);
        text.push_str("}\n");
    }
    text
}

fn rank(schedule: &Schedule, task: TaskId, text: &mut String) {
    let described = schedule.task(task);
    for index in 0..described.len() as u32 {
        let ScheduledOperation { action, cpu, linked } = schedule.operation(task, index);
        let _ = write!(text, "l{}: {}", index + 1, name(action));
        if cpu > 0 {
            let _ = write!(text, " cpu {cpu}");
        }
        text.push('\n');
        if linked && index > 0 {
            let _ = writeln!(text, "l{} requires l{index}", index + 1);
        }
    }
    for edge in described.edges() {
        let verb = if edge.begin { "irequires" } else { "requires" };
        let _ = writeln!(text, "l{} {verb} l{}", edge.after + 1, edge.before + 1);
    }
}

fn name(action: Action) -> String {
    let any = |value: u32| if value == ANY { "-1".to_owned() } else { value.to_string() };
    match action {
        Action::Compute { ns } => format!("calc {ns}"),
        Action::Send { to, tag, bytes } => format!("send {bytes}b to {to} tag {tag}"),
        Action::Recv { from, tag, bytes } => format!("recv {bytes}b from {} tag {}", any(from), any(tag)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goal::parse;

    #[test]
    fn what_is_written_is_read_again() {
        let text = "num_ranks 2\n\nrank 0 {\nl1: calc 7 cpu 2\nl2: send 8b to 1 tag 3\nl2 requires l1\nl3: calc 1\nl3 irequires l1\n}\n\n\
                    rank 1 {\nl1: recv 8b from -1 tag -1\n}\n";
        let schedule = parse("a.goal", text).unwrap();
        assert_eq!(render(&schedule), text);
    }
}
