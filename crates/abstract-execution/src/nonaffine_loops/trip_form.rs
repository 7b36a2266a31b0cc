//! Loops whose number of iterations is a closed form, but none that is affine: logarithms and square
//! roots. Recognised by the update of the counter and by the condition.
//!
//! It says what a loop is, never how often a block in it is executed.

use crate::expressions::affine::{Affine, Symbol};
use crate::expressions::bounds::Bounds;
use crate::expressions::derived::{Derived, IntegerFunction};
use crate::expressions::formula::{Constraint, Formula};
use crate::expressions::symbolic::{Symbolic, limits};
use crate::expressions::symbols::Symbols;
use crate::iteration_space::induction::{Update, plain, plain_write};
use crate::state::execution::Execution;
use chronos_ir::{
    Arg, BinaryOp, BlockId, BlockKind, Callee, Condition, Loop, LoopForm, OpKind, Operand, ScalarType, Straight, VarId,
};
use chronos_slicing::ModSet;
use chronos_values::Value;
use num_integer::Roots;

/// How often a loop with its test in front runs, or how often one goes on that has it at its end. Numbers are those at its entry; affine expressions are over the
/// counters of the loops around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TripForm {
    /// Iteration k begins where `start * factor^k < limit`; the counter's value is the left side.
    /// With a start of at least 1: `ceil(log(limit / start, factor))` iterations, or none.
    Geometric {
        /// Value of the counter at the begin.
        start: Affine,
        /// What each iteration multiplies the counter by.
        factor: i128,
        /// What the value is compared with.
        limit: Affine,
    },
    /// Iteration k begins where `floor(start / factor^k) > limit`, with a limit that is not negative.
    /// `floor(log(start / (limit + 1), factor)) + 1` iterations, or none.
    Shrinking {
        /// Value of the counter at the begin.
        start: Affine,
        /// What each iteration divides the counter by.
        factor: i128,
        /// What the value is compared with.
        limit: Affine,
    },
    /// Iteration k begins where `(start + step * k)^2 <= limit`, with a start that is not negative.
    /// `floor((isqrt(limit) - start) / step) + 1` iterations, or none.
    SquareRoot {
        /// Value of the counter at the begin, not negative.
        start: i128,
        /// What each iteration adds, positive.
        step: i128,
        /// What the square is compared with.
        limit: Affine,
    },
    /// Iteration k begins where `start + step * k <= limit`, with a step that is positive, but no number.
    /// `floor((limit - start) / step) + 1` iterations, or none.
    Strided {
        /// Value of the counter at the begin.
        start: Affine,
        /// What each iteration adds, an expression that is positive.
        step: Affine,
        /// What the value is compared with.
        limit: Affine,
    },
}

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

/// A counter that is multiplied or divided once per iteration.
struct Scaled {
    variable: VarId,
    ty: ScalarType,
    factor: i128,
    grows: bool,
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

impl TripForm {
    /// Where iteration k begins, its predecessors done; `None` where the numbers leave 128 bits.
    pub fn goes_on(&self, k: u32, symbols: &mut Symbols) -> Option<Formula> {
        let affine = match self {
            Self::Geometric { start, factor, limit } => limit.sub(&start.scale(factor.checked_pow(k)?)?)?.plus(-1)?,
            // floor(start / d) >= limit + 1
            Self::Shrinking { start, factor, limit } => start.sub(&limit.plus(1)?.scale(factor.checked_pow(k)?)?)?,
            Self::SquareRoot { start, step, limit } => {
                let root = start.checked_add(step.checked_mul(i128::from(k))?)?;
                limit.plus(root.checked_mul(root)?.checked_neg()?)?
            }
            Self::Strided { start, step, limit } => limit.sub(start)?.sub(&step.scale(i128::from(k))?)?,
        };
        symbols.nonnegative(&affine)
    }

