//! Classes of tasks that do the same but for whom they send to and receive from: one task of each is followed, and the others
//! are given what it does with their own partners.
//!
//! A representative is followed ahead of any replay (`representative`), while its state says what depends on its rank and which
//! ranks go the same way (`state::by_rank`). Every other task goes to the first class whose representative speaks for it; where
//! there is none, it becomes a representative itself. What members of different classes have to agree on is compared
//! (`agreement`), and `feed` plays the courses back.
//!
//! Nothing is taken for granted: where something is not followed for all tasks of a class, there are no classes, and where the
//! replay brings other messages than were assumed, the feed says so ([`ClassFeed::is_right`]). Then each task is to be followed by
//! itself. A course is given with the numbers of contexts and segments that it would have got then.

mod activity;
mod agreement;
mod course;
mod feed;
mod representative;

pub use feed::ClassFeed;

use crate::evaluator::Evaluator;
use crate::state::remembered::refusals::REFUSALS;
use chronos_base::diag::Diagnostic;
use chronos_ir::BlockId;
use chronos_mpi_calls::MpiCalls;
use chronos_slicing::doubts::Doubts;
use chronos_slicing::heuristics::Assumed;
use course::Course;
use std::collections::BTreeMap;

/// So many classes are worth it at least, whatever the number of tasks.
const MANY_CLASSES: usize = 64;
/// Beyond that, a class has so many members in the mean.
const LEAST_MEMBERS: usize = 8;
/// So many classes are followed at most.
const MOST_CLASSES: usize = 512;

/// Makes the evaluation of one task, with the state of MPI that the one before left.
pub type Representatives<'a> = dyn FnMut(u32, Option<Box<dyn MpiCalls>>) -> Evaluator + 'a;

/// A class of tasks.
pub(crate) struct Class {
    /// What its representative does.
    pub(crate) course: Course,
    /// Formulas of partners, in the order of their numbers in the steps.
    pub(crate) partners: Vec<crate::state::formulas::FormulaId>,
}

/// The tasks of a job in classes.
///
/// # Errors
/// Why each task has to be followed by itself.
pub fn classes(tasks: u32, follow: &mut Representatives<'_>) -> Result<ClassFeed, &'static str> {
    let mut members = Members { of_task: vec![None; tasks as usize], partners: Vec::new(), values: Vec::new() };
    let (mut calls, mut all, mut doubts, mut clock_decides) = (None, Vec::new(), Doubts::default(), false);
    let (mut assumed, mut annotations) = (BTreeMap::new(), Vec::new());
    while let Some(rank) = members.first_without() {
        if all.len() >= (tasks as usize / LEAST_MEMBERS).clamp(MANY_CLASSES, MOST_CLASSES) {
            return Err("there are too many classes");
        }
        let mut evaluator = follow(rank, calls.take());
        let course = representative::follow(&mut evaluator, rank)?;
        let partners = course.partners();
        let mut class = Class { course, partners };
        members.add(rank, all.len(), &class);
        class.course.formulas.forget_tables();
        doubts.add_all(evaluator.doubts());
        clock_decides |= evaluator.clock_decides();
        assumed.extend(evaluator.uncertain());
        annotations = evaluator.annotation_diagnostics();
        calls = Some(evaluator.calls);
        all.push(class);
    }
    let members = members.finish()?;
    agreement::check(all.iter().map(|class| &class.course), &members.of_task)?;
    check_texts(&all, &members)?;
    let calls = calls.ok_or("there are no tasks")?;
    Ok(ClassFeed::new(all, members, calls, Told { doubts, assumed, annotations, clock_decides }))
}

/// Loops in which texts are handled are interpreted some day where tasks come to them often.
fn check_texts(classes: &[Class], members: &AllMembers) -> Result<(), &'static str> {
    let mut sizes = vec![0u64; classes.len()];
    members.of_task.iter().for_each(|member| sizes[member.class as usize] += 1);
    let mut times: BTreeMap<BlockId, u64> = BTreeMap::new();
    for (class, size) in classes.iter().zip(sizes) {
        for (&block, &n) in &class.course.asked {
            let all = times.entry(block).or_default();
            *all = all.saturating_add(n.saturating_mul(size));
        }
    }
    let is_frequent = |block: &BlockId| times.get(block).is_some_and(|&times| times >= u64::from(REFUSALS));
    match classes.iter().any(|class| class.course.texts.iter().any(is_frequent)) {
        true => Err("loops in which texts are handled come often"),
        false => Ok(()),
    }
}

/// What is told of the evaluation of all classes.
pub(crate) struct Told {
    pub(crate) doubts: Doubts,
    pub(crate) assumed: BTreeMap<BlockId, Assumed>,
    /// Those of what the source says.
    pub(crate) annotations: Vec<Diagnostic>,
    /// A clock decides something that cannot be told without it.
    pub(crate) clock_decides: bool,
}

/// Where a task belongs, and where its partners stand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    pub(crate) class: u32,
    pub(crate) partners: u32,
}

/// Tasks that have a class.
pub(crate) struct AllMembers {
    pub(crate) of_task: Vec<Member>,
    /// Those of all tasks.
    pub(crate) partners: Vec<u32>,
}

struct Members {
    of_task: Vec<Option<Member>>,
    partners: Vec<u32>,
    values: Vec<chronos_values::Value>,
}

impl Members {
    fn first_without(&self) -> Option<u32> {
        self.of_task.iter().position(Option::is_none).map(|rank| rank as u32)
    }

    /// Enters all tasks that a representative speaks for, itself among them.
    fn add(&mut self, first: u32, number: usize, class: &Class) {
        for rank in first as usize..self.of_task.len() {
            if self.of_task[rank].is_some() || !class.course.formulas.hold_for(rank as u32, &mut self.values) {
                continue;
            }
            self.of_task[rank] = Some(Member { class: number as u32, partners: self.partners.len() as u32 });
            let values = &self.values;
            let partner = |&formula: &crate::state::formulas::FormulaId| {
                values[formula.0 as usize].as_int().and_then(|task| u32::try_from(task).ok()).unwrap_or(u32::MAX)
            };
            self.partners.extend(class.partners.iter().map(partner));
        }
        debug_assert!(self.of_task[first as usize].is_some(), "a task speaks for itself");
    }

    fn finish(self) -> Result<AllMembers, &'static str> {
        let of_task = self.of_task.into_iter().collect::<Option<Vec<_>>>().ok_or("a task has no class")?;
        let tasks = of_task.len() as u32;
        match self.partners.iter().all(|&partner| partner < tasks) {
            true => Ok(AllMembers { of_task, partners: self.partners }),
            false => Err("a partner is no task"),
        }
    }
}
