//! Predictions as measurements for Extra-P: one JSON object for each call path, metric and point.
//!
//! Extra-P (Calotoiu, Hoefler, Poke, Wolf: Using Automated Performance Modeling to Find Scalability Bugs in Complex Codes,
//! SC 2013) fits a normal form to times at points of up to four parameters and shows which parts grow. Its format `JSON lines`
//! has no header, so that points can be added line by line. This module must not know files.

use super::model::{CallNode, Prediction, SweepValue};
use chronos_base::hash::FxHashMap;
use serde::Serialize;
use std::collections::BTreeMap;

/// Points of one parameter from which Extra-P fits a model.
pub const LEAST_POINTS: usize = 5;

/// Why predictions are no measurements of one program by numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotMeasurements {
    /// Predictions for more than one machine or network, which Extra-P would take for repetitions.
    SeveralSystems,
    /// A value of a sweep is no number.
    NoNumber(SweepValue),
    /// Nothing was complete, or has call paths.
    Nothing,
}

#[derive(Serialize)]
struct Line<'a> {
    params: &'a BTreeMap<String, f64>,
    callpath: &'a str,
    metric: &'static str,
    value: f64,
}

/// All complete predictions with call paths, and how many are left out. Parameters: `p`, the number of tasks, and the names of sweeps.
/// Metrics: `time` (of the call path itself, an MPI call with its waiting), `inclusive time` (with callees) and `visits`, as
/// means over the tasks; times in seconds.
///
/// # Errors
/// The predictions are no measurements by numbers.
pub fn render(predictions: &[Prediction]) -> Result<(String, usize), NotMeasurements> {
    let system = |p: &Prediction| (p.platform.machine.clone(), p.platform.network.clone());
    let mut systems = predictions.iter().map(system);
    let first = systems.next();
    if systems.any(|other| Some(other) != first) {
        return Err(NotMeasurements::SeveralSystems);
    }
    let told = |p: &&Prediction| p.total_s.is_some() && !p.call_tree.is_empty();
    let complete = predictions.iter().filter(told);
    let lines = complete.map(lines).collect::<Result<Vec<_>, _>>()?;
    match lines.len() {
        0 => Err(NotMeasurements::Nothing),
        made => Ok((lines.concat(), predictions.len() - made)),
    }
}

/// How many different values the parameter with the fewest has, of those that have several.
pub fn fewest_values(predictions: &[Prediction]) -> usize {
    let mut values: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for prediction in predictions {
        values.entry("p").or_default().push(prediction.tasks_count.to_string());
        for SweepValue { name, value } in &prediction.sweep {
            values.entry(name).or_default().push(value.clone());
        }
    }
    let different = values.into_values().map(|mut values| {
        values.sort_unstable();
        values.dedup();
        values.len()
    });
    different.filter(|&count| count > 1).min().unwrap_or(1)
}

fn lines(prediction: &Prediction) -> Result<String, NotMeasurements> {
    let mut params = BTreeMap::from([("p".to_owned(), prediction.tasks_count as f64)]);
    for value in &prediction.sweep {
        let number = value.value.parse().map_err(|_| NotMeasurements::NoNumber(value.clone()))?;
        params.insert(value.name.clone(), number);
    }
    let mut text = String::new();
    for (callpath, sums) in by_path(&prediction.call_tree) {
        // Recorded runs do not tell how often functions are called: what is in the tree was called.
        let visits = sums.calls.filter(|&calls| calls > 0.0).map(|calls| calls / prediction.tasks_count.max(1) as f64);
        let metrics = [("time", Some(sums.own_s)), ("inclusive time", Some(sums.inclusive_s)), ("visits", visits)];
        for (metric, value) in metrics.into_iter().filter_map(|(metric, value)| Some((metric, value?))) {
            let line = Line { params: &params, callpath: &callpath, metric, value };
            text.push_str(&serde_json::to_string(&line).unwrap_or_default());
            text.push('\n');
        }
    }
    Ok(text)
}

struct PathSums {
    own_s: f64,
    inclusive_s: f64,
    /// `None` where one of them is unknown.
    calls: Option<f64>,
}

impl Default for PathSums {
    fn default() -> Self {
        Self { own_s: 0.0, inclusive_s: 0.0, calls: Some(0.0) }
    }
}

