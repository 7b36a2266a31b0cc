//! Times as text: coefficients carry units and are rounded to four significant digits where people
//! read them.

use chronos_math::quasi::{Notation, Piece, QuasiPolynomial, Symbol};
use chronos_symbolic::Atoms;
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive};
use std::cmp::Reverse;

/// One text for each piece: first those that hold for `values` of the symbols.
pub fn plain(value: &QuasiPolynomial, atoms: &Atoms, values: Option<&[BigRational]>) -> Vec<String> {
    let pieces = value.pieces(Notation::Plain, &|symbol: Symbol| atoms.text(symbol));
    let at = |symbol: Symbol| {
        values.and_then(|values| values.get(symbol.0 as usize)).map(BigRational::to_integer).unwrap_or_default()
    };
    let holding = value.holding(&at).into_iter().map(|holds| holds && values.is_some());
    let mut pieces: Vec<(bool, Piece)> = holding.zip(pieces).collect();
    pieces.sort_by_key(|(holds, _)| Reverse(*holds));
    let text = |(_, piece): &(bool, Piece)| match &piece.condition {
        Some(condition) => format!("{}  for {condition}", sum(piece, &plain_term)),
        None => sum(piece, &plain_term),
    };
    if pieces.is_empty() { vec!["0 ns".to_owned()] } else { pieces.iter().map(text).collect() }
}

/// The text of what holds at `values`, with its conditions; `None` on overflow.
pub fn around(value: &QuasiPolynomial, atoms: &Atoms, values: &[BigRational]) -> Option<String> {
    let at = |symbol: Symbol| values.get(symbol.0 as usize).map(BigRational::to_integer).unwrap_or_default();
    plain(&value.around(&at).ok()?, atoms, None).pop()
}

pub fn latex(value: &QuasiPolynomial, atoms: &Atoms) -> String {
    let pieces = value.pieces(Notation::Latex, &|symbol: Symbol| atoms.latex(symbol));
    let case = |piece: &Piece| {
        let condition = piece.condition.as_deref().unwrap_or("\\text{always}");
        format!("{} & {condition} \\\\ ", sum(piece, &latex_term))
    };
    let cases = |pieces: &[Piece]| {
        let all: String = pieces.iter().map(case).collect();
        let rest = if value.covers_everything() && pieces.len() > 1 { "" } else { "0 & \\text{otherwise}" };
        format!("\\begin{{cases}}{all}{rest}\\end{{cases}}")
    };
    match pieces.as_slice() {
        [] => "0\\,\\mathrm{ns}".to_owned(),
        [piece] if piece.condition.is_none() => sum(piece, &latex_term),
        _ if value.is_disjoint() => cases(&pieces),
        _ => pieces.iter().map(|piece| cases(std::slice::from_ref(piece))).collect::<Vec<_>>().join(" + "),
    }
}

/// Nanoseconds, with all digits.
pub fn python(value: &QuasiPolynomial, atoms: &Atoms) -> String {
    let pieces = value.pieces(Notation::Python, &|symbol: Symbol| atoms.python(symbol));
    let text = |piece: &Piece| match &piece.condition {
        Some(condition) => format!("({} if {condition} else 0.0)", sum(piece, &python_term)),
        None => sum(piece, &python_term),
    };
    let pieces: Vec<String> = pieces.iter().map(text).collect();
    if pieces.is_empty() { "0.0".to_owned() } else { pieces.join(" + ") }
}

/// What the expressions use besides the parameters.
const PYTHON_HELPERS: [(&str, &str); 3] = [
    ("math.", "import math\n"),
    (
        "floor_log(",
        "def floor_log(base, x):\n    k, power = -1, 1\n    while power <= x:\n        k, power = k + 1, power * base\n    return k\n",
    ),
    (
        "ceil_log(",
        "def ceil_log(base, x):\n    k, power = 0, 1\n    while power < x:\n        k, power = k + 1, power * base\n    return k\n",
    ),
];

