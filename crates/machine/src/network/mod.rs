//! `chronos-network/1`: what messages and collective operations cost, by size.
//!
//! The replay must not read files and must not know where numbers come from; this module does both
//! and hands over checked tables. Every curve is a table over the message size in bytes with values in
//! nanoseconds: linear between two points, the first value below the first point, and the slope of
//! the last two points beyond the last one.

mod algorithm;
mod check;
pub mod codes;
pub mod curve;
mod delays;
mod described;
mod factor;
mod ideal;
mod idle;
mod loggops;
pub mod rules;
mod sample;
pub mod scale;
mod uncertain;

pub use algorithm::Algorithm;
pub use curve::{Curve, Point};
pub use delays::{Delays, MessageParameters};
pub use factor::{FactorPoint, Factors};
pub use idle::Nearness;
pub use loggops::LogGops;
pub use sample::Sample;
pub use uncertain::{End, Uncertainty};

use super::json_path::field_at;
use super::load::bare_message;
use super::shipped::{ShippedFiles, named};
use chronos_activity::CollectiveKind;
use chronos_base::diag::{Diagnostic, system_cause};
use chronos_base::spelling::nearest;
use chronos_base::units::Picoseconds;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;

/// The schema that a network file names.
pub const SCHEMA: &str = "chronos-network/1";

/// The network between nodes where the user names none.
pub const DEFAULT: &str = "ethernet-100";

const LIBRARY: ShippedFiles = &[
    ("shared-memory", shipped!("networks/shared-memory")),
    ("ethernet-100", shipped!("networks/ethernet-100")),
    ("ethernet-1000", shipped!("networks/ethernet-1000")),
    ("ethernet-10g", shipped!("networks/ethernet-10g")),
    ("ethernet-25g", shipped!("networks/ethernet-25g")),
    ("ethernet-100g", shipped!("networks/ethernet-100g")),
    ("infiniband-hdr", shipped!("networks/infiniband-hdr")),
    ("infiniband-ndr", shipped!("networks/infiniband-ndr")),
    ("omni-path-100", shipped!("networks/omni-path-100")),
    ("slingshot-11", shipped!("networks/slingshot-11")),
];

/// A network with the message-passing library on it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Network {
    /// `chronos-network/1`.
    pub schema: String,
    /// A short name for tables.
    pub name: String,
    /// One or two sentences for people.
    pub description: String,
    /// Where the numbers of the file come from.
    pub provenance: Provenance,
    /// Processor time of an MPI call that moves nothing (`Comm_rank`, Test, posting a receive).
    pub call_ns: f64,
    /// Processor time of a test or probe that finds nothing (`Test`, `Iprobe`), which asks the network; absent: not known, and taken
    /// as `call_ns`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub poll_ns: Option<f64>,
    /// Processor time of the arithmetic of a reduction, per byte of one operand.
    pub reduction_ns_per_byte: f64,
    /// Messages between tasks whose processors share a socket; absent: as within the node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within_socket: Option<Link>,
    /// Messages between tasks of one node.
    pub within_node: Link,
    /// Messages between tasks of different nodes.
    pub between_nodes: Link,
    /// The MPI library whose decision rules `algorithms` are, where they are those of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mpi_library: Option<String>,
    /// Which algorithm a collective operation uses: the first rule that fits wins; without one, a built-in default.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub algorithms: Vec<AlgorithmRule>,
    /// Measured times of collective operations that all members begin behind a barrier, of the member that takes longest.
    /// The messages of an operation's algorithm are slowed down or sped up so that it takes just that long; other sizes
    /// and numbers of tasks get the factor of the nearest ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub measured_collectives: Vec<MeasuredCollective>,
    /// Parameters of the LogGOPS model: schedules are replayed by these alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loggops: Option<LogGops>,
    /// The file system that MPI-IO uses; absent: files take no time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage: Option<Storage>,
    /// Time to start a task that the program asks for (`MPI_Comm_spawn`), from the arrival of the message that asks until its first
    /// instruction; absent: not known, and taken as none with a warning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spawn_ns: Option<f64>,
    /// What a calibration measured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub samples: Vec<Sample>,
    /// Times of messages between nodes in place of those of `between_nodes`, where a platform has them by node.
    #[serde(skip)]
    pub delays: Option<Arc<Delays>>,
    /// The network that was calibrated, where this one was made of it by scaling.
    #[serde(skip)]
    pub unscaled: Option<Arc<Self>>,
}

/// A file system that all tasks share; it serves one request after the other.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Storage {
    /// Time that every request takes, beside others.
    pub latency_ns: f64,
    /// Time that it is occupied for each byte.
    pub ns_per_byte: f64,
}

impl Storage {
    /// Latency, and how long a request of so many bytes occupies it.
    pub fn times(&self, bytes: u64) -> (Picoseconds, Picoseconds) {
        let transfer = Picoseconds::from_nanoseconds(self.ns_per_byte * bytes as f64);
        (Picoseconds::from_nanoseconds(self.latency_ns), transfer)
    }
}

