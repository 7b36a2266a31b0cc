//! Loops that halve an interval by data nobody knows (binary searches, bisections), and others whose next
//! iteration follows from few numbers and from chance: the expected number of iterations by the recurrence
//! `T(state) = 1 + Σ p T(next state)`, the state being what the condition reads. Where two counters are
//! compared, their distance is the state.
//!
//! It runs iterations on trial, each arm of an unknown branch apart, and counts nothing itself.

use super::expectation::{End, Expectation, Key, Role, Search, Tracked, Way};
use crate::UncertainKind;
use crate::counts::path::Path;
use crate::expressions::affine::Affine;
use crate::expressions::formula::{Constraint, Formula};
use crate::expressions::symbolic::Symbolic;
use crate::state::execution::{Execution, Flow};
use chronos_activity::Count;
use chronos_base::hash::FxHashMap;
use chronos_ir::{BlockId, BlockKind, Condition, Loop, LoopForm, OpKind, Operand, VarId};
use chronos_values::ReasonKind;
use std::collections::BTreeSet;

/// States of one loop.
const MAX_STATES: usize = 1024;
/// Iterations of one entry.
const MAX_ITERATIONS: u32 = 256;

impl<'a> Execution<'a> {
    /// Executes a loop whose number of iterations follows from chance, its initialisation done; `None`, and nothing
    /// done, where there is no such recurrence.
    pub(crate) fn by_recurrence(&mut self, id: BlockId, l: &'a Loop, path: &Path) -> Option<Flow> {
        let expectation = self.expectation(id, l, path).or_else(|| self.outlook_of_search(id, l, path))?;
        Some(self.iterate_expected(id, l, path, expectation))
    }

    fn expectation(&mut self, id: BlockId, l: &'a Loop, path: &Path) -> Option<Expectation> {
        let condition = l.condition.as_ref()?;
        let mut tracked = self.tracked(l, condition)?;
        let (key, grows) = self.entry_key(&mut tracked, path)?;
        let base = self.symbols.fresh();
        let nonnegative = Formula::atom(Constraint::Nonnegative(Affine::symbol(base)));
        let bound = if grows { nonnegative } else { Formula::always() };
        let within = path.extended(base).restricted(&bound)?.relative();
        self.trial(|trial| {
            trial.forget_written(id, l);
            let head = trial.state.clone();
            let known = FxHashMap::default();
            let mut search = Search { l, tracked, base, grows, head, path: within, known, assumed: false };
            let depth = trial.frames.len();
            let expectation = trial.from(&mut search, &key, 0);
            // What could not be followed may have left calls open.
            trial.frames.truncate(depth);
            let expectation = expectation?;
            Some(Expectation { assumed: search.assumed, ..expectation })
        })
    }

    /// The variables that the condition reads and iterations write.
    fn tracked(&mut self, l: &Loop, condition: &Condition) -> Option<Vec<Tracked>> {
        let written = self.repeated_writes(l);
        let sites = self.write_sites(l);
        let blocks = condition.region.iter().flat_map(|&block| self.inside(block));
        let mut read: BTreeSet<VarId> = BTreeSet::new();
        let mut pair = None;
        for block in blocks {
            let BlockKind::Straight(straight) = &self.setting.program.blocks[block].kind else { continue };
            for op in &straight.ops {
                if let OpKind::Read(place) = &op.kind {
                    let variable = crate::iteration_space::induction::plain(place)?;
                    if written.contains(&self.setting.analysis.variable(variable)) {
                        read.insert(variable);
                    }
                }
                if let OpKind::Binary(_, _, a, b) = &op.kind {
                    let read = |operand: &Operand| read_variable(&straight.ops, operand);
                    pair = pair.or(read(a).zip(read(b)).filter(|(a, b)| a != b));
                }
            }
        }
        let pair = pair.filter(|(a, b)| read.contains(a) && read.contains(b));
        let role = |variable| match pair {
            Some((base, _)) if base == variable => Role::Base,
            Some((_, other)) if other == variable => Role::Distance,
            _ => Role::Absolute,
        };
        let of = |&variable: &VarId| {
            let ty = self
                .setting
                .program
                .types
                .scalar(self.setting.program.variables[variable].ty)
                .filter(|ty| !ty.is_float() && !ty.is_wide())?;
            sites.contains_key(&variable).then_some(Tracked { variable, ty, role: role(variable) })
        };
        read.iter().map(of).collect::<Option<Vec<_>>>().filter(|tracked| !tracked.is_empty())
    }

