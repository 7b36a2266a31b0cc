//! Takes summaries of loops instead of interpreting them.

use crate::code::instructions::{Home, Instr, LoopCode, Src};
use crate::code::program::Code;
use crate::codes;
use crate::execute::machine::{Flow, Machine};
use crate::messages::{assumed, assumed_trips, assumption};
use crate::state::location::Location;
use crate::state::memory::Memory;
use crate::state::open_counts::factor;
use crate::state::remembered::refusals::acceptable;
use crate::state::task::Task;
use chronos_abstract_execution::{
    Effect, Environment, Exit, Request, Summariser, Summary, UncertainKind, Unsummarisable,
};
use chronos_activity::{Count, CountSource, CountValue};
use chronos_base::ids::Id;
use chronos_functions::{self as functions, Extent, Role};
use chronos_ir::{BlockId, BlockKind, BranchKind, Callee, CounterId, Program, Region, ScalarType, ValueId, VarId};
use chronos_slicing::Loss;
use chronos_slicing::heuristics::{Assumed, Grounds, Guess, Spread};
use chronos_values::storage::{Content, Fill, Storage};
use chronos_values::{ObjectId, Origin, Pointer, Value};

/// Turns of a summarised loop that the branch predictor is shown: it remembers no more of the ways before a branch.
const MOST_SHOWN: f64 = 128.0;

struct View<'a> {
    task: &'a Task,
    code: &'a Code,
    unknown: Value,
    base: u32,
}

impl View<'_> {
    fn memory(&self) -> &Memory {
        &self.task.memory
    }

    fn home_value(&self, home: Home, ty: ScalarType) -> Value {
        match home {
            Home::Register(register) => self.register(register),
            Home::Global(register) if self.hides(Location::Global(register)) => self.unknown,
            Home::Global(register) => {
                self.see(Location::Global(register));
                self.task.globals[register as usize]
            }
            Home::Object(object) => self.load(Pointer { object, offset: 0 }, ty),
            Home::FrameObject(register) => match self.register(register) {
                Value::Pointer(pointer) => self.load(pointer, ty),
                other => other,
            },
        }
    }

    /// Nobody knows what a summary makes of what it reads: in a trial, and of what depends on the rank.
    fn see(&self, place: Location) {
        if let Some(linear) = &self.task.linear {
            linear.see(place);
        }
        if let Some(by_rank) = &self.task.by_rank {
            by_rank.see(place);
        }
    }

    /// What depends on the rank is not told.
    fn hides(&self, place: Location) -> bool {
        self.task.by_rank.as_ref().is_some_and(|by_rank| by_rank.hides.get() && by_rank.formula(place).is_some())
    }

    fn hides_memory(&self, pointer: Pointer, ty: ScalarType) -> bool {
        let Some(by_rank) = self.task.by_rank.as_ref().filter(|by_rank| by_rank.hides.get()) else { return false };
        let begin = pointer.offset as u64;
        let bytes = ty.size(self.memory().model);
        let reaches =
            |place: Location| matches!(place, Location::Memory(_, at, ty) if at + ty.size(self.memory().model) > begin);
        by_rank.overlapping(pointer.object, begin, begin + bytes).into_iter().any(reaches)
    }

    fn register(&self, register: u32) -> Value {
        if self.hides(Location::Register(self.base + register)) {
            return self.unknown;
        }
        self.see(Location::Register(self.base + register));
        self.task.stack.get((self.base + register) as usize).copied().unwrap_or(self.unknown)
    }
}

impl Environment for View<'_> {
    fn variable(&self, variable: VarId) -> Value {
        let program = &self.code.program;
        let ty = program.types.scalar(program.variables[variable].ty).unwrap_or(ScalarType::I8);
        self.home_value(self.code.homes[variable.index()], ty)
    }

    fn object(&self, variable: VarId) -> ObjectId {
        match self.code.homes[variable.index()] {
            Home::Object(object) => object,
            Home::FrameObject(register) => match self.register(register) {
                Value::Pointer(pointer) => pointer.object,
                _ => ObjectId(0),
            },
            _ => ObjectId(0),
        }
    }

    fn value(&self, value: ValueId) -> Value {
        self.register(value.0)
    }

    fn load(&self, pointer: Pointer, ty: ScalarType) -> Value {
        match self.memory().check(pointer, ty.size(self.memory().model)) {
            Ok(()) if self.hides_memory(pointer, ty) => self.unknown,
            Ok(()) => self.memory().read(pointer, ty).unwrap_or(self.unknown),
            Err(_) => self.unknown,
        }
    }

    fn origin(&self, object: ObjectId) -> Origin {
        self.memory().object(object).origin
    }

    fn size(&self, object: ObjectId) -> u64 {
        self.memory().object(object).size
    }

    fn is_cleared(&self, object: ObjectId) -> bool {
        let object = self.memory().object(object);
        object.live && matches!(object.content, Content { storage: Storage::Empty, fill: Fill::Zero })
    }
}

