//! The six parameters of the LogGOPS model.

use super::{Curve, Factors, Link, Point};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of the LogGOPS model, by which schedules are replayed exactly.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LogGops {
    /// L: from the end of a send's constant overhead to the arrival.
    pub latency_ns: f64,
    /// o: processor time of a send and of a receive.
    pub overhead_ns: f64,
    /// g: time that a message keeps the network interface.
    pub gap_ns: f64,
    /// G: the same for each byte but the first.
    pub gap_ns_per_byte: f64,
    /// O: processor time for each byte but the first.
    #[serde(default)]
    pub overhead_ns_per_byte: f64,
    /// S: messages of more bytes wait for their receive.
    pub eager_limit_bytes: u64,
}

impl LogGops {
    /// The same as curves, for programs: sends wait for the interface behind their overhead instead of before it.
    pub(super) fn link(&self) -> Link {
        let (per_byte, gap) = (self.overhead_ns_per_byte, self.gap_ns_per_byte);
        Link {
            send_overhead_ns: behind_first(self.overhead_ns, per_byte),
            recv_overhead_ns: behind_first(self.overhead_ns, per_byte.max(gap)),
            latency_ns: Curve::constant(self.latency_ns),
            gap_ns: behind_first(self.gap_ns, gap),
            transfer_ns: Curve::constant(0.0),
            eager_limit_bytes: self.eager_limit_bytes,
            request_ns: self.latency_ns,
            grant_ns: 0.0,
            store_and_forward_bytes: None,
            ports: true,
            shared_medium: false,
            two_way: Factors::default(),
            uncertainty: None,
        }
    }
}

/// `constant` and so much for each byte but the first.
fn behind_first(constant: f64, per_byte: f64) -> Curve {
    const FAR: u64 = 1 << 20;
    let at = |bytes: u64| Point { bytes, ns: constant + per_byte * bytes.saturating_sub(1) as f64 };
    Curve { points: vec![at(0), at(1), at(1 + FAR)] }
}