    /// With the counter advanced by one iteration.
    fn after_one(self, symbols: &mut Symbols) -> Option<Self> {
        Some(match self {
            Self::Geometric { start, factor, limit } => Self::Geometric { start: start.scale(factor)?, factor, limit },
            Self::Shrinking { start, factor, limit } => {
                Self::Shrinking { start: symbols.quotient(&start, factor), factor, limit }
            }
            Self::SquareRoot { start, step, limit } => {
                Self::SquareRoot { start: start.checked_add(step)?, step, limit }
            }
            Self::Strided { start, step, limit } => Self::Strided { start: start.add(&step)?, step, limit },
        })
    }

    /// The most iterations within the bounds; `None` where there is no bound.
    pub fn most(&self, bounds: &Bounds) -> Option<i128> {
        match self {
            Self::Geometric { start, factor, limit } => {
                let (least, greatest) = (bounds.least(start).filter(|&least| least >= 1)?, bounds.range(limit).1?);
                Some(powers(*factor, |power| least.checked_mul(power).is_some_and(|value| value < greatest)))
            }
            Self::Shrinking { start, factor, limit } => {
                let (greatest, least) = (bounds.range(start).1?, bounds.least(limit).filter(|&least| least >= 0)?);
                Some(powers(*factor, |power| greatest / power > least))
            }
            Self::SquareRoot { start, step, limit } => Some(roots(*start, *step, bounds.range(limit).1?)),
            Self::Strided { start, step, limit } => {
                let (room, step) = (bounds.range(&limit.sub(start)?).1?, bounds.least(step)?);
                Some((room.div_euclid(step.max(1)) + 1).max(0))
            }
        }
    }

    /// Where iteration k begins, as one condition on k: the counters around must not matter. `None` where they do,
    /// or where a number of the form is none of those that have a name.
    pub(crate) fn in_closed_form(&self, k: Symbol, symbols: &mut Symbols) -> Option<Formula> {
        let counter = Affine::symbol(k);
        let left = match self {
            Self::SquareRoot { start, step, limit } => {
                let root = symbols.function(IntegerFunction::SquareRoot, limit)?;
                root.plus(-start)?.sub(&counter.scale(*step)?)?
            }
            // start * f^k < limit: f^k < ceil(limit / start)
            Self::Geometric { start, factor, limit } => {
                let start = start.as_constant().filter(|&start| start >= 1)?;
                let ratio = symbols.quotient(&limit.plus(start - 1)?, start);
                symbols.function(IntegerFunction::CeilLog(base(*factor)?), &ratio)?.plus(-1)?.sub(&counter)?
            }
            // floor(start / f^k) > limit: f^k <= floor(start / (limit + 1))
            Self::Shrinking { start, factor, limit } => {
                let ratio = symbols.quotient(start, limit.as_constant()?.checked_add(1)?);
                symbols.function(IntegerFunction::FloorLog(base(*factor)?), &ratio)?.sub(&counter)?
            }
            Self::Strided { start, step, limit } => symbols.ratio(&limit.sub(start)?, step)?.sub(&counter)?,
        };
        let goes_on = Formula::atom(Constraint::Nonnegative(left));
        match self {
            // The square root of a negative number counts as 0.
            Self::SquareRoot { start: 0, limit, .. } => goes_on.and(&symbols.nonnegative(limit)?),
            _ => Some(goes_on),
        }
    }

