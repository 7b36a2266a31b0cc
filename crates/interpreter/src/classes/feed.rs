//! Plays the courses of classes back: each task does what its representative does, with partners of its own.

use super::course::{Course, Expected, partner};
use super::{AllMembers, Class, Member, Told};
use crate::state::by_rank::{formula_of_task, task_of_formula};
use crate::state::formulas::FormulaId;
use crate::state::reports::Reports;
use chronos_activity::{
    CommId, Context, ContextId, Event, Feed, Mispredicted, Operation, Outcome, Repeat, Segment, SegmentId, Segments,
    Step, TaskId, Work,
};
use chronos_base::diag::Diagnostic;
use chronos_base::ids::Id;
use chronos_ir::BlockId;
use chronos_mpi_calls::MpiCalls;
use chronos_slicing::doubts::Doubts;
use chronos_slicing::heuristics::Assumed;
use std::sync::Arc;

/// The course of a class with the contexts and segments of the job.
pub(super) struct Translated {
    pub(super) course: Course,
    /// Formulas of partners, by the numbers that they have in `steps`.
    pub(super) partners: Vec<FormulaId>,
    pub(super) contexts: Vec<ContextId>,
    pub(super) segments: Vec<SegmentId>,
    /// As far as some task has come.
    pub(super) steps: Vec<Translation>,
    /// How many of its reports were told.
    pub(super) reported: usize,
}

/// A step, and whether it has partners.
pub(super) struct Translation {
    pub(super) step: Step,
    pub(super) has_partners: bool,
}

/// A job whose tasks are in classes.
pub struct ClassFeed {
    pub(super) classes: Vec<Translated>,
    pub(super) members: AllMembers,
    /// The next step of each task.
    positions: Vec<u32>,
    pub(super) segments: Segments,
    calls: Box<dyn MpiCalls>,
    is_right: bool,
    told: Told,
    /// What was told so far of the courses that tasks take.
    reports: Reports,
}

impl ClassFeed {
    pub(super) fn new(classes: Vec<Class>, members: AllMembers, calls: Box<dyn MpiCalls>, told: Told) -> Self {
        let positions = vec![0; members.of_task.len()];
        let classes = classes.into_iter().map(Translated::new).collect();
        Self {
            classes,
            members,
            positions,
            segments: Segments::default(),
            calls,
            is_right: true,
            told,
            reports: Reports::default(),
        }
    }

    /// How many classes there are.
    pub fn class_count(&self) -> usize {
        self.classes.len()
    }

    /// Whether all messages were what they were taken to be.
    pub fn is_right(&self) -> bool {
        self.is_right
    }

    /// What was used although a run may have it otherwise.
    pub fn doubts(&self) -> &Doubts {
        &self.told.doubts
    }

    /// Whether the time decided about loops or calls of MPI.
    pub fn clock_decides(&self) -> bool {
        self.told.clock_decides
    }

    /// Branches and loops whose behaviour was assumed, with what was assumed.
    pub fn uncertain(&self) -> Vec<(BlockId, Assumed)> {
        self.told.assumed.iter().map(|(&block, text)| (block, text.clone())).collect()
    }

    /// What the evaluation found.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        let mut found = self.told.annotations.clone();
        found.extend(self.reports.all(self.members.of_task.len()));
        found
    }

    /// Tells what a task of a class would have told when it came to a step.
    pub(super) fn report_to(&mut self, class: u32, position: usize) {
        let Self { classes, members, reports, .. } = self;
        let of = &mut classes[class as usize];
        let mark = of.course.marks[position].reports as usize;
        for diagnostic in of.course.reports.get(of.reported..mark).unwrap_or_default() {
            let tasks = (0..).map(TaskId).zip(&members.of_task).filter(|(_, member)| member.class == class);
            reports.add_of(tasks.map(|(task, _)| task), diagnostic.clone());
        }
        of.reported = of.reported.max(mark);
    }

    /// Segments, when the replay is over.
    pub fn into_segments(self) -> Segments {
        self.segments
    }

    /// Looks at what the last step of a task brought.
    fn check(&mut self, member: Member, last: u32, outcome: &Outcome) {
        let Outcome::Arrived(arrivals) = outcome else { return };
        let expected = self.classes[member.class as usize].course.expected.get(&last);
        let expected = expected.map_or(&[][..], |expected| &expected[..]);
        let is_expected = |arrival: &chronos_activity::Arrival| {
            let arrived = Expected { request: arrival.request, tag: arrival.tag, bytes: arrival.bytes };
            expected.contains(&arrived)
        };
        self.is_right &= arrivals.len() == expected.len() && arrivals.iter().all(is_expected);
    }
}

impl Feed for ClassFeed {
    fn tasks(&self) -> usize {
        self.members.of_task.len()
    }

    fn next(&mut self, task: TaskId, outcome: Outcome) -> Step {
        let member = self.members.of_task[task.index()];
        let position = self.positions[task.index()];
        if position > 0 {
            self.check(member, position - 1, &outcome);
        }
        let class = &mut self.classes[member.class as usize];
        if position as usize >= class.course.steps.len() {
            return Step::End;
        }
        self.positions[task.index()] = position + 1;
        if class.reported < class.course.reports.len() {
            self.report_to(member.class, position as usize);
        }
        let class = &mut self.classes[member.class as usize];
        class.translate_to(position as usize, &mut self.segments);
        let Translation { step, has_partners } = &class.steps[position as usize];
        match has_partners {
            true => with_partners(step, &self.members.partners[member.partners as usize..]),
            false => step.clone(),
        }
    }

