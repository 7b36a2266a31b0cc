//! Open requests: who touches their buffers, and who never completes them.

use crate::call::Call;
use crate::checks::arguments::outputs;
use crate::checks::codes;
use crate::checks::state::lifetimes::{OpenRequest, OpenRequests};
use crate::checks::state::uses::{BufferUse, MemoryRange};
use crate::interface::environment::CallEnvironment;
use crate::interface::memory_access::{AccessKind, MemoryAccess};
use crate::state::mpi_state::MpiState;
use crate::state::requests::RequestKind;
use chronos_activity::RequestId;
use chronos_activity::TaskId;
use chronos_base::diag::Diagnostic;
use chronos_base::ids::Id;
use chronos_base::span::Span;
use chronos_functions::Variant;
use chronos_values::{ObjectId, Pointer, Value};

fn of(mpi: &mut MpiState, task: TaskId) -> Option<&mut OpenRequests> {
    mpi.checks.as_mut().map(|checks| &mut checks.requests[task.index()])
}

/// What a request's operation does with its buffer, in words.
fn role(one: &BufferUse) -> &'static str {
    if one.writes { "receives into" } else { "sends from" }
}

/// The call uses buffers of open requests.
pub(crate) fn check_call(call: &mut Call<'_>, uses: &[BufferUse]) {
    if call.function.is_persistent() {
        // Nothing is touched before it starts.
        return;
    }
    let receives_from = call.function.hears_of_others() || !uses.is_empty();
    let Some(requests) = of(call.mpi, call.task) else { return };
    if receives_from {
        // Its partner may have told that it has received.
        requests.freed.clear();
    }
    let found = conflict(requests, uses, None);
    tell_conflict(call, found);
}

/// An open request, but this one, whose buffers the uses conflict with.
fn conflict(
    requests: &OpenRequests,
    uses: &[BufferUse],
    except: Option<RequestId>,
) -> Option<(OpenRequest, BufferUse, bool)> {
    let busy = requests.open.iter().filter(|(id, open)| open.busy && Some(**id) != except);
    for (_, open) in busy {
        for one in uses {
            let forbidding = one.stretches.iter().find_map(|stretch| open.forbids(stretch, one.writes));
            if let Some(forbidding) = forbidding {
                return Some((open.clone(), forbidding.clone(), one.writes));
            }
        }
    }
    None
}

fn tell_conflict(call: &mut Call<'_>, found: Option<(OpenRequest, BufferUse, bool)>) {
    let Some((open, forbidding, writes)) = found else { return };
    let does = if writes { "writes" } else { "reads" };
    let message = format!("{} {does} memory that an open {} {}", call.name(), open.function.name, role(&forbidding));
    let finding = Diagnostic::error(&codes::CONCURRENT, message)
        .label(call.span, format!("it {does} the buffer here"))
        .label(open.span, "the operation begins here and is still open")
        .help("complete the request first (MPI_Wait), or use another buffer");
    call.mpi.tell(finding);
}

impl Call<'_> {
    /// A request was made; `argument` says where its handle is stored.
    pub(crate) fn check_opened(&mut self, argument: usize, id: RequestId) {
        self.check_posted(id);
        let place = self.address(argument);
        if self.mpi.checks.is_some() && self.env.argument(argument) == Value::Int(0) {
            outputs::tell_null(self, argument);
        }
        let (task, function, span) = (self.task, self.function, self.span);
        let active = self.request(id).is_some_and(|request| !matches!(request.work, RequestKind::Inactive));
        let busy = self
            .request(id)
            .is_some_and(|request| !matches!(request.work, RequestKind::Inactive | RequestKind::AtOnce(_)));
        let Some(checks) = &mut self.mpi.checks else { return };
        let uses = checks.uses[task.index()].clone();
        // The buffers of one-sided accesses are free again with their epoch.
        let busy = busy && function.variant != Variant::WithRequest;
        let requests = &mut checks.requests[task.index()];
        for open in requests.open.values_mut() {
            if open.active && place.is_some() && open.place == place {
                open.overwritten.get_or_insert(span);
            }
        }
        let mut open =
            OpenRequest { function, span, place, uses, active, busy: false, overwritten: None, cancelled: false };
        open.set_busy(busy, self.env);
        requests.open.insert(id, open);
    }

    /// A persistent request is started.
    pub(crate) fn check_start(&mut self, id: RequestId) {
        self.check_posted(id);
        let busy = self
            .request(id)
            .is_some_and(|request| !matches!(request.work, RequestKind::Inactive | RequestKind::AtOnce(_)));
        let (task, span) = (self.task, self.span);
        let Some(requests) = of(self.mpi, task) else { return };
        let Some(open) = requests.open.get_mut(&id) else { return };
        (open.active, open.span) = (true, span);
        open.set_busy(busy, self.env);
        let uses = open.uses.clone();
        let found = conflict(requests, &uses, Some(id));
        tell_conflict(self, found);
    }

    /// The operation of a request is complete; `keeps`: the request is still to be waited for.
    pub(crate) fn check_completed(&mut self, id: RequestId, keeps: bool) {
        let is_persistent = self.request(id).is_some_and(|request| request.persistent.is_some());
        let Some(requests) = of(self.mpi, self.task) else { return };
        let Some(open) = requests.open.get_mut(&id) else { return };
        open.set_busy(false, self.env);
        open.active &= keeps;
        if !keeps && !is_persistent {
            requests.open.remove(&id);
        }
    }

    /// The end of an epoch completes one-sided accesses, though their requests are still to be waited for.
    pub(crate) fn check_accesses_complete(&mut self) {
        let Some(requests) = of(self.mpi, self.task) else { return };
        let open = requests.open.values_mut().filter(|open| open.function.variant == Variant::WithRequest);
        open.for_each(|open| open.set_busy(false, self.env));
    }

    /// The request was freed; `active`: its operation may still be under way.
    pub(crate) fn check_freed(&mut self, id: RequestId, active: bool) {
        let Some(requests) = of(self.mpi, self.task) else { return };
        let Some(mut open) = requests.open.remove(&id) else { return };
        open.set_busy(false, self.env);
        let receives = open.uses.iter().any(|one| one.writes);
        match active && !open.cancelled {
            true if receives => tell_freed(self.mpi, &open, self.span),
            true => requests.freed.push((open, self.span)),
            false => {}
        }
    }

    /// The request is to be cancelled: whether its operation takes place is open.
    pub(crate) fn check_cancelled(&mut self, id: RequestId) {
        let open = of(self.mpi, self.task).and_then(|requests| requests.open.get_mut(&id));
        if let Some(open) = open {
            open.cancelled = true;
        }
    }
}

