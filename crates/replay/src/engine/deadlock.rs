//! What is wrong when nothing can happen any more: deadlock, waiting in vain, messages left over.

use super::Engine;
use super::names::{communicator, name};
use crate::codes;
use crate::ids::{FrameId, MsgId, OpId};
use crate::matching::channel::{ANY_SOURCE, ANY_TAG, Channel};
use crate::matching::operation::{OpKind, Owner};
use crate::matching::queues::QueueSide;
use crate::memory::slab::NONE;
use crate::task::state::{Status, Task};
use chronos_activity::{CollectiveKind, CommId, Feed, GRANT, Operation, Site, TaskId};
use chronos_base::diag::Diagnostic;
use std::collections::BTreeMap;

impl<F: Feed> Engine<'_, '_, F> {
    /// Adds the diagnostics of the end.
    pub(crate) fn diagnose(&mut self) {
        if self.stopped {
            return;
        }
        self.tasks.ids().for_each(|id| self.materialize_lazy_receives(id));
        let blocked: Vec<TaskId> = self.tasks.ids().filter(|&id| self.is_blocked(id)).collect();
        if self.tasks.values().any(|task| task.status == Status::Stuck) {
            return self.report_consequence(&blocked);
        }
        match self.find_cycle(&blocked) {
            Some(cycle) => self.report_cycle(&cycle),
            None if self.is_ended_by_launcher(&blocked) => {}
            None => self.by_site(&blocked).values().take(REPORTED).for_each(|tasks| self.report_blocked(tasks)),
        }
        if blocked.is_empty() {
            self.report_left_over();
        }
    }

    fn is_blocked(&self, id: TaskId) -> bool {
        !matches!(self.tasks[id].status, Status::Ended | Status::Stuck)
    }

    /// The tasks that a blocked task waits for, as far as it names them.
    fn awaited(&self, id: TaskId) -> Option<TaskId> {
        let task = &self.tasks[id];
        match task.status {
            Status::All(_) | Status::Any(_) => {
                let mut open = self.open_operations(id);
                open.find_map(|op| self.partner(op))
            }
            Status::Probe => task.probed().map(|pattern| pattern.from).filter(|&from| from != ANY_SOURCE),
            Status::Frame(frame) => self.collectives.frames[frame].awaits,
            Status::Lock => task.locked().and_then(|(comm, of)| self.holder(comm, of)),
            Status::Spin => self.polled_task(id),
            _ => None,
        }
    }

    /// What a blocked task waits for and is not complete; all of it has records by then.
    fn open_operations(&self, id: TaskId) -> impl Iterator<Item = OpId> {
        let operations = self.tasks[id].waiting.iter().map(|&item| OpId(item));
        operations.filter(|&op| self.ops[op].completion().is_none())
    }

    pub fn partner(&self, op: OpId) -> Option<TaskId> {
        let op = &self.ops[op];
        match op.kind() {
            OpKind::Send => Some(op.channel.to),
            OpKind::Recv => Some(op.channel.from).filter(|&from| from != ANY_SOURCE),
            OpKind::Collective => None,
        }
    }

    /// Follows who waits for whom until a task comes again.
    fn find_cycle(&self, blocked: &[TaskId]) -> Option<Vec<TaskId>> {
        let mut seen_from = vec![NONE; self.tasks.len()];
        for &start in blocked {
            let mut path = Vec::new();
            let mut current = Some(start);
            while let Some(id) = current.filter(|&id| self.is_blocked(id) && seen_from[id.0 as usize] == NONE) {
                seen_from[id.0 as usize] = start.0;
                path.push(id);
                current = self.awaited(id);
            }
            let begin = current.and_then(|id| path.iter().position(|&other| other == id));
            if let Some(begin) = begin {
                return Some(path.split_off(begin));
            }
        }
        None
    }

    fn report_cycle(&mut self, cycle: &[TaskId]) {
        let calls: Vec<String> = cycle.iter().take(IN_A_ROW).map(|&id| self.describe(id)).collect();
        let more =
            if cycle.len() > IN_A_ROW { format!("; and {} more", cycle.len() - IN_A_ROW) } else { String::new() };
        let mut fault = Diagnostic::error(&codes::DEADLOCK, format!("deadlock: {}{more}", calls.join("; ")))
            .help(self.remedy(cycle));
        for (site, tasks) in self.by_site(cycle) {
            fault = self.at_site(fault, site, &waiting(&tasks));
        }
        let fault = self.with_unreceived(fault, cycle);
        self.diagnostics.push(fault);
    }

