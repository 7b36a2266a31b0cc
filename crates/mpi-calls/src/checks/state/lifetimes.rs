//! Requests and objects that a task has made and not given back.

use crate::checks::state::uses::{BufferUse, MemoryRange};
use crate::interface::environment::CallEnvironment;
use chronos_activity::RequestId;
use chronos_base::span::Span;
use chronos_functions::Function;
use chronos_values::{ObjectId, Pointer};
use std::collections::{BTreeMap, BTreeSet};

/// The requests of a task that something is known of.
#[derive(Clone, Debug, Default)]
pub struct OpenRequests {
    /// By id.
    pub(crate) open: BTreeMap<RequestId, OpenRequest>,
    /// Sends whose requests were freed, and behind which the task has communicated no more.
    pub(crate) freed: Vec<(OpenRequest, Span)>,
}

/// A request that was made.
#[derive(Clone, Debug)]
pub(crate) struct OpenRequest {
    /// The call that began the operation; of a persistent one, that made the request, until it is started.
    pub(crate) function: &'static Function,
    pub(crate) span: Span,
    /// Where the handle was stored.
    pub(crate) place: Option<Pointer>,
    pub(crate) uses: Vec<BufferUse>,
    /// The operation is under way, or complete and not waited for.
    pub(crate) active: bool,
    /// MPI may use the buffers.
    pub(crate) busy: bool,
    /// Another handle was stored where its own was.
    pub(crate) overwritten: Option<Span>,
    /// `MPI_Cancel` was called for it.
    pub(crate) cancelled: bool,
}

impl OpenRequest {
    pub(crate) fn objects(&self) -> impl Iterator<Item = ObjectId> {
        let all: BTreeSet<_> = self.uses.iter().flat_map(|one| &one.stretches).map(|stretch| stretch.object).collect();
        all.into_iter()
    }

    /// What of this operation forbids that the stretch is read or written.
    pub(crate) fn forbids(&self, stretch: &MemoryRange, writes: bool) -> Option<&BufferUse> {
        self.uses.iter().find(|one| (writes || one.writes) && one.stretches.iter().any(|other| other.overlaps(stretch)))
    }

    pub(crate) fn set_busy(&mut self, busy: bool, env: &mut dyn CallEnvironment) {
        if self.busy != busy {
            self.busy = busy;
            self.objects().for_each(|object| env.watch(object, busy));
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ResourceKind {
    Communicator,
    Group,
    Datatype,
    Operation,
    Window,
    File,
    Info,
    Key,
    Request,
}

/// What a task has made and not freed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Resources {
    pub(crate) objects: BTreeMap<(ResourceKind, i64), (&'static str, Span)>,
    pub(crate) initialised: Option<Span>,
}
