//! Loops as code of this processor: running them, and going on with the interpreter where they are left.
//!
//! The code does what `execute::fast` does, so it runs under the same conditions: nothing is noted of what the task writes to memory,
//! and no way of an unknown outcome is being followed. What stands in registers is noted before the code runs.

use crate::code::instructions::Home;
use crate::code::program::Code;
use crate::compile::native::{Callees, translate};
use crate::execute::machine::{Flow, Machine};
use crate::library::{self, Drawn};
use crate::state::location::Location;
use crate::state::memory::Memory;
use crate::state::random_numbers::{Followed, RandomNumbers};
use crate::state::remembered::effort::Effort;
use crate::state::remembered::native::{Map, Prepared};
use crate::state::remembered::refusals::{Refusals, acceptable};
use crate::state::shared::Shared;
use crate::state::task::{LoopMode, LoopState, NATIVE_SPEED};
use chronos_activity::ContextId;
use chronos_base::ids::Id;
use chronos_functions::Generator;
use chronos_ir::{FuncId, ScalarType, VarId};
use chronos_native::code::{self, Function};
use chronos_native::{Host, Left, Page, Room};
use chronos_slicing::Loss;
use chronos_slicing::heuristics::Outcome;
use chronos_values::storage::{STRETCH, Stretch};
use chronos_values::{Pointer, Value};
use std::sync::Arc;

/// Operations of a run, after which limits of the command are looked at.
const CHUNK: u64 = 1 << 24;
/// Arrays of equal values that stand for what was never written, at most.
const MOST_FILLS: usize = 64;

