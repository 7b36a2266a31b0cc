//! Functions that a loop calls, beside the loop: what waits in both waits at the same time.

use super::code::CompiledFunction;
use super::times::Profile;
use chronos_compiled::loops::LoopId;
use chronos_compiled::nest::{NestTimes, RegionTime, Situation};
use chronos_ir::FuncId;

/// Cycles of one iteration of a loop, and of its execution, that short functions which it calls do not hide; `None` where
/// it calls none. A call drains nothing: what waits in the function and what waits in the loop wait at the same time, as far as
/// the reorder buffer holds both (a generator of random numbers that takes 11 cycles from call to call, in a loop whose
/// own chain takes 8: 11.3 cycles on a Zen 4).
pub(super) fn beside_calls(
    nest: &NestTimes<'_>,
    found: &CompiledFunction,
    profile: &Profile<'_>,
    id: LoopId,
) -> Option<[f64; 2]> {
    let calls = &found.code.facts[id].calls;
    if calls.is_empty() || !found.code.forest.loops[id].children.is_empty() {
        return None;
    }
    let mut instructions = nest.instructions(Some(id))?;
    let (mut waiting, mut busy) = (0.0, 0.0);
    for name in calls {
        let callees = callees(profile, name.as_deref());
        let all: f64 = callees.iter().map(|callee| callee.calls).sum();
        let mut longest = 0;
        for callee in &callees {
            let (time, length) = one_call(profile, callee)?;
            longest = longest.max(length);
            waiting += time.cycles * callee.calls / all;
            busy += time.busy * callee.calls / all;
        }
        if callees.is_empty() {
            return None;
        }
        instructions += longest;
    }
    // On one of several ways the calls may be rare.
    let time = nest.region(Some(id)).ok().filter(|time| !time.chooses && instructions <= nest.window())?;
    let all = (time.own_busy() + busy).max(time.own()).max(waiting);
    let own = (all - waiting).clamp(0.0, time.own());
    Some([own, own.min(time.own_busy())])
}

/// A function that a call may reach, with how often it is called in all.
struct Reachable<'a> {
    id: FuncId,
    code: &'a CompiledFunction,
    calls: f64,
}

/// The function of a name, or those that calls through pointers reached. Static functions of several files may have one name:
/// none of them is it for certain.
fn callees<'a>(profile: &Profile<'a>, name: Option<&str>) -> Vec<Reachable<'a>> {
    let compiled = profile.compiled;
    let is_called = |id: &FuncId, code: &CompiledFunction| match name {
        Some(name) => *code.code.function.name == *name,
        None => compiled.by_pointer.contains(id),
    };
    let all = compiled.functions.iter().filter(|(id, code)| is_called(id, code));
    let all = all.map(|(&id, code)| Reachable { id, code, calls: profile.all_calls(id) });
    let mut reachable: Vec<Reachable<'_>> = match name {
        Some(_) => all.map(|callee| Reachable { calls: 1.0, ..callee }).collect(),
        None => all.filter(|callee| callee.calls > 0.0).collect(),
    };
    if name.is_some() && reachable.len() > 1 {
        reachable.clear();
    }
    reachable.sort_by_key(|callee| callee.id);
    reachable
}

/// The time of a call of a function without loops, and its instructions.
fn one_call(profile: &Profile<'_>, callee: &Reachable<'_>) -> Option<(RegionTime, usize)> {
    let called = callee.code;
    if callee.id == profile.function || called.code.forest.loops.ids().next().is_some() {
        return None;
    }
    let situation = Situation {
        code: &called.code,
        matches: &called.matches,
        source: &profile.compiled.source,
        places: &called.places,
        profile,
    };
    let times = NestTimes::new(&profile.compiled.core, situation, &called.simulated);
    Some((times.region(None).ok()?, times.instructions(None)?))
}