/// Definitions that the Python text of the atoms needs.
pub fn python_prelude(atoms: &Atoms) -> Option<String> {
    let needed = |name: &str| atoms.atoms.iter().any(|atom| atom.python.contains(name));
    let text: String = PYTHON_HELPERS.iter().filter(|(name, _)| needed(name)).map(|(_, text)| *text).collect();
    (!text.is_empty()).then_some(text)
}

fn sum(piece: &Piece, term: &dyn Fn(f64, &str) -> String) -> String {
    let signed = |coefficient: &BigRational| (coefficient.is_negative(), number(coefficient).abs());
    signed_sum(piece.terms.iter().map(|(coefficient, factors)| (signed(coefficient), factors.clone())), term)
}

/// Terms with their signs between them, each with whether it is negative; `term` writes a positive one.
pub(super) fn signed_sum(
    terms: impl Iterator<Item = ((bool, f64), String)>,
    term: &dyn Fn(f64, &str) -> String,
) -> String {
    let mut text = String::new();
    for ((is_negative, size), factors) in terms {
        text.push_str(match (text.is_empty(), is_negative) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        });
        text.push_str(&term(size, &factors));
    }
    text
}

/// Nearest to the exact coefficient.
fn number(coefficient: &BigRational) -> f64 {
    coefficient.to_f64().unwrap_or(f64::MAX)
}

pub(super) fn plain_term(ns: f64, factors: &str) -> String {
    let (value, unit) = scaled(ns);
    if factors.is_empty() { format!("{value} {unit}") } else { format!("{value} {unit} * {factors}") }
}

pub(super) fn latex_term(ns: f64, factors: &str) -> String {
    let (value, unit) = scaled(ns);
    let unit = if unit == "us" { "\\mu s" } else { unit };
    if factors.is_empty() {
        format!("{value}\\,\\mathrm{{{unit}}}")
    } else {
        format!("{value}\\,\\mathrm{{{unit}}}\\cdot {factors}")
    }
}

pub(super) fn python_term(ns: f64, factors: &str) -> String {
    if factors.is_empty() { format!("{ns:?}") } else { format!("{ns:?}*{factors}") }
}

/// Four significant digits, and the unit that suits them.
fn scaled(ns: f64) -> (String, &'static str) {
    match ns {
        ns if ns < 999.95 => (significant(ns), "ns"),
        ns if ns < 999.95e3 => (significant(ns / 1e3), "us"),
        ns if ns < 999.95e6 => (significant(ns / 1e6), "ms"),
        ns => (significant(ns / 1e9), "s"),
    }
}

