//! Buffers of one-sided accesses that are not complete, and the memory of windows as long as they exist.

use crate::call::Call;
use crate::checks::remote_codes as codes;
use crate::checks::state::uses::{BufferUse, MemoryRange};
use crate::checks::state::windows::{OpenAccess, OpenAccesses};
use crate::interface::memory_access::{AccessKind, MemoryAccess};
use crate::state::mpi_state::MpiState;
use chronos_activity::{CommId, TaskId};
use chronos_base::diag::Diagnostic;
use chronos_base::ids::Id;
use chronos_base::span::Span;
use chronos_values::{ObjectId, Pointer, Value};

fn of(mpi: &mut MpiState, task: TaskId) -> Option<&mut OpenAccesses> {
    mpi.checks.as_mut().map(|checks| &mut checks.origins[task.index()])
}

/// A call uses buffers of accesses that are not complete.
pub(crate) fn check_call(call: &mut Call<'_>, uses: &[BufferUse]) {
    if call.function.is_persistent() {
        return;
    }
    let Some(origins) = of(call.mpi, call.task) else { return };
    let conflict = |origin: &&OpenAccess| {
        uses.iter().any(|one| one.stretches.iter().any(|stretch| origin.forbids(stretch, one.writes)))
    };
    let found = origins.open.iter().find(|origin| conflict(origin)).cloned();
    let Some(origin) = found else { return };
    let message = format!("{} uses memory that {} accesses, which is not complete", call.name(), origin.name);
    tell(call.mpi, &origin, call.span, message, true);
}

fn tell(mpi: &mut MpiState, origin: &OpenAccess, span: Span, message: String, certain: bool) {
    let new = if certain { Diagnostic::error } else { Diagnostic::warning };
    let finding = new(&codes::ORIGIN, message)
        .label(span, "it is used here")
        .label(origin.span, "the access begins here and is not complete")
        .help("complete the access first: MPI_Win_fence, MPI_Win_unlock, MPI_Win_flush_local or MPI_Win_complete");
    mpi.tell(finding);
}

impl Call<'_> {
    /// An access is issued that no request stands for.
    pub(crate) fn check_origin(&mut self, window: CommId, target: usize) {
        let (task, name, span) = (self.task, self.name(), self.span);
        let Some(checks) = &mut self.mpi.checks else { return };
        let origin = OpenAccess { window, target, uses: checks.uses[task.index()].clone(), name, span };
        origin.objects().into_iter().for_each(|object| self.env.watch(object, true));
        checks.origins[task.index()].open.push(origin);
    }

    /// What was issued to a target of the window, or to all, is complete at its origin.
    pub(crate) fn check_origin_complete(&mut self, window: CommId, target: Option<usize>) {
        self.check_accesses_complete();
        let Some(origins) = of(self.mpi, self.task) else { return };
        let is_done =
            |origin: &OpenAccess| origin.window == window && target.is_none_or(|target| target == origin.target);
        let (done, open) = std::mem::take(&mut origins.open).into_iter().partition(is_done);
        origins.open = open;
        let done: Vec<OpenAccess> = done;
        done.iter().flat_map(OpenAccess::objects).for_each(|object| self.env.watch(object, false));
    }

    /// A window is about to be made over memory of the caller.
    pub(crate) fn check_window_memory(&mut self, base: usize, bytes: u64) {
        if self.mpi.checks.is_none() || bytes == 0 {
            return;
        }
        let what = match self.env.argument(base) {
            Value::Int(0) => Some("a null pointer".to_owned()),
            Value::Unknown(reason) if self.env.was_never_set(reason) => Some("a pointer that was never set".to_owned()),
            Value::Pointer(at) => self.short_window(at, bytes).or_else(|| self.double_window(at, bytes)),
            _ => None,
        };
        let Some(what) = what else { return };
        let new = if what.starts_with("memory of another") { Diagnostic::warning } else { Diagnostic::error };
        let finding = new(&codes::MEMORY, format!("{} makes a window of {bytes} bytes over {what}", self.name()))
            .label(self.span, "the window is made here")
            .help("allocate as much memory as the window is to have, for it alone");
        self.mpi.tell(finding);
    }

    fn short_window(&self, at: Pointer, bytes: u64) -> Option<String> {
        if !self.env.is_live(at.object) {
            return Some("memory whose life has ended".to_owned());
        }
        let room = self.env.room(at)?;
        (room < bytes).then(|| format!("memory that has {room}"))
    }

    fn double_window(&mut self, at: Pointer, bytes: u64) -> Option<String> {
        let new = stretch(at, bytes);
        let origins = of(self.mpi, self.task)?;
        let other = origins.exposed.values().any(|(old, _)| old.overlaps(&new));
        other.then(|| "memory of another window".to_owned())
    }

    /// A window was made: its memory is looked after.
    pub(crate) fn check_window_made(&mut self, window: CommId, base: Option<Pointer>, bytes: u64) {
        let (task, span) = (self.task, self.span);
        let Some(base) = base.filter(|_| bytes > 0) else { return };
        let Some(origins) = of(self.mpi, task) else { return };
        if origins.exposed.insert(window, (stretch(base, bytes), span)).is_none() {
            self.env.watch(base.object, true);
        }
    }

    pub(crate) fn check_window_freed(&mut self, window: CommId) {
        self.check_origin_complete(window, None);
        let Some((stretch, _)) = of(self.mpi, self.task).and_then(|origins| origins.exposed.remove(&window)) else {
            return;
        };
        self.env.watch(stretch.object, false);
    }
}

fn stretch(at: Pointer, bytes: u64) -> MemoryRange {
    MemoryRange { object: at.object, begin: at.offset, end: at.offset.saturating_add_unsigned(bytes) }
}

/// The program touches memory that is watched.
pub fn accessed(mpi: &mut MpiState, task: TaskId, access: &MemoryAccess) {
    let touched = stretch(access.pointer, access.bytes);
    let Some(origins) = of(mpi, task) else { return };
    let writes = access.kind != AccessKind::Read;
    let found = origins.open.iter().find(|origin| origin.forbids(&touched, writes)).cloned();
    let freed = (access.kind == AccessKind::Free)
        .then(|| origins.exposed.values().find(|(own, _)| own.overlaps(&touched)).copied())
        .flatten();
    if access.kind == AccessKind::Free {
        forget(origins, access.pointer.object);
    }
    if let Some((_, made)) = freed {
        let finding = Diagnostic::error(&codes::MEMORY, "memory of a window is given back while the window exists")
            .label(access.span, "its life ends here")
            .label(made, "the window is made here")
            .help("free the window (MPI_Win_free) before its memory");
        mpi.tell(finding);
    }
    let Some(origin) = found else { return };
    let does = match access.kind {
        AccessKind::Read => "read",
        AccessKind::Write => "written",
        AccessKind::Free => "given back",
    };
    let message = format!("memory that {} accesses is {does} before the access is complete", origin.name);
    tell(mpi, &origin, access.span, message, access.certain);
}

/// The object's life ends.
fn forget(origins: &mut OpenAccesses, object: ObjectId) {
    origins.exposed.retain(|_, (own, _)| own.object != object);
    let uses = origins.open.iter_mut().flat_map(|origin| &mut origin.uses);
    uses.for_each(|one| one.stretches.retain(|stretch| stretch.object != object));
}
