//! Reports in a fraction of their size, still JSON: lists of like objects become columns, repetitions are told once.
//!
//! - `{"$k": keys, "$n": length, "$c": columns}` is a list of objects; what a key has no value for is null.
//! - A column is `{"$v": value}` where all values are the same, `{"$d": values, "$i": positions}` where few of them repeat, else a list.
//! - `{"$r": [value, times, ...]}` is a list of numbers with long runs.
//! - `{"$p": parts, "$i": steps}` is a list of ascending numbers: sums of the steps so far, divided by `parts`.
//! - `{"$s": position}` is what stands there in `shared` of the whole, `{"shared": [...], "data": ...}`.
//!
//! Numbers keep nine significant digits, more than any page shows.

use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// Columns of so many characters are worth sharing.
const WORTH_SHARING: usize = 48;

pub fn pack(data: &Value) -> Value {
    let mut packer = Packer::default();
    let data = packer.value(data);
    json!({"shared": packer.shared, "data": data})
}

#[derive(Default)]
struct Packer {
    shared: Vec<Value>,
    positions: HashMap<String, usize>,
}

impl Packer {
    fn value(&mut self, value: &Value) -> Value {
        match value {
            Value::Number(number) => shortened(number),
            Value::Array(all) if is_table(all) => self.table(all),
            Value::Array(all) => self.list(all),
            Value::Object(all) => all.iter().map(|(key, value)| (key.clone(), self.value(value))).collect(),
            other => other.clone(),
        }
    }

    fn list(&mut self, all: &[Value]) -> Value {
        let all: Vec<Value> = all.iter().map(|value| self.value(value)).collect();
        match runs(&all) {
            Some(runs) => json!({"$r": runs}),
            None => Value::Array(all),
        }
    }

    fn table(&mut self, rows: &[Value]) -> Value {
        let mut keys: Vec<&String> = Vec::new();
        for key in rows.iter().filter_map(Value::as_object).flat_map(Map::keys) {
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        let columns: Vec<Value> = keys.iter().map(|key| self.column(rows.iter().map(|row| &row[key.as_str()]))).collect();
        json!({"$k": keys, "$n": rows.len(), "$c": columns})
    }

    fn column<'v>(&mut self, values: impl Iterator<Item = &'v Value>) -> Value {
        let values: Vec<&Value> = values.collect();
        if values.iter().all(|value| *value == values[0]) {
            let one = self.value(values[0]);
            return json!({"$v": one});
        }
        let column = self.dictionary(&values).or_else(|| steps(&values));
        let column = column.unwrap_or_else(|| Value::Array(values.iter().map(|value| self.value(value)).collect()));
        self.share(column)
    }

    /// Texts and objects that repeat, by position.
    fn dictionary(&mut self, values: &[&Value]) -> Option<Value> {
        if values.len() < 4 || values.iter().any(|value| value.is_number() || value.is_array()) {
            return None;
        }
        let mut positions: HashMap<String, usize> = HashMap::new();
        let mut each: Vec<&Value> = Vec::new();
        let mut places: Vec<usize> = Vec::new();
        for value in values {
            let place = *positions.entry(value.to_string()).or_insert(each.len());
            if place == each.len() {
                each.push(value);
            }
            places.push(place);
        }
        if each.len() * 2 > values.len() {
            return None;
        }
        let each: Vec<Value> = each.into_iter().map(|value| self.value(value)).collect();
        Some(json!({"$d": each, "$i": places}))
    }

    fn share(&mut self, column: Value) -> Value {
        let text = column.to_string();
        if text.len() < WORTH_SHARING {
            return column;
        }
        let (shared, new) = (&mut self.shared, self.positions.len());
        let position = *self.positions.entry(text).or_insert_with(|| {
            shared.push(column);
            new
        });
        json!({"$s": position})
    }
}

fn is_table(all: &[Value]) -> bool {
    all.len() > 1 && all.iter().all(|value| value.as_object().is_some_and(|object| !object.is_empty()))
}

