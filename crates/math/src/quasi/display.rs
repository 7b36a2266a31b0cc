//! Quasi-polynomials as text for people, as LaTeX and as Python expressions.

use super::conjunction::Conjunction;
use super::linear::{Atom, Floor, Linear};
use super::number::{Rational, gcd};
use super::polynomial::{Monomial, Polynomial};
use super::tidy::{covers, ordered};
use super::{QuasiPolynomial, Symbol};
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};
use std::fmt::Write;
use std::sync::Arc;

mod terms;
pub use terms::Piece;

/// How an expression is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// For people: `N^2 + 1`.
    Plain,
    /// LaTeX in mathematics mode.
    Latex,
    /// A Python 3 expression.
    Python,
}

struct Writer<'a> {
    notation: Notation,
    names: &'a dyn Fn(Symbol) -> String,
    /// Fractions that nobody reads are rounded.
    decimals: bool,
}

/// Denominators up to here are read as fractions.
const READABLE: u32 = 20;

impl QuasiPolynomial {
    /// As a person writes it: `N*(N-1)/2 if N >= 2, else 0`.
    pub fn display(&self, names: &dyn Fn(Symbol) -> String) -> String {
        self.displayed(&Writer { notation: Notation::Plain, names, decimals: false })
    }

    /// The same with four significant digits instead of fractions that nobody reads.
    pub fn display_in_decimals(&self, names: &dyn Fn(Symbol) -> String) -> String {
        self.displayed(&Writer { notation: Notation::Plain, names, decimals: true })
    }

    fn displayed(&self, writer: &Writer<'_>) -> String {
        let pieces: Vec<(&Conjunction, String)> = ordered(&self.pieces)
            .into_iter()
            .map(|(domain, polynomial)| (domain, writer.polynomial(polynomial)))
            .collect();
        match pieces.as_slice() {
            [] => "0".to_owned(),
            [(domain, text)] if **domain == Conjunction::default() => text.clone(),
            _ if self.disjoint => {
                let (rest, pieces) = match pieces.split_last() {
                    Some(((_, last), others)) if covers(&self.pieces) => (last.as_str(), others),
                    _ => ("0", &pieces[..]),
                };
                let others = pieces.iter().filter(|(_, text)| text != rest);
                let cases: Vec<String> =
                    others.map(|(domain, text)| format!("{text} if {}", writer.condition(domain))).collect();
                if cases.is_empty() { rest.to_owned() } else { format!("{}, else {rest}", cases.join("; ")) }
            }
            _ => {
                let cases =
                    pieces.iter().map(|(domain, text)| format!("({text} if {}, else 0)", writer.condition(domain)));
                cases.collect::<Vec<_>>().join(" + ")
            }
        }
    }

    /// As an expression of LaTeX's mathematics mode (needs amsmath).
    pub fn to_latex(&self, names: &dyn Fn(Symbol) -> String) -> String {
        let writer = Writer { notation: Notation::Latex, names, decimals: false };
        let cases = |pieces: &[(&Conjunction, &Polynomial)]| {
            let mut text = "\\begin{cases}".to_owned();
            for (domain, polynomial) in pieces {
                let _ = write!(text, "{} & {} \\\\ ", writer.polynomial(polynomial), writer.condition(domain));
            }
            text + "0 & \\text{otherwise}\\end{cases}"
        };
        let pieces = ordered(&self.pieces);
        match pieces.as_slice() {
            [] => "0".to_owned(),
            [(domain, polynomial)] if **domain == Conjunction::default() => writer.polynomial(polynomial),
            _ if self.disjoint => cases(&pieces),
            _ => pieces.iter().map(|piece| cases(&[*piece])).collect::<Vec<_>>().join(" + "),
        }
    }

    /// As a Python 3 expression over integers; its value is exact.
    pub fn to_python(&self, names: &dyn Fn(Symbol) -> String) -> String {
        let writer = Writer { notation: Notation::Python, names, decimals: false };
        let pieces = ordered(&self.pieces).into_iter().map(|(domain, polynomial)| {
            let text = writer.polynomial(polynomial);
            if *domain == Conjunction::default() {
                text
            } else {
                format!("({text} if {} else 0)", writer.condition(domain))
            }
        });
        let pieces: Vec<String> = pieces.collect();
        if pieces.is_empty() { "0".to_owned() } else { pieces.join(" + ") }
    }
}