    fn group(&self, comm: CommId) -> Arc<[TaskId]> {
        self.calls.group(comm)
    }

    fn segments(&self) -> &Segments {
        &self.segments
    }
}

/// A step with the partners of a task.
fn with_partners(step: &Step, partners: &[u32]) -> Step {
    match step {
        Step::Event(event) if named(&event.operation).is_some() => {
            Step::Event(Arc::new(with_partner(event, &|number| TaskId(partners[number.0 as usize]))))
        }
        Step::Repeat(repeat) if has_partners(&repeat.steps) => {
            let steps = repeat.steps.iter().map(|step| with_partners(step, partners)).collect();
            Step::Repeat(Arc::new(Repeat { steps, times: repeat.times }))
        }
        other => other.clone(),
    }
}

pub(super) fn has_partners(steps: &[Step]) -> bool {
    steps.iter().any(|step| match step {
        Step::Event(event) => named(&event.operation).is_some(),
        Step::Repeat(repeat) => has_partners(&repeat.steps),
        _ => false,
    })
}

pub(super) fn with_partner(event: &Event, of: &dyn Fn(FormulaId) -> TaskId) -> Event {
    let mut event = event.clone();
    if let Some(partner) = partner_mut(&mut event.operation)
        && let Some(number) = formula_of_task(*partner)
    {
        *partner = of(number);
    }
    event
}

/// The formula of a partner, where the operation has one.
pub(super) fn named(operation: &Operation) -> Option<FormulaId> {
    partner(operation).and_then(formula_of_task)
}

pub(super) fn partner_mut(operation: &mut Operation) -> Option<&mut TaskId> {
    match operation {
        Operation::Send { to, .. } => Some(to),
        Operation::Recv { from, .. } => from.as_mut(),
        _ => None,
    }
}

impl Translated {
    fn new(class: Class) -> Self {
        let Class { course, partners } = class;
        Self { course, partners, contexts: Vec::new(), segments: Vec::new(), steps: Vec::new(), reported: 0 }
    }

    /// Enters what a task of the class would have entered when it came to a step.
    pub(super) fn translate_to(&mut self, position: usize, all: &mut Segments) {
        while self.steps.len() <= position {
            let at = self.steps.len();
            let mark = self.course.marks[at];
            for number in self.contexts.len()..mark.contexts as usize {
                let context = self.course.segments.context(ContextId::new(number));
                let parent = context.parent.map(|parent| self.contexts[parent.index()]);
                self.contexts.push(all.intern_context(Context { parent, ..context }));
            }
            for number in self.segments.len()..mark.segments as usize {
                let segment = self.course.segments.get(SegmentId::new(number));
                let translated = segment_with(segment, &self.contexts);
                self.segments.push(all.intern_with(translated, |new| {
                    new.mispredicted = mispredicted_with(segment, &self.contexts);
                }));
            }
            let mut has_partners = false;
            let step = self.translated(&self.course.steps[at], &mut has_partners);
            self.steps.push(Translation { step, has_partners });
        }
    }

    fn translated(&self, step: &Step, has_partners: &mut bool) -> Step {
        match step {
            Step::Work(Work::Segment(id)) => Step::Work(Work::Segment(self.segments[id.index()])),
            Step::Event(event) => Step::Event(Arc::new(self.translated_event(event, has_partners))),
            Step::Repeat(repeat) => {
                let steps = repeat.steps.iter().map(|step| self.translated(step, has_partners)).collect();
                Step::Repeat(Arc::new(Repeat { steps, times: repeat.times }))
            }
            other => other.clone(),
        }
    }

    fn translated_event(&self, event: &Event, has_partners: &mut bool) -> Event {
        let mut event = event.clone();
        if let Some(site) = &mut event.site {
            site.context = self.contexts[site.context.index()];
        }
        if let Some(partner) = partner_mut(&mut event.operation)
            && let Some(formula) = formula_of_task(*partner)
        {
            let number = self.partners.iter().position(|&other| other == formula).unwrap_or_default();
            *partner = task_of_formula(FormulaId(number as u32));
            *has_partners = true;
        }
        event
    }
}

/// A segment with other numbers of contexts.
fn segment_with(segment: &Segment, contexts: &[ContextId]) -> Segment {
    let mut counts: Vec<_> =
        segment.counts.iter().map(|&(context, counter, count)| (contexts[context.index()], counter, count)).collect();
    counts.sort_by_key(|&(context, counter, _)| (context, counter));
    let mut volumes: Vec<_> =
        segment.volumes.iter().map(|&(context, block, bytes)| (contexts[context.index()], block, bytes)).collect();
    volumes.sort_by_key(|&(context, block, _)| (context, block));
    Segment { counts, volumes, mispredicted: Vec::new(), team: None }
}

fn mispredicted_with(segment: &Segment, contexts: &[ContextId]) -> Vec<Mispredicted> {
    let with = |one: &Mispredicted| Mispredicted { context: contexts[one.context.index()], ..*one };
    let mut all: Vec<_> = segment.mispredicted.iter().map(with).collect();
    all.sort_by_key(|one| one.context);
    all
}
