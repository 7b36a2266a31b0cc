//! Files that people write by hand come damaged: every reader says what is wrong, none panics.

use chronos::machine::Machine;
use chronos::machine::network::Network;
use proptest::prelude::*;
use serde_json::Value;

const MACHINE: &str = include_str!("../machines/pentium2-350.json");
const NETWORK: &str = include_str!("../networks/ethernet-100.json");

/// A damage to a text, at a place given as a part of its length.
#[derive(Clone, Debug)]
enum Damage {
    Cut(f64),
    Remove(f64, usize),
    Insert(f64, String),
}

fn damage() -> impl Strategy<Value = Damage> {
    let place = || 0.0..1.0_f64;
    prop_oneof![
        place().prop_map(Damage::Cut),
        (place(), 1..40_usize).prop_map(|(at, n)| Damage::Remove(at, n)),
        (place(), "[-0-9eE.,:{}\\[\\]\"a-z\u{e4}\u{0}]{1,6}").prop_map(|(at, text)| Damage::Insert(at, text)),
    ]
}

fn damaged(text: &str, damage: &Damage) -> String {
    let chars: Vec<char> = text.chars().collect();
    let index = |at: f64| (at * chars.len() as f64) as usize;
    let joined = |to: usize, between: &str, from: usize| {
        let end = chars.get(from..).unwrap_or_default();
        chars[..to].iter().collect::<String>() + between + &end.iter().collect::<String>()
    };
    match damage {
        Damage::Cut(at) => joined(index(*at), "", chars.len()),
        Damage::Remove(at, n) => joined(index(*at), "", index(*at) + n),
        Damage::Insert(at, text) => joined(index(*at), text, index(*at)),
    }
}

/// What a number of a file is replaced by.
fn odd_value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        Just(Value::from("text")),
        Just(Value::from(-1)),
        Just(Value::from(0)),
        Just(Value::from(1e308)),
        Just(Value::from(-1e308)),
        Just(Value::from(u64::MAX)),
        Just(Value::from(Vec::<u8>::new())),
        any::<f64>().prop_map(Value::from),
    ]
}

/// Replaces one value, counted over all values of the file.
fn replace(value: &mut Value, left: &mut usize, new: &Value) -> bool {
    if *left == 0 {
        *value = new.clone();
        return true;
    }
    *left -= 1;
    match value {
        Value::Array(items) => items.iter_mut().any(|item| replace(item, left, new)),
        Value::Object(fields) => fields.values_mut().any(|field| replace(field, left, new)),
        _ => false,
    }
}

fn edited(text: &str, at: usize, new: &Value) -> String {
    let mut value: Value = serde_json::from_str(text).expect("shipped files are JSON");
    replace(&mut value, &mut { at }, new);
    value.to_string()
}

/// Read without a panic; what is refused is refused with an error that names the file.
fn read_machine(text: &str) -> Result<(), TestCaseError> {
    if let Err(error) = Machine::parse("m.json", text) {
        prop_assert!(error.is_error() && error.message.contains("m.json") && error.help.is_some(), "{error:?}");
    }
    Ok(())
}

fn read_network(text: &str) -> Result<(), TestCaseError> {
    for error in Network::parse("n.json", text).err().into_iter().flatten() {
        prop_assert!(error.is_error() && error.message.contains("n.json") && error.help.is_some(), "{error:?}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn damaged_machine_files_are_refused(damages in prop::collection::vec(damage(), 1..3)) {
        read_machine(&damages.iter().fold(MACHINE.to_owned(), |text, damage| damaged(&text, damage)))?;
    }

    #[test]
    fn damaged_network_files_are_refused(damages in prop::collection::vec(damage(), 1..3)) {
        read_network(&damages.iter().fold(NETWORK.to_owned(), |text, damage| damaged(&text, damage)))?;
    }

    #[test]
    fn odd_values_in_machine_files_are_refused_or_taken(at in 0..400_usize, new in odd_value()) {
        read_machine(&edited(MACHINE, at, &new))?;
    }

    #[test]
    fn odd_values_in_network_files_are_refused_or_taken(at in 0..200_usize, new in odd_value()) {
        read_network(&edited(NETWORK, at, &new))?;
    }
}
