//! What the execution of a whole program gives: counts as expressions, and what their symbols stand for.

use crate::counts::amount::Amount;
use crate::counts::by_last_call::{Divided, Item};
use crate::expressions::affine::{Affine, Symbol};
use crate::expressions::derived::{Derived, IntegerFunction};
use crate::state::execution::Execution;
use crate::{Uncertain, Unsummarisable};
use chronos_activity::{ContextId, CountSource};
use chronos_base::hash::FxHashMap;
use chronos_ir::{BlockId, CounterId};
use chronos_math::quasi::{self, QuasiPolynomial};
use chronos_values::ReasonId;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A count of a run; `None` where it is unknown.
#[derive(Clone, Debug)]
pub struct RunCount {
    /// The count as an expression of symbols of the run.
    pub value: Option<Arc<QuasiPolynomial>>,
    /// How certain the count is.
    pub source: CountSource,
    /// Why it is not exact, where it is not.
    pub reason: Option<ReasonId>,
}

/// What a symbol of a run stands for, by symbols of the run.
#[derive(Clone, Debug, PartialEq)]
pub enum SymbolDefinition {
    /// A symbol that nothing else defines, by its number: a parameter of the run.
    Parameter(u32),
    /// The product of these symbols.
    Product(Vec<quasi::Symbol>),
    /// A function of integers, applied to an affine expression.
    Function(IntegerFunction, quasi::Affine),
    /// `floor(affine / modulus)`
    Quotient(quasi::Affine, i128),
    /// `floor(dividend / divisor)` of a divisor that is positive
    Ratio(quasi::Affine, quasi::Affine),
    /// `1 / affine`.
    Reciprocal(quasi::Affine),
    /// The index of sums with so many sums around them.
    Index(u32),
    /// A sum over an index whose bounds are symbolic.
    Sum(Arc<SumDefinition>),
}

/// The sum of an expression over an index, from the greatest of some bounds to the least of others.
#[derive(Clone, Debug, PartialEq)]
pub struct SumDefinition {
    /// The symbol that runs through the integers of the range.
    pub index: quasi::Symbol,
    /// The index begins at the greatest of these.
    pub low: Vec<quasi::Affine>,
    /// The index ends at the least of these, which is included.
    pub high: Vec<quasi::Affine>,
    /// The expression that is summed.
    pub body: QuasiPolynomial,
}

/// What is executed behind one of some MPI calls, before the next.
#[derive(Debug, Default)]
pub struct RunSegment {
    /// The program may have begun without a call.
    pub from_start: bool,
    /// Calls of which one came last, with their contexts.
    pub after: Vec<(ContextId, BlockId)>,
    /// Counts by context and counter.
    pub counts: Vec<(ContextId, CounterId, RunCount)>,
    /// Bytes handled by library calls, by context and call.
    pub volumes: Vec<(ContextId, BlockId, RunCount)>,
}

/// What a task does.
#[derive(Debug, Default)]
pub struct Run {
    /// Counts of the whole run by context and counter.
    pub counts: Vec<(ContextId, CounterId, RunCount)>,
    /// Bytes handled by library calls, by context and call.
    pub volumes: Vec<(ContextId, BlockId, RunCount)>,
    /// The same, by the MPI calls of which one came last; empty where there are none.
    pub segments: Vec<RunSegment>,
    /// Of all symbols that stand in counts, parameters included.
    pub definitions: BTreeMap<quasi::Symbol, SymbolDefinition>,
    /// Branches and loops whose counts are not exact.
    pub uncertain: Vec<Uncertain>,
    /// Places that could not be followed.
    pub failures: Vec<Unsummarisable>,
    /// Tasks of other ranks may behave differently.
    pub rank_read: bool,
}

