//! How often something is executed on a task: a number, a lower bound of one, or an expression.

use chronos_activity::{Count, CountSource, CountValue};
use chronos_math::quasi::{Limits, QuasiPolynomial, Symbol};
use chronos_report::counts::model;
use chronos_symbolic::{Atom, Atoms, SymbolicCount};
use num_traits::ToPrimitive;
use std::sync::Arc;

/// A count, added and compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Amount {
    /// Unknown, yet with its source, where it is an expression.
    count: Count,
    /// Of an unknown count: what is certain.
    at_least: Count,
    /// The count is the largest of these; empty where no parameter is free.
    terms: Vec<Arc<QuasiPolynomial>>,
}

impl Amount {
    pub const ZERO: Self = Self { count: Count::ZERO, at_least: Count::ZERO, terms: Vec::new() };

    /// A count that is a number.
    pub fn number(count: Count) -> Self {
        Self { count, ..Self::ZERO }
    }

    /// A count that is an expression of parameters.
    pub fn symbolic(symbolic: &SymbolicCount) -> Self {
        match &symbolic.value {
            None => Self::number(Count::UNKNOWN),
            Some(value) => Self::expression(value.clone(), symbolic.source),
        }
    }

    fn expression(value: Arc<QuasiPolynomial>, source: CountSource) -> Self {
        let constant = value.constant().and_then(|constant| constant.to_u128());
        let count = constant.map_or(CountValue::Unknown, CountValue::Exact);
        Self { count: Count { value: count, source }, at_least: Count::ZERO, terms: vec![value] }
    }

    /// The same as a lower bound of a count that is not known.
    #[must_use]
    pub(crate) fn at_least_that(self) -> Self {
        let certain = matches!(self.count.value, CountValue::Exact(_));
        Self { at_least: if certain { self.count } else { self.at_least }, ..Self::number(Count::UNKNOWN) }
    }

    /// A lower bound of what is executed once at most.
    #[must_use]
    pub(crate) fn at_most_once(self) -> Self {
        if self.at_least == Count::ONE { Self::number(Count::ONE) } else { self }
    }

    /// Of two that are no maxima.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        match (&self.terms[..], &other.terms[..]) {
            ([], []) => {
                Self { count: self.count + other.count, at_least: self.at_least + other.at_least, terms: Vec::new() }
            }
            ([a], [b]) => Self::expression(Arc::new(added(a, b)), self.source().max(other.source())),
            ([_], []) if other.is_zero() => self.clone(),
            ([], [_]) if self.is_zero() => other.clone(),
            _ => Self::number(Count::UNKNOWN),
        }
    }

    /// The larger one; an unknown one is never known to be the smaller.
    #[must_use]
    pub fn most(self, other: Self) -> Self {
        let at_least = if rank(self.at_least) < rank(other.at_least) { other.at_least } else { self.at_least };
        if self.terms.is_empty() && other.terms.is_empty() {
            let larger = if rank(self.count) < rank(other.count) { other.count } else { self.count };
            return Self { count: larger, at_least, terms: Vec::new() };
        }
        match (self.is_zero(), other.is_zero()) {
            (true, _) => other,
            (_, true) => self,
            _ if self.terms.is_empty() || other.terms.is_empty() => Self::number(Count::UNKNOWN),
            _ => self.larger_of(other),
        }
    }

    fn larger_of(mut self, other: Self) -> Self {
        if let (Some(a), Some(b)) = (self.count.as_f64(), other.count.as_f64()) {
            return if a < b { other } else { self };
        }
        let source = self.source().max(other.source());
        for term in other.terms {
            if self.terms.iter().any(|known| *known == term || known.is_never_below(&term)) {
                continue;
            }
            self.terms.retain(|known| !term.is_never_below(known));
            self.terms.push(term);
        }
        match &self.terms[..] {
            [only] => Self::expression(only.clone(), source),
            _ => Self { count: Count { value: CountValue::Unknown, source }, ..self },
        }
    }

    #[must_use]
    pub(crate) fn at_source(mut self, source: CountSource) -> Self {
        self.count.source = self.count.source.max(source);
        self
    }

    /// How certain it is.
    pub fn source(&self) -> CountSource {
        self.count.source
    }

    pub fn count(&self) -> Count {
        self.count
    }

    /// Whether it is never executed.
    pub fn is_zero(&self) -> bool {
        self.count.is_zero()
    }

    /// The expression as people read it; `None` for a number.
    pub fn text(&self, atoms: &Atoms) -> Option<String> {
        self.written(&|term| term.display(&|symbol| named(atoms, symbol, |atom| &atom.text)), "max")
    }

    /// Each of the terms for people; what is expected in decimals.
    fn shown(&self, atoms: &Atoms) -> Vec<String> {
        let name = |symbol: Symbol| named(atoms, symbol, |atom| &atom.text);
        let expected = self.source() > CountSource::Trace;
        let shown = |term: &Arc<QuasiPolynomial>| {
            if expected { term.display_in_decimals(&name) } else { term.display(&name) }
        };
        self.terms.iter().map(shown).collect()
    }

    fn latex(&self, atoms: &Atoms) -> Option<String> {
        self.written(&|term| term.to_latex(&|symbol| named(atoms, symbol, |atom| &atom.latex)), "\\max")
    }

    fn python(&self, atoms: &Atoms) -> Option<String> {
        self.written(&|term| term.to_python(&|symbol| named(atoms, symbol, |atom| &atom.python)), "max")
    }

    fn written(&self, show: &dyn Fn(&QuasiPolynomial) -> String, max: &str) -> Option<String> {
        let shown: Vec<String> = self.terms.iter().map(|term| show(term)).collect();
        match shown.as_slice() {
            [] => None,
            [only] => Some(only.clone()),
            all => Some(format!("{max}({})", all.join(", "))),
        }
    }

    pub fn data(&self, atoms: &Atoms) -> model::Amount {
        let bound = self.count.value == CountValue::Unknown && !self.at_least.is_zero();
        model::Amount {
            count: self.count,
            expression: self.text(atoms),
            shown: self.shown(atoms),
            latex: self.latex(atoms),
            python: self.python(atoms),
            at_least: bound.then_some(self.at_least),
        }
    }
}

fn named(atoms: &Atoms, symbol: Symbol, notation: fn(&Atom) -> &String) -> String {
    atoms.atoms.get(symbol.0 as usize).map_or_else(|| atoms.text(symbol), |atom| notation(atom).clone())
}

fn added(a: &QuasiPolynomial, b: &QuasiPolynomial) -> QuasiPolynomial {
    let sum = a.add(b);
    sum.clone().simplified(&Limits::default()).unwrap_or(sum)
}

fn rank(count: Count) -> f64 {
    count.as_f64().unwrap_or(f64::INFINITY)
}

/// What makes two amounts equal in every respect, for grouping.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    source: CountSource,
    value: (u8, u128),
    at_least: u128,
    expression: Option<String>,
}

impl Key {
    pub fn of(amount: &Amount, atoms: &Atoms) -> Self {
        let value = match amount.count.value {
            CountValue::Exact(n) => (0, n),
            CountValue::Expected(x) => (1, u128::from(x.to_bits())),
            CountValue::Unknown => (2, 0),
        };
        let at_least = if let CountValue::Exact(n) = amount.at_least.value { n } else { 0 };
        Self { source: amount.count.source, value, at_least, expression: amount.text(atoms) }
    }
}
