//! The only place that knows isl: parsing of isl's text, unions made disjoint, and simplification of
//! conditions. One context per thread, which never leaves it; errors and exhausted budgets are values.

use super::conjunction::{Conjunction, Outcome};
use super::linear::{Atom, Checked, Linear, least_common_multiple, product};
use super::{Limits, QuasiError, Symbol};
use isl_rs::{Aff, BasicSet, Constraint, Context, DimType, Error, LibISLError, Options, Set, Val};
use std::fmt::Write;
use std::marker::PhantomData;

/// `ISL_ON_ERROR_CONTINUE`: report errors to the caller and print nothing.
const ON_ERROR_CONTINUE: i32 = 1;

const READ_OPERATIONS: u64 = 1_000_000;

struct ThreadContext(Context, PhantomData<*const ()>);

thread_local! {
    static CONTEXT: ThreadContext = {
        let context = Context::alloc();
        // Failing to set it would only let isl print; results are checked either way.
        let _ = Options::set_on_error(&context, ON_ERROR_CONTINUE);
        ThreadContext(context, PhantomData)
    };
}

/// A set as disjoint conjunctions, with the number of its parameters and counted symbols: these are
/// numbered from zero, parameters first.
pub(super) struct Parsed {
    pub parameters: u32,
    pub counted: u32,
    pub pieces: Vec<Conjunction>,
}

pub(super) fn parse(text: &str, limits: &Limits) -> Checked<Parsed> {
    if text.contains('\0') {
        return Err(QuasiError::Parse("the text contains a zero byte".to_owned()));
    }
    with_budget(limits, |context| {
        let set = read(context, text, limits).map_err(|error| match error {
            QuasiError::Isl(text) => QuasiError::Parse(text),
            other => other,
        })?;
        let parameters = dimension(set.dim(DimType::Param))?;
        let counted = dimension(set.dim(DimType::Set))?;
        let symbols: Vec<Symbol> = (0..parameters + counted).map(Symbol).collect();
        let (outer, inner) = symbols.split_at(parameters as usize);
        Ok(Parsed { parameters, counted, pieces: disjoint_pieces(set, outer, inner, limits)? })
    })
}

/// The union of the conjunctions as disjoint ones.
pub(super) fn disjoint(pieces: &[Conjunction], counted: &[Symbol], limits: &Limits) -> Checked<Vec<Conjunction>> {
    let parameters = parameters_of(pieces, counted);
    let text = set_text(pieces, &parameters, counted)?;
    with_budget(limits, |context| {
        let set = read(context, &text, limits)?;
        disjoint_pieces(set, &parameters, counted, limits)
    })
}

/// A region of the parameters, living in this thread's context.
pub(super) struct Region {
    set: Set,
    parameters: Vec<Symbol>,
    thread: PhantomData<*const ()>,
}

impl Region {
    pub fn new(conjunction: &Conjunction, parameters: &[Symbol], limits: &Limits) -> Checked<Self> {
        let text = set_text(std::slice::from_ref(conjunction), &[], parameters)?;
        with_budget(limits, |context| Ok(Self::wrap(read(context, &text, limits)?, parameters)))
    }

    fn wrap(set: Set, parameters: &[Symbol]) -> Self {
        Self { set, parameters: parameters.to_vec(), thread: PhantomData }
    }

    pub fn is_empty(&self, limits: &Limits) -> Checked<bool> {
        with_budget(limits, |_| self.set.is_empty().map_err(|error| failure(&error, limits)))
    }

    pub fn intersect(&self, other: &Self, limits: &Limits) -> Checked<Self> {
        self.combine(other, limits, Set::intersect)
    }

    pub fn subtract(&self, other: &Self, limits: &Limits) -> Checked<Self> {
        self.combine(other, limits, Set::subtract)
    }

    pub fn union(&self, other: &Self, limits: &Limits) -> Checked<Self> {
        self.combine(other, limits, Set::union)
    }

    fn combine(
        &self,
        other: &Self,
        limits: &Limits,
        operation: fn(Set, Set) -> Result<Set, LibISLError>,
    ) -> Checked<Self> {
        with_budget(limits, |_| {
            let copies = self.set.copy().and_then(|a| Ok((a, other.set.copy()?)));
            let result = copies.and_then(|(a, b)| operation(a, b)).and_then(Set::coalesce);
            Ok(Self::wrap(result.map_err(|error| failure(&error, limits))?, &self.parameters))
        })
    }

