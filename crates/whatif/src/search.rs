//! The best placement on so many nodes: all placements where there are few, else a search from several starts.

use crate::change::Placing;
use crate::study::Study;
use crate::{codes, place};
use chronos_base::diag::Diagnostic;
use chronos_base::units::Picoseconds;
use chronos_machine::platform::Platform;
use chronos_predict::Target;
use chronos_predict::replays::{Replays, unchanged};
use std::collections::BTreeMap;

/// The placement that was found.
pub struct Found {
    /// The system with it.
    pub platform: Platform,
    /// What was tried.
    pub note: String,
}

/// Placements that are tried at most.
pub const MOST_TRIED: usize = 2_000;

/// Placements and their times.
struct Tried<'s, 'a> {
    study: &'s Study<'a>,
    text: &'s str,
    nodes: u32,
    /// `None` where a task does not end.
    times: BTreeMap<Vec<u32>, Option<Picoseconds>>,
}

/// The placement with the least time; of equal ones the first.
///
/// # Errors
/// There are fewer nodes.
pub fn best(study: &Study<'_>, text: &str, nodes: u32) -> Result<Found, Diagnostic> {
    let tasks = study.job.tasks;
    let mut tried = Tried { study, text, nodes, times: BTreeMap::new() };
    let is_whole = match placements(tasks, nodes, tried.are_alike()) {
        Some(all) => {
            all.into_iter().try_for_each(|nodes| tried.time(nodes).map(drop))?;
            true
        }
        None => {
            tried.search(tasks)?;
            false
        }
    };
    let known = tried.times.iter().filter_map(|(nodes, time)| Some(((*time)?, nodes)));
    let Some((_, best)) = known.min() else { return Err(nothing_ends(text)) };
    let best = best.clone();
    let list: Vec<String> = best.iter().map(u32::to_string).collect();
    let how = if is_whole { "all of" } else { "the best found of" };
    let alike =
        if tried.are_alike() { ", placements that differ in the order of nodes alone counted once" } else { "" };
    let note = format!("place={}, {how} {} placements{alike}", list.join(","), tried.times.len());
    Ok(Found { platform: place::platform(text, study.target, best)?, note })
}

fn nothing_ends(text: &str) -> Diagnostic {
    let message = format!("the change `{text}` finds no placement under which the program ends");
    Diagnostic::error(&codes::NOT_APPLICABLE, message)
        .help("`chronos predict` with a platform file says what is waited for")
}

impl Tried<'_, '_> {
    /// Whether all nodes are the same, so that only who shares one counts.
    fn are_alike(&self) -> bool {
        let Some(platform) = self.study.target.platform else { return true };
        platform.links.is_none() && platform.nodes[..self.nodes as usize].windows(2).all(|pair| pair[0] == pair[1])
    }

    fn time(&mut self, nodes: Vec<u32>) -> Result<Option<Picoseconds>, Diagnostic> {
        if let Some(&time) = self.times.get(&nodes) {
            return Ok(time);
        }
        let platform = place::platform(self.text, self.study.target, nodes.clone())?;
        let target = Target { platform: Some(&platform), ..self.study.target };
        let time = Replays::new(self.study.job, target, self.study.evaluated).total(&unchanged);
        self.times.insert(nodes, time);
        Ok(time)
    }

    /// From blocks and from turns: the best move of one task, or exchange of two, until there is none.
    fn search(&mut self, tasks: usize) -> Result<(), Diagnostic> {
        let starts = [Placing::Blocks { tasks, nodes: self.nodes }, Placing::Cyclic(self.nodes)];
        for start in starts {
            let mut current = place::nodes(self.text, &start, tasks)?;
            let mut time = self.time(current.clone())?;
            while let Some((better, nodes)) = self.improved(&current, time)? {
                (time, current) = (Some(better), nodes);
            }
        }
        Ok(())
    }

    fn improved(
        &mut self,
        current: &[u32],
        time: Option<Picoseconds>,
    ) -> Result<Option<(Picoseconds, Vec<u32>)>, Diagnostic> {
        for nodes in neighbours(current, self.nodes) {
            if self.times.len() >= MOST_TRIED {
                return Ok(None);
            }
            let found = self.time(nodes.clone())?;
            if let Some(found) = found.filter(|&found| time.is_none_or(|time| found < time)) {
                return Ok(Some((found, nodes)));
            }
        }
        Ok(None)
    }
}

/// Placements in which one task moves, or two exchange their nodes.
fn neighbours(current: &[u32], nodes: u32) -> Vec<Vec<u32>> {
    let mut all = Vec::new();
    for task in 0..current.len() {
        for node in (0..nodes).filter(|&node| node != current[task]) {
            let mut moved = current.to_vec();
            moved[task] = node;
            all.push(moved);
        }
        for other in (0..task).filter(|&other| current[other] != current[task]) {
            let mut exchanged = current.to_vec();
            exchanged.swap(task, other);
            all.push(exchanged);
        }
    }
    all
}

/// All placements, where there are few enough to try them all. On nodes that are alike, a task is on a node that has
/// tasks of lower rank, or on the first that has none (restricted growth strings).
fn placements(tasks: usize, nodes: u32, alike: bool) -> Option<Vec<Vec<u32>>> {
    let mut all = vec![Vec::new()];
    for _ in 0..tasks {
        let mut longer = Vec::new();
        for placed in &all {
            let used = placed.iter().max().map_or(0, |&last: &u32| last + 1);
            let choices = if alike { nodes.min(used + 1) } else { nodes };
            longer.extend((0..choices).map(|node| [&placed[..], &[node]].concat()));
            if longer.len() > MOST_TRIED {
                return None;
            }
        }
        all = longer;
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Stirling numbers of the second kind: 4 tasks on up to 2 nodes: 1 + 7; on up to 3: 1 + 7 + 6.
    #[test]
    fn placements_that_differ_by_names_of_nodes_are_tried_once() {
        let count = |nodes, alike| placements(4, nodes, alike).map(|all| all.len());
        assert_eq!(
            (count(1, true), count(2, true), count(3, true), count(2, false)),
            (Some(1), Some(8), Some(14), Some(16))
        );
        assert_eq!(placements(64, 8, true), None);
    }

    #[test]
    fn neighbours_move_one_task_or_exchange_two() {
        let all = neighbours(&[0, 1], 2);
        assert_eq!(all, [vec![1, 1], vec![0, 0], vec![1, 0]]);
    }
}
