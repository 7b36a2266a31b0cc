//! Calls of functions that have a summary: its polynomials are summed over the executions of the call.

use super::translation::Translation;
use crate::Unsummarisable;
use crate::counts::amount::Amount;
use crate::counts::by_last_call::Item;
use crate::counts::cardinality;
use crate::counts::path::{Path, Piece};
use crate::expressions::affine::{Affine, Symbol};
use crate::expressions::symbolic::{Object, Symbolic};
use crate::state::execution::Execution;
use crate::state::function_table::{ArgumentKind, FIRST_SUMMARY_SYMBOL, FunctionSummary, Input};
use crate::state::store::Location;
use chronos_activity::{ContextId, Count, CountValue};
use chronos_ir::{Arg, BlockId, Call, FuncId, ScalarType, ValueId, VarId};
use chronos_math::quasi::{self, QuasiPolynomial};
use chronos_slicing::ClassId;
use chronos_values::ReasonId;
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use std::collections::BTreeMap;

/// What a call does: all of it known before anything of it is done.
struct Outcome {
    /// Per polynomial of the summary.
    amounts: Vec<Amount>,
    result: Option<Symbolic>,
    variables: Vec<(VarId, ScalarType, Symbolic)>,
    cells: Vec<(Location, ScalarType, Symbolic)>,
    lost: Vec<Location>,
}

impl<'a> Execution<'a> {
    /// Does a call by the summary of the function; false where it is to be executed.
    pub(crate) fn summarised_call(
        &mut self,
        leaf: BlockId,
        call: &'a Call,
        function: FuncId,
        dst: Option<ValueId>,
        path: &Path,
    ) -> Result<bool, Unsummarisable> {
        if self.setting.functions.is_hopeless(function)
            || !self.is_summarisable(function)
            || path.is_unreachable()
            || call.result_place.is_some()
            || (self.by_last_call.on && !self.state.last.is_uniform())
        {
            return Ok(false);
        }
        let again =
            self.setting.functions.enter(function) > 0 || path.pieces.iter().any(|piece| !piece.symbols.is_empty());
        let Some((kinds, arguments)) = self.arguments(call, function).filter(|_| again) else { return Ok(false) };
        #[cfg(any(test, feature = "testing"))]
        if crate::observed::IN_PLACE.get() {
            return Ok(false);
        }
        let context = self.setting.segments.enter(self.context(), leaf, function);
        let Some(summary) = self.function_summary(function, kinds, context) else { return Ok(false) };
        let parameters = &self.setting.program.functions[function].params;
        let mut there = Translation { summary: &summary, arguments, parameters, known: BTreeMap::new() };
        let Some(outcome) = self.outcome_of(&mut there, dst, path) else {
            self.setting.functions.refuse(function);
            return Ok(false);
        };
        #[cfg(any(test, feature = "testing"))]
        crate::observed::TAKEN.set(crate::observed::TAKEN.get() + 1);
        self.count_summary(&summary, &outcome.amounts, context, path);
        self.leave_function(leaf, outcome, dst);
        Ok(true)
    }

    /// The arguments; `None` where one is a structure or their number differs from that of the parameters.
    fn arguments(&mut self, call: &Call, function: FuncId) -> Option<(Vec<ArgumentKind>, Vec<Symbolic>)> {
        let program = self.setting.program;
        let parameters = &program.functions[function].params;
        let (mut kinds, mut values) = (Vec::new(), Vec::new());
        for (&parameter, arg) in parameters.iter().zip(&call.args) {
            let ty = program.types.scalar(program.variables[parameter].ty)?;
            let Arg::Scalar(operand) = arg else { return None };
            let value = self.operand(operand);
            kinds.push(match &value {
                Symbolic::Int(_) if ty.is_integer() => ArgumentKind::Integer,
                Symbolic::Pointer(..) if ty == ScalarType::Pointer => ArgumentKind::Pointer,
                _ => ArgumentKind::Opaque,
            });
            values.push(value);
        }
        (values.len() == parameters.len() && call.args.len() == parameters.len()).then_some((kinds, values))
    }

