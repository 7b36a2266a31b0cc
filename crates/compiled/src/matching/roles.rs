//! What machine loops of one source loop are beside each other.

use super::LoopMatches;
use crate::code::FunctionCode;
use crate::graph::MachineBlockId;
use crate::loops::LoopId;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// What a machine loop is beside the other machine loops of the same source loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// It runs most iterations: none of its siblings handles more elements at once.
    Main,
    /// It runs what is left over when the main loop has ended.
    Remainder,
    /// It runs before the main loop, until that can begin.
    Peeled,
    /// It runs in place of the main loop, where a check at run time says that the main loop must not.
    Version,
    /// It runs as well, over the same iterations: the compiler split the loop, or unrolled the loop around it.
    Copy,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Main => "main",
            Self::Remainder => "remainder",
            Self::Peeled => "peeled",
            Self::Version => "version",
            Self::Copy => "copy",
        })
    }
}

/// Gives each loop its role among those of the same source loop and the same machine loop around.
pub(super) fn assign(code: &FunctionCode, matches: &mut LoopMatches) {
    let mut groups: BTreeMap<(usize, Option<LoopId>), Vec<LoopId>> = BTreeMap::new();
    for (&id, matched) in matches.iter() {
        let Ok(matched) = matched else { continue };
        groups.entry((matched.source, code.forest.loops[id].parent)).or_default().push(id);
    }
    for ((_, parent), group) in groups {
        let elements = |id: LoopId| matches.get(&id).and_then(|found| found.as_ref().ok()).map_or(0, |m| m.elements);
        // The first of the widest.
        let Some(&main) = group.iter().max_by_key(|&&id| (elements(id), std::cmp::Reverse(id))) else { continue };
        let roles: Vec<(LoopId, Role)> = group
            .iter()
            .map(|&id| {
                (id, if id == main { Role::Main } else { role(code, parent, main, id, elements(id) == elements(main)) })
            })
            .collect();
        for (id, role) in roles {
            if let Some(Ok(matched)) = matches.get_mut(&id) {
                matched.role = role;
            }
        }
    }
}

fn role(code: &FunctionCode, parent: Option<LoopId>, main: LoopId, other: LoopId, as_wide: bool) -> Role {
    let header = |id: LoopId| code.forest.loops[id].header;
    let (before, behind) =
        (reaches(code, parent, header(other), header(main)), reaches(code, parent, header(main), header(other)));
    match (before, behind) {
        (_, true) if as_wide => Role::Copy,
        (true, _) if as_wide => Role::Copy,
        (_, true) => Role::Remainder,
        (true, _) => Role::Peeled,
        (false, false) => Role::Version,
    }
}

/// Whether control gets to a loop within one iteration of the loop around it without entering any of `others`.
pub(crate) fn is_reached_without(code: &FunctionCode, id: LoopId, others: &BTreeSet<LoopId>) -> bool {
    let parent = code.forest.loops[id].parent;
    let begin = parent.map_or(code.graph.entry(), |parent| code.forest.loops[parent].header);
    let closed: BTreeSet<MachineBlockId> = others.iter().map(|other| code.forest.loops[*other].header).collect();
    reaches_past(code, parent, [begin, code.forest.loops[id].header], &closed)
}

/// Whether control gets from one block to another within one iteration of the loop around.
fn reaches(code: &FunctionCode, parent: Option<LoopId>, from: MachineBlockId, to: MachineBlockId) -> bool {
    reaches_past(code, parent, [from, to], &BTreeSet::new())
}

/// The same, not over blocks that are `closed`.
fn reaches_past(
    code: &FunctionCode,
    parent: Option<LoopId>,
    [from, to]: [MachineBlockId; 2],
    closed: &BTreeSet<MachineBlockId>,
) -> bool {
    let around = parent.map(|parent| &code.forest.loops[parent]);
    let is_open = |block: MachineBlockId| !closed.contains(&block);
    let stays =
        |block: MachineBlockId| is_open(block) && around.is_none_or(|l| l.blocks.contains(&block) && block != l.header);
    let (mut seen, mut open) = (BTreeSet::from([from]), vec![from]);
    while let Some(block) = open.pop() {
        for &next in &code.graph.blocks[block].successors {
            if next == to {
                return true;
            }
            if stays(next) && seen.insert(next) {
                open.push(next);
            }
        }
    }
    false
}
