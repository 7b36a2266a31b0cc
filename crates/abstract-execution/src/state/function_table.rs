//! Summaries of functions that were made so far, and what a summary consists of.

use crate::expressions::affine::Symbol;
use crate::expressions::symbolic::{Object, Symbolic};
use crate::expressions::symbols::{Promise, Symbols};
use chronos_base::hash::FxHashMap;
use chronos_ir::{BlockId, CounterId, FuncId, ScalarType, VarId};
use chronos_math::quasi::QuasiPolynomial;
use chronos_slicing::ClassId;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What is known of an argument for all calls of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ArgumentKind {
    Integer,
    Pointer,
    /// Nothing.
    Opaque,
}

/// What a function does, as expressions of its inputs.
#[derive(Debug)]
pub(crate) struct FunctionSummary {
    pub inputs: BTreeMap<Symbol, Input>,
    /// What derived symbols stand for.
    pub symbols: Symbols,
    pub promises: Vec<Promise>,
    /// Symbols have the numbers from `FIRST_SUMMARY_SYMBOL` on.
    pub polynomials: Vec<QuasiPolynomial>,
    /// Calls from the function to each context, outermost first.
    pub contexts: Vec<Vec<(BlockId, FuncId)>>,
    /// Context and polynomial by position.
    pub counts: Vec<(usize, CounterId, usize)>,
    pub volumes: Vec<(usize, BlockId, usize)>,
    pub result: Option<Symbolic>,
    pub variables: Vec<(VarId, ScalarType, Symbolic)>,
    pub cells: Vec<(Object, i128, ScalarType, Symbolic)>,
    /// Objects and classes whose contents are lost; none of them matters.
    pub objects: Vec<Object>,
    pub classes: Vec<ClassId>,
}

/// Symbols in a summary's polynomials are numbered from here on: those of callers never get there.
pub const FIRST_SUMMARY_SYMBOL: u32 = 1 << 30;

/// Refused calls after which a function is always executed in its place.
pub(crate) const MAX_REFUSALS: u32 = 16;

/// Steps of the counting engine for all calls of one task or summariser.
const STEPS: u32 = 2_000_000;

/// Summaries made so far, by function and kinds of its arguments; `None` where there is none.
#[derive(Debug)]
pub struct FunctionSummaries {
    pub(crate) known: FxHashMap<(FuncId, Vec<ArgumentKind>), Option<Arc<FunctionSummary>>>,
    called: FxHashMap<FuncId, u32>,
    refused: FxHashMap<FuncId, u32>,
    /// Steps of the counting engine that are left for summaries of functions.
    pub steps: u32,
}

impl Default for FunctionSummaries {
    fn default() -> Self {
        Self { known: FxHashMap::default(), called: FxHashMap::default(), refused: FxHashMap::default(), steps: STEPS }
    }
}

impl FunctionSummaries {
    /// A call was not served by a summary.
    pub fn refuse(&mut self, function: FuncId) {
        *self.refused.entry(function).or_default() += 1;
    }

    /// Calls were refused so often that asking is a waste.
    pub(crate) fn is_hopeless(&self, function: FuncId) -> bool {
        self.refused.get(&function).is_some_and(|&refused| refused >= MAX_REFUSALS)
    }

    /// Another call of the function; how many came before.
    pub fn enter(&mut self, function: FuncId) -> u32 {
        let calls = self.called.entry(function).or_default();
        *calls += 1;
        *calls - 1
    }
}

/// An integer that a function finds when it is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Input {
    /// By position.
    Parameter(usize),
    /// A scalar in static storage.
    Variable(VarId, ScalarType),
    /// A scalar at a byte offset of what a pointer parameter leads to, or of an object in static storage.
    Cell(Object, i128, ScalarType),
}

/// What a function has asked for so far.
#[derive(Clone, Debug, Default)]
pub struct FunctionInputs {
    pub inputs: BTreeMap<Symbol, Input>,
    /// Something was left out because it is not known for all arguments.
    pub incomplete: bool,
}
