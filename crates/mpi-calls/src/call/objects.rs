//! Communicators and datatypes behind handles.

use crate::call::{Call, Refusal};
use crate::codes;
use crate::state::task::NamedDatatype;
use chronos_activity::CommId;
use chronos_mpi::{Datatype, handles};
use std::sync::Arc;

impl Call<'_> {
    /// A communicator that the task is a member of.
    pub fn comm(&mut self, argument: usize) -> Result<CommId, Refusal> {
        let handle = self.int(argument)?;
        let known = self.mpi.comm_of_handle(self.task, handle);
        known.ok_or_else(|| {
            let what = if handle == handles::NULL { "MPI_COMM_NULL" } else { "no communicator of this task" };
            self.bad_handle(argument, what)
        })
    }

    /// As `comm`, which must not be an intercommunicator.
    pub(crate) fn intracomm(&mut self, argument: usize) -> Result<CommId, Refusal> {
        let comm = self.comm(argument)?;
        match self.mpi.sides(comm) {
            None => Ok(comm),
            Some(_) => Err(self.bad_handle(argument, "an intercommunicator, which this call does not take")),
        }
    }

    /// A datatype, committed or not.
    pub fn datatype(&mut self, argument: usize) -> Result<Arc<Datatype>, Refusal> {
        let handle = self.int(argument)?;
        Ok(self.named_datatype(argument, handle)?.datatype)
    }

    /// A datatype that may be used in communication.
    pub fn committed(&mut self, argument: usize) -> Result<Arc<Datatype>, Refusal> {
        let handle = self.int(argument)?;
        self.committed_handle(argument, handle)
    }

    pub(crate) fn committed_handle(&mut self, argument: usize, handle: i64) -> Result<Arc<Datatype>, Refusal> {
        let NamedDatatype { datatype, committed } = self.named_datatype(argument, handle)?;
        if committed {
            return Ok(datatype);
        }
        let message = format!("the datatype that {} is given was not committed", self.name());
        Err(self.wrong(&codes::UNCOMMITTED, message, "call MPI_Type_commit after the type was created"))
    }

    pub(crate) fn named_datatype(&self, argument: usize, handle: i64) -> Result<NamedDatatype, Refusal> {
        let what = if handle == handles::NULL { "MPI_DATATYPE_NULL" } else { "no datatype" };
        self.mpi.datatype(self.task, handle).ok_or_else(|| self.bad_handle(argument, what))
    }
}