    /// As disjoint conjunctions.
    pub fn pieces(&self, limits: &Limits) -> Checked<Vec<Conjunction>> {
        with_budget(limits, |_| {
            let copy = self.set.copy().map_err(|error| failure(&error, limits))?;
            disjoint_pieces(copy, &[], &self.parameters, limits)
        })
    }
}

/// All symbols that are not counted, in order.
pub(super) fn parameters_of(pieces: &[Conjunction], counted: &[Symbol]) -> Vec<Symbol> {
    let mut found = std::collections::BTreeSet::new();
    pieces.iter().flat_map(Conjunction::linears).for_each(|linear| linear.collect_symbols(&mut found));
    found.into_iter().filter(|symbol| !counted.contains(symbol)).collect()
}

fn with_budget<T>(limits: &Limits, work: impl FnOnce(&Context) -> Checked<T>) -> Checked<T> {
    if chronos_base::governor::exceeded().is_some() {
        return Err(QuasiError::IslOperations(0));
    }
    CONTEXT.with(|ThreadContext(context, _)| {
        context.reset_operations();
        context.set_max_operations(limits.isl_operations);
        let result = work(context);
        context.set_max_operations(0);
        context.reset_error();
        result
    })
}

fn failure(error: &LibISLError, limits: &Limits) -> QuasiError {
    let text = error.to_string();
    // isl-rs keeps the kind of an error private; its text begins with it.
    if text.starts_with(&format!("[{:?}]", Error::Quota)) {
        return QuasiError::IslOperations(limits.isl_operations);
    }
    QuasiError::Isl(text)
}

fn dimension(count: Result<i32, LibISLError>) -> Checked<u32> {
    let count = count.map_err(|error| QuasiError::Isl(error.to_string()))?;
    u32::try_from(count).map_err(|_| QuasiError::Overflow)
}

/// isl calls an exhausted budget a syntax error while it reads, so reading gets a budget that suffices.
fn read(context: &Context, text: &str, limits: &Limits) -> Checked<Set> {
    context.set_max_operations(limits.isl_operations.max(READ_OPERATIONS));
    let set = Set::read_from_str(context, text).map_err(|error| failure(&error, limits));
    context.reset_operations();
    context.set_max_operations(limits.isl_operations);
    set
}

fn disjoint_pieces(set: Set, outer: &[Symbol], inner: &[Symbol], limits: &Limits) -> Checked<Vec<Conjunction>> {
    let prepared = set.coalesce().and_then(Set::make_disjoint).and_then(Set::coalesce).and_then(|set| {
        set.compute_divs()?.make_disjoint()?.remove_redundancies()?.detect_equalities()?.get_basic_set_list()
    });
    let list = prepared.map_err(|error| failure(&error, limits))?;
    let size = list.size().map_err(|error| failure(&error, limits))?;
    let mut pieces = Vec::new();
    for i in 0..size {
        let basic = list.get_at(i).map_err(|error| failure(&error, limits))?;
        let mut piece = conjunction(&basic, outer, inner).map_err(|error| error.into_quasi(limits))?;
        if piece.normalise(inner)? == Outcome::Possible {
            pieces.push(piece);
        }
    }
    Ok(pieces)
}

enum ReadError {
    Isl(LibISLError),
    Own(QuasiError),
}

impl ReadError {
    fn into_quasi(self, limits: &Limits) -> QuasiError {
        match self {
            Self::Isl(error) => failure(&error, limits),
            Self::Own(error) => error,
        }
    }
}

impl From<LibISLError> for ReadError {
    fn from(error: LibISLError) -> Self {
        Self::Isl(error)
    }
}

impl From<QuasiError> for ReadError {
    fn from(error: QuasiError) -> Self {
        Self::Own(error)
    }
}

fn conjunction(basic: &BasicSet, outer: &[Symbol], inner: &[Symbol]) -> Result<Conjunction, ReadError> {
    let mut divs: Vec<Linear> = Vec::new();
    for position in 0..basic.dim(DimType::Div)? {
        let floor = div(&basic.get_div(position)?, outer, inner, &divs)?;
        divs.push(floor);
    }
    let mut result = Conjunction::default();
    let list = basic.get_constraint_list()?;
    for i in 0..list.size()? {
        let constraint = list.get_at(i)?;
        let linear = linear(&constraint, outer, inner, &divs)?;
        let equality = constraint.is_equality()?;
        if equality { &mut result.zero } else { &mut result.nonnegative }.push(linear);
    }
    Ok(result)
}

