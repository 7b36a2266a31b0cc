//! Changes as words of a command line: what they say, before it is known whether the program has it.

use crate::codes;
use chronos_base::diag::Diagnostic;
use chronos_base::spelling::nearest;

/// Changes that are made together, with the words that ask for them.
#[derive(Clone, Debug, PartialEq)]
pub struct Combination {
    /// As given.
    pub text: String,
    /// At least one.
    pub changes: Vec<Change>,
}

/// One change of the program or the system.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Tasks on other nodes (process LBF).
    Place(Placing),
    /// Another network, by name, path or model.
    Network(String),
    /// Code that takes the k-th part of its time; `None`: no time.
    Speed(Code, Option<f64>),
    /// A function that other tasks execute (procedure LBF).
    Move(Move),
    /// Computation spread evenly over the tasks; `None`: all of it, else that of a function.
    Balance(Option<String>),
    /// Messages take no time.
    IdealNetwork,
    /// Waits come as late as the computation behind them allows.
    Overlap,
    /// One task computes k times as fast.
    Node(usize, f64),
}

/// Where tasks are placed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Placing {
    /// The node of each task.
    Nodes(Vec<u32>),
    /// So many tasks on so many nodes, in blocks.
    Blocks {
        /// The number of tasks.
        tasks: usize,
        /// The number of nodes.
        nodes: u32,
    },
    /// Task i on node i modulo this.
    Cyclic(u32),
    /// The best on so many nodes.
    Best(u32),
}

/// Code that can take less time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Code {
    /// A function by name, with what it calls unless `alone`.
    Function {
        /// The name in the source.
        name: String,
        /// Without what it calls.
        alone: bool,
    },
    /// What begins on a line: a loop with all that is in it, else the blocks of the line.
    Line {
        /// The file, or the end of its path.
        file: String,
        /// Counted from 1.
        line: u32,
    },
}

/// A function that is executed at the other end of messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// Its name.
    pub function: String,
    /// Tasks that execute it.
    pub from: Vec<usize>,
    /// Tasks that are to execute it.
    pub to: Vec<usize>,
    /// Before the receive of the message, or behind it.
    pub position: Position,
    /// Bytes that messages grow by; negative: shrink.
    pub bytes: i64,
}

/// Where a function is executed instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// Before the receive of the message before which it was executed.
    Before,
    /// Behind it.
    After,
}

/// A kind of change, as it is written.
struct Form {
    /// The word before `=`.
    key: &'static str,
    /// What help shows.
    syntax: &'static str,
    /// What a diagnostic shows to who got it wrong.
    example: &'static str,
}

const fn form(key: &'static str, syntax: &'static str, example: &'static str) -> Form {
    Form { key, syntax, example }
}

const FORMS: [Form; 9] = [
    form(
        "place",
        "place=0,0,1,1, place=N/M, place=cyclic:M, place=best:M",
        "place=0,0,1,1, place=4/2, place=cyclic:2 or place=best:2",
    ),
    form("network", "network=NAME", "network=ethernet-1000"),
    form("zero", "zero=F", "zero=solve, or zero=solve! without what solve calls"),
    form("speed", "speed=F:k, speed=FILE:LINE:k", "speed=solve:2, or speed=solve.c:120:2 for the loop on that line"),
    form("move", "move=F:FROM->TO[,after][,bytes=B]", "move=solve:0->1, move=solve:0->2,3,after,bytes=-8"),
    form("balance", "balance, balance=F", "balance, or balance=solve"),
    form("ideal-network", "ideal-network", "ideal-network"),
    form("overlap", "overlap", "overlap"),
    form("node", "node=R:k", "node=3:2"),
];

/// How all changes are written, for help.
pub fn syntax() -> String {
    FORMS.map(|form| form.syntax).join(", ")
}

/// Whether a word of a command line is a change, not a file: `word=...`, a change that needs no value, or several
/// joined by ` + `.
pub fn is_change(word: &str) -> bool {
    let first = word.split(" + ").next().unwrap_or_default();
    match first.split_once('=') {
        Some((key, _)) => !key.is_empty() && key.chars().all(|c| c.is_ascii_alphabetic() || c == '-'),
        None => matches!(first, "balance" | "ideal-network" | "overlap"),
    }
}

impl Combination {
    /// The networks that it names, which may be files.
    pub fn networks(&self) -> impl Iterator<Item = &str> {
        self.changes.iter().filter_map(|change| if let Change::Network(name) = change { Some(&**name) } else { None })
    }