    fn outcome_of(&mut self, there: &mut Translation<'_>, dst: Option<ValueId>, path: &Path) -> Option<Outcome> {
        let summary = there.summary;
        if !self.is_unaliased(there) || !self.keeps_promises(there, path) {
            return None;
        }
        let result = self.result_at_call(there, dst)?;
        let mut variables = Vec::new();
        for (variable, ty, value) in &summary.variables {
            variables.push((*variable, *ty, self.value_at_call(there, value)?));
        }
        let mut cells = Vec::new();
        for (object, offset, ty, value) in &summary.cells {
            let (object, base) = self.object_at_call(there, *object)?;
            base.as_constant()?;
            cells.push((Location::Cell(object, base.plus(*offset)?), *ty, self.value_at_call(there, value)?));
        }
        let mut lost: Vec<Location> =
            summary.classes.iter().map(|&class: &ClassId| Location::Anywhere(class)).collect();
        for &object in &summary.objects {
            lost.push(Location::Within(self.object_at_call(there, object)?.0));
        }
        let amounts = self.amounts(there, path)?;
        Some(Outcome { amounts, result, variables, cells, lost })
    }

    /// The result, where somebody asks for it; `None` where it is not known and matters.
    fn result_at_call(&mut self, there: &mut Translation<'_>, dst: Option<ValueId>) -> Option<Option<Symbolic>> {
        let Some(dst) = dst else { return Some(None) };
        let known = there.summary.result.as_ref().filter(|value| !matches!(value, Symbolic::Unknown(_)));
        match known {
            Some(value) => self.value_at_call(there, value).map(Some),
            None if self.setting.analysis.relevant_value(self.function(), dst) => None,
            None => Some(None),
        }
    }

    /// The objects that the function tells apart are apart.
    fn is_unaliased(&mut self, there: &Translation<'_>) -> bool {
        let cells = there.summary.inputs.values().filter_map(|input| match input {
            Input::Cell(object, ..) => Some(*object),
            Input::Parameter(_) | Input::Variable(..) => None,
        });
        let mut told: Vec<Object> = cells.chain(there.summary.cells.iter().map(|cell| cell.0)).collect();
        if told.is_empty() {
            return true;
        }
        let arguments = there.parameters.iter().zip(&there.arguments);
        let pointers = arguments.filter(|(_, value)| matches!(value, Symbolic::Pointer(..)));
        told.extend(pointers.map(|(&parameter, _)| Object::Argument(parameter)));
        told.extend(there.summary.objects.iter().copied());
        told.sort_unstable();
        told.dedup();
        let found: Option<Vec<Object>> =
            told.iter().map(|&object| Some(self.object_at_call(there, object)?.0)).collect();
        let Some(mut found) = found else { return false };
        found.sort_unstable();
        found.windows(2).all(|pair| pair[0] != pair[1])
    }

    fn keeps_promises(&mut self, there: &mut Translation<'_>, path: &Path) -> bool {
        there.summary.promises.iter().all(|promise| {
            let Some(affine) = self.affine_at_call(there, &promise.affine) else { return false };
            self.symbols.fit(affine.clone(), promise.from, promise.ty, path.bounds()) == Some(affine)
        })
    }

    /// How often what the polynomials count is executed, over all executions of the call.
    fn amounts(&mut self, there: &mut Translation<'_>, path: &Path) -> Option<Vec<Amount>> {
        let summary = there.summary;
        if self.trials > 0 {
            return Some(Vec::new());
        }
        let mut amounts = Vec::new();
        for polynomial in &summary.polynomials {
            let mut arguments = Vec::new();
            for symbol in polynomial.symbols() {
                let affine = self.symbol_at_call(there, Symbol(symbol.0.checked_sub(FIRST_SUMMARY_SYMBOL)?))?;
                arguments.push((symbol, affine));
            }
            amounts.push(self.amount(polynomial, &arguments, path)?);
        }
        Some(amounts)
    }

    fn amount(
        &mut self,
        polynomial: &QuasiPolynomial,
        arguments: &[(quasi::Symbol, Affine)],
        path: &Path,
    ) -> Option<Amount> {
        if let Some(times) = evaluated(polynomial, arguments) {
            return Some(path.count(&self.symbols.quotients).ok()?.times(times?));
        }
        let mut total = Amount::ZERO;
        for piece in &path.pieces {
            total = total.plus(self.piece_amount(polynomial, arguments, piece)?);
        }
        Some(total)
    }

