//! One call in progress: its arguments, decoded and checked.

use super::world::Calls;
use super::{Action, CallEnvironment, codes};
use chronos_activity::{CommId, Event, Operation, Site, TaskId};
use chronos_base::diag::{Code, Diagnostic};
use chronos_base::span::Span;
use chronos_functions::is_size;
use chronos_ir::{DataModel, ScalarType};
use chronos_mpi::{Datatype, handles};
use chronos_values::{Pointer, Reason, ReasonId, ReasonKind, Value};
use std::sync::Arc;

/// Elements of an array argument beyond which a length is taken for a mistake.
const LONGEST_ARRAY: usize = 1 << 24;

/// Why a call is not followed.
#[derive(Debug)]
pub(super) enum Refusal {
    Wrong(Box<Diagnostic>),
    Unknown {
        argument: usize,
        reason: ReasonId,
    },
    /// The call concerns the caller's neighbours alone (MPI_PROC_NULL as root): it is done.
    Unconcerned,
}

impl From<Refusal> for Action {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Wrong(diagnostic) => Self::Fail(diagnostic),
            Refusal::Unknown { argument, reason } => Self::Unknown { argument, reason },
            Refusal::Unconcerned => Self::Return(Value::Int(handles::SUCCESS)),
        }
    }
}

pub(super) type Called = Result<Action, Refusal>;

/// A call of a task, with all that its handler may use.
pub(super) struct Call<'a> {
    pub world: &'a mut Calls,
    pub env: &'a mut dyn CallEnvironment,
    pub task: TaskId,
    pub name: &'static str,
    pub site: Site,
    pub span: Span,
    /// Why a size that the call was given is unknown; it counts as zero.
    pub vague: Option<ReasonId>,
}

/// A rank argument of a point-to-point call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Peer {
    Null,
    Any,
    Task(TaskId),
}

/// What helps where this is no rank.
fn of_rank(rank: i64) -> &'static str {
    match rank < 0 {
        true => {
            "check the rank; write MPI_PROC_NULL or MPI_ANY_SOURCE by name, as their values differ between libraries"
        }
        false => "check the rank, or predict with another number of tasks (-n)",
    }
}

