//! Diagnostics, told once for all tasks.

use chronos_activity::TaskId;
use chronos_base::diag::Diagnostic;
use chronos_base::hash::FxHashMap;
use chronos_base::span::Span;
use std::collections::BTreeSet;

type Key = (&'static str, Option<Span>, String);

#[derive(Debug, Default)]
pub struct Reports {
    known: FxHashMap<Key, usize>,
    list: Vec<(Diagnostic, BTreeSet<TaskId>)>,
}

impl Reports {
    pub fn add(&mut self, task: TaskId, diagnostic: Diagnostic) {
        self.add_of([task], diagnostic);
    }

    /// As `add`, of several tasks.
    pub(crate) fn add_of(&mut self, tasks: impl IntoIterator<Item = TaskId>, diagnostic: Diagnostic) {
        let place = diagnostic.labels.first().map(|label| label.span);
        let text = if place.is_none() { diagnostic.message.clone() } else { String::new() };
        let key = (diagnostic.code.id, place, text);
        let index = *self.known.entry(key).or_insert(self.list.len());
        if index == self.list.len() {
            self.list.push((diagnostic, BTreeSet::new()));
        }
        self.list[index].1.extend(tasks);
    }

    /// Each in the order of the first task that it was told of.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.list.iter().map(|(diagnostic, _)| diagnostic)
    }

    /// All of them; those that not every task has name their tasks.
    pub fn all(&self, tasks: usize) -> Vec<Diagnostic> {
        self.list.iter().map(|(diagnostic, of)| with_tasks(diagnostic.clone(), of, tasks)).collect()
    }
}

fn with_tasks(mut diagnostic: Diagnostic, of: &BTreeSet<TaskId>, tasks: usize) -> Diagnostic {
    if of.len() < tasks {
        let shown: Vec<_> = of.iter().take(8).map(|task| task.0.to_string()).collect();
        let more = if of.len() > 8 { ", ..." } else { "" };
        let word = if of.len() == 1 { "task" } else { "tasks" };
        diagnostic.message = format!("{} ({word} {}{more})", diagnostic.message, shown.join(", "));
    }
    diagnostic
}