fn significant(value: f64) -> String {
    let digits: i32 = match value {
        x if x >= 1000.0 => 0,
        x if x >= 100.0 => 1,
        x if x >= 10.0 => 2,
        x if x >= 1.0 => 3,
        x if x >= 1e-6 => (3..10).find(|&digits| x * 10f64.powi(digits) >= 999.95).unwrap_or(10),
        _ => return format!("{value:.3e}"),
    };
    let text = format!("{value:.*}", usize::try_from(digits).unwrap_or(0));
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronos_ir::ParameterId;
    use chronos_math::quasi::{Affine, Constraint, Domain, Limits, Polynomial, count};
    use chronos_symbolic::{Atom, Definition};
    use num_bigint::BigInt;

    fn atoms() -> Atoms {
        let atom = Atom {
            text: "N".into(),
            latex: "N".into(),
            python: "N".into(),
            definition: Definition::Parameter(ParameterId(0)),
        };
        Atoms { atoms: vec![atom] }
    }

    fn constant(ns: f64) -> QuasiPolynomial {
        QuasiPolynomial::from(Polynomial::constant(BigRational::from_float(ns).expect("finite")))
    }

    /// `12.5 N - 1234567` from 1 on.
    fn piecewise() -> QuasiPolynomial {
        let i = Affine::symbol(Symbol(1));
        let below = Affine::symbol(Symbol(0)).sub(&i).and_then(|a| a.add(&Affine::constant(-1)));
        let pieces = vec![vec![Constraint::Nonnegative(i), Constraint::Nonnegative(below.expect("small"))]];
        let domain = Domain { symbols: vec![Symbol(1)], pieces };
        let n = count(&domain, &Limits::default()).expect("counted");
        let factor = |ns: f64| BigRational::from_float(ns).expect("finite");
        let one = n.multiply(&n).expect("small").scale_exactly(&factor(0.5));
        n.scale_exactly(&factor(12.5))
            .add(&one)
            .add(&constant(-1_234_567.0))
            .simplified(&Limits::default())
            .expect("small")
    }

    #[test]
    fn people_read_four_digits_and_units() {
        let plain = |value: &QuasiPolynomial| plain(value, &atoms(), None).join("; ");
        assert_eq!(plain(&QuasiPolynomial::zero()), "0 ns");
        assert_eq!(plain(&constant(0.000_123_456_7)), "0.0001235 ns");
        assert_eq!(plain(&constant(12_345.678)), "12.35 us");
        assert_eq!(plain(&constant(5e9)), "5 s");
        assert_eq!(plain(&piecewise()), "0.5 ns * N^2 + 12.5 ns * N - 1.235 ms  for N >= 1; -1.235 ms  for N <= 0");
    }

    #[test]
    fn around_a_point_there_is_one_polynomial() {
        // The first not from 6 on, the second from 3 on, the third for even numbers only.
        let n = || Affine::symbol(Symbol(0));
        let up_to = |affine: Affine, by: i128| {
            let shifted = affine.add(&Affine::constant(by)).expect("small");
            let domain = Domain { symbols: Vec::new(), pieces: vec![vec![Constraint::Nonnegative(shifted)]] };
            count(&domain, &Limits::default()).expect("counted")
        };
        let even = Constraint::Congruent { affine: n(), modulus: 2, remainder: 0 };
        let even = Domain { symbols: Vec::new(), pieces: vec![vec![even]] };
        let even = count(&even, &Limits::default()).expect("counted");
        let value = up_to(n().scale(-1).expect("small"), 5).add(&up_to(n(), -3)).add(&even);
        let at = |n: i64| around(&value, &atoms(), &[BigRational::from(BigInt::from(n))]).expect("small");
        assert_eq!(at(1), "1 ns  for N <= 2 and N % 2 = 1");
        assert_eq!(at(4), "3 ns  for 3 <= N <= 5 and N % 2 = 0");
        assert_eq!(at(9), "1 ns  for N >= 6 and N % 2 = 1");
        assert_eq!(
            around(&QuasiPolynomial::zero(), &atoms(), &[BigRational::from(BigInt::from(1))]).as_deref(),
            Some("0 ns")
        );
    }

    #[test]
    fn helpers_of_python_are_given_where_they_are_used() {
        let mut atoms = atoms();
        assert_eq!(python_prelude(&atoms), None);
        atoms.atoms[0].python = "floor_log(2, N)".into();
        assert!(python_prelude(&atoms).is_some_and(|text| text.starts_with("def floor_log(base, x):")));
    }

    #[test]
    fn programs_read_all_digits() {
        let expected = "(0.5*N**2 + 12.5*N - 1234567.0 if N >= 1 else 0.0) + (-1234567.0 if N <= 0 else 0.0)";
        assert_eq!(python(&piecewise(), &atoms()), expected);
        assert_eq!(
            latex(&piecewise(), &atoms()),
            "\\begin{cases}0.5\\,\\mathrm{ns}\\cdot N^{2} + 12.5\\,\\mathrm{ns}\\cdot N - 1.235\\,\\mathrm{ms} & N \\ge 1 \\\\ \
             -1.235\\,\\mathrm{ms} & N \\le 0 \\\\ \\end{cases}"
        );
        assert_eq!(python(&constant(0.1), &atoms()), "0.1");
    }
}
