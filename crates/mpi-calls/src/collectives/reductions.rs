//! Reductions: collectives that combine what the members give.

use crate::call::{Call, Called, DONE, Refusal};
use crate::collectives::plan::{Participants, Plan};
use crate::collectives::roots_and_sides::{Rooted, range_of_contributors};
use crate::data::buffer::{Buffer, Data};
use crate::data::reduce::combine;
use crate::state::delivery::{Delivery, ReductionRange, UserOperation};
use crate::state::handle_table::{Handle, OperationId};
use crate::state::instances::Contribution;
use crate::state::task::OwnOperation;
use chronos_activity::{CollectiveKind, CommId};
use chronos_mpi::{ReduceOp, handles};

/// What combines the members' data: a predefined operation, or a function of the program.
struct Reduction {
    op: Option<ReduceOp>,
    own: Option<UserOperation>,
    commutes: bool,
}

impl Call<'_> {
    /// The reduction of which datatype and operation are the arguments 3 and 4.
    fn reduction(&mut self) -> Result<Reduction, Refusal> {
        const DATATYPE: usize = 3;
        let argument = DATATYPE + 1;
        let (datatype, handle) = (self.int(DATATYPE)?, self.int(argument)?);
        if let Some(op) = ReduceOp::from_handle(handle) {
            return Ok(Reduction { op: Some(op), own: None, commutes: true });
        }
        let own = OperationId::from_handle(handle);
        let own = own.and_then(|id| self.mpi.task(self.task).operations.get(id).copied());
        match own {
            Some(OwnOperation { function, commutes }) => {
                let own = UserOperation { function, datatype, block: self.site.block };
                Ok(Reduction { op: None, own: Some(own), commutes })
            }
            None => {
                Err(self.bad_handle(argument, if handle == handles::NULL { "MPI_OP_NULL" } else { "no operation" }))
            }
        }
    }
}

/// `MPI_Reduce(send, recv, count, datatype, op, root, comm)`.
pub(crate) fn reduce(call: &mut Call<'_>) -> Result<Plan, Refusal> {
    let Rooted { comm, root, at } = call.rooted(5, 6)?;
    let range = range_of_contributors(at, 0, u64::MAX).unwrap_or(ReductionRange::Everyone);
    let plan = reducing(call, CollectiveKind::Reduce, comm, at.is_root().then_some(range))?;
    Ok(Plan { root: Some(root), ..plan })
}

/// `MPI_Allreduce(send, recv, count, datatype, op, comm)`.
pub(crate) fn allreduce(call: &mut Call<'_>) -> Result<Plan, Refusal> {
    let (comm, at) = call.unrooted(5)?;
    let range = range_of_contributors(at, 0, u64::MAX).unwrap_or(ReductionRange::Everyone);
    reducing(call, CollectiveKind::Allreduce, comm, Some(range))
}

/// `MPI_Scan(send, recv, count, datatype, op, comm)`.
pub(crate) fn scan(call: &mut Call<'_>) -> Result<Plan, Refusal> {
    let comm = call.intracomm(5)?;
    let own = call.own_rank(comm);
    reducing(call, CollectiveKind::Scan, comm, Some(ReductionRange::UpTo(own)))
}

/// `MPI_Exscan(send, recv, count, datatype, op, comm)`: nothing comes to the first.
pub(crate) fn exscan(call: &mut Call<'_>) -> Result<Plan, Refusal> {
    let comm = call.intracomm(5)?;
    let own = call.own_rank(comm);
    reducing(call, CollectiveKind::Exscan, comm, Some(ReductionRange::Below(own)))
}

