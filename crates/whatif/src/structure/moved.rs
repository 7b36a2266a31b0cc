//! A function that is executed at the other end of messages (procedure LBF: Eom and Hollingsworth, section 4), on the
//! structure itself: what it executes before a send leaves the sender and is put before, or behind, the receive.

use super::{impossible, matching};
use crate::change::Position;
use chronos_activity::{
    Activity, ContextId, Event, Operation, RequestId, Segment, SegmentId, Segments, Step, TaskId, Work,
};
use chronos_base::diag::Diagnostic;
use chronos_base::hash::FxHashMap;
use chronos_base::ids::Id as _;
use chronos_base::units::Bytes;
use chronos_ir::FuncId;
use chronos_predict::Job;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What is moved where.
pub struct Moving<'a> {
    pub job: &'a Job,
    pub functions: &'a BTreeSet<FuncId>,
    pub from: &'a [TaskId],
    pub to: &'a [TaskId],
    pub position: Position,
    pub bytes: i64,
    pub text: &'a str,
}

/// Segments of a function that leave before one send.
#[derive(Clone, Debug)]
pub(crate) struct Departure {
    /// Position of the send.
    pub send: usize,
    /// Its receiver.
    pub to: TaskId,
    /// Positions of the segments, each with what stays and what leaves.
    pub parts: Vec<(usize, SegmentId, SegmentId)>,
}

/// Segments and their two parts: without functions, and theirs alone; `None` where the functions are not executed.
pub struct Split<'a> {
    functions: &'a BTreeSet<FuncId>,
    known: FxHashMap<SegmentId, Option<(SegmentId, SegmentId)>>,
    inside: FxHashMap<ContextId, bool>,
}

impl<'a> Split<'a> {
    /// By what these functions execute, with what they call.
    pub fn new(functions: &'a BTreeSet<FuncId>) -> Self {
        Self { functions, known: FxHashMap::default(), inside: FxHashMap::default() }
    }

    /// The two parts, which become segments of their own.
    pub fn parts(&mut self, id: SegmentId, segments: &mut Segments) -> Option<(SegmentId, SegmentId)> {
        if let Some(&known) = self.known.get(&id) {
            return known;
        }
        let whole = Arc::clone(segments.get(id));
        let (stays, leaves) = (self.part(&whole, false, segments), self.part(&whole, true, segments));
        let parts = (!leaves.counts.is_empty() || !leaves.volumes.is_empty())
            .then(|| (segments.intern(stays), segments.intern(leaves)));
        self.known.insert(id, parts);
        parts
    }

    fn part(&mut self, whole: &Segment, inside: bool, segments: &Segments) -> Segment {
        let team = whole.changed_team(&mut |thread| self.part(thread, inside, segments));
        let functions = self.functions;
        let known = &mut self.inside;
        let mut is_part = |context: ContextId| {
            let on_path = || segments.path(context).any(|(_, on)| functions.contains(&on.function));
            *known.entry(context).or_insert_with(on_path) == inside
        };
        Segment {
            counts: whole.counts.iter().filter(|count| is_part(count.0)).copied().collect(),
            volumes: whole.volumes.iter().filter(|volume| is_part(volume.0)).copied().collect(),
            mispredicted: whole.mispredicted.iter().filter(|branch| is_part(branch.context)).copied().collect(),
            team,
        }
    }
}

/// Whether a call neither sends nor waits, so that what was computed before it may leave with a later send.
fn is_passed(operation: &Operation) -> bool {
    matches!(operation, Operation::Local { .. } | Operation::ReadClock { .. } | Operation::Elapsed { .. })
}

