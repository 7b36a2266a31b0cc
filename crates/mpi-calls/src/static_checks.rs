//! Which MPI calls of a program are not modelled, told before anything is evaluated.

use crate::codes;
use crate::handlers;
use chronos_base::diag::Diagnostic;
use chronos_base::ids::Id;
use chronos_base::span::Span;
use chronos_functions::{self as functions, Object, Role};
use chronos_ir::{BlockKind, Callee, FuncId, Program};
use std::collections::BTreeMap;
use std::sync::Arc;

/// One diagnostic that lists the MPI functions that are called and not modelled, with all places; empty
/// where there are none. Functions that `main` cannot reach do not count.
pub fn unsupported_calls(program: &Program) -> Vec<Diagnostic> {
    let reached = reachable(program);
    // Expressions are worked out for the tasks of -n alone.
    let symbolic = !program.parameters.is_empty();
    let calls = program.blocks.values().filter_map(|block| match &block.kind {
        BlockKind::Call(call) if reached[block.function.index()] => match &call.callee {
            Callee::Mpi(name) if chronos_ir::openmp::stops(name) => None,
            Callee::Mpi(name) if !handlers::supported(name) || (symbolic && spawns_tasks(name)) => {
                Some((name.clone(), block.span))
            }
            _ => None,
        },
        _ => None,
    });
    let calls: Vec<(Arc<str>, Span)> = calls.collect();
    if calls.is_empty() { Vec::new() } else { vec![unsupported(calls)] }
}

fn spawns_tasks(name: &str) -> bool {
    functions::lookup(name).is_some_and(|function| function.spawns)
}

fn makes_operation(name: &str) -> bool {
    functions::lookup(name).is_some_and(|function| function.has(Role::Makes(Object::Operation)))
}

/// Where reachable calls start tasks (`MPI_Comm_spawn`).
pub fn spawns(program: &Program) -> Vec<Span> {
    let reached = reachable(program);
    let calls = program.blocks.values().filter_map(|block| match &block.kind {
        BlockKind::Call(call) if reached[block.function.index()] => match &call.callee {
            Callee::Mpi(name) if spawns_tasks(name) => Some(block.span),
            _ => None,
        },
        _ => None,
    });
    calls.collect()
}

/// Warns of reductions by functions of the program: the library calls these as often as its algorithm wants.
pub fn own_operations(program: &Program) -> Option<Diagnostic> {
    let reached = reachable(program);
    let made = program.blocks.values().filter_map(|block| match &block.kind {
        BlockKind::Call(call) if reached[block.function.index()] => match &call.callee {
            Callee::Mpi(name) if makes_operation(name) => Some(block.span),
            _ => None,
        },
        _ => None,
    });
    let spans: Vec<Span> = made.collect();
    let message = "functions that MPI calls in reductions are neither counted nor timed";
    let warning = Diagnostic::warning(&codes::OWN_OPERATION, message)
        .help("where the result decides what the program does, give it: --set, --prob or --iterations");
    let labelled = |warning: Diagnostic, &span: &Span| warning.label(span, "an operation is made here");
    (!spans.is_empty()).then(|| spans.iter().fold(warning, labelled))
}

/// Says that these calls are not modelled.
pub(crate) fn unsupported(calls: impl IntoIterator<Item = (Arc<str>, Span)>) -> Diagnostic {
    let mut by_name: BTreeMap<Arc<str>, Vec<Span>> = BTreeMap::new();
    for (name, span) in calls {
        by_name.entry(name).or_default().push(span);
    }
    let names: Vec<&str> = by_name.keys().map(|name| &**name).collect();
    let message = match names.as_slice() {
        [one] => format!("the program calls {one}, which is not modelled"),
        many => format!("the program calls MPI functions that are not modelled: {}", many.join(", ")),
    };
    let mut diagnostic = Diagnostic::error(&codes::UNSUPPORTED, message);
    for (name, spans) in &by_name {
        for &span in spans {
            diagnostic = diagnostic.label(span, format!("calls {name}"));
        }
    }
    if names.iter().all(|name| spawns_tasks(name)) {
        return diagnostic
            .help("with free integers, tasks are those that a run begins with: give all integers (--set)");
    }
    diagnostic
        .help("leave these calls out of the predicted version (#ifdef), or use point-to-point or collective calls")
}

/// By function: `main` may reach it. Without `main`, all.
fn reachable(program: &Program) -> Vec<bool> {
    let Some(main) = program.main else { return vec![true; program.functions.len()] };
    let mut callees: Vec<Vec<FuncId>> = vec![Vec::new(); program.functions.len()];
    for block in program.blocks.values() {
        if let BlockKind::Call(call) = &block.kind
            && let Callee::Function(callee) = call.callee
        {
            callees[block.function.index()].push(callee);
        }
    }
    let taken = program.functions.iter().filter(|(_, f)| f.effects.address_taken).map(|(id, _)| id);
    let mut waiting: Vec<FuncId> = taken.chain([main]).collect();
    let mut reached = vec![false; program.functions.len()];
    while let Some(function) = waiting.pop() {
        if !std::mem::replace(&mut reached[function.index()], true) {
            waiting.extend(&callees[function.index()]);
        }
    }
    reached
}