fn linear(row: &Constraint, outer: &[Symbol], inner: &[Symbol], divs: &[Linear]) -> Result<Linear, ReadError> {
    let mut sum = Linear::constant(integer(&row.get_constant_val()?)?);
    for (kind, symbols) in [(DimType::Param, outer), (DimType::Set, inner)] {
        for (position, symbol) in (0..).zip(symbols) {
            let coefficient = integer(&row.get_coefficient_val(kind, position)?)?;
            sum = sum.add_scaled(&Linear::symbol(*symbol), coefficient)?;
        }
    }
    for (position, div) in (0..).zip(divs) {
        sum = sum.add_scaled(div, integer(&row.get_coefficient_val(DimType::Div, position)?)?)?;
    }
    Ok(sum)
}

/// `floor(aff)`, whose coefficients are fractions; it may use the divs before it.
fn div(aff: &Aff, outer: &[Symbol], inner: &[Symbol], earlier: &[Linear]) -> Result<Linear, ReadError> {
    let mut parts = vec![(Linear::constant(1), fraction(&aff.get_constant_val()?)?)];
    for (kind, symbols) in [(DimType::Param, outer), (DimType::In, inner)] {
        for (position, symbol) in (0..).zip(symbols) {
            parts.push((Linear::symbol(*symbol), fraction(&aff.get_coefficient_val(kind, position)?)?));
        }
    }
    for (position, div) in (0..).zip(earlier) {
        parts.push((div.clone(), fraction(&aff.get_coefficient_val(DimType::Div, position)?)?));
    }
    let modulus = parts.iter().try_fold(1, |m, (_, (_, denominator))| least_common_multiple(m, *denominator))?;
    let mut argument = Linear::default();
    for (part, (numerator, denominator)) in &parts {
        argument = argument.add_scaled(part, product(*numerator, modulus / denominator)?)?;
    }
    Ok(argument.floor(modulus)?)
}

fn fraction(value: &Val) -> Result<(i128, i128), ReadError> {
    Ok((i128::from(value.get_num_si()?), i128::from(value.get_den_si()?)))
}

fn integer(value: &Val) -> Result<i128, ReadError> {
    Ok(i128::from(value.get_num_si()?))
}

fn set_text(pieces: &[Conjunction], outer: &[Symbol], inner: &[Symbol]) -> Checked<String> {
    let names = |symbols: &[Symbol]| symbols.iter().copied().map(name).collect::<Vec<_>>().join(",");
    let tuple = names(inner);
    let mut text = format!("[{}] -> {{ ", names(outer));
    for (i, piece) in pieces.iter().enumerate() {
        let separator = if i == 0 { "" } else { "; " };
        let _ = write!(text, "{separator}[{tuple}] : {}", conditions(piece));
    }
    text.push_str(" }");
    Ok(text)
}

fn name(symbol: Symbol) -> String {
    format!("s{}", symbol.0)
}

fn conditions(piece: &Conjunction) -> String {
    let zero = piece.zero.iter().map(|linear| format!("{} = 0", expression(linear)));
    let nonnegative = piece.nonnegative.iter().map(|linear| format!("{} >= 0", expression(linear)));
    let congruent = piece.congruent.iter().map(|(linear, m)| format!("({}) mod {m} = 0", expression(linear)));
    let all: Vec<String> = zero.chain(nonnegative).chain(congruent).collect();
    if all.is_empty() { "true".to_owned() } else { all.join(" and ") }
}

fn expression(linear: &Linear) -> String {
    let mut text = linear.constant.to_string();
    for (atom, coefficient) in &linear.terms {
        let factor = match atom {
            Atom::Symbol(symbol) => name(*symbol),
            Atom::Floor(floor) => format!("floor(({})/{})", expression(&floor.argument), floor.modulus),
        };
        let sign = if *coefficient < 0 { '-' } else { '+' };
        let _ = write!(text, " {sign} {}*{factor}", coefficient.unsigned_abs());
    }
    text
}
