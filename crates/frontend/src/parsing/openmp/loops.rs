//! Worksharing loops: each thread gets its share of the iterations, as a loop of the same form with other bounds.

use super::clauses::Directive;
use super::constructs::{copies, fork, join, outside_of_reductions};
use super::rewriter::Rewriter;
use super::statements::{after_bracket, after_space};
use crate::source_text::tokens::{after_word, token_end};
use std::fmt::Write;

/// A loop in canonical form (OpenMP 4.5, 2.6).
#[derive(Debug, PartialEq)]
pub(super) struct Canonical {
    /// The type, where the loop declares its counter.
    pub declared: Option<String>,
    pub counter: String,
    pub first: String,
    pub relation: &'static str,
    pub bound: String,
    /// What is added; with its sign.
    pub step: String,
}

/// What `__chronos_omp_loop` is told of the schedule; the interpreter reads the same numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Static = 0,
    StaticChunks = 1,
    Dynamic = 2,
    Guided = 3,
    Ordered = 4,
}

/// Parts of `__chronos_omp_range`, which the interpreter knows by the same numbers.
const BEGIN: u32 = 0;
const END: u32 = 1;
const WIDTH: u32 = 2;
const STRIDE: u32 = 3;
const LAST_OUTER: u32 = 4;
const BEGIN_INNER: u32 = 5;
const END_INNER: u32 = 6;

/// Rewrites a loop construct; nothing is written where the loop is not canonical.
pub(super) fn construct(rewriter: &mut Rewriter<'_>, directive: &Directive, line_end: usize, end: usize) -> Option<()> {
    let text = rewriter.text;
    let depth = if directive.argument("collapse").is_some_and(|n| n.trim() == "2") { 2 } else { 1 };
    let (kind, chunk) = schedule(directive)?;
    let mut heads = Vec::new();
    let mut at = line_end;
    for level in 0..depth {
        if level > 0 {
            at = after_open_brace(text, at)?;
        }
        let head = head_at(text, at)?;
        at = head.end;
        heads.push(head);
    }
    if depth == 2 && (kind == Kind::StaticChunks || mentions(&heads[1].canonical, &heads[0].canonical.counter)) {
        return None;
    }
    let number = rewriter.number();
    let parallel = directive.name.starts_with("parallel");
    let counters: Vec<&str> = heads.iter().map(|head| head.canonical.counter.as_str()).collect();
    // A counter that the loop does not declare is private (OpenMP 4.5, 2.15.1.1).
    let last = directive.names("lastprivate");
    let own = heads.iter().filter(|head| head.canonical.declared.is_none());
    let own = own.map(|head| head.canonical.counter.as_str()).filter(|name| !last.contains(name));
    let own: String = own.map(|name| format!("__typeof__({name}) {name}; ")).collect();
    let skip: Vec<&str> = counters.iter().copied().filter(|name| !last.contains(name)).collect();
    let copies = copies(directive, number, &skip);
    let start = if parallel { fork(directive, number) } else { "{ ".to_owned() };
    let outside = if parallel { outside_of_reductions(&copies.outside) } else { copies.outside };
    let setup = setup(kind, &chunk, &heads);
    let is_last = format!("int __omp_is_last{number} = __chronos_omp_last(); ");
    let is_last = if last.is_empty() { String::new() } else { is_last };
    let _ = write!(rewriter.out, "{start}{outside}{setup}{is_last}{{ {}{own}", copies.begin);
    rewriter.out.push_str(&text[line_end..heads[0].begin]);
    write_heads(rewriter, &heads, kind, number);
    rewriter.stretch(at, end);
    let closing = if kind.is_chunked() || depth == 2 { " }" } else { "" };
    let barrier = if parallel || directive.has("nowait") { "" } else { "__chronos_omp_barrier(); " };
    let stop = if parallel { join(number) } else { " }".to_owned() };
    rewriter.behind(&format!("{closing} {} }} {}{barrier}{stop}", copies.end, copies.behind), line_end, end);
    Some(())
}

impl Kind {
    /// Whether a thread has many chunks, each a loop of its own.
    fn is_chunked(self) -> bool {
        matches!(self, Self::StaticChunks | Self::Dynamic)
    }
}

fn schedule(directive: &Directive) -> Option<(Kind, String)> {
    if directive.has("ordered") {
        return Some((Kind::Ordered, "1".into()));
    }
    let Some(text) = directive.argument("schedule") else { return Some((Kind::Static, "1".into())) };
    let text = text.rsplit_once(':').map_or(text, |(_, rest)| rest);
    let (name, chunk) =
        text.split_once(',').map_or((text, None), |(name, chunk)| (name, Some(chunk.trim().to_owned())));
    let kind = match (name.trim(), &chunk) {
        ("static", None) | ("auto", _) => Kind::Static,
        ("static", Some(_)) => Kind::StaticChunks,
        // Without OMP_SCHEDULE the runtime of GCC takes dynamic (libgomp manual, OMP_SCHEDULE).
        ("dynamic" | "runtime", _) => Kind::Dynamic,
        ("guided", _) => Kind::Guided,
        _ => return None,
    };
    Some((kind, chunk.unwrap_or_else(|| "1".into())))
}

