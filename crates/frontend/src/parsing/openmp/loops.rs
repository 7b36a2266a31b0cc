//! Worksharing loops: each thread gets its share of the iterations, as a loop of the same form with other bounds.

use super::canonical::{Canonical, canonical, mentions, parts, relation_number};
use super::clauses::Directive;
use super::constructs::{barrier, fork, join};
use super::copies::copies;
use super::nests::{self, nested};
use super::rewriter::Rewriter;
use super::statements::{after_bracket, after_space, after_statement};
use crate::source_text::tokens::after_word;
use chronos_ir::openmp::Schedule;
use std::fmt::Write;

/// Parts of `__chronos_omp_range`, which the interpreter knows by the same numbers.
const BEGIN: u32 = 0;
const END: u32 = 1;
const WIDTH: u32 = 2;
const STRIDE: u32 = 3;

/// What a directive says of the loops behind it.
#[derive(Clone, Copy)]
struct Place {
    line_end: usize,
    end: usize,
}

/// The loops that a construct shares out, as they stand in the text.
struct Nest {
    heads: Vec<Head>,
    /// Where the body begins and ends.
    body: (usize, usize),
}

/// Rewrites a loop construct; nothing is written where the loop is not canonical.
pub(super) fn construct(rewriter: &mut Rewriter<'_>, directive: &Directive, line_end: usize, end: usize) -> Option<()> {
    let depth = directive.depth()?;
    let (mut kind, chunk) = schedule(directive)?;
    let mut nest = nest_at(rewriter.text, line_end, end, depth)?;
    if nest.heads.len() > 1 {
        kind = collapsed(kind, &mut nest, line_end, end);
    }
    let distributed = directive.name.starts_with("distribute parallel");
    let number = rewriter.number();
    if !distributed {
        return share(rewriter, directive, Place { line_end, end }, (kind, &chunk), &nest, number);
    }
    // The part of the team first: the threads of the team share that.
    let outer = rewriter.number();
    let before = distribute_first(&mut nest.heads, outer);
    rewriter.out.push_str(&before);
    share(rewriter, directive, Place { line_end, end }, (kind, &chunk), &nest, number)?;
    rewriter.behind(" }", line_end, end);
    Some(())
}

/// The schedule of a nest, which is dealt out in stretches. What is not rectangular is shared by its outermost loop.
fn collapsed(kind: Schedule, nest: &mut Nest, line_end: usize, end: usize) -> Schedule {
    let heads = &nest.heads;
    let depends = |at: usize| heads[..at].iter().any(|o| mentions(&heads[at].canonical, &o.canonical.counter));
    if (1..heads.len()).any(depends) {
        nest.body = (heads[0].end, end.max(line_end));
        nest.heads.truncate(1);
        // The compiler shares out single iterations of the whole nest.
        return if kind == Schedule::Ordered { kind } else { Schedule::Guided };
    }
    match kind {
        Schedule::StaticChunks => Schedule::Dynamic,
        kind => kind,
    }
}

/// Bounds of the outermost loop for the team that executes it.
fn distribute_first(heads: &mut [Head], number: u32) -> String {
    let head = &mut heads[0].canonical;
    let setup = loop_setup(Schedule::Teams, "1", head);
    let (ty, _, than) = parts(head);
    let (first, bound) = (format!("__omp_team_begin{number}"), format!("__omp_team_bound{number}"));
    let text = format!("{{ {setup}{ty} {first} = __chronos_omp_range({BEGIN}), {bound} = __chronos_omp_range({END}); ");
    (head.first, head.bound) = (first, bound);
    head.relation = if than == '<' { "<" } else { ">" };
    text
}

/// Writes the share of each thread.
fn share(
    rewriter: &mut Rewriter<'_>,
    directive: &Directive,
    place: Place,
    (kind, chunk): (Schedule, &str),
    nest: &Nest,
    number: u32,
) -> Option<()> {
    let Place { line_end, end } = place;
    let text = rewriter.text;
    let heads = &nest.heads;
    let parallel = directive.name.contains("parallel");
    let last = directive.names("lastprivate");
    let counters: Vec<&str> = heads.iter().map(|head| head.canonical.counter.as_str()).collect();
    let skip: Vec<&str> = counters.into_iter().filter(|name| !last.contains(name)).collect();
    let own = own_counters(heads, &last);
    let copies = copies(rewriter, directive, line_end, number, &skip);
    let captured = &copies.captured;
    let start = if parallel { fork(directive, number, captured) } else { format!("{{ {captured}") };
    let setup = setup(kind, chunk, heads);
    let is_last = format!("int __omp_is_last{number} = __chronos_omp_last(); ");
    let is_last = if last.is_empty() { String::new() } else { is_last };
    let _ = write!(rewriter.out, "{start}{}{setup}{is_last}{{ {}{own}", copies.outside, copies.begin);
    rewriter.out.push_str(&text[line_end..heads[0].begin]);
    let closing = write_heads(rewriter, heads, kind, number);
    let (body, body_end) = nest.body;
    rewriter.stretch(body, body_end);
    rewriter.out.push_str(&line_ends(&text[body_end..end]));
    let barrier = if parallel || kind == Schedule::Teams { "" } else { barrier(directive) };
    let stop = if parallel { join(number) } else { " }".to_owned() };
    rewriter.behind(&format!("{closing} {} }} {}{barrier}{stop}", copies.end, copies.behind), line_end, end);
    Some(())
}

/// A counter that the loop does not declare is private (OpenMP 4.5, 2.15.1.1).
fn own_counters(heads: &[Head], last: &[&str]) -> String {
    let own = heads.iter().map(|head| &head.canonical).filter(|head| head.declared.is_none());
    let own = own.map(|head| head.counter.as_str()).filter(|name| !last.contains(name));
    own.map(|name| format!("__typeof__({name}) {name}; ")).collect()
}

