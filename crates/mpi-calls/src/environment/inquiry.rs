//! Calls about the environment: begin and end of MPI, clocks, names, versions, errors.

use super::call::{Call, Called, DONE, Refusal};
use super::collective::Plan;
use super::world::{Pending, Phase};
use super::{Action, codes};
use chronos_activity::{CollectiveKind, Operation};
use chronos_base::ids::Id;
use chronos_ir::ScalarType;
use chronos_mpi::handles;
use chronos_slicing::doubts::{Certainty, Doubt, Subject};
use chronos_values::{Reason, ReasonKind, Value};

/// Bytes that a member gives to the agreements inside MPI.
pub(super) const AGREEMENT_BYTES: u64 = 8;

/// `MPI_Init(argc, argv)`.
pub(super) fn init(call: &mut Call<'_>) -> Called {
    let task = call.world.task(call.task);
    if task.phase != Phase::Before {
        let message = format!("{} is called a second time, or after MPI_Finalize", call.name);
        return Err(call.wrong(&codes::OUTSIDE, message, "initialise MPI once, at the begin of main"));
    }
    task.phase = Phase::Active;
    let function = call.name.into();
    let mut events = vec![Operation::Local { function }];
    let pending = super::spawn::arrive(call, &mut events)?;
    call.then(events, pending)
}

/// `MPI_Init_thread(argc, argv, required, provided)`: what is asked for is provided.
pub(super) fn init_thread(call: &mut Call<'_>) -> Called {
    let required = call.env.argument(2);
    call.store(3, ScalarType::I32, required);
    init(call)
}

/// `MPI_Finalize()`.
pub(super) fn finalize(call: &mut Call<'_>) -> Result<Plan, Refusal> {
    call.world.task(call.task).phase = Phase::Finalized;
    let world = call.world.world_of(call.task);
    Ok(Plan::new(CollectiveKind::Agreement, world, AGREEMENT_BYTES))
}

/// `MPI_Initialized(flag)`.
pub(super) fn initialized(call: &mut Call<'_>) -> Called {
    let begun = call.world.task(call.task).phase != Phase::Before;
    call.store_int(0, i64::from(begun));
    DONE
}

/// `MPI_Finalized(flag)`.
pub(super) fn finalized(call: &mut Call<'_>) -> Called {
    let ended = call.world.task(call.task).phase == Phase::Finalized;
    call.store_int(0, i64::from(ended));
    DONE
}

/// `MPI_Abort(comm, code)`. Nothing that is predicted depends on the code, so an unknown one is 1.
pub(super) fn abort(call: &mut Call<'_>) -> Called {
    let code = call.env.argument(1).as_int().unwrap_or(1);
    #[expect(clippy::cast_possible_truncation, reason = "the argument is an int")]
    call.then(vec![Operation::Abort { code: code as i32 }], Pending::Done)
}

/// `MPI_Wtime()`.
pub(super) fn wtime(call: &mut Call<'_>) -> Called {
    let slot = call.site.block;
    call.then(vec![Operation::ReadClock { slot }], Pending::Clock(slot))
}

/// `MPI_Wtick()`: the clock of the prediction has nanoseconds.
pub(super) fn wtick(_: &mut Call<'_>) -> Called {
    Ok(Action::Return(Value::Float(1e-9)))
}

/// `MPI_Get_processor_name(name, length)`: the node's number.
pub(super) fn get_processor_name(call: &mut Call<'_>) -> Called {
    let name = format!("node{}", call.node(call.task.index()));
    call.approximate(format!("the name of the node is taken to be `{name}`"));
    call.store_string(0, &name, handles::MAX_PROCESSOR_NAME);
    call.store_length(1, &name);
    DONE
}

