//! What the tasks of classes execute, made without a replay: each course is folded once for all tasks whose partners coincide
//! in the same way, and given to each with its own partners.
//!
//! That messages are what the classes take them to be is for the replay of the activity to see.

use super::feed::{ClassFeed, Translated, has_partners, named, partner_mut, with_partner};
use crate::state::by_rank::{formula_of_task, task_of_formula};
use crate::state::formulas::FormulaId;
use chronos_activity::numbering::renumbered;
use chronos_activity::{Activity, Event, Repeat, Step, TaskId, record};
use chronos_base::governor;
use chronos_base::hash::FxHashMap;
use std::sync::Arc;

/// Tasks after which the limits of the command are looked at.
const LOOK: usize = 1 << 12;

/// A class and, of each partner of a task, what stands for it: see `Templates::stand_in`.
type Key = (u32, Vec<TaskId>);

/// Folded courses.
#[derive(Default)]
struct Templates {
    steps: Vec<Vec<Step>>,
    known: FxHashMap<Key, u32>,
    /// Tasks that the courses of classes name as they are.
    named: FxHashMap<u32, Vec<TaskId>>,
}

impl ClassFeed {
    /// All of it, with numbers of contexts and segments that do not hang on the order of evaluation. It is to be asked once, in
    /// place of the steps. Where a limit of the command is reached, the rest of the tasks do nothing.
    pub fn activity(&mut self) -> Activity {
        let mut templates = Templates::default();
        let mut of_task = Vec::with_capacity(self.members.of_task.len());
        for task in 0..self.members.of_task.len() {
            of_task.push(self.template(task, &mut templates));
        }
        let groups = record::groups(&templates.steps, self);
        let segments = std::mem::take(&mut self.segments);
        let activity = Activity { tasks: templates.steps, segments, groups, timing_dependent: false };
        let activity = renumbered(&activity);
        self.segments = activity.segments.clone();
        let (mut tasks, mut known) = (vec![Vec::new(); of_task.len()], Vec::new());
        for (task, (&template, member)) in of_task.iter().zip(&self.members.of_task).enumerate() {
            if task.is_multiple_of(LOOK) && governor::exceeded().is_some() {
                break;
            }
            let partners = &self.members.partners[member.partners as usize..];
            known.clear();
            tasks[task] = given(&activity.tasks[template as usize], partners, &mut known);
        }
        Activity { tasks, ..activity }
    }

    /// The number of the folded course that a task has.
    fn template(&mut self, task: usize, templates: &mut Templates) -> u32 {
        let member = self.members.of_task[task];
        let class = &mut self.classes[member.class as usize];
        let partners = &self.members.partners[member.partners as usize..][..class.partners.len()];
        let named = templates.named.entry(member.class).or_insert_with(|| named_tasks(&class.course.steps));
        let key = (member.class, stand_ins(partners, named));
        if let Some(&known) = templates.known.get(&key) {
            return known;
        }
        let last = class.course.steps.len().saturating_sub(1);
        self.report_to(member.class, last);
        let class = &mut self.classes[member.class as usize];
        class.translate_to(last, &mut self.segments);
        let number = templates.steps.len() as u32;
        templates.steps.push(folded(class, &key.1));
        templates.known.insert(key, number);
        number
    }
}

/// Events of a task that have partners, by those of its folded course that they are made of: few.
type OwnEvents = Vec<(Arc<Event>, Arc<Event>)>;

/// Steps with the partners of a task. An event that stands in several places stands once in memory.
fn given(steps: &[Step], partners: &[u32], known: &mut OwnEvents) -> Vec<Step> {
    let of = |number: FormulaId| TaskId(partners[number.0 as usize]);
    let mut own = |event: &Arc<Event>| match known.iter().find(|(one, _)| Arc::ptr_eq(one, event)) {
        Some((_, own)) => Arc::clone(own),
        None => {
            let own = Arc::new(with_partner(event, &of));
            known.push((Arc::clone(event), Arc::clone(&own)));
            own
        }
    };
    steps.iter().map(|step| with_own_events(step, &mut own)).collect()
}

fn with_own_events(step: &Step, own: &mut dyn FnMut(&Arc<Event>) -> Arc<Event>) -> Step {
    match step {
        Step::Event(event) if named(&event.operation).is_some() => Step::Event(own(event)),
        Step::Repeat(repeat) if has_partners(&repeat.steps) => {
            let steps = repeat.steps.iter().map(|step| with_own_events(step, own)).collect();
            Step::Repeat(Arc::new(Repeat { steps, times: repeat.times }))
        }
        other => other.clone(),
    }
}

/// What stands for each partner of a task where steps are compared: itself, where they name it as it is, else the first
/// partner that is the same task.
fn stand_ins(partners: &[u32], named: &[TaskId]) -> Vec<TaskId> {
    let stand_in = |&partner: &u32| match named.contains(&TaskId(partner)) {
        true => TaskId(partner),
        false => {
            let first = partners.iter().position(|&other| other == partner);
            task_of_formula(FormulaId(first.unwrap_or_default() as u32))
        }
    };
    partners.iter().map(stand_in).collect()
}

fn folded(class: &Translated, stand_ins: &[TaskId]) -> Vec<Step> {
    let stands = |number: FormulaId| stand_ins[number.0 as usize];
    let steps: Vec<Step> = class.steps.iter().map(|one| with_stand_ins(&one.step, &stands)).collect();
    record::folded(&steps)
}

fn with_stand_ins(step: &Step, stands: &dyn Fn(FormulaId) -> TaskId) -> Step {
    match step {
        Step::Event(event) if named(&event.operation).is_some() => Step::Event(Arc::new(with_partner(event, stands))),
        Step::Repeat(repeat) => {
            let steps = repeat.steps.iter().map(|step| with_stand_ins(step, stands)).collect();
            Step::Repeat(Arc::new(Repeat { steps, times: repeat.times }))
        }
        other => other.clone(),
    }
}

/// Tasks that steps name as they are.
fn named_tasks(steps: &[Step]) -> Vec<TaskId> {
    let mut found = Vec::new();
    add_named(steps, &mut found);
    found.sort_unstable();
    found.dedup();
    found
}

fn add_named(steps: &[Step], found: &mut Vec<TaskId>) {
    for step in steps {
        match step {
            Step::Event(event) => {
                let mut event = Event::clone(event);
                let partner = partner_mut(&mut event.operation).copied();
                found.extend(partner.filter(|&partner| formula_of_task(partner).is_none()));
            }
            Step::Repeat(repeat) => add_named(&repeat.steps, found),
            _ => {}
        }
    }
}
