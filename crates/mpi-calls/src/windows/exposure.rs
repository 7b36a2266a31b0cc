//! What members of a window see of the memory of others.

use crate::interface::environment::CallEnvironment;
use crate::state::mpi_state::MpiState;
use crate::state::windows::window::{AttachedRange, address};
use chronos_activity::TaskId;
use chronos_base::ids::Id;
use chronos_base::span::Span;
use chronos_functions::Function;
use chronos_values::{Reason, ReasonKind};

impl MpiState {
    /// Before a call of `task`: brings what others have written into its memory, then shows others what is there,
    /// where the call may make it visible.
    pub(crate) fn expose(&mut self, task: TaskId, function: &Function, env: &mut dyn CallEnvironment, span: Span) {
        self.settle(task, env, span);
        if !function.publishes_stores() {
            return;
        }
        let model = self.options.model_of(task);
        for comm in self.tasks[task.index()].windows.clone() {
            let Some(member) = self.member(comm, task).filter(|member| !member.image.is_complete(env)) else {
                continue;
            };
            let (mut followed, mut stored) = (true, false);
            for AttachedRange { base, bytes, at } in member.stretches() {
                if !member.image.is_current(at, env.version(base.object)) {
                    stored |= member.image.was_copied(at);
                    let content = env.snapshot(base, bytes);
                    let version = env.version_to_copy(base.object);
                    member.image.refresh(at, bytes, content.as_ref(), version, model);
                    followed &= version.is_some();
                }
            }
            member.image.complete(env.version_of_all().filter(|_| followed));
            if stored {
                self.stored.insert(task);
            }
        }
    }

    /// Brings what others have written into the memory of `task`.
    pub(crate) fn settle(&mut self, task: TaskId, env: &mut dyn CallEnvironment, span: Span) {
        let model = self.options.model_of(task);
        for comm in self.tasks[task.index()].windows.clone() {
            let Some(member) = self.member(comm, task) else { continue };
            let changes = member.image.take_changes(model);
            if changes.is_empty() {
                continue;
            }
            let stretches = member.stretches();
            let is_same = |one: &&AttachedRange| member.image.is_current(one.at, env.version(one.base.object));
            let same: Vec<AttachedRange> = stretches.iter().filter(is_same).copied().collect();
            let kind = ReasonKind::Received;
            let reason = env.intern_reason(Reason { kind, span: Some(span), origin: None });
            for change in changes {
                let Some(at) = address(&stretches, change.begin) else { continue };
                env.deposit(at, change.bytes, change.payload.as_ref(), reason);
            }
            // With what was in the image, the owner has all of it.
            for stretch in same {
                member.image.agree(stretch.at, env.version_to_copy(stretch.base.object));
            }
        }
    }
}
