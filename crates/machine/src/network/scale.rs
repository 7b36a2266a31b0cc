//! Prospective networks: a network between nodes with some parts k times better.

use super::{Curve, Link, Network, ProvenanceKind, codes};
use crate::scale::Factor;
use chronos_base::diag::Diagnostic;
use std::sync::Arc;

/// What can be better of a network.
pub const KEYS: [&str; 3] = ["network.bandwidth", "network.latency", "network.overhead"];

impl Network {
    /// The same with parts of what lies between nodes better: time on the wire and gap, latency with the
    /// messages of a rendezvous, or the processor time of calls. Factors with other keys are for machines.
    ///
    /// # Errors
    /// A key that begins with `network.` and is none of [`KEYS`].
    pub fn scaled(&self, factors: &[Factor]) -> Result<Self, Diagnostic> {
        let mine: Vec<&Factor> = factors.iter().filter(|factor| factor.key.starts_with("network.")).collect();
        if mine.is_empty() {
            return Ok(self.clone());
        }
        let mut network = self.clone();
        network.unscaled.get_or_insert_with(|| Arc::new(self.clone()));
        for factor in &mine {
            network.apply(&factor.key, factor.factor)?;
        }
        let list = mine.iter().map(|factor| factor.to_string()).collect::<Vec<_>>().join(" ");
        network.name = format!("{} {list}", self.name);
        network.provenance.kind = ProvenanceKind::Estimate;
        network.provenance.text = format!("{} with {list}; {}", self.name, self.provenance.text);
        Ok(network)
    }

    fn apply(&mut self, key: &str, factor: f64) -> Result<(), Diagnostic> {
        if !KEYS.contains(&key) {
            return Err(unknown(key));
        }
        let link = &mut self.between_nodes;
        match key {
            // All that is known is the time of a message by its size: what does not grow with it is the latency.
            _ if link.is_delay_alone() && key != "network.overhead" => link.latency_ns.scale_part(key, factor),
            "network.bandwidth" => {
                [&mut link.transfer_ns, &mut link.gap_ns].into_iter().for_each(|curve| curve.divide(factor));
            }
            "network.latency" => link.latency_ns.divide(factor),
            _ => [&mut link.send_overhead_ns, &mut link.recv_overhead_ns]
                .into_iter()
                .for_each(|curve| curve.divide(factor)),
        }
        match key {
            "network.latency" => {
                link.request_ns /= factor;
                link.grant_ns /= factor;
            }
            "network.overhead" => {
                self.call_ns /= factor;
                self.poll_ns = self.poll_ns.map(|time| time / factor);
            }
            _ => {}
        }
        if let Some(delays) = &mut self.delays {
            Arc::make_mut(delays).scale(key, factor);
        }
        if let Some(model) = &mut self.loggops {
            model.scale(key, factor);
            self.between_nodes = model.link();
        }
        Ok(())
    }
}

impl Link {
    /// Whether nothing but the time of a message by its size is known.
    fn is_delay_alone(&self) -> bool {
        [&self.transfer_ns, &self.gap_ns].iter().all(|curve| curve.points.iter().all(|point| point.ns == 0.0))
    }
}

impl Curve {
    fn divide(&mut self, factor: f64) {
        self.points.iter_mut().for_each(|point| point.ns /= factor);
    }

    /// Divides what the smallest message takes, or what further bytes add to that.
    fn scale_part(&mut self, key: &str, factor: f64) {
        let fixed = self.points.first().map_or(0.0, |point| point.ns);
        let (latency, bandwidth) = if key == "network.latency" { (factor, 1.0) } else { (1.0, factor) };
        self.points.iter_mut().for_each(|point| point.ns = fixed / latency + (point.ns - fixed) / bandwidth);
    }
}

impl super::delays::Delays {
    fn scale(&mut self, key: &str, factor: f64) {
        match key {
            "network.latency" => self.faster_latency *= factor,
            "network.bandwidth" => self.faster_rate *= factor,
            _ => {}
        }
    }
}

impl super::LogGops {
    fn scale(&mut self, key: &str, factor: f64) {
        let divided: &mut [&mut f64] = match key {
            "network.bandwidth" => &mut [&mut self.gap_ns, &mut self.gap_ns_per_byte],
            "network.latency" => &mut [&mut self.latency_ns],
            _ => &mut [&mut self.overhead_ns, &mut self.overhead_ns_per_byte],
        };
        divided.iter_mut().for_each(|value| **value /= factor);
    }
}

fn unknown(key: &str) -> Diagnostic {
    Diagnostic::error(&codes::NETWORK_DESCRIPTION, format!("a network has no part `{key}`"))
        .help(format!("parts of a network: {}", KEYS.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronos_base::units::Picoseconds;

    #[test]
    fn parts_become_better_and_the_name_says_so() {
        let factors: Vec<Factor> = ["network.bandwidth=10", "clock=2"].map(|text| text.parse().unwrap()).into();
        let network = Network::load("ethernet-100").unwrap();
        let scaled = network.scaled(&factors).unwrap();
        assert_eq!(scaled.name, "ethernet-100 network.bandwidth=10");
        let at = |network: &Network| network.between_nodes.transfer_ns.at(1 << 20);
        assert!(at(&scaled).0.abs_diff(at(&network).0 / 10) <= 1);
        assert_eq!(scaled.between_nodes.latency_ns, network.between_nodes.latency_ns);
        let model = Network::load("loggops:L=100,o=10,g=20,G=2").unwrap();
        let scaled = model.scaled(&["network.latency=4".parse().unwrap()]).unwrap();
        assert_eq!(scaled.loggops.map(|model| model.latency_ns), Some(25.0));
        assert_eq!(scaled.between_nodes.latency_ns.at(8), Picoseconds(25_000));
        assert!(model.scaled(&["network.speed=4".parse().unwrap()]).is_err());
    }

    #[test]
    fn networks_that_are_a_delay_by_size_have_both_parts() {
        let network = Network::load("linear:a=100e-6,b=1e-6").unwrap();
        let at = |factor: &str| {
            let scaled = network.scaled(&[factor.parse().unwrap()]).unwrap();
            [0, 100].map(|bytes| scaled.between_nodes.latency_ns.at(bytes).0 / 1_000_000)
        };
        assert_eq!(at("network.bandwidth=4"), [100, 125]);
        assert_eq!(at("network.latency=4"), [25, 125]);
        assert_eq!(at("network.overhead=4"), [100, 200]);
    }
}
