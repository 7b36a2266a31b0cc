//! Ways through a region: from its first block to the jump back, or to the end of the function.

use crate::code::FunctionCode;
use crate::graph::MachineBlockId;
use crate::loops::LoopId;
use chronos_base::ids::Id as _;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A step of a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// The instructions of a block.
    Block(MachineBlockId),
    /// All iterations of a loop inside, left from this block.
    Loop(LoopId, MachineBlockId),
}

/// A part of a way, the last step first: parts are shared between ways.
#[derive(Clone, Debug)]
pub struct Way {
    /// The last step, and the way up to it.
    steps: Option<Arc<Link>>,
    /// The product of the probabilities of all choices on it.
    pub probability: f64,
    /// Loops on it, in order.
    pub loops: Vec<LoopId>,
    /// Elements that its blocks handle of source loops which have loops of their own inside the region.
    pub straight: BTreeMap<usize, f64>,
    /// Whether it goes through a block that the judge marks.
    pub marked: bool,
}

#[derive(Debug)]
struct Link {
    step: Step,
    before: Option<Arc<Link>>,
}

impl Way {
    /// The way of no step.
    fn empty() -> Self {
        Self { steps: None, probability: 1.0, loops: Vec::new(), straight: BTreeMap::new(), marked: false }
    }

    /// Its steps from the first on.
    pub fn steps(&self) -> Vec<Step> {
        let mut steps: Vec<Step> =
            std::iter::successors(self.steps.as_ref(), |link| link.before.as_ref()).map(|link| link.step).collect();
        steps.reverse();
        steps
    }

    fn and(&self, step: Step, probability: f64) -> Self {
        let mut next = self.clone();
        next.steps = Some(Arc::new(Link { step, before: self.steps.clone() }));
        next.probability *= probability;
        if let Step::Loop(id, _) = step {
            next.loops.push(id);
        }
        next
    }
}

/// What a way may still come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Coming {
    /// A machine loop.
    Loop(LoopId),
    /// Iterations of a source loop that are written out in blocks.
    WrittenOut(usize),
    /// A block that the judge marks.
    Marked,
}

/// What decides between ways.
pub trait Judge {
    /// The probability of going from one block to the other.
    fn probability(&self, from: MachineBlockId, to: MachineBlockId) -> f64;
    /// How far a way is from running what the source runs: 0 is exact. `open` is what may still come.
    fn penalty(&self, way: &Way, open: &BTreeSet<Coming>) -> f64;
    /// Elements of source loops that a block handles.
    fn straight(&self, block: MachineBlockId) -> Option<(usize, f64)>;
    /// Whether a way that goes through the block is marked.
    fn marks(&self, _block: MachineBlockId) -> bool {
        false
    }
}

/// Ways that are followed at once: a function with more choices than these tell apart has a few of them that matter.
const BEAM: usize = 32;

/// The graph of a region with each loop inside taken as one node.
struct Region<'a> {
    code: &'a FunctionCode,
    id: Option<LoopId>,
    /// Blocks, and for loops inside their headers, in an order in which none comes before those that lead to it.
    order: Vec<MachineBlockId>,
    /// Loops inside by header.
    inside: BTreeMap<MachineBlockId, LoopId>,
}

/// The best ways through a region, with what each misses of the source.
pub fn ways(code: &FunctionCode, id: Option<LoopId>, judge: &dyn Judge) -> Vec<(Way, f64)> {
    let region = Region::new(code, id);
    let open = region.open(judge);
    let none = BTreeSet::new();
    let mut at: BTreeMap<MachineBlockId, Vec<Way>> = BTreeMap::new();
    let mut ends = Vec::new();
    let Some(&first) = region.order.first() else { return Vec::new() };
    at.insert(first, vec![Way::empty()]);
    for &block in &region.order {
        let Some(arrived) = at.remove(&block) else { continue };
        let straight = judge.straight(block);
        let steps: Vec<(Step, Option<MachineBlockId>, f64)> = region.weighed_steps(block, judge);
        for way in followed(arrived, |way| judge.penalty(way, open.get(&block).unwrap_or(&none))) {
            for &(step, next, probability) in &steps {
                let mut longer = way.and(step, probability);
                longer.marked |= matches!(step, Step::Block(block) if judge.marks(block));
                if let Some((source, elements)) = straight.filter(|_| matches!(step, Step::Block(_))) {
                    *longer.straight.entry(source).or_default() += elements;
                }
                match next.filter(|to| !region.is_end(*to)) {
                    None => ends.push(longer),
                    Some(to) => at.entry(to).or_default().push(longer),
                }
            }
        }
    }
    best(ends, |way| judge.penalty(way, &none))
}

/// The ways that are followed on. As long as all can be, nobody asks which are better.
fn followed(ways: Vec<Way>, penalty: impl Fn(&Way) -> f64) -> Vec<Way> {
    if ways.len() <= BEAM {
        return ways;
    }
    best(ways, penalty).into_iter().map(|(way, _)| way).collect()
}

