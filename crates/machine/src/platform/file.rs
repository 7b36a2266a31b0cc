//! The file of a platform, as it is read and checked.

use super::amakata::AmakataNetwork;
use crate::codes;
use crate::json_path::field_at;
use crate::load::bare_message;
use crate::topology::{Contention, Topology};
use chronos_base::diag::{Diagnostic, system_cause};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The schema that a platform file names.
pub const SCHEMA: &str = "chronos-platform/1";

/// Machines, their number, their network and how tasks are placed on them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlatformFile {
    /// `chronos-platform/1`.
    pub schema: String,
    /// A short name for tables.
    pub name: String,
    /// One sentence for people.
    #[serde(default)]
    pub description: String,
    /// Kinds of nodes; nodes are numbered from 0 in this order.
    pub nodes: Vec<NodeKind>,
    /// Name, path or parameters of the network between them; absent: what the command line says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<String>,
    /// Messages between the nodes by parameters of single ones and of pairs, in place of `network` and `topology`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amakata: Option<AmakataNetwork>,
    /// How nodes are wired; absent: to one switch, and messages meet as the network says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topology: Option<Topology>,
    /// Which tasks run on which nodes; the default rule where it is absent.
    #[serde(default)]
    pub placement: PlacementRule,
}

/// Nodes of one kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NodeKind {
    /// Name or path of a machine.
    pub machine: String,
    /// How many there are.
    #[serde(default = "one")]
    pub count: u32,
    /// Processors that tasks may use; absent: the machine's cores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processors: Option<u32>,
    /// Other programs that compute there all the time; a fraction for part of the time.
    #[serde(default)]
    pub load: f64,
    /// The share of the node's network port that others use.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub(crate) network_load: f64,
    /// Sockets that the processors are on, the same number on each.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub sockets: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_nothing(share: &f64) -> bool {
    *share == 0.0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_one(number: &u32) -> bool {
    *number == 1
}

fn one() -> u32 {
    1
}

/// Which node each task runs on. Where there are more tasks than processors, it begins again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PlacementRule {
    /// Each node is filled before the next.
    #[default]
    Block,
    /// One task for each node, again and again.
    Cyclic,
    /// The node of each task.
    Explicit(Vec<u32>),
}

impl PlatformFile {
    /// # Errors
    /// Unreadable, not of the schema, or impossible values.
    pub fn load(path: &str) -> Result<Self, Vec<Diagnostic>> {
        let text = std::fs::read_to_string(path).map_err(|error| vec![unreadable(path, &error)])?;
        Self::parse(path, &text)
    }

    /// Parses and checks the text of a platform file; `name` is used in messages.
    ///
    /// # Errors
    /// As [`PlatformFile::load`].
    pub fn parse(name: &str, text: &str) -> Result<Self, Vec<Diagnostic>> {
        let file: Self = serde_json::from_str(text).map_err(|error| vec![malformed(name, text, &error)])?;
        let faults = file.faults(name);
        if faults.is_empty() { Ok(file) } else { Err(faults) }
    }

    fn faults(&self, name: &str) -> Vec<Diagnostic> {
        let mut faults = Vec::new();
        let mut fault = |field: String, expected: &str, found: String| {
            let message = format!("platform file `{name}`: `{field}` is {found}, expected {expected}");
            faults.push(Diagnostic::error(&codes::PLATFORM_FORM, message).help("correct the field and run again"));
        };
        if self.schema != SCHEMA {
            fault("schema".to_owned(), &format!("\"{SCHEMA}\""), format!("\"{}\"", self.schema));
        }
        let nodes: u64 = self.nodes.iter().map(|kind| u64::from(kind.count)).sum();
        if !(1..=MOST_NODES).contains(&nodes) {
            fault("nodes".to_owned(), "1 to 16777216 nodes in all", nodes.to_string());
        }
        for (index, kind) in self.nodes.iter().enumerate() {
            if kind.processors == Some(0) {
                fault(format!("nodes[{index}].processors"), "at least 1", "0".to_owned());
            }
            if !kind.load.is_finite() || kind.load < 0.0 {
                fault(format!("nodes[{index}].load"), "a finite number that is not negative", kind.load.to_string());
            }
            if !(0.0..=0.99).contains(&kind.network_load) {
                let found = kind.network_load.to_string();
                fault(format!("nodes[{index}].network_load"), "a share from 0 to 0.99", found);
            }
            if kind.sockets == 0 {
                fault(format!("nodes[{index}].sockets"), "at least 1", "0".to_owned());
            }
        }
        let wired = self.topology.as_ref().filter(|_| (1..=MOST_NODES).contains(&nodes));
        if let Some(topology) = wired.filter(|topology| topology.contention != Contention::Fair)
            && self.nodes.iter().any(|kind| kind.network_load > 0.0)
        {
            let expected = "`fair`, because `network_load` is a share of the links of a node";
            fault("topology.contention".to_owned(), expected, topology.contention.name().to_owned());
        }
        for (field, expected, found) in wired.map_or_else(Vec::new, |topology| topology.faults(nodes as u32)) {
            fault(format!("topology.{field}"), &expected, found);
        }
        for (field, expected, found) in self.amakata.iter().flat_map(|amakata| amakata.faults(nodes)) {
            fault(format!("amakata.{field}"), &expected, found);
        }
        let loads_ports = self.nodes.iter().any(|kind| kind.network_load > 0.0);
        if self.amakata.is_some() && (self.network.is_some() || self.topology.is_some() || loads_ports) {
            let expected = "absent where `network`, `topology` or `network_load` says how messages travel";
            fault("amakata".to_owned(), expected, "there".to_owned());
        }
        if let PlacementRule::Explicit(map) = &self.placement
            && let Some(node) = map.iter().find(|&&node| u64::from(node) >= nodes)
        {
            fault("placement.explicit".to_owned(), &format!("nodes below {nodes}"), node.to_string());
        }
        faults
    }
}

/// Nodes of a platform at most.
pub(super) const MOST_NODES: u64 = 1 << 24;

fn unreadable(path: &str, error: &std::io::Error) -> Diagnostic {
    let message = format!("cannot read the platform file `{path}`: {}", system_cause(error));
    Diagnostic::error(&codes::PLATFORM_FORM, message)
        .help(format!("name a file of schema {SCHEMA}, or give the kinds: --machine fast.json:3,slow.json:1"))
}

fn malformed(name: &str, text: &str, error: &serde_json::Error) -> Diagnostic {
    let (line, column) = (error.line(), error.column());
    let field = match field_at(text, line, column) {
        path if path.is_empty() => "at the top level".to_owned(),
        path => format!("field `{path}`"),
    };
    let message = format!("platform file {name}:{line}:{column}: {field}: {}", bare_message(error));
    Diagnostic::error(&codes::PLATFORM_FORM, message)
        .help("schemas/chronos-platform-1.json describes every field; testdata/platforms/two-kinds.json is an example")
}
