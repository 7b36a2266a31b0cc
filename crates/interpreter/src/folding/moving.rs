//! Variables that a loop moves by constants: how they move, and how far they may.

use crate::code::instructions::{CounterRead, Home, LoopCode};
use crate::execute::machine::Machine;
use crate::folding::period::{Period, room};
use crate::state::location::Location;
use crate::state::remembered::folds::Moving;
use chronos_base::ids::Id;
use chronos_ir::VarId;
use chronos_values::arith::wrap;
use chronos_values::{Origin, Value};

impl Machine<'_> {
    /// How a place moves that was `old` at the begin of the last period; `None` where that is not known. Also where the loop
    /// reads it.
    pub(crate) fn moving<'c>(
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
    pub(crate) fn advance(&mut self, moving: &[Moving], iterations: u64) {
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
