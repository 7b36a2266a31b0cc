//! Variables that a loop only counts up or down, beside the counter that ends it: polls so far, messages sent.
//!
//! An induction variable (Aho, Lam, Sethi and Ullman, Compilers, 9.1) that the loop reads only to add a constant makes no
//! difference to what its iterations do, so many of them can be skipped at once and the variable be moved by as much. Where
//! the loop compares it, that holds until the variable comes to what it is compared with (`comparisons`).

use super::code::{Advance, CounterRead, Home, LoopCode};
use super::comparisons::Period;
use super::compile::Compiler;
use super::counter_use::{CounterUse, counter_use};
use super::fold_shape::plain_variable;
use super::machine::Machine;
use super::task::Location;
use chronos_base::ids::Id as _;
use chronos_ir::{Base, BlockId, BlockKind, Callee, Loop, OpKind, Program, VarId};
use chronos_values::Origin;
use chronos_values::Value;
use chronos_values::arith::wrap;
use std::collections::BTreeSet;

/// Calls that touch nothing but what their arguments lead to.
const QUIET_CALLS: [&str; 8] = [
    "MPI_Test",
    "MPI_Testall",
    "MPI_Testany",
    "MPI_Testsome",
    "MPI_Iprobe",
    "MPI_Improbe",
    "MPI_Request_get_status",
    "MPI_Wtime",
];

/// The variables that the loop only moves by constants, beside what it writes in blocks that not every iteration executes.
pub(super) fn advances(compiler: &mut Compiler, inner: &Loop) -> Box<[Advance]> {
    if !compiler.code.loops.last().is_some_and(|code| code.communicates) {
        return Box::default();
    }
    let program = compiler.program;
    let all = inside(program, inner);
    let candidates: BTreeSet<VarId> = all.iter().flat_map(|&block| written(program, block)).collect();
    let moved = candidates.into_iter().filter_map(|variable| {
        let advance = induction(compiler, inner, &all, variable)?;
        let known = match compiler.tables.homes[variable.index()] {
            Home::Register(_) => true,
            // A call may come to the function again, and move it.
            Home::Global(_) => program.variables[variable].function.is_some() && advance.steady.is_some(),
            Home::Object(_) | Home::FrameObject(_) => false,
        };
        (known || is_untouched(program, &all, variable)).then_some(advance)
    });
    moved.collect()
}

/// The variable as one that the loop moves by constants.
fn induction(compiler: &mut Compiler, inner: &Loop, blocks: &[BlockId], variable: VarId) -> Option<Advance> {
    let program = compiler.program;
    let ty = program.types.scalar(program.variables[variable].ty).filter(|ty| ty.is_integer())?;
    let found = counter_use(compiler, inner, blocks, variable)?;
    let steady = found.moves.first().copied().filter(|_| found.is_steady());
    let CounterUse { resets, moduli, comparisons, elsewhere, .. } = found;
    Some(Advance { variable, ty, steady, resets: resets.into(), moduli, comparisons, elsewhere })
}

fn written(program: &Program, block: BlockId) -> Vec<VarId> {
    let BlockKind::Straight(straight) = &program.blocks[block].kind else { return Vec::new() };
    let variable = |kind: &OpKind| match kind {
        OpKind::Write(place, _) => plain_variable(place),
        _ => None,
    };
    straight.ops.iter().filter_map(|op| variable(&op.kind)).collect()
}

/// All blocks of body, step and condition.
fn inside(program: &Program, inner: &Loop) -> Vec<BlockId> {
    let condition = inner.condition.iter().flat_map(|condition| &condition.region);
    nested(program, inner.body.iter().chain(&inner.step).chain(condition).copied())
}

/// Some blocks with those in them.
pub(super) fn nested(program: &Program, blocks: impl Iterator<Item = BlockId>) -> Vec<BlockId> {
    let (mut found, mut todo) = (Vec::new(), blocks.collect::<Vec<_>>());
    while let Some(block) = todo.pop() {
        found.push(block);
        match &program.blocks[block].kind {
            BlockKind::Loop(l) => {
                todo.extend(l.init.iter().chain(&l.body).chain(&l.step));
                l.condition.iter().for_each(|condition| todo.extend(&condition.region));
            }
            BlockKind::Branch(branch) => branch.arms.iter().for_each(|arm| todo.extend(&arm.region)),
            BlockKind::Straight(_) | BlockKind::Call(_) => {}
        }
    }
    found
}

