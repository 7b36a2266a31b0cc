//! Reports in a fraction of their size, still JSON: lists of like objects become columns, repetitions are told once.
//!
//! - `{"$k": keys, "$n": length, "$c": columns}` is a list of objects; what a key has no value for is null. With
//!   `"$u"`, a column of objects, the other keys of each row are there: rows that differ in times alone repeat the
//!   rest.
//! - A column is `{"$v": value}` where all values are the same, `{"$d": values, "$i": positions}` where few of them
//!   repeat, else a list.
//! - `{"$l": lengths, "$t": table}` is a column of lists of objects: their rows one behind the other.
//! - `{"$r": [value, times, ...]}` is a list of numbers with long runs.
//! - `{"$p": parts, "$i": steps}` is a list of clock times: sums of the steps so far, divided by `parts`.
//! - `{"$s": position}` is what stands there in `shared` of the whole, `{"shared": [...], "data": ...}`.
//!
//! Numbers keep nine significant digits, in lists of numbers six: more than any page shows.

use chronos_base::hash::FxHashMap;
use serde_json::{Map, Value, json};

/// Columns of so many characters are worth sharing.
const WORTH_SHARING: usize = 48;

/// Tables of so many rows are looked through for rows that are alike.
const MANY: usize = 64;

/// The same data in the form above, which `unpack.js` reads.
pub fn pack(data: &Value) -> Value {
    let mut packer = Packer::default();
    let data = packer.value(data);
    json!({"shared": packer.shared, "data": data})
}

#[derive(Default)]
struct Packer {
    shared: Vec<Value>,
    positions: FxHashMap<String, usize>,
}

impl Packer {
    fn value(&mut self, value: &Value) -> Value {
        match value {
            Value::Number(number) => shortened(number, 9),
            Value::Array(all) if is_table(all) => self.table(&all.iter().collect::<Vec<_>>()),
            Value::Array(all) => self.list(all),
            Value::Object(all) => all.iter().map(|(key, value)| (key.clone(), self.value(value))).collect(),
            other => other.clone(),
        }
    }

    fn list(&mut self, all: &[Value]) -> Value {
        let inner = |value: &Value| match value {
            Value::Number(number) => shortened(number, 6),
            other => self.value(other),
        };
        let all: Vec<Value> = all.iter().map(inner).collect();
        match runs(&all) {
            Some(runs) => json!({"$r": runs}),
            None => Value::Array(all),
        }
    }