impl Writer<'_> {
    fn atom(&self, atom: &Atom) -> String {
        match atom {
            Atom::Symbol(symbol) => (self.names)(*symbol),
            Atom::Floor(floor) => self.floor(floor),
        }
    }

    fn floor(&self, floor: &Floor) -> String {
        let argument = self.linear(&floor.argument);
        match self.notation {
            Notation::Plain if is_single(&floor.argument) => format!("floor({argument}/{})", floor.modulus),
            Notation::Plain => format!("floor(({argument})/{})", floor.modulus),
            Notation::Latex => {
                format!("\\left\\lfloor\\frac{{{argument}}}{{{}}}\\right\\rfloor", floor.modulus)
            }
            Notation::Python => format!("(({argument})//{})", floor.modulus),
        }
    }

    fn linear(&self, linear: &Linear) -> String {
        let (remainders, rest) = remainders(linear);
        let modulo = remainders.iter().map(|(factor, floor)| (BigInt::from(*factor), self.remainder(floor)));
        let terms = rest.terms.iter().map(|(atom, c)| (BigInt::from(*c), self.atom(atom)));
        self.total(modulo.chain(terms), BigInt::from(rest.constant))
    }

    fn remainder(&self, floor: &Floor) -> String {
        let argument = self.linear(&floor.argument);
        let argument = if is_single(&floor.argument) { argument } else { format!("({argument})") };
        match self.notation {
            Notation::Latex => format!("({argument} \\bmod {})", floor.modulus),
            Notation::Plain | Notation::Python => format!("({argument} % {})", floor.modulus),
        }
    }

    fn times(&self) -> &'static str {
        if self.notation == Notation::Latex { " " } else { "*" }
    }

    /// `2*a-b+3`; positive terms first where that avoids a leading minus.
    fn total(&self, terms: impl Iterator<Item = (BigInt, String)>, constant: BigInt) -> String {
        let mut terms: Vec<(BigInt, String)> = terms.collect();
        terms.sort_by_key(|(coefficient, _)| coefficient.is_negative());
        let mut text = String::new();
        let leads = terms.first().is_some_and(|(first, _)| first.is_negative()) && constant.is_positive();
        if leads || (terms.is_empty()) {
            text = constant.to_string();
        }
        for (coefficient, factor) in &terms {
            let sign = if coefficient.is_negative() {
                "-"
            } else if text.is_empty() {
                ""
            } else {
                "+"
            };
            let magnitude = coefficient.abs();
            let number = if magnitude.is_one() { String::new() } else { format!("{magnitude}{}", self.times()) };
            let _ = write!(text, "{sign}{number}{factor}");
        }
        if !leads && !terms.is_empty() && !constant.is_zero() {
            let _ = write!(text, "{}{constant}", if constant.is_positive() { "+" } else { "" });
        }
        text
    }

    fn polynomial(&self, polynomial: &Polynomial) -> String {
        let factored = Factored::new(polynomial);
        if self.decimals && factored.denominator > BigInt::from(READABLE) {
            return self.rounded(polynomial);
        }
        let is_sum = factored.rest.terms.len() > 1;
        let mut factors: Vec<String> =
            factored.common.iter().map(|(atom, e)| self.power(self.atom(atom), *e)).collect();
        for (linear, exponent) in &factored.linears {
            factors.push(self.power(format!("({})", self.linear(linear)), *exponent));
        }
        if let Some(alone) = self.alone(&factored) {
            return alone;
        }
        let rest = self.integral(&factored.rest);
        let is_alone = factors.is_empty() && factored.numerator.is_one();
        if rest != "1" {
            let bare = !is_sum || (is_alone && (factored.denominator.is_one() || self.notation == Notation::Latex));
            factors.push(if bare { rest } else { format!("({rest})") });
        }
        let mut text = factors.join(self.times());
        if text.is_empty() {
            text = factored.numerator.to_string();
        } else if factored.numerator == BigInt::from(-1) {
            text.insert(0, '-');
        } else if !factored.numerator.is_one() {
            text = format!("{}{}{text}", factored.numerator, self.times());
        }
        self.quotient(text, &factored.denominator)
    }

    /// A sum with rounded coefficients, highest degree first.
    fn rounded(&self, polynomial: &Polynomial) -> String {
        let mut terms: Vec<(&Monomial, f64)> =
            polynomial.terms.iter().map(|(monomial, c)| (monomial, c.to_big().to_f64().unwrap_or(f64::MAX))).collect();
        terms.sort_by_key(|(monomial, _)| std::cmp::Reverse(monomial.iter().map(|(_, e)| *e).sum::<u32>()));
        let mut text = String::new();
        for (monomial, coefficient) in terms {
            let sign = match (coefficient < 0.0, text.is_empty()) {
                (true, _) => "-",
                (false, true) => "",
                (false, false) => "+",
            };
            let number = significant(coefficient.abs());
            let powers: Vec<String> = monomial.iter().map(|(atom, e)| self.power(self.atom(atom), *e)).collect();
            let factors = [vec![number.clone()], powers].concat();
            let bare = number == "1" && !monomial.is_empty();
            let _ = write!(text, "{sign}{}", factors[usize::from(bare)..].join(self.times()));
        }
        text
    }

    /// One linear factor and nothing else needs no parentheses.
    fn alone(&self, factored: &Factored) -> Option<String> {
        let [(linear, 1)] = &factored.linears[..] else { return None };
        let rest = factored.rest.as_number().is_some_and(|rest| rest == Rational::ONE);
        let bare = rest && factored.common.is_empty() && factored.numerator.is_one() && factored.denominator.is_one();
        bare.then(|| self.linear(linear))
    }

    fn quotient(&self, text: String, denominator: &BigInt) -> String {
        match self.notation {
            _ if denominator.is_one() => text,
            Notation::Plain => format!("{text}/{denominator}"),
            Notation::Latex => format!("\\frac{{{text}}}{{{denominator}}}"),
            Notation::Python => format!("({text})//{denominator}"),
        }
    }

    fn power(&self, base: String, exponent: u32) -> String {
        match (exponent, self.notation) {
            (1, _) => base,
            (_, Notation::Plain) => format!("{base}^{exponent}"),
            (_, Notation::Latex) => format!("{base}^{{{exponent}}}"),
            (_, Notation::Python) => format!("{base}**{exponent}"),
        }
    }

    /// A polynomial with integer coefficients, highest degree first.
    fn integral(&self, polynomial: &Polynomial) -> String {
        if let Some(linear) = as_linear(polynomial) {
            return self.linear(&linear);
        }
        let mut terms: Vec<(&Monomial, BigInt)> =
            polynomial.terms.iter().map(|(monomial, c)| (monomial, c.to_big().to_integer())).collect();
        terms.sort_by_key(|(monomial, _)| std::cmp::Reverse(monomial.iter().map(|(_, e)| *e).sum::<u32>()));
        let constant = terms.iter().find(|(monomial, _)| monomial.is_empty()).map_or(BigInt::zero(), |t| t.1.clone());
        let proper = terms.into_iter().filter(|(monomial, _)| !monomial.is_empty()).map(|(monomial, c)| {
            let powers = monomial.iter().map(|(atom, e)| self.power(self.atom(atom), *e));
            (c, powers.collect::<Vec<_>>().join(self.times()))
        });
        self.total(proper, constant)
    }

    fn condition(&self, domain: &Conjunction) -> String {
        let (equal, least, and) = match self.notation {
            Notation::Plain => (" = ", " >= ", " and "),
            Notation::Latex => (" = ", " \\ge ", ",\\ "),
            Notation::Python => (" == ", " >= ", " and "),
        };
        let congruent = domain.congruent.iter().map(|(linear, m)| self.congruence(linear, *m, equal));
        let zero = domain.zero.iter().map(|linear| self.relation(linear, equal));
        let nonnegative = self.inequalities(&domain.nonnegative, least);
        let all: Vec<String> = zero.chain(nonnegative).chain(congruent).collect();
        match (all.is_empty(), self.notation) {
            (false, _) => all.join(and),
            (true, Notation::Python) => "True".to_owned(),
            (true, _) => "always".to_owned(),
        }
    }

    /// Two that bound the same expression from both sides are written as one.
    fn inequalities(&self, all: &[Linear], least: &str) -> Vec<String> {
        let mut done = vec![false; all.len()];
        let mut texts = Vec::new();
        for (i, lower) in all.iter().enumerate() {
            if done[i] {
                continue;
            }
            let opposite = (i + 1..all.len()).find(|&j| !done[j] && are_opposite(lower, &all[j]));
            let Some(j) = opposite else {
                texts.push(self.relation(lower, least));
                continue;
            };
            done[j] = true;
            let leads = lower.terms.first().is_some_and(|term| term.1 > 0);
            let (low, high) = if leads { (lower, &all[j]) } else { (&all[j], lower) };
            let most = least.replace(">=", "<=").replace("\\ge", "\\le");
            let middle = self.linear(&Linear { terms: low.terms.clone(), constant: 0 });
            let start = low.constant.checked_neg().unwrap_or(i128::MAX);
            texts.push(format!("{start}{most}{middle}{most}{}", high.constant));
        }
        texts
    }

    /// What is positive on the left, what is negative on the right.
    fn relation(&self, linear: &Linear, relation: &str) -> String {
        let side = |sign: i128| linear.terms.iter().filter(move |t| t.1.signum() == sign).cloned().collect::<Vec<_>>();
        let (left, right) = (Linear { terms: side(1), constant: 0 }, side(-1));
        let right = Linear { terms: right.into_iter().map(|(atom, c)| (atom, -c)).collect(), constant: 0 };
        let constant = linear.constant;
        if left.terms.is_empty() {
            let relation = if relation.contains('=') && relation.trim() == "=" || relation.trim() == "==" {
                relation.to_owned()
            } else {
                relation.replace(">=", "<=").replace("\\ge", "\\le")
            };
            return format!("{}{relation}{constant}", self.linear(&right));
        }
        if constant > 0 && !right.terms.is_empty() {
            return format!("{}{relation}{}", self.linear(&Linear { constant, ..left }), self.linear(&right));
        }
        let constant = constant.checked_neg().unwrap_or(i128::MAX);
        format!("{}{relation}{}", self.linear(&left), self.linear(&Linear { constant, ..right }))
    }

    fn congruence(&self, linear: &Linear, modulus: i128, equal: &str) -> String {
        let variable = Linear { constant: 0, ..linear.clone() };
        let text = self.linear(&variable);
        let remainder = (-linear.constant).rem_euclid(modulus);
        match self.notation {
            Notation::Latex => format!("{text} \\equiv {remainder} \\pmod{{{modulus}}}"),
            _ if is_single(&variable) => format!("{text} % {modulus}{equal}{remainder}"),
            _ => format!("({text}) % {modulus}{equal}{remainder}"),
        }
    }
}

