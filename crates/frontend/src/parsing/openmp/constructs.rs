//! Constructs around one statement, and sections.

use super::clauses::Directive;
use super::directive_of;
use super::rewriter::{Frame, Rewriter};
use super::statements::{after_space, after_statement};
use crate::source_text::tokens::after_line;
use std::fmt::Write;

/// Copies that each thread has: what stands outside of the block that they live in, inside of it at its begin and at its end,
/// and behind it.
#[derive(Debug, Default)]
pub(super) struct Copies {
    pub outside: String,
    pub begin: String,
    pub end: String,
    pub behind: String,
}

/// Copies by the clauses `private`, `firstprivate` and `reduction`; `only_once` leaves out what another construct has.
pub(super) fn copies(directive: &Directive, number: u32, skip: &[&str]) -> Copies {
    let mut copies = Copies::default();
    let first = directive.names("firstprivate");
    let last = directive.names("lastprivate");
    for name in directive.names("private").into_iter().filter(|name| !skip.contains(name)) {
        let _ = write!(copies.begin, "__typeof__({name}) {name}; ");
    }
    for &name in first.iter().filter(|name| !skip.contains(name)) {
        let _ = write!(copies.outside, "__chronos_omp_scalar({name}); ");
        let _ = write!(copies.outside, "__typeof__({name}) __omp_first{number}_{name} = {name}; ");
        let _ = write!(copies.begin, "__typeof__({name}) {name} = __omp_first{number}_{name}; ");
    }
    for &name in last.iter().filter(|name| !skip.contains(name)) {
        let _ = write!(copies.outside, "__chronos_omp_scalar({name}); ");
        let own = format!("__omp_last{number}_{name}");
        let _ = write!(copies.outside, "__typeof__({name}) {own}; ");
        if !first.contains(&name) {
            let _ = write!(copies.begin, "__typeof__({name}) {name}; ");
        }
        let _ = write!(copies.end, "{own} = {name}; ");
        let _ = write!(copies.behind, "if (__omp_is_last{number}) {name} = {own}; ");
    }
    for (operator, name) in directive.reductions().unwrap_or_default() {
        reduction(&mut copies, number, operator, name);
    }
    copies
}

/// A variable that each thread has for itself and adds to the common one at the end.
fn reduction(copies: &mut Copies, number: u32, operator: &str, name: &str) {
    let own = format!("__omp_reduced{number}_{name}");
    // Arrays have no copies here: the lowering, which knows types, refuses them.
    let _ = write!(copies.outside, "__chronos_omp_scalar({name}); __typeof__({name}) {own}; ");
    let (start, combined) = match operator {
        "*" => ("1", format!("{name} * {own}")),
        "&&" => ("1", format!("{name} && {own}")),
        "&" => ("~0", format!("{name} & {own}")),
        // The common value takes part in any case, so that a thread may begin with it.
        "min" | "max" => {
            let _ = write!(copies.outside, "{own} = {name}; ");
            let than = if operator == "min" { '<' } else { '>' };
            (own.as_str(), format!("{own} {than} {name} ? {own} : {name}"))
        }
        "-" => ("0", format!("{name} + {own}")),
        _ => ("0", format!("{name} {operator} {own}")),
    };
    let _ = write!(copies.begin, "__typeof__({name}) {name} = {start}; ");
    let _ = write!(copies.end, "{own} = {name}; ");
    let _ = write!(copies.behind, "{name} = {combined}; ");
}

/// What begins a team of threads. What is captured in front of it is the same for all of them.
pub(super) fn fork(directive: &Directive, number: u32) -> String {
    let threads = directive.argument("num_threads").unwrap_or("0");
    let condition = directive.condition().unwrap_or("1");
    let mut text = String::from("{ ");
    for name in directive.names("firstprivate") {
        let _ = write!(text, "__typeof__({name}) __omp_first{number}_{name} = {name}; ");
    }
    // Variables that are declared between the two markers belong to each thread.
    // With `copyin`, threads begin with the first one's copies of what is `threadprivate`.
    let copied = if directive.has("copyin") { " + 2" } else { "" };
    let _ = write!(
        text,
        "int __chronos_omp_region{number}; __chronos_omp_fork({threads}, (({condition}) != 0){copied}, {number}); {{ "
    );
    text
}

/// What ends a team.
pub(super) fn join(number: u32) -> String {
    format!(" }} __chronos_omp_join(); int __chronos_omp_end{number}; }}")
}

pub(super) fn parallel(rewriter: &mut Rewriter<'_>, directive: &Directive) -> Frame {
    let number = rewriter.number();
    let copies = copies(directive, number, &[]);
    let reduced: String = outside_of_reductions(&copies.outside);
    let before = format!("{}{reduced}{{ {}", fork(directive, number), copies.begin);
    let after = format!(" {} }} {}{}", copies.end, copies.behind, join(number));
    Frame { before, after }
}

/// Without the copies that are made in front of the team.
pub(super) fn outside_of_reductions(outside: &str) -> String {
    let kept = outside.split_inclusive("; ").filter(|part| !part.contains(") __omp_first"));
    kept.collect()
}

