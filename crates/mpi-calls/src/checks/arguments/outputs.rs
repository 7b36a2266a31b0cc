//! Results that a call has nowhere to store, arguments that were never set, and collectives that give less than is
//! taken.

use crate::call::{Call, Refusal};
use crate::checks::codes;
use crate::data::buffer::{Buffer, Data};
use chronos_base::diag::Diagnostic;
use chronos_functions::{Extent, Role};
use chronos_values::{ReasonId, Value};

pub fn check(call: &mut Call<'_>) {
    let row = call.function;
    for (argument, param) in row.params.iter().enumerate() {
        let is_null = call.env.argument(argument) == Value::Int(0);
        match param.role {
            Role::Result if is_null => tell_null(call, argument),
            Role::Status if is_null && !stores_no_statuses(call, param.extent) => tell_null_status(call, argument),
            _ => {}
        }
    }
}

/// An array of statuses has no elements where there are no requests.
fn stores_no_statuses(call: &Call<'_>, statuses: Extent) -> bool {
    matches!(statuses, Extent::Array(count) if call.env.argument(count) == Value::Int(0))
}

/// A null pointer is `MPI_STATUS_IGNORE` in some libraries, and an address in others.
fn tell_null_status(call: &mut Call<'_>, argument: usize) {
    let message = format!("argument {} of {} is a null pointer in place of a status", argument + 1, call.name());
    let finding = Diagnostic::warning(&codes::NULL_OUTPUT, message)
        .label(call.span, "it works only where MPI_STATUS_IGNORE is null")
        .help("give the address of a status, MPI_STATUS_IGNORE or MPI_STATUSES_IGNORE");
    call.mpi.tell(finding);
}

/// Nothing can be stored through this argument.
pub(crate) fn tell_null(call: &mut Call<'_>, argument: usize) {
    let message =
        format!("argument {} of {} is a null pointer, and a result is to be stored there", argument + 1, call.name());
    let finding = Diagnostic::error(&codes::NULL_OUTPUT, message)
        .label(call.span, "this call")
        .help("give the address of a variable");
    call.mpi.tell(finding);
}

impl Call<'_> {
    /// Why the call cannot be followed whose argument is unknown: one that was never set is wrong.
    pub(crate) fn check_unknown(&self, argument: usize, reason: ReasonId) -> Refusal {
        if self.mpi.checks.is_none() || !self.env.was_never_set(reason) {
            return Refusal::Unknown { argument, reason };
        }
        let message = format!("argument {} of {} was never set", argument + 1, self.name());
        self.wrong(&codes::NEVER_SET, message, "set it on every path that leads to this call")
    }

    /// An element of an array argument that may be unknown: one that was never set is wrong.
    pub(crate) fn check_set(&self, argument: usize, element: Value) -> Result<(), Refusal> {
        let Value::Unknown(reason) = element else { return Ok(()) };
        match self.check_unknown(argument, reason) {
            Refusal::Unknown { .. } => Ok(()),
            never_set => Err(never_set),
        }
    }

    /// Displacements that are addresses go with `MPI_BOTTOM`, and distances with the address of a buffer (MPI 4.0,
    /// 5.1.12): no buffer goes with both.
    pub(crate) fn check_one_origin(&mut self, argument: usize, places: &[Value], blocks: &[u64]) {
        let used = || places.iter().zip(blocks).enumerate().filter(|(_, (_, length))| **length > 0);
        let address = used().find(|(_, (place, _))| matches!(place, Value::Pointer(_)));
        let near = |place: &Value| place.as_int().is_some_and(|n| n.abs() < super::buffers::FIRST_PAGE);
        let distance = used().find(|(_, (place, _))| near(place));
        let (Some((absolute, _)), Some((relative, _))) = (address, distance) else { return };
        if self.mpi.checks.is_none() {
            return;
        }
        let message = format!(
            "displacement {absolute} of {} (argument {}) is an address, and displacement {relative} is a distance",
            self.name(),
            argument + 1
        );
        let finding = Diagnostic::error(&crate::codes::ARGUMENT, message)
            .label(self.span, "no buffer goes with both")
            .help("subtract the address of the buffer from all of them (MPI_Aint_diff), or give all as addresses, with MPI_BOTTOM as buffer");
        self.mpi.tell(finding);
    }

    /// What a member takes out of a collective must be as much as was given to it.
    pub(crate) fn check_shares(&mut self, data: &Data, into: &Buffer) {
        let (given, taken) = (data.bytes, into.bytes());
        if self.mpi.checks.is_none() || data.vague.is_some() || into.vague.is_some() || given >= taken {
            return;
        }
        let message = format!("{} takes {taken} bytes of a member that gives {given}", self.name());
        let finding = Diagnostic::error(&codes::SIZES, message)
            .label(self.span, format!("taken by task {}", self.task.0))
            .help("make counts and datatypes of what is given and what is taken agree");
        self.mpi.tell(finding);
    }
}
