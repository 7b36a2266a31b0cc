//! What the user and the source say about branches and loops, in abstract execution.

use crate::counts::path::Path;
use crate::expressions::affine::Affine;
use crate::expressions::symbolic::{Fraction, Symbolic};
use crate::state::execution::{Execution, Flow};
use crate::{UncertainKind, Unsummarisable};
use chronos_activity::{Count, CountSource};
use chronos_ir::{Arg, BlockId, Call, Operand, ValueId};
use chronos_slicing::annotations::{self, AnnotationCheck, Kind, Target};
use chronos_slicing::heuristics::{Likelihood, Outcome};
use chronos_values::Value;

impl Execution<'_> {
    /// The source states an assumption. One that differs from iteration to iteration stands for its mean.
    pub fn apply_annotation(
        &mut self,
        leaf: BlockId,
        call: &Call,
        name: &str,
        dst: Option<ValueId>,
        path: Path,
    ) -> Flow {
        if let Some(dst) = dst {
            self.frame().values.insert(dst, Symbolic::int(0));
        }
        let Some(Arg::Scalar(operand)) = call.args.first() else { return Ok(path) };
        let Some(kind) = annotations::kind(name) else { return Ok(path) };
        let said = self.mean_of(operand, &path);
        let Some(number) = said.filter(|number| annotations::check(kind, *number).is_ok()) else {
            if self.whole_program.is_some() {
                // Nothing interprets what is not followed here.
                self.apply_annotation_expression(leaf, kind, said, operand, &path);
                return Ok(path);
            }
            return Err(Unsummarisable { block: leaf, why: "an assumption that has no mean in closed form".into() });
        };
        if let Some(target) = self.setting.annotations.target(leaf) {
            self.annotated_values.insert(target, number);
            self.annotated_expressions.remove(&target);
        }
        Ok(path)
    }

    /// What is said is no number, but may be an expression of what is left free and of counters of the loops around;
    /// else it is told that it is not used.
    fn apply_annotation_expression(
        &mut self,
        leaf: BlockId,
        kind: Kind,
        said: Option<f64>,
        operand: &Operand,
        path: &Path,
    ) {
        let Some(target) = self.setting.annotations.target(leaf) else { return };
        self.annotated_values.remove(&target);
        self.annotated_expressions.remove(&target);
        let value = self.operand(operand);
        let fraction = Fraction::of(&value).filter(|_| said.is_none() && !matches!(target, Target::RightSide(_)));
        match fraction.filter(|fraction| self.is_usable(kind, fraction, path)) {
            Some(fraction) => {
                self.annotated_expressions.insert(target, fraction);
            }
            None => {
                let reason = if let Symbolic::Unknown(reason) = value { Some(reason) } else { None };
                self.note_uncertain(leaf, UncertainKind::Unexpressed { kind, number: said }, reason);
            }
        }
    }

    /// Counts can hold what the fraction and, of a probability, its complement weigh.
    fn is_usable(&mut self, kind: Kind, fraction: &Fraction, path: &Path) -> bool {
        let complement = if kind == Kind::Probability { fraction.complement() } else { Some(fraction.clone()) };
        let Some(complement) = complement.filter(|_| self.is_in_scope(fraction, path)) else { return false };
        [fraction, &complement].into_iter().all(|fraction| {
            let weighted = path.times_fraction(fraction, self.symbols.fresh());
            weighted.is_some_and(|weighted| weighted.count(&self.symbols.quotients).is_ok())
        })
    }

    /// The dividend depends on what is left free and on counters of the loops around alone, the divisor on the former.
    fn is_in_scope(&self, fraction: &Fraction, path: &Path) -> bool {
        let free = |symbol| self.symbols.quotients.is_free(symbol);
        let around = |symbol| path.pieces.iter().all(|piece| piece.symbols.contains(&symbol));
        fraction.divisor.symbols().all(free) && fraction.dividend.symbols().all(|symbol| free(symbol) || around(symbol))
    }

    /// As often as the expression that was given for a loop says, and once more; `None` where none was.
    pub(crate) fn annotated_paths(&mut self, block: BlockId, path: &Path) -> Option<(Path, Path)> {
        if self.setting.assumptions.iterations.contains_key(&block) {
            return None;
        }
        let fraction = self.annotated_expressions.get(&Target::Loop(block))?.clone();
        let fraction = Some(fraction).filter(|fraction| self.is_in_scope(fraction, path))?;
        let source = Count { source: CountSource::Probability, ..Count::ONE };
        // A number of iterations below zero is none, and the condition is tested all the same.
        let body = path.times_fraction(&fraction, self.symbols.fresh())?;
        let tests = Path::of(body.pieces.iter().chain(&path.weighted(source).pieces).cloned().collect());
        Some((body, tests))
    }

    /// The expression that was given for a branch with two sides.
    pub(crate) fn annotated_fraction(&self, block: BlockId) -> Option<Fraction> {
        if self.setting.assumptions.probability.contains_key(&block) {
            return None;
        }
        self.annotated_expressions.get(&Target::Condition(block)).cloned()
    }

    fn mean_of(&mut self, operand: &Operand, path: &Path) -> Option<f64> {
        match self.operand(operand) {
            Symbolic::Constant(Value::Float(x)) => Some(x),
            Symbolic::Int(affine) => match affine.as_constant() {
                Some(n) => Some(n as f64),
                None => self.mean(&affine, path),
            },
            _ => None,
        }
    }

    fn mean(&mut self, affine: &Affine, path: &Path) -> Option<f64> {
        let fresh = self.symbols.fresh();
        let total = path.count_times(affine, fresh, &self.symbols.quotients).ok()?.number().as_f64()?;
        let times = path.count(&self.symbols.quotients).ok()?.number().as_f64().filter(|times| *times > 0.0)?;
        Some(total / times)
    }

    pub fn annotated_probability(&self, block: BlockId) -> Option<f64> {
        self.setting
            .assumptions
            .probability
            .get(&block)
            .or_else(|| self.annotated_values.get(&Target::Condition(block)))
            .copied()
    }

    pub fn annotated_iterations(&self, block: BlockId) -> Option<f64> {
        self.setting
            .assumptions
            .iterations
            .get(&block)
            .or_else(|| self.annotated_values.get(&Target::Loop(block)))
            .copied()
    }

    fn is_annotated(&self, block: BlockId) -> bool {
        self.setting.assumptions.probability.contains_key(&block)
            || self.setting.assumptions.iterations.contains_key(&block)
            || self.setting.annotations.covers(block)
    }

    /// The branch or loop is known, with this many executions and this many of them true, or iterations.
    pub fn check_annotation(&mut self, block: BlockId, said: Option<f64>, times: &Path, found: &Path) {
        if self.trials > 0 || !self.is_annotated(block) {
            return;
        }
        let number = |path: &Path| path.count(&self.symbols.quotients).ok().and_then(|amount| amount.number().as_f64());
        if let (Some(times), Some(found), Some(said)) = (number(times), number(found), said) {
            self.annotation_checks.entry(block).or_default().add(AnnotationCheck { times, found, said: said * times });
        }
    }

    /// What is known of the value that such a branch gave.
    pub fn outcome(&self, id: BlockId) -> Option<Outcome> {
        self.outcomes.get(&id).copied()
    }

    /// How likely the value is true that an arm of an `&&`, `||` or `?:` yielded.
    pub fn arm_truth(&self, id: BlockId, arm: u32, value: Option<&Symbolic>) -> Likelihood {
        let known = match value {
            Some(Symbolic::Int(affine)) => affine.as_constant().map(|n| n != 0),
            Some(Symbolic::Constant(value)) => value.truth().ok(),
            _ => None,
        };
        match (known, self.annotated_values.get(&Target::RightSide(id))) {
            (Some(truth), _) => Likelihood::sure(truth),
            (None, Some(&p)) => Likelihood { p, assumed: false },
            (None, None) => self.setting.heuristics.arm_truth(self.setting.program, id, arm, &|id| self.outcome(id)),
        }
    }
}