/// Sums over the calls of a function at several places of one caller: Extra-P would take them for repetitions.
fn by_path(tree: &[CallNode]) -> BTreeMap<String, PathSums> {
    let mut paths: FxHashMap<usize, String> = FxHashMap::default();
    let mut sums: BTreeMap<String, PathSums> = BTreeMap::new();
    // Callers stand before their callees.
    for (at, node) in tree.iter().enumerate() {
        let caller = node.parent.and_then(|parent| paths.get(&(parent as usize)));
        let path = caller.map_or_else(|| node.name.clone(), |caller| format!("{caller}->{}", node.name));
        let sum = sums.entry(path.clone()).or_default();
        sum.own_s += if node.kind == "mpi" { node.inclusive_s } else { node.exclusive_s };
        sum.inclusive_s += node.inclusive_s;
        sum.calls = sum.calls.zip(node.calls.as_f64()).map(|(before, calls)| before + calls);
        paths.insert(at, path);
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronos_activity::Count;

    fn node(parent: Option<u32>, name: &str, calls: u64, inclusive_s: f64, exclusive_s: f64) -> CallNode {
        let kind = if name.starts_with("MPI_") { "mpi" } else { "function" };
        let calls = Count::exact(calls.into());
        let (name, of_tasks) = (name.to_owned(), Vec::new());
        CallNode { parent, name, kind, block: None, calls, inclusive_s, exclusive_s, idle_s: 0.0, of_tasks }
    }

    fn prediction(tasks: usize, sweep: &[(&str, &str)]) -> Prediction {
        let platform = super::super::model::Platform { machine: "m".to_owned(), network: "n".to_owned() };
        let sweep =
            sweep.iter().map(|(name, value)| SweepValue { name: (*name).into(), value: (*value).into() }).collect();
        let call_tree = vec![
            node(None, "main", 4, 3.0, 0.5),
            node(Some(0), "step", 8, 1.5, 0.5),
            node(Some(1), "MPI_Send", 8, 1.0, 0.0),
            node(Some(0), "step", 4, 1.0, 1.0),
        ];
        Prediction { total_s: Some(3.0), sweep, call_tree, ..Prediction::unknown(platform, tasks, "source") }
    }

    #[test]
    fn calls_of_one_path_are_one_measurement() {
        let (text, left_out) = render(&[prediction(4, &[("N", "100")])]).unwrap();
        assert_eq!(left_out, 0);
        insta::assert_snapshot!(text, @r#"
        {"params":{"N":100.0,"p":4.0},"callpath":"main","metric":"time","value":0.5}
        {"params":{"N":100.0,"p":4.0},"callpath":"main","metric":"inclusive time","value":3.0}
        {"params":{"N":100.0,"p":4.0},"callpath":"main","metric":"visits","value":1.0}
        {"params":{"N":100.0,"p":4.0},"callpath":"main->step","metric":"time","value":1.5}
        {"params":{"N":100.0,"p":4.0},"callpath":"main->step","metric":"inclusive time","value":2.5}
        {"params":{"N":100.0,"p":4.0},"callpath":"main->step","metric":"visits","value":3.0}
        {"params":{"N":100.0,"p":4.0},"callpath":"main->step->MPI_Send","metric":"time","value":1.0}
        {"params":{"N":100.0,"p":4.0},"callpath":"main->step->MPI_Send","metric":"inclusive time","value":1.0}
        {"params":{"N":100.0,"p":4.0},"callpath":"main->step->MPI_Send","metric":"visits","value":2.0}
        "#);
    }

    #[test]
    fn unknown_visits_are_left_out() {
        let mut unknown = prediction(4, &[]);
        unknown.call_tree.iter_mut().for_each(|node| node.calls = Count::UNKNOWN);
        unknown.call_tree[0].calls = Count::ZERO;
        let (text, _) = render(&[unknown]).unwrap();
        assert!(!text.contains("visits") && text.contains("inclusive time"), "{text}");
    }

    #[test]
    fn what_is_no_number_is_told() {
        let text = SweepValue { name: "argv1".to_owned(), value: "small".to_owned() };
        let faulty = render(&[prediction(4, &[("argv1", "small")])]);
        assert_eq!(faulty, Err(NotMeasurements::NoNumber(text)));
        assert_eq!(render(&[]), Err(NotMeasurements::Nothing));
        let without_paths = Prediction { call_tree: Vec::new(), ..prediction(4, &[]) };
        assert_eq!(render(&[without_paths]), Err(NotMeasurements::Nothing));
    }
}
