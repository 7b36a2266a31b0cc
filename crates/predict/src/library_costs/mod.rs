//! Files of library costs (`chronos-library-costs/1`): what functions of external libraries cost, by expressions of
//! their arguments.
//!
//! A function of BLAS is no part of the program and no C of its own; what it costs is the user's knowledge. The
//! work of each call is counted like the bytes of a `memcpy`, its price goes into the machine. This module knows
//! the format alone, neither programs nor how calls are counted.

pub mod codes;
mod expression;

#[cfg(test)]
mod tests;

use chronos_base::diag::{Diagnostic, system_cause};
use chronos_base::units::{Cycles, Nanoseconds};
use chronos_machine::json_path::field_at;
use chronos_machine::load::bare_message;
use chronos_machine::{LibraryCost, Machine};
use chronos_slicing::work::Work;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// What a file holds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CostFile {
    /// `chronos-library-costs/1`.
    pub schema: String,
    /// By C name.
    pub functions: BTreeMap<String, FunctionCost>,
}

/// What a call of a function costs: `ns_per_call + ns_per_work * work`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FunctionCost {
    /// Names of the arguments, in order, as far as `work` needs them; `*n`: a pointer to an int that it calls n.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<String>,
    /// Work of a call, such as `2*m*n*k` operations: integers, arguments, +, -, *, parentheses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work: Option<String>,
    /// Nanoseconds of a call, whatever its work.
    #[serde(default)]
    pub ns_per_call: Nanoseconds,
    /// Nanoseconds of a unit of work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ns_per_work: Option<Nanoseconds>,
    /// Units of work per nanosecond, instead of `ns_per_work`: of floating-point operations, Gflop/s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work_per_ns: Option<f64>,
}

/// Costs as counting and pricing need them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LibraryCosts {
    /// The work of a call, of functions whose cost depends on their arguments.
    pub work: BTreeMap<String, Work>,
    /// Of a call, and of a unit of its work.
    pub prices: BTreeMap<String, (Nanoseconds, Nanoseconds)>,
}

impl LibraryCosts {
    const SCHEMA: &'static str = "chronos-library-costs/1";

    /// Reads files; of two costs of one function the later one counts.
    ///
    /// # Errors
    /// Unreadable, not JSON, not of the schema, no expression, impossible costs: all of them.
    pub fn load<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Result<Self, Vec<Diagnostic>> {
        let mut costs = Self::default();
        let mut errors = Vec::new();
        for path in paths {
            let name = path.display().to_string();
            let read = std::fs::read_to_string(path).map_err(|error| vec![unreadable(&name, &error)]);
            match read.and_then(|text| Self::parse(&name, &text)) {
                Ok(more) => {
                    costs.work.extend(more.work);
                    costs.prices.extend(more.prices);
                }
                Err(found) => errors.extend(found),
            }
        }
        if errors.is_empty() { Ok(costs) } else { Err(errors) }
    }

    /// The costs that `text` states; `origin` stands in messages.
    ///
    /// # Errors
    /// As [`LibraryCosts::load`].
    pub fn parse(origin: &str, text: &str) -> Result<Self, Vec<Diagnostic>> {
        let file: CostFile = serde_json::from_str(text).map_err(|error| vec![malformed(origin, text, &error)])?;
        let mut errors = Vec::new();
        if file.schema != Self::SCHEMA {
            let message = format!("{origin}: field `schema`: expected \"{}\", found \"{}\"", Self::SCHEMA, file.schema);
            errors.push(Diagnostic::error(&codes::MALFORMED, message).help(SCHEMA_HELP));
        }
        let mut costs = Self::default();
        for (name, cost) in &file.functions {
            if let Err(error) = costs.add(origin, name, cost) {
                errors.push(error);
            }
        }
        if errors.is_empty() { Ok(costs) } else { Err(errors) }
    }

    fn add(&mut self, origin: &str, name: &str, cost: &FunctionCost) -> Result<(), Diagnostic> {
        if let Some(text) = &cost.work {
            let work = expression::parse(text, &cost.arguments).map_err(|what| {
                let message = format!("{origin}: field `functions.{name}.work`: {what}");
                Diagnostic::error(&codes::BAD_WORK, message)
                    .help("write integers, names listed in `arguments`, +, -, * and parentheses, such as 2*m*n*k")
            })?;
            self.work.insert(name.to_owned(), work);
        }
        let per_work = match (cost.ns_per_work, cost.work_per_ns) {
            (Some(ns), None) => ns.0,
            (None, Some(rate)) if rate > 0.0 => 1.0 / rate,
            (None, None) if cost.work.is_none() => 0.0,
            (None, None) => return Err(impossible(origin, name, "`work` needs `ns_per_work` or `work_per_ns`")),
            (None, Some(_)) => return Err(impossible(origin, name, "`work_per_ns` must be a number above 0")),
            (Some(_), Some(_)) => {
                return Err(impossible(origin, name, "give `ns_per_work` or `work_per_ns`, not both"));
            }
        };
        let sound = |ns: f64| ns >= 0.0 && ns.is_finite();
        if !sound(cost.ns_per_call.0) || !sound(per_work) {
            return Err(impossible(origin, name, "costs are numbers not below 0"));
        }
        self.prices.insert(name.to_owned(), (cost.ns_per_call, Nanoseconds(per_work)));
        Ok(())
    }

    /// Puts the prices into a machine: a unit of work costs what there a byte costs.
    pub fn apply(&self, machine: &mut Machine) {
        let cycle = machine.ns_per_cycle.0;
        for (name, (call, work)) in &self.prices {
            let cost = LibraryCost { cycles: Cycles(call.0 / cycle), cycles_per_byte: Cycles(work.0 / cycle) };
            machine.library.insert(name.clone(), cost);
        }
    }
}

/// The text of a file with these costs, by C name.
pub fn to_json(functions: BTreeMap<String, FunctionCost>) -> String {
    let file = CostFile { schema: LibraryCosts::SCHEMA.to_owned(), functions };
    // Maps of strings and numbers are always JSON.
    serde_json::to_string_pretty(&file).unwrap_or_default() + "\n"
}

const SCHEMA_HELP: &str = "schemas/chronos-library-costs-1.json describes every field";

fn unreadable(path: &str, error: &std::io::Error) -> Diagnostic {
    let message = format!("cannot read the library costs {path}: {}", system_cause(error));
    Diagnostic::error(&codes::UNREADABLE, message).help("name a file that exists and may be read")
}

fn malformed(origin: &str, text: &str, error: &serde_json::Error) -> Diagnostic {
    let field = field_at(text, error.line(), error.column());
    let field = if field.is_empty() { String::new() } else { format!("field `{field}`: ") };
    let message = format!("{origin}:{}:{}: {field}{}", error.line(), error.column(), bare_message(error));
    Diagnostic::error(&codes::MALFORMED, message).help(SCHEMA_HELP)
}

fn impossible(origin: &str, name: &str, what: &str) -> Diagnostic {
    Diagnostic::error(&codes::BAD_COST, format!("{origin}: field `functions.{name}`: {what}"))
        .help("give times in nanoseconds, or `work_per_ns` (Gflop/s of floating-point operations)")
}
