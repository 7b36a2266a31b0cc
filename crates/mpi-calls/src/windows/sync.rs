//! Synchronisation of windows: fences, post-start-complete-wait, locks and flushes.

use crate::call::Peer;
use crate::call::{Call, Called, DONE, Refusal};
use crate::codes;
use crate::collectives::plan::Plan;
use crate::state::pending::Pending;
use crate::state::windows::access::{Synchronised, SynchronisedBy};
use chronos_activity::{CollectiveKind, CommId, GRANT, Operation, RequestId, SendMode, TaskId};
use chronos_base::units::Bytes;

/// `MPI_MODE_NOSUCCEED` and `MPI_LOCK_EXCLUSIVE` of the bundled header.
const NOSUCCEED: i64 = 16384;
const LOCK_EXCLUSIVE: i64 = 1;

/// Tag of the messages that tell of the end of accesses.
const END: i32 = 1;

impl Call<'_> {
    /// The others have done their part.
    pub(crate) fn synchronised(&mut self, synchronised: Synchronised) -> Called {
        let Synchronised { window, requests, by } = synchronised;
        match by {
            SynchronisedBy::Notices(from) => self.check_notices(window, &from),
            SynchronisedBy::Lock { target, exclusive } => self.check_locked(window, target, exclusive),
        }
        self.flushed(requests);
        DONE
    }

    /// What was issued to a target, or all, is about to be complete.
    fn completing(&mut self, window: CommId, target: Option<usize>) {
        self.check_origin_complete(window, target);
        self.check_synchronised(window, target);
    }

    /// Waits for the notices of these.
    fn noticed(&mut self, window: CommId, from: Vec<TaskId>, tag: i32) -> Called {
        let (wait, requests) = self.issued(window, None);
        let events: Vec<Operation> =
            wait.into_iter().chain(from.iter().map(|&from| awaited(window, from, tag))).collect();
        if events.is_empty() {
            return DONE;
        }
        let by = SynchronisedBy::Notices(from);
        self.then(events, Pending::Synchronised(Box::new(Synchronised { window, requests, by })))
    }

    /// Takes what the task has issued to a target, or to all of them: the wait for it, and the requests to give back.
    fn issued(&mut self, window: CommId, target: Option<usize>) -> (Option<Operation>, Vec<RequestId>) {
        let Some(member) = self.mpi.own(self.task, window) else { return (None, Vec::new()) };
        let wanted = |&(to, _): &(usize, RequestId)| target.is_none_or(|target| target == to);
        let (taken, kept): (Vec<_>, Vec<_>) = std::mem::take(&mut member.issued).into_iter().partition(wanted);
        member.issued = kept;
        let requests: Vec<RequestId> = taken.into_iter().map(|(_, id)| id).collect();
        let wait = Operation::WaitAll { requests: requests.as_slice().into() };
        ((!requests.is_empty()).then_some(wait), requests)
    }

    /// Waits for what was issued, then performs `more`.
    fn flushing(&mut self, window: CommId, target: Option<usize>, more: Vec<Operation>) -> Called {
        let (wait, requests) = self.issued(window, target);
        let events: Vec<Operation> = wait.into_iter().chain(more).collect();
        if events.is_empty() {
            return DONE;
        }
        self.then(events, Pending::Flushed { requests, joined: None })
    }

    /// Requests of the window's own are given back.
    pub(crate) fn flushed(&mut self, requests: Vec<RequestId>) {
        for id in requests {
            self.mpi.task(self.task).requests.remove(id);
        }
    }

    fn notice(&mut self, window: CommId, to: TaskId, tag: i32) -> Operation {
        self.mpi.task(self.task).sent += 1;
        Operation::Send { to, tag, comm: window, bytes: Bytes(0), mode: SendMode::Buffered, request: None }
    }

    fn out_of_order(&self, what: &str, help: &str) -> Refusal {
        self.wrong(&codes::EPOCH, format!("{} is called {what}", self.name()), help)
    }
}

fn awaited(window: CommId, from: TaskId, tag: i32) -> Operation {
    Operation::Recv { from: Some(from), tag: Some(tag), comm: window, bytes: Bytes(0), request: None }
}

