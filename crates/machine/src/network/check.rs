//! Checks of a parsed network: everything that the replay relies on.

use super::{AlgorithmRule, Curve, Link, Network, SCHEMA, codes};
use chronos_base::diag::Diagnostic;

/// What a number may be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Range {
    least: f64,
    most: f64,
}

impl Range {
    /// How much longer something may take.
    pub const FACTOR: Self = Self { least: 1.0, most: 1000.0 };

    pub fn holds(self, value: f64) -> bool {
        (self.least..=self.most).contains(&value)
    }
}

impl std::fmt::Display for Range {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "a number from {} to {}", self.least, self.most)
    }
}

struct Checker<'a> {
    file: &'a str,
    faults: Vec<Diagnostic>,
}

pub(super) fn faults(file: &str, network: &Network) -> Vec<Diagnostic> {
    let mut checker = Checker { file, faults: Vec::new() };
    checker.network(network);
    checker.faults
}

impl Checker<'_> {
    fn network(&mut self, network: &Network) {
        if network.schema != SCHEMA {
            self.fault("schema", &format!("\"{SCHEMA}\""), &format!("\"{}\"", network.schema));
        }
        self.time("call_ns", network.call_ns);
        if let Some(time) = network.poll_ns {
            self.time("poll_ns", time);
        }
        self.time("reduction_ns_per_byte", network.reduction_ns_per_byte);
        if let Some(link) = &network.within_socket {
            self.link("within_socket", link);
        }
        self.link("within_node", &network.within_node);
        self.link("between_nodes", &network.between_nodes);
        if let Some(model) = &network.loggops {
            self.loggops(model);
        }
        if let Some(storage) = &network.storage {
            self.time("storage.latency_ns", storage.latency_ns);
            self.time("storage.ns_per_byte", storage.ns_per_byte);
        }
        if let Some(time) = network.spawn_ns {
            self.time("spawn_ns", time);
        }
        for (index, rule) in network.algorithms.iter().enumerate() {
            self.rule(&format!("algorithms[{index}]"), rule);
        }
        for (index, measured) in network.measured_collectives.iter().enumerate() {
            if measured.tasks < 2 {
                self.fault(&format!("measured_collectives[{index}].tasks"), "at least 2", &measured.tasks.to_string());
            }
            self.curve(&format!("measured_collectives[{index}].time_ns"), &measured.time_ns);
        }
    }

    fn loggops(&mut self, model: &super::LogGops) {
        self.time("loggops.latency_ns", model.latency_ns);
        self.time("loggops.overhead_ns", model.overhead_ns);
        self.time("loggops.gap_ns", model.gap_ns);
        self.time("loggops.gap_ns_per_byte", model.gap_ns_per_byte);
        self.time("loggops.overhead_ns_per_byte", model.overhead_ns_per_byte);
    }

    fn link(&mut self, name: &str, link: &Link) {
        let curves = [
            ("send_overhead_ns", &link.send_overhead_ns),
            ("recv_overhead_ns", &link.recv_overhead_ns),
            ("latency_ns", &link.latency_ns),
            ("gap_ns", &link.gap_ns),
            ("transfer_ns", &link.transfer_ns),
        ];
        for (field, curve) in curves {
            self.curve(&format!("{name}.{field}"), curve);
        }
        self.time(&format!("{name}.request_ns"), link.request_ns);
        self.time(&format!("{name}.grant_ns"), link.grant_ns);
        if let Some(uncertainty) = link.uncertainty {
            for (field, value) in [("fixed", uncertainty.fixed), ("rate", uncertainty.rate)] {
                if !Range::FACTOR.holds(value) {
                    let field = format!("{name}.uncertainty.{field}");
                    self.fault(&field, &Range::FACTOR.to_string(), &value.to_string());
                }
            }
        }
        for (field, expected, found) in link.two_way.faults(&format!("{name}.two_way")) {
            self.fault(&field, &expected, &found);
        }
    }

    fn curve(&mut self, field: &str, curve: &Curve) {
        if curve.points.is_empty() {
            self.fault(field, "at least one point", "none");
        }
        for (index, point) in curve.points.iter().enumerate() {
            self.time(&format!("{field}[{index}].ns"), point.ns);
        }
        for (index, pair) in curve.points.windows(2).enumerate() {
            if pair[0].bytes >= pair[1].bytes {
                let expected = format!("more than {}", pair[0].bytes);
                self.fault(&format!("{field}[{}].bytes", index + 1), &expected, &pair[1].bytes.to_string());
            }
        }
    }

    fn rule(&mut self, field: &str, rule: &AlgorithmRule) {
        if !rule.collective.algorithms().contains(&rule.algorithm) {
            let found = format!("{:?}", rule.algorithm);
            let expected = format!("an algorithm for {:?}", rule.collective);
            self.fault(&format!("{field}.algorithm"), &expected, &found);
        }
        if rule.segment_bytes == Some(0) {
            self.fault(&format!("{field}.segment_bytes"), "at least 1", "0");
        }
    }

    fn time(&mut self, field: &str, ns: f64) {
        if !ns.is_finite() || ns < 0.0 {
            self.fault(field, "a finite number that is not negative", &ns.to_string());
        }
    }

    fn fault(&mut self, field: &str, expected: &str, found: &str) {
        let message = format!("network file `{}`: `{field}` is {found}, expected {expected}", self.file);
        self.faults.push(Diagnostic::error(&codes::NETWORK_INVALID, message).help("correct the field and run again"));
    }
}
