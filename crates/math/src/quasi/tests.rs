use super::*;
use num_bigint::BigInt;

fn nests() -> Vec<Vec<&'static str>> {
    let text = include_str!("../../../../testdata/counting/nests.tsv");
    text.lines().skip(1).map(|line| line.split('\t').collect()).collect()
}

fn check_points(row: &[&str]) -> Vec<String> {
    let result = match count_isl_text(row[1], &Limits::default()) {
        Ok(result) => result,
        Err(error) => return vec![format!("{}: {error}", row[0])],
    };
    let mut wrong = Vec::new();
    for point in &row[3..] {
        let (parameters, expected) = point.split_once('=').expect("a point has an equals sign");
        let values: Vec<BigInt> = parameters.split(',').map(|n| n.parse().expect("a number")).collect();
        let actual = result.evaluate(&|symbol| values[symbol.0 as usize].clone());
        if actual.to_string() != expected {
            wrong.push(format!("{} at {parameters}: {actual}, not {expected}", row[0]));
        }
    }
    wrong
}

#[test]
fn counts_every_nest_at_every_point() {
    let wrong: Vec<String> = nests().iter().flat_map(|row| check_points(row)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn show(text: &str) -> String {
    let names: Vec<String> =
        text.split(['[', ']']).nth(1).unwrap_or_default().split(',').map(|name| name.trim().to_owned()).collect();
    let result = count_isl_text(text, &Limits::default()).expect("within the limits");
    result.display(&|symbol| names[symbol.0 as usize].clone())
}

#[test]
fn writes_what_a_person_would_write() {
    insta::assert_snapshot!(show("[N]->{[i,j]:0<=i<N and 0<=j<i}"), @"N*(N-1)/2 if N >= 2, else 0");
    insta::assert_snapshot!(show("[N]->{[t]:0<=4*t<N}"), @"floor((N+3)/4) if N >= 1, else 0");
    insta::assert_snapshot!(show("[N]->{[i,j]:0<=i<N and 0<=j<N and i!=j}"), @"N*(N-1) if N >= 2, else 0");
    insta::assert_snapshot!(show("{[i,j]:0<=i<1000 and 0<=j<i}"), @"499500");
}

#[test]
fn writes_latex_and_python() {
    let triangle = count_isl_text("[N]->{[i,j]:0<=i<N and 0<=j<i}", &Limits::default()).unwrap();
    let name = |_: Symbol| "N".to_owned();
    insta::assert_snapshot!(triangle.to_python(&name), @"((N*(N-1))//2 if N >= 2 else 0)");
    let latex = r"\begin{cases}\frac{N (N-1)}{2} & N \ge 2 \\ 0 & \text{otherwise}\end{cases}";
    assert_eq!(triangle.to_latex(&name), latex);
}

#[test]
fn refuses_beyond_the_limits() {
    let tight = Limits { steps: 10, ..Limits::default() };
    let stress = "[N]->{[i,j,k]:0<=i and 0<=j and 0<=k and 11*i+13*j+17*k<=N}";
    assert_eq!(count_isl_text(stress, &tight), Err(QuasiError::Steps(10)));
    let few = Limits { isl_operations: 10, ..Limits::default() };
    let halo = nests().into_iter().find(|row| row[0] == "2D halo corners").unwrap();
    assert_eq!(count_isl_text(halo[1], &few), Err(QuasiError::IslOperations(10)));
    let endless = count_isl_text("{[i]:i>=0}", &Limits::default());
    assert_eq!(endless, Err(QuasiError::Unbounded(Symbol(0))));
    assert!(matches!(count_isl_text("{[i]:", &Limits::default()), Err(QuasiError::Parse(_))));
}

mod properties {
    use super::*;
    use proptest::prelude::*;

    const BOX: i128 = 5;

    fn affine(dimensions: u32) -> impl Strategy<Value = Affine> {
        (prop::collection::vec(-3i128..=3, dimensions as usize + 1), -6i128..=6).prop_map(|(coefficients, constant)| {
            let terms = (0..).map(Symbol).zip(coefficients).filter(|term| term.1 != 0).collect();
            Affine { constant, terms }
        })
    }

    fn constraint(dimensions: u32) -> impl Strategy<Value = Constraint> {
        prop_oneof![
            6 => affine(dimensions).prop_map(Constraint::Nonnegative),
            1 => affine(dimensions).prop_map(Constraint::Zero),
            2 => (affine(dimensions), 1i128..=4, 0i128..=3).prop_map(|(affine, modulus, remainder)| {
                Constraint::Congruent { affine, modulus, remainder }
            }),
        ]
    }

    /// Symbols 0.. are counted, within a box; the symbol after them is the parameter. A quotient of all of
    /// them bounds the first one in some pieces.
    fn piece(dimensions: u32) -> impl Strategy<Value = Vec<Constraint>> {
        let quotient = prop::option::of((affine(dimensions), 1i128..=4));
        (prop::collection::vec(constraint(dimensions), 0..4), quotient).prop_map(move |(mut all, quotient)| {
            for symbol in (0..dimensions).map(Symbol) {
                all.push(Constraint::Nonnegative(Affine::symbol(symbol)));
                all.push(Constraint::Nonnegative(Affine { constant: BOX, terms: vec![(symbol, -1)] }));
            }
            if let Some((affine, modulus)) = quotient {
                let symbol = Symbol(dimensions + 1);
                all.push(Constraint::Quotient { symbol, affine, modulus });
                all.push(Constraint::Nonnegative(Affine { constant: 2, terms: vec![(Symbol(0), -1), (symbol, 1)] }));
            }
            all
        })
    }

    fn domain() -> impl Strategy<Value = Domain> {
        (2u32..=4).prop_flat_map(|dimensions| {
            prop::collection::vec(piece(dimensions), 1..=2)
                .prop_map(move |pieces| Domain { symbols: (0..dimensions).map(Symbol).collect(), pieces })
        })
    }

    fn value(affine: &Affine, values: &[i128]) -> i128 {
        affine.terms.iter().fold(affine.constant, |sum, (symbol, c)| sum + c * values[symbol.0 as usize])
    }

    fn holds(piece: &[Constraint], values: &[i128]) -> bool {
        let mut values = values.to_vec();
        for constraint in piece {
            if let Constraint::Quotient { affine, modulus, .. } = constraint {
                values.push(value(affine, &values).div_euclid(*modulus));
            }
        }
        piece.iter().all(|constraint| match constraint {
            Constraint::Nonnegative(affine) => value(affine, &values) >= 0,
            Constraint::Zero(affine) => value(affine, &values) == 0,
            Constraint::Congruent { affine, modulus, remainder } => (value(affine, &values) - remainder) % modulus == 0,
            Constraint::Quotient { .. } => true,
        })
    }

    /// The points, and the sum of the first coordinate times the parameter.
    fn enumerate(domain: &Domain, parameter: i128) -> (i128, i128) {
        let side = BOX + 1;
        let dimensions = domain.symbols.len() as u32;
        let (mut points, mut weighted) = (0, 0);
        for code in 0..side.pow(dimensions) {
            let mut values: Vec<i128> = (0..dimensions).map(|k| code / side.pow(k) % side).collect();
            values.push(parameter);
            if domain.pieces.iter().any(|piece| holds(piece, &values)) {
                points += 1;
                weighted += values[0] * parameter;
            }
        }
        (points, weighted)
    }

    fn fixed(domain: &Domain, parameter: i128) -> Domain {
        let symbol = Symbol(domain.symbols.len() as u32);
        let equality = Constraint::Zero(Affine { constant: -parameter, terms: vec![(symbol, 1)] });
        let mut result = domain.clone();
        result.symbols.push(symbol);
        result.pieces.iter_mut().for_each(|piece| piece.push(equality.clone()));
        result
    }

    /// Reaching a limit is an answer too; any other error is a fault.
    fn within(result: Result<QuasiPolynomial, QuasiError>) -> Option<QuasiPolynomial> {
        match result {
            Ok(value) => Some(value),
            Err(QuasiError::Steps(_) | QuasiError::IslOperations(_)) => None,
            Err(error) => panic!("{error}"),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        #[test]
        fn agrees_with_enumeration(domain in domain(), parameter in -7i128..=7) {
            let limits = Limits { steps: 1500, ..Limits::default() };
            let (points, weighted) = enumerate(&domain, parameter);
            let symbol = Symbol(domain.symbols.len() as u32);
            let at = |_: Symbol| BigInt::from(parameter);
            if let Some(symbolic) = within(count(&domain, &limits)) {
                prop_assert_eq!(symbolic.evaluate(&at), BigInt::from(points), "{}", symbolic.display(&|s| format!("s{}", s.0)));
            }
            if let Some(numeric) = within(count(&fixed(&domain, parameter), &limits)) {
                prop_assert_eq!(numeric.constant(), Some(BigInt::from(points)));
            }
            let weight = Polynomial::affine(&Affine::symbol(Symbol(0))).unwrap();
            let weight = weight.multiply(&Polynomial::affine(&Affine::symbol(symbol)).unwrap());
            if let Some(total) = within(sum(&domain, &weight, &limits)) {
                prop_assert_eq!(total.evaluate(&at), BigInt::from(weighted));
            }
        }
    }
}
