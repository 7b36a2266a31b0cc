//! Communicators and datatypes behind handles.

use crate::call::{Call, Refusal};
use crate::codes;
use crate::state::task::{Commitment, NamedDatatype};
use chronos_activity::CommId;
use chronos_base::diag::Diagnostic;
use chronos_mpi::libraries::MpiLibrary;
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
        let NamedDatatype { datatype, commitment } = self.named_datatype(argument, handle)?;
        match commitment {
            Commitment::Own => return Ok(datatype),
            Commitment::OfOld if self.mpi.options.library == MpiLibrary::OpenMpi => {
                self.warn_of_old();
                return Ok(datatype);
            }
            Commitment::OfOld | Commitment::None => {}
        }
        let message = format!("the datatype that {} is given was not committed", self.name());
        Err(self.wrong(&codes::UNCOMMITTED, message, "call MPI_Type_commit after the type was created"))
    }

    /// A datatype of another extent is a copy in Open MPI (`ompi_datatype_create_resized`), which is committed as the old one is.
    fn warn_of_old(&mut self) {
        let message = format!(
            "the datatype that {} is given was not committed: Open MPI takes it as the one it was made of",
            self.name()
        );
        let diagnostic = Diagnostic::warning(&codes::UNCOMMITTED, message).label(self.span, "called here");
        self.mpi.reports.push(diagnostic.help("call MPI_Type_commit after the type was created: MPICH stops here"));
    }

    pub(crate) fn named_datatype(&self, argument: usize, handle: i64) -> Result<NamedDatatype, Refusal> {
        let what = if handle == handles::NULL { "MPI_DATATYPE_NULL" } else { "no datatype" };
        self.mpi.datatype(self.task, handle).ok_or_else(|| self.bad_handle(argument, what))
    }
}
