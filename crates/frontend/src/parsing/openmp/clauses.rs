//! A directive: its name and its clauses.

use super::statements::after_bracket;
use crate::source_text::tokens::after_word;

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
];

/// Clauses without influence on what is executed, on a processor that shares its memory.
const HARMLESS: &[&str] = &[
    "shared",
    "default",
    "proc_bind",
    "safelen",
    "simdlen",
    "aligned",
    "linear",
    "untied",
    "mergeable",
    "priority",
    "depend",
    "final",
    "read",
    "write",
    "capture",
    "seq_cst",
    "acq_rel",
    "release",
    "acquire",
    "relaxed",
    "hint",
    "allocate",
    "nontemporal",
    "order",
    "monotonic",
    "inbranch",
    "notinbranch",
    "uniform",
];

/// Directives with the clauses that they are modelled with, harmless ones apart.
const MODELLED: &[(&str, &[&str])] = &[
    ("parallel", &["num_threads", "if", "private", "firstprivate", "reduction", "copyin"]),
    ("for", LOOP),
    ("for simd", LOOP),
    ("parallel for", PARALLEL_LOOP),
    ("parallel for simd", PARALLEL_LOOP),
    ("sections", &["private", "firstprivate", "reduction", "nowait"]),
    ("parallel sections", &["num_threads", "if", "private", "firstprivate", "reduction"]),
    ("section", &[]),
    ("single", &["private", "firstprivate", "nowait", "copyprivate"]),
    ("master", &[]),
    ("masked", &[]),
    ("critical", &[]),
    ("atomic", &["update"]),
    ("barrier", &[]),
    ("task", &["if", "private", "firstprivate"]),
    ("taskwait", &[]),
    ("taskyield", &[]),
    ("taskgroup", &[]),
    ("simd", &["private", "lastprivate", "reduction", "collapse", "if"]),
    ("declare simd", &[]),
    ("threadprivate", &[]),
    ("flush", &[]),
    ("ordered", &[]),
    // Without OMP_CANCELLATION=true they do nothing (OpenMP 4.5, 2.14.1).
    ("cancel", &["parallel", "for", "sections", "taskgroup", "if"]),
    ("cancellation point", &["parallel", "for", "sections", "taskgroup"]),
];

const LOOP: &[&str] =
    &["schedule", "private", "firstprivate", "lastprivate", "reduction", "collapse", "nowait", "ordered"];
const PARALLEL_LOOP: &[&str] = &[
    "num_threads",
    "if",
    "schedule",
    "private",
    "firstprivate",
    "lastprivate",
    "reduction",
    "collapse",
    "ordered",
    "copyin",
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
        directive
    }

    /// Whether all of it is modelled.
    pub fn is_modelled(&self) -> bool {
        let Some((_, known)) = MODELLED.iter().find(|(name, _)| *name == self.name) else { return false };
        let bare = matches!(&*self.name, "critical" | "threadprivate" | "flush");
        let fine = |name: &str| HARMLESS.contains(&name) || known.contains(&name) || bare && name.is_empty();
        self.clauses.iter().all(|(name, _)| fine(name)) && self.reductions().is_some() && self.has_plain_arguments()
    }

    /// What of the arguments is beyond the first form: `ordered(n)`, loops nested deeper, lists with array sections.
    fn has_plain_arguments(&self) -> bool {
        let ordered = self.argument("ordered").is_none_or(|argument| argument.is_empty());
        let filtered = self.argument("filter").is_none();
        let deep = self.name != "simd" && self.argument("collapse").is_some_and(|n| !matches!(n.trim(), "1" | "2"));
        let lists = ["private", "firstprivate", "lastprivate", "copyprivate", "copyin"];
        let plain = |name: &str| name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        ordered && filtered && !deep && lists.iter().all(|list| self.names(list).iter().all(|name| plain(name)))
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
        Some(if matches!(modifier.trim(), "parallel" | "task") { rest } else { text })
    }

    /// Operators of reductions with the variable of each; `None` where one of them is not modelled.
    pub fn reductions(&self) -> Option<Vec<(&str, &str)>> {
        let mut found = Vec::new();
        for (_, text) in self.clauses.iter().filter(|(name, _)| name == "reduction") {
            let (operator, list) = text.split_once(':')?;
            let operator = operator.trim().strip_prefix("default,").map_or(operator.trim(), str::trim);
            if !matches!(operator, "+" | "-" | "*" | "&" | "|" | "^" | "&&" | "||" | "min" | "max")
                || list.contains('[')
            {
                return None;
            }
            found.extend(list.split(',').map(|name| (operator, name.trim())).filter(|(_, name)| !name.is_empty()));
        }
        Some(found)
    }
}

/// Words that are the name of a directive in one place and a clause in another.
fn is_clause(words: &[&str], word: &str) -> bool {
    match word {
        "ordered" | "update" => !words.is_empty(),
        "parallel" | "for" | "sections" | "taskgroup" => matches!(words, ["cancel"] | ["cancellation", "point"]),
        _ => false,
    }
}

/// Without the brackets.
fn inside(text: &str) -> String {
    text.trim_start_matches('(').strip_suffix(')').unwrap_or(text).trim().to_owned()
}
