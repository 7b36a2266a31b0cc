//! Branches. Where the condition is unknown, each way is executed with its share of the weight, one
//! after the other on the same state, and what they leave different becomes unknown.

use crate::code::instructions::{ArmCode, BranchCode, Escapes, Selector, Src};
use crate::codes;
use crate::execute::machine::{Flow, Machine};
use crate::messages::Decides;
use crate::state::location::Location;
use crate::state::log::LogEntry;
use crate::state::open_counts::share;
use crate::state::options::Missing;
use crate::state::task::{Split, SplitKind};
use chronos_abstract_execution::EarlyReturn;
use chronos_activity::{ContextId, CountSource};
use chronos_base::ids::Id;
use chronos_ir::BlockKind;
use chronos_slicing::heuristics::{Grounds, Guess, Likelihood, Outcome};
use chronos_values::{ReasonId, ReasonKind, Value};
use std::collections::{BTreeMap, BTreeSet};

/// A way through a branch: the arm, and its probability.
#[derive(Clone, Copy, Debug)]
struct Way {
    arm: Option<u32>,
    probability: f64,
}

impl Machine<'_> {
    pub fn context(&self) -> ContextId {
        self.task.frames.last().map_or(ContextId(0), |frame| frame.context)
    }

    pub fn choose(&mut self, index: u32, branch: &BranchCode) -> Flow<()> {
        let context = self.context();
        self.shared.scratch.bump(context, branch.counter);
        let condition = self.value(branch.condition);
        match selected(branch, condition) {
            Ok(arm) => {
                if branch.spoken_of {
                    let truth = chance_of(branch, arm);
                    self.settle(branch.block, self.stated_probability(branch.block), truth);
                }
                self.note_outcome(branch, arm);
                self.known.predictor.see(context, branch.block.index(), arm.map_or(0, |arm| (arm + 1).min(255) as u8));
                self.take(branch, arm);
                Ok(())
            }
            Err(reason) => {
                let reason = reason.unwrap_or_else(|| self.clock_reason());
                self.unknown_choice(index, branch, reason)
            }
        }
    }

    /// The value of an `&&`, `||` or `?:` will be that of its arm.
    fn note_outcome(&mut self, branch: &BranchCode, arm: Option<u32>) {
        if let (true, Some(arm)) = (branch.result.is_some(), arm) {
            self.known.outcomes[branch.block.index()] = Some(Outcome::Arm(arm));
        }
    }

    pub(crate) fn clock_reason(&mut self) -> ReasonId {
        let span = self.span();
        self.shared.reason(ReasonKind::Nondeterministic("the time".into()), span, None)
    }

    /// Goes into an arm, or past the branch.
    fn take(&mut self, branch: &BranchCode, arm: Option<u32>) {
        match arm {
            Some(arm) => {
                let context = self.context();
                self.shared.scratch.bump(context, branch.counter + 1 + arm);
                self.set_pc(branch.arms[arm as usize].target);
            }
            None => {
                if let Some((register, value)) = branch.result {
                    let location = Location::Register(self.base() + register);
                    self.task.set(location, Value::Int(value));
                }
                self.set_pc(branch.otherwise - 1);
            }
        }
    }

    fn unknown_choice(&mut self, index: u32, branch: &BranchCode, reason: ReasonId) -> Flow<()> {
        let given = self.stated_probability(branch.block);
        let guess = match self.without_file(branch, given, reason) {
            Some(guess) => self.as_missing(branch, guess),
            None => self.guess(branch, given),
        };
        let guess = self.as_before(branch, given, guess);
        let ways = ways(&guess);
        let live: Vec<Way> = ways.iter().copied().filter(|way| way.probability > 0.0).collect();
        let assumed = given.is_none() && guess.grounds != Grounds::Parts { assumed: false };
        if assumed {
            self.report_assumption(branch, reason, &guess);
        }
        if let [only] = live[..] {
            self.note_outcome(branch, only.arm);
            self.take(branch, only.arm);
            return Ok(());
        }
        let escapes: Vec<Escapes> =
            live.iter().filter_map(|way| arm_of(branch, way.arm)).map(|arm| arm.escapes).collect();
        if escapes.iter().any(|arm| arm.communicates) {
            return Err(self.unknown_mpi(
                Decides::Branch,
                branch.span,
                "this branch, which decides about MPI calls,",
                reason,
            ));
        }
        let loops = self.task.frames.last().map_or(0, |frame| frame.loops) as usize;
        let leaves = escapes.iter().any(|arm| arm.leaves_loop || arm.returns && self.task.loops.len() > loops);
        if leaves && self.task.loops.len() > loops && self.force_enclosing(branch, &escapes, reason, loops)? {
            return Ok(());
        }
        self.split(index, branch, &live, reason, if assumed { CountSource::Assumed } else { CountSource::Probability });
        Ok(())
    }

    /// Makes the loops that the branch may leave counted ones; whether control went back for that.
    fn force_enclosing(
        &mut self,
        branch: &BranchCode,
        escapes: &[Escapes],
        reason: ReasonId,
        base: usize,
    ) -> Flow<bool> {
        let returns = escapes.iter().any(|arm| arm.returns);
        let outermost = if returns { base } else { self.task.loops.len() - 1 };
        let candidate = (outermost..self.task.loops.len()).find(|&i| !self.is_forced(i));
        match candidate {
            Some(i) => {
                self.force_loop(i, reason, Some(branch.span))?;
                Ok(true)
            }
            None => Ok(false),
        }
    }

    /// What is assumed where the condition asks whether a file exists that was not given.
    fn without_file(&self, branch: &BranchCode, given: Option<f64>, reason: ReasonId) -> Option<Guess> {
        let asked = given.is_none() && matches!(self.shared.reasons.get(reason).kind, ReasonKind::Existence(_));
        let program = &self.code.program;
        asked.then(|| self.code.heuristics.without_file(program, branch.block, &|id| self.outcome(id))).flatten()
    }

    /// What was seen before a loop was given up is better than what heuristics say, errors excepted.
    fn as_before(&self, branch: &BranchCode, given: Option<f64>, guess: Guess) -> Guess {
        if given.is_some() || guess.excludes_error() || guess.grounds == Grounds::NoFile {
            return guess;
        }
        self.seen_ways(branch).unwrap_or(guess)
    }

    /// A file that the program can do without is there or not, as the options say.
    fn as_missing(&mut self, branch: &BranchCode, guess: Guess) -> Guess {
        if guess.grounds != Grounds::NoFile {
            return guess;
        }
        self.shared.absent.insert(branch.block);
        match self.shared.options.inputs.missing {
            Missing::Absent => guess,
            Missing::There => guess.opposite(),
        }
    }

    fn guess(&self, branch: &BranchCode, given: Option<f64>) -> Guess {
        let program = &self.code.program;
        match (given, &program.blocks[branch.block].kind) {
            (Some(p), BlockKind::Branch(shape)) => self.code.heuristics.with_probability(shape, p),
            _ => self.code.heuristics.guess(program, branch.block, &|id| self.outcome(id)),
        }
    }

    fn split(&mut self, index: u32, branch: &BranchCode, live: &[Way], reason: ReasonId, source: CountSource) {
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
        self.task.logs.push();
        self.next_way(branch);
    }

    /// Begins the next way of the innermost split; false where there is none.
    fn next_way(&mut self, branch: &BranchCode) -> bool {
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
    fn summarise_arm(&mut self, branch: &BranchCode, arm: u32) {
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
    fn close_way(&mut self) {
        let log = self.task.logs.pop();
        let (finals, objects) = self.task.undo(log);
        if let Some(split) = self.task.splits.last_mut() {
            split.finals.push(finals);
            split.forgotten.extend(objects);
        }
        self.task.logs.push();
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
    fn left_since(&self, first: usize) -> Vec<(f64, CountSource)> {
        let (mut left, mut rest) = (Vec::new(), 1.0);
        for split in &self.task.splits[first..] {
            left.extend(split.left.iter().map(|&(p, source)| (p * rest, source)));
            rest *= (1.0 - split.left.iter().map(|&(p, _)| p).sum::<f64>()).max(0.0);
        }
        left
    }

    fn end_way(&mut self, branch: &BranchCode) {
        self.note_truth(branch);
        self.close_way();
        if !self.next_way(branch) {
            self.keep_truth(branch);
            self.merge(branch.end);
        }
    }

    fn keep_truth(&mut self, branch: &BranchCode) {
        if let (Some(_), Some(split)) = (branch.result, self.task.splits.last()) {
            self.known.outcomes[branch.block.index()] = Some(Outcome::Truth(split.truth));
        }
    }

    /// Adds the way that ends to what is known of the value of an `&&`, `||` or `?:`.
    fn note_truth(&mut self, branch: &BranchCode) {
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
    fn merge(&mut self, end: u32) {
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
        self.task.logs.push();
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
        self.task.logs.push();
    }

    fn join(&mut self, split: &Split) {
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

    /// A jump. One that leaves a split ends its current way.
    pub(crate) fn go_to(&mut self, target: u32, loops: u32, branches: u32) -> Flow<()> {
        let (loop_base, split_base) =
            self.task.frames.last().map_or((0, 0), |frame| (frame.loops as usize, frame.splits as usize));
        if self.task.splits.len() > split_base && self.leaves_split(loops, branches, loop_base, split_base) {
            return self.leave_way(target, None);
        }
        self.leave_loops(loop_base + loops as usize)?;
        self.set_pc(target);
        Ok(())
    }

    /// A jump to a label, which may stand in loops that are not entered yet.
    pub(crate) fn go_to_label(&mut self, target: u32, around: &[u32], branches: u32) -> Flow<()> {
        let (base, pc) = self.task.frames.last().map_or((0, 0), |frame| (frame.loops as usize, frame.pc));
        self.watch_jumps(pc, target)?;
        let active = self.task.loops[base..].iter().map(|state| state.index);
        let common = active.zip(around).take_while(|(a, b)| a == *b).count();
        let frames = self.task.frames.len();
        self.go_to(target, common as u32, branches)?;
        let arrived = self.task.frames.len() == frames && self.task.frames.last().is_some_and(|f| f.pc == target);
        if arrived {
            around[common..].iter().for_each(|&index| self.enter_midway(index));
            if target < pc && common == around.len() {
                return self.jumped_back(target);
            }
        }
        Ok(())
    }

    /// Jumps back make loops that no loop statement counts.
    fn watch_jumps(&mut self, from: u32, target: u32) -> Flow<()> {
        self.task.jumped += u64::from(from.saturating_sub(target));
        let budget = self.shared.budget.max(1000);
        if self.task.jumped <= budget.saturating_mul(4) {
            return Ok(());
        }
        let help = format!("if it ends, raise --budget (now {budget} operations per task)");
        Err(self.error(&codes::ENDLESS, "jumps back were followed without an end in sight", &help))
    }

    fn leaves_split(&self, loops: u32, branches: u32, loop_base: usize, split_base: usize) -> bool {
        let function = self.function();
        self.task.splits[split_base..].iter().rev().any(|split| match &split.kind {
            SplitKind::Branch { branch, .. } => {
                let code = &function.branches[*branch as usize];
                branches <= code.depth || loop_base + (loops as usize) < split.loops as usize
            }
            SplitKind::Remainder => false,
        })
    }

    /// The current way of the innermost split leaves it, by a jump to `target` or by a return.
    pub(crate) fn leave_way(&mut self, target: u32, returned: Option<Option<Value>>) -> Flow<()> {
        let base = self.task.frames.last().map_or(0, |frame| frame.splits) as usize;
        // All of the way leaves: what it lost before is part of that.
        while self.task.splits.len() > base
            && self.task.splits.last().is_some_and(|split| split.kind == SplitKind::Remainder)
        {
            self.close_remainder();
        }
        if let (Some(value), Some(frame)) = (returned, self.task.frames.last_mut()) {
            frame.alternatives.push(value);
        }
        let Some(split) = self.task.splits.last_mut() else { return Ok(()) };
        let SplitKind::Branch { branch, current, source, .. } = &split.kind else { return Ok(()) };
        let (branch, current, source) = (*branch, *current, *source);
        split.left.push((current, source));
        split.exit = Some(target);
        let loops = split.loops as usize;
        self.task.loops.truncate(loops.max(self.task.frames.last().map_or(0, |frame| frame.loops) as usize));
        let function = self.function();
        self.end_way(&function.branches[branch as usize]);
        Ok(())
    }

    /// Ends remainders of the current frame that were begun inside the innermost loop.
    pub(crate) fn close_remainders(&mut self, loops: usize) {
        let base = self.task.frames.last().map_or(0, |frame| frame.splits) as usize;
        while self.task.splits.len() > base
            && self
                .task
                .splits
                .last()
                .is_some_and(|split| split.kind == SplitKind::Remainder && split.loops as usize >= loops)
        {
            self.close_remainder();
        }
    }

    pub(crate) fn leave_loops(&mut self, keep: usize) -> Flow<()> {
        while self.task.loops.len() > keep {
            self.pop_loop();
        }
        Ok(())
    }
}

fn ways(guess: &Guess) -> Vec<Way> {
    let arms = guess.arms.iter().enumerate().map(|(arm, &probability)| Way { arm: Some(arm as u32), probability });
    arms.chain((guess.none > 0.0).then_some(Way { arm: None, probability: guess.none })).collect()
}

/// Whether the condition is true, as a number; of a switch, whether its first arm is taken.
fn chance_of(branch: &BranchCode, arm: Option<u32>) -> f64 {
    let truth = match branch.selector {
        Selector::Truth { yes: Some(yes), .. } => arm == Some(yes),
        Selector::Truth { yes: None, no } => arm != no,
        Selector::Switch { .. } => arm == Some(0),
    };
    f64::from(u8::from(truth))
}

fn arm_of(branch: &BranchCode, arm: Option<u32>) -> Option<&ArmCode> {
    branch.arms.get(arm? as usize)
}

/// The arm that a condition takes; `Err` where it is unknown.
fn selected(branch: &BranchCode, condition: Value) -> Result<Option<u32>, Option<ReasonId>> {
    match &branch.selector {
        Selector::Truth { yes, no } => Ok(if condition.truth()? { *yes } else { *no }),
        Selector::Switch { cases, default } => match condition {
            Value::Int(n) => {
                let after = cases.partition_point(|&(low, ..)| low <= n);
                let hit = cases[..after].iter().rev().find(|&&(low, high, _)| low <= n && n <= high);
                Ok(hit.map(|&(.., arm)| arm).or(*default))
            }
            Value::Unknown(reason) => Err(Some(reason)),
            _ => Err(None),
        },
    }
}
