//! Conflicts in the memory of windows: accesses of several tasks, or of one, that nothing orders.
//!
//! Each access to the memory that a member exposes is kept with the time at which its epoch ended, until all members
//! know of that; a later one to the same bytes that does not know of it is concurrent. This is how MC-Checker (Z.
//! Chen et al., SC 2014) and MUST-RMA (S. Schwitanski et al., "On-the-fly data race detection for MPI RMA
//! programs with MUST", Correctness 2022) see races; clocks of tasks stand for the happened-before relation.

use crate::call::Call;
use crate::checks::remote_codes as codes;
use crate::checks::state::uses::MemoryRange;
use crate::checks::state::windows::{AccessMode, SeenAccess};
use crate::interface::memory_access::{AccessKind, MemoryAccess};
use crate::state::mpi_state::MpiState;
use crate::state::windows::access::TargetPlace;
use crate::state::windows::window::Member;
use chronos_activity::{CommId, TaskId};
use chronos_base::diag::Diagnostic;
use chronos_base::ids::Id;

/// Accesses to the memory of one member that are kept.
const KEPT: usize = 4096;

/// Of the accesses before, those that a local one may continue.
const NEAR: usize = 8;

fn merge(into: &mut Vec<u64>, other: &[u64]) {
    into.resize(into.len().max(other.len()), 0);
    into.iter_mut().zip(other).for_each(|(own, &other)| *own = (*own).max(other));
}

/// A new access to the memory of a member, compared with the earlier ones.
fn enter(mpi: &mut MpiState, at: (CommId, usize), new: SeenAccess) -> Option<Diagnostic> {
    let checks = mpi.checks.as_mut()?;
    let clocks = &checks.clocks;
    let all = checks.shared.accesses.entry(at).or_default();
    let ordered = |old: &SeenAccess| match old.until {
        _ if old.by == new.by && new.open.is_none() => true,
        Some(until) => old.by == new.by || clocks.knows(new.by, old.by, until),
        None => old.by == new.by && old.how.is_atomic() && new.how.is_atomic(),
    };
    let conflict = all.iter().find(|old| old.overlaps(&new) && !old.how.goes_with(new.how) && !ordered(old)).cloned();
    let finding = conflict.map(|old| conflicting(&old, &new, at.1));
    if new.how.is_atomic() {
        let told: Vec<Vec<u64>> =
            all.iter().filter(|old| old.how.is_atomic() && old.overlaps(&new)).map(|old| old.told.clone()).collect();
        told.iter().for_each(|told| checks.clocks.join(new.by, told));
    }
    add(all, new);
    finding
}

/// Neighbouring local accesses of one place in the program become one.
fn add(all: &mut Vec<SeenAccess>, new: SeenAccess) {
    let same = |old: &&mut SeenAccess| {
        new.open.is_none()
            && (old.by, old.how, old.open, old.until, old.span) == (new.by, new.how, new.open, new.until, new.span)
            && old.outside == new.outside
            && old.begin <= new.end
            && new.begin <= old.end
    };
    if let Some(old) = all.iter_mut().rev().take(NEAR).find(same) {
        (old.begin, old.end) = (old.begin.min(new.begin), old.end.max(new.end));
    } else if all.len() < KEPT {
        all.push(new);
    }
}

fn conflicting(old: &SeenAccess, new: &SeenAccess, rank: usize) -> Diagnostic {
    let does = |seen: &SeenAccess| format!("{} of task {} {}", seen.name, seen.by.0, seen.how.verb());
    let message =
        format!("{} bytes of rank {rank}'s window that {} without being ordered with it", does(new), does(old));
    // What an owner does before it takes part in an epoch is mostly meant to come first, and does so in most runs.
    let make = if old.outside { Diagnostic::warning } else { Diagnostic::error };
    make(&codes::CONFLICT, message)
        .label(new.span, format!("task {} {} here", new.by.0, new.how.verb()))
        .label(old.span, format!("task {} {} here", old.by.0, old.how.verb()))
        .help("put synchronisation between the two (MPI_Win_fence, MPI_Win_unlock and a barrier), or use accumulations")
}