impl Machine<'_> {
    /// The loop `index` of the innermost frame has just begun an iteration: its code goes on with it, where there is some.
    pub(super) fn run_native(&mut self, index: u32) -> Flow<()> {
        let Some(frame) = self.task.frames.last() else { return Ok(()) };
        let (function, base, context) = (frame.function, frame.base as usize, frame.context);
        let left_of_budget = self.shared.hard_budget().saturating_sub(self.task.spent).saturating_mul(NATIVE_SPEED);
        let (fuel, branches) = (left_of_budget.min(CHUNK), self.known.predictor.unwatched());
        if self.task.effort.outermost().is_none() || fuel == 0 {
            return Ok(());
        }
        let Some(prepared) = self.prepared(function, index, base) else { return Ok(()) };
        if !self.task.logs.is_empty() {
            if prepared.writes_memory() {
                return Ok(());
            }
            self.note_registers(&prepared, base);
        }
        let mut native = std::mem::take(&mut self.known.native.scratch);
        let mut fills = std::mem::take(&mut self.known.native.fills);
        fills.truncate(MOST_FILLS);
        let mut counts = self.shared.scratch.lend(context);
        let room = Room {
            registers: &mut self.task.stack[base..],
            globals: &mut self.task.globals,
            counts: &mut counts,
            nothing: self.shared.uninitialised,
            fuel,
            branches: u64::from(branches),
        };
        let mut contexts = vec![None; prepared.map.frames.len()];
        contexts[0] = Some(context);
        let mut access = Access {
            memory: &mut self.task.memory,
            random_numbers: &mut self.task.random_numbers,
            rank: u64::from(self.task.id.0),
            acceptable: acceptable(self.task.spent, self.shared.budget, self.shared.whole_budget),
            shared: self.shared,
            refusals: &mut self.known.refusals,
            effort: &self.task.effort,
            fills: &mut fills,
            map: &prepared.map,
            code: self.code,
            contexts: &mut contexts,
        };
        let left = prepared.code.run(room, &mut native, &mut access);
        self.shared.scratch.give_back(context, counts);
        self.known.native.fills = fills;
        let Some(left) = left else {
            self.known.native.scratch = native;
            return Ok(());
        };
        let operations = fuel - left.fuel;
        self.task.spent += operations / NATIVE_SPEED;
        self.known.predictor.pass(branches.saturating_sub(left.branches as u32));
        self.known.native.ran((function, index), operations);
        self.note_what_was_seen(&prepared.map, &native);
        let gone_on = self.resume_in(&prepared, left, &native, &contexts);
        self.known.native.scratch = native;
        gone_on
    }

    fn prepared(&mut self, function: FuncId, index: u32, base: usize) -> Option<Arc<Prepared>> {
        let asked = Asked { code: self.code, shared: self.shared, memos: &self.known.memos };
        let registers = &self.task.stack[base..];
        let globals = &self.task.globals;
        let make = || translate(self.code, function, index, &asked);
        self.known.native.prepared((function, index), registers, globals, make)
    }

    /// Notes what stands in the registers that the code may write, for whoever may go back to it.
    fn note_registers(&mut self, prepared: &Prepared, base: usize) {
        let task = &mut *self.task;
        for home in prepared.homes() {
            let (place, old) = match home {
                code::Home::Register(at) => {
                    (Location::Register((base as u32) + at), task.stack.get(base + at as usize))
                }
                code::Home::Global(at) => (Location::Global(at), task.globals.get(at as usize)),
                code::Home::Inner(_) => continue,
            };
            old.into_iter().for_each(|&old| task.logs.note(place, old));
        }
        let generators = &self.code.program.generators;
        let states = [generators.additive, generators.linear].into_iter().flatten().filter(|_| prepared.draws());
        for state in states {
            if let Home::Global(at) = self.code.homes[state.draws.index()] {
                let old = task.globals[at as usize];
                task.logs.note(Location::Global(at), old);
            }
        }
    }

    /// Overflows, and the arms of branches that give values.
    fn note_what_was_seen(&mut self, map: &Map, native: &chronos_native::Scratch) {
        let Shared { overflows, doubts, .. } = &mut *self.shared;
        for (&(function, pc), _) in map.noted.iter().zip(&native.noted).filter(|(_, noted)| **noted != 0) {
            overflows.note(self.code, function, pc as usize, doubts);
        }
        for (&block, &arm) in map.outcomes.iter().zip(&native.outcomes).filter(|(_, arm)| **arm != 0) {
            self.known.outcomes[block.index()] = Some(Outcome::Arm(u32::from(arm) - 1));
        }
    }

    /// Makes the loops and frames that the code was left in, so that the interpreter goes on there.
    fn resume_in(
        &mut self,
        prepared: &Prepared,
        left: Left,
        native: &chronos_native::Scratch,
        contexts: &[Option<ContextId>],
    ) -> Flow<()> {
        let map = &prepared.map;
        let origin = map.origins[left.at as usize];
        let body = prepared.loops_around(origin.inner);
        for frame in map.frames_around(origin.frame) {
            if frame != 0 {
                self.make_frame(map, frame, native, contexts)?;
            }
            for &inner in body.iter().filter(|&&inner| map.loops[inner as usize].frame == frame) {
                self.make_loop(map, inner, native.iterations[inner as usize]);
            }
        }
        self.set_pc(origin.pc);
        Ok(())
    }

    fn make_loop(&mut self, map: &Map, inner: u32, iterations: u64) {
        if inner == 0 {
            if let Some(state) = self.task.loops.last_mut() {
                state.iterations += iterations;
                state.native += iterations;
            }
            return;
        }
        self.task.loops.push(LoopState {
            index: map.loops[inner as usize].index,
            weight: self.task.weight,
            splits: self.task.splits.len() as u32,
            logs: self.task.logs.len() as u32,
            iterations,
            native: iterations,
            mode: LoopMode::Normal,
            written: None,
            fold: None,
            watch: Default::default(),
        });
    }

    fn make_frame(
        &mut self,
        map: &Map,
        frame: u32,
        native: &chronos_native::Scratch,
        contexts: &[Option<ContextId>],
    ) -> Flow<()> {
        let inner = &map.frames[frame as usize];
        let caller = &self.code.functions[map.frames[inner.parent as usize].function.index()];
        let call = &caller.calls[inner.call as usize];
        self.set_pc(inner.pc + 1);
        let context = match contexts[frame as usize] {
            Some(context) => context,
            None => self.context_of(call, inner.function),
        };
        self.push_frame(inner.function, &[], context)?;
        let registers = self.code.functions[inner.function.index()].registers as usize;
        let Some(made) = self.task.frames.last_mut() else { return Ok(()) };
        made.dst = call.dst;
        let base = made.base as usize;
        let from = inner.first as usize;
        self.task.stack[base..base + registers].copy_from_slice(&native.inner[from..from + registers]);
        Ok(())
    }
}

/// What decides whether a call becomes part of the code.
struct Asked<'a> {
    code: &'a Code,
    shared: &'a Shared,
    memos: &'a crate::state::remembered::memos::Memos,
}

impl Callees for Asked<'_> {
    /// Calls that repeat cost less where they are remembered.
    fn is_inlined(&self, function: FuncId) -> bool {
        let effects = &self.code.program.functions[function].effects;
        let repeats = self.memos.watched.get(function.index()).and_then(|watched| watched.as_ref());
        let repeats = repeats.is_some_and(|watched| watched.purity.is_some() && watched.hits > watched.misses);
        !effects.recursive && !effects.reaches_mpi && !repeats
    }

    fn function(&self, name: u32) -> Option<Function> {
        let name = self.code.library.get(name as usize)?;
        let is_stated = self.shared.options.assumptions.library_work.contains_key(&**name);
        if is_stated || self.code.program.errno.is_some() { None } else { library::function_of_numbers(name) }
    }

    fn draws(&self, name: u32) -> Option<(u32, bool)> {
        let name = self.code.library.get(name as usize)?;
        let is_stated = self.shared.options.assumptions.library_work.contains_key(&**name);
        let drawn = Drawn::by(name).filter(|_| !is_stated && self.code.program.errno.is_none())?;
        let source = Drawn::ALL.iter().position(|&one| one == drawn)?;
        Some((u32::try_from(source).ok()?, drawn == Drawn::Real))
    }
}