/// `MPI_Win_fence(assert, window)`.
pub(crate) fn fence(call: &mut Call<'_>) -> Called {
    let (assert, window) = (call.int(0)?, call.window(1)?);
    let member = call.own_member(window)?;
    member.epoch.fenced = assert & NOSUCCEED == 0;
    let locked = member.epoch.all || !member.epoch.locked.is_empty();
    let accessed = !member.issued.is_empty();
    call.check_fence(assert, locked, accessed);
    call.completing(window, None);
    let (wait, requests) = call.issued(window, None);
    let (collective, joined) = call.join(Plan::new(CollectiveKind::Barrier, window, 0))?;
    call.check_fence_entered(window, joined.number, assert);
    let events = wait.into_iter().chain([Operation::Collective(collective)]).collect();
    call.then(events, Pending::Flushed { requests, joined: Some(Box::new(joined)) })
}

/// `MPI_Win_post(group, assert, window)`: grants access.
pub(crate) fn post(call: &mut Call<'_>) -> Called {
    let (group, window) = (call.group(0)?, call.window(2)?);
    let members: Vec<TaskId> = group.members().to_vec();
    if !call.own_member(window)?.posted.is_empty() {
        return Err(call.out_of_order("a second time", "call MPI_Win_wait before the window is posted again"));
    }
    call.own_member(window)?.posted.clone_from(&members);
    call.check_noticed(window);
    let events = members.into_iter().map(|to| call.notice(window, to, GRANT)).collect();
    call.flushing(window, None, events)
}

/// `MPI_Win_start(group, assert, window)`: waits until access is granted.
pub(crate) fn start(call: &mut Call<'_>) -> Called {
    let (group, window) = (call.group(0)?, call.window(2)?);
    let members: Vec<TaskId> = group.members().to_vec();
    let member = call.own_member(window)?;
    member.started.clone_from(&members);
    let fenced = member.epoch.fenced;
    call.check_begin_epoch(window, fenced, &members);
    call.noticed(window, members, GRANT)
}

/// `MPI_Win_complete(window)`: ends the accesses that `start` began.
pub(crate) fn complete(call: &mut Call<'_>) -> Called {
    let window = call.window(0)?;
    let started = std::mem::take(&mut call.own_member(window)?.started);
    if started.is_empty() {
        return Err(call.out_of_order("without MPI_Win_start", "call MPI_Win_start before it"));
    }
    call.completing(window, None);
    call.check_end_epoch(window, &started);
    call.check_noticed(window);
    let events = started.into_iter().map(|to| call.notice(window, to, END)).collect();
    call.flushing(window, None, events)
}

/// `MPI_Win_wait(window)`: waits until those who were granted access have ended it.
pub(crate) fn wait(call: &mut Call<'_>) -> Called {
    let window = call.window(0)?;
    let posted = std::mem::take(&mut call.own_member(window)?.posted);
    if posted.is_empty() {
        return Err(call.out_of_order("without MPI_Win_post", "call MPI_Win_post before it"));
    }
    call.noticed(window, posted, END)
}

/// `MPI_Win_lock(type, rank, assert, window)`.
pub(crate) fn lock(call: &mut Call<'_>) -> Called {
    let (kind, window) = (call.int(0)?, call.window(3)?);
    let Some(of) = call.target(1, window)? else { return DONE };
    let rank = call.mpi.members(window).rank(of).unwrap_or(0);
    let epoch = &call.own_member(window)?.epoch;
    if epoch.all || epoch.locked.contains(&rank) {
        return Err(call.out_of_order("a second time for the same rank", "unlock it first"));
    }
    let epoch = &mut call.own_member(window)?.epoch;
    epoch.locked.push(rank);
    let fenced = epoch.fenced;
    call.check_begin_epoch(window, fenced, &[of]);
    let exclusive = kind == LOCK_EXCLUSIVE;
    let operation = Operation::Lock { comm: window, of: Some(of), exclusive };
    let by = SynchronisedBy::Lock { target: Some(rank), exclusive };
    let pending = Synchronised { window, requests: Vec::new(), by };
    call.then(vec![operation], Pending::Synchronised(Box::new(pending)))
}

