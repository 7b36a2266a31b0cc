//! Computing time between MPI calls: what a task does behind one, up to the next.

use super::report::{SymbolicReport, shared};
use super::sum::{Time, TimeSum};
use chronos_activity::{ContextId, TaskId};
use chronos_base::hash::FxHashMap;
use chronos_ir::{BlockId, Callee};
use chronos_math::quasi::{Limits, QuasiPolynomial, Symbol};
use chronos_report::symbolic::{CallPlace, CountExpression, SegmentTimes, SourceLine};
use chronos_symbolic::{Segment, TaskCounts};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::ToPrimitive;
use std::collections::BTreeMap;

/// What a segment follows.
type Behind = (bool, Vec<(ContextId, BlockId)>);

type Executions<'c> = FxHashMap<(ContextId, BlockId), Option<&'c QuasiPolynomial>>;

/// Times of a segment on one group of tasks.
#[derive(Clone, PartialEq)]
struct Priced {
    time: Time,
    /// `None` where it is unknown.
    entries: Option<QuasiPolynomial>,
    each: Option<QuasiPolynomial>,
}

impl SymbolicReport<'_> {
    pub fn segments(&self) -> Vec<SegmentTimes> {
        let mut groups: BTreeMap<Behind, Vec<(&[TaskId], Priced)>> = BTreeMap::new();
        for (tasks, counts) in &self.counts.tasks {
            let executed = self.executions(counts);
            for segment in &counts.segments {
                let priced = self.priced(segment, &executed);
                if !priced.time.is_nothing() {
                    groups.entry((segment.from_start, segment.after.clone())).or_default().push((tasks, priced));
                }
            }
        }
        let mut all: Vec<SegmentTimes> =
            groups.into_iter().flat_map(|(behind, times)| self.of_place(&behind, times)).collect();
        let place = |s: &SegmentTimes| s.after.iter().map(|call| call.id).collect::<Vec<_>>();
        all.sort_by_cached_key(|s| (!s.from_start, place(s)));
        all
    }

    fn of_place(&self, behind: &Behind, times: Vec<(&[TaskId], Priced)>) -> Vec<SegmentTimes> {
        let rows = shared(times.into_iter());
        let segment = |(tasks, priced): (Vec<u32>, Priced)| SegmentTimes {
            tasks,
            from_start: behind.0,
            after: behind.1.iter().map(|&(context, block)| self.call_place(context, block)).collect(),
            entries: priced.entries.as_ref().map(|entries| self.count_expression(entries)),
            each: priced.each.map(|value| self.expression(&Time { value, ..priced.time.clone() })),
            time: self.expression(&priced.time),
        };
        rows.into_iter().map(segment).collect()
    }

    fn priced(&self, segment: &Segment, executed: &Executions<'_>) -> Priced {
        let mut sum = TimeSum::default();
        for (_, counter, count) in &segment.counts {
            sum.add(count, self.prices.of(&self.job.program, *counter));
        }
        for (_, block, bytes) in &segment.volumes {
            sum.add(bytes, self.prices.per_byte(*block));
        }
        let time = sum.finish();
        let entries = Self::entries(segment, executed);
        let each = entries.as_ref().filter(|_| time.certainty.complete);
        let each = each.and_then(|entries| time.value.divided_exactly(entries, &Limits::default()));
        Priced { time, entries, each }
    }

    /// Executions of the calls that it follows, and the start.
    fn entries(segment: &Segment, executed: &Executions<'_>) -> Option<QuasiPolynomial> {
        let start = QuasiPolynomial::from(BigInt::from(u8::from(segment.from_start)));
        let add = |sum: QuasiPolynomial, call| match executed.get(call) {
            Some(times) => times.map(|times| sum.add(times)),
            None => Some(sum),
        };
        let sum = segment.after.iter().try_fold(start, add)?;
        Some(sum.clone().simplified(&Limits::default()).unwrap_or(sum))
    }

    /// How often calls are executed; `None` for what is unknown. Others are never executed.
    fn executions<'c>(&self, counts: &'c TaskCounts) -> Executions<'c> {
        let program = &self.job.program;
        let calls = counts.counts.iter().map(|(context, counter, own)| (*context, program.block_of(*counter), own));
        let calls = calls.filter(|(_, block, _)| program.call(*block).is_some());
        calls.map(|(context, block, own)| ((context, block), own.value.as_deref())).collect()
    }

    fn call_place(&self, context: ContextId, block: BlockId) -> CallPlace {
        let program = &self.job.program;
        let (own, segments) = (&program.blocks[block], &self.counts.segments);
        let line = |block: BlockId| {
            let span = program.blocks[block].span;
            SourceLine { file: program.files.get(span.file).name.to_string(), line: span.line_start }
        };
        let name = match program.call(block).map(|call| &call.callee) {
            Some(Callee::Mpi(name)) => name.to_string(),
            _ => String::new(),
        };
        let SourceLine { file, line: own_line } = line(block);
        CallPlace {
            id: block.0,
            name,
            file,
            line: own_line,
            column: own.span.column_start,
            function: program.functions[own.function].name.to_string(),
            called_at: segments.path(context).filter_map(|(_, context)| context.call).map(line).collect(),
        }
    }

    fn count_expression(&self, value: &QuasiPolynomial) -> CountExpression {
        let atoms = &self.counts.atoms;
        let plain = |value: &QuasiPolynomial| value.display(&|symbol| atoms.text(symbol));
        let at = |values: &[BigRational], symbol: Symbol| values.get(symbol.0 as usize).cloned().unwrap_or_default();
        let around = |values: &Vec<BigRational>| {
            value.around(&|symbol| at(values, symbol).to_integer()).ok().map(|value| plain(&value))
        };
        let number = |values: &Vec<BigRational>| value.evaluate_exactly(&|symbol| at(values, symbol));
        CountExpression {
            text: plain(value),
            latex: value.to_latex(&|symbol| atoms.latex(symbol)),
            python: value.to_python(&|symbol| atoms.python(symbol)),
            around_defaults: self.defaults.as_ref().and_then(around),
            around_large: self.large.as_ref().and_then(around),
            at_defaults: self.defaults.as_ref().map(|values| number(values).to_f64().unwrap_or(f64::MAX)),
        }
    }
}
