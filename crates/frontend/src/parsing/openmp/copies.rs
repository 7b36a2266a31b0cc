//! Copies that each thread has (`private`, `firstprivate`, `lastprivate`, `reduction`), as variables of inner blocks.

use super::clauses::{Directive, Item, UserReduction};
use super::declared::dimensions;
use super::rewriter::Rewriter;
use std::fmt::Write;

/// Copies that each thread has: what is captured in front of a team, what stands outside of the block that they live in, inside
/// of it at its begin and at its end, and behind it.
#[derive(Debug, Default)]
pub(super) struct Copies {
    pub captured: String,
    pub outside: String,
    pub begin: String,
    pub end: String,
    pub behind: String,
}

/// Copies by the clauses of a directive that ends at `at`; `skip` leaves out what the loop itself declares.
pub(super) fn copies(rewriter: &Rewriter<'_>, directive: &Directive, at: usize, number: u32, skip: &[&str]) -> Copies {
    let mut copies = Copies::default();
    let first = directive.names("firstprivate");
    let last = directive.names("lastprivate");
    for name in directive.names("private").into_iter().filter(|name| !skip.contains(name)) {
        let _ = write!(copies.begin, "__typeof__({name}) {name}; ");
    }
    for &name in first.iter().filter(|name| !skip.contains(name)) {
        copies.captured.push_str(&captured(rewriter, name, at, number));
        let _ = match dimensions(rewriter.text, at, name) {
            0 => write!(copies.begin, "__typeof__({name}) {name} = __omp_first{number}_{name}; "),
            _ => write!(
                copies.begin,
                "__typeof__({name}) {name}; __builtin_memcpy(&{name}, &__omp_first{number}_{name}, sizeof({name})); "
            ),
        };
    }
    for &name in last.iter().filter(|name| !skip.contains(name)) {
        let own = format!("__omp_last{number}_{name}");
        let array = dimensions(rewriter.text, at, name) > 0;
        if !first.contains(&name) {
            let _ = write!(copies.begin, "__typeof__({name}) {name}; ");
        }
        let mark = if array { String::new() } else { format!("__chronos_omp_scalar({name}); ") };
        let _ = write!(copies.outside, "{mark}__typeof__({name}) {own}; ");
        let _ = write!(copies.end, "{}", assigned(array, &own, name));
        let _ = write!(copies.behind, "if (__omp_is_last{number}) {{ {}}} ", assigned(array, name, &own));
    }
    for (operator, item) in directive.reductions().unwrap_or_default() {
        reduction(rewriter, &mut copies, (at, number), &operator, &item);
    }
    copies
}

/// The value that a copy begins with, which is the same for all threads.
fn captured(rewriter: &Rewriter<'_>, name: &str, at: usize, number: u32) -> String {
    let first = format!("__omp_first{number}_{name}");
    match dimensions(rewriter.text, at, name) {
        0 => format!("__chronos_omp_scalar({name}); __typeof__({name}) {first} = {name}; "),
        _ => format!("__typeof__({name}) {first}; __builtin_memcpy(&{first}, &{name}, sizeof({name})); "),
    }
}

fn assigned(array: bool, to: &str, from: &str) -> String {
    match array {
        true => format!("__builtin_memcpy(&{to}, &{from}, sizeof({to})); "),
        false => format!("{to} = {from}; "),
    }
}

/// A variable that each thread has for itself and adds to the common one at the end.
fn reduction(rewriter: &Rewriter<'_>, copies: &mut Copies, (at, number): (usize, u32), operator: &str, item: &Item) {
    let name = &item.name;
    if let Some(user) = rewriter.user_reduction(operator) {
        return user_reduction(copies, number, user, name);
    }
    let dimensions = if item.sections.is_empty() { dimensions(rewriter.text, at, name) } else { 0 };
    if !item.sections.is_empty() {
        section(copies, number, operator, item);
    } else if dimensions > 0 {
        array(copies, number, operator, name, dimensions);
    } else {
        scalar(copies, number, operator, name);
    }
}

fn scalar(copies: &mut Copies, number: u32, operator: &str, name: &str) {
    let own = format!("__omp_reduced{number}_{name}");
    // The lowering, which knows types, refuses arrays that were not seen to be some.
    let _ = write!(copies.outside, "__chronos_omp_scalar({name}); __typeof__({name}) {own}; ");
    let _ = write!(copies.begin, "__typeof__({name}) {name} = {}; ", start(operator, &own));
    let _ = write!(copies.end, "{own} = {name}; ");
    let _ = write!(copies.behind, "{name} = {}; ", combined(operator, name, &own));
}

/// A whole array: its elements one after the other, whatever its dimensions.
fn array(copies: &mut Copies, number: u32, operator: &str, name: &str, dimensions: usize) {
    let own = format!("__omp_reduced{number}_{name}");
    let element = format!("__omp_element{number}_{name}");
    let at = format!("__omp_at{number}");
    let each = format!("for (unsigned long {at} = 0; {at} < sizeof({name}) / sizeof({element}); {at}++)");
    let (theirs, ours) = (format!("(({element} *)&{name})[{at}]"), format!("(({element} *)&{own})[{at}]"));
    let _ = write!(copies.outside, "typedef {} {element}; __typeof__({name}) {own}; ", element_type(name, dimensions));
    let _ = write!(copies.begin, "__typeof__({name}) {name}; {each} {theirs} = {}; ", start(operator, &ours));
    let _ = write!(copies.end, "__builtin_memcpy(&{own}, &{name}, sizeof({name})); ");
    let _ = write!(copies.behind, "{each} {theirs} = {}; ", combined(operator, &theirs, &ours));
}

