//! Which static objects a pointer may lead to: what the first touch of memory needs where a function is given arrays of
//! the program.
//!
//! What is not known is left out, so that a pointer may lead elsewhere as well.

use crate::source::whole_program::assignments::{Assigned, Assignments};
use chronos_base::hash::FxHashMap;
use chronos_ir::{Callee, Program, VarId};
use std::collections::BTreeSet;

/// By pointer, the objects among those that `wanted` names. Linear in the size of the program, times the depth of
/// passing pointers on and the number of objects.
pub fn pointed_objects(
    program: &Program,
    flow: &Assignments,
    wanted: impl Fn(VarId) -> bool,
) -> FxHashMap<VarId, BTreeSet<VarId>> {
    let mut found: FxHashMap<VarId, BTreeSet<VarId>> = FxHashMap::default();
    let mut passed = Vec::new();
    for (variable, given) in given(program, flow) {
        match given {
            Assigned::Object(object) if wanted(*object) => drop(found.entry(variable).or_default().insert(*object)),
            Assigned::Variable(from) if *from != variable => passed.push((*from, variable)),
            _ => {}
        }
    }
    while passed.iter().fold(false, |grows, &(from, to)| pass_on(&mut found, from, to) || grows) {}
    found
}

/// All that variables are given: parameters by calls, where the place within an object does not matter.
fn given<'a>(program: &'a Program, flow: &'a Assignments) -> impl Iterator<Item = (VarId, &'a Assigned)> {
    let arguments = flow.arguments.iter().filter_map(|(&block, arguments)| {
        let Callee::Function(callee) = &program.call(block)?.callee else { return None };
        Some(program.functions[*callee].params.iter().copied().zip(arguments))
    });
    let variables = flow.variables.iter().flat_map(|(&variable, given)| given.iter().map(move |one| (variable, one)));
    arguments.flatten().chain(variables)
}

/// Whether `to` leads to more objects now.
fn pass_on(found: &mut FxHashMap<VarId, BTreeSet<VarId>>, from: VarId, to: VarId) -> bool {
    let Some(more) = found.get(&from).cloned() else { return false };
    let known = found.entry(to).or_default();
    let before = known.len();
    known.extend(more);
    known.len() > before
}