impl Call<'_> {
    /// The data model of the task's machine.
    pub fn model(&self) -> DataModel {
        self.world.options.model_of(self.task)
    }

    /// The data model in whose form messages hold data.
    pub fn form(&self) -> DataModel {
        self.world.options.model
    }

    pub fn wrong(&self, code: &'static Code, message: impl Into<String>, help: impl Into<String>) -> Refusal {
        let diagnostic = Diagnostic::error(code, message).label(self.span, format!("called by {}", self.caller()));
        Refusal::Wrong(Box::new(diagnostic.help(help)))
    }

    fn caller(&self) -> String {
        format!("task {}", self.task.0)
    }

    /// An integer that the call's structure depends on.
    pub fn int(&mut self, argument: usize) -> Result<i64, Refusal> {
        let value = self.env.argument(argument);
        self.known(argument, value)
    }

    pub fn known(&mut self, argument: usize, value: Value) -> Result<i64, Refusal> {
        match value {
            Value::Int(n) => Ok(n),
            Value::Unknown(reason) if is_size(self.name, argument) => {
                self.check_set(argument, value)?;
                self.vague = Some(reason);
                self.world.vague.get_or_insert((argument, reason));
                Ok(0)
            }
            Value::Unknown(reason) => Err(Refusal::Unknown { argument, reason }),
            Value::Clock { .. } => {
                let kind = ReasonKind::Nondeterministic("MPI_Wtime".into());
                let reason = self.env.intern_reason(Reason { kind, span: Some(self.span), origin: None });
                Err(Refusal::Unknown { argument, reason })
            }
            _ => Err(self.bad_argument(argument, "is no integer")),
        }
    }

    pub(crate) fn bad_argument(&self, argument: usize, what: &str) -> Refusal {
        let message = format!("argument {} of {} {what}", argument + 1, self.name);
        self.wrong(&codes::ARGUMENT, message, "correct the argument")
    }

    /// A count or length: not negative.
    pub fn count(&mut self, argument: usize) -> Result<u64, Refusal> {
        let n = self.int(argument)?;
        self.not_negative(argument, n)
    }

    /// The length of an array that the call reads.
    pub fn length(&mut self, argument: usize) -> Result<usize, Refusal> {
        let n = self.count(argument)?;
        let short = usize::try_from(n).ok().filter(|&n| n <= LONGEST_ARRAY);
        short.ok_or_else(|| {
            let message = format!("argument {} of {} is {n}, which is absurd", argument + 1, self.name);
            self.wrong(&codes::COUNT, message, "check the expression that computes it")
        })
    }

    pub fn not_negative(&self, argument: usize, n: i64) -> Result<u64, Refusal> {
        let message = || format!("argument {} of {} is {n}, which is negative", argument + 1, self.name);
        u64::try_from(n).map_err(|_| self.wrong(&codes::COUNT, message(), "a count must not be negative"))
    }

    /// An address; `None` where it is unknown or null.
    pub fn address(&self, argument: usize) -> Option<Pointer> {
        match self.env.argument(argument) {
            Value::Pointer(pointer) => Some(pointer),
            _ => None,
        }
    }

    pub(crate) fn is_in_place(&self, argument: usize) -> bool {
        self.env.argument(argument) == Value::Int(handles::IN_PLACE)
    }

    /// The `index`th `int` of the array that an argument points to.
    pub fn element(&mut self, argument: usize, index: usize) -> Result<i64, Refusal> {
        let value = self.element_value(argument, index, ScalarType::I32)?;
        self.known(argument, value)
    }

    /// As `element`, of any type, unknown included.
    pub(crate) fn element_value(&mut self, argument: usize, index: usize, ty: ScalarType) -> Result<Value, Refusal> {
        let pointer = self.array(argument)?;
        Ok(self.env.load(self.nth(pointer, index, ty), ty))
    }

    pub fn elements(&mut self, argument: usize, count: usize) -> Result<Vec<i64>, Refusal> {
        (0..count).map(|index| self.element(argument, index)).collect()
    }

    /// Where an array that must be read or written begins.
    pub fn array(&mut self, argument: usize) -> Result<Pointer, Refusal> {
        match self.env.argument(argument) {
            Value::Pointer(pointer) => Ok(pointer),
            Value::Unknown(reason) => Err(Refusal::Unknown { argument, reason }),
            _ => Err(self.bad_argument(argument, "is no address")),
        }
    }

    pub fn nth(&self, pointer: Pointer, index: usize, ty: ScalarType) -> Pointer {
        let bytes = i64::try_from(ty.size(self.model())).unwrap_or(i64::MAX);
        super::buffer::moved(pointer, bytes.saturating_mul(i64::try_from(index).unwrap_or(i64::MAX)))
    }

    /// Stores an `int` through an output argument.
    pub(crate) fn store_int(&mut self, argument: usize, value: i64) {
        self.store(argument, ScalarType::I32, Value::Int(value));
    }

    /// Stores through an output argument; an unknown address loses the write, a null one is ignored.
    pub fn store(&mut self, argument: usize, ty: ScalarType, value: Value) {
        match self.env.argument(argument) {
            Value::Pointer(pointer) => self.env.store(pointer, ty, value),
            Value::Unknown(reason) => self.env.lost_write(reason),
            _ => {}
        }
    }

    /// Stores `int`s one after the other through an output argument.
    pub fn store_ints(&mut self, argument: usize, values: &[i64]) {
        match self.env.argument(argument) {
            Value::Pointer(pointer) => {
                for (index, &value) in values.iter().enumerate() {
                    self.env.store(self.nth(pointer, index, ScalarType::I32), ScalarType::I32, Value::Int(value));
                }
            }
            Value::Unknown(reason) => self.env.lost_write(reason),
            _ => {}
        }
    }

    /// Stores a string with its terminating zero, cut to `room` bytes.
    pub(crate) fn store_string(&mut self, argument: usize, text: &str, room: usize) {
        match self.env.argument(argument) {
            Value::Pointer(pointer) => {
                let bytes = text.bytes().take(room.saturating_sub(1)).chain([0]);
                for (index, byte) in bytes.enumerate() {
                    let place = self.nth(pointer, index, ScalarType::I8);
                    self.env.store(place, ScalarType::I8, Value::Int(i64::from(byte.cast_signed())));
                }
            }
            Value::Unknown(reason) => self.env.lost_write(reason),
            _ => {}
        }
    }

    /// The scalar that holds an `MPI_Aint`.
    pub(crate) fn aint(&self) -> ScalarType {
        match self.model() {
            DataModel::Lp64 => ScalarType::I64,
            DataModel::Ilp32 => ScalarType::I32,
        }
    }

    /// A communicator that the task is a member of.
    pub fn comm(&mut self, argument: usize) -> Result<CommId, Refusal> {
        let handle = self.int(argument)?;
        let known = self.world.comm_of_handle(self.task, handle);
        known.ok_or_else(|| {
            let what = if handle == handles::NULL { "MPI_COMM_NULL" } else { "no communicator of this task" };
            self.bad_handle(argument, what)
        })
    }

    /// As `comm`, which must not be an intercommunicator.
    pub(crate) fn intracomm(&mut self, argument: usize) -> Result<CommId, Refusal> {
        let comm = self.comm(argument)?;
        match self.world.sides(comm) {
            None => Ok(comm),
            Some(_) => Err(self.bad_handle(argument, "an intercommunicator, which this call does not take")),
        }
    }

    pub(crate) fn bad_handle(&self, argument: usize, what: &str) -> Refusal {
        let message = format!("argument {} of {} is {what}", argument + 1, self.name);
        self.wrong(&codes::HANDLE, message, "create it before this call, on every path that leads here")
    }

    /// A datatype, committed or not.
    pub fn datatype(&mut self, argument: usize) -> Result<Arc<Datatype>, Refusal> {
        let handle = self.int(argument)?;
        Ok(self.datatype_entry(argument, handle)?.0)
    }

    /// A datatype that may be used in communication.
    pub fn committed(&mut self, argument: usize) -> Result<Arc<Datatype>, Refusal> {
        let handle = self.int(argument)?;
        self.committed_handle(argument, handle)
    }

    pub(crate) fn committed_handle(&mut self, argument: usize, handle: i64) -> Result<Arc<Datatype>, Refusal> {
        let (datatype, committed) = self.datatype_entry(argument, handle)?;
        if committed {
            return Ok(datatype);
        }
        let message = format!("the datatype that {} is given was not committed", self.name);
        Err(self.wrong(&codes::UNCOMMITTED, message, "call MPI_Type_commit after the type was created"))
    }

    pub(crate) fn datatype_entry(&self, argument: usize, handle: i64) -> Result<(Arc<Datatype>, bool), Refusal> {
        let what = if handle == handles::NULL { "MPI_DATATYPE_NULL" } else { "no datatype" };
        self.world.datatype(self.task, handle).ok_or_else(|| self.bad_handle(argument, what))
    }

    /// A rank of `comm` as task, or what stands for none or any.
    pub fn peer(&mut self, argument: usize, comm: CommId, any: bool) -> Result<Peer, Refusal> {
        match self.int(argument)? {
            handles::PROC_NULL => Ok(Peer::Null),
            handles::ANY_SOURCE if any => Ok(Peer::Any),
            rank => self.task_of(rank, comm).map(Peer::Task),
        }
    }

    pub(crate) fn task_of(&self, rank: i64, comm: CommId) -> Result<TaskId, Refusal> {
        let group = self.world.addressed(comm, self.task);
        let task = usize::try_from(rank).ok().and_then(|rank| group.task(rank));
        task.ok_or_else(|| {
            let size = group.size();
            let message =
                format!("{} is given rank {rank}, and its communicator has ranks 0 to {}", self.name, size - 1);
            self.wrong(&codes::RANK, message, of_rank(rank))
        })
    }

    /// A tag; `None` is MPI_ANY_TAG, where that is allowed.
    pub fn tag(&mut self, argument: usize, any: bool) -> Result<Option<i32>, Refusal> {
        let tag = self.int(argument)?;
        if any && tag == handles::ANY_TAG {
            return Ok(None);
        }
        let valid = i32::try_from(tag).ok().filter(|&tag| tag >= 0);
        valid.map(Some).ok_or_else(|| {
            let message = format!("{} is given tag {tag}", self.name);
            let help = match any && tag < 0 {
                true => {
                    "use a tag between 0 and 32767, or MPI_ANY_TAG by its name: its value differs between libraries"
                }
                false => "use a tag between 0 and 32767; the largest is what MPI_Comm_get_attr tells of MPI_TAG_UB, which is a key",
            };
            self.wrong(&codes::TAG, message, help)
        })
    }

    pub fn event(&self, operation: Operation) -> Arc<Event> {
        Arc::new(Event { operation, site: Some(self.site) })
    }
}

/// The call is done and was successful.
pub(super) const DONE: Called = Ok(Action::Return(Value::Int(handles::SUCCESS)));
