//! What variables hold, told by how often loops run that they bound: a row's length is known where a loop walks along
//! a row. So `a[i * n + j]` has a stride though `n` is no constant of the program.

use crate::source::address::affine::{Atom, IterationForm};
use crate::source::loops::trip_count::Length;
use crate::source::model::Source;
use crate::source::profile::counts::{ExecutionCounts, trips};
use chronos_activity::ContextId;
use chronos_base::hash::FxHashMap;
use chronos_ir::VarId;
use std::collections::BTreeSet;

/// What the loops among `scopes` tell of variables, where an address asks for it.
pub(crate) fn learn_row_lengths(model: &Source, context: ContextId, counts: &ExecutionCounts, scopes: &BTreeSet<u32>) {
    if model.known_values.is_wanted() {
        model.known_values.learn(context, values(model, counts, scopes));
    }
}

/// Values of variables that bound loops, where the loops ran; the mean where they change.
fn values(model: &Source, counts: &ExecutionCounts, scopes: &BTreeSet<u32>) -> FxHashMap<VarId, i64> {
    let mut known = FxHashMap::default();
    // A bound may be told by another: `i < n` by `n`, `j < n - m` by `n` and `m`.
    for _ in 0..2 {
        for index in scopes.iter().map(|&index| index as usize) {
            let ran = model.scopes[index].length.as_ref().zip(trips(model, index, counts));
            let Some((length, (_, iterations, entries))) = ran.filter(|(_, (_, _, n))| *n > 0.0) else { continue };
            if let Some((variable, value)) = solved(length, iterations / entries, &known) {
                known.entry(variable).or_insert(value);
            }
        }
    }
    known
}

fn variable_of(atom: &Atom) -> Option<VarId> {
    match atom {
        Atom::Entry(variable) | Atom::Loaded(variable, _) => Some(*variable),
        _ => None,
    }
}

/// The one variable of a length that is not known yet.
fn solved(length: &Length, trip: f64, known: &FxHashMap<VarId, i64>) -> Option<(VarId, i64)> {
    let is_open = |atom: &Atom| variable_of(atom).is_none_or(|variable| !known.contains_key(&variable));
    let mut open = length.way.terms.iter().filter(|term| is_open(&term.0));
    let (Some((atom, factor)), None) = (open.next(), open.next()) else { return None };
    let variable = variable_of(atom)?;
    // One equation, one unknown: trips times step is what is left of the way.
    let rest = length.way.without(atom);
    let way = trip * length.step as f64 - rest.value(&|variable| known.get(&variable).copied())? as f64;
    Some((variable, (way / *factor as f64).round() as i64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::tests::{machine, program};
    use chronos_activity::{Count, Segment};
    use std::fmt::Write;

    /// Counts as `iterations/entries` of the loops of the last function, outermost first.
    fn check(text: &str, loops: &[(u64, u64)]) -> String {
        let program = program(text);
        let model = Source::new(&program, &machine("gcc-O2"));
        let headers: Vec<_> = model.scopes.iter().filter_map(|scope| scope.header).collect();
        let first = headers.len() - loops.len();
        let mut counts: Vec<_> = { headers[first..].iter().zip(loops) }
            .flat_map(|(&header, &(iterations, entries))| {
                let [through, entered] = model.loop_counters(header);
                [
                    (ContextId(0), through, Count::exact(u128::from(iterations))),
                    (ContextId(0), entered, Count::exact(u128::from(entries))),
                ]
            })
            .collect();
        counts.sort_by_key(|entry| entry.1);
        let segment = Segment { counts, ..Segment::default() };
        let all = (0..).take(model.scopes.len()).collect();
        let found = values(&model, &ExecutionCounts::of_context(&segment, ContextId(0)), &all);
        let mut named: Vec<_> =
            found.iter().map(|(&variable, value)| (program.variables[variable].name.to_string(), value)).collect();
        named.sort();
        named.into_iter().fold(String::new(), |mut text, (name, value)| {
            let _ = write!(text, "{name}={value} ");
            text
        })
    }

    #[test]
    fn bounds_tell_what_variables_hold() {
        let walk = "void f(double *a, int n, int m) {
            for (int i = 1; i <= n; i++) for (int j = 0; j < m - 2; j++) a[i * m + j] = 0; }";
        assert_eq!(check(walk, &[(7, 1), (7 * 30, 7)]), "m=32 n=7 ");
    }

    #[test]
    fn one_bound_may_tell_another() {
        let walk = "void f(double *a, int n, int m) {
            for (int j = n - m; j > 0; j--) a[j] = 0; for (int i = 0; i != n; i += 2) a[i] = 1; }";
        assert_eq!(check(walk, &[(12, 1), (10, 1)]), "m=8 n=20 ");
    }

    #[test]
    fn a_variable_may_live_in_memory() {
        let walk =
            "void get(int *); void f(float *a) { int n; get(&n); for (int i = 0; i < 2 * n; i++) a[i * n] = 0; }";
        assert_eq!(check(walk, &[(14, 1)]), "n=7 ");
    }

    #[test]
    fn loops_that_did_not_run_tell_nothing() {
        let walk = "void f(double *a, int n) { for (int i = 0; i < n; i++) a[i] = 0; }";
        assert_eq!(check(walk, &[(0, 0)]), "");
    }
}
