//! Comparisons of variables that a loop moves: how long they have the results that they had.
//!
//! A variable that moves in one direction comes to the bound of a comparison once, so that the iterations before and those after
//! it each do the same (index set splitting: M. Wolfe, "High Performance Compilers for Parallel Computing", 1996, section 9.1).

use crate::code::instructions::{Bound, Comparison, Home, Modulus, Src};
use crate::execute::machine::Machine;
use crate::folding::period::integer_bound;
use crate::folding::period::{Period, holds, room};
use crate::state::location::Location;
use chronos_activity::{Step, Work};
use chronos_base::hash::FxHashSet;
use chronos_ir::{BinaryOp, CounterId, ScalarType};
use chronos_values::{Value, arith};
use std::collections::BTreeMap;

impl Comparison {
    /// Whether the variable and the sum are what all their types hold, so that the comparison is one of integers of any size.
    fn fits(&self, n: i64, bound: i64) -> bool {
        let Some(sum) = n.checked_add(self.addend) else { return false };
        let has_sign = !self.ty.is_integer() || self.ty.is_signed();
        let plain = |ty: &ScalarType| holds(*ty, n) && holds(*ty, sum);
        self.types.iter().all(plain) && (has_sign || (n >= 0 && sum >= 0 && bound >= 0))
    }

    /// Whether the result is the same for all values from `old` to `n`.
    fn is_same(&self, old: i64, n: i64, bound: i64) -> bool {
        let (first, last) = (old.saturating_add(self.addend), n.saturating_add(self.addend));
        match self.op {
            BinaryOp::Lt | BinaryOp::Ge => (first < bound) == (last < bound),
            BinaryOp::Le | BinaryOp::Gt => (first <= bound) == (last <= bound),
            _ => bound < first.min(last) || bound > first.max(last),
        }
    }
}

impl Machine<'_> {
    /// The last iterations of a loop that is watched.
    pub(crate) fn period(&self, at: usize, iterations: usize) -> Option<Period> {
        let fold = self.task.loops[at].fold.as_ref()?;
        let history: Vec<_> = fold.history.range(fold.history.len().checked_sub(iterations)?..).collect();
        let mut first = BTreeMap::new();
        for &(place, old) in history.iter().flat_map(|iteration| &iteration.changes) {
            first.entry(place).or_insert(old);
        }
        let mut executed = FxHashSet::default();
        history.iter().for_each(|iteration| self.add_executed(&iteration.steps, &mut executed));
        Some(Period { iterations: iterations as u64, first, executed })
    }

    fn add_executed(&self, steps: &[Step], executed: &mut FxHashSet<CounterId>) {
        for step in steps {
            match step {
                Step::Work(Work::Segment(id)) => {
                    executed.extend(self.shared.segments.get(*id).by_counter().map(|(counter, _)| counter));
                }
                Step::Repeat(repeat) => self.add_executed(&repeat.steps, executed),
                _ => {}
            }
        }
    }

    /// In how many more periods the comparisons have the results that they had in the last one, while the variable moved
    /// from `old` to `now`; `None` where that is not known.
    pub(crate) fn same_results(&self, last: &Period, comparisons: &[Comparison], old: i64, now: i64) -> Option<u64> {
        let step = now.checked_sub(old)?;
        let mut times = u64::MAX;
        for comparison in comparisons.iter().filter(|one| last.executed.contains(&one.executions)) {
            let bound = self.integer_bound(last, comparison)?;
            let holds = |n: i64| comparison.fits(n, bound) && comparison.is_same(old, n, bound);
            if !comparison.fits(old, bound) || !holds(now) {
                return None;
            }
            times = times.min(room(now, 0, step, holds));
        }
        Some(times)
    }

    /// The same for what becomes of a remainder of the variable.
    pub(crate) fn same_remainders(&self, last: &Period, modulus: &Modulus, old: i64, now: i64) -> Option<u64> {
        let step = now.checked_sub(old)?;
        let divisor = self.value_to_fold(modulus.divisor).as_int().filter(|&divisor| divisor > 0)?;
        if step % divisor == 0 {
            return Some(u64::MAX);
        }
        let quotient = |n: i64| n.checked_add(modulus.addend).filter(|&sum| sum >= 0).map(|sum| sum / divisor);
        let (first, mut times) = (quotient(old)?, u64::MAX);
        for comparison in modulus.comparisons.as_ref()?.iter().filter(|one| last.executed.contains(&one.executions)) {
            let bound = self.integer_bound(last, comparison)?;
            let rest = |n: i64| n.saturating_add(modulus.addend) % divisor;
            let holds = |n: i64| {
                quotient(n) == Some(first)
                    && comparison.fits(rest(n), bound)
                    && comparison.is_same(rest(old), rest(n), bound)
            };
            if !holds(old) || !holds(now) {
                return None;
            }
            times = times.min(room(now, 0, step, holds));
        }
        Some(times)
    }

    fn integer_bound(&self, last: &Period, comparison: &Comparison) -> Option<i64> {
        integer_bound(comparison.op, comparison.ty, self.bound(last, &comparison.bound)?)
    }

    /// What a comparison compares with, where the last period did not write it.
    fn bound(&self, last: &Period, bound: &Bound) -> Option<Value> {
        match bound {
            Bound::Constant(value) => Some(*value),
            Bound::Variable(home, ty) => {
                let place = self.place_of_variable(*home, *ty)?;
                self.task.by_rank.iter().for_each(|by_rank| by_rank.see(place));
                self.task.get(place).filter(|_| last.leaves_alone(place))
            }
            Bound::Convert(from, to, inner) => arith::convert(*from, *to, self.bound(last, inner)?).ok(),
            Bound::Binary(op, ty, a, b) => arith::binary(*op, *ty, self.bound(last, a)?, self.bound(last, b)?).ok(),
        }
    }

    fn place_of_variable(&self, home: Home, ty: ScalarType) -> Option<Location> {
        match home {
            Home::Register(register) => Some(Location::Register(self.base() + register)),
            Home::Global(register) => Some(Location::Global(register)),
            Home::Object(object) => Some(Location::Memory(object, 0, ty)),
            Home::FrameObject(register) => match self.value(Src::Reg(register)) {
                Value::Pointer(pointer) => {
                    Some(Location::Memory(pointer.object, u64::try_from(pointer.offset).ok()?, ty))
                }
                _ => None,
            },
        }
    }
}
