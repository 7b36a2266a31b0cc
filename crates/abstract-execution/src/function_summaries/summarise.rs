//! Summaries of functions: what a call does as expressions of the integers that the function finds.
//!
//! A function is executed abstractly once, with these integers free. A summary is kept only where
//! everything about it is exact and whatever matters of what it leaves behind is known, so that a call
//! that takes it is counted as if the function had been executed there.

use crate::counts::amount::Amount;
use crate::counts::path::Path;
use crate::expressions::affine::Affine;
use crate::expressions::symbolic::{Object, Symbolic};
use crate::state::execution::{Execution, Flow, Frame, Setting};
use crate::state::function_table::{ArgumentKind, FIRST_SUMMARY_SYMBOL, FunctionSummary, Input, MAX_REFUSALS};
use crate::state::recorder::Nothing;
use crate::state::store::Location;
use chronos_activity::{ContextId, CountSource};
use chronos_base::hash::FxHashMap;
use chronos_ir::{BlockId, BlockKind, FuncId, Jump};
use chronos_math::quasi;
use chronos_values::{ReasonId, ReasonKind, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Polynomials beyond which calls are executed in their place.
const MAX_POLYNOMIALS: usize = 64;

impl Execution<'_> {
    /// The summary of a function for arguments of these kinds.
    pub(crate) fn function_summary(
        &mut self,
        function: FuncId,
        kinds: Vec<ArgumentKind>,
        context: ContextId,
    ) -> Option<Arc<FunctionSummary>> {
        let key = (function, kinds);
        if let Some(known) = self.setting.functions.known.get(&key) {
            return known.clone();
        }
        self.setting.functions.known.insert(key.clone(), None);
        let summary = self.summarised(function, &key.1, context).map(Arc::new);
        if summary.is_none() {
            (0..MAX_REFUSALS / 2).for_each(|_| self.setting.functions.refuse(function));
        }
        self.setting.functions.known.insert(key, summary.clone());
        summary
    }

    /// Whether execution of the function could be worth a summary, and may have one.
    pub(crate) fn is_summarisable(&self, function: FuncId) -> bool {
        let named = &self.setting.program.functions[function];
        let effects = named.effects;
        let may = !(effects.reaches_mpi || effects.may_not_return || effects.recursive || named.variadic);
        let blocks =
            (named.blocks.0.0..named.blocks.1.0).map(|block| &self.setting.program.blocks[BlockId(block)].kind);
        may && !self.setting.analysis.is_allocator(function)
            && blocks.into_iter().any(|kind| matches!(kind, BlockKind::Loop(_)))
    }

    fn summarised(&mut self, function: FuncId, kinds: &[ArgumentKind], context: ContextId) -> Option<FunctionSummary> {
        let unknown = self.reason(ReasonKind::NotEvaluated, Some(self.setting.program.functions[function].span));
        let nothing = Nothing(Value::Unknown(unknown));
        let setting = Setting {
            program: self.setting.program,
            analysis: self.setting.analysis,
            assumptions: self.setting.assumptions,
            annotations: self.setting.annotations,
            heuristics: self.setting.heuristics,
            mods: self.setting.mods,
            liveness: self.setting.liveness,
            functions: self.setting.functions,
            environment: &nothing,
            segments: self.setting.segments,
            reasons: self.setting.reasons,
        };
        let mut execution = Execution::new(setting, function, context);
        execution.function_inputs = Some(Default::default());
        execution.symbols.promises = Some(Vec::new());
        execution.open_parameters(function, kinds, unknown);
        let result = execution.whole_function(function).ok()?;
        execution.into_function(context, result)
    }

    fn open_parameters(&mut self, function: FuncId, kinds: &[ArgumentKind], unknown: ReasonId) {
        let program = self.setting.program;
        for (index, (&parameter, kind)) in program.functions[function].params.iter().zip(kinds).enumerate() {
            let named = &program.variables[parameter];
            let Some(ty) = program.types.scalar(named.ty) else { continue };
            let value = match kind {
                ArgumentKind::Integer => {
                    let symbol = self.symbols.fresh();
                    self.symbols.make_free(&[symbol]);
                    self.function_inputs.get_or_insert_default().inputs.insert(symbol, Input::Parameter(index));
                    Symbolic::Int(Affine::symbol(symbol))
                }
                ArgumentKind::Pointer => Symbolic::Pointer(Object::Argument(parameter), Affine::default()),
                ArgumentKind::Opaque => Symbolic::Unknown(unknown),
            };
            let location = if named.address_taken {
                Location::Cell(Object::Local(parameter), Affine::default())
            } else {
                Location::Variable(parameter)
            };
            self.write_at(&location, ty, value);
        }
    }

    /// Executes the body; the result, and whether everything that was executed returned.
    fn whole_function(&mut self, function: FuncId) -> Result<Option<Symbolic>, crate::Unsummarisable> {
        let body = &self.setting.program.functions[function].body;
        #[cfg(any(test, feature = "testing"))]
        crate::observed::note(function);
        let path = Path::once();
        let through: Flow = self.region(body, path.clone());
        let through = through?;
        let escapes = std::mem::take(&mut self.frame().escapes);
        if escapes.iter().any(|escape| !matches!(escape.jump, Jump::Return(_)) || escape.ends) {
            self.function_inputs.get_or_insert_default().incomplete = true;
        }
        let context = self.context();
        let frame = Frame { function, context, values: FxHashMap::default(), escapes, site: None };
        Ok(self.returned(&path, through, Some(frame)))
    }

    /// Everything is known of what was executed.
    fn is_exact(&self) -> bool {
        self.uncertain.is_empty()
            && self.inexact_reasons.is_empty()
            && self.annotation_checks.is_empty()
            && self.annotated_values.is_empty()
            && self.annotated_expressions.is_empty()
            && self.allocations == 0
            && self.uncertainties == 0
            && self.function_inputs.as_ref().is_some_and(|function_inputs| !function_inputs.incomplete)
    }

    fn into_function(mut self, root: ContextId, result: Option<Symbolic>) -> Option<FunctionSummary> {
        if !self.is_exact() {
            return None;
        }
        let mut summary = FunctionSummary {
            inputs: BTreeMap::new(),
            symbols: Default::default(),
            promises: Vec::new(),
            polynomials: Vec::new(),
            contexts: Vec::new(),
            counts: Vec::new(),
            volumes: Vec::new(),
            result,
            variables: Vec::new(),
            cells: Vec::new(),
            objects: Vec::new(),
            classes: Vec::new(),
        };
        for ((context, counter), amount) in std::mem::take(&mut self.counts) {
            if let Some(polynomial) = self.polynomial(&amount, &mut summary)? {
                let context = self.relative(root, context, &mut summary);
                summary.counts.push((context, counter, polynomial));
            }
        }
        for ((context, block), amount) in std::mem::take(&mut self.volumes) {
            if let Some(polynomial) = self.polynomial(&amount, &mut summary)? {
                let context = self.relative(root, context, &mut summary);
                summary.volumes.push((context, block, polynomial));
            }
        }
        self.written_by_function(&mut summary)?;
        summary.inputs = self.function_inputs.map(|function_inputs| function_inputs.inputs).unwrap_or_default();
        summary.promises = self.symbols.promises.take().unwrap_or_default();
        summary.symbols = self.symbols;
        Some(summary)
    }

    /// The position of the amount among the summary's polynomials; none for zero. `None` where it is not exact.
    fn polynomial(&self, amount: &Amount, summary: &mut FunctionSummary) -> Option<Option<usize>> {
        if amount.source() != CountSource::Static {
            return None;
        }
        if amount.is_zero() {
            return Some(None);
        }
        let expanded = amount.expression()?.expanded(&|symbol| self.symbols.product_polynomial(symbol));
        let named = expanded.renamed(&|symbol| quasi::Symbol(symbol.0.saturating_add(FIRST_SUMMARY_SYMBOL))).ok()?;
        if let Some(known) = summary.polynomials.iter().position(|known| *known == named) {
            return Some(Some(known));
        }
        summary.polynomials.push(named);
        (summary.polynomials.len() <= MAX_POLYNOMIALS).then_some(Some(summary.polynomials.len() - 1))
    }

    /// The position of a context among those of the summary.
    fn relative(&self, root: ContextId, context: ContextId, summary: &mut FunctionSummary) -> usize {
        let path = self.setting.segments.path(context).take_while(|(id, _)| *id != root);
        let mut calls: Vec<_> = path.filter_map(|(_, context)| Some((context.call?, context.function))).collect();
        calls.reverse();
        let known = summary.contexts.iter().position(|known| *known == calls);
        known.unwrap_or_else(|| {
            summary.contexts.push(calls);
            summary.contexts.len() - 1
        })
    }

    /// What the function has written; `None` where something that matters is lost.
    fn written_by_function(&mut self, summary: &mut FunctionSummary) -> Option<()> {
        let written = std::mem::take(&mut self.written);
        for &class in &written.classes {
            (!self.setting.analysis.relevant_class(class)).then(|| summary.classes.push(class))?;
        }
        for &object in written.objects.iter().filter(|object| self.outlives(**object)) {
            (!self.setting.analysis.relevant_class(self.class_of(object))).then(|| summary.objects.push(object))?;
        }
        for &(object, offset, ty) in &written.cells {
            if !self.outlives(object) {
                continue;
            }
            if !self.setting.analysis.relevant_class(self.class_of(object)) {
                summary.objects.push(object);
                continue;
            }
            let value = self.read_cell(object, offset, ty);
            summary.cells.push((object, offset, ty, self.value_for_caller(value)?));
        }
        for variable in written.variables {
            if !self.is_static(variable) {
                continue;
            }
            let ty = self.setting.program.types.scalar(self.setting.program.variables[variable].ty)?;
            let value = self.read_variable(variable, ty);
            let value = match self.value_for_caller(value.clone()) {
                Some(value) => value,
                None if self.setting.analysis.relevant_variable(variable) => return None,
                None => Symbolic::Unknown(self.reason(ReasonKind::NotEvaluated, None)),
            };
            summary.variables.push((variable, ty, value));
        }
        summary.objects.sort_unstable();
        summary.objects.dedup();
        Some(())
    }

    /// A known value that has a meaning outside of the function.
    fn value_for_caller(&self, value: Symbolic) -> Option<Symbolic> {
        match &value {
            Symbolic::Unknown(_) => None,
            Symbolic::Pointer(object, _) if !self.outlives(*object) && !matches!(object, Object::String(_)) => None,
            _ => Some(value),
        }
    }
}