impl Call<'_> {
    /// Says that what the call gives is used although another implementation of MPI may give something else.
    pub fn approximate(&mut self, text: String) {
        let (span, certainty) = (self.span, Certainty::Approximate);
        let subject = Subject::Call(self.site.block);
        self.env.doubt(Doubt { span, certainty, text: text.into(), help: None }, subject);
    }

    /// The node that a task runs on; its own where nobody placed it.
    pub fn node(&self, task: usize) -> u32 {
        let own = u32::try_from(task).unwrap_or(u32::MAX);
        self.world.options.nodes.get(task).copied().unwrap_or(own)
    }

    pub(crate) fn store_length(&mut self, argument: usize, text: &str) {
        self.store_int(argument, i64::try_from(text.len()).unwrap_or(i64::MAX));
    }

    /// Stores a pointer to new memory; unknown where the task cannot be given any.
    pub(crate) fn store_allocation(&mut self, argument: usize, bytes: u64) -> Option<chronos_values::Pointer> {
        let memory = self.env.allocate(bytes, self.site.block);
        let value = memory.map_or_else(|| self.unsupported(), Value::Pointer);
        self.store(argument, ScalarType::Pointer, value);
        memory
    }

    pub fn unsupported(&mut self) -> Value {
        let kind = ReasonKind::Unsupported(self.name.into());
        Value::Unknown(self.env.intern_reason(Reason { kind, span: Some(self.span), origin: None }))
    }
}

/// `MPI_Get_version(version, subversion)`: that of the bundled header.
pub(super) fn get_version(call: &mut Call<'_>) -> Called {
    call.approximate("the version of MPI is taken to be 3.1".to_owned());
    call.store_int(0, 3);
    call.store_int(1, 1);
    DONE
}

/// `MPI_Get_library_version(text, length)`.
pub(super) fn get_library_version(call: &mut Call<'_>) -> Called {
    let text = concat!("chronos ", env!("CARGO_PKG_VERSION"));
    call.approximate(format!("the MPI library is taken to call itself `{text}`"));
    call.store_string(0, text, handles::MAX_PROCESSOR_NAME);
    call.store_length(1, text);
    DONE
}

/// `MPI_Error_string(code, text, length)`.
pub(super) fn error_string(call: &mut Call<'_>) -> Called {
    let code = call.int(0)?;
    let text = if code == handles::SUCCESS { "no error".to_owned() } else { format!("MPI error {code}") };
    call.approximate(format!("the text of the MPI error {code} is taken to be `{text}`"));
    call.store_string(1, &text, handles::MAX_PROCESSOR_NAME);
    call.store_length(2, &text);
    DONE
}

/// `MPI_Error_class(code, class)`: every code is its own class.
pub(super) fn error_class(call: &mut Call<'_>) -> Called {
    let code = call.env.argument(0);
    call.store(1, ScalarType::I32, code);
    DONE
}

/// `MPI_Query_thread(provided)`: MPI_THREAD_MULTIPLE.
pub(super) fn query_thread(call: &mut Call<'_>) -> Called {
    call.store_int(0, 3);
    DONE
}

/// `MPI_Is_thread_main(flag)`: threads are not followed.
pub(super) fn is_thread_main(call: &mut Call<'_>) -> Called {
    call.store_int(0, 1);
    DONE
}

/// `MPI_Alloc_mem(size, info, base)`.
pub(super) fn alloc_mem(call: &mut Call<'_>) -> Called {
    let bytes = call.count(0)?;
    call.store_allocation(2, bytes);
    DONE
}

/// `MPI_Comm_f2c(handle)` and its kin: handles of both languages are the same integers.
pub(super) fn same_handle(call: &mut Call<'_>) -> Called {
    Ok(Action::Return(call.env.argument(0)))
}

/// Calls that change nothing that a prediction could see.
pub(super) fn nothing(_: &mut Call<'_>) -> Called {
    DONE
}

/// `MPI_Buffer_attach(buffer, size)`.
pub(super) fn buffer_attach(call: &mut Call<'_>) -> Called {
    let attached = (call.env.argument(0), call.env.argument(1));
    call.world.task(call.task).attached = Some(attached);
    DONE
}

/// `MPI_Buffer_detach(address of the buffer, size)`: what was attached comes back.
pub(super) fn buffer_detach(call: &mut Call<'_>) -> Called {
    let attached = call.world.task(call.task).attached.take();
    let (address, size) = attached.unwrap_or((Value::Int(0), Value::Int(0)));
    call.store(0, ScalarType::Pointer, address);
    call.store(1, ScalarType::I32, size);
    DONE
}
