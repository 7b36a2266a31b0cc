//! Bytes that library calls handle or allocate, summed over all executions of a call.

use crate::Unsummarisable;
use crate::counts::TooComplex;
use crate::counts::amount::Amount;
use crate::counts::by_last_call::Item;
use crate::counts::path::Path;
use crate::expressions::affine::{Affine, Symbol};
use crate::expressions::bounds::Bounds;
use crate::expressions::derived::Derived;
use crate::expressions::formula::{Conjunction, Formula};
use crate::expressions::symbolic::Symbolic;
use crate::state::execution::Execution;
use crate::summary::UncertainKind;
use chronos_activity::CountSource;
use chronos_functions::{self as functions, Sleep};
use chronos_ir::{Arg, BinaryOp, BlockId, Call, ScalarType};
use chronos_math::quasi;
use chronos_slicing::work::Work;
use chronos_values::ReasonId;
use std::sync::Arc;

impl Execution<'_> {
    /// Adds the bytes that the call handles, or allocates, over all its executions.
    pub(crate) fn volume(&mut self, leaf: BlockId, call: &Call, name: &str, path: &Path) -> Result<(), Unsummarisable> {
        if self.trials > 0 {
            return Ok(());
        }
        if let Some(work) = self.setting.assumptions.library_work.get(name) {
            let value = self.stated_work(call, work, path.bounds());
            let why = || Unsummarisable { block: leaf, why: format!("the work of {name} is not known in closed form") };
            self.add_bytes(leaf, &value.ok_or_else(why)?, path);
            return Ok(());
        }
        if self.whole_program.is_some()
            && let Some(bytes) = self.printed_bytes(call, name)
        {
            self.add_bytes(leaf, &Symbolic::int(bytes), path);
            return Ok(());
        }
        if functions::sleeps(name) == Some(Sleep::Timespec) {
            return Err(Unsummarisable { block: leaf, why: format!("{name} waits for what stands in memory") });
        }
        let positions = functions::bytes_handled(name);
        if positions.is_empty() {
            return Ok(());
        }
        match self.product(call, positions, path.bounds()) {
            Ok(bytes) => self.add_bytes(leaf, &bytes, path),
            Err(reason) => self.note_uncertain(leaf, UncertainKind::UnknownBytes, reason),
        }
        Ok(())
    }

    /// The product of arguments; why it is unknown, where that is told.
    fn product(&mut self, call: &Call, positions: &[usize], bounds: &Bounds) -> Result<Symbolic, Option<ReasonId>> {
        positions.iter().try_fold(Symbolic::int(1), |product, &position| {
            let Some(Arg::Scalar(operand)) = call.args.get(position) else { return Err(None) };
            match self.operand(operand) {
                Symbolic::Unknown(reason) => Err(Some(reason)),
                factor => self.symbols.binary(BinaryOp::Mul, ScalarType::I64, &product, &factor, bounds).ok_or(None),
            }
        })
    }

    /// What the user states to be the work of a call; `None` where it is no sum of products of known integers.
    fn stated_work(&mut self, call: &Call, work: &Work, bounds: &Bounds) -> Option<Symbolic> {
        let (op, a, b) = match work {
            Work::Number(n) => return Some(Symbolic::int(i128::from(*n))),
            Work::Argument(position) => match call.args.get(*position)? {
                Arg::Scalar(operand) => {
                    let value = self.operand(operand);
                    return value.cases().is_some().then_some(value);
                }
                Arg::Object(..) => return None,
            },
            Work::Pointee(_) => return None,
            Work::Sum(a, b) => (BinaryOp::Add, a, b),
            Work::Difference(a, b) => (BinaryOp::Sub, a, b),
            Work::Product(a, b) => (BinaryOp::Mul, a, b),
        };
        let (a, b) = (self.stated_work(call, a, bounds)?, self.stated_work(call, b, bounds)?);
        let value = self.symbols.binary(op, ScalarType::I64, &a, &b, bounds)?;
        value.cases().is_some().then_some(value)
    }

    /// Adds bytes to those that a call handles; what is unknown is left out, and said.
    fn add_bytes(&mut self, leaf: BlockId, bytes: &Symbolic, path: &Path) {
        let cases = bytes.cases();
        let known = cases.as_ref().and_then(|cases| Some((cases, self.sum_of_cases(cases, path).ok()?)));
        let Some((cases, total)) = known else {
            return self.note_uncertain(leaf, UncertainKind::UnknownBytes, None);
        };
        self.attribute_to_last_call(Item::Bytes(leaf), path, &total, |run, part| run.sum_of_cases(cases, part));
        let sum = self.volumes.entry((self.context(), leaf)).or_insert(Amount::ZERO);
        *sum = std::mem::replace(sum, Amount::ZERO).plus(total);
    }

    /// The sum of a number over the executions of a path.
    fn sum_of_cases(&mut self, cases: &[(Conjunction, Affine)], path: &Path) -> Result<Amount, TooComplex> {
        let mut total = Amount::ZERO;
        for (guard, affine) in cases {
            let formula = Formula { pieces: vec![guard.clone()] };
            let fresh = self.symbols.fresh();
            let part = path.restricted(&formula).ok_or(TooComplex)?;
            let count = match self.multiple(affine, &part) {
                Some(count) => count,
                None => part.count_times(affine, fresh, &self.symbols.quotients)?,
            };
            if count.source() == CountSource::Unknown {
                return Err(TooComplex);
            }
            total = total.plus(count);
        }
        Ok(total)
    }
}

impl Execution<'_> {
    /// The executions of a path times a number that is the same in all of them and surely not negative.
    fn multiple(&self, times: &Affine, path: &Path) -> Option<Amount> {
        let quotients = &self.symbols.quotients;
        let mut sources = times.symbols().flat_map(|symbol| quotients.sources(symbol));
        let varies = sources.any(|symbol| path.pieces.iter().any(|piece| piece.symbols.contains(&symbol)));
        if varies || times.as_constant().is_some() || !self.is_sum_of_naturals(times, path) {
            return None;
        }
        let factor = quasi::Polynomial::affine(times).ok()?;
        let count = path.count(quotients).ok()?;
        let product = count.expression()?.multiply(&factor.into()).ok()?;
        Some(Amount::Expression(Arc::new(product), count.source()))
    }

    /// Every term is seen to be at least 0.
    fn is_sum_of_naturals(&self, affine: &Affine, path: &Path) -> bool {
        affine.constant >= 0 && affine.terms.iter().all(|&(symbol, factor)| factor > 0 && self.is_natural(symbol, path))
    }

    fn is_natural(&self, symbol: Symbol, path: &Path) -> bool {
        let quotients = &self.symbols.quotients;
        if path.bounds().interval(symbol).0.is_some_and(|least| least >= 0) {
            return true;
        }
        match (quotients.free.get(symbol).as_deref(), quotients.get(symbol)) {
            (Some(Derived::Product(factors)), _) => factors.iter().all(|&factor| self.is_natural(factor, path)),
            (None, Some((affine, _))) => self.is_sum_of_naturals(affine, path),
            _ => false,
        }
    }
}