    fn piece_amount(
        &mut self,
        polynomial: &QuasiPolynomial,
        arguments: &[(quasi::Symbol, Affine)],
        piece: &Piece,
    ) -> Option<Amount> {
        let quotients = &self.symbols.quotients;
        if !quotients.free.is_empty() && piece.weight.value == CountValue::Unknown {
            return Some(Amount::Number(Count::UNKNOWN));
        }
        let steps = &mut self.setting.functions.steps;
        let total =
            cardinality::sum(&piece.symbols, &piece.constraints, quotients, polynomial, arguments, steps).ok()?;
        if !quotients.free.is_empty() && total.constant().is_none() {
            return Some(Amount::weighted(total, piece.weight).divided(&piece.divisors, quotients));
        }
        let times = Amount::Number(piece.weight.times(Count::exact(total.constant()?.to_u128()?)));
        Some(times.divided(&piece.divisors, &self.symbols.quotients))
    }

    fn count_summary(&mut self, summary: &FunctionSummary, amounts: &[Amount], root: ContextId, path: &Path) {
        if self.trials > 0 {
            return;
        }
        let mut contexts = Vec::new();
        for calls in &summary.contexts {
            let enter =
                |context, &(call, function): &(BlockId, FuncId)| self.setting.segments.enter(context, call, function);
            contexts.push(calls.iter().fold(root, enter));
        }
        let inexact_reason: Option<ReasonId> = path.inexact_reason();
        for &(context, counter, polynomial) in &summary.counts {
            let key = (contexts[context], counter);
            let sum = self.counts.entry(key).or_insert(Amount::ZERO);
            *sum = std::mem::replace(sum, Amount::ZERO).plus(amounts[polynomial].clone());
            if let Some(reason) = inexact_reason {
                self.inexact_reasons.entry(key).or_insert(reason);
            }
            self.attribute_summary(key.0, Item::Executions(counter), &amounts[polynomial]);
        }
        for &(context, block, polynomial) in &summary.volumes {
            self.attribute_summary(contexts[context], Item::Bytes(block), &amounts[polynomial]);
            let sum = self.volumes.entry((contexts[context], block)).or_insert(Amount::ZERO);
            *sum = std::mem::replace(sum, Amount::ZERO).plus(amounts[polynomial].clone());
        }
    }

    /// What came last is the same all through a function that has a summary.
    fn attribute_summary(&mut self, context: ContextId, item: Item, amount: &Amount) {
        if self.by_last_call.on && !amount.is_zero() {
            let set = self.any_last_call();
            self.by_last_call.add(context, item, set, amount.clone());
        }
    }

    fn leave_function(&mut self, leaf: BlockId, outcome: Outcome, dst: Option<ValueId>) {
        let span = self.setting.program.blocks[leaf].span;
        for location in outcome.lost {
            self.lose(location, span);
        }
        for (location, ty, value) in outcome.cells {
            self.write_at(&location, ty, value);
        }
        for (variable, ty, value) in outcome.variables {
            self.write_at(&Location::Variable(variable), ty, value);
        }
        if let Some(dst) = dst {
            let value = outcome.result.unwrap_or_else(|| Symbolic::Unknown(self.not_followed(leaf)));
            self.frame().values.insert(dst, value);
        }
    }
}

/// The value for constant arguments; the inner `None` where it is no count.
fn evaluated(polynomial: &QuasiPolynomial, arguments: &[(quasi::Symbol, Affine)]) -> Option<Option<u128>> {
    let constants: Option<BTreeMap<quasi::Symbol, BigInt>> =
        arguments.iter().map(|(symbol, affine)| Some((*symbol, BigInt::from(affine.as_constant()?)))).collect();
    let constants = constants?;
    let value = polynomial.evaluate_exactly(&|symbol| constants.get(&symbol).cloned().unwrap_or_default());
    Some(if value.is_integer() { value.to_integer().to_u128() } else { None })
}