    /// What helps tasks that wait for each other.
    fn remedy(&self, tasks: &[TaskId]) -> &'static str {
        let status = |id: &TaskId| self.tasks[*id].status;
        let locks = tasks.iter().filter(|id| status(id) == Status::Lock).count();
        if locks > 0 {
            return if locks == tasks.len() { LOCKS } else { UNLOCK };
        }
        if tasks.iter().any(|&id| self.waits_at_window(id)) {
            return EPOCHS;
        }
        let collective = tasks.iter().any(|id| matches!(status(id), Status::Frame(_)));
        if collective { codes::COMPARE_SIDES } else { ORDER }
    }

    /// The task waits for what synchronises a window.
    fn waits_at_window(&self, id: TaskId) -> bool {
        let task = &self.tasks[id];
        match task.status {
            Status::Frame(frame) => self.feed.window(self.collectives.frames[frame].comm).is_some(),
            Status::All(_) | Status::Any(_) => {
                self.open_operations(id).any(|op| self.feed.window(self.ops[op].channel.comm()).is_some())
            }
            _ => false,
        }
    }

    /// Tasks by the call that they wait in.
    fn by_site(&self, tasks: &[TaskId]) -> BTreeMap<Option<Site>, Vec<TaskId>> {
        let mut by_site: BTreeMap<Option<Site>, Vec<TaskId>> = BTreeMap::new();
        for &id in tasks {
            by_site.entry(self.tasks[id].site.get()).or_default().push(id);
        }
        by_site.values_mut().for_each(|tasks| tasks.sort_unstable());
        by_site
    }

    /// Tasks that wait for one that an earlier diagnostic is about.
    fn report_consequence(&mut self, blocked: &[TaskId]) {
        let sites = self.by_site(blocked);
        if sites.is_empty() {
            return;
        }
        let text = "tasks wait for others that could not be followed to their end";
        let mut note = Diagnostic::note(&codes::CONSEQUENCE, text).help("resolve the other diagnostics first");
        for (&site, tasks) in sites.iter().take(REPORTED) {
            note = self.at_site(note, site, &waiting(tasks));
        }
        self.diagnostics.push(note);
    }

    /// Tasks that wait in one call for what never comes.
    fn report_blocked(&mut self, tasks: &[TaskId]) {
        let Some(&id) = tasks.first() else { return };
        let ended = |&other: &TaskId| self.tasks[other].status == Status::Ended;
        let waits_for = self.awaited(id).filter(ended).map(|other| format!(", but task {} has ended", other.0));
        let others = match tasks.len() - 1 {
            0 => String::new(),
            n => format!("; {n} more wait in the same call"),
        };
        let text = format!("{}{}{others}", self.describe(id), waits_for.unwrap_or_default());
        let locks = self.tasks[id].status == Status::Lock;
        let help = if locks {
            UNLOCK
        } else if self.waits_at_window(id) {
            EPOCHS
        } else {
            codes::COMPARE_SIDES
        };
        let fault = Diagnostic::error(&codes::NEVER, text).help(help);
        let fault = self.at_site(fault, self.tasks[id].site.get(), &waiting(tasks));
        let fault = self.with_unreceived(fault, tasks);
        self.diagnostics.push(fault);
    }

    /// Messages to the tasks that nobody takes: often they are what is waited for, with another tag or communicator.
    fn with_unreceived(&self, mut fault: Diagnostic, tasks: &[TaskId]) -> Diagnostic {
        let buffered = |id: MsgId| !self.messages[id].is_rendezvous();
        let left = self.unreceived().into_iter().filter(|&(to, id)| tasks.contains(&to.to) && buffered(id));
        for (channel, id) in left.take(REPORTED) {
            let sent = parenthesis(&format!("tag {}", channel.tag), channel.comm());
            let text = format!("a message to task {} {sent} is not received", channel.to.0);
            fault = self.at_site(fault, self.messages.extras(id).site.get(), &text);
        }
        fault
    }

    /// What a blocked task waits for, in words.
    pub(super) fn describe(&self, id: TaskId) -> String {
        let task = &self.tasks[id];
        let what = match task.status {
            Status::All(_) | Status::Any(_) => self.describe_ops(id),
            Status::Probe => task.probed().map_or_else(String::new, |pattern| format!("a message {}", origin(pattern))),
            Status::Spin => self.describe_polls(id),
            Status::Frame(frame) => self.describe_frame(frame),
            Status::Lock => task.locked().map_or_else(String::new, |lock| self.describe_lock(lock)),
            _ => "nothing".to_owned(),
        };
        format!("task {id} waits for {what}", id = id.0)
    }

    /// What a task looks for that polls without end.
    fn describe_polls(&self, id: TaskId) -> String {
        let what = match self.sole_poll(id) {
            Some(&Operation::Probe { from, tag, comm, .. }) => {
                format!("a message {}", origin(Channel::user(id, from, comm, tag)))
            }
            Some(Operation::TestAll { requests } | Operation::TestAny { requests }) => {
                let open = self.open_requests(id, requests).take(REPORTED);
                open.map(|op| self.describe_op(op)).collect::<Vec<_>>().join(" and ")
            }
            _ if self.only_looks(id) => return "an access to its memory in a window, looking at it".to_owned(),
            _ => "anything to arrive".to_owned(),
        };
        format!("{what}, polling")
    }

    fn describe_lock(&self, key: (CommId, Option<TaskId>)) -> String {
        let window = self.place(key.0);
        match (self.holder(key.0, key.1), key.1) {
            (Some(holder), Some(of)) => format!("the lock of task {} in {window}, which task {} holds", of.0, holder.0),
            (None, Some(of)) => format!("the lock of task {} in {window}", of.0),
            (Some(holder), None) => format!("all locks of {window}, of which task {} holds one exclusively", holder.0),
            (None, None) => format!("all locks of {window}"),
        }
    }

    /// A communicator, or the window that it stands for.
    fn place(&self, comm: CommId) -> String {
        self.feed.window(comm).map_or_else(|| communicator(comm), |number| format!("window {number}"))
    }

    /// What a message of a window's own is to its receiver.
    fn describe_notice(&self, channel: Channel) -> Option<String> {
        let window = self.feed.window(channel.comm())?;
        let call = if channel.tag == GRANT { "MPI_Win_post" } else { "MPI_Win_complete" };
        Some(format!("task {} to call {call} for window {window}", channel.from.0))
    }

    fn describe_ops(&self, id: TaskId) -> String {
        let texts: Vec<String> = self.open_operations(id).take(REPORTED).map(|op| self.describe_op(op)).collect();
        texts.join(" and ")
    }

    fn describe_op(&self, op: OpId) -> String {
        let op = &self.ops[op];
        match op.kind() {
            OpKind::Send => {
                let sent = parenthesis(&format!("tag {}", op.channel.tag), op.channel.comm());
                format!("task {} to receive {} bytes {sent}", op.channel.to.0, op.bytes())
            }
            OpKind::Recv => {
                self.describe_notice(op.channel).unwrap_or_else(|| format!("a message {}", origin(op.channel)))
            }
            OpKind::Collective => format!("a non-blocking collective on {}", communicator(op.channel.comm())),
        }
    }

    fn describe_frame(&self, frame: FrameId) -> String {
        let frame = &self.collectives.frames[frame];
        let call = match (self.feed.window(frame.comm), frame.kind) {
            (Some(_), CollectiveKind::Barrier) => "MPI_Win_fence",
            (Some(_), _) => "MPI_Win_free",
            (None, kind) => name(kind),
        };
        let comm = self.place(frame.comm);
        match frame.awaits {
            None => format!("the other members in {call} ({comm})"),
            Some(task) => format!("task {} in {call} ({comm})", task.0),
        }
    }

    fn report_left_over(&mut self) {
        for (channel, id) in self.unreceived().into_iter().take(REPORTED) {
            self.report_unreceived(channel, id);
        }
        let mut waiting: Vec<OpId> = self.unmatched_receives().into_iter().map(|(_, op)| op).collect();
        waiting.sort_by_key(|&op| (self.ops[op].task(), self.ops[op].open().map(|open| open.number)));
        for op in waiting.into_iter().take(REPORTED) {
            self.report_unwaited(op);
        }
    }

    /// The first receive of each channel that no message has come for.
    fn unmatched_receives(&self) -> Vec<(Channel, OpId)> {
        let waiting = |task: &Task| task.matching_queues.items(QueueSide::Posted, &self.ops);
        first_of_channels(self.tasks.values().flat_map(waiting).map(|op| (self.ops[op].channel, op)))
    }

    /// The first message of each channel that no receive has taken.
    fn unreceived(&self) -> Vec<(Channel, MsgId)> {
        let waiting = |task: &Task| task.matching_queues.items(QueueSide::Unexpected, &self.messages);
        first_of_channels(self.tasks.values().flat_map(waiting).map(|id| (self.messages[id].channel, id)))
    }

    fn report_unreceived(&mut self, channel: Channel, id: MsgId) {
        let message = self.messages[id];
        let (to, from, tag) = (channel.to, channel.from, channel.tag);
        let sent = parenthesis(&format!("tag {tag}"), channel.comm());
        let text = format!(
            "nobody receives a message of {} bytes from task {from} to task {to} {sent}",
            message.bytes,
            from = from.0,
            to = to.0
        );
        // A message that needs its receive is lost for certain; a small one is in a buffer somewhere.
        let fault = if message.is_rendezvous() {
            Diagnostic::error(&codes::UNRECEIVED, text)
        } else {
            Diagnostic::warning(&codes::UNRECEIVED, text)
        };
        let fault = fault.help(format!("add the receive to task {to} or remove the send", to = to.0));
        let fault = self.at_site(fault, self.messages.extras(id).site.get(), "sent here");
        self.diagnostics.push(fault);
    }

    fn report_unwaited(&mut self, op: OpId) {
        let (op, site) = (self.ops[op], self.ops.site(op));
        let Owner::Request(_) = op.owner() else { return };
        let text = format!("task {} posts a receive that gets nothing: a message {}", op.task().0, origin(op.channel));
        let fault = Diagnostic::warning(&codes::UNWAITED, text).help("wait for the request, cancel it, or remove it");
        let fault = self.at_site(fault, site.get(), "posted here");
        self.diagnostics.push(fault);
    }

    /// Adds the place of a call, where it is known.
    pub(crate) fn at_site(&self, diagnostic: Diagnostic, site: Option<Site>, text: &str) -> Diagnostic {
        match site.and_then(|site| (self.options.locate)(site)) {
            Some(span) => diagnostic.label(span, text),
            None => diagnostic,
        }
    }

    /// Adds a diagnostic unless one of the same code and place is there.
    pub(crate) fn report_once(&mut self, diagnostic: Diagnostic) {
        let same = |other: &Diagnostic| {
            std::ptr::eq(other.code, diagnostic.code)
                && if diagnostic.labels.is_empty() {
                    other.message == diagnostic.message
                } else {
                    other.labels == diagnostic.labels
                }
        };
        if !self.diagnostics.iter().any(same) {
            self.diagnostics.push(diagnostic);
        }
    }
}

