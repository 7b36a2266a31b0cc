//! Mutexes and semaphores of POSIX: in what order threads take them is decided in the run.
//!
//! What a thread reads under a mutex, and threads write under one, is what those before it have left, so it is a doubt; but for
//! what is only added to, which is the same in any order; so is what threads read of it without the mutex. How often a thread looks until a signal has come is one as well.

use super::critical::adds;
use super::waiting::waiting_loop;
use super::{Certainty, Doubt, Doubts, Subject};
use crate::{Analysis, ClassId, ModSets, targets};
use chronos_base::hash::{FxHashMap, FxHashSet};
use chronos_ir::openmp::{LOCK, POSIX, STARTER, UNLOCK, WAIT};
use chronos_ir::{
    Base, BlockId, BlockKind, Callee, FuncId, OpKind, Place, Program, Region, Storage, Straight, ValueId,
};

/// Adds the doubts of what was executed under mutexes.
pub fn add(program: &Program, analysis: &Analysis, executed: &FxHashSet<BlockId>, doubts: &mut Doubts) {
    let calls: Vec<(BlockId, &str)> = program
        .blocks
        .ids()
        .filter(|id| executed.contains(id))
        .filter_map(|id| Some((id, step(program, id)?)))
        .collect();
    let Some(&(first, _)) = calls.iter().find(|&&(_, name)| takes(name)) else { return };
    let text = "in what order threads take mutexes is decided in the run: they take turns here";
    let span = program.blocks[first].span;
    let doubt = Doubt { span, certainty: Certainty::Approximate, text: text.into(), help: None };
    let waits = calls.iter().filter(|(_, name)| *name == WAIT);
    let loops = waits.filter_map(|&(id, _)| waiting_loop(program, id)).map(Subject::Loop);
    Search::new(program, analysis)
        .all()
        .into_iter()
        .chain(loops)
        .for_each(|subject| doubts.add(doubt.clone(), subject));
}

/// The call of a function of POSIX for threads, by its name here.
fn step(program: &Program, block: BlockId) -> Option<&str> {
    match &program.call(block)?.callee {
        Callee::Mpi(name) if name.starts_with(POSIX) => Some(name),
        _ => None,
    }
}

fn takes(name: &str) -> bool {
    name == LOCK || matches!(name.strip_prefix(POSIX), Some("mutex_trylock" | "sem_wait" | "sem_trywait"))
}

fn gives_back(name: &str) -> bool {
    name == UNLOCK || name.strip_prefix(POSIX) == Some("sem_post")
}

struct Search<'a> {
    program: &'a Program,
    analysis: &'a Analysis,
    mods: ModSets,
    /// Functions that only take mutexes, or only give them back.
    wrappers: FxHashMap<FuncId, bool>,
    /// Mutexes that are held.
    held: u32,
    /// What is written under one.
    written: FxHashSet<ClassId>,
    is_collecting: bool,
    /// Functions that started threads execute.
    in_threads: FxHashSet<FuncId>,
    is_in_thread: bool,
    found: Vec<Subject>,
}

impl<'a> Search<'a> {
    fn new(program: &'a Program, analysis: &'a Analysis) -> Self {
        Self {
            program,
            analysis,
            mods: ModSets::default(),
            wrappers: wrappers(program),
            held: 0,
            written: FxHashSet::default(),
            is_collecting: true,
            in_threads: in_threads(program),
            is_in_thread: false,
            found: Vec::new(),
        }
    }

    fn all(mut self) -> Vec<Subject> {
        for is_collecting in [true, false] {
            self.is_collecting = is_collecting;
            for (id, function) in self.program.functions.iter() {
                self.held = 0;
                self.is_in_thread = self.in_threads.contains(&id);
                self.region(id, &function.body);
            }
        }
        self.found
    }

    fn region(&mut self, function: FuncId, region: &Region) {
        let program = self.program;
        for &block in region {
            match &program.blocks[block].kind {
                BlockKind::Straight(straight) => self.straight(function, straight),
                BlockKind::Loop(inner) => {
                    let before = self.held;
                    inner.regions().for_each(|region| self.region(function, region));
                    self.held = self.held.max(before);
                }
                BlockKind::Branch(branch) => {
                    let before = self.held;
                    // The ways that leave the branch go on elsewhere.
                    let mut behind = if branch.arms.len() < 2 { before } else { 0 };
                    for arm in &branch.arms {
                        self.held = before;
                        self.region(function, &arm.region);
                        if !leaves(program, &arm.region) {
                            behind = behind.max(self.held);
                        }
                    }
                    self.held = behind;
                }
                BlockKind::Call(_) => {}
            }
        }
    }