/// A number that is not negative, with four significant digits.
fn significant(x: f64) -> String {
    if x == 0.0 || !(1e-4..1e15).contains(&x) {
        return if x == 0.0 { "0".to_owned() } else { format!("{x:.3e}") };
    }
    let digits = (3 - x.log10().floor() as i32).max(0) as usize;
    let text = format!("{x:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// `a - m*floor(a/m)` is the remainder of `a`: the remainders in an expression with their factors, and the rest.
fn remainders(linear: &Linear) -> (Vec<(i128, Arc<Floor>)>, Linear) {
    let mut found = Vec::new();
    let mut rest = linear.clone();
    for (atom, coefficient) in &linear.terms {
        let Atom::Floor(floor) = atom else { continue };
        let factor = -coefficient / floor.modulus;
        if coefficient % floor.modulus != 0 {
            continue;
        }
        let without = rest.without(atom).add_scaled(&floor.argument, -factor);
        if let Ok(shorter) = without
            && shorter.terms.len() + floor.argument.terms.len() < rest.terms.len()
        {
            found.push((factor, floor.clone()));
            rest = shorter;
        }
    }
    (found, rest)
}

/// A polynomial of the first degree with integer coefficients.
fn as_linear(polynomial: &Polynomial) -> Option<Linear> {
    let mut linear = Linear::default();
    for (monomial, coefficient) in &polynomial.terms {
        let value = coefficient.to_big().to_integer().to_i128()?;
        match monomial.as_slice() {
            [] => linear.constant = value,
            [(atom, 1)] => linear.terms.push((atom.clone(), value)),
            _ => return None,
        }
    }
    linear.terms.sort();
    Some(linear)
}

fn are_opposite(a: &Linear, b: &Linear) -> bool {
    a.terms.len() == b.terms.len() && a.terms.iter().zip(&b.terms).all(|(x, y)| x.0 == y.0 && x.1 == -y.1)
}

fn is_single(linear: &Linear) -> bool {
    match linear.terms.as_slice() {
        [(_, coefficient)] => *coefficient == 1 && linear.constant == 0,
        _ => false,
    }
}

/// `numerator/denominator * common * linears * rest`; the rest has coprime integer coefficients.
struct Factored {
    numerator: BigInt,
    denominator: BigInt,
    common: Monomial,
    linears: Vec<(Linear, u32)>,
    rest: Polynomial,
}

impl Factored {
    fn new(polynomial: &Polynomial) -> Self {
        let denominator = polynomial.terms.values().fold(BigInt::one(), |l, c| l.lcm(&c.denominator()));
        let scaled = polynomial.scale(&BigRational::from(denominator.clone()));
        let numerator = scaled.terms.values().fold(BigInt::zero(), |g, c| g.gcd(&c.to_big().to_integer()));
        let numerator = if numerator.is_zero() { BigInt::one() } else { numerator };
        let common = common_monomial(&scaled);
        let rest = divided(&scaled, &common).scale(&BigRational::new(BigInt::one(), numerator.clone()));
        let mut result = Self { numerator, denominator, common, linears: Vec::new(), rest };
        result.extract_linears();
        let leading = result.rest.as_number().filter(|c| c.is_negative());
        if leading.is_some() {
            result.numerator = -result.numerator;
            result.rest = result.rest.scaled(&Rational::integer(-1));
        }
        result.reduce();
        result
    }

    fn reduce(&mut self) {
        let g = self.numerator.gcd(&self.denominator);
        self.numerator = &self.numerator / &g;
        self.denominator = &self.denominator / &g;
    }

    /// Divides by `a*x + c` for small `a` and `c` as long as the rest stays a polynomial in one atom.
    fn extract_linears(&mut self) {
        let mut atoms: Vec<Atom> = self.rest.atoms().cloned().collect();
        atoms.sort();
        atoms.dedup();
        for atom in &atoms {
            while let Some((linear, quotient)) = linear_factor(&self.rest, atom) {
                self.rest = quotient;
                match self.linears.iter_mut().find(|(own, _)| *own == linear) {
                    Some((_, exponent)) => *exponent += 1,
                    None => self.linears.push((linear, 1)),
                }
            }
        }
    }
}

fn common_monomial(polynomial: &Polynomial) -> Monomial {
    let mut monomials = polynomial.terms.keys();
    let mut common = monomials.next().cloned().unwrap_or_default();
    for monomial in monomials {
        for (atom, exponent) in &mut common {
            let own = monomial.iter().find(|(other, _)| other == atom).map_or(0, |(_, e)| *e);
            *exponent = own.min(*exponent);
        }
    }
    common.retain(|(_, exponent)| *exponent > 0);
    common
}

fn divided(polynomial: &Polynomial, by: &Monomial) -> Polynomial {
    let quotient = |monomial: &Monomial| {
        let left = monomial.iter().map(|(atom, e)| {
            (atom.clone(), e - by.iter().find(|(other, _)| other == atom).map_or(0, |(_, common)| *common))
        });
        left.filter(|(_, e)| *e > 0).collect()
    };
    Polynomial { terms: polynomial.terms.iter().map(|(monomial, c)| (quotient(monomial), c.clone())).collect() }
}

const LARGEST_ROOT: i128 = 8;

/// A factor `a*x + c` of the polynomial, and the quotient.
fn linear_factor(polynomial: &Polynomial, atom: &Atom) -> Option<(Linear, Polynomial)> {
    let degree = |monomial: &Monomial| monomial.iter().find(|(own, _)| own == atom).map_or(0, |(_, e)| *e);
    let top = polynomial.terms.keys().map(degree).max().filter(|top| *top > 0)?;
    if polynomial.terms.len() == 1 {
        return None;
    }
    let candidates = (1..=3).flat_map(|a| (1..=LARGEST_ROOT).flat_map(move |c| [(a, -c), (a, c)]));
    candidates.filter(|(a, c)| gcd(*a, *c) == 1).find_map(|(a, c)| {
        let quotient = divide(polynomial, atom, top, a, c)?;
        Some((Linear { terms: vec![(atom.clone(), a)], constant: c }, quotient))
    })
}

/// Exact division by `a*x + c` with integer coefficients in the quotient.
fn divide(polynomial: &Polynomial, atom: &Atom, top: u32, a: i128, c: i128) -> Option<Polynomial> {
    let mut parts = vec![Polynomial::default(); top as usize + 1];
    for (monomial, value) in &polynomial.terms {
        let degree = monomial.iter().find(|(own, _)| own == atom).map_or(0, |(_, e)| *e);
        let rest = monomial.iter().filter(|(own, _)| own != atom).cloned().collect();
        parts[degree as usize].terms.insert(rest, value.clone());
    }
    let lead = Rational::Small { numerator: 1, denominator: a };
    let mut quotient = Polynomial::default();
    let mut carry = Polynomial::default();
    for k in (0..top as usize).rev() {
        let mut part = parts[k + 1].clone();
        part.add_scaled(&carry, &Rational::integer(-c));
        carry = part.scaled(&lead);
        if carry.terms.values().any(|value| !value.denominator().is_one()) {
            return None;
        }
        let power = if k == 0 { Vec::new() } else { vec![(atom.clone(), k as u32)] };
        quotient = quotient.plus(&carry.multiply(&Polynomial { terms: [(power, Rational::ONE)].into() }));
    }
    let mut remainder = parts[0].clone();
    remainder.add_scaled(&carry, &Rational::integer(-c));
    remainder.is_zero().then_some(quotient)
}
