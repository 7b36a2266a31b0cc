//! Requests of a task.

use crate::call::{Call, Called, DONE, Refusal};
use crate::data::buffer::Data;
use crate::state::handle_table::Handle;
use crate::state::pending::Pending;
use crate::state::requests::{Request, RequestKind};
use crate::state::status::Status;
use chronos_activity::{Operation, Outcome, RequestId};
use chronos_base::ids::Id;
use chronos_ir::ScalarType;
use chronos_mpi::handles;
use chronos_values::Value;

impl Call<'_> {
    /// The request behind a handle; `None` for `MPI_REQUEST_NULL`.
    pub(crate) fn request_of(&mut self, argument: usize, handle: i64) -> Result<Option<RequestId>, Refusal> {
        if handle == handles::NULL {
            return Ok(None);
        }
        let found =
            RequestId::from_handle(handle).filter(|&id| self.mpi.tasks[self.task.index()].requests.get(id).is_some());
        found.map(Some).ok_or_else(|| self.bad_handle(argument, "no request of this task"))
    }

    /// The request that an argument points to.
    pub(crate) fn request_at(&mut self, argument: usize) -> Result<Option<RequestId>, Refusal> {
        let handle = self.element(argument, 0)?;
        self.request_of(argument, handle)
    }

    pub fn request(&mut self, id: RequestId) -> Option<&mut Request> {
        self.mpi.task(self.task).requests.get_mut(id)
    }

    /// Forgets a request that is complete, or lets a persistent one be started again; whether its handle dies.
    pub fn release(&mut self, id: RequestId) -> bool {
        let requests = &mut self.mpi.task(self.task).requests;
        let Some(request) = requests.get_mut(id) else { return true };
        if request.persistent.is_some() {
            request.work = RequestKind::Inactive;
            return false;
        }
        requests.remove(id);
        true
    }
}

/// `MPI_Request_free(request)`: a communication under way goes on, and nobody will hear of it.
pub(crate) fn free(call: &mut Call<'_>) -> Called {
    let Some(id) = call.request_at(0)? else {
        return Err(call.bad_handle(0, "MPI_REQUEST_NULL"));
    };
    let work = call.request(id).map(|request| std::mem::replace(&mut request.work, RequestKind::Inactive));
    let active = !matches!(work, Some(RequestKind::Inactive | RequestKind::AtOnce(_)) | None);
    call.check_freed(id, active);
    match work {
        Some(RequestKind::Inactive | RequestKind::AtOnce(_)) | None => {
            call.mpi.task(call.task).requests.remove(id);
        }
        Some(RequestKind::Receive { buffer, .. }) => {
            let data = Data::unknown(buffer.bytes());
            call.write(&buffer, &data);
            call.mpi.task(call.task).requests.retire(id);
        }
        Some(RequestKind::Send | RequestKind::Stored(_) | RequestKind::Collective(_) | RequestKind::Neighbours(_)) => {
            call.mpi.task(call.task).requests.retire(id);
        }
    }
    call.store(0, ScalarType::I32, Value::Int(handles::NULL));
    DONE
}

/// `MPI_Cancel(request)`: a receive is taken back unless its message has come; a send counts as too far on its way.
pub(crate) fn cancel(call: &mut Call<'_>) -> Called {
    let Some(id) = call.request_at(0)? else {
        return Err(call.bad_handle(0, "MPI_REQUEST_NULL"));
    };
    call.check_cancelled(id);
    match call.request(id).map(|request| &request.work) {
        Some(RequestKind::Receive { .. }) => {
            let operation = Operation::Cancel { request: id };
            call.then(vec![operation], Pending::Cancel(id))
        }
        _ => DONE,
    }
}

impl Call<'_> {
    /// Whether a receive was taken back is known.
    pub fn cancelled(&mut self, id: RequestId, outcome: &Outcome) -> Called {
        if let Some(request) = self.request(id)
            && !matches!(outcome, Outcome::NotYet)
        {
            request.work = RequestKind::AtOnce(Status::CANCELLED);
        }
        DONE
    }
}
