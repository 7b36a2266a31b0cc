//! Epochs of windows that do not end, or that are of two kinds at once (MPI 4.0, 12.5).
//!
//! A fence begins an epoch only where accesses between it and the next one need that (12.5.1), and the kind of
//! synchronisation may change where both copies of the window are known to agree (12.7): behind a fence, and at an
//! origin behind its `MPI_Win_unlock` or `MPI_Win_complete`. So a lock between two fences is right where its target comes
//! to the second fence after the lock has ended, which a barrier or a message makes sure of, and wrong where nothing
//! does.

use crate::call::Call;
use crate::checks::state::windows::{EpochBetweenFences, Fence};
use crate::codes::EPOCH;
use chronos_activity::CommId;
use chronos_activity::TaskId;
use chronos_base::diag::Diagnostic;
use chronos_base::ids::Id;
use chronos_base::span::Span;

/// `MPI_MODE_NOPRECEDE` and `MPI_MODE_NOSUCCEED` of the bundled header.
const NOPRECEDE: i64 = 8192;
const NOSUCCEED: i64 = 16384;

impl Fence {
    /// The first target of an epoch that may have come to the fence before the epoch ended.
    fn unordered(&self, origin: TaskId, epoch: &EpochBetweenFences) -> Option<TaskId> {
        let knows = |target: &TaskId| {
            let clock = self.clocks.get(target);
            let known = clock.and_then(|clock| clock.get(origin.index()));
            known.is_none_or(|&known| epoch.ended.is_some_and(|ended| known >= ended))
        };
        epoch.targets.iter().find(|target| !knows(target)).copied()
    }

    fn findings(&self) -> Vec<Diagnostic> {
        let found = self.before.iter().filter_map(|(origin, epoch, fence)| {
            let target = self.unordered(*origin, epoch)?;
            Some(mixed(epoch, *fence, target))
        });
        found.chain(self.half_asserted()).collect()
    }

    /// What one member asserts that another does not; MPI wants these assertions of all or of nobody (MPI 4.0, 12.5.5).
    fn half_asserted(&self) -> Option<Diagnostic> {
        let halves = [(NOPRECEDE, "MPI_MODE_NOPRECEDE"), (NOSUCCEED, "MPI_MODE_NOSUCCEED")];
        halves.into_iter().find_map(|(flag, name)| {
            let (with, given) = self.asserts.iter().find(|(_, (assert, _))| assert & flag != 0)?;
            let (without, missing) = self.asserts.iter().find(|(_, (assert, _))| assert & flag == 0)?;
            let message = format!("task {} gives {name} to MPI_Win_fence, and task {} does not", with.0, without.0);
            let finding =
                Diagnostic::error(&EPOCH, message).label(given.1, "given here").label(missing.1, "not given here");
            Some(finding.help(format!("give {name} on all members of the window or on none")))
        })
    }
}

fn mixed(epoch: &EpochBetweenFences, fence: Span, target: TaskId) -> Diagnostic {
    let target = target.0;
    let message = format!(
        "a window is locked and accessed between two fences, and task {target} may call the second one before that has ended"
    );
    Diagnostic::error(&EPOCH, message)
        .label(epoch.span, "a second epoch begins here")
        .label(fence, "this fence ends the first one")
        .help(
            "use fences or locks alone, or put a barrier between the end of the second epoch and the fence; MPI_MODE_NOSUCCEED \
             and MPI_MODE_NOPRECEDE say that there is no epoch of fences",
        )
}

impl Call<'_> {
    /// The window is about to be locked, or accesses to be started, to these.
    pub(crate) fn check_begin_epoch(&mut self, window: CommId, fenced: bool, targets: &[TaskId]) {
        let (task, span) = (self.task, self.span);
        if let Some(checks) = self.mpi.checks.as_mut().filter(|_| fenced) {
            let between = EpochBetweenFences { span, targets: targets.to_vec(), used: false, ended: None };
            checks.mixed[task.index()].entry(window).or_default().push(between);
        }
    }

    fn open_between(&mut self, window: CommId) -> impl Iterator<Item = &mut EpochBetweenFences> {
        let task = self.task.index();
        let checks = self.mpi.checks.as_mut();
        let all = checks.and_then(|checks| checks.mixed[task].get_mut(&window)).into_iter().flatten();
        all.filter(|between| between.ended.is_none())
    }

    /// An access to the window is made while it is locked or started.
    pub(crate) fn check_used_epoch(&mut self, window: CommId) {
        self.open_between(window).for_each(|between| between.used = true);
    }

    /// The lock of these, or the accesses to them, are about to end.
    pub(crate) fn check_end_epoch(&mut self, window: CommId, targets: &[TaskId]) {
        let task = self.task;
        let now = self.mpi.clocks().and_then(|clocks| clocks.now(task));
        let ending = self.open_between(window).filter(|between| between.targets == targets);
        ending.for_each(|between| between.ended = now);
    }

    /// A fence is about to end an epoch; `locked`: the caller holds a lock; `accessed`: it has accesses that are not
    /// complete.
    pub(crate) fn check_fence(&mut self, assert: i64, locked: bool, accessed: bool) {
        let (message, help) = match (locked, accessed && assert & NOPRECEDE != 0) {
            (true, _) => ("MPI_Win_fence is called while the window is locked", "unlock the window first"),
            (false, true) => (
                "MPI_Win_fence is given MPI_MODE_NOPRECEDE behind accesses that it has to complete",
                "leave the assertion out: it says that there is nothing to complete",
            ),
            (false, false) => return,
        };
        if self.mpi.checks.is_some() {
            let finding = Diagnostic::error(&EPOCH, message).label(self.span, "called here");
            self.mpi.tell(finding.help(help));
        }
    }

    /// The task has come to the fence of this number.
    pub(crate) fn check_fence_entered(&mut self, window: CommId, number: u64, assert: i64) {
        let (task, span, size) = (self.task, self.span, self.mpi.members(window).size());
        let Some(checks) = &mut self.mpi.checks else { return };
        let epochs = checks.mixed[task.index()].remove(&window).unwrap_or_default();
        let matter = epochs.into_iter().filter(|epoch| epoch.used && assert & NOPRECEDE == 0);
        let fence = checks.fences.0.entry((window, number)).or_default();
        fence.before.extend(matter.map(|epoch| (task, epoch, span)));
        fence.asserts.insert(task, (assert, span));
        fence.clocks.insert(task, checks.clocks.known_by(task));
        if fence.clocks.len() == size {
            let found = checks.fences.0.remove(&(window, number)).map_or_else(Vec::new, |fence| fence.findings());
            found.into_iter().for_each(|finding| self.mpi.tell(finding));
        }
    }

    /// The window is about to be freed; what is open, if anything is.
    pub(crate) fn check_free(&mut self, open: Option<&'static str>) {
        let Some(open) = open.filter(|_| self.mpi.checks.is_some()) else { return };
        let finding = Diagnostic::error(&EPOCH, format!("MPI_Win_free is called while {open}"))
            .label(self.span, "the window is freed here")
            .help("end the epoch first: MPI_Win_fence, MPI_Win_unlock, MPI_Win_complete or MPI_Win_wait");
        self.mpi.tell(finding);
    }
}