/// Where the numbers come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Provenance {
    /// Whether the numbers were measured, published or estimated.
    pub kind: ProvenanceKind,
    /// Machine, library, method and date of a measurement; reasoning of an estimate.
    pub text: String,
    /// Publications or documents that the numbers are from; empty where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<String>,
}

/// How the numbers of a file were got.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ProvenanceKind {
    /// Measured on such a machine, or by a benchmark of chronos.
    Measured,
    /// Taken from a publication that `sources` names.
    Published,
    /// Estimated from comparable systems; `text` says how.
    Estimate,
}

/// How messages travel between two tasks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// Processor time of the sender in the call.
    pub send_overhead_ns: Curve,
    /// Processor time of the receiver once the message is there.
    pub recv_overhead_ns: Curve,
    /// From the sender's port to the receiver's, without the time on the wire.
    pub latency_ns: Curve,
    /// Least distance between the beginnings of two messages at one port.
    pub gap_ns: Curve,
    /// Time that the bytes of a message take on the wire: how long they occupy a port.
    pub transfer_ns: Curve,
    /// Messages of more bytes than this wait for their receive (rendezvous).
    pub eager_limit_bytes: u64,
    /// Rendezvous: from the end of the sender's overhead to the receiver's knowledge of the message.
    pub request_ns: f64,
    /// Rendezvous: from the moment both are there to the begin of the transfer.
    pub grant_ns: f64,
    /// A switch stores frames of this many payload bytes before it forwards them, so that the first
    /// frame of a message is on the wire twice; absent: cut-through.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store_and_forward_bytes: Option<u64>,
    /// Messages of a node queue at its port, one for each direction.
    pub ports: bool,
    /// All nodes send over one medium, a message at a time (a bus, a hub); goes with `ports`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shared_medium: bool,
    /// How many times as long a message is on the wire while one of the same two nodes goes the other way.
    #[serde(default, skip_serializing_if = "Factors::is_empty")]
    pub two_way: Factors,
    /// How far these figures may be off, which intervals of predictions use; absent: not stated, and taken as not at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uncertainty: Option<Uncertainty>,
}

impl Link {
    /// No message, nor the request of one, comes to its receiver's port sooner after it left the sender.
    pub fn shortest(&self) -> Picoseconds {
        self.latency_ns.least().min(Picoseconds::from_nanoseconds(self.request_ns))
    }
}

/// Chooses an algorithm; the first rule in the file that fits is taken.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AlgorithmRule {
    /// The collective operation that the rule is for.
    pub collective: CollectiveName,
    /// Fits communicators of fewer members than this; absent: any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tasks_below: Option<u32>,
    /// Fits operations on fewer bytes than this; absent: any. Bcast and reductions: the buffer; others: one block,
    /// of blocks of several sizes their mean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes_below: Option<u64>,
    /// The algorithm by which the operation is made of messages.
    pub algorithm: Algorithm,
    /// Long messages are cut into segments of this size, where the algorithm can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub segment_bytes: Option<u64>,
}

/// Measured times of one collective operation on one number of tasks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MeasuredCollective {
    /// The collective operation that was measured.
    pub collective: CollectiveName,
    /// Number of tasks that took part.
    pub tasks: u32,
    /// All tasks were on one node; else each had one of its own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub within_node: bool,
    /// Time of one operation in nanoseconds by its size in bytes, as `bytes_below` of an algorithm rule counts it.
    pub time_ns: Curve,
}

/// Collective operations as network files name them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CollectiveName {
    /// `MPI_Barrier`.
    Barrier,
    /// `MPI_Bcast`.
    Bcast,
    /// `MPI_Reduce`.
    Reduce,
    /// `MPI_Allreduce`.
    Allreduce,
    /// `MPI_Gather` and `MPI_Gatherv`.
    Gather,
    /// `MPI_Scatter` and `MPI_Scatterv`.
    Scatter,
    /// `MPI_Allgather`, and `MPI_Allgatherv` where it has no measured time of its own.
    Allgather,
    /// `MPI_Allgatherv`.
    Allgatherv,
    /// `MPI_Alltoall`, and its v- and w-forms where they have no rule of their own.
    Alltoall,
    /// `MPI_Alltoallv` and `MPI_Alltoallw`.
    Alltoallv,
    /// `MPI_Reduce_scatter` and `MPI_Reduce_scatter_block`.
    ReduceScatter,
    /// `MPI_Scan`.
    Scan,
    /// `MPI_Exscan`.
    Exscan,
    /// Agreement without user data: `MPI_Comm_split`, `MPI_Comm_dup`, `MPI_Cart_create`, `MPI_Finalize`, ...
    Agreement,
}

impl CollectiveName {
    /// The form of an operation in which each member has a size of its own, if libraries choose its algorithm by rules of
    /// its own. `MPI_Gatherv` and `MPI_Scatterv` have one algorithm, the linear one.
    pub fn vector_form(self) -> Option<Self> {
        match self {
            Self::Allgather => Some(Self::Allgatherv),
            Self::Alltoall => Some(Self::Alltoallv),
            _ => None,
        }
    }
}