    /// The state at the entry, the base being the lesser of the pair; whether it is not negative.
    fn entry_key(&mut self, tracked: &mut [Tracked], path: &Path) -> Option<(Key, bool)> {
        let mut values = Vec::new();
        for one in tracked.iter() {
            let Symbolic::Int(value) = self.read_variable(one.variable, one.ty) else { return None };
            values.push(value);
        }
        let place = |role: Role| tracked.iter().position(|one| one.role == role);
        if let (Some(base), Some(other)) = (place(Role::Base), place(Role::Distance))
            && values[other].sub(&values[base])?.as_constant()? < 0
        {
            (tracked[base].role, tracked[other].role) = (Role::Distance, Role::Base);
        }
        let base = tracked.iter().position(|one| one.role == Role::Base).map(|at| values[at].clone());
        let grows = base.as_ref().is_none_or(|base| path.bounds().is_nonnegative(base));
        let key = tracked.iter().zip(&values).map(|(one, value)| match (one.role, &base) {
            (Role::Distance, Some(base)) => value.sub(base)?.as_constant(),
            (Role::Base, _) => Some(0),
            _ => value.as_constant(),
        });
        Some((key.collect::<Option<Key>>()?, grows))
    }

    /// The outlook from a state at the head of an iteration.
    fn from(&mut self, search: &mut Search<'a>, key: &Key, depth: u32) -> Option<Expectation> {
        if let Some(known) = search.known.get(key) {
            return *known;
        }
        if depth > MAX_ITERATIONS || search.known.len() > MAX_STATES {
            return None;
        }
        search.known.insert(key.clone(), None);
        self.state = search.head.clone();
        for (one, &number) in search.tracked.iter().zip(key) {
            let value = match one.role {
                Role::Absolute => Affine::constant(number),
                Role::Base => Affine::symbol(search.base),
                Role::Distance => Affine::symbol(search.base).plus(number)?,
            };
            self.state.variables.insert(one.variable, Symbolic::Int(value));
        }
        let expectation = self.iteration(search, depth)?;
        search.known.insert(key.clone(), Some(expectation));
        Some(expectation)
    }

    fn iteration(&mut self, search: &mut Search<'a>, depth: u32) -> Option<Expectation> {
        let l = search.l;
        let first = l.form != LoopForm::DoWhile;
        if first && !self.continues(search)? {
            return Some(Expectation { tests: 1.0, ..Expectation::OVER });
        }
        let begun = self.here(1.0, End::Through);
        let mut ways = self.ways(search, &l.body, vec![begun])?;
        ways.iter_mut().filter(|way| way.end == End::Continue).for_each(|way| way.end = End::Through);
        let ways = self.ways(search, &l.step, ways)?;
        let mut parts = Vec::new();
        for way in ways {
            let part = match way.end {
                End::Through | End::Continue => self.next(search, &way, depth)?,
                End::Break => Expectation::OVER,
                End::Outward => Expectation { through: 0.0, ..Expectation::OVER },
            };
            parts.push((way.share, part));
        }
        let rest = Expectation::mixed(&parts);
        let tests = rest.tests + f64::from(u8::from(first));
        Some(Expectation {
            iterations: rest.iterations + 1.0,
            tests,
            least: rest.least + 1,
            most: rest.most + 1,
            ..rest
        })
    }

