//! States that come together, and values that differ by condition.

use super::splits::is_truth;
use crate::expressions::formula::Formula;
use crate::expressions::symbolic::Symbolic;
use crate::state::execution::Execution;
use crate::state::store::State;
use chronos_ir::BlockId;
use chronos_values::ReasonKind;

impl Execution<'_> {
    pub(crate) fn choice(&mut self, id: BlockId, values: Vec<(Option<Formula>, Option<Symbolic>)>) -> Symbolic {
        let span = self.setting.program.blocks[id].span;
        let known: Option<Vec<(Option<Formula>, Symbolic)>> =
            values.into_iter().map(|(guard, value)| Some((guard, value?))).collect();
        match known {
            Some(known) => self.one_of(&known).unwrap_or_else(|| self.unknown(ReasonKind::UnknownBranch, span)),
            None => self.unknown(ReasonKind::NotEvaluated, span),
        }
    }

    /// The value under each guard; `None` where they differ and the guards or values are unknown.
    pub(crate) fn one_of(&mut self, values: &[(Option<Formula>, Symbolic)]) -> Option<Symbolic> {
        let (_, first) = values.first()?;
        if values.iter().all(|(_, value)| value == first) {
            return Some(first.clone());
        }
        let truths = values.iter().all(|(_, v)| matches!(v, Symbolic::Truth(_)) || is_truth(v));
        if truths {
            return self.truth_of(values);
        }
        let mut cases = Vec::new();
        for (guard, value) in values {
            for piece in &guard.as_ref()?.pieces {
                let guard = Formula { pieces: vec![piece.clone()] };
                for (condition, affine) in value.cases()? {
                    let both = guard.and(&Formula { pieces: vec![condition] })?;
                    cases.extend(both.pieces.into_iter().map(|piece| (piece, affine.clone())));
                }
            }
        }
        Symbolic::from_cases(cases)
    }

    fn truth_of(&mut self, values: &[(Option<Formula>, Symbolic)]) -> Option<Symbolic> {
        let mut pieces = Vec::new();
        for (guard, value) in values {
            pieces.extend(guard.as_ref()?.and(&self.symbols.truth(value)?)?.pieces);
        }
        Some(Symbolic::Truth(Formula { pieces }).constant_folded())
    }

    /// One state for those that come from several places, under disjoint guards where these are known.
    pub fn merge(&mut self, mut states: Vec<(Option<Formula>, State)>) -> State {
        if states.len() <= 1 {
            return states.pop().map(|(_, state)| state).unwrap_or_default();
        }
        let mut merged = State { last: self.merged_last_call(&states), ..State::default() };
        for (_, state) in &states {
            merged.lost_objects.extend(state.lost_objects.clone());
            merged.lost_classes.extend(state.lost_classes.clone());
        }
        self.merge_zeroed(&states, &mut merged);
        let variables: std::collections::BTreeSet<_> =
            states.iter().flat_map(|(_, state)| state.variables.keys().copied()).collect();
        for variable in variables {
            let ty = self.setting.program.types.scalar(self.setting.program.variables[variable].ty);
            let Some(ty) = ty else { continue };
            let value = self.over(&mut states, |run| run.read_variable(variable, ty));
            merged.variables.insert(variable, value);
        }
        let cells: std::collections::BTreeSet<_> =
            states.iter().flat_map(|(_, state)| state.cells.iter().map(|(key, (ty, _))| (*key, *ty))).collect();
        for ((object, offset), ty) in cells {
            let value = self.over(&mut states, |run| run.read_cell(object, offset, ty));
            merged.cells.insert((object, offset), (ty, value));
        }
        merged
    }

    /// What is zero in all states stays so; what is in some is lost.
    fn merge_zeroed(&mut self, states: &[(Option<Formula>, State)], merged: &mut State) {
        let all: std::collections::BTreeSet<_> = states.iter().flat_map(|(_, state)| state.zeroed.clone()).collect();
        for object in all {
            if states.iter().all(|(_, state)| state.zeroed.contains(&object)) {
                merged.zeroed.insert(object);
            } else {
                let reason = self.reason(ReasonKind::UnknownBranch, None);
                merged.lost_objects.entry(object).or_insert(reason);
            }
        }
    }

    /// Reads in every state and combines.
    fn over(&mut self, states: &mut [(Option<Formula>, State)], read: impl Fn(&mut Self) -> Symbolic) -> Symbolic {
        let mut values = Vec::new();
        for (guard, state) in states.iter_mut() {
            std::mem::swap(&mut self.state, state);
            values.push((guard.clone(), read(self)));
            std::mem::swap(&mut self.state, state);
        }
        match self.one_of(&values) {
            Some(value) => value,
            None => {
                let origin = values.iter().find(|(_, value)| matches!(value, Symbolic::Unknown(_)));
                let origin = origin.map(|(_, value)| value.clone());
                origin.unwrap_or_else(|| Symbolic::Unknown(self.reason(ReasonKind::UnknownBranch, None)))
            }
        }
    }
}

impl Execution<'_> {
    /// One of two states.
    pub fn either(&mut self, a: State, b: State) -> State {
        if a == b {
            return a;
        }
        self.merge(vec![(None, a), (None, b)])
    }
}
