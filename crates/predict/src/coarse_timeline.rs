//! A timeline from afar: what each task did most in each of equal stretches of the run.
//!
//! It is for runs of which a report cannot hold every span.

use chronos_base::units::Picoseconds;
use chronos_replay::{Part, ReplayResult, TimeSpan};
use chronos_report::replayed::Coarse;
use std::fmt::Write as _;

/// Stretches of all tasks together.
const STRETCHES: usize = 400_000;

/// Of a replay that kept as many spans as it could.
pub(crate) fn coarse_timeline(result: &ReplayResult) -> Option<Coarse> {
    let tasks = result.timeline.len().max(1);
    let number = (STRETCHES / tasks).clamp(20, 600) as u64;
    let step = Picoseconds(result.total.0.div_ceil(number).max(1));
    let known = result.timeline.iter().any(|spans| !spans.is_empty());
    let tasks = || result.timeline.iter().map(|spans| encoded(&letters(spans, step))).collect();
    known.then(|| Coarse { step_s: step.as_seconds(), tasks: tasks(), ranks: Vec::new() })
}

/// One letter for each stretch up to the last span.
fn letters(spans: &[TimeSpan], step: Picoseconds) -> Vec<char> {
    let end = spans.last().map_or(0, |span| span.end.0.div_ceil(step.0));
    let mut times = vec![[0u64; PARTS.len()]; end as usize];
    for span in spans {
        for stretch in span.begin.0 / step.0..span.end.0.div_ceil(step.0) {
            let begin = span.begin.0.max(stretch * step.0);
            let until = span.end.0.min((stretch + 1) * step.0);
            times[stretch as usize][span.part as usize] += until - begin;
        }
    }
    times.iter().map(most).collect()
}

/// In the order of `Part`.
const PARTS: [(Part, char); 5] =
    [(Part::Compute, 'c'), (Part::Send, 's'), (Part::Recv, 'r'), (Part::Collective, 'g'), (Part::Idle, 'w')];

fn most(times: &[u64; PARTS.len()]) -> char {
    let longest = (0..PARTS.len()).rev().max_by_key(|&part| times[part]).filter(|&part| times[part] > 0);
    longest.map_or('-', |part| PARTS[part].1)
}

/// `12c3w`: each letter with how often it comes.
fn encoded(letters: &[char]) -> String {
    let mut text = String::new();
    for run in letters.chunk_by(|a, b| a == b) {
        let _ = write!(text, "{}{}", run.len(), run[0]);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(part: Part, begin: u64, end: u64) -> TimeSpan {
        TimeSpan { part, begin: Picoseconds(begin), end: Picoseconds(end), site: None, peer: Default::default() }
    }

    #[test]
    fn the_part_with_the_most_time_has_the_stretch() {
        let spans = [span(Part::Compute, 0, 25), span(Part::Idle, 25, 38), span(Part::Send, 38, 40)];
        assert_eq!(encoded(&letters(&spans, Picoseconds(10))), "3c1w");
        assert_eq!(letters(&[], Picoseconds(10)), []);
    }

    #[test]
    fn letters_stand_in_the_order_of_parts() {
        assert!(PARTS.iter().enumerate().all(|(at, (part, _))| *part as usize == at));
    }

    #[test]
    fn a_run_is_told_in_equal_stretches() {
        let result = ReplayResult {
            total: Picoseconds(6000),
            timeline: vec![vec![span(Part::Recv, 0, 3000), span(Part::Collective, 3000, 6000)], Vec::new()],
            ..ReplayResult::default()
        };
        let coarse = coarse_timeline(&result).expect("spans");
        assert_eq!((coarse.step_s, coarse.tasks.as_slice()), (1e-11, &["300r300g".to_owned(), String::new()][..]));
    }
}
