//! Which functions are a function of their scalar arguments and of some globals: a call with the same
//! values does the same again.
//!
//! Decided on compiled code, over the calls below. Storage that others can see, except scalar
//! globals, makes a function impure, and so does every library function whose outcome is not its
//! arguments' alone. Knows nothing of counts.

use crate::code::instructions::{
    CallArg, CallCode, CallTarget, CompiledPlace, Home, Instr, PlaceBase, ScalarKind, Src, StepStride,
};
use crate::code::program::StaticObject;
use crate::code::program::{Code, FunctionCode};
use crate::code::purity::Purity;
use chronos_base::hash::FxHashMap;
use chronos_base::ids::Id;
use chronos_functions as functions;
use chronos_functions::{Extent, Function, Purity as Kind};
use chronos_ir::{BinaryOp, FuncId};
use std::collections::BTreeSet;

/// The function and all that it calls; `None` where something is not pure.
pub fn purity(code: &Code, function: FuncId) -> Option<Purity> {
    let mut whole = Purity::default();
    let (mut seen, mut pending) = (BTreeSet::from([function]), vec![function]);
    while let Some(next) = pending.pop() {
        let function = Body { code, function: &code.functions[next.index()] };
        whole.add(&function.own()?);
        for call in &function.function.calls {
            match call.target {
                CallTarget::Function(callee) if seen.insert(callee) => pending.push(callee),
                _ => {}
            }
        }
    }
    Some(whole.settled())
}

struct Body<'a> {
    code: &'a Code,
    function: &'a FunctionCode,
}