/// So many of a kind are named.
const REPORTED: usize = 8;

/// So many calls of a cycle are described.
const IN_A_ROW: usize = 4;

const ORDER: &str = "let one of these tasks receive before it sends, or use MPI_Sendrecv or non-blocking calls";
const LOCKS: &str = "let all tasks ask for locks in the same order, or unlock one before the next is locked";
const UNLOCK: &str = "let whoever holds the lock call MPI_Win_unlock or MPI_Win_unlock_all before it waits for others";
const EPOCHS: &str = "let all members call MPI_Win_fence equally often, and for each MPI_Win_start and MPI_Win_complete \
                      their targets MPI_Win_post and MPI_Win_wait";

/// What waits first in each channel of a user's.
fn first_of_channels<I>(all: impl Iterator<Item = (Channel, I)>) -> Vec<(Channel, I)> {
    let mut all: Vec<(Channel, I)> = all.filter(|(channel, _)| channel.is_user()).collect();
    all.sort_by_key(|(channel, _)| (channel.to, channel.from, channel.comm(), channel.tag));
    all.dedup_by_key(|(channel, _)| *channel);
    all
}

fn waiting(tasks: &[TaskId]) -> String {
    let shown: Vec<String> = tasks.iter().take(REPORTED).map(|task| task.0.to_string()).collect();
    match tasks.len() {
        1 => format!("task {} waits here", shown.concat()),
        n if n > REPORTED => format!("tasks {} and {} more wait here", shown.join(", "), n - REPORTED),
        _ => format!("tasks {} wait here", shown.join(", ")),
    }
}

fn origin(channel: Channel) -> String {
    let from = if channel.from == ANY_SOURCE { "any task".to_owned() } else { format!("task {}", channel.from.0) };
    let tag = if channel.tag == ANY_TAG { "any tag".to_owned() } else { format!("tag {}", channel.tag) };
    format!("from {from} {}", parenthesis(&tag, channel.comm()))
}

/// The communicator is named where it is not the usual one.
fn parenthesis(tag: &str, comm: CommId) -> String {
    if comm == CommId(0) { format!("({tag})") } else { format!("({tag}, {})", communicator(comm)) }
}