    /// What words say.
    ///
    /// # Errors
    /// A word that is no change, or changes that contradict each other.
    pub fn parse(text: &str) -> Result<Self, Diagnostic> {
        let changes = text.split(" + ").map(|word| one(word.trim(), text)).collect::<Result<Vec<_>, _>>()?;
        let of_network = |change: &&Change| matches!(change, Change::Network(_) | Change::IdealNetwork);
        let of_place = |change: &&Change| matches!(change, Change::Place(_));
        let twice = [
            ("networks", changes.iter().filter(of_network).count()),
            ("placements", changes.iter().filter(of_place).count()),
        ];
        if let Some((what, _)) = twice.iter().find(|(_, count)| *count > 1) {
            return Err(wrong(text, &format!("has two {what} at once"), "give them as two changes, a row each"));
        }
        let searches = changes.iter().any(|change| matches!(change, Change::Place(Placing::Best(_))));
        if searches && changes.len() > 1 {
            let help = "search alone first; the row names the placement that was found, which can be combined";
            return Err(wrong(text, "searches a placement together with another change", help));
        }
        Ok(Self { text: text.to_owned(), changes })
    }
}

fn wrong(text: &str, what: &str, help: &str) -> Diagnostic {
    Diagnostic::error(&codes::WRONG_CHANGE, format!("the change `{text}` {what}")).help(help)
}

fn one(word: &str, text: &str) -> Result<Change, Diagnostic> {
    let (key, value) = word.split_once('=').map_or((word, None), |(key, value)| (key, Some(value)));
    let Some(Form { example, .. }) = FORMS.iter().find(|form| form.key == key) else { return Err(unknown(key, text)) };
    let fault = |what: &str| wrong(text, what, &format!("it reads {example}"));
    match (key, value.filter(|value| !value.is_empty())) {
        ("balance", None) if value.is_none() => Ok(Change::Balance(None)),
        ("balance", Some(name)) => Ok(Change::Balance(Some(name.to_owned()))),
        ("ideal-network", None) if value.is_none() => Ok(Change::IdealNetwork),
        ("overlap", None) if value.is_none() => Ok(Change::Overlap),
        ("ideal-network" | "overlap", _) => Err(fault("has a value where none belongs")),
        (_, None) => Err(fault("has no value")),
        ("place", Some(value)) => placing(value).map(Change::Place).map_err(|what| fault(&what)),
        ("network", Some(name)) => Ok(Change::Network(name.to_owned())),
        ("zero", Some(name)) => Ok(Change::Speed(function(name), None)),
        ("speed", Some(value)) => speed(value).map_err(|what| fault(&what)),
        ("move", Some(value)) => movement(value).map(Change::Move).map_err(|what| fault(&what)),
        (_, Some(value)) => node(value).map_err(|what| fault(&what)),
    }
}

fn unknown(key: &str, text: &str) -> Diagnostic {
    let near = nearest(key, FORMS.iter().map(|form| form.key));
    let near = near.map_or(String::new(), |near| format!("did you mean `{near}`? "));
    let all: Vec<&str> = FORMS.iter().map(|form| form.key).collect();
    let help = format!("{near}changes are {}; a file of this name is given as ./{text}", all.join(", "));
    wrong(text, &format!("has no known meaning: there is no `{key}`"), &help)
}

fn placing(value: &str) -> Result<Placing, String> {
    let nodes = |text: &str| match text.parse::<u32>() {
        Ok(nodes @ 1..=1_048_576) => Ok(nodes),
        _ => Err(format!("has `{text}` where a number of nodes belongs")),
    };
    if let Some(count) = value.strip_prefix("cyclic:") {
        return nodes(count).map(Placing::Cyclic);
    }
    if let Some(count) = value.strip_prefix("best:") {
        return nodes(count).map(Placing::Best);
    }
    if let Some((tasks, count)) = value.split_once('/') {
        let tasks = tasks.parse().map_err(|_| format!("has `{tasks}` where a number of tasks belongs"))?;
        return Ok(Placing::Blocks { tasks, nodes: nodes(count)? });
    }
    let node = |text: &str| text.parse().map_err(|_| format!("has `{text}` where the number of a node belongs"));
    value.split(',').map(node).collect::<Result<_, _>>().map(Placing::Nodes)
}

fn function(name: &str) -> Code {
    let (name, alone) = name.strip_suffix('!').map_or((name, false), |name| (name, true));
    Code::Function { name: name.to_owned(), alone }
}

fn factor(text: &str) -> Result<f64, String> {
    let positive = |k: &f64| k.is_finite() && *k > 0.0;
    let wrong = || format!("has `{text}` where a positive factor belongs (2: twice as fast)");
    text.parse().ok().filter(positive).ok_or_else(wrong)
}

fn speed(value: &str) -> Result<Change, String> {
    let (what, k) = value.rsplit_once(':').ok_or("has no factor")?;
    let k = Some(factor(k)?);
    match what.rsplit_once(':') {
        None => Ok(Change::Speed(function(what), k)),
        Some((file, line)) => {
            let line = line.parse().map_err(|_| format!("has `{line}` where the number of a line belongs"))?;
            Ok(Change::Speed(Code::Line { file: file.to_owned(), line }, k))
        }
    }
}