/// A loop's head in the text.
struct Head {
    canonical: Canonical,
    begin: usize,
    end: usize,
}

fn head_at(text: &str, at: usize) -> Option<Head> {
    let begin = after_space(text, at);
    let word = after_word(text.as_bytes(), begin);
    if &text[begin..word] != "for" {
        return None;
    }
    let open = after_space(text, word);
    let end = after_bracket(text.as_bytes(), open)?;
    Some(Head { canonical: canonical(&text[open + 1..end - 1])?, begin, end })
}

/// The inner loop of two may stand in braces of its own.
fn after_open_brace(text: &str, at: usize) -> Option<usize> {
    let next = after_space(text, at);
    // What stands behind the inner loop in the braces would be executed as well.
    (text.as_bytes().get(next) != Some(&b'{')).then_some(next)
}

/// `first; condition; step` as a canonical loop.
pub(super) fn canonical(head: &str) -> Option<Canonical> {
    let flat: String = head.lines().filter(|line| !line.trim_start().starts_with('#')).collect::<Vec<_>>().join(" ");
    let parts: Vec<&str> = flat.split(';').map(str::trim).collect();
    let [begin, condition, step] = parts[..] else { return None };
    let (left, first) = begin.split_once('=')?;
    let left = left.trim();
    let name_at = left.rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_').map_or(0, |at| at + 1);
    let (declared, counter) = (left[..name_at].trim(), &left[name_at..]);
    if counter.is_empty() || declared.contains(['*', '[', '.', '>']) || has_comma(first) {
        return None;
    }
    let (relation, bound) = compared(condition, counter)?;
    let step = stepped(step, counter)?;
    let fits = match relation {
        "<" | "<=" => !step.starts_with('-'),
        ">" | ">=" => step.starts_with('-'),
        _ => matches!(step.as_str(), "1" | "-1"),
    };
    let declared = (!declared.is_empty()).then(|| declared.trim_start_matches("register ").to_owned());
    fits.then(|| Canonical { declared, counter: counter.into(), first: first.trim().into(), relation, bound, step })
}

fn has_comma(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        at = match bytes[at] {
            b',' => return true,
            b'(' | b'[' | b'{' => after_bracket(bytes, at).unwrap_or(bytes.len()),
            _ => token_end(bytes, at).max(at + 1),
        };
    }
    false
}

/// The relation of the counter to its bound, whichever stands first.
fn compared(condition: &str, counter: &str) -> Option<(&'static str, String)> {
    const RELATIONS: [(&str, &str); 5] = [("<=", ">="), (">=", "<="), ("!=", "!="), ("<", ">"), (">", "<")];
    if let Some(rest) = condition.strip_prefix(counter) {
        let rest = rest.trim_start();
        let (relation, _) = RELATIONS.into_iter().find(|(relation, _)| rest.starts_with(relation))?;
        let bound = rest[relation.len()..].trim();
        return (!bound.starts_with(['<', '>', '='])).then(|| (relation, bound.to_owned()));
    }
    let rest = condition.strip_suffix(counter)?.trim_end();
    let (relation, turned) = RELATIONS.into_iter().find(|(relation, _)| rest.ends_with(relation))?;
    Some((turned, rest[..rest.len() - relation.len()].trim().to_owned()))
}

/// What is added to the counter.
fn stepped(step: &str, counter: &str) -> Option<String> {
    let compact: String = step.split_whitespace().collect();
    if compact == format!("{counter}++") || compact == format!("++{counter}") {
        return Some("1".into());
    }
    if compact == format!("{counter}--") || compact == format!("--{counter}") {
        return Some("-1".into());
    }
    let rest = compact.strip_prefix(counter)?;
    if let Some(amount) = rest.strip_prefix("+=") {
        return Some(signed(amount, false));
    }
    if let Some(amount) = rest.strip_prefix("-=") {
        return Some(signed(amount, true));
    }
    let sum = rest.strip_prefix('=')?;
    if let Some(amount) = sum.strip_prefix(counter) {
        let (sign, amount) = amount.split_at_checked(1)?;
        return matches!(sign, "+" | "-").then(|| signed(amount, sign == "-"));
    }
    sum.strip_suffix(counter)?.strip_suffix('+').map(|amount| signed(amount, false))
}

