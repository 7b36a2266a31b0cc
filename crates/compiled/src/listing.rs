//! A function with its loops, lines and times, as data.

use crate::affine::State;
use crate::core::{Core, LoopTime, LoweredLoop, Relaxed, lower, placed_cycles, time, without_figures};
use crate::dominators::Dominators;
use crate::entry_values::{EntryValues, entry_states, entry_values};
use crate::graph::{ControlFlowGraph, MachineBlockId};
use crate::induction::{LoopFacts, Unknown, facts};
use crate::instruction::{Instruction, Trait};
use crate::loops::{LoopForest, LoopId};
use crate::object_code::{CompiledUnit, MachineFunction, SourcePlace};
use chronos_base::ids::Table;
use std::collections::BTreeMap;

/// Ways through a loop body that are timed.
const MOST_PATHS: usize = 8;
/// Instructions of a body that is timed.
const LONGEST_BODY: usize = 2000;

/// A way through a loop body, from the header to the jump back to it.
#[derive(Clone, Debug, PartialEq)]
pub struct LoopPath {
    /// Positions of its instructions in the function.
    pub instructions: Vec<usize>,
    /// Its time per iteration.
    pub time: Result<LoopTime, Unknown>,
}

/// A loop of the object code.
#[derive(Clone, Debug, PartialEq)]
pub struct MachineLoop {
    /// The loop in the forest of its function.
    pub id: LoopId,
    /// The loop around it.
    pub parent: Option<LoopId>,
    /// 1 for an outermost loop.
    pub depth: u32,
    /// The source line of the loop: that of the jump back to the header.
    pub place: Option<SourcePlace>,
    /// Functions that were inlined around it, the outermost first.
    pub inlined: Vec<String>,
    /// What each iteration does.
    pub facts: LoopFacts,
    /// Copies of the source's loop body in one iteration, by accesses of one line and column at different places;
    /// times the lanes. With the reason where it is not determined.
    pub elements: Result<u64, Unknown>,
    /// Ways through the body, or why there are no times.
    pub paths: Result<Vec<LoopPath>, Unknown>,
}

/// A function of the object code with its loops.
#[derive(Clone, Debug)]
pub struct FunctionListing<'a> {
    /// The function.
    pub function: &'a MachineFunction,
    /// Its control flow graph.
    pub graph: ControlFlowGraph,
    /// Loops, outer ones before inner ones.
    pub loops: Vec<MachineLoop>,
}

/// Finds and times the loops of a function.
pub fn listing<'a>(unit: &CompiledUnit, function: &'a MachineFunction, core: &Core) -> FunctionListing<'a> {
    let graph = ControlFlowGraph::new(function, unit);
    let dominators = Dominators::new(&graph);
    let forest = LoopForest::new(&graph, &dominators);
    let states = entry_states(function, &graph, &forest);
    let entries = entry_values(function, &graph, &forest, &states);
    let analysis = Analysis { function, graph: &graph, forest: &forest, entries: &entries, core };
    let loops = states.iter().map(|(id, entry)| analysis.machine_loop(id, entry)).collect();
    FunctionListing { function, graph, loops }
}

struct Analysis<'a> {
    function: &'a MachineFunction,
    graph: &'a ControlFlowGraph,
    forest: &'a LoopForest,
    entries: &'a Table<LoopId, EntryValues>,
    core: &'a Core,
}