/// Send and receive buffer, count, datatype and operation as the first arguments.
fn reducing(
    call: &mut Call<'_>,
    kind: CollectiveKind,
    comm: CommId,
    range: Option<ReductionRange>,
) -> Result<Plan, Refusal> {
    let Reduction { op, own, commutes } = call.reduction()?;
    let count = call.count(2)?;
    let datatype = call.committed(3)?;
    let (form, vague, site) = (call.form(), call.vague, call.site);
    let buffer = |address| Buffer { address, count, datatype: datatype.clone(), form, vague, site };
    let source = usize::from(call.is_in_place(0));
    let mut plan = Plan { commutative: commutes, ..Plan::new(kind, comm, call.wire_size(comm)(&buffer(None))) };
    let sent = buffer(call.address(source));
    call.check_length(&sent);
    plan.gives = Contribution::of(call.data(&sent));
    if let Some(range) = range {
        plan.gets = Delivery::Reduced { into: buffer(call.address(1)), op, own, range };
    }
    Ok(plan)
}

/// `MPI_Reduce_local(in, inout, count, datatype, op)`: no communication.
pub(crate) fn reduce_local(call: &mut Call<'_>) -> Called {
    let Reduction { op, own, .. } = call.reduction()?;
    let count = call.count(2)?;
    let datatype = call.committed(3)?;
    let (form, vague, site) = (call.form(), call.vague, call.site);
    let buffer = |address| Buffer { address, count, datatype: datatype.clone(), form, vague, site };
    let into = buffer(call.address(1));
    let given = [0, 1].map(|argument| call.data(&buffer(call.address(argument))));
    if let Some(own) = own {
        return call.fold_locally(own, into, given);
    }
    let given = given.map(|data| Some(Box::new(Contribution::of(data))));
    let combined = op.zip(datatype.uniform()).map(|(op, kind)| combine(op, kind, &given, form));
    call.write(&into, &combined.unwrap_or(Data::unknown(into.bytes())));
    DONE
}

/// `MPI_Reduce_scatter(send, recv, recvcounts, datatype, op, comm)`.
pub(crate) fn reduce_scatter(call: &mut Call<'_>) -> Result<Plan, Refusal> {
    let (comm, at) = call.unrooted(5)?;
    let counts = call.elements(2, at.size - at.others())?;
    let counts: Result<Vec<u64>, Refusal> = counts.into_iter().map(|n| call.not_negative(2, n)).collect();
    reducing_blocks(call, comm, at, &counts?)
}

/// `MPI_Reduce_scatter_block(send, recv, recvcount, datatype, op, comm)`.
pub(crate) fn reduce_scatter_block(call: &mut Call<'_>) -> Result<Plan, Refusal> {
    let ((comm, at), count) = (call.unrooted(5)?, call.count(2)?);
    reducing_blocks(call, comm, at, &vec![count; at.size - at.others()])
}

/// The blocks are those of the caller's own side.
fn reducing_blocks(call: &mut Call<'_>, comm: CommId, at: Participants, counts: &[u64]) -> Result<Plan, Refusal> {
    let own = if at.first == 0 { at.own - at.others() } else { at.own };
    let Reduction { op, own: program, commutes } = call.reduction()?;
    let datatype = call.committed(3)?;
    let total = counts.iter().fold(0, |sum: u64, &n| sum.saturating_add(n));
    let begin: u64 = counts[..own].iter().fold(0, |sum: u64, &n| sum.saturating_add(n));
    let (form, vague, site) = (call.form(), call.vague, call.site);
    let buffer = |address, count| Buffer { address, count, datatype: datatype.clone(), form, vague, site };
    let source = usize::from(call.is_in_place(0));
    let sent = buffer(call.address(source), total);
    let into = buffer(call.address(1), counts[own]);
    let (begin, bytes) = (begin.saturating_mul(datatype.message_size), into.bytes());
    let range = range_of_contributors(at, begin, bytes).unwrap_or(ReductionRange::Block { begin, bytes });
    let all = call.wire_size(comm)(&sent);
    let mut plan = Plan { commutative: commutes, ..Plan::new(CollectiveKind::ReduceScatter, comm, all) };
    plan.gives = Contribution::of(call.data(&sent));
    plan.gets = Delivery::Reduced { into, op, own: program, range };
    Ok(plan)
}