    fn straight(&mut self, function: FuncId, straight: &Straight) {
        for (at, op) in straight.ops.iter().enumerate() {
            match &op.kind {
                OpKind::Call(leaf) => self.call(*leaf),
                OpKind::Write(place, _) if self.held > 0 && self.is_collecting => {
                    self.written.extend(self.shared(function, place));
                }
                OpKind::Copy { to, from, .. } if self.held > 0 => {
                    let (to, from) = (self.shared(function, to), self.shared(function, from));
                    if self.is_collecting {
                        self.written.extend(to);
                    } else if from.is_some_and(|class| self.written.contains(&class)) {
                        self.found.extend(to.map(Subject::Storage));
                    }
                }
                OpKind::Read(place) if (self.held > 0 || self.is_in_thread) && !self.is_collecting => {
                    let is_left = self.shared(function, place).is_some_and(|class| self.written.contains(&class));
                    if let (true, Some(value)) = (is_left && !is_added_to(straight, at, place), op.dst) {
                        self.found.push(Subject::Value(function, value));
                    }
                }
                _ => {}
            }
        }
    }

    fn call(&mut self, leaf: BlockId) {
        let Some(call) = self.program.call(leaf) else { return };
        let taken = match &call.callee {
            Callee::Mpi(name) if takes(name) => Some(true),
            Callee::Mpi(name) if gives_back(name) => Some(false),
            Callee::Function(function) => self.wrappers.get(function).copied(),
            _ => None,
        };
        match (taken, &call.callee) {
            (Some(true), _) => self.held += 1,
            (Some(false), _) => self.held = self.held.saturating_sub(1),
            (None, Callee::Function(_)) if self.held > 0 => {
                let written = self.mods.call(self.program, self.analysis, leaf);
                if self.is_collecting {
                    self.written.extend(written);
                } else if !written.is_empty() {
                    self.found.push(Subject::Call(leaf));
                    self.found.extend(written.into_iter().map(Subject::Storage));
                }
            }
            _ => {}
        }
    }

    /// The storage of a place that threads share; a variable in a register is the thread's own.
    fn shared(&self, function: FuncId, place: &Place) -> Option<ClassId> {
        match &place.base {
            Base::Variable(id) => {
                let variable = &self.program.variables[*id];
                let own = matches!(variable.storage, Storage::Local | Storage::Parameter(_)) && !variable.address_taken;
                (!own).then(|| self.analysis.variable(*id))
            }
            Base::Pointer(pointer) => self.analysis.pointed(function, pointer),
        }
    }
}

/// The functions that threads begin with, and those that these call.
fn in_threads(program: &Program) -> FxHashSet<FuncId> {
    let starts = |block: BlockId| &*program.functions[program.blocks[block].function].name == STARTER;
    let calls = |block: BlockId| program.call(block).map(|call| targets(program, call)).unwrap_or_default();
    let mut pending: Vec<FuncId> = program.blocks.ids().filter(|&block| starts(block)).flat_map(calls).collect();
    let mut found = FxHashSet::default();
    while let Some(next) = pending.pop() {
        if found.insert(next) {
            let (first, end) = program.functions[next].blocks;
            pending.extend((first.0..end.0).map(BlockId).flat_map(calls));
        }
    }
    found
}

fn wrappers(program: &Program) -> FxHashMap<FuncId, bool> {
    let mut seen: FxHashMap<FuncId, (bool, bool)> = FxHashMap::default();
    for (id, name) in program.blocks.ids().filter_map(|id| Some((id, step(program, id)?))) {
        let entry = seen.entry(program.blocks[id].function).or_default();
        entry.0 |= takes(name);
        entry.1 |= gives_back(name);
    }
    seen.into_iter().filter(|(_, (takes, gives))| takes != gives).map(|(id, (takes, _))| (id, takes)).collect()
}

/// Whether control goes elsewhere at the end of the region.
fn leaves(program: &Program, region: &Region) -> bool {
    let Some(BlockKind::Straight(straight)) = region.last().map(|&block| &program.blocks[block].kind) else {
        return false;
    };
    matches!(straight.ops.last().map(|op| &op.kind), Some(OpKind::Jump(_)))
}

/// Whether what is read serves for nothing but to add to the place.
fn is_added_to(straight: &Straight, read: usize, place: &Place) -> bool {
    let mut values: FxHashMap<ValueId, &OpKind> = FxHashMap::default();
    let mut chain: Vec<ValueId> = straight.ops[read].dst.into_iter().collect();
    let mut is_written = false;
    for op in &straight.ops {
        values.extend(op.dst.map(|dst| (dst, &op.kind)));
    }
    for op in &straight.ops[read + 1..] {
        let uses = op.kind.values().filter(|value| chain.contains(value)).count();
        match &op.kind {
            _ if uses == 0 => {}
            OpKind::Write(to, value) if to.base == place.base && to.steps == place.steps && !is_written => {
                is_written = adds(&values, to, value);
                if !is_written {
                    return false;
                }
            }
            OpKind::Convert(..) | OpKind::Move(_) | OpKind::Binary(..) if !is_written => chain.extend(op.dst),
            _ => return false,
        }
    }
    is_written
}
