//! Mispredicted branches: those that data decides, and the ends of loops.

use crate::source::branches::data_dependent::DataDependentBranch;
use crate::source::loops::scope::Scope;
use crate::source::model::Source;
use crate::source::profile::counts::{ExecutionCounts, trips};
use chronos_ir::{CounterId, VarId};

/// Branches that data decides: how many are mispredicted, and the cycles that takes.
pub fn mispredictions(model: &Source, index: usize, counts: &ExecutionCounts) -> (f64, f64) {
    mispredictions_of(model, index, counts, true)
}

/// The same; without `branches`, the compiler has made selections of all but the end of the loop.
pub(crate) fn mispredictions_of(model: &Source, index: usize, counts: &ExecutionCounts, branches: bool) -> (f64, f64) {
    let scope = &model.scopes[index];
    let mispredict = model.costs.pipeline.mispredict_cycles.0;
    let (mut misses, mut cycles) = (0.0, 0.0);
    let mut add = |number: f64, resolved: f64| {
        misses += number;
        cycles += number * (mispredict + resolved);
    };
    for branch in scope.data_dependent.iter().filter(|_| branches) {
        // A predictor that followed the program knows better than frequencies.
        let seen = counts.mispredicted(model.blocks[branch.counter.0 as usize]);
        let misses = seen.map(|share| share * counts.of(branch.counter));
        add(misses.unwrap_or_else(|| NOT_LEARNT * rarer_ways(branch, counts)), branch.resolved);
    }
    if let (Some(resolved), Some((header, iterations, entries))) =
        (data_dependent_exit(model, scope), trips(model, index, counts))
    {
        let predicted = f64::from(model.costs.pipeline.predicted_trips);
        let seen = counts.mispredicted(header).map(|share| share * (iterations + entries));
        let missed =
            || missed_exits(iterations, entries, predicted).min(changes_of_length(model, index, counts, predicted));
        add(seen.unwrap_or_else(missed), resolved);
    }
    (misses, cycles)
}

/// Ends of a loop that are missed because its length became another one: farther out than in the loop around it, all entries of
/// that loop find one length, which predictors learn as they do any that stays (the butterflies of a fast Fourier
/// transform, whose step doubles from level to level).
fn changes_of_length(model: &Source, index: usize, counts: &ExecutionCounts, predicted: f64) -> f64 {
    let scope = &model.scopes[index];
    let Some((_, iterations, entries)) = trips(model, index, counts) else { return f64::INFINITY };
    if scope.loaded_bound || scope.data_dependent_exit.is_some() || iterations > predicted * entries {
        return f64::INFINITY;
    }
    let changed = |around: &Scope| {
        let written = |variable: &VarId| {
            around.steps.contains_key(variable) || around.data_dependent_variables.contains(variable)
        };
        scope.bounds.iter().any(written)
    };
    let path: Vec<usize> = std::iter::successors(scope.parent, |&parent| model.scopes[parent].parent).collect();
    match path.iter().position(|&around| changed(&model.scopes[around])) {
        Some(at) if at > 0 => trips(model, path[at - 1], counts).map_or(f64::INFINITY, |found| LEARNT_AFTER * found.2),
        _ => f64::INFINITY,
    }
}

/// Of the rarer ways of a branch that nothing watched, those that a predictor misses. Of 43 branches on data in 14 real programs
/// that were watched, it missed 0.61 in the median (mean 0.54): half of them are as random as their frequency allows, a quarter is
/// learnt wholly (identifiers that are compared in order, values that stay for long).
const NOT_LEARNT: f64 = 0.6;

/// Ends of a loop that are missed until a new length is learnt.
const LEARNT_AFTER: f64 = 2.0;

/// Where data decides how long the loop is, by its condition or by the bound that it gives: cycles until that is known.
pub(crate) fn data_dependent_exit(model: &Source, scope: &Scope) -> Option<f64> {
    let around = std::iter::successors(scope.parent, |&parent| model.scopes[parent].parent);
    let around: Vec<&Scope> = around.map(|parent| &model.scopes[parent]).collect();
    // The nearest loop that changes a variable decides: farther out, what a loop inside counts is not known any more.
    let changes = |variable: &VarId| {
        let nearest = around
            .iter()
            .find(|scope| scope.steps.contains_key(variable) || scope.data_dependent_variables.contains(variable));
        nearest.is_some_and(|scope| !scope.steps.contains_key(variable))
    };
    // A loop whose bound is data ends where no predictor expects it.
    let bound = scope.loaded_bound || scope.bounds.iter().any(changes);
    scope.data_dependent_exit.or_else(|| bound.then_some(0.0))
}

/// Whether entries differ in their number of iterations.
pub fn varies(model: &Source, index: usize) -> bool {
    let scope = &model.scopes[index];
    let mut around = std::iter::successors(scope.parent, |&parent| model.scopes[parent].parent);
    around.any(|parent| scope.bounds.iter().any(|variable| model.scopes[parent].steps.contains_key(variable)))
}

/// Cycles per entry that a mispredicted end of the loop takes, of `turns` through its branch.
pub fn exits(model: &Source, index: usize, turns: f64, varies: bool) -> f64 {
    let mispredict = model.costs.pipeline.mispredict_cycles.0;
    if !model.scopes[index].innermost || data_dependent_exit(model, &model.scopes[index]).is_some() {
        return 0.0;
    }
    // Calibrated exits win over the rule.
    if let Some(measured) = model.costs.exit(turns, varies) {
        return measured;
    }
    if turns > f64::from(model.costs.pipeline.predicted_trips) {
        // The history of a predictor is shorter than the loop: its end comes as a misprediction.
        mispredict
    } else if varies {
        VARYING_EXITS * mispredict
    } else {
        0.0
    }
}

/// Share of a misprediction that the end of a loop costs whose length changes from entry to entry: predictors learn
/// short and repeated ones. Suite kernels `triangle_rows` (0 to 0.7 of 22 cycles, by length) and eliminate (0.7).
const VARYING_EXITS: f64 = 0.5;

/// Evaluations that went another way than most.
fn rarer_ways(branch: &DataDependentBranch, counts: &ExecutionCounts) -> f64 {
    let evaluations = counts.of(branch.counter);
    let arms: Vec<f64> = (1..=branch.arms).map(|arm| counts.of(CounterId(branch.counter.0 + arm))).collect();
    let none = (evaluations - arms.iter().sum::<f64>()).max(0.0);
    let rest = |of: f64, ways: &[f64]| (of - ways.iter().copied().fold(0.0, f64::max)).max(0.0);
    if !branch.table {
        return rest(evaluations, &[arms.as_slice(), &[none]].concat());
    }
    // Whether any case of the table is meant, then which.
    let inside = evaluations - none;
    inside.min(none) + rest(inside, &arms)
}

/// Mispredicted ends of a loop that data decides: of the evaluations of its condition, the rarer way. A mean length
/// that is whole speaks for entries of one length, which predictors learn up to `predicted` iterations.
fn missed_exits(iterations: f64, entries: f64, predicted: f64) -> f64 {
    let trip = iterations / entries.max(1.0);
    let one_length = entries > 1.0 && trip.fract() == 0.0 && trip <= predicted;
    if one_length { 0.0 } else { iterations.min(entries) }
}
