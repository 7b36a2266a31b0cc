//! The parameters in picoseconds, and what a replay keeps: times of tasks at the end, spans and messages where they are asked for.

use super::ids::HostMessageId;
use crate::result::{MessageTime, Part};
use crate::task::spans::SpanRecorder;
use chronos_activity::TaskId;
use chronos_base::ids::Id as _;
use chronos_base::units::{Bytes, Picoseconds};
use chronos_machine::network::LogGops;

/// What was done when, where that is asked for.
pub(super) struct ReplayLog {
    /// By task; empty where it is not asked for.
    pub(super) spans: Vec<SpanRecorder>,
    pub(super) messages: Vec<MessageTime>,
    pub(super) room: usize,
    /// When messages under way have left, by id, where messages are asked for.
    pub(super) left: Vec<u64>,
}

/// A message that was received: when it left and when it was there, in picoseconds.
pub(super) struct Delivered {
    pub(super) from: TaskId,
    pub(super) to: TaskId,
    pub(super) tag: u32,
    pub(super) bytes: u64,
    pub(super) sent: u64,
    pub(super) received: u64,
}

impl ReplayLog {
    pub(super) fn new(tasks: usize, room: usize) -> Self {
        let spans = (0..tasks).filter(|_| room > 0).map(|_| SpanRecorder::new((room / tasks).max(1))).collect();
        Self { spans, messages: Vec::new(), room, left: Vec::new() }
    }

    pub(super) fn span(&mut self, task: TaskId, part: Part, begin: u64, end: u64) {
        if let Some(spans) = self.spans.get_mut(task.index()) {
            spans.add(part, Picoseconds(begin), Picoseconds(end), None);
        }
    }

    /// A message leaves.
    #[inline]
    pub(super) fn leaves(&mut self, message: HostMessageId, time: u64) {
        if self.room > 0 {
            let known = self.left.len().max(message.index() + 1);
            self.left.resize(known, 0);
            self.left[message.index()] = time;
        }
    }

    /// When it left.
    pub(super) fn left(&self, message: HostMessageId) -> u64 {
        self.left.get(message.index()).copied().unwrap_or_default()
    }

    /// A message was received.
    pub(super) fn message(&mut self, message: Delivered) {
        if self.messages.len() < self.room {
            self.messages.push(MessageTime {
                from: message.from,
                to: message.to,
                tag: message.tag as i32,
                bytes: Bytes(message.bytes),
                sent: Picoseconds(message.sent),
                received: Picoseconds(message.received),
                send_site: None,
                recv_site: None,
            });
        }
    }
}

/// The parameters in picoseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct LogGopsModel {
    pub(super) latency: u64,
    pub(super) overhead: u64,
    pub(super) gap: u64,
    pub(super) overhead_per_byte: u64,
    pub(super) gap_per_byte: u64,
    pub(super) eager_limit: u64,
}

impl LogGopsModel {
    pub(super) fn new(parameters: &LogGops) -> Self {
        let ps = |ns: f64| Picoseconds::from_nanoseconds(ns).0;
        Self {
            latency: ps(parameters.latency_ns),
            overhead: ps(parameters.overhead_ns),
            gap: ps(parameters.gap_ns),
            overhead_per_byte: ps(parameters.overhead_ns_per_byte),
            gap_per_byte: ps(parameters.gap_ns_per_byte),
            eager_limit: parameters.eager_limit_bytes,
        }
    }

    pub(super) fn is_eager(&self, bytes: u64) -> bool {
        bytes <= self.eager_limit
    }

    /// Processor time of a send.
    pub(super) fn sending(&self, bytes: u64) -> u64 {
        self.overhead.saturating_add(self.overhead_per_byte.saturating_mul(bytes.saturating_sub(1)))
    }

    /// Processor time of a receive.
    pub(super) fn receiving(&self, bytes: u64) -> u64 {
        let per_byte = self.overhead_per_byte.max(self.gap_per_byte);
        self.overhead.saturating_add(per_byte.saturating_mul(bytes.saturating_sub(1)))
    }

    /// Time of an interface.
    pub(super) fn interface(&self, bytes: u64) -> u64 {
        self.gap.saturating_add(self.gap_per_byte.saturating_mul(bytes.saturating_sub(1)))
    }

    /// From the begin of a send until its message is there.
    pub(super) fn flight(&self) -> u64 {
        self.overhead.saturating_add(self.latency)
    }
}

/// One task at the end, times in picoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct TaskOutcome {
    pub(super) end: u64,
    pub(super) compute: u64,
    pub(super) send: u64,
    pub(super) recv: u64,
    /// The first operation that could not end.
    pub(super) stuck: Option<u32>,
}