/// Types that elements of an array may have.
const TYPES: &[&str] = &[
    "char",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "long",
    "unsigned long",
    "long long",
    "unsigned long long",
    "float",
    "double",
    "long double",
];

/// The type of the elements. A scalar that was taken for an array has one element, itself.
fn element_type(name: &str, dimensions: usize) -> String {
    if dimensions > 1 {
        return format!("__typeof__({name}{})", "[0]".repeat(dimensions));
    }
    let cases: String = TYPES.iter().map(|ty| format!("{ty} *: ({ty})0, ")).collect();
    format!("__typeof__(_Generic(({name}), {cases}default: ({name})))")
}

/// A part of an array, or of what a pointer leads to: the name leads to the thread's own in the construct.
fn section(copies: &mut Copies, number: u32, operator: &str, item: &Item) {
    let name = &item.name;
    let own = format!("__omp_reduced{number}_{name}");
    let (from, length) = (format!("__omp_low{number}_{name}"), format!("__omp_length{number}_{name}"));
    let (first, count) = &item.sections[0];
    let element = format!("__typeof__({name}{})", "[0]".repeat(item.sections.len()));
    let at = format!("__omp_at{number}");
    let each = format!("for (long {at} = 0; {at} < {length} * (long)(sizeof({name}[0]) / sizeof({element})); {at}++)");
    let (theirs, ours) = (format!("(({element} *)({name} + {from}))[{at}]"), format!("(({element} *){own})[{at}]"));
    let _ = write!(
        copies.outside,
        "long {from} = {first}, {length} = {count}; __typeof__({name}[0]) {own}[{length}]; \
         {each} {ours} = {}; ",
        start(operator, &ours)
    );
    let _ = write!(copies.begin, "__typeof__({own}[0]) *{name} = {own} - {from}; ");
    let _ = write!(copies.behind, "{each} {theirs} = {}; ", combined(operator, &theirs, &ours));
}

/// A reduction of the program's own: its formulas speak of `omp_in`, `omp_out`, `omp_priv` and `omp_orig`.
fn user_reduction(copies: &mut Copies, number: u32, user: &UserReduction, name: &str) {
    let own = format!("__omp_reduced{number}_{name}");
    let original = format!("__omp_original{number}_{name}");
    let _ = write!(copies.outside, "__typeof__({name}) {own}, {original} = {name}; ");
    let initial = user.initial(name, &original);
    let _ = match initial.strip_prefix(name).map(str::trim_start).filter(|rest| rest.starts_with('=')) {
        Some(value) => write!(copies.begin, "__typeof__({name}) {name} {value}; "),
        None => write!(copies.begin, "__typeof__({name}) {name}; {initial}; "),
    };
    let _ = write!(copies.end, "{own} = {name}; ");
    let _ = write!(copies.behind, "{}; ", user.combined(name, &own));
}

/// What the copy `own` begins with.
fn start(operator: &str, own: &str) -> String {
    match operator {
        "*" | "&&" => "1".into(),
        "&" => "~0".into(),
        "min" => extreme(own, false),
        "max" => extreme(own, true),
        _ => "0".into(),
    }
}

/// The least or the greatest value of the type of `own` (OpenMP 4.5, table 2.7).
fn extreme(own: &str, least: bool) -> String {
    let float = |suffix: &str| format!("{}__builtin_inf{suffix}()", if least { "-" } else { "" });
    let most = |ty: &str| match ty {
        "signed char" => "127".to_owned(),
        "char" => "((char)-1 < 0 ? 127 : 255)".to_owned(),
        _ => format!("(({ty})(~(unsigned {ty})0 >> 1))"),
    };
    let mut cases = format!("float: {}, double: {}, long double: {}, ", float("f"), float(""), float("l"));
    for ty in ["char", "signed char", "short", "int", "long", "long long"] {
        let _ = match least {
            true if ty == "char" => write!(cases, "char: ((char)-1 < 0 ? -128 : 0), "),
            true => write!(cases, "{ty}: -{} - 1, ", most(ty)),
            false => write!(cases, "{ty}: {}, ", most(ty)),
        };
    }
    for ty in ["unsigned char", "unsigned short", "unsigned int", "unsigned long", "unsigned long long"] {
        let _ = write!(cases, "{ty}: ({ty}){}, ", if least { "0" } else { "-1" });
    }
    format!("_Generic(({own}), {cases}default: 0)")
}

fn combined(operator: &str, whole: &str, own: &str) -> String {
    match operator {
        "min" => format!("{own} < {whole} ? {own} : {whole}"),
        "max" => format!("{own} > {whole} ? {own} : {whole}"),
        "-" => format!("{whole} + {own}"),
        _ => format!("{whole} {operator} {own}"),
    }
}