impl Analysis<'_> {
    fn machine_loop(&self, id: LoopId, entry: &State) -> MachineLoop {
        let natural = &self.forest.loops[id];
        let facts = facts(self.function, self.graph, self.forest, id, entry);
        let jump =
            natural.latches.iter().map(|latch| self.graph.blocks[*latch].instructions.end.saturating_sub(1)).max();
        let frames = jump.and_then(|jump| self.function.frames.get(jump));
        MachineLoop {
            id,
            parent: natural.parent,
            depth: natural.depth,
            place: jump.and_then(|jump| self.function.place(jump)).cloned(),
            inlined: frames.iter().flat_map(|frames| frames.iter()).map(|frame| frame.function.to_string()).collect(),
            elements: self.elements(id, &facts),
            paths: self.paths(id, &facts),
            facts,
        }
    }

    /// Accesses of one source place are copies of one access: as many as there are different places within a step.
    fn elements(&self, id: LoopId, facts: &LoopFacts) -> Result<u64, Unknown> {
        let vectors = facts.lanes.is_some_and(|lanes| lanes > 1);
        if let Some(moving) = self.moves_lanes(id).filter(|_| vectors) {
            return Err(Unknown(format!("`{moving}` moves elements between lanes or changes their size")));
        }
        let mut copies: BTreeMap<(&SourcePlace, &str, u16), Vec<i64>> = BTreeMap::new();
        for access in facts.accesses.iter().filter(|access| !access.is_frame()) {
            let Ok(step) = access.step else { continue };
            if step == 0 {
                continue;
            }
            let Some(place) = self.function.place(access.instruction) else { continue };
            // Two accesses of one expression have one place; copies of one access have one mnemonic as well.
            let mnemonic = self.function.instructions[access.instruction].mnemonic.as_str();
            let offsets = copies.entry((place, mnemonic, access.width)).or_default();
            let offset = access.address.constant.rem_euclid(step.abs());
            if !offsets.contains(&offset) {
                offsets.push(offset);
            }
        }
        let fewest = copies.iter().min_by_key(|(_, offsets)| offsets.len());
        let Some(((_, _, width), offsets)) = fewest else {
            return Err(Unknown("no access moves from iteration to iteration".to_owned()));
        };
        let copies = offsets.len() as u64;
        match (facts.lanes, facts.element) {
            (Some(lanes), Some(element)) if lanes > 1 && element > 0 => {
                Ok(copies * u64::from(*width) / u64::from(element))
            }
            (Some(_), _) => Ok(copies),
            (None, _) if facts.vector_bytes == 0 => Ok(copies),
            (None, _) => {
                Err(Unknown("vectors are moved, and no instruction tells the size of their elements".to_owned()))
            }
        }
    }

    /// An instruction after which lanes no longer correspond to elements side by side in memory.
    fn moves_lanes(&self, id: LoopId) -> Option<&str> {
        let blocks = self.forest.loops[id].blocks.iter();
        let mut positions = blocks.flat_map(|block| self.graph.blocks[*block].instructions.clone());
        let found = positions.find(|&at| self.function.instructions[at].has(Trait::MovesLanes))?;
        Some(&self.function.instructions[found].text)
    }

    fn paths(&self, id: LoopId, facts: &LoopFacts) -> Result<Vec<LoopPath>, Unknown> {
        if !self.forest.loops[id].children.is_empty() {
            return Err(Unknown("it contains loops, whose iterations its time depends on".to_owned()));
        }
        if let Some(call) = facts.calls.first() {
            let name = call.as_deref().unwrap_or("a function through a pointer");
            return Err(Unknown(format!("it calls {name}, whose instructions are elsewhere")));
        }
        let ways = self.ways(id);
        if ways.is_empty() {
            return Err(Unknown(format!("there are more than {MOST_PATHS} ways through it")));
        }
        Ok(ways.into_iter().map(|way| self.path(id, &way)).collect())
    }

    /// Ways from the header back to it; none where there are too many.
    fn ways(&self, id: LoopId) -> Vec<Vec<MachineBlockId>> {
        let natural = &self.forest.loops[id];
        let (mut done, mut open) = (Vec::new(), vec![vec![natural.header]]);
        while let Some(way) = open.pop() {
            if done.len() + open.len() > MOST_PATHS {
                return Vec::new();
            }
            let Some(&last) = way.last() else { continue };
            for &next in self.graph.blocks[last].successors.iter().rev() {
                if next == natural.header {
                    done.push(way.clone());
                } else if natural.blocks.contains(&next) && !way.contains(&next) {
                    open.push(way.iter().copied().chain([next]).collect());
                }
            }
        }
        done
    }

    fn path(&self, id: LoopId, way: &[MachineBlockId]) -> LoopPath {
        let instructions: Vec<usize> =
            way.iter().flat_map(|block| self.graph.blocks[*block].instructions.clone()).collect();
        let path: Vec<&Instruction> = instructions.iter().map(|&at| &self.function.instructions[at]).collect();
        let time = match path.len() {
            0..=LONGEST_BODY => lower(self.core, &path, &self.entries[id])
                .map(|body| self.timed(&path, &body))
                .map_err(|at| Unknown(without_figures(self.core, path[at]))),
            _ => Err(Unknown(format!("its body has more than {LONGEST_BODY} instructions"))),
        };
        LoopPath { instructions, time }
    }

    /// The time of a path where the object has it, and in the mean of the places that a linker may give to it.
    fn timed(&self, path: &[&Instruction], body: &LoweredLoop) -> LoopTime {
        let mean = placed_cycles(self.core, path, body, self.function.placement, Relaxed::default()).mean;
        LoopTime { mean_cycles: mean, ..time(self.core, body) }
    }
}