impl Body<'_> {
    /// Without the functions called.
    fn own(&self) -> Option<Purity> {
        let scalar =
            |&(home, kind): &(Home, ScalarKind)| matches!((home, kind), (Home::Register(_), ScalarKind::Scalar(_)));
        let glances = self.function.loops.iter().any(|code| code.glances);
        if self.function.reaches_mpi || glances || !self.function.params.iter().all(scalar) {
            return None;
        }
        if !self.function.calls.iter().all(|call| self.is_pure_call(call)) {
            return None;
        }
        let adds = self.additions();
        let mut purity = Purity { sums: adds.values().copied().collect(), ..Purity::default() };
        for (at, instr) in self.function.instrs.iter().enumerate() {
            if !self.is_contained(instr) {
                return None;
            }
            if adds.contains_key(&at) {
                continue;
            }
            purity.reads.extend(self.globals(instr));
            if let Instr::SetGlobal(global, _) = instr {
                purity.writes.insert(*global);
            }
        }
        let conditions = self.function.branches.iter().map(|branch| branch.condition);
        let arguments = self.function.calls.iter().flat_map(|call| &call.args).filter_map(|&arg| argument(arg));
        purity.reads.extend(conditions.chain(arguments).filter_map(global));
        Some(purity)
    }

    fn is_pure_call(&self, call: &CallCode) -> bool {
        let scalars = call.args.iter().all(|&arg| argument(arg).is_some()) && call.result_place.is_none();
        let target = match call.target {
            CallTarget::Function(_) => true,
            CallTarget::Library(name) => {
                let row = self.code.library.get(name as usize).and_then(|name| functions::lookup(name));
                row.is_some_and(|row| self.is_pure_row(row, call))
            }
            CallTarget::Mpi(_) | CallTarget::Indirect(_) => false,
        };
        scalars && target
    }

    /// What is printed must be the same each time: a text as argument must be a literal.
    fn is_pure_row(&self, row: &Function, call: &CallCode) -> bool {
        let has_text = row.params.iter().any(|param| param.extent == Extent::Text);
        match row.purity {
            Kind::Arguments => true,
            Kind::Output => !has_text || self.literal(call),
            Kind::Memory | Kind::Impure => false,
        }
    }

    /// All its texts are literals: the format has no place for a text.
    fn literal(&self, call: &CallCode) -> bool {
        let format = call.args.first().and_then(|&arg| argument(arg)).and_then(|src| self.text(src));
        format.is_some_and(|text| !text.windows(2).any(|pair| pair == b"%s" || pair == b"%n"))
    }

    fn text(&self, src: Src) -> Option<&[u8]> {
        let Src::Const(index) = src else { return None };
        let chronos_values::Value::Pointer(pointer) = self.code.constants[index as usize] else { return None };
        match self.code.statics.get(pointer.object.index())? {
            StaticObject::String(string) => Some(&self.code.program.strings[*string]),
            StaticObject::Variable(_) => None,
        }
    }

    /// The operation touches no memory but that of the frame.
    fn is_contained(&self, instr: &Instr) -> bool {
        match *instr {
            Instr::Load(_, place) | Instr::Store(place, _) | Instr::Zero { to: place, .. } => self.is_local(place),
            Instr::Copy { to, from, .. } => self.is_local(to) && self.is_local(from),
            Instr::Address(..) | Instr::Allocate(..) | Instr::Opaque(..) | Instr::ReturnObject(..) => false,
            _ => true,
        }
    }

    fn is_local(&self, place: u32) -> bool {
        let place = &self.function.places[place as usize];
        let Some(Src::Reg(register)) = base(place) else { return false };
        self.function.frame_objects.iter().any(|&(object, ..)| object == register)
    }

    /// Globals that the operation reads.
    fn globals(&self, instr: &Instr) -> Vec<u32> {
        self.sources(instr).into_iter().filter_map(global).collect()
    }

    fn sources(&self, instr: &Instr) -> Vec<Src> {
        match *instr {
            Instr::Move(_, src)
            | Instr::SetLocal(_, src)
            | Instr::SetGlobal(_, src)
            | Instr::Unary(_, _, _, src)
            | Instr::Convert { src, .. }
            | Instr::LoopTest(_, src)
            | Instr::Return(Some(src)) => vec![src],
            Instr::Binary(_, _, _, a, b) | Instr::PointerDiff { a, b, .. } => vec![a, b],
            Instr::Load(_, place) | Instr::Zero { to: place, .. } => self.of_place(place),
            Instr::Store(place, src) => [self.of_place(place), vec![src]].concat(),
            Instr::Copy { to, from, .. } => [self.of_place(to), self.of_place(from)].concat(),
            _ => Vec::new(),
        }
    }

    fn of_place(&self, place: u32) -> Vec<Src> {
        let place = &self.function.places[place as usize];
        let steps = place.steps.iter().flat_map(|step| match step.stride {
            StepStride::Src(src) => vec![step.index, src],
            StepStride::Bytes(_) => vec![step.index],
        });
        base(place).into_iter().chain(steps).collect()
    }

    /// Operations that make up `global += ...`, each with its global.
    fn additions(&self) -> FxHashMap<usize, u32> {
        let mut additions = FxHashMap::default();
        for (at, instr) in self.function.instrs.iter().enumerate() {
            if let Instr::Move(value, Src::Global(global)) = *instr
                && let Some(chain) = self.addition(at, value, global)
            {
                additions.extend(chain.into_iter().map(|step| (step, global)));
            }
        }
        additions
    }

    /// The operations from reading a global to writing it with something added, where nothing else uses
    /// what was read.
    fn addition(&self, at: usize, value: u32, global: u32) -> Option<Vec<usize>> {
        let mut chain = vec![at];
        let (mut value, mut added) = (value, false);
        loop {
            let user = self.only_user(value)?;
            chain.push(user);
            match self.function.instrs[user] {
                Instr::Binary(BinaryOp::Add, ty, dst, a, b) if !added && !ty.is_float() => {
                    Self::is_other(if a == Src::Reg(value) { b } else { a }, global)?;
                    (value, added) = (dst, true);
                }
                Instr::Binary(BinaryOp::Sub, ty, dst, a, b) if !added && !ty.is_float() && a == Src::Reg(value) => {
                    Self::is_other(b, global)?;
                    (value, added) = (dst, true);
                }
                Instr::Convert { from, to, dst, .. } if !from.is_float() && !to.is_float() => value = dst,
                Instr::SetGlobal(written, _) if written == global && added => return Some(chain),
                _ => return None,
            }
        }
    }

    /// An addend that needs no further look: a register or a constant.
    fn is_other(addend: Src, global: u32) -> Option<()> {
        (addend != Src::Global(global) && matches!(addend, Src::Reg(_) | Src::Const(_))).then_some(())
    }

    /// The only operation that uses a temporary.
    fn only_user(&self, value: u32) -> Option<usize> {
        let src = Src::Reg(value);
        let elsewhere = self.function.branches.iter().any(|branch| branch.condition == src)
            || self.function.calls.iter().flat_map(|call| &call.args).any(|&arg| argument(arg) == Some(src));
        let uses = |instr: &Instr| self.sources(instr).into_iter().filter(|&used| used == src).count();
        let mut users = self.function.instrs.iter().enumerate().filter(|(_, instr)| uses(instr) > 0);
        let (at, only) = users.next()?;
        (!elsewhere && value < self.function.first_variable && users.next().is_none() && uses(only) == 1).then_some(at)
    }
}

fn base(place: &CompiledPlace) -> Option<Src> {
    match place.base {
        PlaceBase::Src(src) => Some(src),
        PlaceBase::Object(_) => None,
    }
}

fn argument(arg: CallArg) -> Option<Src> {
    match arg {
        CallArg::Scalar(src) => Some(src),
        CallArg::Object(_) => None,
    }
}

fn global(src: Src) -> Option<u32> {
    if let Src::Global(global) = src { Some(global) } else { None }
}
