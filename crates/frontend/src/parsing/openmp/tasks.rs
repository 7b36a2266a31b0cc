//! Tasks, and loops whose iterations are tasks: both are executed where they are made.

use super::canonical::{Canonical, relation_number};
use super::clauses::Directive;
use super::copies::{Copies, copies};
use super::loops::head_at;
use super::rewriter::{Frame, Rewriter};
use super::written::written;
use std::fmt::Write;

pub(super) fn task(rewriter: &mut Rewriter<'_>, directive: &Directive, begin: usize, end: usize) -> Frame {
    let number = rewriter.number();
    let copies = copies(rewriter, directive, begin, number, &[]);
    let marks = format!("{}__chronos_omp_task(); ", shared(directive));
    let own = own_copies(rewriter.text, begin, end, &listed(directive));
    framed(&copies, &marks, &own)
}

/// `taskloop`; `None` where the loop is not canonical.
pub(super) fn taskloop(rewriter: &mut Rewriter<'_>, directive: &Directive, begin: usize, end: usize) -> Option<Frame> {
    let head = head_at(rewriter.text, begin)?.canonical;
    let number = rewriter.number();
    let counter = head.counter.clone();
    let mut named = listed(directive);
    let mut counters = counters(rewriter.text, begin, directive.depth().unwrap_or(1));
    counters.retain(|name| !named.contains(&name.as_str()));
    let copies = copies(rewriter, directive, begin, number, &[]);
    let pieces = pieces(directive, &head);
    let is_last = if directive.has("lastprivate") { format!("int __omp_is_last{number} = 1; ") } else { String::new() };
    let marks = format!("{}{pieces}{is_last}", shared(directive));
    named.push(&counter);
    named.extend(counters.iter().map(String::as_str));
    let mut own: String = counters.iter().map(|name| format!("__typeof__({name}) {name}; ")).collect();
    own.push_str(&own_copies(rewriter.text, begin, end, &named));
    Some(framed(&copies, &marks, &own))
}

/// Counters that loops do not declare, which are private.
pub(super) fn counters(text: &str, begin: usize, depth: usize) -> Vec<String> {
    let mut found = Vec::new();
    let mut at = begin;
    for _ in 0..depth {
        let Some(head) = head_at(text, at) else { break };
        at = head.end;
        if head.canonical.declared.is_none() {
            found.push(head.canonical.counter);
        }
    }
    found
}

/// How many tasks there are.
fn pieces(directive: &Directive, head: &Canonical) -> String {
    let tasks = directive.argument("num_tasks").unwrap_or("0");
    let size = directive.argument("grainsize").unwrap_or("0");
    let plain = |text: &str| text.rsplit_once(':').map_or(text, |(_, rest)| rest).to_owned();
    let relation = relation_number(head.relation);
    let Canonical { first, bound, step, .. } = head;
    format!("__chronos_omp_tasks({}, {}, {first}, {bound}, {step}, {relation}); ", plain(tasks), plain(size))
}

/// Marks of what the directive shares: a task has copies of what is private outside (OpenMP 4.5, 2.15.1.1).
fn shared(directive: &Directive) -> String {
    let all = u8::from(directive.argument("default").is_some_and(|what| what.trim() == "shared"));
    let mut text = format!("__chronos_omp_task_begin({all}); ");
    let reduced = directive.roots("in_reduction");
    for name in directive.names("shared").into_iter().chain(reduced) {
        let _ = write!(text, "__chronos_omp_shared({name}); ");
    }
    text
}

/// Names that the clauses of a directive speak of, and of which it says itself whose they are.
pub(super) fn listed(directive: &Directive) -> Vec<&str> {
    const LISTS: [&str; 10] = [
        "shared",
        "private",
        "firstprivate",
        "lastprivate",
        "reduction",
        "in_reduction",
        "map",
        "linear",
        "is_device_ptr",
        "has_device_addr",
    ];
    LISTS.iter().flat_map(|list| directive.roots(list)).collect()
}

/// Marks of the names that a statement changes: the lowering, which knows types, decides which of them are copied.
pub(super) fn own_copies(text: &str, begin: usize, end: usize, listed: &[&str]) -> String {
    let names = written(text, begin, end).into_iter().filter(|name| !listed.contains(name));
    names.map(|name| format!("__chronos_omp_own({name}); ")).collect()
}

fn framed(copies: &Copies, marks: &str, own: &str) -> Frame {
    let Copies { captured, outside, begin, end, behind } = copies;
    Frame {
        before: format!("{{ {captured}{marks}{outside}{{ {begin}{own}"),
        after: format!(" {end}}} __chronos_omp_task_end(); {behind}}}"),
    }
}
