//! The part of a report that says what happened when: timeline, messages, traffic, critical path, imbalance.
//!
//! Apart from the tables of `model`, because it grows with the run: it is bounded, and says where it was cut.

use super::words::{Word, read_word};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a replay kept. All times are in seconds from the begin of the program.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Replayed {
    /// What tasks did when.
    pub timeline: Timeline,
    /// Point-to-point messages, one by one.
    pub messages: Messages,
    /// Point-to-point traffic, summed by pair of ranks.
    pub matrix: Matrix,
    /// Who has which part in the critical path.
    pub critical: Critical,
    /// How evenly computation is spread over the tasks.
    pub imbalance: Imbalance,
}

/// What tasks did when.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Timeline {
    /// The first tasks, as many as there is room for; in `chronos-report/2` one of each class.
    pub tasks: Vec<TaskTimeline>,
    /// Until then no span of the tasks above is missing.
    pub complete_until_s: f64,
    /// What was left out, in words; absent where nothing was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut: Option<String>,
    /// All tasks from afar, where spans were left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coarse: Option<Coarse>,
}

/// What tasks did most in equal stretches of the run.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Coarse {
    /// Length of a stretch.
    pub step_s: f64,
    /// By rank: for each stretch c (compute), s (send), r (receive), g (collective), w (wait) or - (nothing), equal ones in
    /// a row as number and letter: `12c3w`.
    pub tasks: Vec<String>,
    /// The ranks of `tasks`; empty where these are all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ranks: Vec<usize>,
}

/// What one task did when.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct TaskTimeline {
    /// Rank of the task in `MPI_COMM_WORLD`, from 0.
    pub rank: usize,
    /// In order, apart from one another.
    pub spans: Vec<Span>,
}

/// A stretch of a task's time.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Span {
    /// `compute`, `send`, `receive`, `collective`, or `wait` until the awaited partner has arrived.
    #[serde(deserialize_with = "read_word")]
    pub kind: Word,
    /// Begin of the span, in seconds from the begin of the program.
    pub begin_s: f64,
    /// End of the span, in seconds from the begin of the program.
    pub end_s: f64,
    /// The call; absent while the task computes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// The rank in `MPI_COMM_WORLD` of the other end of the message that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partner: Option<usize>,
    /// Size of that message in bytes; absent where the span is about no message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Tag of that message; absent where the span is about no message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tag: Option<i32>,
}

/// A call in the sources.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Place {
    /// Number of the call's block, as in the blocks of the prediction.
    pub block: u32,
    /// What is called.
    pub call: String,
    /// Source file of the call.
    pub file: String,
    /// Line of the call, from 1.
    pub line: u32,
}

/// Point-to-point messages of the program, in the order in which they were received.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Messages {
    /// Number of all messages, those left out of `list` included.
    pub count: u64,
    /// Size of all messages together in bytes, those left out of `list` included.
    pub bytes: u64,
    /// The messages that were kept, one by one.
    pub list: Vec<Message>,
    /// What was left out, in words; absent where nothing was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut: Option<String>,
}

/// A message and the two calls that it joined.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Message {
    /// Rank of the sender in `MPI_COMM_WORLD`, from 0.
    pub from: usize,
    /// Rank of the receiver in `MPI_COMM_WORLD`, from 0.
    pub to: usize,
    /// Tag of the message, as the sender gave it.
    pub tag: i32,
    /// Size of the message in bytes.
    pub bytes: u64,
    /// When it left the sender's processor.
    pub sent_s: f64,
    /// When the receiver had it.
    pub received_s: f64,
    /// The call that sent it; absent where it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub send: Option<Place>,
    /// The call that received it or waited for it; absent where it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receive: Option<Place>,
}

/// Point-to-point traffic by pair of ranks; pairs without any are left out.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Matrix {
    /// By sender, then receiver.
    pub pairs: Vec<Pair>,
    /// What was left out, in words; absent where nothing was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut: Option<String>,
}

/// Messages from one rank to another.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Pair {
    /// Rank of the sender in `MPI_COMM_WORLD`, from 0.
    pub from: usize,
    /// Rank of the receiver in `MPI_COMM_WORLD`, from 0.
    pub to: usize,
    /// Number of messages.
    pub messages: u64,
    /// Size of these messages together in bytes.
    pub bytes: u64,
}

/// Who has a part in the critical path; functions and links together are all of it.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Critical {
    /// Computation by function, and MPI calls by name; the longest first.
    pub functions: Vec<FunctionShare>,
    /// Messages that a task on the path waited for, by sender and receiver; the longest first.
    pub links: Vec<LinkShare>,
    /// What was left out of `links` and `functions`, in words; absent where nothing was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut: Option<String>,
}

/// The part that one function or MPI call has in the critical path.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FunctionShare {
    /// Name of the function that computes, or of the MPI call.
    pub function: String,
    /// Its time on the critical path, in seconds.
    pub seconds: f64,
    /// Of the total, from 0 to 1.
    pub share: f64,
}

/// The part that the messages between two ranks have in the critical path.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LinkShare {
    /// Rank of the sender in `MPI_COMM_WORLD`, from 0.
    pub from: usize,
    /// Rank of the receiver in `MPI_COMM_WORLD`, from 0.
    pub to: usize,
    /// Messages on the path.
    pub messages: u64,
    /// Time of these messages on the critical path, in seconds.
    pub seconds: f64,
    /// Of the total, from 0 to 1.
    pub share: f64,
}

/// How evenly computation is spread.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Imbalance {
    /// Rank of the task that computes longest, from 0.
    pub busiest_rank: usize,
    /// Computing time of that task, in seconds.
    pub busiest_s: f64,
    /// Mean computing time of all tasks, in seconds.
    pub mean_s: f64,
    /// By how much of its time the busiest task computes longer than the mean, from 0 (even) to nearly 1: the share of
    /// its computation that an even spread would save.
    pub share: f64,
}