    fn table(&mut self, rows: &[&Value]) -> Value {
        let mut keys: Vec<&String> = Vec::new();
        for key in rows.iter().filter_map(|row| row.as_object()).flat_map(Map::keys) {
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        let alike = self.alike(rows, &keys);
        if let Some((grouped, _)) = &alike {
            keys.retain(|key| !grouped.contains(key));
        }
        let values = |key: &String| rows.iter().map(|row| &row[key.as_str()]).collect::<Vec<_>>();
        let columns: Vec<Value> = keys.iter().map(|key| self.column(key, &values(key))).collect();
        let mut table = json!({"$k": keys, "$n": rows.len(), "$c": columns});
        if let Some((_, column)) = alike {
            table["$u"] = column;
        }
        table
    }

    /// What of many rows is no time, where few of them differ in it: the keys, and their values row by row.
    fn alike<'k>(&mut self, rows: &[&Value], keys: &[&'k String]) -> Option<(Vec<&'k String>, Value)> {
        let discrete =
            |key: &&&'k String| rows.iter().all(|row| !row[key.as_str()].is_f64() && !row[key.as_str()].is_array());
        let grouped: Vec<&String> = keys.iter().filter(discrete).copied().collect();
        if rows.len() < MANY || grouped.len() < 2 {
            return None;
        }
        let part = |row: &&Value| grouped.iter().map(|key| ((*key).clone(), row[key.as_str()].clone())).collect();
        let parts: Vec<Value> = rows.iter().map(part).collect();
        let column = self.dictionary(&parts.iter().collect::<Vec<_>>())?;
        let shared = self.share(column);
        Some((grouped, shared))
    }

    fn column(&mut self, key: &str, values: &[&Value]) -> Value {
        if values.iter().all(|value| *value == values[0]) {
            let one = self.value(values[0]);
            return json!({"$v": one});
        }
        let column = self.lists(values).or_else(|| self.dictionary(values)).or_else(|| steps(key, values));
        let column = column.unwrap_or_else(|| Value::Array(values.iter().map(|value| self.value(value)).collect()));
        self.share(column)
    }

    /// Lists of objects as one table.
    fn lists(&mut self, values: &[&Value]) -> Option<Value> {
        let lists: Vec<&Vec<Value>> = values.iter().map(|value| value.as_array()).collect::<Option<_>>()?;
        let rows: Vec<&Value> = lists.iter().flat_map(|list| list.iter()).collect();
        if rows.is_empty() || !rows.iter().all(|row| row.is_object()) {
            return None;
        }
        let lengths: Vec<usize> = lists.iter().map(|list| list.len()).collect();
        Some(json!({"$t": self.table(&rows), "$l": lengths}))
    }

    /// Texts and objects that repeat, by position.
    fn dictionary(&mut self, values: &[&Value]) -> Option<Value> {
        if values.len() < 4 || values.iter().any(|value| value.is_number() || value.is_array()) {
            return None;
        }
        let mut positions: FxHashMap<String, usize> = FxHashMap::default();
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
        let each = self.value(&Value::Array(each.into_iter().cloned().collect()));
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

/// Times on the simulated clock: neighbours differ by little, and nine digits of the last one are enough for all.
const CLOCKS: [&str; 4] = ["begin_s", "end_s", "sent_s", "received_s"];

fn steps(key: &str, values: &[&Value]) -> Option<Value> {
    let time = |value: &&Value| value.as_f64().filter(|&time| value.is_f64() && time >= 0.0);
    let times: Vec<f64> = values.iter().map(time).collect::<Option<_>>()?;
    let last = times.iter().copied().fold(0.0, f64::max);
    if !CLOCKS.contains(&key) || values.len() < 16 || last <= 0.0 {
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

fn shortened(number: &serde_json::Number, digits: usize) -> Value {
    let short = |x: f64| format!("{x:.*e}", digits - 1).parse::<f64>().ok();
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
    fn clock_times_become_steps() {
        let rows: Vec<Value> = (0..20).map(|n| json!({"end_s": f64::from(n) * 0.001 + 0.0005})).collect();
        let column = &pack(&json!(rows))["shared"][0];
        assert_eq!(column["$p"], json!(1e10));
        assert_eq!((&column["$i"][0], &column["$i"][1]), (&json!(5_000_000), &json!(10_000_000)));
    }

    #[test]
    fn lists_of_objects_are_one_table() {
        let packed = pack(&json!([{"s": [{"a": 1}, {"a": 2}]}, {"s": []}, {"s": [{"a": 3}]}]));
        assert_eq!(packed["shared"][0], json!({"$t": {"$k": ["a"], "$n": 3, "$c": [[1, 2, 3]]}, "$l": [2, 0, 1]}));
    }

    #[test]
    fn rows_that_differ_in_times_alone_repeat_the_rest() {
        let rows: Vec<Value> = (0..64)
            .map(|n| json!({"kind": if n % 2 == 0 { "send" } else { "wait" }, "to": n % 2, "t": f64::from(n) + 0.5}))
            .collect();
        let packed = pack(&json!(rows));
        assert_eq!(packed["data"]["$k"], json!(["t"]));
        let alike = packed["shared"]
            .as_array()
            .and_then(|all| all.iter().find(|column| column["$d"]["$k"] == json!(["kind", "to"])));
        assert_eq!(alike.map(|column| column["$i"][3].clone()), Some(json!(1)));
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
        assert_eq!(
            pack(&json!([12, 2.0, -1.5e-9, "90071992547409931"]))["data"],
            json!([12, 2, -1.5e-9, "90071992547409931"])
        );
    }
}