/// What leaves a task's steps, by the send that it leaves with: what is executed between that send and the event before
/// it, so that between two events a function is moved once.
pub(crate) fn departures(
    steps: &[Step],
    to: &[TaskId],
    split: &mut Split<'_>,
    segments: &mut Segments,
) -> Vec<Departure> {
    let (mut all, mut parts) = (Vec::new(), Vec::new());
    for (at, step) in steps.iter().enumerate() {
        match step {
            Step::Work(Work::Segment(id)) => {
                parts.extend(split.parts(*id, segments).map(|(stays, leaves)| (at, stays, leaves)));
            }
            Step::Event(event) if is_passed(&event.operation) => {}
            Step::Event(event) => {
                let parts = std::mem::take(&mut parts);
                if let Operation::Send { to: receiver, .. } = event.operation
                    && to.contains(&receiver)
                    && !parts.is_empty()
                {
                    all.push(Departure { send: at, to: receiver, parts });
                }
            }
            _ => parts.clear(),
        }
    }
    all
}

impl Moving<'_> {
    fn names(&self) -> String {
        let name = |&id: &FuncId| self.job.program.functions[id].name.to_string();
        self.functions.iter().map(name).collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(", ")
    }

    /// Moves, and says what was moved.
    pub fn apply(&self, activity: &mut Activity) -> Result<String, Diagnostic> {
        let mut split = Split::new(self.functions);
        let mut insertions: BTreeMap<TaskId, Vec<(usize, SegmentId)>> = BTreeMap::new();
        let mut messages = 0;
        for &from in self.from {
            let steps = &activity.tasks[from.index()];
            let leaving = departures(steps, self.to, &mut split, &mut activity.segments);
            if leaving.is_empty() {
                return Err(self.nothing_leaves(from, activity));
            }
            messages += leaving.len();
            for (departure, receive) in self.arrivals(from, &leaving, activity, &mut insertions)? {
                self.leave(from, departure, receive, activity)?;
            }
        }
        for (task, mut work) in insertions {
            work.sort_by_key(|&(at, _)| at);
            insert(&mut activity.tasks[task.index()], &work);
        }
        let plural = if messages == 1 { "message" } else { "messages" };
        Ok(format!("{} moves with {messages} {plural}", self.names()))
    }

    fn nothing_leaves(&self, from: TaskId, activity: &mut Activity) -> Diagnostic {
        let (name, rank) = (self.names(), from.0);
        let everybody: Vec<TaskId> = (0..activity.tasks.len()).map(TaskId::new).collect();
        let mut split = Split::new(self.functions);
        let steps = &activity.tasks[from.index()];
        let all = departures(steps, &everybody, &mut split, &mut activity.segments);
        let partners: BTreeSet<u32> = all.iter().map(|departure| departure.to.0).collect();
        let executes = steps.iter().any(
            |step| matches!(step, Step::Work(Work::Segment(id)) if split.known.get(id).is_some_and(Option::is_some)),
        );
        let partners: Vec<String> = partners.iter().map(u32::to_string).collect();
        let (what, help) = match (executes, partners.is_empty()) {
            (false, _) => (
                format!("moves nothing: task {rank} never executes {name}"),
                "name a task that executes it: `chronos predict --format json` lists functions by task".to_owned(),
            ),
            (true, true) => (
                format!("moves nothing: no send follows {name} on task {rank} before the next other MPI call"),
                "a function moves with the message that follows it; where a collective operation or a receive follows, \
                 balance it instead (balance=F)"
                    .to_owned(),
            ),
            (true, false) => (
                format!("moves nothing: no send to the tasks named follows {name} on task {rank}"),
                format!("what it computes is sent to task {}", partners.join(", ")),
            ),
        };
        impossible(self.text, &what, help)
    }

    /// Notes where on the receivers the moved segments come; the position of the receive of each message.
    fn arrivals<'d>(
        &self,
        from: TaskId,
        leaving: &'d [Departure],
        activity: &Activity,
        insertions: &mut BTreeMap<TaskId, Vec<(usize, SegmentId)>>,
    ) -> Result<Vec<(&'d Departure, usize)>, Diagnostic> {
        let mut found = Vec::new();
        for &to in self.to {
            let (sender, receiver) = (&activity.tasks[from.index()], &activity.tasks[to.index()]);
            let receives = matching::receives(receiver).remove(&from).unwrap_or_default();
            let of_send = matching::matched(&matching::sends(sender).remove(&to).unwrap_or_default(), &receives);
            for departure in leaving.iter().filter(|departure| departure.to == to) {
                let Some(receive) = of_send.get(&departure.send) else { return Err(self.unmatched(to, receiver)) };
                let at = match (self.position, receive.request) {
                    (Position::Before, _) => receive.step,
                    (Position::After, None) => receive.step + 1,
                    (Position::After, Some(request)) => self.completion(to, receiver, receive.step, request)?,
                };
                let segments = departure.parts.iter().map(|&(_, _, leaves)| (at, leaves));
                insertions.entry(to).or_default().extend(segments);
                found.push((departure, receive.step));
            }
        }
        Ok(found)
    }

    fn unmatched(&self, to: TaskId, receiver: &[Step]) -> Diagnostic {
        let any = matching::any_source(receiver).and_then(|event| event.site);
        let place = any.map(|site| self.job.program.files.locate(self.job.program.blocks[site.block].span));
        let what = match &place {
            Some(place) => format!("needs receives that name their sender; task {} receives from any at {place}", to.0),
            None => format!("moves with a message that task {} does not receive by a receive of its own", to.0),
        };
        impossible(self.text, &what, "move it to tasks that receive from one given sender")
    }

    /// Behind the wait that completes a receive.
    fn completion(&self, to: TaskId, steps: &[Step], receive: usize, request: RequestId) -> Result<usize, Diagnostic> {
        for (at, step) in steps.iter().enumerate().skip(receive + 1) {
            let Step::Event(event) = step else { continue };
            match &event.operation {
                Operation::WaitAll { requests } if requests.contains(&request) => return Ok(at + 1),
                Operation::WaitAny { requests } | Operation::TestAll { requests } | Operation::TestAny { requests }
                    if requests.contains(&request) =>
                {
                    break;
                }
                _ => {}
            }
        }
        let what = format!("comes behind a receive of task {} that no wait alone completes (Waitany, Test)", to.0);
        Err(impossible(self.text, &what, "let it come before the receive: leave `after` out"))
    }

    /// Takes the moved parts out of the sender's steps, and makes the message and its receive as long as asked for.
    fn leave(
        &self,
        from: TaskId,
        departure: &Departure,
        receive: usize,
        activity: &mut Activity,
    ) -> Result<(), Diagnostic> {
        let steps = &mut activity.tasks[from.index()];
        for &(at, stays, _) in &departure.parts {
            steps[at] = Step::Work(Work::Segment(stays));
        }
        if self.bytes == 0 {
            return Ok(());
        }
        self.resize(&mut steps[departure.send])?;
        self.resize(&mut activity.tasks[departure.to.index()][receive])
    }

    fn resize(&self, step: &mut Step) -> Result<(), Diagnostic> {
        let Step::Event(event) = step else { return Ok(()) };
        let mut changed = Event::clone(event);
        if let Operation::Send { bytes, .. } | Operation::Recv { bytes, .. } = &mut changed.operation {
            let length = bytes.0.checked_add_signed(self.bytes);
            let what = || format!("takes {} bytes from messages of {} bytes", -self.bytes, bytes.0);
            *bytes = Bytes(length.ok_or_else(|| impossible(self.text, &what(), "take fewer bytes"))?);
        }
        *step = Step::Event(Arc::new(changed));
        Ok(())
    }
}

/// Puts segments before the steps at their positions, which ascend.
fn insert(steps: &mut Vec<Step>, work: &[(usize, SegmentId)]) {
    let mut all = Vec::with_capacity(steps.len() + work.len());
    let mut work = work.iter().peekable();
    for (at, step) in std::mem::take(steps).into_iter().enumerate() {
        while let Some(&(_, segment)) = work.next_if(|next| next.0 == at) {
            all.push(Step::Work(Work::Segment(segment)));
        }
        all.push(step);
    }
    all.extend(work.map(|&(_, segment)| Step::Work(Work::Segment(segment))));
    *steps = all;
}
