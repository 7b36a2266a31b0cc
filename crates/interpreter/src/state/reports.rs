//! Diagnostics, told once for all tasks.

use chronos_activity::TaskId;
use chronos_base::diag::Diagnostic;
use chronos_base::hash::FxHashMap;
use chronos_base::span::Span;

type Key = (&'static str, Option<Span>, String);

#[derive(Debug, Default)]
pub struct Reports {
    known: FxHashMap<Key, usize>,
    list: Vec<(Diagnostic, Vec<TaskId>)>,
}

impl Reports {
    pub fn add(&mut self, task: TaskId, diagnostic: Diagnostic) {
        let place = diagnostic.labels.first().map(|label| label.span);
        let text = if place.is_none() { diagnostic.message.clone() } else { String::new() };
        let key = (diagnostic.code.id, place, text);
        let index = *self.known.entry(key).or_insert(self.list.len());
        if index == self.list.len() {
            self.list.push((diagnostic, Vec::new()));
        }
        let tasks = &mut self.list[index].1;
        if !tasks.contains(&task) {
            tasks.push(task);
        }
    }

    /// All of them; those that not every task has name their tasks.
    pub fn all(&self, tasks: usize) -> Vec<Diagnostic> {
        self.list.iter().map(|(diagnostic, of)| with_tasks(diagnostic.clone(), of, tasks)).collect()
    }
}

fn with_tasks(mut diagnostic: Diagnostic, of: &[TaskId], tasks: usize) -> Diagnostic {
    if of.len() < tasks {
        let mut ranks: Vec<u32> = of.iter().map(|task| task.0).collect();
        ranks.sort_unstable();
        let shown: Vec<_> = ranks.iter().take(8).map(ToString::to_string).collect();
        let more = if ranks.len() > 8 { ", ..." } else { "" };
        let word = if ranks.len() == 1 { "task" } else { "tasks" };
        diagnostic.message = format!("{} ({word} {}{more})", diagnostic.message, shown.join(", "));
    }
    diagnostic
}
