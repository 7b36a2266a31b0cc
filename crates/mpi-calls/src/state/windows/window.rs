//! Windows: what members expose, and the epochs that they are in.

use crate::data::buffer::moved;
use crate::state::windows::image::Image;
use chronos_activity::RequestId;
use chronos_activity::TaskId;
use chronos_ir::BlockId;
use chronos_values::Pointer;

/// Memory that a member of a window exposes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Exposed {
    /// `None` where the address is not known.
    pub base: Option<Pointer>,
    pub bytes: u64,
    /// Bytes of one step of a displacement.
    pub unit: u64,
    /// Memory is attached later, and displacements are addresses.
    pub dynamic: bool,
    /// The call that allocated the memory, if MPI did.
    pub allocated_by: Option<BlockId>,
}

/// A window, by rank.
#[derive(Clone, Debug)]
pub(crate) struct Window {
    pub members: Vec<Member>,
}

#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub exposed: Exposed,
    pub(crate) image: Image,
    /// Memory that was attached to a dynamic window; `None` where the window is of another kind.
    pub attached: Option<Attached>,
    pub(crate) epoch: Epoch,
    /// Target and request of what this member has issued and not waited for.
    pub(crate) issued: Vec<(usize, RequestId)>,
    /// To whom it granted access, and to whom it was granted (`MPI_Win_post` and `MPI_Win_start`).
    pub(crate) posted: Vec<TaskId>,
    pub(crate) started: Vec<TaskId>,
}

/// What a member may access now.
#[derive(Clone, Debug, Default)]
pub(crate) struct Epoch {
    pub(crate) fenced: bool,
    pub(crate) all: bool,
    pub(crate) locked: Vec<usize>,
}

impl Window {
    pub fn new(exposed: impl IntoIterator<Item = Exposed>) -> Self {
        let member = |exposed: Exposed| Member {
            attached: exposed.dynamic.then(Attached::default),
            exposed,
            image: Image::default(),
            epoch: Epoch::default(),
            issued: Vec::new(),
            posted: Vec::new(),
            started: Vec::new(),
        };
        Self { members: exposed.into_iter().map(member).collect() }
    }
}

impl Member {
    /// It is in no epoch.
    pub fn is_idle(&self) -> bool {
        self.open().is_none() && !self.epoch.fenced
    }

    /// What keeps the window from being freed.
    pub(crate) fn open(&self) -> Option<&'static str> {
        match () {
            () if !self.epoch.locked.is_empty() || self.epoch.all => Some("it is locked"),
            () if !self.started.is_empty() => Some("accesses are started (MPI_Win_start)"),
            () if !self.posted.is_empty() => Some("it is posted (MPI_Win_post)"),
            () if !self.issued.is_empty() => Some("accesses to it are not complete"),
            () => None,
        }
    }
}

impl Member {
    /// What others may write to.
    pub(crate) fn stretches(&self) -> Vec<AttachedRange> {
        match &self.attached {
            Some(attached) => attached.stretches.clone(),
            None => self
                .exposed
                .base
                .map(|base| AttachedRange { base, bytes: self.exposed.bytes, at: 0 })
                .into_iter()
                .collect(),
        }
    }
}

/// Memory that is attached, and where it stands in the image.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct AttachedRange {
    pub base: Pointer,
    pub bytes: u64,
    pub at: u64,
}

/// All that is attached to a member.
#[derive(Clone, Debug, Default)]
pub(crate) struct Attached {
    pub(crate) stretches: Vec<AttachedRange>,
    /// Where the next one stands: places are not used again, so that what is written to detached memory hits nothing.
    pub(crate) next: u64,
    /// Something was attached whose address is not known.
    pub(crate) vague: bool,
}

/// The address of a place in the image.
pub(crate) fn address(stretches: &[AttachedRange], begin: u64) -> Option<Pointer> {
    let inside = stretches.iter().rev().find(|stretch| stretch.at <= begin)?;
    let offset = begin - inside.at;
    (offset <= inside.bytes).then(|| moved(inside.base, i64::try_from(offset).unwrap_or(i64::MAX)))
}
