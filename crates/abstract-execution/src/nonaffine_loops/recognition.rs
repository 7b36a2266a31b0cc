//! Which form the trip count of a loop has: by the update of its counter and by its condition.

use super::trip_form::{TripForm, by_quotient};
use crate::expressions::affine::Affine;
use crate::expressions::bounds::Bounds;
use crate::expressions::symbolic::{Symbolic, limits};
use crate::iteration_space::induction::{Update, plain};
use crate::state::execution::Execution;
use chronos_functions::AbstractModel;
use chronos_ir::{Arg, BinaryOp, BlockId, Callee, Condition, Loop, LoopForm, OpKind, Operand, ScalarType, VarId};
use chronos_slicing::ModSet;
use chronos_values::Value;
use num_integer::Roots;

/// What a side of a condition is.
enum Side {
    Invariant(Affine),
    /// A variable that the loop writes.
    Counter(VarId),
    Square(VarId, ScalarType),
    /// An invariant by the variable.
    Quotient(Affine, VarId),
    /// The square root of an invariant.
    Root(Affine),
}

impl Side {
    /// In another type; `None` where that could change the value.
    fn converted(self, from: ScalarType, to: ScalarType, bounds: &Bounds) -> Option<Self> {
        let ((low, high), (least, greatest)) = (limits(to), limits(from));
        let same = to.is_float() || (low <= least && greatest <= high);
        match self {
            Self::Invariant(affine) => {
                let (least, greatest) = bounds.range(&affine);
                let fits = least.is_some_and(|least| least >= low) && greatest.is_some_and(|greatest| greatest <= high);
                (same || fits).then_some(Self::Invariant(affine))
            }
            // Counters of recognised loops are not negative.
            other => (same || high >= greatest).then_some(other),
        }
    }
}

impl<'a> Execution<'a> {
    /// The form of a loop whose initialisation is done; where the test stands at the end, of the iterations after
    /// the first.
    pub(crate) fn trip_form(&mut self, l: &'a Loop, bounds: &Bounds) -> Option<TripForm> {
        let form = self.form_before_test(l, bounds)?;
        if l.form == LoopForm::DoWhile { form.after_one(&mut self.symbols) } else { Some(form) }
    }

    /// As if the test stood in front.
    fn form_before_test(&mut self, l: &'a Loop, bounds: &Bounds) -> Option<TripForm> {
        let condition = l.condition.as_ref()?;
        let written = self.repeated_writes(l);
        let (op, a, b) = self.comparison(condition, &written, bounds)?;
        // `a < b`, `a <= b` or `a != b`.
        let (op, low, high) = match op {
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Ne => (op, a, b),
            BinaryOp::Gt => (BinaryOp::Lt, b, a),
            BinaryOp::Ge => (BinaryOp::Le, b, a),
            _ => return None,
        };
        let strict = i128::from(op == BinaryOp::Lt);
        match (low, high) {
            _ if op == BinaryOp::Ne => None,
            (Side::Square(i, ty), Side::Invariant(limit)) => self.square_root(l, i, ty, &limit.plus(-strict)?, bounds),
            (Side::Counter(i), Side::Quotient(limit, j)) if i == j => {
                let form = self.square_root(l, i, ScalarType::I64, &limit, bounds)?;
                by_quotient(form, strict == 1)
            }
            (Side::Counter(i), Side::Root(limit)) => {
                self.square_root(l, i, ScalarType::I64, &limit.plus(-strict)?, bounds)
            }
            (Side::Counter(i), Side::Invariant(limit)) => {
                let grows = self.growing(l, i, &limit.plus(1 - strict)?, bounds);
                grows.or_else(|| self.strided(l, i, &limit.plus(-strict)?, bounds))
            }
            (Side::Invariant(limit), Side::Counter(i)) => self.shrinking(l, i, &limit.plus(strict - 1)?),
            _ => None,
        }
    }

    fn square_root(
        &mut self,
        l: &'a Loop,
        counter: VarId,
        ty: ScalarType,
        limit: &Affine,
        bounds: &Bounds,
    ) -> Option<TripForm> {
        let induction = self.inductions(l).into_iter().find(|induction| induction.variable == counter)?;
        let Symbolic::Int(start) = self.read_variable(counter, induction.ty) else { return None };
        let start = start.as_constant().filter(|&start| start >= 0)?;
        let step = induction.step.as_constant()?;
        // The last square, which ends the loop, must not wrap around.
        let most = limits(ty).1.sqrt().min(limits(induction.ty).1);
        let room = most.checked_sub(step)?;
        let form = TripForm::SquareRoot { start, step, limit: limit.clone() };
        let fits = bounds.range(limit).1.is_none_or(|greatest| greatest < 0 || greatest.sqrt() <= room);
        (step >= 1 && fits).then_some(form)
    }