pub(super) fn single(rewriter: &mut Rewriter<'_>, directive: &Directive) -> Frame {
    let number = rewriter.number();
    let copies = copies(directive, number, &[]);
    let mut before = format!("{{ {}", copies.outside);
    let mut given = String::new();
    let mut taken = String::new();
    for name in directive.names("copyprivate") {
        // One object for all threads.
        let _ = write!(before, "static __typeof__({name}) __omp_given{number}_{name}; ");
        let _ = write!(given, "__omp_given{number}_{name} = {name}; ");
        let _ = write!(taken, "{name} = __omp_given{number}_{name}; ");
    }
    let _ = write!(before, "if (__chronos_omp_single()) {{ {}", copies.begin);
    let barrier = if directive.has("nowait") { "" } else { "__chronos_omp_barrier(); " };
    let again = if taken.is_empty() { "" } else { "__chronos_omp_barrier(); " };
    Frame { before, after: format!(" {given}}} {barrier}{taken}{again}}}") }
}

pub(super) fn master() -> Frame {
    Frame { before: "if (__chronos_omp_master()) {".into(), after: " }".into() }
}

pub(super) fn critical() -> Frame {
    Frame { before: "{ __chronos_omp_critical(1);".into(), after: " __chronos_omp_critical(0); }".into() }
}

pub(super) fn ordered() -> Frame {
    Frame { before: "{ __chronos_omp_ordered(1);".into(), after: " __chronos_omp_ordered(0); }".into() }
}

pub(super) fn atomic() -> Frame {
    Frame { before: "{ __chronos_omp_atomic();".into(), after: " }".into() }
}

pub(super) fn task(rewriter: &mut Rewriter<'_>, directive: &Directive) -> Frame {
    let number = rewriter.number();
    let copies = copies(directive, number, &[]);
    // What is private outside is copied when the task is made (OpenMP 4.5, 2.15.1.1), unless the directive shares it.
    let all = u8::from(directive.argument("default").is_some_and(|what| what.trim() == "shared"));
    let shared: String =
        directive.names("shared").into_iter().map(|name| format!("__chronos_omp_shared({name}); ")).collect();
    let marks = format!("__chronos_omp_task_begin({all}); {shared}__chronos_omp_task(); ");
    let before = format!("{{ {}{marks}{{ {}", copies.outside, copies.begin);
    Frame { before, after: " } __chronos_omp_task_end(); }".into() }
}

/// `sections`: each section is executed by one thread.
pub(super) fn sections(rewriter: &mut Rewriter<'_>, directive: &Directive, line_end: usize, end: usize) -> Option<()> {
    let number = rewriter.number();
    let text = rewriter.text;
    let open = after_space(text, line_end);
    if text.as_bytes().get(open) != Some(&b'{') {
        return None;
    }
    let found = section_places(text, open + 1, end - 1)?;
    let parallel = directive.name.starts_with("parallel");
    let copies = copies(directive, number, &[]);
    let outside = if parallel { outside_of_reductions(&copies.outside) } else { copies.outside };
    let start = if parallel { fork(directive, number) } else { "{ ".to_owned() };
    let _ = write!(rewriter.out, "{start}{outside}{{ {}", copies.begin);
    rewriter.out.push_str(&text[line_end..=open]);
    let count = found.len();
    let mut at = open + 1;
    for (index, (directive_end, begin, section_end)) in found.into_iter().enumerate() {
        let line = directive_end.map_or(at, |(line, _)| line);
        rewriter.out.push_str(&text[at..line]);
        let _ = write!(rewriter.out, "if (__chronos_omp_section({index}, {count})) {{ ");
        let line_end = directive_end.map_or(line_end, |(_, end)| end);
        rewriter.out.push_str(&text[directive_end.map_or(at, |(_, end)| end)..begin]);
        rewriter.stretch(begin, section_end);
        rewriter.behind(" }", line_end, section_end);
        at = section_end;
    }
    rewriter.out.push_str(&text[at..end]);
    let barrier = if parallel || directive.has("nowait") { "" } else { "__chronos_omp_barrier(); " };
    let stop = if parallel { join(number) } else { " }".to_owned() };
    rewriter.behind(&format!(" {} }} {}{barrier}{stop}", copies.end, copies.behind), line_end, end);
    Some(())
}

/// The line of the directive of each section, where it has one, and the statement behind it.
type SectionPlace = (Option<(usize, usize)>, usize, usize);

fn section_places(text: &str, from: usize, to: usize) -> Option<Vec<SectionPlace>> {
    let mut found = Vec::new();
    let mut at = after_space(text, from);
    while at < to {
        let line_end = after_line(text.as_bytes(), at);
        let directive = directive_of(&text[at..line_end]).map(Directive::read);
        let line = directive.filter(|directive| directive.name == "section").map(|_| (at, line_end));
        if line.is_none() && !found.is_empty() {
            return None;
        }
        let begin = after_space(text, line.map_or(at, |(_, end)| end));
        let end = after_statement(text, begin).filter(|&end| end <= to)?;
        found.push((line, begin, end));
        at = after_space(text, end);
    }
    Some(found)
}
