//! Checks that a program keeps the promises of its module: what later phases rely on without asking.
//!
//! - Blocks are numbered in preorder, function by function; a call's leaf stands right behind the straight
//!   block that drives it; parents, functions and first counters agree with the tree.
//! - Regions hold straight blocks, loops and branches alone.
//! - Jumps, and calls that reach MPI or do not return, end their straight block; a label starts one.
//! - Values are defined once, before their uses on every path; types of operands agree.
//! - Every id is in range.

use super::block::{Block, BlockKind, Branch, BranchKind, Loop, Region, Straight};
use super::op::{Call, Callee, Jump, OpKind};
use super::{BlockId, CounterId, FuncId, Function, Program, Storage};
use chronos_base::ids::Id;

mod values;

/// The promises that `program` breaks, as sentences with the block or function at fault; empty for a sound one.
pub fn verify(program: &Program) -> Vec<String> {
    let files = program.files.iter().count();
    let mut verifier = Verifier { program, next: BlockId(0), counter: 0, files, violations: Vec::new() };
    verifier.tables();
    for (id, function) in program.functions.iter() {
        verifier.function(id, function);
        verifier.violations.extend(values::check(program, id));
    }
    verifier.totals();
    verifier.violations
}

/// Library functions that never return.
const NO_RETURN: &[&str] = &["exit", "_exit", "_Exit", "quick_exit", "abort", "longjmp", "siglongjmp"];

struct Verifier<'a> {
    program: &'a Program,
    /// The block that preorder reaches next, and its first counter.
    next: BlockId,
    counter: u32,
    /// Number of files that places may lie in.
    files: usize,
    violations: Vec<String>,
}

