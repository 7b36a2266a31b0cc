//! A loop as a body for code of this processor (crate `chronos_native`): its instructions, those of loops in it, and those of short
//! functions that it calls, in the place of the call.
//!
//! What has no common case becomes an operation that leaves the code, as it does in the form of `code::fast`.

mod calls;
mod leaving;
mod operations;

use crate::code::instructions::{CompiledPlace, Instr, PlaceBase, Src, StepStride};
use crate::code::program::{Code, FunctionCode};
use crate::state::remembered::native::{InnerCall, InnerLoop, Map, Origin};
use chronos_base::hash::FxHashMap;
use chronos_ir::FuncId;
use chronos_native::code::{Body, Counter, Function, Home, LoopInfo, Op, Place, Slot, SlotInfo, Source, Step};
use chronos_values::Value;
use std::ops::RangeInclusive;

/// Operations of a body at most; calls beyond them stay calls.
const MOST_OPERATIONS: usize = 4000;
/// Calls in calls.
const DEEPEST: u32 = 8;

/// What the translation asks about calls.
pub(crate) trait Callees {
    /// Whether the code of a function may stand in the place of its calls.
    fn is_inlined(&self, function: FuncId) -> bool;
    /// The function of `math.h` that a library function is, where calling it does nothing else.
    fn function(&self, name: u32) -> Option<Function>;
    /// The source of random numbers that a library function draws from, and whether these are real numbers.
    fn draws(&self, name: u32) -> Option<(u32, bool)>;
}

/// Translates the loop `index` of a function from behind the begin of its iteration on; `None` where it is too long.
pub(crate) fn translate(code: &Code, function: FuncId, index: u32, callees: &dyn Callees) -> Option<(Body, Map)> {
    let compiled = &code.functions[function.0 as usize];
    let outer = &compiled.loops[index as usize];
    if (outer.exit - outer.start) as usize > MOST_OPERATIONS {
        return None;
    }
    let mut translator =
        Translator { code, callees, body: Body::default(), map: Map::default(), slots: FxHashMap::default() };
    translator.map.frames.push(InnerCall { function, parent: 0, pc: 0, call: 0, first: 0 });
    translator.body.sites = 1;
    translator.push_loop(0, compiled, index, None);
    // Execution begins behind the instruction that begins the iteration.
    translator.emit(Origin { frame: 0, pc: outer.body + 1, inner: 0 }, Op::END);
    let starts = translator.range(0, outer.start..=outer.exit, 0);
    translator.body.ops[0] = Op::Jump(starts[(outer.body + 1 - outer.start) as usize]);
    translator.count_branches();
    Some((translator.body, translator.map))
}

pub(super) struct Translator<'a> {
    code: &'a Code,
    callees: &'a dyn Callees,
    body: Body,
    map: Map,
    slots: FxHashMap<Home, Slot>,
}

/// Instructions of one frame while they are translated.
pub(super) struct Part<'a> {
    pub(super) frame: u32,
    pub(super) function: &'a FunctionCode,
    pub(super) id: FuncId,
    /// Its instructions that are translated.
    pub(super) range: RangeInclusive<u32>,
    /// The loop of the body around all of them.
    pub(super) around: u32,
    /// By loop of the function: its number in the body.
    pub(super) loops: FxHashMap<u32, u32>,
    /// The first operation of each instruction.
    pub(super) starts: Vec<u32>,
    /// Operations whose targets are instructions still.
    pub(super) patches: Vec<u32>,
    /// Jumps behind the call.
    pub(super) returns: Vec<u32>,
    /// Where the result goes.
    pub(super) result: Option<Slot>,
    pub(super) wants_result: bool,
}

impl<'a> Translator<'a> {
    pub(super) fn emit(&mut self, origin: Origin, op: Op) -> u32 {
        self.map.origins.push(origin);
        self.body.ops.push(op);
        self.body.ops.len() as u32 - 1
    }

    fn push_loop(&mut self, frame: u32, function: &FunctionCode, index: u32, parent: Option<u32>) -> u32 {
        let code = &function.loops[index as usize];
        let counter = Counter { site: frame, number: code.counter };
        self.body.loops.push(LoopInfo { counter, cost: code.cost(), branches: 0, parent });
        self.map.loops.push(InnerLoop { frame, index, block: code.block });
        self.body.loops.len() as u32 - 1
    }

    /// Translates instructions of the outermost frame; where each of them begins.
    fn range(&mut self, frame: u32, range: RangeInclusive<u32>, around: u32) -> Vec<u32> {
        let id = self.map.frames[frame as usize].function;
        let function = &self.code.functions[id.0 as usize];
        let mut part = Part {
            frame,
            function,
            id,
            range,
            around,
            loops: FxHashMap::default(),
            starts: Vec::new(),
            patches: Vec::new(),
            returns: Vec::new(),
            result: None,
            wants_result: false,
        };
        part.loops.insert(self.map.loops[0].index, 0);
        self.part(&mut part);
        part.starts
    }