    fn growing(&mut self, l: &'a Loop, counter: VarId, limit: &Affine, bounds: &Bounds) -> Option<TripForm> {
        let (scaled, start) = self.scaled(l, counter)?;
        let room = limits(scaled.ty).1 / scaled.factor;
        let fits = bounds.range(limit).1.is_none_or(|greatest| greatest <= room);
        (scaled.grows && fits).then_some(TripForm::Geometric { start, factor: scaled.factor, limit: limit.clone() })
    }

    fn shrinking(&mut self, l: &'a Loop, counter: VarId, limit: &Affine) -> Option<TripForm> {
        let (scaled, start) = self.scaled(l, counter)?;
        let form = TripForm::Shrinking { start, factor: scaled.factor, limit: limit.clone() };
        (!scaled.grows && limit.as_constant().is_some_and(|limit| limit >= 0)).then_some(form)
    }

    fn comparison(
        &mut self,
        condition: &'a Condition,
        written: &ModSet,
        bounds: &Bounds,
    ) -> Option<(BinaryOp, Side, Side)> {
        let [only] = condition.region[..] else { return None };
        let straight = self.straight(only)?;
        let end = Update { written, variable: VarId(0), straight, at: straight.ops.len() };
        let mut value = &condition.value;
        loop {
            let (_, op) = end.definition(value)?;
            match &op.kind {
                OpKind::Convert(from, inner) if !from.is_float() => value = inner,
                OpKind::Binary(op, _, a, b) if op.is_comparison() => {
                    return Some((*op, self.side(&end, a, bounds)?, self.side(&end, b, bounds)?));
                }
                _ => return None,
            }
        }
    }

    fn side(&mut self, end: &Update<'_>, operand: &Operand, bounds: &Bounds) -> Option<Side> {
        if let Operand::Const(_) = operand {
            return self.integer(operand).map(Side::Invariant);
        }
        let (_, op) = end.definition(operand)?;
        match &op.kind {
            OpKind::Move(inner) => self.side(end, inner, bounds),
            OpKind::Convert(from, inner) if !from.is_float() => {
                let to = self.setting.program.functions[self.function()].values[op.dst?];
                self.side(end, inner, bounds)?.converted(*from, to, bounds)
            }
            OpKind::Read(place) => {
                let variable = plain(place)?;
                let ty = self.setting.program.types.scalar(place.ty)?;
                if end.written.contains(&self.setting.analysis.variable(variable)) {
                    return Some(Side::Counter(variable));
                }
                match self.read(place, ty) {
                    Symbolic::Int(affine) => Some(Side::Invariant(affine)),
                    _ => None,
                }
            }
            OpKind::Binary(op, ty, a, b) if !ty.is_float() => {
                let (a, b) = (self.side(end, a, bounds)?, self.side(end, b, bounds)?);
                combined(*op, *ty, a, b)
            }
            OpKind::Call(leaf) => self.root(end, *leaf, bounds),
            _ => None,
        }
    }

    /// `sqrt` of an invariant integer; beyond this size its rounding could make a difference.
    fn root(&mut self, end: &Update<'_>, leaf: BlockId, bounds: &Bounds) -> Option<Side> {
        let call = self.setting.program.call(leaf)?;
        let (Callee::Library(name), [Arg::Scalar(operand)]) = (&call.callee, &call.args[..]) else { return None };
        let is_root = chronos_functions::abstract_model(name) == Some(AbstractModel::SquareRoot);
        match self.side(end, operand, bounds)? {
            Side::Invariant(n) if is_root && bounds.range(&n).1.is_none_or(|n| n < 1 << 50) => Some(Side::Root(n)),
            _ => None,
        }
    }

    fn integer(&mut self, operand: &Operand) -> Option<Affine> {
        match self.operand(operand) {
            Symbolic::Int(affine) => Some(affine),
            Symbolic::Constant(Value::Float(x)) if x.fract() == 0.0 && x.abs() < 1e15 => {
                Some(Affine::constant(x as i128))
            }
            _ => None,
        }
    }
}

fn combined(op: BinaryOp, ty: ScalarType, a: Side, b: Side) -> Option<Side> {
    match (op, a, b) {
        (BinaryOp::Mul, Side::Counter(i), Side::Counter(j)) if i == j => Some(Side::Square(i, ty)),
        (BinaryOp::Div, Side::Invariant(n), Side::Counter(i)) => Some(Side::Quotient(n, i)),
        (BinaryOp::Add, Side::Invariant(a), Side::Invariant(b)) => a.add(&b).map(Side::Invariant),
        (BinaryOp::Sub, Side::Invariant(a), Side::Invariant(b)) => a.sub(&b).map(Side::Invariant),
        (BinaryOp::Mul, Side::Invariant(a), Side::Invariant(b)) => {
            let product = b.as_constant().and_then(|b| a.scale(b));
            product.or_else(|| b.scale(a.as_constant()?)).map(Side::Invariant)
        }
        _ => None,
    }
}
