//! Epochs of windows that do not end, or that are of two kinds at once (MPI 4.0, 12.5).

use crate::activity::CommId;
use crate::count::mpi::call::Call;
use crate::count::mpi::codes::EPOCH;
use crate::diag::Diagnostic;
use crate::ids::Id;
use crate::span::Span;
use std::collections::BTreeMap;

/// `MPI_MODE_NOPRECEDE` of the bundled header.
const NOPRECEDE: i64 = 8192;

/// By window: the lock that was taken between fences, and whether there was an access under it.
pub type Mixed = BTreeMap<CommId, (Span, bool)>;

impl Call<'_> {
    /// The window is about to be locked, or accesses to be started.
    pub fn check_begin_epoch(&mut self, window: CommId, fenced: bool) {
        let (task, span) = (self.task, self.span);
        if let Some(checks) = self.world.checks.as_mut().filter(|_| fenced) {
            checks.mixed[task.index()].insert(window, (span, false));
        }
    }

    /// An access to the window is made while it is locked or started.
    pub fn check_used_epoch(&mut self, window: CommId) {
        let task = self.task;
        let mixed = self.world.checks.as_mut().and_then(|checks| checks.mixed[task.index()].get_mut(&window));
        if let Some((_, used)) = mixed {
            *used = true;
        }
    }

    /// A fence is about to end an epoch; `locked`: the caller holds a lock.
    pub fn check_fence(&mut self, window: CommId, assert: i64, locked: bool) {
        let task = self.task;
        let Some(checks) = &mut self.world.checks else { return };
        let mixed = checks.mixed[task.index()].remove(&window);
        if locked {
            let message = "MPI_Win_fence is called while the window is locked";
            let finding = Diagnostic::error(&EPOCH, message).label(self.span, "called here");
            return super::tell(self.world, finding.help("unlock the window first"));
        }
        let Some((span, true)) = mixed.filter(|_| assert & NOPRECEDE == 0) else { return };
        let message = "a window is locked and accessed between two fences, which make an epoch of their own";
        let finding = Diagnostic::error(&EPOCH, message)
            .label(span, "a second epoch begins here")
            .label(self.span, "this fence ends the first one")
            .help("use fences or locks; give MPI_MODE_NOSUCCEED to the fence before locks and MPI_MODE_NOPRECEDE to the one behind");
        super::tell(self.world, finding);
    }

    /// The window is about to be freed; what is open, if anything is.
    pub fn check_free(&mut self, open: Option<&'static str>) {
        let Some(open) = open.filter(|_| self.world.checks.is_some()) else { return };
        let finding = Diagnostic::error(&EPOCH, format!("MPI_Win_free is called while {open}"))
            .label(self.span, "the window is freed here")
            .help("end the epoch first: MPI_Win_fence, MPI_Win_unlock, MPI_Win_complete or MPI_Win_wait");
        super::tell(self.world, finding);
    }
}