impl Verifier<'_> {
    fn check(&mut self, holds: bool, message: impl FnOnce() -> String) {
        if !holds {
            self.violations.push(message());
        }
    }

    /// Tables that refer to each other outside of blocks.
    fn tables(&mut self) {
        let program = self.program;
        for (id, variable) in program.variables.iter() {
            let known = program.types.types.get(variable.ty).is_some();
            self.check(known, || format!("{id} ({}) has the unknown type {}", variable.name, variable.ty));
            let owner = variable.function.is_none_or(|function| program.functions.get(function).is_some());
            self.check(owner, || format!("{id} ({}) belongs to an unknown function", variable.name));
            let local = matches!(variable.storage, Storage::Local | Storage::Parameter(_));
            self.check(!local || variable.function.is_some(), || format!("{id} is local to no function"));
            self.check(!local || variable.init.is_none(), || format!("{id} is local and has a static initialiser"));
        }
        if let Some(main) = program.main {
            let named = program.functions.get(main).is_some_and(|function| &*function.name == "main");
            self.check(named, || format!("{main} is entered as main and is not named so"));
        }
    }

    fn totals(&mut self) {
        let (next, counter, program) = (self.next, self.counter, self.program);
        self.check(next == program.blocks.next_id(), || format!("blocks from {next} on belong to no function"));
        let total = program.counters;
        self.check(counter == total, || format!("the program says {total} counters and has {counter}"));
    }

    fn function(&mut self, id: FuncId, function: &Function) {
        let (first, end) = function.blocks;
        let next = self.next;
        self.check(first == next, || format!("{id} ({}) begins at {first}, not at {next}", function.name));
        self.parameters(id, function);
        self.region(id, &function.body, None);
        let next = self.next;
        self.check(end == next, || format!("{id} ({}) ends at {end}, not at {next}", function.name));
        self.labels(id, function);
        self.targets(id, function);
    }

    fn parameters(&mut self, id: FuncId, function: &Function) {
        for (position, &param) in function.params.iter().enumerate() {
            let variable = self.program.variables.get(param);
            let expected = u32::try_from(position).map(Storage::Parameter).ok();
            let right = variable.is_some_and(|v| Some(v.storage) == expected && v.function == Some(id));
            self.check(right, || format!("{param} is not parameter {position} of {id}"));
        }
        for &local in &function.locals {
            let right = self.program.variables.get(local).is_some_and(|v| v.function == Some(id));
            self.check(right, || format!("{local} is not a local of {id}"));
        }
    }

    fn labels(&mut self, id: FuncId, function: &Function) {
        for (label, (name, block)) in function.labels.iter() {
            let right = match self.program.blocks.get(*block) {
                Some(Block { function, kind: BlockKind::Straight(straight), .. }) => {
                    *function == id && straight.label == Some(label)
                }
                _ => false,
            };
            self.check(right, || format!("label {label} ({name}) of {id} does not start {block}"));
        }
    }

    fn targets(&mut self, id: FuncId, function: &Function) {
        for (target, &block) in function.targets.iter() {
            let found = self.program.blocks.get(block).filter(|found| found.function == id);
            let right = match found.map(|found| &found.kind) {
                Some(BlockKind::Loop(node)) => node.target == target,
                Some(BlockKind::Branch(branch)) => branch.target == Some(target),
                _ => false,
            };
            self.check(right, || format!("{block} of {id} is not what {target} names"));
        }
    }

    fn region(&mut self, function: FuncId, region: &Region, parent: Option<BlockId>) {
        for &id in region {
            self.node(function, id, parent);
        }
    }

    fn node(&mut self, function: FuncId, id: BlockId, parent: Option<BlockId>) {
        let program = self.program;
        let Some(block) = program.blocks.get(id) else {
            self.violations.push(format!("{id} in a region of {function} does not exist"));
            return;
        };
        if id < self.next {
            self.violations.push(format!("{id} stands in the tree twice, or out of preorder"));
            return;
        }
        self.enter(function, id, block, parent);
        match &block.kind {
            BlockKind::Straight(straight) => self.straight(function, id, straight, parent),
            BlockKind::Call(_) => self.violations.push(format!("{id} is a call and stands in a region")),
            BlockKind::Loop(node) => self.loop_node(function, id, node),
            BlockKind::Branch(branch) => self.branch(function, id, branch),
        }
    }

    /// What every block promises; then preorder goes on behind it.
    fn enter(&mut self, function: FuncId, id: BlockId, block: &Block, parent: Option<BlockId>) {
        let next = self.next;
        self.check(id == next, || format!("{id} stands where preorder has {next}"));
        self.check(block.function == function, || format!("{id} says {} and lies in {function}", block.function));
        self.check(block.parent == parent, || format!("{id} says parent {:?}, the tree {parent:?}", block.parent));
        let (first, counter) = (block.first_counter, CounterId(self.counter));
        self.check(first == counter, || format!("{id} has its counters at {first}, not at {counter}"));
        let file = block.span.file;
        let known = file.index() < self.files;
        self.check(known, || format!("{id} lies in the unknown {file}"));
        self.next = BlockId(id.0.saturating_add(1));
        self.counter = self.counter.saturating_add(block.counters());
    }

    fn straight(&mut self, function: FuncId, id: BlockId, straight: &Straight, parent: Option<BlockId>) {
        let owner = &self.program.functions[function];
        if let Some(label) = straight.label {
            let right = owner.labels.get(label).is_some_and(|(_, block)| *block == id);
            self.check(right, || format!("{id} has {label}, which names another block"));
        }
        for (position, op) in straight.ops.iter().enumerate() {
            let last = position + 1 == straight.ops.len();
            match &op.kind {
                OpKind::Jump(jump) => {
                    self.check(last, || format!("{id} goes on behind a jump"));
                    self.jump(owner, id, jump);
                }
                OpKind::Call(leaf) => self.leaf(function, id, *leaf, parent, last),
                _ => {}
            }
        }
    }

    fn leaf(&mut self, function: FuncId, driver: BlockId, leaf: BlockId, parent: Option<BlockId>, last: bool) {
        let Some(block) = self.program.blocks.get(leaf).filter(|_| leaf >= self.next) else {
            self.violations.push(format!("{driver} drives {leaf}, which does not follow it"));
            return;
        };
        self.enter(function, leaf, block, parent);
        let BlockKind::Call(call) = &block.kind else {
            self.violations.push(format!("{driver} drives {leaf}, which is no call"));
            return;
        };
        self.check(last || !self.ends_block(call), || format!("{driver} goes on behind {leaf}, which must end it"));
    }

    /// Whether the call reaches MPI or may not return.
    fn ends_block(&self, call: &Call) -> bool {
        match &call.callee {
            Callee::Mpi(_) => true,
            Callee::Library(name) => NO_RETURN.contains(&&**name),
            Callee::Function(id) => self
                .program
                .functions
                .get(*id)
                .is_some_and(|function| function.effects.reaches_mpi || function.effects.may_not_return),
            Callee::Indirect(_) => false,
        }
    }

    fn jump(&mut self, owner: &Function, id: BlockId, jump: &Jump) {
        let right = match jump {
            Jump::Return(_) => true,
            Jump::Goto(label) => owner.labels.get(*label).is_some(),
            Jump::Break(target) => owner.targets.get(*target).is_some_and(|&around| self.inside(id, around)),
            Jump::Continue(target) => owner.targets.get(*target).is_some_and(|&around| {
                let is_loop = |block: &Block| matches!(block.kind, BlockKind::Loop(_));
                self.inside(id, around) && self.program.blocks.get(around).is_some_and(is_loop)
            }),
        };
        self.check(right, || format!("{id} jumps to what is not there or not around it: {jump:?}"));
    }

    fn inside(&self, id: BlockId, around: BlockId) -> bool {
        let mut at = id;
        while let Some(parent) = self.program.blocks.get(at).and_then(|block| block.parent) {
            // Parents precede their children, so this ends even in a broken program.
            if parent == around {
                return true;
            }
            if parent >= at {
                return false;
            }
            at = parent;
        }
        false
    }

    /// Which part of a loop is numbered first is the source's order; each is contiguous.
    fn loop_node(&mut self, function: FuncId, id: BlockId, node: &Loop) {
        let known = self.program.functions[function].targets.get(node.target) == Some(&id);
        self.check(known, || format!("{id} has {}, which names another block", node.target));
        let condition = node.condition.as_ref().map(|condition| &condition.region);
        let mut regions: Vec<&Region> = [&node.init, &node.body, &node.step].into_iter().chain(condition).collect();
        regions.sort_by_key(|region| region.first().copied());
        for region in regions {
            self.region(function, region, Some(id));
        }
    }

    fn branch(&mut self, function: FuncId, id: BlockId, branch: &Branch) {
        let named = branch.target.is_none_or(|target| {
            branch.kind == BranchKind::Switch && self.program.functions[function].targets.get(target) == Some(&id)
        });
        self.check(named, || format!("{id} has a target that names another block"));
        self.check(arms_fit(branch), || format!("{id} has arms that its kind does not have"));
        for arm in &branch.arms {
            self.region(function, &arm.region, Some(id));
        }
    }
}

fn arms_fit(branch: &Branch) -> bool {
    use super::ArmLabel::{Case, Default, False, True};
    let labels: Vec<_> = branch.arms.iter().map(|arm| arm.labels.as_slice()).collect();
    let only_switches_fall = branch.kind == BranchKind::Switch || branch.arms.iter().all(|arm| !arm.falls_through);
    only_switches_fall
        && match branch.kind {
            BranchKind::If => matches!(labels[..], [[True]] | [[True], [False]]),
            BranchKind::And => matches!(labels[..], [[True]]),
            BranchKind::Or => matches!(labels[..], [[False]]),
            BranchKind::Conditional => matches!(labels[..], [[True], [False]]),
            BranchKind::Switch => labels.iter().flat_map(|arm| arm.iter()).all(|l| matches!(l, Case(..) | Default)),
        }
}

#[cfg(test)]
mod tests;
