//! Constructs around one statement, and sections.

use super::clauses::Directive;
use super::copies::copies;
use super::directive_of;
use super::rewriter::{Frame, Rewriter};
use super::statements::{after_space, after_statement};
use crate::source_text::tokens::after_line;
use std::fmt::Write;

/// What begins a team of threads. What is captured in front of it is the same for all of them.
pub(super) fn fork(directive: &Directive, number: u32, captured: &str) -> String {
    let threads = directive.argument("num_threads").unwrap_or("0");
    let condition = directive.condition().unwrap_or("1");
    let mut text = format!("{{ {captured}");
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

pub(super) fn parallel(rewriter: &mut Rewriter<'_>, directive: &Directive, at: usize) -> Frame {
    let number = rewriter.number();
    let copies = copies(rewriter, directive, at, number, &[]);
    let before = format!("{}{}{{ {}", fork(directive, number, &copies.captured), copies.outside, copies.begin);
    let after = format!(" {} }} {}{}", copies.end, copies.behind, join(number));
    Frame { before, after }
}

/// `scope`, which no thread leaves before all are here.
pub(super) fn scope(rewriter: &mut Rewriter<'_>, directive: &Directive, at: usize) -> Frame {
    let number = rewriter.number();
    let copies = copies(rewriter, directive, at, number, &[]);
    let before = format!("{{ {}{}{{ {}", copies.captured, copies.outside, copies.begin);
    Frame { before, after: format!(" {} }} {}{}}}", copies.end, copies.behind, barrier(directive)) }
}

/// The barrier behind a construct that has no `nowait`.
pub(super) fn barrier(directive: &Directive) -> &'static str {
    if directive.has("nowait") { "" } else { "__chronos_omp_barrier(); " }
}

pub(super) fn single(rewriter: &mut Rewriter<'_>, directive: &Directive, at: usize) -> Frame {
    let number = rewriter.number();
    let copies = copies(rewriter, directive, at, number, &[]);
    let mut before = format!("{{ {}{}", copies.captured, copies.outside);
    let mut given = String::new();
    let mut taken = String::new();
    for name in directive.names("copyprivate") {
        // One object for all threads.
        let _ = write!(before, "static __typeof__({name}) __omp_given{number}_{name}; ");
        let _ = write!(given, "__omp_given{number}_{name} = {name}; ");
        let _ = write!(taken, "{name} = __omp_given{number}_{name}; ");
    }
    let _ = write!(before, "if (__chronos_omp_single()) {{ {}", copies.begin);
    let barrier = barrier(directive);
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

pub(super) fn atomic(directive: &Directive) -> Frame {
    // A thread that only reads may wait for another one to write.
    let look = if directive.has("read") { " __chronos_omp_flush();" } else { "" };
    Frame { before: format!("{{ __chronos_omp_atomic();{look}"), after: " }".into() }
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
    let copies = copies(rewriter, directive, line_end, number, &[]);
    let captured = &copies.captured;
    let start = if parallel { fork(directive, number, captured) } else { format!("{{ {captured}") };
    let is_last = format!("int __omp_is_last{number} = 0; ");
    let is_last = if directive.has("lastprivate") { is_last } else { String::new() };
    let _ = write!(rewriter.out, "{start}{}{is_last}{{ {}", copies.outside, copies.begin);
    rewriter.out.push_str(&text[line_end..=open]);
    let count = found.len();
    let last = if is_last.is_empty() { String::new() } else { format!("__omp_is_last{number} = 1; ") };
    let mut at = open + 1;
    for (index, (directive_end, begin, section_end)) in found.into_iter().enumerate() {
        let line = directive_end.map_or(at, |(line, _)| line);
        rewriter.out.push_str(&text[at..line]);
        let _ = write!(rewriter.out, "if (__chronos_omp_section({index}, {count})) {{ ");
        if index + 1 == count {
            rewriter.out.push_str(&last);
        }
        let line_end = directive_end.map_or(line_end, |(_, end)| end);
        rewriter.out.push_str(&text[directive_end.map_or(at, |(_, end)| end)..begin]);
        rewriter.stretch(begin, section_end);
        rewriter.behind(" }", line_end, section_end);
        at = section_end;
    }
    rewriter.out.push_str(&text[at..end]);
    let barrier = if parallel { "" } else { barrier(directive) };
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