impl Call<'_> {
    /// An access is issued.
    pub(crate) fn check_access(&mut self, window: CommId, place: &TargetPlace, how: AccessMode) {
        let (task, name, span) = (self.task, self.name(), self.span);
        let Some(clocks) = self.mpi.clocks() else { return };
        if clocks.now(task).is_none() {
            return;
        }
        let told = if how.is_atomic() { clocks.publish(task) } else { Vec::new() };
        for (begin, end) in place.ranges() {
            let (open, until) = (Some(place.target), None);
            let told = told.clone();
            let new = SeenAccess { by: task, begin, end, how, open, until, name, span, told, outside: false };
            let finding = enter(self.mpi, (window, place.target), new);
            finding.into_iter().for_each(|finding| self.mpi.tell(finding));
        }
        self.check_own_window(place.target);
    }

    /// Its buffer may be memory that the caller exposes.
    fn check_own_window(&mut self, target: usize) {
        let (task, name, span) = (self.task, self.name(), self.span);
        let Some(checks) = &self.mpi.checks else { return };
        let uses = checks.uses[task.index()].clone();
        for one in &uses {
            let how = if one.writes { AccessMode::Write } else { AccessMode::Read };
            let own: Vec<_> = one.stretches.iter().flat_map(|stretch| exposed(self.mpi, task, stretch)).collect();
            for (at, begin, end) in own {
                let (open, until, told) = (Some(target), None, Vec::new());
                let new = SeenAccess { by: task, begin, end, how, open, until, name, span, told, outside: false };
                let finding = enter(self.mpi, at, new);
                finding.into_iter().for_each(|finding| self.mpi.tell(finding));
            }
        }
    }

    /// What the caller has issued to a target of the window, or to all, is complete.
    pub(crate) fn check_synchronised(&mut self, window: CommId, target: Option<usize>) {
        let task = self.task;
        let Some(now) = self.mpi.clocks().and_then(|clocks| clocks.now(task)) else { return };
        let Some(checks) = &mut self.mpi.checks else { return };
        let (accesses, clocks) = (&mut checks.shared.accesses, &checks.clocks);
        for (_, all) in accesses.iter_mut().filter(|((comm, _), _)| *comm == window) {
            let mine = all.iter_mut().filter(|seen| seen.by == task && seen.until.is_none());
            mine.filter(|seen| target.is_none() || seen.open == target).for_each(|seen| seen.until = Some(now));
            all.retain(|seen| seen.until.is_none_or(|until| !clocks.all_know(seen.by, until)));
        }
    }

    /// A lock was given.
    pub(crate) fn check_locked(&mut self, window: CommId, target: Option<usize>, exclusive: bool) {
        let task = self.task;
        let Some(checks) = &mut self.mpi.checks else { return };
        let released = checks.shared.released.iter_mut();
        let wanted = |at: &(CommId, usize)| at.0 == window && target.is_none_or(|target| target == at.1);
        for (_, released) in released.filter(|(at, _)| wanted(at)) {
            checks.clocks.join(task, if exclusive { &released.any } else { &released.exclusive });
        }
        if let Some(rank) = target.filter(|_| exclusive) {
            checks.shared.released.entry((window, rank)).or_default().held.push(task);
        }
    }

    /// A lock is given back.
    pub(crate) fn check_unlocked(&mut self, window: CommId, target: Option<usize>) {
        let task = self.task;
        let size = self.mpi.members(window).size();
        let Some(checks) = &mut self.mpi.checks else { return };
        let told = checks.clocks.publish(task);
        for rank in target.map_or(0..size, |rank| rank..rank + 1) {
            let released = checks.shared.released.entry((window, rank)).or_default();
            merge(&mut released.any, &told);
            if let Some(position) = released.held.iter().position(|&holder| holder == task) {
                released.held.remove(position);
                merge(&mut released.exclusive, &told);
            }
        }
    }

    /// The window is posted, or accesses to it are complete: those who wait for that hear of it.
    pub(crate) fn check_noticed(&mut self, window: CommId) {
        let task = self.task;
        let Some(checks) = &mut self.mpi.checks else { return };
        let told = checks.clocks.publish(task);
        checks.shared.told.insert((window, task), told);
    }

    /// The notices of these tasks have come.
    pub(crate) fn check_notices(&mut self, window: CommId, from: &[TaskId]) {
        let task = self.task;
        let Some(checks) = &mut self.mpi.checks else { return };
        for other in from {
            if let Some(told) = checks.shared.told.get(&(window, *other)) {
                checks.clocks.join(task, told);
            }
        }
    }
}

/// The parts of a stretch that the task exposes: window and rank, begin and end from the begin of the window.
fn exposed(mpi: &MpiState, task: TaskId, stretch: &MemoryRange) -> Vec<((CommId, usize), u64, u64)> {
    let mut all = Vec::new();
    for &comm in &mpi.tasks[task.index()].windows {
        let Some(rank) = mpi.members(comm).rank(task) else { continue };
        let Some(member) = mpi.windows.get(&comm).and_then(|window| window.members.get(rank)) else { continue };
        let Some(base) = member.exposed.base.filter(|base| base.object == stretch.object) else { continue };
        let begin = stretch.begin.saturating_sub(base.offset).max(0).cast_unsigned();
        let end = stretch.end.saturating_sub(base.offset).max(0).cast_unsigned().min(member.exposed.bytes);
        if begin < end {
            all.push(((comm, rank), begin, end));
        }
    }
    all
}

/// The program itself reads or writes memory that may be exposed.
pub fn accessed(mpi: &mut MpiState, task: TaskId, access: &MemoryAccess) {
    let how = match access.kind {
        AccessKind::Read => AccessMode::Read,
        AccessKind::Write => AccessMode::Write,
        AccessKind::Free => return,
    };
    let Some(now) = mpi.clocks().and_then(|clocks| clocks.now(task)).filter(|_| access.certain) else { return };
    let begin = access.pointer.offset;
    let end = begin.saturating_add_unsigned(access.bytes);
    let stretch = MemoryRange { object: access.pointer.object, begin, end };
    let name = if how == AccessMode::Read { "a load" } else { "a store" };
    for (at, begin, end) in exposed(mpi, task, &stretch) {
        let (open, until, told) = (None, Some(now), Vec::new());
        let member = mpi.windows.get(&at.0).and_then(|window| window.members.get(at.1));
        let outside = member.is_some_and(Member::is_idle);
        let new = SeenAccess { by: task, begin, end, how, open, until, name, span: access.span, told, outside };
        let finding = enter(mpi, at, new);
        finding.into_iter().for_each(|finding| mpi.tell(finding));
    }
}