/// Whether a thread has many chunks, each a loop of its own.
fn is_chunked(kind: Schedule) -> bool {
    matches!(kind, Schedule::StaticChunks | Schedule::Dynamic | Schedule::Runtime)
}

fn schedule(directive: &Directive) -> Option<(Schedule, String)> {
    // Iterations that wait for each other (`ordered(n)`, `scan`) are executed in their order.
    if directive.has("ordered") || directive.has_scan() {
        return Some((Schedule::Ordered, "1".into()));
    }
    if directive.name.starts_with("distribute") && !directive.name.contains("parallel") {
        return Some((Schedule::Teams, "1".into()));
    }
    let Some(text) = directive.argument("schedule") else { return Some((Schedule::Static, "1".into())) };
    let text = text.rsplit_once(':').map_or(text, |(_, rest)| rest);
    let (name, chunk) =
        text.split_once(',').map_or((text, None), |(name, chunk)| (name, Some(chunk.trim().to_owned())));
    let kind = Schedule::of_clause(name.trim(), chunk.is_some())?;
    Some((kind, chunk.unwrap_or_else(|| "1".into())))
}

/// A loop's head in the text.
pub(super) struct Head {
    pub canonical: Canonical,
    pub begin: usize,
    pub end: usize,
}

pub(super) fn head_at(text: &str, at: usize) -> Option<Head> {
    let begin = after_space(text, at);
    let word = after_word(text.as_bytes(), begin);
    if &text[begin..word] != "for" {
        return None;
    }
    let open = after_space(text, word);
    let end = after_bracket(text.as_bytes(), open)?;
    Some(Head { canonical: canonical(&text[open + 1..end - 1])?, begin, end })
}

/// So many loops right inside each other; the inner ones may stand in braces of their own.
fn nest_at(text: &str, at: usize, end: usize, depth: usize) -> Option<Nest> {
    let mut heads = vec![head_at(text, at)?];
    let mut braces = 0;
    while heads.len() < depth {
        let mut next = after_space(text, heads[heads.len() - 1].end);
        while text.as_bytes().get(next) == Some(&b'{') {
            braces += 1;
            next = after_space(text, next + 1);
        }
        heads.push(head_at(text, next)?);
    }
    let begin = heads[depth - 1].end;
    let body_end = if braces == 0 { end } else { after_statement(text, begin)? };
    // What stands behind an inner loop in the braces would be executed as well.
    let mut at = body_end;
    for _ in 0..braces {
        at = after_space(text, at);
        if text.as_bytes().get(at) != Some(&b'}') {
            return None;
        }
        at += 1;
    }
    Some(Nest { heads, body: (begin, body_end) })
}

/// Tells the runtime of the loops.
fn setup(kind: Schedule, chunk: &str, heads: &[Head]) -> String {
    match heads {
        [head] => loop_setup(kind, chunk, &head.canonical),
        _ => nests::setup(kind as u32, heads),
    }
}

fn loop_setup(kind: Schedule, chunk: &str, head: &Canonical) -> String {
    let relation = relation_number(head.relation);
    let Canonical { first, bound, step, .. } = head;
    format!("__chronos_omp_loop({}, {chunk}, {first}, {bound}, {step}, {relation}); ", kind as u32)
}

/// The heads of the loops that a thread executes, with as many line ends as there were; gives the braces behind the body.
fn write_heads(rewriter: &mut Rewriter<'_>, heads: &[Head], kind: Schedule, number: u32) -> String {
    let outer = &heads[0].canonical;
    let (text, braces) = match heads {
        [_] if is_chunked(kind) => (chunked(outer, number), 1),
        [_] => (contiguous(outer, number), 0),
        _ => (nested(heads, number), heads.len() - 1),
    };
    rewriter.out.push_str(&text);
    let lines = line_ends(&rewriter.text[heads[0].begin..heads[heads.len() - 1].end]);
    rewriter.out.push_str(&lines);
    " }".repeat(braces)
}

/// The line ends and line markers of a text.
pub(super) fn line_ends(text: &str) -> String {
    let mut out = String::new();
    for line in text.split('\n').skip(1) {
        out.push('\n');
        if line.starts_with('#') {
            out.push_str(line);
        }
    }
    out
}

fn contiguous(head: &Canonical, number: u32) -> String {
    let (ty, declared, than) = parts(head);
    let Canonical { counter, step, .. } = head;
    format!(
        "{ty} __omp_begin{number} = __chronos_omp_range({BEGIN}), __omp_bound{number} = __chronos_omp_range({END}); \
         for ({declared} = __omp_begin{number}; {counter} {than} __omp_bound{number}; {counter} += {step})"
    )
}

fn chunked(head: &Canonical, number: u32) -> String {
    let (ty, declared, than) = parts(head);
    let Canonical { counter, step, .. } = head;
    let n = number;
    format!(
        "long __omp_bound{n} = __chronos_omp_range({END}), __omp_width{n} = __chronos_omp_range({WIDTH}), \
         __omp_stride{n} = __chronos_omp_range({STRIDE}); \
         for (long __omp_chunk{n} = __chronos_omp_range({BEGIN}); __omp_chunk{n} {than} __omp_bound{n}; \
         __omp_chunk{n} += __omp_stride{n}) {{ long __omp_end{n} = __omp_chunk{n} + __omp_width{n}; \
         if (!(__omp_end{n} {than} __omp_bound{n})) __omp_end{n} = __omp_bound{n}; \
         {ty} __omp_from{n} = __omp_chunk{n}, __omp_to{n} = __omp_end{n}; \
         for ({declared} = __omp_from{n}; {counter} {than} __omp_to{n}; {counter} += {step})"
    )
}
