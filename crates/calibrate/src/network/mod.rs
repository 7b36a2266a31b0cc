//! Measures a network with its MPI library: builds microbench/mpi/network.c, runs it with the user's launcher, and
//! makes a network file of what it says.
//!
//! It must not know programs under prediction. It writes no file: the caller replaces the network file whole, at the
//! end.

mod assemble;
mod fit;
mod launch;
mod options;
mod output;

use super::codes;
use super::options::Progress;
use chronos_base::diag::Diagnostic;
use chronos_machine::network::{Network, Sample};
use launch::{Benchmark, Part};
use output::Printed;

pub use options::Options;

/// All runs together.
#[derive(Clone, Debug, Default)]
struct Measured {
    library: String,
    /// Number of nodes in the run on most tasks, and that of tasks.
    nodes: usize,
    /// Of each number of tasks: whether all were on one node.
    together: Vec<(u32, bool)>,
    /// A node is a virtual machine.
    is_virtual: bool,
    samples: Vec<Sample>,
}

/// Measures; takes as long as the launcher and the network do.
///
/// `None` where there is no network to show; the diagnostics then say why. Noise gives a warning, too much of it is
/// an error unless `options` allow it.
pub fn run(options: &Options, progress: &mut dyn FnMut(Progress)) -> (Option<Network>, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let network = measure(options, progress)
        .and_then(|measured| {
            diagnostics.extend(noise(&measured.samples, options)?);
            diagnostics.extend(placement_unknown(&measured));
            assemble::network(options, &measured)
        })
        .map_err(|error| diagnostics.push(error))
        .ok();
    (network, diagnostics)
}

fn measure(options: &Options, progress: &mut dyn FnMut(Progress)) -> Result<Measured, Diagnostic> {
    if !options.mpirun.contains("{n}") {
        return Err(Diagnostic::error(&codes::LAUNCH_FAILED, format!("`{}` has no `{{n}}`", options.mpirun))
            .help("write {n} where the number of tasks belongs: --mpirun \"mpirun -np {n}\""));
    }
    let steps = u32::try_from(options.tasks.len()).unwrap_or(u32::MAX).saturating_add(1);
    let mut tell = |done: usize, what: String| {
        progress(Progress { done: u32::try_from(done).unwrap_or(u32::MAX), total: steps, what });
    };
    tell(0, "building".to_owned());
    let benchmark = Benchmark::build(&options.mpicc)?;
    let mut measured = Measured::default();
    for (index, &tasks) in options.tasks.iter().enumerate() {
        tell(index + 1, format!("measuring {tasks} tasks"));
        let part = if index == 0 { Part::All } else { Part::Collectives };
        let printed = benchmark.run(options, tasks, part)?;
        crowded(options, &printed)?;
        let more = index > 0 && measured.lacks(&printed);
        measured.add(tasks, printed);
        if more {
            // Pairs of another distance than those of fewer tasks.
            measured.samples.extend(benchmark.run(options, tasks, Part::Messages)?.samples);
        }
    }
    Ok(measured)
}

impl Measured {
    fn add(&mut self, tasks: u32, printed: Printed) {
        let hosts: std::collections::BTreeSet<&str> = printed.places.iter().map(|place| &*place.host).collect();
        self.nodes = self.nodes.max(hosts.len());
        self.together.push((tasks, hosts.len() == 1));
        self.library = printed.library;
        self.is_virtual |= printed.is_virtual;
        self.samples.extend(printed.samples);
    }

    /// Whether there is a pair of tasks at a distance of which nothing was measured.
    fn lacks(&self, printed: &Printed) -> bool {
        let first = printed.places.first();
        let kind = |place: &output::Place| match first {
            Some(first) if place.host != first.host => "network.one-way",
            Some(first) if place.socket != first.socket => "node.one-way",
            _ => "socket.one-way",
        };
        let known = |kind: &str| self.samples.iter().any(|sample| sample.quantity == kind);
        printed.places.iter().skip(1).any(|place| !known(kind(place)))
    }
}

/// Tasks that wait for messages keep a processor busy; with fewer processors than tasks they keep others from
/// answering.
fn crowded(options: &Options, printed: &Printed) -> Result<(), Diagnostic> {
    if !printed.crowded || options.allow_noise {
        return Ok(());
    }
    let tasks = printed.places.len();
    let place = printed.places.first();
    let (host, processors) = place.map_or(("?", 0), |place| (&*place.host, place.processors));
    let message = format!("{tasks} tasks are more than processors: `{host}` has {processors}");
    Err(Diagnostic::error(&codes::CROWDED, message).help(
        "measure fewer tasks (--tasks 2), spread them over nodes, or take the figures as they are with --allow-noise",
    ))
}

/// What is less certain than this is named, above the second limit in most points nothing is made.
const UNCERTAIN: f64 = 0.05;
const USELESS: f64 = 0.2;

fn noise(samples: &[Sample], options: &Options) -> Result<Option<Diagnostic>, Diagnostic> {
    let counted: Vec<&Sample> = samples.iter().filter(|sample| sample.repetitions > 1).collect();
    let above = |limit: f64| counted.iter().filter(|sample| sample.error > limit).count();
    let (uncertain, useless) = (above(UNCERTAIN), above(USELESS));
    if 4 * useless > counted.len() && !options.allow_noise {
        let message = format!("{useless} of {} points are less certain than {:.0} %", counted.len(), 100.0 * USELESS);
        return Err(Diagnostic::error(&codes::TOO_NOISY, message)
            .help("stop other programs, see that every task has a processor, or accept it with --allow-noise"));
    }
    let worst = counted.iter().max_by(|a, b| a.error.total_cmp(&b.error)).filter(|_| uncertain > 0);
    Ok(worst.map(|worst| {
        let message = format!(
            "{uncertain} of {} points are less certain than {:.0} %, the least certain is {} of {} bytes ({:.0} %)",
            counted.len(),
            100.0 * UNCERTAIN,
            worst.quantity,
            worst.bytes,
            100.0 * worst.error
        );
        Diagnostic::warning(&codes::NOISY, message).help("stop other programs and measure again")
    }))
}

/// Says that messages within a node are less certain than their timings show.
fn placement_unknown(measured: &Measured) -> Option<Diagnostic> {
    let message = "the processors are those of a virtual machine: messages between tasks of a node take other times when its host \
                   places them otherwise, which widens intervals";
    let note = Diagnostic::note(&codes::VIRTUAL_MACHINE, message).help(format!(
        "measured states differ by a factor of {}; measure on the bare machine for narrower ones",
        fit::PLACED.fixed
    ));
    measured.is_virtual.then_some(note)
}

#[cfg(test)]
mod tests;