fn node(value: &str) -> Result<Change, String> {
    let (rank, k) = value.split_once(':').ok_or("has no factor")?;
    let rank = rank.parse().map_err(|_| format!("has `{rank}` where the rank of a task belongs"))?;
    Ok(Change::Node(rank, factor(k)?))
}

fn movement(value: &str) -> Result<Move, String> {
    let (function, tasks) = value.rsplit_once(':').ok_or("does not say from which task to which")?;
    let (from, to) = tasks.split_once("->").ok_or("does not say from which task to which")?;
    let rank = |text: &str| text.parse().map_err(|_| format!("has `{text}` where the rank of a task belongs"));
    let from = from.split(',').map(rank).collect::<Result<Vec<usize>, String>>()?;
    let mut moved = Move { function: function.to_owned(), from, to: Vec::new(), position: Position::Before, bytes: 0 };
    for word in to.split(',') {
        match (word, word.strip_prefix("bytes=")) {
            ("before", _) => moved.position = Position::Before,
            ("after", _) => moved.position = Position::After,
            (_, Some(bytes)) => {
                moved.bytes = bytes.parse().map_err(|_| format!("has `{bytes}` where a number of bytes belongs"))?;
            }
            _ => moved.to.push(rank(word)?),
        }
    }
    if let Some(both) = moved.to.iter().find(|rank| moved.from.contains(rank)) {
        return Err(format!("moves from task {both} to itself"));
    }
    if moved.to.is_empty() { Err("names no task to move to".to_owned()) } else { Ok(moved) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Vec<Change> {
        Combination::parse(text).map_or_else(|error| panic!("{error:?}"), |combination| combination.changes)
    }

    fn fault(text: &str) -> String {
        let error = Combination::parse(text).expect_err(text);
        format!("{}; {}", error.message, error.help.unwrap_or_default())
    }

    #[test]
    fn changes_are_told_from_files() {
        for word in [
            "place=0,1",
            "balance",
            "overlap",
            "ideal-network",
            "zero=f",
            "zro=f",
            "zero=f + overlap",
            "balance + overlap",
        ] {
            assert!(is_change(word), "{word}");
        }
        for file in ["a.c", "balance.c", "./zero=f.c", "dir/x=1.c", "src", "=x", "a + b.c"] {
            assert!(!is_change(file), "{file}");
        }
    }

    #[test]
    fn every_form_has_its_meaning() {
        let f = |alone| Code::Function { name: "f".to_owned(), alone };
        assert_eq!(parsed("place=0,0,1"), [Change::Place(Placing::Nodes(vec![0, 0, 1]))]);
        assert_eq!(parsed("place=4/2"), [Change::Place(Placing::Blocks { tasks: 4, nodes: 2 })]);
        assert_eq!(parsed("place=cyclic:3"), [Change::Place(Placing::Cyclic(3))]);
        assert_eq!(parsed("place=best:3"), [Change::Place(Placing::Best(3))]);
        assert_eq!(parsed("network=linear:a=1,b=2"), [Change::Network("linear:a=1,b=2".to_owned())]);
        assert_eq!(parsed("zero=f + zero=f!"), [Change::Speed(f(false), None), Change::Speed(f(true), None)]);
        assert_eq!(parsed("speed=f:2.5"), [Change::Speed(f(false), Some(2.5))]);
        let line = Code::Line { file: "a.c".to_owned(), line: 12 };
        assert_eq!(parsed("speed=a.c:12:2"), [Change::Speed(line, Some(2.0))]);
        assert_eq!(parsed("balance + overlap"), [Change::Balance(None), Change::Overlap]);
        assert_eq!(parsed("node=3:0.5"), [Change::Node(3, 0.5)]);
        let function = "f".to_owned();
        let expected = Move { function, from: vec![0], to: vec![2, 3], position: Position::After, bytes: -8 };
        assert_eq!(parsed("move=f:0->2,3,after,bytes=-8"), [Change::Move(expected)]);
    }

    #[test]
    fn faults_name_the_word_and_the_right_form() {
        assert!(fault("zro=f").contains("did you mean `zero`?"));
        assert!(fault("zero=").contains("has no value; it reads zero=solve"));
        assert!(fault("speed=f").contains("has no factor; it reads speed=solve:2"));
        assert!(fault("speed=f:-1").contains("positive factor"));
        assert!(fault("speed=a.c:x:2").contains("number of a line"));
        assert!(fault("place=0,x").contains("`x` where the number of a node"));
        assert!(fault("place=best:0").contains("number of nodes"));
        assert!(fault("overlap=3").contains("where none belongs"));
        assert!(fault("move=f:0").contains("from which task to which"));
        assert!(fault("move=f:0->0").contains("to itself"));
        assert!(fault("move=f:0->after").contains("names no task"));
        assert!(fault("network=a + ideal-network").contains("two networks"));
        assert!(fault("place=best:2 + zero=f").contains("searches a placement"));
    }
}
