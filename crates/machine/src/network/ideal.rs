//! A network whose messages take no time, for what-if questions.

use super::{Curve, Factors, Link, Network, ProvenanceKind};

impl Network {
    /// The same network with messages that take no time: latency, overhead, gap and transfer are 0. Who waits for whom stays:
    /// eager limits, algorithms of collective operations, and the arithmetic of reductions, which is no message's time
    /// (Badia, Labarta, Gimenez, Escale 2003: Dimemas' ideal network).
    ///
    /// A replay of many tasks on it takes long: one whose messages are there may run far ahead of the others, so that few states come
    /// again. See [`Network::nearly_ideal`].
    #[must_use]
    pub fn ideal(&self) -> Self {
        let mut network = self.clone();
        network.name = format!("{} without the time of messages", self.name);
        network.provenance.kind = ProvenanceKind::Estimate;
        network.provenance.text = format!("{}; messages take no time", self.provenance.text);
        (network.call_ns, network.poll_ns) = (0.0, None);
        // They would slow the free messages down again.
        network.measured_collectives.clear();
        (network.loggops, network.unscaled, network.delays) = (None, None, None);
        let links = [&mut network.between_nodes, &mut network.within_node];
        links.into_iter().chain(&mut network.within_socket).for_each(Link::become_free);
        network
    }

    /// The same with messages between nodes that take a picosecond, the least time there is: tasks then keep pace with each other, and a
    /// replay finds iterations that repeat. A million messages in a row make a microsecond.
    #[must_use]
    pub fn nearly_ideal(&self) -> Self {
        let mut network = self.ideal();
        if self.between_nodes.ports {
            let link = &mut network.between_nodes;
            (link.latency_ns, link.request_ns, link.ports) = (Curve::constant(1e-3), 1e-3, true);
        }
        network
    }
}

impl Link {
    fn become_free(&mut self) {
        let curves = [
            &mut self.send_overhead_ns,
            &mut self.recv_overhead_ns,
            &mut self.latency_ns,
            &mut self.gap_ns,
            &mut self.transfer_ns,
        ];
        curves.into_iter().for_each(|curve| *curve = Curve::constant(0.0));
        (self.request_ns, self.grant_ns) = (0.0, 0.0);
        (self.store_and_forward_bytes, self.ports, self.shared_medium) = (None, false, false);
        self.two_way = Factors::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronos_base::units::Picoseconds;

    #[test]
    fn messages_take_no_time_and_wait_for_their_receives_as_before() {
        for name in ["ethernet-100", "shared-memory", "loggops:L=100,o=10,g=20,G=2"] {
            let network = Network::load(name).unwrap();
            let ideal = network.ideal();
            let links = [(&ideal.within_node, &network.within_node), (&ideal.between_nodes, &network.between_nodes)];
            for (free, link) in links {
                assert_eq!(free.eager_limit_bytes, link.eager_limit_bytes);
                for curve in [&free.send_overhead_ns, &free.recv_overhead_ns, &free.latency_ns, &free.transfer_ns] {
                    assert_eq!((curve.at(0), curve.at(1 << 20)), (Picoseconds::ZERO, Picoseconds::ZERO), "{name}");
                }
            }
            let least = network.nearly_ideal().between_nodes;
            let expected = if network.between_nodes.ports { Picoseconds(1) } else { Picoseconds::ZERO };
            assert_eq!((least.shortest(), least.gap_ns.at(1 << 20)), (expected, Picoseconds::ZERO), "{name}");
            assert_eq!(
                (ideal.algorithms, ideal.reduction_ns_per_byte),
                (network.algorithms, network.reduction_ns_per_byte)
            );
        }
    }
}