/// `MPI_Win_unlock(rank, window)`.
pub(crate) fn unlock(call: &mut Call<'_>) -> Called {
    let window = call.window(1)?;
    let Some(of) = call.target(0, window)? else { return DONE };
    let rank = call.mpi.members(window).rank(of).unwrap_or(0);
    let locked = &mut call.own_member(window)?.epoch.locked;
    let Some(position) = locked.iter().position(|&other| other == rank) else {
        return Err(call.out_of_order("without MPI_Win_lock", "lock the rank first"));
    };
    locked.remove(position);
    call.completing(window, Some(rank));
    call.check_end_epoch(window, &[of]);
    call.check_unlocked(window, Some(rank));
    call.flushing(window, Some(rank), vec![Operation::Unlock { comm: window, of: Some(of) }])
}

/// `MPI_Win_lock_all(assert, window)`: a shared lock of every member.
pub(crate) fn lock_all(call: &mut Call<'_>) -> Called {
    let window = call.window(1)?;
    let epoch = &mut call.own_member(window)?.epoch;
    if epoch.all || !epoch.locked.is_empty() {
        return Err(call.out_of_order("while the window is locked", "unlock it first"));
    }
    epoch.all = true;
    let fenced = epoch.fenced;
    let members = call.members_of(window);
    call.check_begin_epoch(window, fenced, &members);
    let by = SynchronisedBy::Lock { target: None, exclusive: false };
    let pending = Synchronised { window, requests: Vec::new(), by };
    let operation = Operation::Lock { comm: window, of: None, exclusive: false };
    call.then(vec![operation], Pending::Synchronised(Box::new(pending)))
}

/// `MPI_Win_unlock_all(window)`.
pub(crate) fn unlock_all(call: &mut Call<'_>) -> Called {
    let window = call.window(0)?;
    if !std::mem::take(&mut call.own_member(window)?.epoch.all) {
        return Err(call.out_of_order("without MPI_Win_lock_all", "call MPI_Win_lock_all before it"));
    }
    call.completing(window, None);
    let members = call.members_of(window);
    call.check_end_epoch(window, &members);
    call.check_unlocked(window, None);
    call.flushing(window, None, vec![Operation::Unlock { comm: window, of: None }])
}

/// `MPI_Win_flush(rank, window)`.
pub(crate) fn flush(call: &mut Call<'_>) -> Called {
    flush_rank(call, |call, window, rank| call.flushed_at_target(window, rank))
}

/// `MPI_Win_flush_local(rank, window)`: buffers at the origin may be used again.
pub(crate) fn flush_local(call: &mut Call<'_>) -> Called {
    flush_rank(call, |call, window, rank| call.check_origin_complete(window, rank))
}

fn flush_rank(call: &mut Call<'_>, check: fn(&mut Call<'_>, CommId, Option<usize>)) -> Called {
    let window = call.window(1)?;
    let Some(of) = call.target(0, window)? else { return DONE };
    let rank = call.mpi.members(window).rank(of);
    check(call, window, rank);
    call.flushing(window, rank, Vec::new())
}

/// `MPI_Win_flush_all(window)`.
pub(crate) fn flush_all(call: &mut Call<'_>) -> Called {
    let window = call.window(0)?;
    call.flushed_at_target(window, None);
    call.flushing(window, None, Vec::new())
}

/// `MPI_Win_flush_local_all(window)`.
pub(crate) fn flush_local_all(call: &mut Call<'_>) -> Called {
    let window = call.window(0)?;
    call.check_origin_complete(window, None);
    call.flushing(window, None, Vec::new())
}

/// `MPI_Win_sync(window)`: every call brings memories up to date.
pub(crate) fn sync(call: &mut Call<'_>) -> Called {
    call.window(0)?;
    DONE
}

impl Call<'_> {
    fn members_of(&self, window: CommId) -> Vec<TaskId> {
        self.mpi.members(window).members().to_vec()
    }

    /// A flush completes accesses at their origin and at their targets.
    fn flushed_at_target(&mut self, window: CommId, target: Option<usize>) {
        self.check_origin_complete(window, target);
        self.check_synchronised(window, target);
    }

    /// A rank of a window as task; `None`: nobody.
    fn target(&mut self, argument: usize, window: CommId) -> Result<Option<TaskId>, Refusal> {
        match self.peer(argument, window, false)? {
            Peer::Task(task) => Ok(Some(task)),
            _ => Ok(None),
        }
    }
}
