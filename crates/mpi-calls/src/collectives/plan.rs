//! How a member enters a collective: what it gives, and what it is to get.

use crate::call::{Call, Called, DONE, Refusal};
use crate::codes;
use crate::state::delivery::{Delivery, EnteredCollective};
use crate::state::instances::{CollectiveCall, Contribution};
use crate::state::pending::Pending;
use crate::state::requests::Persistent;
use crate::state::requests::{Request, RequestKind};
use crate::state::status::Status;
use chronos_activity::{Collective, CollectiveKind, CommId, Operation, TaskId, Volume};
use chronos_base::diag::Diagnostic;
use chronos_base::ids::Id;
use chronos_base::units::Bytes;
use std::ops::Range;

/// Bytes that a member gives to the agreements inside MPI on a communicator, window or file that is made.
pub(crate) const AGREEMENT_BYTES: u64 = 8;

/// What it gives where members only wait for each other: nothing is made ([`CollectiveKind::Agreement`]).
pub(crate) const NOTHING_MADE: u64 = 0;

/// A collective as one member calls it.
pub(crate) struct Plan {
    pub kind: CollectiveKind,
    pub comm: CommId,
    pub root: Option<TaskId>,
    pub volume: Volume,
    pub commutative: bool,
    pub gives: Contribution,
    pub gets: Delivery,
}

pub(crate) type Planner = fn(&mut Call<'_>) -> Result<Plan, Refusal>;

pub(crate) fn blocking(call: &mut Call<'_>, plan: impl FnOnce(&mut Call<'_>) -> Result<Plan, Refusal>) -> Called {
    let plan = plan(call)?;
    let (collective, joined) = call.join(plan)?;
    call.then(vec![Operation::Collective(collective)], Pending::Collective(Box::new(joined)))
}

/// A collective in the form that the row of its function says: blocking, immediate or persistent.
pub(crate) fn perform(call: &mut Call<'_>, plan: Planner) -> Called {
    match call.function.made_request() {
        None => blocking(call, plan),
        Some(request) if call.function.is_persistent() => prepare(call, plan, request),
        Some(request) => immediate(call, plan, request),
    }
}

/// With the request as argument `request`.
fn immediate(call: &mut Call<'_>, plan: Planner, request: usize) -> Called {
    let plan = match plan(call) {
        Err(Refusal::Unconcerned) => {
            call.new_request(request, Request::new(RequestKind::AtOnce(Status::EMPTY)));
            return DONE;
        }
        plan => plan?,
    };
    let (collective, joined) = call.join(plan)?;
    let id = call.new_request(request, Request::new(RequestKind::Collective(Box::new(joined))));
    let collective = Collective { request: Some(id), ..collective };
    call.then(vec![Operation::Collective(collective)], Pending::Done)
}

/// Makes a persistent collective, with the request as argument `request`; a bad argument is told at once.
fn prepare(call: &mut Call<'_>, plan: Planner, request: usize) -> Called {
    match plan(call) {
        Err(Refusal::Unconcerned) => {}
        plan => drop(plan?),
    }
    let arguments = (0..request).map(|index| call.env.argument(index)).collect();
    let function = call.function;
    let id = call.new_request(request, Request::new(RequestKind::Inactive));
    if let Some(made) = call.request(id) {
        made.persistent = Some(Persistent::Collective { function, arguments });
    }
    DONE
}

impl Plan {
    /// Without data and without root.
    pub fn new(kind: CollectiveKind, comm: CommId, bytes: u64) -> Self {
        let volume = Volume::Each(Bytes(bytes));
        let (gives, gets) = (Contribution::default(), Delivery::Nothing);
        Self { kind, comm, root: None, volume, commutative: true, gives, gets }
    }
}

/// The ranks of the caller and of the root, and how many there are.
#[derive(Clone, Copy)]
pub(crate) struct Participants {
    pub own: usize,
    pub root: usize,
    pub size: usize,
    /// Rank of the first member that the caller hears of.
    pub first: usize,
    /// How many members it hears of: on intercommunicators those of the other side.
    pub(crate) contributor_count: usize,
}

impl Participants {
    pub fn is_root(self) -> bool {
        self.own == self.root
    }

    pub fn receives_from(self, rank: usize) -> bool {
        self.contributors().contains(&rank)
    }

    /// The caller is the root of the other side of an intercommunicator: it has no block of its own.
    pub(crate) fn is_outside(self) -> bool {
        self.is_root() && self.contributor_count < self.size
    }

    /// Members on the other side of an intercommunicator.
    pub fn others(self) -> usize {
        if self.contributor_count < self.size { self.contributor_count } else { 0 }
    }

    pub fn contributors(self) -> Range<usize> {
        self.first..self.first + self.contributor_count
    }
}

impl Call<'_> {
    /// Enters the collective; the event, and what is to be done at its end.
    pub fn join(&mut self, plan: Plan) -> Result<(Collective, EnteredCollective), Refusal> {
        let Plan { kind, comm, root, volume, commutative, mut gives, mut gets } = plan;
        if self.vague.is_some() {
            gives.data.vague = self.vague;
            gets.blur(self.vague);
        }
        let (rank, size) = (self.own_rank(comm), self.mpi.members(comm).size());
        let signature = CollectiveCall { name: self.name(), root, task: self.task, span: self.span };
        let instances = &mut self.mpi.comms[comm.index()].instances;
        let (number, first) = instances.enter(rank, size, signature.clone(), gives);
        let first = first.clone();
        if (first.name, first.root) != (signature.name, signature.root) {
            return Err(mismatch(&first, &signature));
        }
        self.check_entered(comm, number, root);
        self.check_agreement(comm, number, root);
        let collective = Collective { kind, comm, root, volume, commutative, request: None };
        Ok((collective, EnteredCollective { comm, number, rank, delivery: gets }))
    }

    /// The caller's rank in a communicator that it is a member of.
    pub fn own_rank(&self, comm: CommId) -> usize {
        self.mpi.members(comm).rank(self.task).unwrap_or(0)
    }

    pub fn participants(&self, comm: CommId, root: Option<TaskId>) -> Participants {
        let group = self.mpi.members(comm);
        let root = root.and_then(|root| group.rank(root)).unwrap_or(0);
        Participants { own: self.own_rank(comm), root, size: group.size(), first: 0, contributor_count: group.size() }
    }
}

fn mismatch(first: &CollectiveCall, second: &CollectiveCall) -> Refusal {
    let what = |s: &CollectiveCall| match s.root {
        Some(root) => format!("{} with root {root}", s.name, root = root.0),
        None => s.name.to_owned(),
    };
    let (one, other) = (what(second), what(first));
    let message = format!("task {} calls {one}, and task {} calls {other}", second.task.0, first.task.0);
    let diagnostic = Diagnostic::error(&codes::MISMATCH, message)
        .label(second.span, format!("task {} calls {one}", second.task.0))
        .label(first.span, format!("task {} calls {other}", first.task.0))
        .help("let all members of the communicator call the same collectives in the same order");
    Refusal::Wrong(Box::new(diagnostic))
}
