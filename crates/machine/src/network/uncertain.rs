//! How far the figures of a network may be off, and the networks at both ends of that.
//!
//! Published latencies and bandwidths come from other cards, kernels and switches than the one that is meant, and a
//! measurement is repeated with another result. A total that says nothing of this promises more than it can hold.

use super::{Curve, Link, Network};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Factors either way within which the truth lies in nine of ten cases.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Uncertainty {
    /// Of what each message takes whatever its size: overheads, latency, gap, the messages of a rendezvous; at least 1.
    pub fixed: f64,
    /// Of the time on the wire per byte; at least 1.
    pub rate: f64,
}

/// An end of the range that the figures of a network span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// All figures as good as they may be.
    Best,
    /// All figures as bad as they may be.
    Worst,
}

impl Network {
    /// The same network at one end of what its uncertainties allow; `None` where it states none.
    ///
    /// All parts are off in the same direction: a total between the two ends holds whatever mixture is true.
    #[must_use]
    pub fn at_end(&self, end: End) -> Option<Self> {
        let mut network = self.clone();
        let links = [&mut network.between_nodes, &mut network.within_node];
        let links = links.into_iter().chain(&mut network.within_socket);
        let stated = links.filter(|link| link.uncertainty.is_some()).map(|link| link.move_to(end)).count();
        if stated == 0 {
            return None;
        }
        // Measured times of collective operations keep their ratio to the network that they were measured on.
        network.unscaled.get_or_insert_with(|| Arc::new(self.clone()));
        Some(network)
    }
}

impl Link {
    fn move_to(&mut self, end: End) {
        let Some(uncertainty) = self.uncertainty else { return };
        let toward = |factor: f64| match end {
            End::Best => 1.0 / factor,
            End::Worst => factor,
        };
        let (fixed, rate) = (toward(uncertainty.fixed), toward(uncertainty.rate));
        let times = |curve: &mut Curve, factor: f64| curve.points.iter_mut().for_each(|point| point.ns *= factor);
        for curve in [&mut self.send_overhead_ns, &mut self.recv_overhead_ns, &mut self.latency_ns, &mut self.gap_ns] {
            times(curve, fixed);
        }
        times(&mut self.transfer_ns, rate);
        self.request_ns *= fixed;
        self.grant_ns *= fixed;
    }
}

#[cfg(test)]
mod tests {
    use super::{End, Uncertainty};
    use crate::network::Network;

    #[test]
    fn both_ends_lie_as_far_from_the_figures_as_is_stated() {
        let mut network = Network::load("ethernet-1000").expect("it is shipped");
        network.within_node.uncertainty = None;
        network.between_nodes.uncertainty = Some(Uncertainty { fixed: 2.0, rate: 1.25 });
        let (best, worst) = (network.at_end(End::Best).expect("best"), network.at_end(End::Worst).expect("worst"));
        let latency = |network: &Network| network.between_nodes.latency_ns.points[0].ns;
        let wire = |network: &Network| network.between_nodes.transfer_ns.points[1].ns;
        assert_eq!((latency(&best), latency(&worst)), (latency(&network) / 2.0, latency(&network) * 2.0));
        assert!(
            (wire(&best) * 1.25 - wire(&network)).abs() < 1e-9 && (wire(&worst) - wire(&network) * 1.25).abs() < 1e-9
        );
        assert_eq!(best.within_node, network.within_node);
        network.between_nodes.uncertainty = None;
        assert!(network.at_end(End::Best).is_none());
    }

    #[test]
    fn shipped_networks_say_how_uncertain_they_are() {
        for name in Network::library() {
            let network = Network::load(name).expect("it is shipped");
            assert!(network.between_nodes.uncertainty.is_some(), "{name}");
        }
    }
}
