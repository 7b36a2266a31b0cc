//! Calls about the environment: begin and end of MPI, clocks, names, versions, errors.

use crate::call::{Call, Called, DONE, Refusal};
use crate::codes;
use crate::collectives::plan::{NOTHING_MADE, Plan};
use crate::communicators::spawn;
use crate::interface::calls::Action;
use crate::state::pending::Pending;
use crate::state::task::AttachedBuffer;
use crate::state::task::Phase;
use chronos_activity::{CollectiveKind, Operation};
use chronos_base::ids::Id;
use chronos_ir::ScalarType;
use chronos_mpi::handles;
use chronos_values::Value;

/// `MPI_Init(argc, argv)`.
pub(crate) fn init(call: &mut Call<'_>) -> Called {
    let task = call.mpi.task(call.task);
    if task.phase != Phase::Before {
        let message = format!("{} is called a second time, or after MPI_Finalize", call.name());
        return Err(call.wrong(&codes::OUTSIDE, message, "initialise MPI once, at the begin of main"));
    }
    task.phase = Phase::Active;
    let function = call.name().into();
    let mut events = vec![Operation::Local { function }];
    let pending = spawn::arrive(call, &mut events)?;
    call.then(events, pending)
}

/// `MPI_Init_thread(argc, argv, required, provided)`: what is asked for is taken to be provided; a library may give more or
/// less.
pub(crate) fn init_thread(call: &mut Call<'_>) -> Called {
    let required = call.env.argument(2);
    call.approximate("the MPI library is taken to provide the thread level that it is asked for".to_owned());
    call.mpi.task(call.task).thread_level = required.as_int();
    call.store(3, ScalarType::I32, required);
    init(call)
}

/// `MPI_Finalize()`.
pub(crate) fn finalize(call: &mut Call<'_>) -> Result<Plan, Refusal> {
    call.mpi.task(call.task).phase = Phase::Finalized;
    let world = call.mpi.world_of(call.task);
    Ok(Plan::new(CollectiveKind::Agreement, world, NOTHING_MADE))
}

/// `MPI_Initialized(flag)`.
pub(crate) fn initialized(call: &mut Call<'_>) -> Called {
    let begun = call.mpi.task(call.task).phase != Phase::Before;
    call.store_int(0, i64::from(begun));
    DONE
}

/// `MPI_Finalized(flag)`.
pub(crate) fn finalized(call: &mut Call<'_>) -> Called {
    let ended = call.mpi.task(call.task).phase == Phase::Finalized;
    call.store_int(0, i64::from(ended));
    DONE
}

/// `MPI_Abort(comm, code)`. Nothing that is predicted depends on the code, so an unknown one is 1.
pub(crate) fn abort(call: &mut Call<'_>) -> Called {
    let code = call.env.argument(1).as_int().unwrap_or(1);
    #[expect(clippy::cast_possible_truncation, reason = "the argument is an int")]
    call.then(vec![Operation::Abort { code: code as i32 }], Pending::Done)
}

/// `MPI_Wtime()`.
pub(crate) fn wtime(call: &mut Call<'_>) -> Called {
    let slot = call.site.block;
    call.then(vec![Operation::ReadClock { slot }], Pending::Clock(slot))
}

/// `MPI_Wtick()`: the clock of the prediction has nanoseconds.
pub(crate) fn wtick(call: &mut Call<'_>) -> Called {
    call.approximate("the resolution of MPI_Wtime is taken to be 1 ns".to_owned());
    Ok(Action::Return(Value::Float(1e-9)))
}

/// `MPI_Get_processor_name(name, length)`: the node's number.
pub(crate) fn get_processor_name(call: &mut Call<'_>) -> Called {
    let name = format!("node{}", call.node(call.task.index()));
    call.approximate(format!("the name of the node is taken to be `{name}`"));
    call.store_string(0, &name, handles::MAX_PROCESSOR_NAME);
    call.store_length(1, &name);
    DONE
}

/// `MPI_Get_version(version, subversion)`: that of the bundled header.
pub(crate) fn get_version(call: &mut Call<'_>) -> Called {
    call.approximate("the version of MPI is taken to be 3.1".to_owned());
    call.store_int(0, 3);
    call.store_int(1, 1);
    DONE
}

/// `MPI_Get_library_version(text, length)`.
pub(crate) fn get_library_version(call: &mut Call<'_>) -> Called {
    let text = concat!("chronos ", env!("CARGO_PKG_VERSION"));
    call.approximate(format!("the MPI library is taken to call itself `{text}`"));
    call.store_string(0, text, handles::MAX_PROCESSOR_NAME);
    call.store_length(1, text);
    DONE
}

/// `MPI_Error_string(code, text, length)`.
pub(crate) fn error_string(call: &mut Call<'_>) -> Called {
    let code = call.int(0)?;
    let text = if code == handles::SUCCESS { "no error".to_owned() } else { format!("MPI error {code}") };
    call.approximate(format!("the text of the MPI error {code} is taken to be `{text}`"));
    call.store_string(1, &text, handles::MAX_PROCESSOR_NAME);
    call.store_length(2, &text);
    DONE
}

/// `MPI_Error_class(code, class)`: every code is its own class.
pub(crate) fn error_class(call: &mut Call<'_>) -> Called {
    let code = call.env.argument(0);
    call.store(1, ScalarType::I32, code);
    DONE
}

/// `MPI_Query_thread(provided)`: what was asked for; behind `MPI_Init` that is `MPI_THREAD_SINGLE`.
pub(crate) fn query_thread(call: &mut Call<'_>) -> Called {
    let level = call.mpi.task(call.task).thread_level.unwrap_or(handles::THREAD_SINGLE);
    call.approximate(format!("the thread level of the MPI library is taken to be {level}, as it was asked for"));
    call.store_int(0, level);
    DONE
}

/// `MPI_Is_thread_main(flag)`: threads are not followed.
pub(crate) fn is_thread_main(call: &mut Call<'_>) -> Called {
    call.store_int(0, 1);
    DONE
}

/// `MPI_Alloc_mem(size, info, base)`.
pub(crate) fn alloc_mem(call: &mut Call<'_>) -> Called {
    let bytes = call.count(0)?;
    call.store_allocation(2, bytes);
    DONE
}

/// `MPI_Comm_f2c(handle)` and its kin: handles of both languages are the same integers.
pub(crate) fn same_handle(call: &mut Call<'_>) -> Called {
    Ok(Action::Return(call.env.argument(0)))
}

/// Calls that change nothing that a prediction could see.
pub(crate) fn nothing(_: &mut Call<'_>) -> Called {
    DONE
}

/// `MPI_Buffer_attach(buffer, size)`.
pub(crate) fn buffer_attach(call: &mut Call<'_>) -> Called {
    call.check_attach();
    let attached = AttachedBuffer { address: call.env.argument(0), size: call.env.argument(1) };
    call.mpi.task(call.task).attached = Some(attached);
    DONE
}

/// `MPI_Buffer_detach(address of the buffer, size)`: what was attached comes back.
pub(crate) fn buffer_detach(call: &mut Call<'_>) -> Called {
    call.check_detach();
    let attached = call.mpi.task(call.task).attached.take();
    let none = AttachedBuffer { address: Value::Int(0), size: Value::Int(0) };
    let AttachedBuffer { address, size } = attached.unwrap_or(none);
    call.store(0, ScalarType::Pointer, address);
    call.store(1, ScalarType::I32, size);
    DONE
}
