//! Finding, reading and checking machine files: embedded ones by name, others by path.

use super::scale::better_class;
use super::shipped::{ShippedFiles, named};
use super::workstation::Machine;
use super::{codes, json_path};
use chronos_base::diag::{Diagnostic, system_cause};
use chronos_base::spelling::nearest;
use chronos_ir::InstructionClass;

/// Files of `machines/`, by name, sorted.
static EMBEDDED: ShippedFiles = include!(concat!(env!("OUT_DIR"), "/machines.rs"));

/// Names that `Machine::load` knows, sorted.
pub fn embedded_names() -> impl Iterator<Item = &'static str> {
    EMBEDDED.iter().map(|&(name, _)| name)
}

impl Machine {
    /// The machine with an embedded name, or of the file at a path.
    ///
    /// # Errors
    /// Unknown name, unreadable file, not JSON, not of the schema, impossible value: the first of them,
    /// with file, field, what was expected and the remedy.
    pub fn load(name_or_path: &str) -> Result<Self, Diagnostic> {
        if let Some((name, text)) = named(EMBEDDED, name_or_path) {
            return Self::parse(name, &text);
        }
        let path = std::path::Path::new(name_or_path);
        if !path.exists() && !looks_like_path(name_or_path) {
            return Err(unknown_machine(name_or_path));
        }
        let text = std::fs::read_to_string(path).map_err(|error| unreadable(name_or_path, &error))?;
        Self::parse(name_or_path, &text)
    }

    /// The machine that `text` describes; `origin` (a path or name) stands in messages.
    ///
    /// # Errors
    /// As [`Machine::load`].
    pub fn parse(origin: &str, text: &str) -> Result<Self, Diagnostic> {
        let machine: Self = serde_json::from_str(text).map_err(|error| malformed(origin, text, &error))?;
        match machine.check(origin).into_iter().find(Diagnostic::is_error) {
            Some(error) => Err(error),
            None => Ok(machine.with_default_costs(InstructionClass::default_cost)),
        }
    }

    /// With costs for the classes that the file leaves out, as `relation` has them; the notes say so.
    pub(crate) fn with_default_costs(
        mut self,
        relation: fn(InstructionClass) -> Option<(InstructionClass, f64)>,
    ) -> Self {
        for class in InstructionClass::ALL {
            let Some((other, times)) = relation(class).filter(|_| !self.classes.contains_key(&class)) else { continue };
            let Some(mut cost) = self.classes.get(&other).cloned() else { continue };
            better_class(&mut cost, 1.0 / times);
            let note = format!("no cost of `{}` in the file: {times} times that of `{}`", class.name(), other.name());
            self.provenance.notes.push(note);
            self.classes.insert(class, cost);
        }
        self
    }
}

fn looks_like_path(name: &str) -> bool {
    name.contains('/') || name.ends_with(".json")
}

fn unreadable(path: &str, error: &std::io::Error) -> Diagnostic {
    Diagnostic::error(
        &codes::UNREADABLE_FILE,
        format!("cannot read the machine file `{path}`: {}", system_cause(error)),
    )
    .help(format!("check the path, or name a shipped machine: {}", names()))
}

fn names() -> String {
    embedded_names().collect::<Vec<_>>().join(", ")
}

fn unknown_machine(name: &str) -> Diagnostic {
    let suggestion = match nearest(name, embedded_names()) {
        Some(near) => format!("did you mean `{near}`? "),
        None => String::new(),
    };
    let help = format!(
        "{suggestion}Shipped machines: {}; a path contains a slash or ends in .json; \
         `chronos calibrate -o here.json` measures this workstation",
        names()
    );
    Diagnostic::error(&codes::UNKNOWN_MACHINE, format!("there is no machine `{name}`")).help(help)
}

fn malformed(origin: &str, text: &str, error: &serde_json::Error) -> Diagnostic {
    let place = format!("{origin}:{}:{}", error.line(), error.column());
    if error.classify() != serde_json::error::Category::Data {
        let message = format!("{place}: the machine file is not JSON: {}", bare_message(error));
        return Diagnostic::error(&codes::INVALID_JSON, message)
            .help("correct the file there, or write a new one with `chronos calibrate -o FILE`");
    }
    let field = match json_path::field_at(text, error.line(), error.column()) {
        path if path.is_empty() => "at the top level".to_owned(),
        path => format!("field `{path}`"),
    };
    Diagnostic::error(&codes::INVALID_FIELD, format!("{place}: {field}: {}", bare_message(error))).help(
        "schemas/chronos-machine-1.json describes every field; `chronos machine show pentium2-350` prints a valid file",
    )
}

/// The message without the position that `serde_json` appends, in words of people who write files.
pub fn bare_message(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let text = text.rfind(" at line ").map_or(text.as_str(), |at| &text[..at]);
    if text.contains("expected struct") {
        return "expected an object in braces, {...}".to_owned();
    }
    text.replace("expected f64", "expected a number")
        .replace("expected u64", "expected a whole number")
        .replace("expected u32", "expected a whole number")
}
