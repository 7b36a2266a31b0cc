//! What microbench/mpi/network.c prints.

use crate::output::bad_output;
use chronos_base::diag::Diagnostic;
use chronos_machine::network::Sample;

/// Everything that one run printed.
#[derive(Clone, Debug, Default)]
pub struct Printed {
    /// What the MPI library says of itself.
    pub library: String,
    /// Node of each rank, with its processors.
    pub places: Vec<Place>,
    /// More tasks than processors on a node.
    pub crowded: bool,
    /// A node is a virtual machine.
    pub is_virtual: bool,
    pub samples: Vec<Sample>,
}

/// Where a rank is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub host: String,
    pub socket: i32,
    pub processors: u32,
}

/// Reads the lines of a run; lines of launchers and libraries are passed over.
///
/// # Errors
/// A line of the benchmark is not what it should be, or the last one is missing.
pub fn parse(text: &str) -> Result<Printed, Diagnostic> {
    let mut printed = Printed::default();
    let mut ended = false;
    for line in text.lines() {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let understood = match word {
            "library" => {
                rest.clone_into(&mut printed.library);
                Some(())
            }
            "place" => place(rest).map(|place| printed.places.push(place)),
            "crowded" => rest.trim().parse::<u32>().ok().map(|crowded| printed.crowded = crowded > 0),
            "virtual" => rest.trim().parse::<u32>().ok().map(|nodes| printed.is_virtual = nodes > 0),
            "point" => sample(rest).map(|sample| printed.samples.push(sample)),
            "end" => {
                ended = true;
                Some(())
            }
            _ => Some(()),
        };
        understood.ok_or_else(|| bad_output(&format!("`{line}`")))?;
    }
    if ended { Ok(printed) } else { Err(bad_output("its last line is missing")) }
}

/// `RANK HOST socket S processors P`
fn place(text: &str) -> Option<Place> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let [_, host, "socket", socket, "processors", processors] = words[..] else { return None };
    Some(Place { host: host.to_owned(), socket: socket.parse().ok()?, processors: processors.parse().ok()? })
}

/// `NAME TASKS BYTES median minimum mean error repetitions samples...`
fn sample(text: &str) -> Option<Sample> {
    let mut words = text.split_whitespace();
    let quantity = words.next()?.to_owned();
    let (tasks, bytes) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    let numbers: Option<Vec<f64>> = words.map(|word| word.parse().ok().filter(|x: &f64| x.is_finite())).collect();
    let numbers = numbers?;
    let [median_ns, minimum_ns, mean_ns, error, repetitions, ..] = numbers[..] else { return None };
    let ns = numbers[5..].to_vec();
    Some(Sample { quantity, tasks, bytes, median_ns, minimum_ns, mean_ns, error, repetitions: repetitions as u32, ns })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_and_others_passed_over() {
        let text = "Warning: something\nlibrary Open MPI v4.1.4\nplace 0 node1 socket 0 processors 2\ncrowded 0\nvirtual 1\n\
            point network.gap 2 8 70.5 60.0 71.0 0.0100 24 69.0 72.0\nend\n";
        let printed = parse(text).unwrap();
        assert_eq!((&*printed.library, &*printed.places[0].host, printed.crowded), ("Open MPI v4.1.4", "node1", false));
        assert!(printed.is_virtual);
        assert_eq!((printed.samples[0].bytes, printed.samples[0].ns.as_slice()), (8, [69.0, 72.0].as_slice()));
        assert!(parse("library x\n").unwrap_err().message.contains("last line"));
        assert!(parse("point gap 2\nend\n").unwrap_err().message.contains("`point gap 2`"));
    }
}