/// Executions of blocks of one loop that are interpreted for the branch predictor to learn from: some tens of repetitions
/// of what a predictor can keep.
const MOST_LEARNT: f64 = 131_072.0;

/// Whether a branch in it goes one way in some executions and another one in others.
fn has_several_ways(program: &Program, summary: &Summary) -> bool {
    let of = |at: usize| summary.counts[at].2.as_f64().unwrap_or(0.0);
    let is_branch = |counter: CounterId| {
        let block = program.block_of(counter);
        matches!(program.blocks[block].kind, BlockKind::Branch(_)) && program.blocks[block].counter(0) == counter
    };
    (0..summary.counts.len()).any(|at| {
        let (context, counter, _) = summary.counts[at];
        let arm = |&other: &usize| {
            let (of, arm, _) = summary.counts[other];
            of == context && arm != counter && program.block_of(arm) == program.block_of(counter)
        };
        let evaluations = of(at);
        is_branch(counter) && (0..summary.counts.len()).filter(arm).any(|arm| of(arm) > 0.0 && of(arm) < evaluations)
    })
}

/// Nothing in it may have been estimated but counts.
fn is_alike(summary: &Summary) -> bool {
    let comes_to_its_end = summary.exit.is_none() && summary.early_return.is_none();
    comes_to_its_end && summary.volumes.is_empty() && summary.annotation_checks.is_empty()
}

