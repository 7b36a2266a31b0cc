//! What a prediction says of each line: a report of `chronos predict` and its messages, as an editor shows them.

use super::places::address_of;
use chronos_report::number::{seconds, share};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// By line, from 0.
type Lines = BTreeMap<usize, Hint>;

/// What is shown behind a line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hint {
    /// Behind the line.
    pub label: String,
    /// Where the mouse rests on it.
    pub more: String,
    /// The line as it was predicted.
    pub source: String,
}

/// A prediction for an editor.
#[derive(Clone, Debug, Default)]
pub struct Predicted {
    /// By file.
    pub hints: BTreeMap<PathBuf, Lines>,
    /// Messages by file, as the protocol has them.
    pub diagnostics: BTreeMap<PathBuf, Vec<Value>>,
    /// In a line.
    pub summary: String,
}

/// Of what `chronos predict --format json --message-format json` wrote in a folder. Messages without a place stand at the
/// begin of `document`.
pub fn of(report: &str, messages: &str, folder: &Path, document: &Path) -> Predicted {
    let mut predicted = Predicted::default();
    for message in messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        let (file, shown) = diagnostic(&message, folder, document);
        predicted.diagnostics.entry(file).or_default().push(shown);
    }
    let Ok(report) = serde_json::from_str::<Value>(report) else {
        "there is no prediction: see the messages".clone_into(&mut predicted.summary);
        return predicted;
    };
    let first = &report["predictions"][0];
    predicted.summary = summary(first);
    let costs = costs(first);
    for (file, lines) in costs {
        let text = report["sources"][file].as_str().unwrap_or_default();
        let sources: Vec<&str> = text.lines().collect();
        let hint = |(line, cost): (usize, Cost)| Some((line, cost.hint(first, sources.get(line)?)));
        predicted.hints.insert(folder.join(file), lines.into_iter().filter_map(hint).collect());
    }
    predicted
}

fn summary(prediction: &Value) -> String {
    let platform = &prediction["platform"];
    let on = format!("{} tasks on {}", prediction["tasks_count"], platform["machine"].as_str().unwrap_or_default());
    match prediction["total_s"].as_f64() {
        Some(total) => format!("{on}: {}", seconds(total)),
        None => format!("{on}: incomplete, see the messages"),
    }
}

/// What begins on a line, summed over the tasks.
#[derive(Clone, Copy, Debug, Default)]
struct Cost {
    /// Of the part that is executed most often; `None`: unknown.
    count: Option<f64>,
    own_s: f64,
    /// With what it holds: the bodies of loops, functions that are called.
    inclusive_s: f64,
    is_exact: bool,
}

fn costs(prediction: &Value) -> BTreeMap<&str, BTreeMap<usize, Cost>> {
    let mut costs: BTreeMap<&str, BTreeMap<usize, Cost>> = BTreeMap::new();
    for block in prediction["blocks"].as_array().into_iter().flatten() {
        let (Some(file), Some(line)) = (block["file"].as_str(), block["line_start"].as_u64()) else { continue };
        let new = Cost { is_exact: true, count: Some(0.0), ..Cost::default() };
        let cost = costs.entry(file).or_default().entry((line as usize).saturating_sub(1)).or_insert(new);
        cost.add(block);
    }
    costs
}

impl Cost {
    fn add(&mut self, block: &Value) {
        let count = block["count"].as_f64();
        self.count = self.count.zip(count).map(|(known, count)| known.max(count));
        let own = block["time_s"].as_f64().unwrap_or_default();
        self.own_s += own;
        // Blocks of a line may hold each other.
        self.inclusive_s = self.inclusive_s.max(block["inclusive_s"].as_f64().unwrap_or(own));
        self.is_exact &= block["source"] == "static";
    }

    fn hint(self, prediction: &Value, source: &str) -> Hint {
        let tasks = prediction["tasks_count"].as_f64().unwrap_or(1.0).max(1.0);
        let (own, inclusive) = (self.own_s / tasks, self.inclusive_s.max(self.own_s) / tasks);
        let times = match self.count {
            Some(count) if count <= 0.0 => "never".to_owned(),
            Some(count) => format!("{}{}×", if self.is_exact { "" } else { "~" }, grouped(count)),
            None => "?×".to_owned(),
        };
        let time = if inclusive > 0.0 { format!(", {}", seconds(inclusive)) } else { String::new() };
        let total = prediction["total_s"].as_f64().or(prediction["known_s"].as_f64()).unwrap_or_default();
        let counted = match (self.count, self.is_exact) {
            (None, _) => "How often is not known",
            (_, true) => "Counted exactly, summed over the tasks",
            (_, false) => "Counted under assumptions, summed over the tasks",
        };
        let more = format!(
            "{counted}.\nTime of a task in the mean: {} with all that is inside, {} of the total; {} for itself.",
            seconds(inclusive),
            share(inclusive, total),
            seconds(own)
        );
        Hint { label: format!("{times}{time}"), more, source: source.to_owned() }
    }
}

