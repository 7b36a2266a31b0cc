//! One call in progress: its arguments, decoded and checked.

use crate::call::{Call, Peer, Refusal};
use crate::codes;
use crate::data::buffer::moved;
use chronos_activity::{CommId, TaskId};
use chronos_base::diag::Code;
use chronos_base::diag::Diagnostic;
use chronos_ir::{DataModel, ScalarType};
use chronos_mpi::handles;
use chronos_mpi::libraries::{self, RankConstant};
use chronos_values::{Pointer, Reason, ReasonKind, Value};

/// Elements of an array argument beyond which a length is taken for a mistake.
const LONGEST_ARRAY: usize = 1 << 24;

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
        self.mpi.options.model_of(self.task)
    }

    /// The data model in whose form messages hold data.
    pub fn form(&self) -> DataModel {
        self.mpi.options.model
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
            Value::Unknown(reason) if self.function.is_size(argument) => {
                self.check_set(argument, value)?;
                self.vague = Some(reason);
                self.mpi.vague.get_or_insert((argument, reason));
                Ok(0)
            }
            Value::Unknown(reason) => Err(Refusal::Unknown { argument, reason }),
            Value::Clock(_) => {
                let kind = ReasonKind::Nondeterministic("MPI_Wtime".into());
                let reason = self.env.intern_reason(Reason { kind, span: Some(self.span), origin: None });
                Err(Refusal::Unknown { argument, reason })
            }
            _ => Err(self.bad_argument(argument, "is no integer")),
        }
    }

    pub(crate) fn bad_argument(&self, argument: usize, what: &str) -> Refusal {
        let message = format!("argument {} of {} {what}", argument + 1, self.name());
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
            let message = format!("argument {} of {} is {n}, which is absurd", argument + 1, self.name());
            self.wrong(&codes::COUNT, message, "check the expression that computes it")
        })
    }

    pub fn not_negative(&self, argument: usize, n: i64) -> Result<u64, Refusal> {
        let message = || format!("argument {} of {} is {n}, which is negative", argument + 1, self.name());
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
        moved(pointer, bytes.saturating_mul(i64::try_from(index).unwrap_or(i64::MAX)))
    }

    /// The scalar that holds an `MPI_Aint`.
    pub(crate) fn aint(&self) -> ScalarType {
        self.model().long()
    }

    pub(crate) fn bad_handle(&self, argument: usize, what: &str) -> Refusal {
        let message = format!("argument {} of {} is {what}", argument + 1, self.name());
        self.wrong(&codes::HANDLE, message, "create it before this call, on every path that leads here")
    }

    /// A rank of `comm` as task, or what stands for none or any.
    pub fn peer(&mut self, argument: usize, comm: CommId, any: bool) -> Result<Peer, Refusal> {
        match self.int(argument)? {
            handles::PROC_NULL => Ok(Peer::Null),
            handles::ANY_SOURCE if any => Ok(Peer::Any),
            handles::ANY_TAG => self.tag_constant_as_rank(comm, any),
            rank => match self.mpi.options.library.rank_constant(rank) {
                Some(RankConstant::AnySource) if any => Ok(self.numbered(rank, RankConstant::AnySource, Peer::Any)),
                Some(RankConstant::ProcNull) => Ok(self.numbered(rank, RankConstant::ProcNull, Peer::Null)),
                _ => self.task_of(rank, comm).map(Peer::Task),
            },
        }
    }

    /// `MPI_ANY_TAG` in the place of a rank: what its number is there.
    fn tag_constant_as_rank(&mut self, comm: CommId, any: bool) -> Result<Peer, Refusal> {
        match self.mpi.options.library.rank_constant(libraries::ANY_TAG) {
            Some(constant @ RankConstant::AnySource) if any => Ok(self.mistaken(constant, Peer::Any)),
            Some(constant @ RankConstant::ProcNull) => Ok(self.mistaken(constant, Peer::Null)),
            _ => self.task_of(handles::ANY_TAG, comm).map(Peer::Task),
        }
    }

    fn mistaken(&mut self, constant: RankConstant, peer: Peer) -> Peer {
        let (name, library) = (self.name(), self.mpi.options.library.name());
        let message =
            format!("{name} is given MPI_ANY_TAG as a rank, whose number is that of {} in {library}", constant.name());
        let help = "write the constant that is meant; --mpi-constants says whose numbers they are";
        self.mpi.reports.push(Diagnostic::warning(&codes::RANK, message).label(self.span, "called here").help(help));
        peer
    }

    /// A rank that is a constant of one library and another one in others.
    fn numbered(&mut self, rank: i64, constant: RankConstant, peer: Peer) -> Peer {
        let library = self.mpi.options.library;
        let message =
            format!("{} is given rank {rank}, which is {} in {}", self.name(), constant.name(), library.name());
        let help = "check the rank, or write the constant by its name; --mpi-constants says whose numbers are meant, \
                    which are others in Open MPI and MPICH";
        let diagnostic = Diagnostic::warning(&codes::RANK, message);
        self.mpi.reports.push(diagnostic.label(self.span, "called here").help(help));
        peer
    }

    pub(crate) fn task_of(&self, rank: i64, comm: CommId) -> Result<TaskId, Refusal> {
        let group = self.mpi.addressed(comm, self.task);
        let task = usize::try_from(rank).ok().and_then(|rank| group.task(rank));
        task.ok_or_else(|| {
            let size = group.size();
            let message =
                format!("{} is given rank {rank}, and its communicator has ranks 0 to {}", self.name(), size - 1);
            self.wrong(&codes::RANK, message, of_rank(rank))
        })
    }

    /// A tag; `None` is `MPI_ANY_TAG`, where that is allowed.
    pub fn tag(&mut self, argument: usize, any: bool) -> Result<Option<i32>, Refusal> {
        let tag = self.int(argument)?;
        if any && tag == handles::ANY_TAG {
            return Ok(None);
        }
        if any && self.mpi.options.library.any_source(tag) == Some(libraries::ANY_TAG) {
            let (name, library) = (self.name(), self.mpi.options.library.name());
            let message =
                format!("{name} is given MPI_ANY_SOURCE as a tag, whose number is that of MPI_ANY_TAG in {library}");
            let help = "write MPI_ANY_TAG; --mpi-constants says whose numbers they are";
            self.mpi.reports.push(Diagnostic::warning(&codes::TAG, message).label(self.span, "called here").help(help));
            return Ok(None);
        }
        if any && tag == libraries::ANY_TAG {
            let message = format!("{} is given tag {tag}, which is MPI_ANY_TAG in Open MPI and MPICH", self.name());
            let diagnostic = Diagnostic::warning(&codes::TAG, message).label(self.span, "called here");
            self.mpi.reports.push(diagnostic.help("check the tag, or write the constant by its name"));
            return Ok(None);
        }
        let valid = i32::try_from(tag).ok().filter(|&tag| tag >= 0);
        valid.map(Some).ok_or_else(|| {
            let message = format!("{} is given tag {tag}", self.name());
            let help = match any && tag < 0 {
                true => {
                    "use a tag between 0 and 32767, or MPI_ANY_TAG by its name: its value differs between libraries"
                }
                false => "use a tag between 0 and 32767; the largest is what MPI_Comm_get_attr tells of MPI_TAG_UB, which is a key",
            };
            self.wrong(&codes::TAG, message, help)
        })
    }
}