fn best(ways: Vec<Way>, penalty: impl Fn(&Way) -> f64) -> Vec<(Way, f64)> {
    let judged = ways.into_iter().map(|way| {
        let penalty = penalty(&way);
        (way, penalty)
    });
    let mut ways: Vec<(Way, f64)> = judged.collect();
    ways.sort_by(|a, b| a.1.total_cmp(&b.1).then(b.0.probability.total_cmp(&a.0.probability)));
    ways.truncate(BEAM);
    ways
}

impl<'a> Region<'a> {
    fn new(code: &'a FunctionCode, id: Option<LoopId>) -> Self {
        let children = code.forest.loops.iter().filter(|(_, inside)| inside.parent == id);
        let inside: BTreeMap<_, _> = children.map(|(child, natural)| (natural.header, child)).collect();
        let within = |block: &MachineBlockId| match id {
            None => true,
            Some(id) => code.forest.loops[id].blocks.contains(block),
        };
        let own = |block: &MachineBlockId| code.innermost(*block) == id || inside.contains_key(block);
        let mut order = Vec::new();
        let all = code.graph.reverse_postorder();
        order.extend(all.into_iter().filter(|block| within(block) && own(block)));
        let mut region = Self { code, id, order, inside };
        region.sort();
        region
    }

    /// Reverse postorder of the graph without inner loops: theirs follows edges into loops that a loop is left by.
    fn sort(&mut self) {
        let Some(&first) = self.order.first() else { return };
        let (mut done, mut seen) = (Vec::new(), BTreeSet::from([first]));
        let mut stack = vec![(first, self.next(first), 0)];
        while let Some((block, next, position)) = stack.pop() {
            match next.get(position).copied() {
                None => done.push(block),
                Some(to) => {
                    stack.push((block, next, position + 1));
                    if seen.insert(to) {
                        stack.push((to, self.next(to), 0));
                    }
                }
            }
        }
        done.reverse();
        self.order = done;
    }

    fn next(&self, block: MachineBlockId) -> Vec<MachineBlockId> {
        let to = self.steps(block).into_iter().filter_map(|(_, to)| to);
        to.filter(|to| !self.is_end(*to)).collect()
    }

    /// Whether going there ends the execution of the region.
    fn is_end(&self, to: MachineBlockId) -> bool {
        self.id.is_some_and(|id| self.code.forest.loops[id].header == to)
    }

    /// What is done at a node, and where control goes afterwards; `None`: the function ends. Ways out of the region are
    /// left out: they are taken once per entry.
    fn steps(&self, block: MachineBlockId) -> Vec<(Step, Option<MachineBlockId>)> {
        let stays = |to: &MachineBlockId| match self.id {
            None => true,
            Some(id) => self.code.forest.loops[id].blocks.contains(to),
        };
        if let Some(&inside) = self.inside.get(&block) {
            let exits = self.code.forest.loops[inside].exits.iter().filter(|(_, to)| stays(to));
            let mut steps: Vec<_> = exits.map(|&(from, to)| (Step::Loop(inside, from), Some(to))).collect();
            // One way out for each place that it leads to.
            steps.dedup_by_key(|(_, to)| *to);
            return steps;
        }
        let successors = &self.code.graph.blocks[block].successors;
        if successors.is_empty() {
            return vec![(Step::Block(block), None)];
        }
        successors.iter().filter(|to| stays(to)).map(|&to| (Step::Block(block), Some(to))).collect()
    }

    /// The same with the probability of each.
    fn weighed_steps(&self, block: MachineBlockId, judge: &dyn Judge) -> Vec<(Step, Option<MachineBlockId>, f64)> {
        let weighed = |(step, next): (Step, Option<MachineBlockId>)| {
            let from = if let Step::Loop(_, leaves) = step { leaves } else { block };
            (step, next, next.map_or(1.0, |to| self.choice(judge, from, to, step)))
        };
        self.steps(block).into_iter().map(weighed).collect()
    }

    fn choice(&self, judge: &dyn Judge, from: MachineBlockId, to: MachineBlockId, step: Step) -> f64 {
        let alternatives = match step {
            Step::Block(_) => self.steps(from).len(),
            // Where a loop is left is decided inside it.
            Step::Loop(..) => 1,
        };
        if alternatives > 1 { judge.probability(from, to) } else { 1.0 }
    }

    /// What may still come from each node on.
    fn open(&self, judge: &dyn Judge) -> BTreeMap<MachineBlockId, BTreeSet<Coming>> {
        let mut open: BTreeMap<MachineBlockId, BTreeSet<Coming>> = BTreeMap::new();
        for &block in self.order.iter().rev() {
            let mut own: BTreeSet<Coming> = match self.inside.get(&block) {
                Some(&inside) => BTreeSet::from([Coming::Loop(inside)]),
                None => judge.straight(block).map(|(source, _)| Coming::WrittenOut(source)).into_iter().collect(),
            };
            if judge.marks(block) {
                own.insert(Coming::Marked);
            }
            for to in self.next(block) {
                own.extend(open.get(&to).into_iter().flatten());
            }
            open.insert(block, own);
        }
        debug_assert!(open.keys().all(|block| block.index() < self.code.graph.blocks.len()));
        open
    }
}