/// What the code asks for.
struct Access<'m> {
    memory: &'m mut Memory,
    random_numbers: &'m mut RandomNumbers,
    rank: u64,
    shared: &'m mut Shared,
    refusals: &'m mut Refusals,
    effort: &'m Effort,
    acceptable: Loss,
    fills: &'m mut Vec<Box<[Value]>>,
    map: &'m Map,
    code: &'m Code,
    /// By call whose code is in its place.
    contexts: &'m mut Vec<Option<ContextId>>,
}

impl Access<'_> {
    fn context(&mut self, frame: u32) -> ContextId {
        if let Some(context) = self.contexts[frame as usize] {
            return context;
        }
        let inner = &self.map.frames[frame as usize];
        let parent = self.context(inner.parent);
        let caller = self.map.frames[inner.parent as usize].function;
        let block = self.code.functions[caller.index()].calls[inner.call as usize].block;
        let context = self.shared.context_below(self.code, parent, block, inner.function);
        self.contexts[frame as usize] = Some(context);
        context
    }

    /// An array of one value.
    fn filled(&mut self, value: Value) -> *mut Value {
        let known = self.fills.iter().position(|fill| fill.first() == Some(&value));
        let at = known.unwrap_or_else(|| {
            self.fills.push(vec![value; STRETCH as usize].into());
            self.fills.len() - 1
        });
        self.fills[at].as_mut_ptr()
    }
}

#[expect(unsafe_code, reason = "the trait asks for what the compiler cannot check")]
// SAFETY: elements stand in boxes, cells of objects, nodes of maps or `fills`, none of which moves while the code runs but where
// a page is written to for the first time, which is told. Nothing else writes to them meanwhile: the task waits for the code. Counters
// stand in vectors that are as long as the function of the call has counters, and are not resized.
unsafe impl Host for Access<'_> {
    fn page(&mut self, pointer: Pointer, ty: ScalarType, writes: bool) -> Option<Page> {
        if writes {
            let (begin, elements, moves) = self.memory.stretch_mut(pointer, ty)?;
            let length = elements.len() as u64;
            return Some(Page { begin: begin as i64, elements: elements.as_mut_ptr(), length, moves });
        }
        match self.memory.stretch(pointer, ty)? {
            Stretch::Held { begin, elements } => Some(Page {
                begin: begin as i64,
                elements: elements.as_ptr().cast_mut(),
                length: elements.len() as u64,
                moves: false,
            }),
            Stretch::Filled { begin, length, value } => {
                let elements = self.filled(value);
                Some(Page { begin: begin as i64, elements, length: length.min(STRETCH), moves: false })
            }
        }
    }

    fn counters(&mut self, site: u32) -> *mut u64 {
        let context = self.context(site);
        self.shared.scratch.counts(context).as_mut_ptr()
    }

    fn draw(&mut self, source: u32, globals: &mut [Value]) -> Option<Value> {
        let drawn = *Drawn::ALL.get(source as usize)?;
        let state = self.code.program.generators.state(drawn.generator())?;
        let register = |variable: VarId| match self.code.homes[variable.index()] {
            Home::Global(register) => Some(register as usize),
            _ => None,
        };
        let number = |variable| globals.get(register(variable)?)?.as_int();
        let (seed, draws) = (number(state.seed)?, number(state.draws)?);
        let parameters = if drawn.generator() == Generator::Linear { number(state.parameters)? } else { 0 };
        let (own, tasks) = (self.random_numbers.drawn + 1, self.shared.options.tasks.into());
        let most = library::most_numbers(self.shared.options.assumptions.budget);
        // The first number is told of by the interpreter, and it says so where there are too many.
        if !self.random_numbers.told || self.shared.random_numbers.draw(own, self.rank, tasks, most) != Followed::Yes {
            return None;
        }
        self.random_numbers.drawn = own;
        globals[register(state.draws)?] = Value::Int(draws.wrapping_add(1));
        Some(drawn.number(&mut self.random_numbers.additive, seed, draws as u64, parameters))
    }

    fn enters(&mut self, inner: u32) -> bool {
        let block = self.map.loops[inner as usize].block;
        !self.effort.is_given_up(block) && self.refusals.skips_plainly(block, self.acceptable)
    }
}