    /// The counter's value matters little for the loop's counts, or there is no other way than a closed form: the
    /// number of iterations is large, or that of a free parameter.
    pub(crate) fn is_better_closed(&self, symbols: &Symbols) -> bool {
        let (start, limit) = match self {
            Self::Geometric { start, limit, .. } | Self::Shrinking { start, limit, .. } => (Some(start), limit),
            Self::SquareRoot { limit, .. } => (None, limit),
            Self::Strided { .. } => return symbols.quotients.free.is_empty() || symbols.may_sum(),
        };
        // Few iterations are better executed one by one: then values depend on nothing.
        let many = |limit: i128| self.most(&Bounds::default()).is_some_and(|most| most > 64 && limit > 0);
        let mut both = start.into_iter().chain([limit]).flat_map(Affine::symbols);
        both.any(|symbol| symbols.quotients.touches_free(symbol) || symbols.may_sum())
            || (start.is_none() && limit.as_constant().is_some_and(many))
    }
}

fn base(factor: i128) -> Option<u32> {
    u32::try_from(factor).ok()
}

impl Symbols {
    /// An integer function; `None` where something is left free and a counter matters.
    pub fn function(&mut self, function: IntegerFunction, argument: &Affine) -> Option<Affine> {
        if let Some(number) = argument.as_constant() {
            return Some(Affine::constant(function.value(number)));
        }
        let known = |symbol| self.quotients.is_free(symbol) || self.quotients.free.is_empty() || self.may_sum();
        let countable = argument.symbols().all(known);
        countable.then(|| self.derived(Derived::Function(function, argument.clone())))
    }
}

impl IntegerFunction {
    /// Value of the function at a number; the square root of a negative number counts as that of 0.
    pub fn value(self, argument: i128) -> i128 {
        match self {
            Self::SquareRoot => argument.max(0).sqrt(),
            Self::FloorLog(base) => powers(i128::from(base), |power| power <= argument) - 1,
            Self::CeilLog(base) => powers(i128::from(base), |power| power < argument),
            Self::Power(base) => {
                let exponent = u32::try_from(argument.max(0)).unwrap_or(u32::MAX);
                i128::from(base).checked_pow(exponent).unwrap_or(i128::MAX)
            }
        }
    }
}

/// `i <= n / i` is `i * i <= n`, and `i < n / i` is `i * i + i <= n`: `(2 i + 1)^2 <= 4 n + 1`.
fn by_quotient(form: TripForm, strict: bool) -> Option<TripForm> {
    let TripForm::SquareRoot { start: start @ 1.., step, limit } = form else { return None };
    if !strict {
        return Some(TripForm::SquareRoot { start, step, limit });
    }
    let start = start.checked_mul(2)?.checked_add(1)?;
    Some(TripForm::SquareRoot { start, step: step.checked_mul(2)?, limit: limit.scale(4)?.plus(1)? })
}

/// How many powers of the factor, from the 0th on, fulfil a condition that does not come back.
fn powers(factor: i128, holds: impl Fn(i128) -> bool) -> i128 {
    let powers = std::iter::successors(Some(1_i128), |power| power.checked_mul(factor));
    powers.take_while(|&power| holds(power)).count() as i128
}

/// How many k from 0 on have `(start + step k)^2 <= limit`.
fn roots(start: i128, step: i128, limit: i128) -> i128 {
    if limit < 0 || limit.sqrt() < start { 0 } else { (limit.sqrt() - start) / step + 1 }
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

    fn scaled(&mut self, l: &'a Loop, counter: VarId) -> Option<(Scaled, Affine)> {
        let scaled = self.scaling(l, counter)?;
        match self.read_variable(scaled.variable, scaled.ty) {
            Symbolic::Int(start) => Some((scaled, start)),
            _ => None,
        }
    }

    /// The values in iteration k of variables that every iteration multiplies or divides by a number, by the state
    /// before the first; where a whole program is executed.
    pub(crate) fn scaled_values(&mut self, l: &'a Loop, k: Symbol) -> Vec<(VarId, Affine)> {
        if !self.symbols.may_sum() {
            return Vec::new();
        }
        let variables: Vec<VarId> = self.write_sites(l).into_keys().collect();
        let mut values = Vec::new();
        for variable in variables {
            let Some((scaled, start)) = self.scaled(l, variable) else { continue };
            let value = self.scaled_value(&scaled, &start, k);
            values.extend(value.map(|value| (variable, value)));
        }
        values
    }

    fn scaled_value(&mut self, scaled: &Scaled, start: &Affine, k: Symbol) -> Option<Affine> {
        let power = self.symbols.function(IntegerFunction::Power(base(scaled.factor)?), &Affine::symbol(k))?;
        if scaled.grows {
            return self.symbols.product(start, &power);
        }
        // C rounds towards zero: of what is negative, nothing is said.
        let free = start.symbols().all(|symbol| self.symbols.quotients.is_free(symbol));
        if free && start.constant >= 0 { self.symbols.ratio(start, &power) } else { None }
    }

    /// How the variable is multiplied or divided, by its one write in the loop.
    fn scaling(&mut self, l: &'a Loop, variable: VarId) -> Option<Scaled> {
        let blocks = self.write_sites(l).remove(&variable)?;
        let always = self.unconditional(l);
        let written = self.repeated_writes(l);
        let [block] = blocks.into_iter().collect::<Vec<_>>()[..] else { return None };
        let ty = self
            .program
            .types
            .scalar(self.program.variables[variable].ty)
            .filter(|ty| !ty.is_float() && !ty.is_wide())?;
        let straight = self.straight(block).filter(|_| always.contains(&block))?;
        let mut writes = straight.ops.iter().enumerate().filter_map(|(at, op)| Some((at, plain_write(op)?)));
        let (at, (_, operand)) = writes.find(|(_, (written, _))| *written == variable)?;
        if writes.any(|(_, (written, _))| written == variable) {
            return None;
        }
        let update = Update { written: &written, variable, straight, at };
        let (factor, grows) = self.factor(&update, operand)?;
        (factor >= 2).then_some(Scaled { variable, ty, factor, grows })
    }

    fn factor(&mut self, update: &Update<'_>, operand: &Operand) -> Option<(i128, bool)> {
        let (_, op) = update.definition(operand)?;
        match &op.kind {
            OpKind::Convert(from, inner) if !from.is_float() => self.factor(update, inner),
            OpKind::Move(inner) => self.factor(update, inner),
            OpKind::Binary(op, _, a, b) => {
                let own = |operand: &Operand| reads(update, operand);
                let (counter, by) = if *op == BinaryOp::Mul && own(b) { (b, a) } else { (a, b) };
                let by = self.invariant(update, by).filter(|_| own(counter))?;
                match op {
                    BinaryOp::Mul => Some((by, true)),
                    BinaryOp::Div => Some((by, false)),
                    BinaryOp::Shl | BinaryOp::Shr => {
                        let factor = 1_i128.checked_shl(u32::try_from(by).ok().filter(|&by| by < 63)?)?;
                        Some((factor, *op == BinaryOp::Shl))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn straight(&self, block: BlockId) -> Option<&'a Straight> {
        match &self.program.blocks[block].kind {
            BlockKind::Straight(straight) => Some(straight),
            _ => None,
        }
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
                let to = self.program.functions[self.function()].values[op.dst?];
                self.side(end, inner, bounds)?.converted(*from, to, bounds)
            }
            OpKind::Read(place) => {
                let variable = plain(place)?;
                let ty = self.program.types.scalar(place.ty)?;
                if end.written.contains(&self.analysis.variable(variable)) {
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
        let call = self.program.call(leaf)?;
        let (Callee::Library(name), [Arg::Scalar(operand)]) = (&call.callee, &call.args[..]) else { return None };
        match self.side(end, operand, bounds)? {
            Side::Invariant(n) if &**name == "sqrt" && bounds.range(&n).1.is_none_or(|n| n < 1 << 50) => {
                Some(Side::Root(n))
            }
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

/// The operand is the variable as it stands before the update.
fn reads(update: &Update<'_>, operand: &Operand) -> bool {
    match update.definition(operand).map(|(_, op)| &op.kind) {
        Some(OpKind::Read(place)) => plain(place) == Some(update.variable),
        Some(OpKind::Convert(from, inner)) if !from.is_float() => reads(update, inner),
        _ => false,
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
