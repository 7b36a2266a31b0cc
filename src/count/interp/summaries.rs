//! Takes summaries of loops instead of interpreting them.

use super::code::{Home, Instr, LoopCode, Src};
use super::machine::{Flow, Machine};
use super::memory::Memory;
use super::scratch::factor;
use super::task::{Location, Task};
use crate::count::summary::{Effect, Environment, Exit, Origin, Request, Summary, UncertainKind};
use crate::count::value::{ObjectId, Pointer, Value};
use crate::ids::Id;
use crate::program::{BlockId, ScalarType, ValueId, VarId};

/// After so many refusals in succession a loop is asked about ever more rarely.
const REFUSALS: u32 = 16;

/// How often in succession a loop was not summarised.
#[derive(Clone, Copy, Debug, Default)]
pub struct Refusal {
    /// There was no summary.
    none: u32,
    /// There was one that loses what matters.
    lossy: u32,
    skipped: u32,
}

/// Loops that are interpreted again and again, by block.
#[derive(Clone, Debug, Default)]
pub struct Refusals(Vec<Refusal>);

impl Refusals {
    fn entry(&mut self, block: BlockId) -> &mut Refusal {
        if self.0.len() <= block.index() {
            self.0.resize(block.index() + 1, Refusal::default());
        }
        &mut self.0[block.index()]
    }

    /// Whether to interpret the loop without asking. When the budget is exhausted, lossy summaries serve.
    fn skips(&mut self, block: BlockId, exhausted: bool) -> bool {
        let entry = self.entry(block);
        if entry.none + if exhausted { 0 } else { entry.lossy } < REFUSALS {
            return false;
        }
        entry.skipped = entry.skipped.wrapping_add(1);
        !entry.skipped.is_power_of_two()
    }
}

struct View<'a> {
    task: &'a Task,
    code: &'a super::code::Code,
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
            Home::Global(register) => self.task.globals[register as usize],
            Home::Object(object) => self.load(Pointer { object, offset: 0 }, ty),
            Home::FrameObject(register) => match self.register(register) {
                Value::Pointer(pointer) => self.load(pointer, ty),
                other => other,
            },
        }
    }

    fn register(&self, register: u32) -> Value {
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
}

impl Machine<'_> {
    /// Does what a loop does by its summary, if there is one that serves; false where it is to be interpreted.
    pub fn take_summary(&mut self, code: &LoopCode) -> Flow<bool> {
        let exhausted = self.task.spent >= self.shared.options.assumptions.budget;
        if self.task.next_iterations.is_some() || self.shared.refusals.skips(code.block, exhausted) {
            return Ok(false);
        }
        let context = self.context();
        let base = self.base();
        let view = View { task: self.task, code: self.code, unknown: self.shared.uninitialised, base };
        let request = Request {
            environment: &view,
            context,
            segments: &mut self.shared.segments,
            reasons: &mut self.shared.reasons,
        };
        let Ok(summary) = self.summariser.summarise_loop(code.block, request) else {
            self.shared.refusals.entry(code.block).none += 1;
            return Ok(false);
        };
        if !self.serves(&summary) {
            self.shared.refusals.entry(code.block).lossy += 1;
            return Ok(false);
        }
        *self.shared.refusals.entry(code.block) = Refusal::default();
        let exit = summary.exit.clone();
        self.apply(code, summary);
        match exit {
            Some(exit) => self.take_exit(&exit),
            None => self.set_pc(code.exit + 1),
        }
        Ok(true)
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
        let exhausted = self.task.spent >= self.shared.options.assumptions.budget;
        match (exact, summary.loses_relevant) {
            (true, false) => true,
            (false, false) => !summary.resolvable || exhausted,
            (_, true) => exhausted,
        }
    }

    fn apply(&mut self, code: &LoopCode, summary: Summary) {
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
        for uncertain in summary.uncertain {
            self.report_uncertain(code, uncertain);
        }
    }

    fn effect(&mut self, effect: Effect) {
        match effect {
            Effect::SetVariable(variable, value) => self.set_variable(variable, value),
            Effect::SetMemory(pointer, ty, value) => {
                if self.task.memory.check(pointer, ty.size(self.task.memory.model)).is_ok() {
                    self.task.store(pointer, ty, value);
                }
            }
            Effect::Forget(object, reason) => self.task.forget(object, reason),
            Effect::ForgetAll(origin, reason) => {
                let all: Vec<ObjectId> =
                    self.task.memory.objects().filter(|(_, o)| o.origin == origin).map(|(id, _)| id).collect();
                all.into_iter().for_each(|object| self.task.forget(object, reason));
            }
        }
    }

    pub fn set_variable(&mut self, variable: VarId, value: Value) {
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

    fn report_uncertain(&mut self, code: &LoopCode, uncertain: crate::count::summary::Uncertain) {
        use super::codes;
        use crate::diag::Diagnostic;
        let span = self.code.program.blocks[uncertain.block].span;
        let place = self.code.program.files.locate(span);
        let _ = code;
        let mut diagnostic = match uncertain.kind {
            UncertainKind::AssumedProbability(p) => {
                self.shared.assumed.insert(uncertain.block, format!("probability {p}"));
                Diagnostic::warning(
                    &codes::ASSUMED_PROBABILITY,
                    format!("a branch is assumed to be taken with probability {p}"),
                )
                .label(span, "this branch")
                .help(self.with_budget(format!("give its probability with --prob {place}=P")))
            }
            UncertainKind::UnknownTrips => {
                self.shared.assumed.insert(uncertain.block, "unknown number of iterations".into());
                Diagnostic::error(&codes::UNKNOWN_TRIPS, "the number of iterations of a loop is unknown")
                    .label(span, "this loop")
                    .help(self.with_budget(format!("give the mean number with --iterations {place}=N")))
            }
        };
        if let Some(reason) = uncertain.reason {
            diagnostic.labels.extend(self.origins(reason));
        }
        self.shared.reports.add(self.task.id, diagnostic);
    }
}
