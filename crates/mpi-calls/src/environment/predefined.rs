//! Predefined attributes, error handlers, info objects and operations: small local calls.

use crate::call::{Call, Called, DONE};
use crate::state::handle_table::{Handle, OperationId};
use crate::state::task::OwnOperation;
use chronos_ir::ScalarType;
use chronos_mpi::{ReduceOp, handles};
use chronos_values::Value;

/// Key values of the bundled header. That of the largest tag is no tag, so that who takes it for one is told.
const TAG_UB: i64 = -1001;
const HOST: i64 = 1002;
const IO: i64 = 1003;
const WTIME_IS_GLOBAL: i64 = 1004;
const UNIVERSE_SIZE: i64 = 1005;
const LASTUSEDCODE: i64 = 1006;

/// Last error code that the bundled header knows.
const LAST_CODE: i64 = 54;

fn names(key: i64) -> &'static str {
    match key {
        TAG_UB => "MPI_TAG_UB",
        HOST => "MPI_HOST",
        IO => "MPI_IO",
        WTIME_IS_GLOBAL => "MPI_WTIME_IS_GLOBAL",
        UNIVERSE_SIZE => "MPI_UNIVERSE_SIZE",
        _ => "MPI_LASTUSEDCODE",
    }
}

/// `MPI_Comm_get_attr(comm, key, value, flag)`: the predefined ones; others are not set.
pub(crate) fn get_attr(call: &mut Call<'_>) -> Called {
    call.comm(0)?;
    if call.int(1)? >= handles::FIRST_KEY {
        return super::keyvals::get(call);
    }
    let value = match call.int(1)? {
        TAG_UB => Some(handles::TAG_UB),
        HOST => Some(handles::PROC_NULL),
        IO => Some(handles::ANY_SOURCE),
        WTIME_IS_GLOBAL => Some(1),
        UNIVERSE_SIZE => i64::try_from(call.mpi.tasks.len() - call.mpi.options.spawned).ok(),
        LASTUSEDCODE => Some(LAST_CODE),
        _ => None,
    };
    call.store_int(3, i64::from(value.is_some()));
    if let Some(value) = value {
        let name = names(call.int(1)?);
        call.approximate(format!(
            "the attribute `{name}` is taken to be {value}, and other MPI libraries have other values"
        ));
        let memory = call.store_allocation(2, ScalarType::I32.size(call.model()));
        call.put_int(memory, value);
    }
    DONE
}

/// `MPI_Op_create(function, commute, op)`.
pub(crate) fn op_create(call: &mut Call<'_>) -> Called {
    let commutes = call.int(1)? != 0;
    let function = call.env.argument(0);
    let id = call.mpi.task(call.task).operations.insert(OwnOperation { function, commutes });
    call.store_int(2, id.handle());
    DONE
}

/// `MPI_Op_free(op)`.
pub(crate) fn op_free(call: &mut Call<'_>) -> Called {
    let op = call.element(0, 0)?;
    let removed = OperationId::from_handle(op).and_then(|id| call.mpi.task(call.task).operations.remove(id));
    if removed.is_none() {
        return Err(call.bad_handle(0, "no operation of this program"));
    }
    call.store_int(0, handles::NULL);
    DONE
}

/// `MPI_Op_commutative(op, commute)`.
pub(crate) fn op_commutative(call: &mut Call<'_>) -> Called {
    let op = call.int(0)?;
    let own = OperationId::from_handle(op);
    let own = own.and_then(|id| call.mpi.task(call.task).operations.get(id)).map(|own| own.commutes);
    let commutes = own.or(ReduceOp::from_handle(op).map(|_| true));
    let Some(commutes) = commutes else { return Err(call.bad_handle(0, "no operation")) };
    call.store_int(1, i64::from(commutes));
    DONE
}

/// Makes an error handler or info object: what it holds matters to nobody, any handle will do.
pub(crate) fn create_ignored(call: &mut Call<'_>, argument: usize) -> Called {
    call.store_int(argument, IGNORED);
    DONE
}

const IGNORED: i64 = 4;

/// Frees one.
pub(crate) fn free_ignored(call: &mut Call<'_>) -> Called {
    call.store(0, ScalarType::I32, Value::Int(handles::NULL));
    DONE
}

/// `MPI_Comm_get_errhandler(comm, handler)`: `MPI_ERRORS_ARE_FATAL`, which is how errors are treated.
pub(crate) fn get_errhandler(call: &mut Call<'_>) -> Called {
    call.store_int(1, 1);
    DONE
}
