//! Changes of what tasks execute: the recorded activity is made anew, step by step.

mod balance;
pub(crate) mod figure_8;
mod matching;
mod moved;
mod overlap;

use crate::change::Position;
use crate::codes;
use crate::scope::Rescaled;
use chronos_activity::executed::executed_steps;
use chronos_activity::{Activity, Step, TaskId};
use chronos_base::diag::Diagnostic;
use chronos_ir::FuncId;
use chronos_predict::{Job, Target};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// A change of what tasks execute.
#[derive(Clone, Debug)]
pub enum Structural {
    /// Functions are executed at the other end of messages.
    Move {
        /// The functions.
        functions: BTreeSet<FuncId>,
        /// Tasks that execute them in the program as it is.
        from: Vec<TaskId>,
        /// Tasks that are to execute them.
        to: Vec<TaskId>,
        /// On which side of the receive they are executed there.
        position: Position,
        /// Bytes that the messages grow by; negative: shrink.
        bytes: i64,
    },
    /// Computation, or that of functions, is spread evenly.
    Balance(Option<BTreeSet<FuncId>>),
    /// Waits come as late as possible.
    Overlap,
}

/// Steps of all tasks that are unfolded at most.
pub const MOST_STEPS: u64 = 10_000_000;

/// An activity under changes, and what is to be said of it.
///
/// # Errors
/// A change that cannot be made; the message says why.
pub fn apply<'a>(
    changes: &[Structural],
    text: &str,
    job: &Job,
    target: Target<'_>,
    activity: &'a Activity,
    rescaled: &mut Vec<Rescaled>,
) -> Result<(Cow<'a, Activity>, Vec<String>), Diagnostic> {
    if changes.is_empty() {
        return Ok((Cow::Borrowed(activity), Vec::new()));
    }
    if activity.timing_dependent {
        return Err(depends_on_arrival(text));
    }
    let mut changed = unfolded(activity, text)?;
    let mut notes = Vec::new();
    for change in changes {
        match change {
            Structural::Move { functions, from, to, position, bytes } => {
                let moving = moved::Moving { job, functions, from, to, position: *position, bytes: *bytes, text };
                notes.push(moving.apply(&mut changed)?);
            }
            Structural::Overlap => overlap::apply(&mut changed),
            Structural::Balance(_) => {}
        }
    }
    // Prices of computing that is spread evenly are those of all other changes, so it comes last.
    if let Some(functions) = balanced(changes) {
        notes.push(balance::apply(functions.as_ref(), text, job, target, &mut changed, rescaled)?);
        // What is spread is a duration from here on, which the other changes are part of.
        rescaled.clear();
    }
    Ok((Cow::Owned(changed), notes))
}

/// What is spread evenly, if anything is: several functions together, because means of sums are sums of means, and once
/// spread, nothing could be told apart any more.
fn balanced(changes: &[Structural]) -> Option<Option<BTreeSet<FuncId>>> {
    let sets = changes.iter().filter_map(|change| match change {
        Structural::Balance(functions) => Some(functions.clone()),
        _ => None,
    });
    sets.reduce(|all, more| Some(all?.into_iter().chain(more?).collect()))
}

fn depends_on_arrival(text: &str) -> Diagnostic {
    let message = format!("the change `{text}` needs an activity that does not depend on the order of arrival");
    Diagnostic::error(&codes::DEPENDS_ON_ARRIVAL, message).help(
        "here the order of messages decides what tasks do, and the program is followed again: without --re-evaluate, messages match as in one run",
    )
}

fn impossible(text: &str, what: &str, help: impl Into<String>) -> Diagnostic {
    Diagnostic::error(&codes::NOT_APPLICABLE, format!("the change `{text}` {what}")).help(help)
}

/// The same activity without repeats.
fn unfolded(activity: &Activity, text: &str) -> Result<Activity, Diagnostic> {
    let steps: u64 = activity.tasks.iter().map(|steps| executed_steps(steps)).fold(0, u64::saturating_add);
    if steps > MOST_STEPS {
        let what = format!("needs every iteration, and the tasks execute {steps} steps");
        return Err(impossible(
            text,
            &what,
            format!("up to {MOST_STEPS} can be changed: predict fewer iterations or tasks"),
        ));
    }
    let unfold = |steps: &Vec<Step>| {
        let mut flat = Vec::with_capacity(executed_steps(steps) as usize);
        unfold(steps, &mut flat);
        flat
    };
    Ok(Activity { tasks: activity.tasks.iter().map(unfold).collect(), ..activity.clone() })
}

fn unfold(steps: &[Step], flat: &mut Vec<Step>) {
    for step in steps {
        match step {
            Step::Repeat(repeat) => (0..repeat.times).for_each(|_| unfold(&repeat.steps, flat)),
            step => flat.push(step.clone()),
        }
    }
}
