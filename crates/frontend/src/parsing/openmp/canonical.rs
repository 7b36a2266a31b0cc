//! Loops in canonical form: what of a loop's head says how often it is executed.

use super::statements::after_bracket;
use crate::source_text::tokens::token_end;

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
pub(super) fn mentions(inner: &Canonical, name: &str) -> bool {
    let words = [&inner.first, &inner.bound, &inner.step];
    words.iter().any(|text| text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|word| word == name))
}

pub(super) fn relation_number(relation: &str) -> u32 {
    match relation {
        "<" => 0,
        "<=" => 1,
        ">" => 2,
        ">=" => 3,
        _ => 4,
    }
}

/// Name of the type of a counter, how it is declared in the head, and how it is compared.
pub(super) fn parts(head: &Canonical) -> (String, String, char) {
    let counter = &head.counter;
    let ty = head.declared.clone().unwrap_or_else(|| format!("__typeof__({counter})"));
    let declared = head.declared.as_ref().map_or_else(|| counter.clone(), |ty| format!("{ty} {counter}"));
    let upwards = match head.relation {
        "!=" => head.step == "1",
        relation => relation.starts_with('<'),
    };
    (ty, declared, if upwards { '<' } else { '>' })
}
