//! From all samples to a network file.

use super::fit::{self, Points};
use super::{Measured, Options, codes};
use crate::host;
use chronos_base::diag::Diagnostic;
use chronos_machine::network::{
    CollectiveName, Curve, MeasuredCollective, Network, Point, Provenance, ProvenanceKind, SCHEMA, rules,
};

/// Operations as the benchmark names them.
const OPERATIONS: &[(&str, CollectiveName)] = &[
    ("barrier", CollectiveName::Barrier),
    ("bcast", CollectiveName::Bcast),
    ("reduce", CollectiveName::Reduce),
    ("allreduce", CollectiveName::Allreduce),
    ("gather", CollectiveName::Gather),
    ("scatter", CollectiveName::Scatter),
    ("allgather", CollectiveName::Allgather),
    ("alltoall", CollectiveName::Alltoall),
    ("reduce-scatter", CollectiveName::ReduceScatter),
    ("scan", CollectiveName::Scan),
    ("agreement", CollectiveName::Agreement),
];

/// # Errors
/// No messages were measured, the network for the rest cannot be loaded, or the rules of the library are not known.
pub fn network(options: &Options, measured: &Measured) -> Result<Network, Diagnostic> {
    let link = |distance: &str| fit::link(&measured.samples, distance);
    let within = |distance: &str| link(distance).map(|link| fit::placed(link, measured.is_virtual));
    let (socket, node, between) = (within("socket"), within("node"), link("network"));
    if socket.is_none() && node.is_none() && between.is_none() {
        return Err(Diagnostic::error(&codes::BAD_OUTPUT, "the benchmark measured no messages")
            .help("run it on at least two tasks: --tasks 2"));
    }
    let rest = rest(options)?;
    let library = options.library.as_deref().or_else(|| rules::named_by_version(&measured.library));
    let within = node.clone().or_else(|| socket.clone());
    let taken = taken(within.is_some(), between.is_some(), &rest.name);
    let network = Network {
        schema: SCHEMA.to_owned(),
        name: options.name.clone().unwrap_or_else(|| "network".to_owned()),
        description: format!("Measured with {} on {} nodes.", measured.library, measured.nodes),
        provenance: provenance(options, measured, &taken),
        call_ns: first(measured, "call").unwrap_or(rest.call_ns),
        poll_ns: first(measured, "poll").or(rest.poll_ns),
        reduction_ns_per_byte: reduction(measured).unwrap_or(rest.reduction_ns_per_byte),
        within_socket: node.as_ref().and(socket),
        within_node: within.unwrap_or(rest.within_node),
        between_nodes: between.unwrap_or(rest.between_nodes),
        mpi_library: library.map(str::to_owned),
        algorithms: library.map_or(Ok(rest.algorithms), rules::of_library)?,
        measured_collectives: collectives(measured),
        loggops: None,
        storage: rest.storage,
        spawn_ns: rest.spawn_ns,
        samples: measured.samples.clone(),
        delays: None,
        unscaled: None,
    };
    Ok(network)
}

fn rest(options: &Options) -> Result<Network, Diagnostic> {
    Network::load(&options.rest).map_err(|mut faults| faults.remove(0))
}

fn taken(within: bool, between: bool, name: &str) -> String {
    match (within, between) {
        (true, true) => String::new(),
        (true, false) => format!(" Not measured: between_nodes, which is that of `{name}`."),
        (false, _) => format!(" Not measured: within_node, which is that of `{name}`."),
    }
}

fn provenance(options: &Options, measured: &Measured, taken: &str) -> Provenance {
    let host = host::inspect("");
    let tasks: Vec<String> = options.tasks.iter().map(u32::to_string).collect();
    let text = format!(
        "chronos calibrate --mpirun \"{}\" --tasks {} on {}: {}, {} nodes, started on {}, {}. Medians; one-way times are \
         split as crates/calibrate/src/network/fit.rs says; two_way from means.{taken}",
        options.mpirun,
        tasks.join(","),
        host::today(),
        measured.library,
        measured.nodes,
        host.cpu,
        host.os
    );
    Provenance { kind: ProvenanceKind::Measured, text, sources: Vec::new() }
}

/// A quantity that does not depend on the size, at the nearest distance of which there is one.
fn first(measured: &Measured, quantity: &str) -> Option<f64> {
    let named = |sample: &&chronos_machine::network::Sample| sample.quantity.ends_with(&format!(".{quantity}"));
    measured.samples.iter().find(named).map(|sample| sample.median_ns)
}

fn reduction(measured: &Measured) -> Option<f64> {
    let sample = measured.samples.iter().find(|sample| sample.quantity.ends_with(".reduction"))?;
    (sample.bytes > 0).then(|| (1e4 * sample.median_ns / sample.bytes as f64).round() / 1e4)
}

fn collectives(measured: &Measured) -> Vec<MeasuredCollective> {
    let mut all = Vec::new();
    for &(tasks, within_node) in &measured.together {
        for &(name, collective) in OPERATIONS {
            let samples: Vec<_> = measured.samples.iter().filter(|sample| sample.tasks == tasks).cloned().collect();
            let points = Points::of(&samples, name, |sample| sample.median_ns);
            if !points.is_empty() {
                all.push(MeasuredCollective { collective, tasks, within_node, time_ns: points.curve() });
            }
        }
    }
    all
}

impl Points {
    fn curve(&self) -> Curve {
        Curve { points: self.iter().map(|(bytes, ns)| Point { bytes, ns }).collect() }
    }
}