    /// What follows an iteration that came to its end.
    fn next(&mut self, search: &mut Search<'a>, way: &Way, depth: u32) -> Option<Expectation> {
        self.enter(way);
        let tested = search.l.form == LoopForm::DoWhile;
        if tested && !self.continues(search)? {
            return Some(Expectation { tests: 1.0, ..Expectation::OVER });
        }
        let key = self.key(search)?;
        let expectation = self.from(search, &key, depth + 1)?;
        Some(Expectation { tests: expectation.tests + f64::from(u8::from(tested)), ..expectation })
    }

    fn continues(&mut self, search: &Search<'a>) -> Option<bool> {
        let condition = search.l.condition.as_ref()?;
        let before = self.frame().escapes.len();
        let path = self.region(&condition.region, search.path.clone()).ok()?;
        if path.is_unreachable() || self.frame().escapes.len() > before {
            return None;
        }
        let value = self.operand(&condition.value);
        decided(&self.symbols.truth(&value)?)
    }

    /// The state as it is now.
    fn key(&mut self, search: &Search<'a>) -> Option<Key> {
        let mut values = Vec::new();
        for one in &search.tracked {
            let Symbolic::Int(value) = self.read_variable(one.variable, one.ty) else { return None };
            values.push((one.role, value));
        }
        let base = values.iter().find(|(role, _)| *role == Role::Base).map(|(_, value)| value.clone());
        if let Some(base) = &base {
            let rise = base.sub(&Affine::symbol(search.base))?.as_constant()?;
            if search.grows && rise < 0 {
                return None;
            }
        }
        let number = |(role, value): &(Role, Affine)| match (role, &base) {
            (Role::Absolute, _) | (_, None) => value.as_constant(),
            (_, Some(base)) => value.sub(base)?.as_constant(),
        };
        values.iter().map(number).collect()
    }

    /// One abstract iteration, weighted by their expected number.
    fn iterate_expected(&mut self, id: BlockId, l: &'a Loop, path: &Path, expectation: Expectation) -> Flow {
        let span = self.setting.program.blocks[id].span;
        let entry = self.state.clone();
        let inexact_reason = (!expectation.is_exact()).then(|| self.reason(ReasonKind::UnknownBranch, Some(span)));
        if !expectation.is_exact() && expectation.assumed {
            let Expectation { iterations, least, most, .. } = expectation;
            self.note_uncertain(id, UncertainKind::AssumedTrips { mean: iterations, least, most }, None);
        }
        self.forget_written(id, l);
        let before = self.frame().escapes.len();
        let body = path.weighted(expectation.count(expectation.iterations)).with_inexact_reason(inexact_reason);
        self.count(id, 0, &body)?;
        let tests = if l.form == LoopForm::DoWhile {
            body.clone()
        } else {
            path.weighted(expectation.count(expectation.tests)).with_inexact_reason(inexact_reason)
        };
        if !body.is_unreachable() || l.form != LoopForm::DoWhile {
            self.one_iteration(l, body, tests)?;
        }
        self.join_breaks(before, l.target);
        let outward = self.frame().escapes.len() > before;
        self.state = entry;
        self.forget_written(id, l);
        let through = Count::expected(expectation.through, expectation.source());
        Ok(if outward { path.weighted(through).with_inexact_reason(inexact_reason) } else { path.clone() })
    }
}

/// Always or never.
pub(crate) fn decided(truth: &Formula) -> Option<bool> {
    match (truth.is_always(), truth.is_never()) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    }
}

/// The variable whose value an operand is, converted or not.
fn read_variable(ops: &[chronos_ir::Op], operand: &Operand) -> Option<VarId> {
    let Operand::Value(value) = operand else { return None };
    match &ops.iter().rev().find(|op| op.dst == Some(*value))?.kind {
        OpKind::Read(place) => crate::iteration_space::induction::plain(place),
        OpKind::Convert(_, inner) | OpKind::Move(inner) => read_variable(ops, inner),
        _ => None,
    }
}
