//! Follows a task to its end without any other: what it receives is taken to come, as long as nothing depends on it.

use super::course::{Course, Expected, Mark};
use crate::codes;
use crate::evaluator::Evaluator;
use crate::state::by_rank::ByRank;
use chronos_activity::{Arrival, Event, Feed, MessageId, Operation, Outcome, RequestId, Step, TaskId};
use chronos_base::diag::Diagnostic;
use chronos_base::governor;
use chronos_base::hash::FxHashMap;

/// Steps of a course.
const LONGEST: usize = 1 << 20;
/// Places that its collective operations have for what members give: nobody but representatives comes to close them.
const MOST_PLACES: usize = 1 << 26;
/// The number of no message that anybody sends.
const NO_MESSAGE: u64 = u64::MAX;

/// What the task does.
///
/// # Errors
/// Why it does not speak for others.
pub(super) fn follow(evaluator: &mut Evaluator, rank: u32) -> Result<Course, &'static str> {
    let task = TaskId(rank);
    let mut open = OpenReceives::default();
    let (mut steps, mut marks, mut expected) = (Vec::new(), Vec::new(), FxHashMap::default());
    let (mut outcome, mut collectives) = (Outcome::None, 0usize);
    loop {
        let step = evaluator.next(task, std::mem::take(&mut outcome));
        refusal(evaluator)?;
        if steps.len() >= LONGEST || governor::exceeded().is_some() {
            return Err("its course is too long");
        }
        collectives += usize::from(is_collective(&step));
        if collectives.saturating_mul(evaluator.shared.options.tasks as usize) > MOST_PLACES {
            return Err("there are too many collective operations for so many tasks");
        }
        match &step {
            Step::Event(event) => outcome = open.outcome(task, event)?,
            Step::Spin(_) | Step::Stuck => return Err("it polls or cannot be followed"),
            _ => {}
        }
        if let Outcome::Arrived(arrivals) = &outcome {
            expected.insert(steps.len() as u32, arrivals.iter().map(as_expected).collect());
        }
        let segments = evaluator.segments();
        marks.push(Mark {
            contexts: segments.contexts().count() as u32,
            segments: segments.len() as u32,
            reports: evaluator.shared.reports.iter().count() as u32,
        });
        let is_end = step == Step::End;
        steps.push(step);
        if is_end {
            break;
        }
    }
    let by_rank = evaluator.tasks.first_mut().and_then(|task| task.by_rank.take()).ok_or("it stands for nobody")?;
    if evaluator.tasks.iter().any(|task| task.random_numbers.drawn > 0) {
        return Err("it draws random numbers");
    }
    let segments = std::mem::take(&mut evaluator.shared.segments);
    let reports = evaluator.shared.reports.iter().cloned().collect();
    let ByRank { formulas, signatures, asked, texts, .. } = *by_rank;
    Ok(Course { steps, marks, expected, segments, formulas, signatures, asked, texts, reports })
}

fn is_collective(step: &Step) -> bool {
    matches!(step, Step::Event(event) if matches!(event.operation, Operation::Collective(_)))
}

fn as_expected(arrival: &Arrival) -> Expected {
    Expected { request: arrival.request, tag: arrival.tag, bytes: arrival.bytes }
}

/// Why what was followed so far is not what others do too.
fn refusal(evaluator: &Evaluator) -> Result<(), &'static str> {
    let by_rank = evaluator.tasks.first().and_then(|task| task.by_rank.as_ref());
    if let Some(why) = by_rank.and_then(|by_rank| by_rank.refused()) {
        return Err(why);
    }
    let shared = &evaluator.shared;
    let is_assumption = |told: &Diagnostic| {
        [&codes::ASSUMED_PROBABILITY, &codes::ASSUMED_NO_ERROR, &codes::ASSUMED_TRIPS].contains(&told.code)
    };
    let is_spoken_of = !shared.absent.is_empty() || !shared.settled.is_empty();
    if is_spoken_of || shared.given_up || !shared.changed_files.is_empty() || !shared.reports.iter().all(is_assumption)
    {
        return Err("something is reported");
    }
    Ok(())
}

/// Receives that have not been waited for.
#[derive(Default)]
struct OpenReceives {
    all: FxHashMap<RequestId, Arrival>,
}

impl OpenReceives {
    /// What the event brings, if every message fills the room that it is given.
    fn outcome(&mut self, task: TaskId, event: &Event) -> Result<Outcome, &'static str> {
        match &event.operation {
            Operation::Send { .. }
            | Operation::Collective(_)
            | Operation::Local { .. }
            | Operation::ReadClock { .. }
            | Operation::Elapsed { .. } => Ok(Outcome::None),
            Operation::Recv { from: Some(_), tag: Some(tag), bytes, request, .. } => {
                let message = MessageId { sender: task, sequence: NO_MESSAGE };
                let arrival = Arrival { message, tag: *tag, bytes: *bytes, request: *request };
                match request {
                    None => Ok(Outcome::Arrived(vec![arrival])),
                    Some(request) => {
                        self.all.insert(*request, arrival);
                        Ok(Outcome::None)
                    }
                }
            }
            Operation::WaitAll { requests } => {
                let arrivals = requests.iter().filter_map(|request| self.all.remove(request));
                Ok(Outcome::Arrived(arrivals.collect()))
            }
            _ => Err("it does something else than send, receive and take part in collective operations"),
        }
    }
}