    /// Translates all instructions of a part, and makes its targets those of operations.
    pub(super) fn part(&mut self, part: &mut Part<'a>) {
        for pc in part.range.clone() {
            part.starts.push(self.body.ops.len() as u32);
            self.instruction(part, pc);
        }
        // Behind the last one nothing follows.
        let origin = part.origin(*part.range.end());
        self.emit(origin, Op::END);
        for at in std::mem::take(&mut part.patches) {
            self.patch(part, at);
        }
    }

    /// The slot of a register of a frame.
    pub(super) fn slot(&mut self, part: &Part, register: u32) -> Slot {
        let first = self.map.frames[part.frame as usize].first;
        let home = if part.frame == 0 { Home::Register(register) } else { Home::Inner(first + register) };
        self.slot_at(home, register >= part.function.first_variable)
    }

    fn slot_at(&mut self, home: Home, variable: bool) -> Slot {
        let slots = &mut self.body.slots;
        *self.slots.entry(home).or_insert_with(|| {
            slots.push(SlotInfo { home, variable });
            Slot(slots.len() as u32 - 1)
        })
    }

    pub(super) fn global(&mut self, number: u32) -> Slot {
        self.slot_at(Home::Global(number), true)
    }

    /// An operand; `None` for constants that are no numbers or addresses.
    pub(super) fn source(&mut self, part: &Part, src: Src) -> Option<Source> {
        Some(match src {
            Src::Reg(register) => Source::Slot(self.slot(part, register)),
            Src::Global(number) => Source::Slot(self.global(number)),
            Src::Const(index) => match self.code.constants[index as usize] {
                Value::Int(n) => Source::Int(n),
                Value::Float(x) => Source::Real(x),
                Value::Pointer(pointer) => Source::Address(pointer.object, pointer.offset),
                _ => return None,
            },
        })
    }

    pub(super) fn place(&mut self, part: &Part, place: &CompiledPlace) -> Option<u32> {
        let base = match place.base {
            PlaceBase::Object(object) => Source::Address(object, 0),
            PlaceBase::Src(src) => self.source(part, src)?,
        };
        let steps: Vec<Step> = place
            .steps
            .iter()
            .map(|step| {
                let stride = match step.stride {
                    StepStride::Bytes(bytes) => Source::Int(bytes),
                    StepStride::Src(src) => self.source(part, src)?,
                };
                Some(Step { index: self.source(part, step.index)?, stride })
            })
            .collect::<Option<_>>()?;
        let first = self.body.steps.len() as u32;
        let ty = place.ty.filter(|_| place.bits.is_none());
        let bytes = ty.map_or(0, |ty| ty.size(self.code.program.model));
        self.body.steps.extend_from_slice(&steps);
        let steps = (first, steps.len() as u32);
        self.body.places.push(Place { base, offset: place.offset, steps, ty, bytes });
        Some(self.body.places.len() as u32 - 1)
    }

    /// How many branches an iteration of each loop comes by at most; of loops in it, one iteration.
    fn count_branches(&mut self) {
        for (op, origin) in self.body.ops.iter().zip(&self.map.origins) {
            if matches!(op, Op::Test { .. } | Op::Choose { .. } | Op::Switch { .. }) {
                let mut inner = Some(origin.inner);
                while let Some(info) = inner.and_then(|inner| self.body.loops.get_mut(inner as usize)) {
                    info.branches += 1;
                    inner = info.parent;
                }
            }
        }
    }
}

impl Part<'_> {
    /// Where an instruction is, with the innermost loop around it.
    pub(super) fn origin(&self, pc: u32) -> Origin {
        let innermost = self
            .loops
            .iter()
            .filter(|(index, _)| {
                let code = &self.function.loops[**index as usize];
                (code.start..=code.exit).contains(&pc)
            })
            .max_by_key(|(index, _)| self.function.loops[**index as usize].start);
        Origin { frame: self.frame, pc, inner: innermost.map_or(self.around, |(_, &inner)| inner) }
    }

    /// Loops of the function around an instruction.
    pub(super) fn depth(&self, pc: u32) -> u32 {
        self.function.loops.iter().filter(|code| (code.start..=code.exit).contains(&pc)).count() as u32
    }

    /// The first operation of an instruction, where it was translated.
    pub(super) fn target(&self, pc: u32) -> Option<u32> {
        let index = pc.checked_sub(*self.range.start())?;
        self.starts.get(index as usize).copied()
    }

    pub(super) fn instruction(&self, pc: u32) -> Instr {
        self.function.instrs[pc as usize]
    }
}
