//! Branches whose condition is unknown: both ways are followed one after the other, and their states are joined.

use crate::code::instructions::{BranchCode, Src};
use crate::execute::branches::Way;
use crate::execute::machine::{Flow, Machine};
use crate::state::location::Location;
use crate::state::log::LogEntry;
use crate::state::open_counts::share;
use crate::state::task::{Split, SplitKind};
use chronos_abstract_execution::EarlyReturn;
use chronos_activity::CountSource;
use chronos_base::ids::Id;
use chronos_ir::BlockKind;
use chronos_slicing::heuristics::{Likelihood, Outcome};
use chronos_values::{ReasonId, ReasonKind, Value};
use std::collections::{BTreeMap, BTreeSet};

impl Machine<'_> {
    pub(super) fn split(
        &mut self,
        index: u32,
        branch: &BranchCode,
        live: &[Way],
        reason: ReasonId,
        source: CountSource,
    ) {
        let span = Some(branch.span);
        let reason = self.shared.reason(ReasonKind::UnknownBranch, span, Some(reason));
        let weight = self.task.weight;
        self.charge_split();
        self.shared.scratch.settle(weight);
        let mut todo: Vec<(u32, f64)> = live.iter().map(|way| (way.arm.unwrap_or(u32::MAX), way.probability)).collect();
        todo.reverse();
        self.task.splits.push(Split {
            kind: SplitKind::Branch { branch: index, todo, way: 0, current: 0.0, source },
            weight,
            left: Vec::new(),
            reason,
            finals: Vec::new(),
            forgotten: Vec::new(),
            exit: None,
            loops: self.task.loops.len() as u32,
            truth: Likelihood { p: 0.0, assumed: source == CountSource::Assumed },
        });
        self.task.begin_uncertain_log();
        self.next_way(branch);
    }

    /// Begins the next way of the innermost split; false where there is none.
    pub(super) fn next_way(&mut self, branch: &BranchCode) -> bool {
        let weight = self.task.weight;
        let Some(split) = self.task.splits.last_mut() else { return false };
        let before = split.weight;
        let SplitKind::Branch { todo, way, current, source, .. } = &mut split.kind else { return false };
        let Some((arm, probability)) = todo.pop() else { return false };
        *way = arm;
        (*current, self.task.weight) = (probability, share(before, probability, *source));
        self.shared.scratch.settle(weight);
        self.take(branch, (arm != u32::MAX).then_some(arm));
        self.summarise_arm(branch, arm);
        true
    }

    /// Does what an arm does in closed form, where it holds loops and its end is its only way out.
    pub(super) fn summarise_arm(&mut self, branch: &BranchCode, arm: u32) {
        let Some(code) = branch.arms.get(arm as usize) else { return };
        if branch.result.is_some() || !code.summarised {
            return;
        }
        let program = self.code.program.clone();
        let BlockKind::Branch(shape) = &program.blocks[branch.block].kind else { return };
        if self.take_region(&shape.arms[arm as usize].region) {
            self.set_pc(branch.end - 1);
        }
    }

    /// What the way that ends here wrote is kept aside and undone.
    pub(super) fn close_way(&mut self) {
        let log = self.task.logs.pop();
        let (finals, objects) = self.task.undo(log);
        if let Some(split) = self.task.splits.last_mut() {
            split.finals.push(finals);
            split.forgotten.extend(objects);
        }
        self.task.begin_uncertain_log();
    }

    pub(crate) fn arm_end(&mut self, branch: &BranchCode, index: u32) -> Flow<()> {
        self.set_pc(branch.end);
        let base = self.task.frames.last().map_or(0, |frame| frame.splits) as usize;
        if self.task.splits.len() <= base {
            return Ok(());
        }
        let ours = |split: &Split| matches!(&split.kind, SplitKind::Branch { branch, .. } if *branch == index);
        let Some(position) = self.task.splits[base..].iter().rposition(ours) else { return Ok(()) };
        if self.task.splits[base + position + 1..].iter().any(|split| split.kind != SplitKind::Remainder) {
            return Ok(());
        }
        if self.task.splits[base + position].loops as usize != self.task.loops.len() {
            return Ok(());
        }
        let left = self.left_since(base + position + 1);
        while self.task.splits.len() > base + position + 1 {
            self.close_remainder();
        }
        if let Some(split) = self.task.splits.last_mut()
            && let SplitKind::Branch { current, .. } = &split.kind
        {
            let current = *current;
            split.left.extend(left.into_iter().map(|(p, source)| (p * current, source)));
        }
        self.end_way(branch);
        Ok(())
    }

    /// What has left through the remainders from this one on, as shares of what came to the first of them: the
    /// second branch is reached by what the first one left over.
    pub(super) fn left_since(&self, first: usize) -> Vec<(f64, CountSource)> {
        let (mut left, mut rest) = (Vec::new(), 1.0);
        for split in &self.task.splits[first..] {
            left.extend(split.left.iter().map(|&(p, source)| (p * rest, source)));
            rest *= (1.0 - split.left.iter().map(|&(p, _)| p).sum::<f64>()).max(0.0);
        }
        left
    }

    pub(super) fn end_way(&mut self, branch: &BranchCode) {
        self.note_truth(branch);
        self.close_way();
        if !self.next_way(branch) {
            self.keep_truth(branch);
            self.merge(branch.end);
        }
    }

    pub(super) fn keep_truth(&mut self, branch: &BranchCode) {
        if let (Some(_), Some(split)) = (branch.result, self.task.splits.last()) {
            self.known.outcomes[branch.block.index()] = Some(Outcome::Truth(split.truth));
        }
    }

    /// Adds the way that ends to what is known of the value of an `&&`, `||` or `?:`.
    pub(super) fn note_truth(&mut self, branch: &BranchCode) {
        let Some((register, _)) = branch.result else { return };
        let Some(split) = self.task.splits.last() else { return };
        let SplitKind::Branch { current, way, .. } = split.kind else { return };
        let truth = match self.value(Src::Reg(register)).truth() {
            Ok(truth) => Likelihood::sure(truth),
            Err(_) => self.arm_truth(branch.block, way),
        };
        if let Some(split) = self.task.splits.last_mut() {
            split.truth.p += current * truth.p;
            split.truth.assumed |= truth.assumed;
        }
    }

    /// All ways are done: what they wrote differently is unknown. What follows has the weight of the
    /// ways that did not leave.
    pub(super) fn merge(&mut self, end: u32) {
        let Some(split) = self.task.splits.pop() else { return };
        self.task.logs.pop();
        self.shared.scratch.settle(self.task.weight);
        self.task.weight = split.weight;
        self.join(&split);
        if split.left.is_empty() {
            self.set_pc(end);
            return;
        }
        let gone: f64 = split.left.iter().map(|&(p, _)| p).sum();
        let source = split.left.iter().map(|&(_, source)| source).max().unwrap_or(CountSource::Assumed);
        let rest = (1.0 - gone).max(0.0);
        if rest <= 1e-12 {
            self.set_pc(split.exit.unwrap_or(end));
            if split.exit == Some(u32::MAX) {
                self.set_pc(self.function().instrs.len() as u32 - 1);
            }
            return;
        }
        self.set_pc(end);
        let weight = split.weight;
        self.task.weight = share(weight, rest, source);
        self.task.splits.push(Split { kind: SplitKind::Remainder, finals: Vec::new(), forgotten: Vec::new(), ..split });
        self.task.begin_uncertain_log();
    }

    /// A part of the executions has returned from the function; what follows has the weight of the others.
    pub(crate) fn leave_by_chance(&mut self, left: EarlyReturn) {
        let weight = self.task.weight;
        self.shared.scratch.settle(weight);
        if let Some(frame) = self.task.frames.last_mut() {
            frame.alternatives.push(left.value);
        }
        let rest = 1.0 - left.share;
        if rest <= 1e-12 {
            self.set_pc(self.function().instrs.len() as u32 - 1);
            return;
        }
        self.task.weight = share(weight, rest, left.source);
        let span = self.span();
        let reason = self.shared.reason(ReasonKind::UnknownBranch, span, None);
        self.task.splits.push(Split {
            kind: SplitKind::Remainder,
            weight,
            left: vec![(left.share, left.source)],
            reason,
            finals: Vec::new(),
            forgotten: Vec::new(),
            exit: None,
            loops: self.task.loops.len() as u32,
            truth: Likelihood { p: 0.0, assumed: false },
        });
        self.task.begin_uncertain_log();
    }

    pub(super) fn join(&mut self, split: &Split) {
        let mut places: BTreeMap<Location, Vec<Value>> = BTreeMap::new();
        let all: BTreeSet<Location> = split.finals.iter().flatten().map(|(place, _)| *place).collect();
        for way in &split.finals {
            let written: BTreeMap<Location, Value> = way.iter().copied().collect();
            for &place in &all {
                let value = written.get(&place).copied().or_else(|| self.task.get(place));
                places.entry(place).or_default().extend(value);
            }
        }
        for (place, values) in places {
            let same = values.windows(2).all(|pair| pair[0] == pair[1]);
            let value = values.first().copied().filter(|_| same).unwrap_or(Value::Unknown(split.reason));
            self.task.set(place, value);
        }
        for &object in &split.forgotten {
            if self.task.memory.object(object).live {
                self.task.forget(object, split.reason);
            }
        }
    }

    /// Ends the innermost split, which is a remainder: what it wrote may not have been written.
    pub(crate) fn close_remainder(&mut self) {
        let Some(split) = self.task.splits.pop() else { return };
        let log = self.task.logs.pop();
        self.shared.scratch.settle(self.task.weight);
        self.task.weight = split.weight;
        self.blur(log, split.reason);
    }

    /// Makes unknown what a log says was changed.
    pub fn blur(&mut self, log: Vec<LogEntry>, reason: ReasonId) {
        let mut first = BTreeMap::new();
        for entry in log {
            match entry {
                LogEntry::Scalar(place, old) => {
                    first.entry(place).or_insert(old);
                }
                LogEntry::Object(object, _) if self.task.memory.object(object).live => self.task.forget(object, reason),
                LogEntry::Object(..) => {}
            }
        }
        for (place, old) in first {
            if self.task.get(place).is_some_and(|now| now != old) {
                self.task.set(place, Value::Unknown(reason));
            }
        }
    }
}