fn signed(amount: &str, negative: bool) -> String {
    let plain = amount.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    match (amount.strip_prefix('-'), negative) {
        (Some(rest), false) if rest.bytes().all(|byte| byte.is_ascii_digit()) => format!("-{rest}"),
        (_, true) => format!("-({amount})"),
        _ if plain => amount.to_owned(),
        _ => format!("({amount})"),
    }
}

/// Whether the bounds of a loop depend on a name.
fn mentions(inner: &Canonical, name: &str) -> bool {
    let words = [&inner.first, &inner.bound, &inner.step];
    words.iter().any(|text| text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|word| word == name))
}

fn relation_number(relation: &str) -> u32 {
    match relation {
        "<" => 0,
        "<=" => 1,
        ">" => 2,
        ">=" => 3,
        _ => 4,
    }
}

/// Tells the runtime of the loop.
fn setup(kind: Kind, chunk: &str, heads: &[Head]) -> String {
    let arguments = |head: &Head| {
        let loop_head = &head.canonical;
        let relation = relation_number(loop_head.relation);
        format!("{}, {}, {}, {relation}", loop_head.first, loop_head.bound, loop_head.step)
    };
    match heads {
        [outer, inner] => format!("__chronos_omp_nest({}, {}, {}); ", kind as u32, arguments(outer), arguments(inner)),
        _ => {
            let loop_head = &heads[0].canonical;
            let relation = relation_number(loop_head.relation);
            let Canonical { first, bound, step, .. } = loop_head;
            format!("__chronos_omp_loop({}, {chunk}, {first}, {bound}, {step}, {relation}); ", kind as u32)
        }
    }
}

/// The heads of the loops that a thread executes, with as many line ends as there were.
fn write_heads(rewriter: &mut Rewriter<'_>, heads: &[Head], kind: Kind, number: u32) {
    let lines: String = heads.iter().map(|head| line_ends(&rewriter.text[head.begin..head.end])).collect();
    let outer = &heads[0].canonical;
    let text = match heads {
        [_, inner] => nested(outer, &inner.canonical, number),
        _ if kind.is_chunked() => chunked(outer, number),
        _ => contiguous(outer, number),
    };
    rewriter.out.push_str(&text);
    rewriter.out.push_str(&lines);
    if let [outer, inner] = heads {
        rewriter.out.push_str(&line_ends(&rewriter.text[outer.end..inner.begin]));
    }
}

/// The line ends and line markers of a text.
fn line_ends(text: &str) -> String {
    let mut out = String::new();
    for line in text.split('\n').skip(1) {
        out.push('\n');
        if line.starts_with('#') {
            out.push_str(line);
        }
    }
    out
}

/// Name of the type of a counter, how it is declared in the head, and how it is compared.
fn parts(head: &Canonical) -> (String, String, char) {
    let counter = &head.counter;
    let ty = head.declared.clone().unwrap_or_else(|| format!("__typeof__({counter})"));
    let declared = head.declared.as_ref().map_or_else(|| counter.clone(), |ty| format!("{ty} {counter}"));
    let upwards = match head.relation {
        "!=" => head.step == "1",
        relation => relation.starts_with('<'),
    };
    (ty, declared, if upwards { '<' } else { '>' })
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

/// Iterations of two loops in one order: the first and the last row may be parts.
fn nested(outer: &Canonical, inner: &Canonical, n: u32) -> String {
    let (outer_type, outer_declared, outer_than) = parts(outer);
    let (inner_type, inner_declared, inner_than) = parts(inner);
    let (i, j) = (&outer.counter, &inner.counter);
    format!(
        "{outer_type} __omp_begin{n} = __chronos_omp_range({BEGIN}), __omp_bound{n} = __chronos_omp_range({END}), \
         __omp_row{n} = __chronos_omp_range({LAST_OUTER}); \
         {inner_type} __omp_inner{n} = {first}, __omp_columns{n} = __chronos_omp_range({whole}), \
         __omp_from{n} = __chronos_omp_range({BEGIN_INNER}), __omp_to{n} = __chronos_omp_range({END_INNER}); \
         for ({outer_declared} = __omp_begin{n}; {i} {outer_than} __omp_bound{n}; {i} += {outer_step}) {{ \
         {inner_type} __omp_low{n} = __omp_inner{n}, __omp_high{n} = __omp_columns{n}; \
         if ({i} == __omp_begin{n}) __omp_low{n} = __omp_from{n}; if ({i} == __omp_row{n}) __omp_high{n} = __omp_to{n}; \
         for ({inner_declared} = __omp_low{n}; {j} {inner_than} __omp_high{n}; {j} += {inner_step})",
        first = inner.first,
        whole = WIDTH,
        outer_step = outer.step,
        inner_step = inner.step,
    )
}