/// Nothing in the blocks reads or writes the variable but by its name.
fn is_untouched(program: &Program, blocks: &[BlockId], variable: VarId) -> bool {
    blocks.iter().all(|&block| match &program.blocks[block].kind {
        BlockKind::Call(call) => matches!(&call.callee, Callee::Mpi(name) if QUIET_CALLS.contains(&&**name)),
        BlockKind::Straight(straight) => straight.ops.iter().all(|op| match &op.kind {
            OpKind::Read(place) | OpKind::Write(place, _) => matches!(place.base, Base::Variable(_)),
            OpKind::Address(place) => matches!(place.base, Base::Variable(id) if id != variable),
            OpKind::Copy { .. } | OpKind::Zero { .. } | OpKind::Opaque(_) => false,
            _ => true,
        }),
        BlockKind::Loop(_) | BlockKind::Branch(_) => true,
    })
}

/// A relevant place that moves by a constant in every period.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moving {
    pub place: Location,
    /// What a period adds.
    pub step: i64,
    /// In iterations.
    pub period: u64,
    /// Iterations after which it is still within what its uses can hold.
    pub room: u64,
    /// Iterations in which its comparisons have the same results.
    pub turn: u64,
}

impl Machine<'_> {
    /// How a place moves that was `old` at the begin of the last period; `None` where that is not known. Also where the loop
    /// reads it.
    pub(super) fn moving<'c>(
        &self,
        code: &'c LoopCode,
        last: &Period,
        place: Location,
        old: Value,
        now: Value,
    ) -> Option<(Moving, &'c [CounterRead])> {
        let variable = self.variable_at(place)?;
        let advance = code.advances.iter().find(|advance| advance.variable == variable)?;
        let (old, now) = (old.as_int()?, now.as_int()?);
        let step = now.checked_sub(old)?;
        let is_steady = |one: i64| i64::try_from(last.iterations).ok().and_then(|n| n.checked_mul(one)) == Some(step);
        let is_global = matches!(self.code.homes[variable.index()], Home::Global(_));
        if (is_global && !advance.steady.is_some_and(is_steady)) || last.executes_any(&advance.resets) {
            return None;
        }
        let (mut fit, mut same) = (room(now, 0, step, |n| wrap(n, advance.ty) == n), u64::MAX);
        for modulus in &advance.moduli {
            fit = fit.min(room(now, modulus.addend, step, |n| n >= 0 && wrap(n, modulus.ty) == n));
            same = same.min(self.same_remainders(last, modulus, old, now)?);
        }
        same = same.min(self.same_results(last, &advance.comparisons, old, now)?);
        let [room, turn] = [fit, same].map(|times| times.saturating_mul(last.iterations));
        Some((Moving { place, step, period: last.iterations, room, turn }, &advance.elsewhere))
    }

    fn variable_at(&self, place: Location) -> Option<VarId> {
        match place {
            Location::Register(at) => {
                let function = self.function();
                let index = at.checked_sub(self.base())?.checked_sub(function.first_variable)?;
                function.variables.get(index as usize).copied()
            }
            Location::Global(at) => self.code.globals.get(at as usize).copied(),
            Location::Memory(object, 0, _) => match self.task.memory.object(object).origin {
                Origin::Variable(variable) => Some(variable),
                _ => None,
            },
            Location::Memory(..) => None,
        }
    }

    /// The places go on as they did for so many iterations.
    pub(super) fn advance(&mut self, moving: &[Moving], iterations: u64) {
        for one in moving {
            let periods = iterations.checked_div(one.period).and_then(|n| i64::try_from(n).ok());
            let moved = periods.and_then(|n| n.checked_mul(one.step));
            let now = self.task.get(one.place).and_then(Value::as_int);
            if let Some(last) = now.zip(moved).and_then(|(now, moved)| now.checked_add(moved)) {
                self.task.set(one.place, Value::Int(last));
            }
        }
    }
}

/// How often the step can be added to `now + addend` so that the sum fits.
pub(super) fn room(now: i64, addend: i64, step: i64, fits: impl Fn(i64) -> bool) -> u64 {
    let holds = |times: u64| {
        let sum = i128::from(now) + i128::from(addend) + i128::from(times) * i128::from(step);
        i64::try_from(sum).is_ok_and(&fits)
    };
    if step == 0 && holds(0) {
        return u64::MAX;
    }
    let (mut least, mut most) = (0, u64::MAX);
    while least < most {
        let middle = least + (most - least).div_ceil(2);
        if holds(middle) { least = middle } else { most = middle - 1 }
    }
    least
}