impl From<CollectiveKind> for CollectiveName {
    fn from(kind: CollectiveKind) -> Self {
        match kind {
            CollectiveKind::Barrier => Self::Barrier,
            CollectiveKind::Bcast => Self::Bcast,
            CollectiveKind::Reduce => Self::Reduce,
            CollectiveKind::Allreduce => Self::Allreduce,
            CollectiveKind::Gather => Self::Gather,
            CollectiveKind::Scatter => Self::Scatter,
            CollectiveKind::Allgather => Self::Allgather,
            CollectiveKind::Alltoall => Self::Alltoall,
            CollectiveKind::ReduceScatter => Self::ReduceScatter,
            CollectiveKind::Scan => Self::Scan,
            CollectiveKind::Exscan => Self::Exscan,
            CollectiveKind::Agreement => Self::Agreement,
        }
    }
}

impl Network {
    /// Names of the networks that are part of the program.
    pub fn library() -> impl Iterator<Item = &'static str> {
        LIBRARY.iter().map(|(name, _)| *name)
    }

    /// A network by its name in the library, by the parameters of a model (`loggops:L=...`), else by the path of a file.
    ///
    /// # Errors
    /// Neither found, unreadable, or not a valid network: one diagnostic each, with the field at fault.
    pub fn load(name_or_path: &str) -> Result<Self, Vec<Diagnostic>> {
        if let Some((name, text)) = named(LIBRARY, name_or_path) {
            return Self::parse(name, &text);
        }
        if described::is_description(name_or_path) {
            return described::parse(name_or_path);
        }
        let text = std::fs::read_to_string(Path::new(name_or_path)).map_err(|e| vec![missing(name_or_path, &e)])?;
        Self::parse(name_or_path, &text)
    }

    /// Parses and checks the text of a network file; `name` is used in messages.
    ///
    /// # Errors
    /// Every fault found, each naming the field, what was expected and what was found.
    pub fn parse(name: &str, text: &str) -> Result<Self, Vec<Diagnostic>> {
        let network: Self = serde_json::from_str(text).map_err(|error| vec![malformed(name, text, &error)])?;
        let faults = check::faults(name, &network);
        if faults.is_empty() { Ok(network) } else { Err(faults) }
    }

    /// The rule for a collective operation on `bytes` in a communicator of `tasks`.
    pub fn rule(&self, collective: CollectiveName, tasks: u32, bytes: u64) -> Option<&AlgorithmRule> {
        let below = |limit: Option<u64>, value: u64| limit.is_none_or(|limit| value < limit);
        self.algorithms.iter().find(|rule| {
            rule.collective == collective
                && below(rule.tasks_below.map(u64::from), u64::from(tasks))
                && below(rule.bytes_below, bytes)
        })
    }

    /// The rule for an operation that may be one in which each member has a size of its own (`vector`): that of this form
    /// if there is one.
    pub fn rule_of_form(
        &self,
        collective: CollectiveName,
        vector: bool,
        tasks: u32,
        bytes: u64,
    ) -> Option<&AlgorithmRule> {
        let form = collective.vector_form().filter(|_| vector);
        form.and_then(|form| self.rule(form, tasks, bytes)).or_else(|| self.rule(collective, tasks, bytes))
    }

    /// The measured times of a collective operation, of the number of tasks nearest to `tasks` (by ratio),
    /// all of them on one node or not.
    pub fn measured(&self, collective: CollectiveName, tasks: u32, within_node: bool) -> Option<&MeasuredCollective> {
        let fits = |m: &&MeasuredCollective| m.collective == collective && m.within_node == within_node;
        let distance = |m: &&MeasuredCollective| {
            let (more, less) = (u64::from(m.tasks.max(tasks)), u64::from(m.tasks.min(tasks)).max(1));
            ((more << 16) / less, m.tasks)
        };
        self.measured_collectives.iter().filter(fits).min_by_key(distance)
    }
}

fn missing(name: &str, error: &std::io::Error) -> Diagnostic {
    let known: Vec<_> = Network::library().collect();
    let text = if name.contains('/') || name.ends_with(".json") {
        format!("cannot read the network file `{name}`: {}", system_cause(error))
    } else {
        format!("there is no network `{name}`")
    };
    let suggestion = match nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`? "),
        None => String::new(),
    };
    Diagnostic::error(&codes::NETWORK_MISSING, text)
        .help(format!("{suggestion}Shipped networks: {}; or give the path of a {SCHEMA} file", known.join(", ")))
}

fn malformed(name: &str, text: &str, error: &serde_json::Error) -> Diagnostic {
    let (line, column) = (error.line(), error.column());
    let field = match field_at(text, line, column) {
        path if path.is_empty() => "at the top level".to_owned(),
        path => format!("field `{path}`"),
    };
    let message = format!("network file {name}:{line}:{column}: {field}: {}", bare_message(error));
    Diagnostic::error(&codes::NETWORK_MALFORMED, message).help(format!(
        "the file must be JSON of schema {SCHEMA}; `chronos network show ethernet-100` prints one that is"
    ))
}

#[cfg(test)]
mod tests;
