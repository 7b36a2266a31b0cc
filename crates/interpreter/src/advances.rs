//! Variables that a loop only counts up or down, beside the counter that ends it: polls so far, messages sent.
//!
//! An induction variable (Aho, Lam, Sethi and Ullman, Compilers, 9.1) that the loop reads only to add a constant makes no
//! difference to what its iterations do, so many of them can be skipped at once and the variable be moved by as much.

use super::code::{Advance, CounterRead, LoopCode};
use super::compile::Compiler;
use super::fold_shape::{home, induction, is_unconditional, plain_variable};
use super::machine::Machine;
use super::task::Location;
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

/// The variables that the loop moves by a constant in each iteration.
pub(super) fn advances(compiler: &mut Compiler, block: BlockId, inner: &Loop) -> Box<[Advance]> {
    if !compiler.code.loops.last().is_some_and(|code| code.communicates) {
        return Box::default();
    }
    let program = compiler.program;
    let all = inside(program, inner);
    let candidates: BTreeSet<VarId> = inner.body.iter().chain(&inner.step).flat_map(|&b| written(program, b)).collect();
    let moved = candidates.into_iter().filter_map(|variable| {
        let seen = home(compiler, variable).is_some() && program.variables[variable].function.is_some();
        let known = (seen || is_untouched(program, &all, variable)) && is_unconditional(program, inner, variable);
        let condition = inner.condition.iter().flat_map(|condition| &condition.region).copied();
        induction(compiler, block, inner, variable, &nested(program, condition)).filter(|_| known)
    });
    moved.collect()
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
fn nested(program: &Program, blocks: impl Iterator<Item = BlockId>) -> Vec<BlockId> {
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

/// A relevant place that moves by a constant in every iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moving {
    pub place: Location,
    pub step: i64,
    /// Iterations after which it is still within what its uses can hold.
    pub room: u64,
}

impl Machine<'_> {
    /// How a place moves that was `old` a period of so many iterations ago; `None` where that is not known.
    /// Also where the loop reads it.
    pub(super) fn moving<'c>(
        &self,
        code: &'c LoopCode,
        place: Location,
        old: Value,
        now: Value,
        period: u64,
    ) -> Option<(Moving, &'c [CounterRead])> {
        let variable = self.variable_at(place)?;
        let advance = code.advances.iter().find(|advance| advance.variable == variable)?;
        let (old, now) = (old.as_int()?, now.as_int()?);
        let moved = i64::try_from(period).ok()?.checked_mul(advance.step)?;
        if old.checked_add(moved) != Some(now) {
            return None;
        }
        let mut room = room(now, 0, advance.step, |n| wrap(n, advance.ty) == n);
        for modulus in &advance.moduli {
            let divisor = self.value(modulus.divisor).as_int().filter(|&divisor| divisor > 0)?;
            if moved % divisor != 0 {
                return None;
            }
            room = room.min(self::room(now, modulus.addend, advance.step, |n| n >= 0 && wrap(n, modulus.ty) == n));
        }
        Some((Moving { place, step: advance.step, room }, &advance.elsewhere))
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
            let moved = i64::try_from(iterations).ok().and_then(|n| n.checked_mul(one.step));
            let now = self.task.get(one.place).and_then(Value::as_int);
            if let Some(last) = now.zip(moved).and_then(|(now, moved)| now.checked_add(moved)) {
                self.task.set(one.place, Value::Int(last));
            }
        }
    }
}

/// How often the step can be added to `now + addend` so that the sum fits.
fn room(now: i64, addend: i64, step: i64, fits: impl Fn(i64) -> bool) -> u64 {
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
