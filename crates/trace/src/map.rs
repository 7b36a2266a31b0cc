//! `trace.json`: what the numbers in a trace mean.

use super::codes;
use super::formula::{Formula, PointId};
use super::identity::{Identity, digest};
use chronos_base::diag::Diagnostic;
use chronos_ir::{BlockId, CounterId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The only schema there is.
pub const SCHEMA: &str = "chronos-trace/1";

/// See the module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceMap {
    /// Always `chronos-trace/1` ([`SCHEMA`]).
    pub schema: String,
    /// The program that was instrumented.
    pub identity: Identity,
    /// Tasks that counts were asked for; a run may have another number.
    pub tasks: usize,
    /// Number of trace points.
    pub points: u32,
    /// All counters of the user's files were traced.
    #[serde(default)]
    pub whole: bool,
    /// Those of the program in the run, where `chronos trace` started it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Vec<String>>,
    /// By counter: points with the factors that add up to it.
    pub counters: BTreeMap<u32, Vec<(u32, i32)>>,
    /// By the block of a call, the point that counts the bytes that it moves or sets.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub volumes: BTreeMap<u32, u32>,
}

/// What points add up to with their factors; what would be negative (a partial trace) is 0.
fn sum(terms: &[(u32, i32)], executions: &dyn Fn(u32) -> u128) -> u128 {
    let (mut more, mut less) = (0_u128, 0_u128);
    for &(point, times) in terms {
        let amount = executions(point).saturating_mul(times.unsigned_abs().into());
        let sum = if times > 0 { &mut more } else { &mut less };
        *sum = sum.saturating_add(amount);
    }
    more.saturating_sub(less)
}

impl TraceMap {
    /// The map of a program with so many points, without arguments.
    pub fn new(
        identity: &Identity,
        points: u32,
        whole: bool,
        formulas: &BTreeMap<CounterId, Formula>,
        tasks: usize,
    ) -> Self {
        let terms = |formula: &Formula| formula.terms().map(|(point, times)| (point.0, times)).collect();
        Self {
            schema: SCHEMA.to_owned(),
            identity: identity.clone(),
            tasks,
            points,
            whole,
            arguments: None,
            counters: formulas.iter().map(|(counter, formula)| (counter.0, terms(formula))).collect(),
            volumes: BTreeMap::new(),
        }
    }

    /// With points that count bytes, by the call that these are of.
    #[must_use]
    pub fn with_volumes(mut self, volumes: &BTreeMap<BlockId, PointId>) -> Self {
        self.volumes = volumes.iter().map(|(block, point)| (block.0, point.0)).collect();
        self
    }

    /// The bytes of the calls that were executed for any.
    pub fn bytes(&self, executions: &dyn Fn(u32) -> u128) -> BTreeMap<BlockId, f64> {
        let bytes = self.volumes.iter().map(|(&block, &point)| (BlockId(block), executions(point) as f64));
        bytes.filter(|(_, bytes)| *bytes > 0.0).collect()
    }

    /// Counters from executions of points.
    pub fn executed(&self, executions: &dyn Fn(u32) -> u128) -> BTreeMap<CounterId, u128> {
        self.counters.iter().map(|(&counter, terms)| (CounterId(counter), sum(terms, executions))).collect()
    }

    /// One of them; 0 of a counter that is not traced.
    pub fn executed_of(&self, counter: CounterId, executions: &dyn Fn(u32) -> u128) -> u128 {
        self.counters.get(&counter.0).map_or(0, |terms| sum(terms, executions))
    }

    /// One line per counter; the checksum is of all lines behind its own.
    pub fn to_json(&self) -> String {
        let rest = self.described();
        format!("{{\n\"schema\": \"{}\",\n{CHECKSUM}{}\",\n{rest}", self.schema, digest(rest.as_bytes()))
    }

    fn described(&self) -> String {
        let mut out = format!("\"identity\": {},\n", json(&self.identity));
        let Self { tasks, points, whole, .. } = self;
        out.push_str(&format!("\"tasks\": {tasks},\n\"points\": {points},\n\"whole\": {whole},\n"));
        if let Some(arguments) = &self.arguments {
            out.push_str(&format!("\"arguments\": {},\n", json(arguments)));
        }
        if !self.volumes.is_empty() {
            out.push_str(&format!("\"volumes\": {},\n", json(&self.volumes)));
        }
        out.push_str("\"counters\": {\n");
        let lines: Vec<String> =
            self.counters.iter().map(|(counter, terms)| format!("\"{counter}\": {}", json(terms))).collect();
        out.push_str(&lines.join(",\n"));
        out.push_str("\n}}\n");
        out
    }

    /// Reads `trace.json`; `name` is for messages.
    ///
    /// # Errors
    /// Where it is no such file, or one of another version.
    pub fn parse(text: &str, name: &str) -> Result<Self, Box<Diagnostic>> {
        let map: Self = serde_json::from_str(text).map_err(|error| {
            let message = format!("{name} is no description of a trace: {error}");
            Box::new(
                Diagnostic::error(&codes::UNREADABLE, message)
                    .help("trace the program again: chronos trace ... -o DIR"),
            )
        })?;
        if map.schema == SCHEMA && is_damaged(text) {
            let message = format!("{name} is damaged: its checksum is of another text");
            return Err(Box::new(
                Diagnostic::error(&codes::UNREADABLE, message).help("the file was changed; trace the program again"),
            ));
        }
        if map.schema != SCHEMA {
            let message = format!("{name} has the schema `{}`, not `{SCHEMA}`", map.schema);
            return Err(Box::new(
                Diagnostic::error(&codes::UNREADABLE, message).help("trace the program with this version of chronos"),
            ));
        }
        let beyond = |terms: &Vec<(u32, i32)>| terms.iter().any(|&(point, _)| point >= map.points);
        if map.counters.values().any(beyond) || map.volumes.values().any(|&point| point >= map.points) {
            let message = format!("{name} names trace points beyond its number of points");
            return Err(Box::new(
                Diagnostic::error(&codes::UNREADABLE, message).help("the file was changed; trace the program again"),
            ));
        }
        Ok(map)
    }

    /// The formula of a counter, where it was traced.
    pub fn formula(&self, counter: CounterId) -> Option<Formula> {
        let terms = self.counters.get(&counter.0)?;
        Some(Formula::from_terms(terms.iter().map(|&(point, times)| (PointId(point), times))))
    }
}

const CHECKSUM: &str = "\"checksum\": \"";

/// Whether a text has a checksum, which traces of before had not, of something else.
fn is_damaged(text: &str) -> bool {
    let Some((_, behind)) = text.split_once(CHECKSUM) else { return false };
    behind.split_once("\",\n").is_none_or(|(sum, rest)| sum != digest(rest.as_bytes()))
}

/// JSON on one line.
fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
