//! What static evaluation knows of a task, beside what the task tells: where both executed the same up to a call, the
//! segment is taken as it was evaluated, with its calling contexts, the bytes that library calls handle and how branches
//! are predicted, which trace points do not tell.

use chronos_activity::{Activity, CountValue, Operation, Repeat, SegmentId, Segments, Step, Work};
use chronos_ir::{BlockId, CounterId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Executions by counter.
pub type Executed = BTreeMap<CounterId, u128>;

/// What is known of a program without its run.
#[derive(Clone, Copy, Debug)]
pub struct Evaluated<'e> {
    /// What its tasks execute, as far as it was evaluated.
    pub activity: &'e Activity,
    /// Blocks that the MPI library executes in addition where it reduces by functions of the program.
    pub of_reductions: &'e BTreeSet<BlockId>,
}

/// What an evaluation tells of a counter that a task has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// No trace point tells it.
    Nothing,
    /// As much as the task executes.
    All,
    /// The MPI library may call the function in addition, as its algorithm for a reduction wants (`MPI_Op_create`).
    AtLeast,
}

/// Walks over the steps of a task that were evaluated, one call after the other.
#[derive(Debug, Default)]
pub struct Known {
    /// Steps that are still to come, the innermost repeat last: it, the position in it, and how often it is still gone through.
    ahead: Vec<(Arc<Repeat>, usize, u64)>,
    lost: bool,
}

impl Known {
    /// Of a task.
    pub fn new(evaluated: Evaluated<'_>, task: usize) -> Self {
        let mut steps = evaluated.activity.tasks.get(task).cloned().unwrap_or_default();
        // What a task does until others have started it is not told by its program.
        let starts = |step: &Step| matches!(step, Step::Event(event) if event.operation == Operation::Start);
        if let Some(start) = steps.iter().take(2).position(starts) {
            steps.drain(..=start);
        }
        Self { ahead: vec![(Arc::new(Repeat { steps, times: 1 }), 0, 1)], lost: false }
    }

    /// Whether the task has done something else than was evaluated.
    pub fn is_lost(&self) -> bool {
        self.lost
    }

    /// The steps up to the next call, where the task executed as much as they do and this call is next (`None`: the end of
    /// the program), and what the MPI library executed beside them.
    pub fn steps(
        &mut self,
        executed: &Executed,
        call: Option<BlockId>,
        segments: &Segments,
        told: &dyn Fn(CounterId) -> Counted,
    ) -> Option<(Vec<Step>, Executed)> {
        if self.lost {
            return None;
        }
        let mut found = Vec::new();
        let mut counts = Executed::new();
        loop {
            match self.next() {
                Some(Step::Work(Work::Segment(id))) if add(&mut counts, segments, id, told).is_some() => {
                    found.push(Step::Work(Work::Segment(id)));
                }
                Some(Step::Event(event)) if matches!(event.operation, Operation::Elapsed { .. }) => {
                    found.push(Step::Event(event));
                }
                Some(Step::Event(event)) if call.is_some() && event.site.map(|site| site.block) == call => break,
                Some(Step::End) | None if call.is_none() => break,
                _ => return self.lose(),
            }
        }
        match beside(executed, &counts, told) {
            Some(rest) => Some((found, rest)),
            None => self.lose(),
        }
    }

    fn lose<T>(&mut self) -> Option<T> {
        self.lost = true;
        None
    }

    /// The next step that is no repeat and no hint.
    fn next(&mut self) -> Option<Step> {
        loop {
            let (repeat, at, left) = self.ahead.last_mut()?;
            match repeat.steps.get(*at).cloned() {
                Some(step) => {
                    *at += 1;
                    match step {
                        Step::Repeat(inner) if inner.times > 0 => self.ahead.push((Arc::clone(&inner), 0, inner.times)),
                        Step::Repeat(_) | Step::LoopEnter | Step::LoopIteration | Step::LoopExit => {}
                        step => return Some(step),
                    }
                }
                None if *left > 1 => (*at, *left) = (0, *left - 1),
                None => _ = self.ahead.pop(),
            }
        }
    }
}

/// What was executed beyond these counts; `None` where that is something else than what the MPI library executes.
fn beside(executed: &Executed, counts: &Executed, told: &dyn Fn(CounterId) -> Counted) -> Option<Executed> {
    let mut rest = executed.clone();
    for (&counter, &count) in counts {
        let left = rest.remove(&counter).unwrap_or(0).checked_sub(count)?;
        if left > 0 {
            rest.insert(counter, left);
        }
    }
    rest.keys().all(|&counter| told(counter) == Counted::AtLeast).then_some(rest)
}

/// Adds what a segment executes; `None` where that is not exact.
fn add(counts: &mut Executed, segments: &Segments, id: SegmentId, told: &dyn Fn(CounterId) -> Counted) -> Option<()> {
    for (counter, count) in segments.get(id).by_counter() {
        match (told(counter), count.value) {
            (Counted::Nothing, _) => {}
            (_, CountValue::Exact(count)) if count > 0 => *counts.entry(counter).or_insert(0) += count,
            (_, CountValue::Exact(_)) | (Counted::AtLeast, _) => {}
            (Counted::All, _) => return None,
        }
    }
    Some(())
}
