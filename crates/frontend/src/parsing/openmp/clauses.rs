//! A directive: its name and its clauses.

use super::statements::after_bracket;
use crate::source_text::tokens::{after_word, is_word, token_end};

/// A directive, as it is written.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Directive {
    /// The words in front of the first clause, separated by blanks: `parallel for`.
    pub name: String,
    /// Names of clauses with what stands between their brackets.
    pub clauses: Vec<(String, String)>,
}

/// Words that directives consist of.
const WORDS: &[&str] = &[
    "parallel",
    "for",
    "sections",
    "section",
    "single",
    "master",
    "masked",
    "critical",
    "atomic",
    "barrier",
    "task",
    "taskwait",
    "taskyield",
    "taskgroup",
    "simd",
    "threadprivate",
    "flush",
    "ordered",
    "cancel",
    "cancellation",
    "point",
    "target",
    "teams",
    "distribute",
    "declare",
    "loop",
    "scan",
    "taskloop",
    "data",
    "enter",
    "exit",
    "update",
    "end",
    "requires",
    "error",
    "nothing",
    "metadirective",
    "scope",
    "interop",
    "allocate",
    "assume",
    "dispatch",
    "tile",
    "unroll",
    "depobj",
    "begin",
];

impl Directive {
    /// Reads what stands behind `#pragma omp`.
    pub fn read(text: &str) -> Self {
        let mut directive = Self::default();
        let mut words = Vec::new();
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let end = after_word(bytes, at);
            if end == at {
                if bytes[at] == b'(' {
                    // Names of critical sections and lists of `threadprivate` and `flush` stand behind the directive.
                    let close = after_bracket(bytes, at).unwrap_or(bytes.len());
                    directive.clauses.push((String::new(), inside(&text[at..close])));
                    at = close;
                } else {
                    at += 1;
                }
                continue;
            }
            let word = &text[at..end];
            let open = end + text[end..].len() - text[end..].trim_start().len();
            let has_argument = bytes.get(open) == Some(&b'(');
            let of_name = directive.clauses.is_empty() && WORDS.contains(&word);
            if of_name && !(has_argument && !words.is_empty() && word == "ordered") && !is_clause(&words, word) {
                words.push(word);
                at = end;
                continue;
            }
            let close = if has_argument { after_bracket(bytes, open).unwrap_or(bytes.len()) } else { end };
            let argument = if has_argument { inside(&text[open..close]) } else { String::new() };
            directive.clauses.push((word.to_owned(), argument));
            at = close;
        }
        directive.name = words.join(" ");
        // What a `loop` binds to says which of the older directives it stands for (OpenMP 5.0, 2.9.5).
        if directive.name == "loop" {
            let of_teams = directive.argument("bind").is_some_and(|what| what.trim() == "teams");
            if of_teams { "distribute" } else { "for" }.clone_into(&mut directive.name);
        }
        directive
    }

    /// The argument of the first clause of a name.
    pub fn argument(&self, name: &str) -> Option<&str> {
        self.clauses.iter().find(|(clause, _)| clause == name).map(|(_, argument)| argument.as_str())
    }

    /// Whether there is such a clause.
    pub fn has(&self, name: &str) -> bool {
        self.argument(name).is_some()
    }

    /// The names in all clauses of a name.
    pub fn names(&self, clause: &str) -> Vec<&str> {
        let lists = self.clauses.iter().filter(|(name, _)| name == clause);
        lists.flat_map(|(_, list)| list.split(',')).map(str::trim).filter(|name| !name.is_empty()).collect()
    }

    /// The value of `if(...)`, which may name the directive that it is meant for.
    pub fn condition(&self) -> Option<&str> {
        let text = self.argument("if")?;
        let (modifier, rest) = text.split_once(':').unwrap_or(("", text));
        let known = ["parallel", "task", "taskloop", "target", "simd", "cancel"];
        Some(if known.contains(&modifier.trim()) { rest } else { text })
    }

    /// Operators of reductions with what each combines; `None` where a clause is not understood.
    pub fn reductions(&self) -> Option<Vec<(String, Item)>> {
        let mut found = Vec::new();
        for (_, text) in self.clauses.iter().filter(|(name, _)| name == "reduction") {
            let (operator, list) = text.split_once(':')?;
            // `task` speaks of tasks, which combine where they are executed; with `inscan` the loop is executed in its order.
            let (modifier, operator) = operator.split_once(',').unwrap_or(("", operator));
            match modifier.trim() {
                "" | "default" | "task" => {
                    let items = list_items(list).into_iter().map(Item::read).collect::<Option<Vec<_>>>()?;
                    found.extend(items.into_iter().map(|item| (operator.trim().to_owned(), item)));
                }
                "inscan" => {}
                _ => return None,
            }
        }
        Some(found)
    }

    /// Whether a `scan` directive stands in the loop.
    pub fn has_scan(&self) -> bool {
        let mut reductions = self.clauses.iter().filter(|(name, _)| name == "reduction");
        reductions.any(|(_, text)| text.trim_start().starts_with("inscan"))
    }

    /// How many loops the directive speaks of; `None` where they are too many, or the number is no plain one.
    pub fn depth(&self) -> Option<usize> {
        let collapse = self.argument("collapse").map_or(Some(1), |n| n.trim().parse().ok())?;
        (1..=super::nests::DEEPEST).contains(&collapse).then_some(collapse)
    }

    /// The first names of all items in clauses of a name, behind what a modifier says.
    pub fn roots(&self, clause: &str) -> Vec<&str> {
        let lists = self.clauses.iter().filter(|(name, _)| name == clause);
        let items = lists.flat_map(|(_, list)| {
            list_items(list.split_once(':').filter(|(word, _)| is_modifier(word)).map_or(list, |(_, rest)| rest))
        });
        // A pointer is the region's own where what it leads to is mapped.
        let whole = items.into_iter().filter(|item| clause != "map" || !item.contains('['));
        whole.map(root).filter(|name| !name.is_empty()).collect()
    }
}

