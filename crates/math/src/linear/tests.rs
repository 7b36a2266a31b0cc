use super::*;

type Form = LinearForm<char, i64>;

/// `2a - b + 3` as it is written.
fn form(constant: i64, terms: &[(char, i64)]) -> Form {
    terms.iter().fold(Form::constant(constant), |sum, &(symbol, factor)| {
        sum.add_scaled(&Form::symbol(symbol), factor).expect("small numbers")
    })
}

#[test]
fn terms_stay_sorted_and_cancel() {
    let sum = form(1, &[('b', 2), ('a', 1)]).add(&form(2, &[('c', 5), ('b', -2)])).expect("small");
    assert_eq!(sum, Form { constant: 3, terms: vec![('a', 1), ('c', 5)] });
    assert_eq!(sum.sub(&sum).expect("small"), Form::default());
    assert_eq!(sum.substitute('c', &form(1, &[('a', 1)])).expect("small"), form(8, &[('a', 6)]));
}

#[test]
fn overflow_of_a_coefficient_or_of_the_constant_is_no_form() {
    let large = form(i64::MAX, &[('a', i64::MAX)]);
    assert_eq!(large.add(&Form::symbol('a')), None);
    assert_eq!(large.plus(1), None);
    assert_eq!(large.scale(2), None);
    // The least number would have no negative.
    assert_eq!(large.negate().expect("in range").plus(-1), None);
}

#[test]
fn division_is_exact_or_none() {
    assert_eq!(form(4, &[('a', -6)]).divided(2), Some(form(2, &[('a', -3)])));
    assert_eq!(form(4, &[('a', 3)]).divided(2), None);
    assert_eq!(form(4, &[]).divided(0), None);
}

#[test]
fn values_of_all_symbols_are_needed() {
    let sum = form(1, &[('a', 2), ('b', 3)]);
    assert_eq!(sum.evaluate(|&symbol| Some(if symbol == 'a' { 10 } else { 100 })), Some(321));
    assert_eq!(sum.evaluate(|&symbol| (symbol == 'a').then_some(10)), None);
    assert_eq!(sum.evaluate(|_| Some(i64::MAX)), None);
}

#[test]
fn a_symbol_alone_is_one() {
    assert_eq!(Form::symbol('a').as_symbol(), Some(&'a'));
    assert_eq!(form(1, &[('a', 1)]).as_symbol(), None);
    assert_eq!(form(0, &[('a', 2)]).as_symbol(), None);
}
