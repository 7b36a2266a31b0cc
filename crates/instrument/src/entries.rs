//! Functions that need no trace point of their own: how often one is entered follows from its calls, where all of
//! them are seen.
//!
//! A point at the beginning of a small function that is called in a loop is counted in memory each time; compilers put
//! the function into the loop, but not its counter into a register. The points around its calls are there anyhow.

use super::plan::Plan;
use chronos_base::ids::Id;
use chronos_frontend::offsets::{OffsetUnit, unit_of};
use chronos_ir::{BlockId, BlockKind, Callee, FuncId, Function, Program};
use chronos_trace::formula::Formula;
use std::collections::{BTreeMap, BTreeSet};

/// More calls than that are not worth a sum.
const MOST_TERMS: usize = 8;

/// The calls of each function whose calls are all seen.
pub struct Entries {
    calls: BTreeMap<FuncId, Vec<BlockId>>,
}

impl Entries {
    pub fn of(program: &Program, units: &[OffsetUnit]) -> Self {
        let seen: Vec<bool> = units.iter().map(|unit| !calls_by_attribute(unit)).collect();
        let is_seen = |function: &Function| unit_of(function.span).and_then(|unit| seen.get(unit)) == Some(&true);
        let candidates = program.functions.iter().filter(|&(id, function)| {
            let effects = function.effects;
            let simple = !effects.reaches_mpi && !effects.recursive && !effects.address_taken;
            function.is_static && simple && program.main != Some(id) && is_seen(function)
        });
        let mut calls: BTreeMap<FuncId, Vec<BlockId>> = candidates.map(|(id, _)| (id, Vec::new())).collect();
        for (leaf, block) in program.blocks.iter() {
            if let BlockKind::Call(call) = &block.kind
                && let Callee::Function(to) = call.callee
                && let Some(calls) = calls.get_mut(&to)
            {
                calls.push(leaf);
            }
        }
        Self { calls }
    }

    /// All functions, those that call before those that are called: such functions do not call each other in circles.
    pub fn order(&self, program: &Program) -> Vec<FuncId> {
        let mut waits: BTreeMap<FuncId, BTreeSet<FuncId>> = BTreeMap::new();
        let mut called: BTreeMap<FuncId, BTreeSet<FuncId>> = BTreeMap::new();
        for (&to, calls) in &self.calls {
            for from in calls.iter().map(|&leaf| program.blocks[leaf].function) {
                waits.entry(to).or_default().insert(from);
                called.entry(from).or_default().insert(to);
            }
        }
        let mut ready: Vec<FuncId> = program.functions.ids().filter(|id| !waits.contains_key(id)).collect();
        ready.reverse();
        let mut order = Vec::with_capacity(program.functions.len());
        while let Some(id) = ready.pop() {
            order.push(id);
            for &to in called.get(&id).into_iter().flatten() {
                let Some(left) = waits.get_mut(&to) else { continue };
                left.remove(&id);
                if left.is_empty() {
                    ready.push(to);
                }
            }
        }
        order
    }

    /// How often a function is entered, where that follows from the points of its callers.
    pub fn entry(&self, id: FuncId, program: &Program, plan: &Plan) -> Option<Formula> {
        let formula = |&leaf: &BlockId| plan.formulas.get(program.blocks[leaf].counter(0).index())?.as_ref();
        let mut sum = Formula::zero();
        for call in self.calls.get(&id)? {
            sum = sum.plus(formula(call)?);
        }
        let is_certain = sum.terms().all(|(point, _)| !plan.doubtful.contains(&point));
        (is_certain && sum.len() <= MOST_TERMS).then_some(sum)
    }
}

/// Whether the user's text may have functions called by something else than calls.
fn calls_by_attribute(unit: &OffsetUnit) -> bool {
    const WORDS: &[&str] = &["constructor", "destructor", "cleanup", "alias", "ifunc", "asm", "__asm__", "__asm"];
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_one = |word: &str| WORDS.iter().any(|one| word == *one || word.trim_matches('_') == *one);
    let user = unit.file_lines.iter().filter(|stretch| stretch.user);
    user.filter_map(|stretch| unit.text.get(stretch.range.clone()))
        .any(|text| text.split(|c: char| !is_name(c)).any(is_one))
}