/// 1234567 as 1,234,567.
fn grouped(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A message at its first place, the further ones related to it.
fn diagnostic(message: &Value, folder: &Path, document: &Path) -> (PathBuf, Value) {
    let text = |field: &str| message[field].as_str().unwrap_or_default();
    let labels = message["labels"].as_array().map_or(&[][..], Vec::as_slice);
    let file_of = |label: &Value| label["file"].as_str().map_or_else(|| document.to_owned(), |file| folder.join(file));
    let severity = match text("severity") {
        "error" => 1,
        "warning" => 2,
        _ => 3,
    };
    let help = message["help"].as_str().map_or_else(String::new, |help| format!("\nhelp: {help}"));
    let related: Vec<Value> = labels
        .iter()
        .skip(1)
        .map(|label| {
            json!({"location": {"uri": address_of(&file_of(label)), "range": range(label)}, "message": label["text"]})
        })
        .collect();
    let shown = json!({
        "range": labels.first().map_or_else(|| range(&Value::Null), range),
        "severity": severity,
        "code": text("code"),
        "source": "chronos",
        "message": format!("{}{help}", text("message")),
        "relatedInformation": related,
    });
    (labels.first().map_or_else(|| document.to_owned(), file_of), shown)
}

/// Lines and columns count from 1 in reports, from 0 in the protocol.
fn range(label: &Value) -> Value {
    let at = |field: &str| label[field].as_u64().unwrap_or(1).saturating_sub(1);
    json!({
        "start": {"line": at("line"), "character": at("column")},
        "end": {"line": at("end_line"), "character": at("end_column")},
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_counts_and_times() {
        let block = |line: u32, count: Value, own: f64, inclusive: f64, source: &str| json!({"file": "a.c", "line_start": line, "count": count, "time_s": own, "inclusive_s": inclusive, "source": source});
        let blocks = json!([
            block(1, json!(8), 0.5, 2.0, "static"),
            block(1, json!(1_234_567), 0.5, 0.5, "static"),
            block(2, json!(0), 0.0, 0.0, "static"),
            block(3, json!(2.5), 0.0, 0.0, "assumed"),
            block(4, Value::Null, 0.0, 0.0, "unknown")
        ]);
        let report = json!({
            "predictions": [{"tasks_count": 2, "total_s": 4.0, "platform": {"machine": "m"}, "blocks": blocks}],
            "sources": {"a.c": "one\ntwo\nthree\nfour\n"}
        });
        let predicted = of(&report.to_string(), "", Path::new("/p"), Path::new("/p/a.c"));
        let labels: Vec<String> = predicted.hints[Path::new("/p/a.c")]
            .values()
            .map(|hint| format!("{} {}", hint.source, hint.label))
            .collect();
        assert_eq!(labels, ["one 1,234,567×, 1.000 s", "two never", "three ~2×", "four ?×"]);
        assert_eq!(predicted.summary, "2 tasks on m: 4.000 s");
    }

    #[test]
    fn messages_stand_at_their_places() {
        let label = |line: u32| json!({"file": "b.c", "line": line, "column": 5, "end_line": line, "end_column": 9, "text": "here"});
        let placed = json!({"code": "C0403", "severity": "error", "message": "m", "labels": [label(10), label(20)], "help": "h"});
        let unplaced = json!({"code": "C0515", "severity": "note", "message": "n", "labels": []});
        let predicted = of("", &format!("{placed}\n{unplaced}\n"), Path::new("/p"), Path::new("/p/a.c"));
        let shown = &predicted.diagnostics[Path::new("/p/b.c")][0];
        assert_eq!((&shown["severity"], &shown["message"]), (&json!(1), &json!("m\nhelp: h")));
        assert_eq!(shown["range"]["start"], json!({"line": 9, "character": 4}));
        assert_eq!(shown["relatedInformation"][0]["location"]["uri"], "file:///p/b.c");
        assert_eq!(predicted.diagnostics[Path::new("/p/a.c")][0]["severity"], 3);
    }
}