impl Execution<'_> {
    /// What the symbols in the values stand for, and what those are made of.
    pub(crate) fn definitions<'v>(
        &self,
        values: impl Iterator<Item = &'v QuasiPolynomial>,
    ) -> BTreeMap<quasi::Symbol, SymbolDefinition> {
        let mut definitions = BTreeMap::new();
        let mut pending: Vec<quasi::Symbol> = values.flat_map(QuasiPolynomial::symbols).collect();
        while let Some(symbol) = pending.pop() {
            if definitions.contains_key(&symbol) {
                continue;
            }
            let definition = self.definition(Symbol(symbol.0));
            match &definition {
                SymbolDefinition::Parameter(_) | SymbolDefinition::Index(_) => {}
                SymbolDefinition::Sum(sum) => {
                    let bounds = sum.low.iter().chain(&sum.high).flat_map(|affine| &affine.terms);
                    pending.extend(bounds.map(|term| term.0).chain(sum.body.symbols()).chain([sum.index]));
                }
                SymbolDefinition::Product(factors) => pending.extend(factors),
                SymbolDefinition::Function(_, affine)
                | SymbolDefinition::Quotient(affine, _)
                | SymbolDefinition::Reciprocal(affine) => {
                    pending.extend(affine.terms.iter().map(|term| term.0));
                }
                SymbolDefinition::Ratio(dividend, divisor) => {
                    pending.extend(dividend.terms.iter().chain(&divisor.terms).map(|term| term.0));
                }
            }
            definitions.insert(symbol, definition);
        }
        definitions
    }

    fn definition(&self, symbol: Symbol) -> SymbolDefinition {
        let quotients = &self.symbols.quotients;
        match (quotients.free.get(symbol).as_deref(), quotients.get(symbol)) {
            (Some(Derived::Product(factors)), _) => {
                SymbolDefinition::Product(factors.iter().map(|factor| quasi::Symbol(factor.0)).collect())
            }
            (Some(Derived::Function(function, argument)), _) => SymbolDefinition::Function(*function, argument.clone()),
            (None, Some((affine, modulus))) => SymbolDefinition::Quotient(affine.clone(), *modulus),
            (Some(Derived::Ratio(dividend, divisor)), _) => SymbolDefinition::Ratio(dividend.clone(), divisor.clone()),
            (Some(Derived::Reciprocal(divisor)), _) => SymbolDefinition::Reciprocal(divisor.clone()),
            (Some(Derived::Index(level)), _) => SymbolDefinition::Index(*level),
            (Some(Derived::Sum(sum)), _) => {
                let affines = |all: &[Affine]| all.to_vec();
                SymbolDefinition::Sum(Arc::new(SumDefinition {
                    index: quasi::Symbol(sum.index.0),
                    low: affines(&sum.low),
                    high: affines(&sum.high),
                    body: sum.body.clone(),
                }))
            }
            (None, None) => SymbolDefinition::Parameter(symbol.0),
        }
    }
}

impl RunSegment {
    pub(crate) fn values(&self) -> impl Iterator<Item = &RunCount> {
        self.counts.iter().map(|c| &c.2).chain(self.volumes.iter().map(|v| &v.2))
    }
}

/// Turns amounts into counts; counters of one place share one.
pub(crate) struct Export<'e, 'a> {
    pub execution: &'e Execution<'a>,
    /// By the address of the amount, which is kept so that the address stays its own.
    pub done: FxHashMap<usize, (Arc<QuasiPolynomial>, Arc<QuasiPolynomial>)>,
}

impl Export<'_, '_> {
    pub(crate) fn count(&mut self, amount: &Amount, reason: Option<ReasonId>) -> RunCount {
        let source = amount.source();
        let value = match amount {
            Amount::Number(_) => amount.expression(),
            Amount::Expression(value, _) => Some(self.simplified(value)),
        };
        RunCount { value, source, reason: reason.filter(|_| source != CountSource::Static) }
    }

    pub(crate) fn segments(
        &mut self,
        divided: Divided,
        inexact_reasons: &BTreeMap<(ContextId, CounterId), ReasonId>,
    ) -> Vec<RunSegment> {
        let mut segments = Vec::new();
        for (calls, counts) in divided {
            let from_start = calls.contains(&None);
            let mut segment =
                RunSegment { from_start, after: calls.into_iter().flatten().collect(), ..RunSegment::default() };
            for ((context, item), amount) in counts {
                match item {
                    Item::Executions(counter) => {
                        let reason = inexact_reasons.get(&(context, counter)).copied();
                        segment.counts.push((context, counter, self.count(&amount, reason)));
                    }
                    Item::Bytes(block) => segment.volumes.push((context, block, self.count(&amount, None))),
                }
            }
            segments.push(segment);
        }
        segments
    }

    fn simplified(&mut self, value: &Arc<QuasiPolynomial>) -> Arc<QuasiPolynomial> {
        let key = Arc::as_ptr(value) as usize;
        if let Some((_, done)) = self.done.get(&key) {
            return done.clone();
        }
        let expanded = value.expanded(&|symbol| self.product(symbol));
        let expanded = self.execution.symbols.quotients.ratio_conditions_expanded(&expanded).unwrap_or(expanded);
        let simple = expanded.clone().simplified(&quasi::Limits::default()).unwrap_or(expanded);
        let simple = self.execution.symbols.quotients.ratio_conditions_expanded(&simple).unwrap_or(simple);
        let result = Arc::new(simple);
        self.done.insert(key, (value.clone(), result.clone()));
        result
    }

    /// The polynomial that a symbol stands for.
    fn product(&self, symbol: quasi::Symbol) -> Option<quasi::Polynomial> {
        match self.execution.symbols.quotients.free.get(Symbol(symbol.0))?.as_ref() {
            Derived::Product(factors) => {
                let factors = factors.iter().map(|&factor| self.factor(factor));
                Some(factors.fold(quasi::Polynomial::one(), |product, factor| product.multiply(&factor)))
            }
            _ => None,
        }
    }

    /// A symbol, or the floor that it stands for.
    fn factor(&self, symbol: Symbol) -> quasi::Polynomial {
        let quotients = &self.execution.symbols.quotients;
        let floor =
            quotients.get(symbol).filter(|(affine, _)| affine.symbols().all(|s| quotients.free.is_parameter(s)));
        let floor = floor.and_then(|(affine, by)| quasi::Polynomial::floor(affine, *by).ok());
        floor.unwrap_or_else(|| quasi::Polynomial::product(&[quasi::Symbol(symbol.0)]))
    }
}