impl Machine<'_> {
    /// Does what a loop does by its summary, if there is one that serves; false where it is to be interpreted.
    pub(crate) fn take_summary(&mut self, code: &LoopCode) -> Flow<bool> {
        if self.must_see_accesses() || self.skips(code.block) {
            return Ok(false);
        }
        self.note_asked(code.block);
        let Ok(summary) = self.ask(|summariser, request| summariser.summarise_loop(code.block, request)) else {
            self.known.refusals.entry(code.block).none += 1;
            return Ok(false);
        };
        // The summary does not know what the source says before the loop.
        let given = self.stated_iterations(code.block);
        let unheard = given.is_some() && summary.uncertain.iter().any(|uncertain| uncertain.block == code.block);
        if unheard || !self.serves(&summary) || !self.may_leave(&summary) {
            self.refuse(code.block, &summary);
            return Ok(false);
        }
        if self.is_to_be_shown(code.block, &summary) {
            return Ok(false);
        }
        let folding = self.is_folding();
        self.known.refusals.accepted(code.block, &summary, folding);
        self.note_texts(code.block, &summary);
        let exit = summary.exit.clone();
        if exit.is_none() {
            self.set_pc(code.exit + 1);
        }
        if let Some(said) = given {
            self.settle_summarised(code.block, said, &summary);
        }
        self.show_turns(code, &summary);
        self.apply(summary);
        if let Some(exit) = exit {
            self.take_exit(&exit);
        }
        Ok(true)
    }

    /// Whether a loop is to be interpreted though its summary serves: its branches go several ways, in an order that a summary
    /// does not tell, and their predictor may not have learnt them yet.
    fn is_to_be_shown(&mut self, block: BlockId, summary: &Summary) -> bool {
        let is_exact =
            |count: &Count| count.source == CountSource::Static && matches!(count.value, CountValue::Exact(_));
        let is_known = || summary.uncertain.is_empty() && summary.counts.iter().all(|(_, _, count)| is_exact(count));
        if !self.shared.tells_predictions_at_end() || !is_alike(summary) || !is_known() {
            return false;
        }
        let executions: f64 = summary.counts.iter().filter_map(|(_, _, count)| count.as_f64()).sum();
        let refusal = self.known.refusals.entry(block);
        if refusal.shown + executions > MOST_LEARNT || !has_several_ways(&self.code.program, summary) {
            return false;
        }
        refusal.shown += executions;
        true
    }

    /// Shows the branch predictor the turns of a short loop without branches: where data ends it, its ways are as hard to
    /// foretell as if it was interpreted. A number of turns that is only expected says nothing of where the loop ends.
    fn show_turns(&mut self, code: &LoopCode, summary: &Summary) {
        if !summary.uncertain.is_empty() || summary.exit.is_some() || summary.early_return.is_some() {
            return;
        }
        let (context, program) = (self.context(), &self.code.program);
        let iterations = program.blocks[code.block].counter(0);
        let is_plain = |counter: CounterId| {
            let block = program.block_of(counter);
            block == code.block || matches!(program.blocks[block].kind, BlockKind::Straight(_))
        };
        let mut turns = 0.0;
        for &(of, counter, count) in &summary.counts {
            if of != context || !is_plain(counter) {
                return;
            }
            if counter == iterations {
                turns = count.as_f64().unwrap_or(f64::INFINITY);
            }
        }
        if turns > MOST_SHOWN {
            return;
        }
        for _ in 0..turns as u32 {
            self.known.predictor.see(context, code.block.index(), 1);
        }
        self.known.predictor.see(context, code.block.index(), 0);
    }

    /// Does what a region without MPI does by its summary; false where it is to be interpreted.
    pub(crate) fn take_region(&mut self, region: &Region) -> bool {
        let Some(&first) = region.first() else { return false };
        if self.must_see_accesses() || self.skips(first) {
            return false;
        }
        self.note_asked(first);
        match self.ask(|summariser, request| summariser.summarise_region(region, request)) {
            Ok(summary) if summary.exit.is_none() && summary.early_return.is_none() && self.serves(&summary) => {
                let folding = self.is_folding();
                self.known.refusals.accepted(first, &summary, folding);
                self.note_texts(first, &summary);
                self.apply(summary);
                true
            }
            Ok(summary) => {
                self.refuse(first, &summary);
                false
            }
            Err(_) => {
                self.known.refusals.entry(first).none += 1;
                false
            }
        }
    }

    /// A summary does not tell how long texts are, which who interprets the loop does: of tasks in classes nobody knows when
    /// they would have done that, where they come to it often.
    fn note_asked(&mut self, block: BlockId) {
        if let Some(by_rank) = &mut self.task.by_rank {
            *by_rank.asked.entry(block).or_default() += 1;
        }
    }

    fn note_texts(&mut self, block: BlockId, summary: &Summary) {
        let program = &self.code.program;
        let Some(by_rank) = &mut self.task.by_rank else { return };
        let has_text = |counter| match program.call(program.block_of(counter)).map(|call| &call.callee) {
            Some(Callee::Library(name)) => functions::lookup(name).is_some_and(|row| {
                row.params.iter().any(|param| param.extent == Extent::Text || matches!(param.role, Role::Stream))
            }),
            _ => false,
        };
        if summary.counts.iter().any(|&(_, counter, _)| has_text(counter)) {
            by_rank.texts.insert(block);
        }
    }

    fn is_folding(&self) -> bool {
        self.task.loops.iter().filter_map(|state| state.fold.as_ref()).any(|fold| !fold.off)
    }

    /// A summary does not tell which parts of objects are read and written, so what runs while some are watched is
    /// interpreted, for a tenth of the budget.
    fn must_see_accesses(&self) -> bool {
        self.task.memory.is_watching() && self.task.spent < self.shared.budget / 10
    }

    fn skips(&mut self, block: BlockId) -> bool {
        let acceptable = self.acceptable();
        self.known.refusals.skips(block, acceptable)
    }

    fn ask(
        &mut self,
        question: impl Fn(&mut dyn Summariser, Request<'_>) -> Result<Summary, Unsummarisable>,
    ) -> Result<Summary, Unsummarisable> {
        let asked = self.ask_at_once(&question);
        match self.ask_without_rank(&question) {
            Some(hidden) if asked.is_ok() => Ok(hidden),
            _ => asked,
        }
    }

    /// Of a task that stands for others, where it was told what depends on its rank: a summary that nothing is missing in, though
    /// it was not told that, is that of all of them. How many bytes a call handles is estimated where it is not known.
    fn ask_without_rank(
        &mut self,
        question: impl Fn(&mut dyn Summariser, Request<'_>) -> Result<Summary, Unsummarisable>,
    ) -> Option<Summary> {
        let hide = |machine: &Self, hides| machine.task.by_rank.iter().for_each(|by_rank| by_rank.hides.set(hides));
        self.task.by_rank.as_ref()?;
        let was_told = self.task.is_sprung() || self.task.by_rank.as_ref().is_some_and(|by_rank| by_rank.has_seen());
        if !was_told {
            return None;
        }
        let contexts = self.shared.segments.contexts().count();
        hide(self, true);
        let asked = self.ask_at_once(question);
        hide(self, false);
        if self.shared.segments.contexts().count() > contexts {
            self.stand_alone("a loop may call functions that it does not call with this rank");
        }
        let summary = asked
            .ok()
            .filter(|summary| summary.uncertain.is_empty() && summary.loses == Loss::None && is_alike(summary))?;
        self.forget_touched();
        self.task.by_rank.iter().for_each(|by_rank| _ = by_rank.take_seen());
        Some(summary)
    }

    fn ask_at_once(
        &mut self,
        question: impl FnOnce(&mut dyn Summariser, Request<'_>) -> Result<Summary, Unsummarisable>,
    ) -> Result<Summary, Unsummarisable> {
        let (context, base) = (self.context(), self.base());
        let view = View { task: self.task, code: self.code, unknown: self.shared.uninitialised, base };
        let request = Request {
            environment: &view,
            context,
            segments: &mut self.shared.segments,
            reasons: &mut self.shared.reasons,
        };
        question(&mut *self.summariser, request)
    }

    /// The source speaks of the loop, but its summary knows how often it runs.
    fn settle_summarised(&mut self, block: BlockId, said: f64, summary: &Summary) {
        let program = &self.code.program;
        let number = |offset: u32| {
            let counter = program.blocks[block].counter(offset);
            let hits = summary.counts.iter().filter(|(_, c, _)| *c == counter).filter_map(|(.., n)| n.as_f64());
            hits.sum::<f64>()
        };
        let entries = number(1);
        if entries > 0.0 && !summary.annotation_checks.iter().any(|(known, _)| *known == block) {
            self.settle(block, Some(said), number(0) / entries);
        }
    }

    /// Goes on at a jump out of what was summarised.
    fn take_exit(&mut self, exit: &Exit) {
        let function = self.function();
        let Some(&(_, pc)) = function.jumps.iter().find(|jump| jump.0 == exit.block) else { return };
        if let (Instr::Return(Some(Src::Reg(register))), Some(value)) = (function.instrs[pc as usize], exit.value)
            && register < function.first_variable
        {
            self.set_register(register, value);
        }
        self.set_pc(pc);
    }

    fn serves(&self, summary: &Summary) -> bool {
        let exact = summary.uncertain.is_empty();
        if !exact && self.task.effort.any_given_up() {
            // What was seen before tells more than a summary assumes.
            return false;
        }
        let acceptable = self.acceptable();
        match summary.loses {
            Loss::None => exact || !summary.resolvable || acceptable > Loss::None,
            loss => acceptable >= loss,
        }
    }

    fn acceptable(&self) -> Loss {
        acceptable(self.task.spent, self.shared.budget, self.shared.whole_budget)
    }

    fn refuse(&mut self, block: BlockId, summary: &Summary) {
        let served = self.serves(summary);
        let entry = self.known.refusals.entry(block);
        match summary.loses {
            // Its loss is not what speaks against it, so no spent budget makes it serve.
            _ if served => entry.none += 1,
            Loss::Structure => entry.structural += 1,
            Loss::None | Loss::Counts => entry.lossy += 1,
        }
    }

    /// What returned out of the loop would leave nothing but the function, and no MPI call follows.
    fn may_leave(&self, summary: &Summary) -> bool {
        let outermost = self.task.frames.last().is_some_and(|frame| self.task.loops.len() == frame.loops as usize);
        summary.early_return.is_none() || outermost && !self.function().reaches_mpi
    }

    fn apply(&mut self, summary: Summary) {
        let weight = self.task.weight;
        for (context, counter, count) in summary.counts {
            self.shared.scratch.add(context, counter, count.times(weight));
        }
        for (context, block, bytes) in summary.volumes {
            self.shared.scratch.add_volume(context, block, bytes * factor(weight));
        }
        for effect in summary.effects {
            self.effect(effect);
        }
        for (block, settled) in summary.annotation_checks {
            let known = self.shared.settled.entry(block).or_default();
            known.add(settled);
        }
        for uncertain in summary.uncertain {
            self.report_uncertain(uncertain);
        }
        if let Some(left) = summary.early_return {
            self.leave_by_chance(left);
        }
    }

    fn effect(&mut self, effect: Effect) {
        match effect {
            Effect::SetVariable(variable, value) => self.set_variable(variable, value),
            Effect::Add(variable, number) => {
                if let Value::Int(before) = self.variable(variable) {
                    self.set_variable(variable, Value::Int(before.wrapping_add(number)));
                }
            }
            Effect::SetMemory(pointer, ty, value) => {
                if self.task.memory.check(pointer, ty.size(self.task.memory.model)).is_ok() {
                    self.task.store(pointer, ty, value);
                }
            }
            Effect::Forget(object, reason) => self.task.forget(object, reason),
            Effect::ForgetAll(origin, reason) => {
                self.task.forget_all(|other| other == origin, reason);
            }
        }
    }

    /// What a scalar variable holds.
    pub(crate) fn variable(&self, variable: VarId) -> Value {
        let view = View { task: self.task, code: self.code, unknown: self.shared.uninitialised, base: self.base() };
        view.variable(variable)
    }

    pub(crate) fn set_variable(&mut self, variable: VarId, value: Value) {
        let program = &self.code.program;
        let ty = program.types.scalar(program.variables[variable].ty).unwrap_or(ScalarType::I8);
        let base = self.base();
        match self.code.homes[variable.index()] {
            Home::Register(register) => self.task.set(Location::Register(base + register), value),
            Home::Global(register) => self.task.set(Location::Global(register), value),
            Home::Object(object) => self.task.store(Pointer { object, offset: 0 }, ty, value),
            Home::FrameObject(register) => {
                if let Value::Pointer(pointer) = self.task.stack[(base + register) as usize] {
                    self.task.store(pointer, ty, value);
                }
            }
        }
    }

    fn report_uncertain(&mut self, uncertain: chronos_abstract_execution::Uncertain) {
        use chronos_base::diag::Diagnostic;
        let span = self.code.program.blocks[uncertain.block].span;
        let place = self.code.program.place_of(uncertain.block);
        let mut diagnostic = match uncertain.kind {
            UncertainKind::AssumedProbability(p) => {
                let program = &self.code.program;
                let mut guess = self.code.heuristics.guess(program, uncertain.block, &|_| None);
                if let (Grounds::Parts { .. }, BlockKind::Branch(branch)) =
                    (&guess.grounds, &program.blocks[uncertain.block].kind)
                {
                    let p = if branch.kind == BranchKind::Or { 1.0 - p } else { p };
                    guess = Guess { grounds: guess.grounds, ..self.code.heuristics.with_probability(branch, p) };
                }
                self.shared.assumed.insert(uncertain.block, assumed(&guess, program, uncertain.block));
                let cause = match uncertain.reason {
                    Some(reason) => self.cause(reason),
                    None => ("is unknown".to_owned(), None),
                };
                assumption(&self.code.program, uncertain.block, &guess, &cause.0, cause.1)
            }
            UncertainKind::AssumedTrips { mean, least, most } => {
                let message = assumed_trips(mean, least, most);
                self.shared.assumed.insert(
                    uncertain.block,
                    Assumed::new(message.clone(), Spread::Trips { mean, least: least.into(), most: most.into() }),
                );
                Diagnostic::warning(&codes::ASSUMED_TRIPS, message)
                    .label(span, "this loop")
                    .help(self.with_budget(format!("give the mean number with --iterations {place}=N")))
            }
            UncertainKind::UnknownBytes => return self.report_unknown_bytes(uncertain.block, uncertain.reason),
            UncertainKind::Unexpressed { kind, .. } => chronos_slicing::annotations::unknown(kind, span),
            UncertainKind::UnknownTrips => {
                self.shared.assumed.insert(uncertain.block, Assumed::unstated("unknown number of iterations"));
                let reason = uncertain.reason.filter(|_| !self.is_exhausted());
                let remedy = reason.and_then(|reason| self.cause(reason).1);
                let first = remedy.map_or(String::new(), |remedy| format!("{remedy}, or "));
                Diagnostic::error(&codes::UNKNOWN_TRIPS, "the number of iterations of a loop is unknown")
                    .label(span, "this loop")
                    .help(self.with_budget(format!("{first}give the mean number with --iterations {place}=N")))
            }
        };
        if let (Some(reason), UncertainKind::UnknownTrips | UncertainKind::AssumedTrips { .. }) =
            (uncertain.reason, uncertain.kind)
        {
            self.note_clock(reason);
        }
        if let Some(reason) = uncertain.reason {
            diagnostic.labels.extend(self.origins(reason));
        }
        self.shared.reports.add(self.task.id, diagnostic);
    }
}