/// Times on the simulated clock, to nine digits of the last one.
fn steps(values: &[&Value]) -> Option<Value> {
    let times: Vec<f64> = values.iter().map(|value| value.as_f64().filter(|_| value.is_f64())).collect::<Option<_>>()?;
    let last = *times.last()?;
    if values.len() < 16 || times[0] < 0.0 || !times.is_sorted() || last <= 0.0 {
        return None;
    }
    let parts = 10f64.powi(9 - last.log10().ceil() as i32);
    let places: Vec<i64> = times.iter().map(|time| (time * parts).round() as i64).collect();
    let before = [0].iter().chain(&places);
    let steps: Vec<i64> = places.iter().zip(before).map(|(place, before)| place - before).collect();
    Some(json!({"$p": parts, "$i": steps}))
}

/// `[value, times, ...]` where that is at most half as long.
fn runs(all: &[Value]) -> Option<Vec<Value>> {
    if all.len() < 8 || !all.iter().all(|value| value.is_number() || value.is_null()) {
        return None;
    }
    let mut runs: Vec<Value> = Vec::new();
    for run in all.chunk_by(|a, b| a == b) {
        runs.extend([run[0].clone(), json!(run.len())]);
    }
    (runs.len() * 2 <= all.len()).then_some(runs)
}

fn shortened(number: &serde_json::Number) -> Value {
    let short = |x: f64| format!("{x:.8e}").parse::<f64>().ok();
    match number.as_f64().filter(|_| number.is_f64()).and_then(short) {
        Some(whole) if whole.fract() == 0.0 && whole.abs() < 1e15 => json!(whole as i64),
        Some(short) => json!(short),
        None => Value::Number(number.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn like_objects_become_columns() {
        let packed = pack(&json!([{"a": 1, "f": "x.c"}, {"a": 2, "f": "x.c", "t": [0.5]}]));
        assert_eq!(
            packed["data"],
            json!({"$k": ["a", "f", "t"], "$n": 2, "$c": [[1, 2], {"$v": "x.c"}, [null, [0.5]]]})
        );
    }

    #[test]
    fn runs_and_repeated_texts_are_told_once() {
        assert_eq!(pack(&json!([3, 3, 3, 3, 3, 3, 3, 3, 4]))["data"], json!({"$r": [3, 8, 4, 1]}));
        let rows: Vec<Value> = (0..6).map(|n| json!({"f": if n % 2 == 0 { "a" } else { "b" }})).collect();
        assert_eq!(pack(&json!(rows))["data"]["$c"][0], json!({"$d": ["a", "b"], "$i": [0, 1, 0, 1, 0, 1]}));
    }

    #[test]
    fn ascending_times_become_steps() {
        let rows: Vec<Value> = (0..20).map(|n| json!({"t": f64::from(n) * 0.001 + 0.0005})).collect();
        let column = &pack(&json!(rows))["shared"][0];
        assert_eq!(column["$p"], json!(1e10));
        assert_eq!((&column["$i"][0], &column["$i"][1]), (&json!(5_000_000), &json!(10_000_000)));
    }

    #[test]
    fn equal_columns_are_shared() {
        let rows: Vec<Value> = (0..40).map(|n| json!({"line": n * n})).collect();
        let packed = pack(&json!({"one": rows, "two": rows}));
        assert_eq!(packed["data"]["one"]["$c"][0], json!({"$s": 0}));
        assert_eq!(packed["data"]["two"]["$c"][0], json!({"$s": 0}));
        assert_eq!(packed["shared"].as_array().map(Vec::len), Some(1));
    }

    #[test]
    fn numbers_keep_nine_digits() {
        assert_eq!(pack(&json!(0.123_456_789_123_456))["data"], json!(0.123_456_789));
        assert_eq!(pack(&json!([12, 2.0, -1.5e-9, "90071992547409931"]))["data"], json!([12, 2, -1.5e-9, "90071992547409931"]));
    }
}