fn tell_freed(mpi: &mut MpiState, open: &OpenRequest, freed: Span) {
    let message = format!("the request of {} is freed while its operation may be under way", open.function.name);
    let finding = Diagnostic::warning(&codes::NEVER_COMPLETED, message)
        .label(freed, "freed here: nothing tells when the buffer may be used again")
        .label(open.span, "begun here")
        .help("wait for the request (MPI_Wait) in place of MPI_Request_free");
    mpi.tell(finding);
}

/// MPI ends while requests are open.
pub(crate) fn check_finalize(call: &mut Call<'_>) {
    let Some(requests) = of(call.mpi, call.task) else { return };
    let freed = std::mem::take(&mut requests.freed);
    let open: Vec<OpenRequest> = requests.open.values().filter(|open| open.active).cloned().collect();
    freed.iter().for_each(|(open, at)| tell_freed(call.mpi, open, *at));
    for open in open {
        let message = format!("the request of {} is never completed", open.function.name);
        let mut finding = Diagnostic::error(&codes::NEVER_COMPLETED, message).label(open.span, "begun here");
        if let Some(span) = open.overwritten {
            finding = finding.label(span, "its handle is overwritten here");
        }
        let finding = finding
            .label(call.span, "still open here")
            .help("wait for the request (MPI_Wait) before its handle is used again and before MPI_Finalize");
        call.mpi.tell(finding);
    }
}

/// The program touches memory that is watched.
pub fn accessed(mpi: &mut MpiState, task: TaskId, access: MemoryAccess, _env: &mut dyn CallEnvironment) {
    let Some(requests) = of(mpi, task) else { return };
    let bytes = i64::try_from(access.bytes).unwrap_or(i64::MAX);
    let Pointer { object, offset } = access.pointer;
    let stretch = MemoryRange { object, begin: offset, end: offset.saturating_add(bytes) };
    let writes = access.kind != AccessKind::Read;
    let busy = requests.open.values().filter(|open| open.busy);
    let found = busy.into_iter().find_map(|open| Some((open.forbids(&stretch, writes)?.clone(), open.clone())));
    if access.kind == AccessKind::Free {
        forget(requests, object);
    }
    let Some((one, open)) = found else { return };
    let does = match access.kind {
        AccessKind::Read => "read",
        AccessKind::Write => "written",
        AccessKind::Free => "given back",
    };
    let message = format!("memory that an open {} {} is {does}", open.function.name, role(&one));
    let new = if access.certain { Diagnostic::error } else { Diagnostic::warning };
    let finding = new(&codes::CONCURRENT, message)
        .label(access.span, format!("{does} here"))
        .label(open.span, "the operation begins here and is still open")
        .help("complete the request first (MPI_Wait), or use another buffer");
    mpi.tell(finding);
}

/// The object's life ends.
fn forget(requests: &mut OpenRequests, object: ObjectId) {
    for one in requests.open.values_mut().flat_map(|open| &mut open.uses) {
        one.stretches.retain(|stretch| stretch.object != object);
    }
}
