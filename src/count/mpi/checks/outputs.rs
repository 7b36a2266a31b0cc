//! Results that a call has nowhere to store, arguments that were never set, and collectives that give less than is taken.

use super::codes;
use crate::count::mpi::buffer::{Buffer, Data};
use crate::count::mpi::call::{Call, Refusal};
use crate::count::value::{ReasonId, Value};
use crate::diag::Diagnostic;

/// Arguments, from 0, through which a call stores what nobody may leave out; requests apart.
fn wanted(name: &str) -> &'static [usize] {
    match name {
        "MPI_Comm_rank" | "MPI_Comm_size" | "MPI_Test" | "MPI_Request_get_status" => &[1],
        "MPI_Testall" | "MPI_Waitany" | "MPI_Testsome" | "MPI_Waitsome" => &[2],
        "MPI_Testany" => &[2, 3],
        "MPI_Iprobe" => &[3],
        "MPI_Get_count" => &[2],
        _ => &[],
    }
}

/// The argument, from 0, for the status or the statuses of what has come.
fn status(name: &str) -> Option<usize> {
    Some(match name {
        "MPI_Wait" => 1,
        "MPI_Test" | "MPI_Waitall" | "MPI_Request_get_status" => 2,
        "MPI_Testall" | "MPI_Waitany" | "MPI_Probe" => 3,
        "MPI_Testany" | "MPI_Waitsome" | "MPI_Testsome" | "MPI_Iprobe" | "MPI_Mprobe" | "MPI_Mrecv" => 4,
        "MPI_Improbe" => 5,
        "MPI_Recv" => 6,
        "MPI_Sendrecv_replace" => 8,
        "MPI_Sendrecv" => 11,
        _ => return None,
    })
}

pub fn check(call: &mut Call<'_>) {
    for &argument in wanted(call.name) {
        if call.env.argument(argument) == Value::Int(0) {
            tell_null(call, argument);
        }
    }
    if let Some(argument) = status(call.name)
        && call.env.argument(argument) == Value::Int(0)
    {
        tell_null_status(call, argument);
    }
}

/// A null pointer is MPI_STATUS_IGNORE in some libraries, and an address in others.
fn tell_null_status(call: &mut Call<'_>, argument: usize) {
    let message = format!("argument {} of {} is a null pointer in place of a status", argument + 1, call.name);
    let finding = Diagnostic::warning(&codes::NULL_OUTPUT, message)
        .label(call.span, "it works only where MPI_STATUS_IGNORE is null")
        .help("give the address of a status, MPI_STATUS_IGNORE or MPI_STATUSES_IGNORE");
    super::tell(call.world, finding);
}

/// Nothing can be stored through this argument.
pub fn tell_null(call: &mut Call<'_>, argument: usize) {
    let message =
        format!("argument {} of {} is a null pointer, and a result is to be stored there", argument + 1, call.name);
    let finding = Diagnostic::error(&codes::NULL_OUTPUT, message)
        .label(call.span, "this call")
        .help("give the address of a variable");
    super::tell(call.world, finding);
}

impl Call<'_> {
    /// Why the call cannot be followed whose argument is unknown: one that was never set is wrong.
    pub fn check_unknown(&self, argument: usize, reason: ReasonId) -> Refusal {
        if self.world.checks.is_none() || !self.env.was_never_set(reason) {
            return Refusal::Unknown { argument, reason };
        }
        let message = format!("argument {} of {} was never set", argument + 1, self.name);
        self.wrong(&codes::NEVER_SET, message, "set it on every path that leads to this call")
    }

    /// An element of an array argument that may be unknown: one that was never set is wrong.
    pub fn check_set(&self, argument: usize, element: Value) -> Result<(), Refusal> {
        let Value::Unknown(reason) = element else { return Ok(()) };
        match self.check_unknown(argument, reason) {
            Refusal::Unknown { .. } => Ok(()),
            never_set => Err(never_set),
        }
    }

    /// What a member takes out of a collective must be as much as was given to it.
    pub fn check_shares(&mut self, data: &Data, into: &Buffer) {
        let (given, taken) = (data.bytes, into.bytes());
        if self.world.checks.is_none() || data.vague.is_some() || into.vague.is_some() || given >= taken {
            return;
        }
        let message = format!("{} takes {taken} bytes of a member that gives {given}", self.name);
        let finding = Diagnostic::error(&codes::SIZES, message)
            .label(self.span, format!("taken by task {}", self.task.0))
            .help("make counts and datatypes of what is given and what is taken agree");
        super::tell(self.world, finding);
    }
}