/// Whether what stands in front of a colon says how, not what (`map(tofrom: a[0:n])` has two colons).
fn is_modifier(word: &str) -> bool {
    !word.contains('[')
}

fn root(item: &str) -> &str {
    let item = item.trim().trim_start_matches(['*', '(', '&']);
    &item[..after_word(item.as_bytes(), 0)]
}

/// The items of a list, whose brackets may hold commas.
fn list_items(list: &str) -> Vec<&str> {
    let bytes = list.as_bytes();
    let (mut items, mut begin, mut at) = (Vec::new(), 0, 0);
    while at < bytes.len() {
        match bytes[at] {
            b',' => {
                items.push(list[begin..at].trim());
                (begin, at) = (at + 1, at + 1);
            }
            b'(' | b'[' => at = after_bracket(bytes, at).unwrap_or(bytes.len()),
            _ => at += 1,
        }
    }
    items.push(list[begin..].trim());
    items.retain(|item| !item.is_empty());
    items
}

/// What a reduction combines: a variable, or a part of an array.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Item {
    pub name: String,
    /// First index and number of elements, by dimension.
    pub sections: Vec<(String, String)>,
}

impl Item {
    fn read(text: &str) -> Option<Self> {
        let name = root(text).to_owned();
        let bytes = text.as_bytes();
        let (mut at, mut sections) = (name.len(), Vec::new());
        while bytes.get(at) == Some(&b'[') {
            let end = after_bracket(bytes, at)?;
            let inner = &text[at + 1..end - 1];
            let (first, length) = inner.split_once(':').unwrap_or((inner, "1"));
            let first = if first.trim().is_empty() { "0" } else { first.trim() };
            sections.push((first.to_owned(), length.trim().to_owned()));
            at = end;
        }
        // `a[lower:]` needs the size of the array; what follows inner sections is a whole row.
        let fine = !name.is_empty() && at == text.len() && sections.iter().all(|(_, length)| !length.is_empty());
        fine.then_some(Self { name, sections })
    }
}

/// Words that are the name of a directive in one place and a clause in another.
fn is_clause(words: &[&str], word: &str) -> bool {
    match word {
        "ordered" | "update" if matches!(words, ["target"]) => word == "ordered",
        "ordered" | "update" => !words.is_empty(),
        "target" | "data" | "parallel" if matches!(words, ["begin" | "declare" | "enter" | "exit" | "teams"]) => false,
        "parallel" | "for" | "sections" | "taskgroup" => matches!(words, ["cancel"] | ["cancellation", "point"]),
        _ => false,
    }
}

/// Without the brackets.
fn inside(text: &str) -> String {
    text.trim_start_matches('(').strip_suffix(')').unwrap_or(text).trim().to_owned()
}

/// A reduction of the program's own (`declare reduction`).
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct UserReduction {
    pub name: String,
    combiner: String,
    initializer: Option<String>,
    /// No other one has the name.
    pub is_only: bool,
}

impl UserReduction {
    /// From `declare reduction(name : types : combiner) initializer(...)`.
    pub fn read(directive: &Directive) -> Option<Self> {
        let mut parts = directive.argument("reduction")?.splitn(3, ':').map(str::trim);
        let (name, types, combiner) = (parts.next()?, parts.next()?, parts.next()?);
        let initializer = directive.argument("initializer").map(str::to_owned);
        let named = name.bytes().all(is_word) && !types.is_empty();
        let (name, combiner) = (name.to_owned(), combiner.to_owned());
        named.then_some(Self { name, combiner, initializer, is_only: true })
    }

    /// What gives the copy `own` its first value.
    pub fn initial(&self, own: &str, original: &str) -> String {
        let text = self.initializer.as_deref().unwrap_or("omp_priv = {0}");
        replaced(text, &[("omp_priv", own), ("omp_orig", original)])
    }

    /// What adds `own` to `whole`.
    pub fn combined(&self, whole: &str, own: &str) -> String {
        replaced(&self.combiner, &[("omp_out", whole), ("omp_in", own)])
    }
}

/// A text with other words for some.
fn replaced(text: &str, words: &[(&str, &str)]) -> String {
    let bytes = text.as_bytes();
    let (mut out, mut at) = (String::with_capacity(text.len()), 0);
    while at < bytes.len() {
        let end = token_end(bytes, at).max(at + 1);
        let word = &text[at..end];
        out.push_str(words.iter().find(|(from, _)| *from == word).map_or(word, |(_, to)| to));
        at = end;
    }
    out
}
