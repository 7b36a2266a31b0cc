//! Directives that consist of several: which is the outer one, and whose the clauses are (OpenMP 5.0, 2.13).

use super::clauses::Directive;

/// What the outer directive of a composite takes of its clauses; the inner one has all others.
fn taken(outer: &str) -> &'static [&'static str] {
    match outer {
        "target" => &[
            "map",
            "device",
            "is_device_ptr",
            "has_device_addr",
            "defaultmap",
            "depend",
            "uses_allocators",
            "in_reduction",
        ],
        "teams" => &["num_teams", "thread_limit"],
        "parallel" => &["num_threads", "copyin", "proc_bind"],
        "masked" => &["filter"],
        _ => &[],
    }
}

/// Directives that stand alone although their first word begins composites.
const WHOLE: &[&str] = &["target data", "target enter data", "target exit data", "target update"];

impl Directive {
    /// The outer directive and the rest, where this is a composite.
    pub fn parts(&self) -> Option<(Self, Self)> {
        let (outer, inner) = self.name.split_once(' ').filter(|_| !WHOLE.contains(&self.name.as_str()))?;
        let splits = match outer {
            "target" | "teams" => true,
            "parallel" => inner.starts_with("mas") || inner == "loop",
            "master" | "masked" => inner.starts_with("taskloop"),
            _ => false,
        };
        splits.then(|| self.divided(outer, inner))
    }

    fn divided(&self, outer: &str, inner: &str) -> (Self, Self) {
        let inner_name = match (outer, inner) {
            ("teams", "loop") => "distribute",
            ("parallel", "loop") => "for",
            _ => inner,
        };
        let mut first = Self { name: outer.to_owned(), clauses: Vec::new() };
        let mut second = Self { name: inner_name.to_owned(), clauses: Vec::new() };
        for (name, argument) in &self.clauses {
            let condition = name == "if";
            let (modifier, rest) = argument.split_once(':').unwrap_or(("", argument));
            let clause = (name.clone(), argument.clone());
            if condition && modifier.trim() == outer {
                first.clauses.push((name.clone(), rest.to_owned()));
            } else if taken(outer).contains(&name.as_str()) || condition && outer == "parallel" && modifier.is_empty() {
                first.clauses.push(clause);
            } else if name == "nowait" && outer == "target" {
                // The thread waits for nothing that is not there.
            } else {
                second.clauses.push(clause);
            }
        }
        (first, second)
    }
}
