//! A row of the table, and the words that rows are written with.

use super::abstract_model::AbstractModel;
use super::params::{Extent, Param, Role, Type};

/// What the result and the effects of a call depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purity {
    /// The result is a function of the values of the arguments; there is no other effect, `errno` apart.
    Arguments,
    /// As `Arguments`, and of the memory that they point to.
    Memory,
    /// The call prints to the standard output or ends the program, and changes nothing that the program can read.
    Output,
    /// Anything else: the call has effects that the program can read, or a result that arguments do not determine.
    Impure,
}

/// How what comes out of a call may be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Knowable {
    /// From the arguments, what they point to, and the input.
    Yes,
    /// As `Yes` where the C library is one whose generators of random numbers are known, else never.
    WithGenerator,
    /// Clocks, the system, the hardware's random numbers, functions nobody knows.
    Never,
}

/// A generator of random numbers whose state the C library keeps between calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Generator {
    /// `rand` and `random`, which share their state in glibc: sums of earlier numbers (additive feedback).
    Additive,
    /// `drand48` and its kin: a linear congruential generator of 48 bits.
    Linear,
}

/// What a call does with the state of a generator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GeneratorUse {
    /// Gives the next number: reads the state and changes it.
    Draws(Generator),
    /// Sets the state.
    Seeds(Generator),
    /// Reads the generator's multiplier and addend; the state is what an argument points to (`erand48`).
    Parameters(Generator),
}

impl GeneratorUse {
    /// The generator.
    pub fn generator(self) -> Generator {
        match self {
            Self::Draws(generator) | Self::Seeds(generator) | Self::Parameters(generator) => generator,
        }
    }
}

/// What a returned pointer points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returns {
    /// No pointer, or one to storage that nothing else points to.
    Fresh,
    /// The argument itself.
    Itself(usize),
    /// Into what the argument points to, or no address.
    Argument(usize),
    /// Fresh storage that takes over the content of the argument 0.
    Reallocated,
    /// To a string of the environment (`getenv`), which the program does not own.
    Environment,
    /// To `errno`.
    Errno,
}

/// Whether a call comes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It comes back to its caller.
    Returns,
    /// Ends the program.
    Exits,
    /// Goes on elsewhere (`longjmp`), or ends a thread.
    Leaves,
    /// May return more than once (`setjmp`).
    ReturnsAgain,
}

/// What the time of a call consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// A few instructions.
    Arithmetic,
    /// Approximated by polynomials: `exp`, `sin`.
    Elementary,
    /// Random numbers: `rand`, `drand48`.
    Random,
    /// Moves or compares bytes.
    Bytes,
    /// Walks along strings.
    Text,
    /// Classifies or converts one character: `isalpha`, `toupper`.
    Character,
    /// Reads or writes numbers as text.
    Conversion,
    /// Reads, writes, opens or closes a stream of stdio.h.
    Stream,
    /// Allocates or frees memory: `malloc`, `free`.
    Allocation,
    /// Sorts or searches with a comparison of the program's: `qsort`, `bsearch`.
    Sorting,
    /// Reads a clock: `time`, `gettimeofday`.
    Clock,
    /// Operations on vectors and matrices (BLAS).
    LinearAlgebra,
    /// Asks the system.
    System,
    /// A function of MPI.
    Mpi,
}

/// How the storage that a call makes begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alignment {
    /// For any type.
    Any,
    /// For the begin of a page (`valloc`).
    Page,
    /// For multiples of the argument at this position, from 0.
    Argument(usize),
}

/// Storage that a call makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// Arguments whose product is its size in bytes; none where what was there is kept (`realloc`).
    pub size: &'static [usize],
    /// At what multiple the storage begins.
    pub alignment: Alignment,
    /// Whether it is cleared.
    pub zeroed: bool,
    /// Whether all of it is new, and its address what the call returns.
    pub returned: bool,
}

/// Whose messages a call of MPI exchanges data with: calls with equal ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Exchange {
    /// None.
    Nothing,
    /// Point-to-point messages.
    Message,
    /// Collectives: those of one operation match each other.
    Collective(CollectiveOperation),
    /// Accesses to windows (one-sided communication; MPI 4.0, chapter 12).
    Window,
    /// Accesses to files (MPI 4.0, chapter 14).
    File,
}

/// What a collective does. Those with one count for each task (`MPI_Gatherv`) are the same as those with one count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CollectiveOperation {
    /// `MPI_Barrier`
    Barrier,
    /// `MPI_Bcast`
    Bcast,
    /// `MPI_Gather`
    Gather,
    /// `MPI_Scatter`
    Scatter,
    /// `MPI_Allgather`
    Allgather,
    /// `MPI_Alltoall`
    Alltoall,
    /// `MPI_Reduce`
    Reduce,
    /// `MPI_Allreduce`
    Allreduce,
    /// `MPI_Reduce_scatter`
    ReduceScatter,
    /// `MPI_Scan`
    Scan,
    /// `MPI_Exscan`
    Exscan,
    /// `MPI_Neighbor_allgather`: messages between neighbours in a topology.
    Neighbor,
    /// `MPI_Reduce_local`: the reduction without communication.
    ReduceLocal,
}

/// How a call says for how long it waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sleep {
    /// So many nanoseconds for each one of its first argument (`sleep`).
    Times(u32),
    /// Its first argument points to seconds and nanoseconds (`nanosleep`).
    Timespec,
}

impl Sleep {
    /// Nanoseconds of each one that is told of a call.
    pub fn unit_ns(self) -> u32 {
        match self {
            Self::Times(ns) => ns,
            Self::Timespec => 1,
        }
    }
}

/// From which members of a collective data goes to which: the classes of MPI 4.0, 6.2.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DataFlow {
    /// All contribute, and all receive the result.
    AllToAll,
    /// All contribute, and the root receives the result.
    AllToOne,
    /// The root contributes, and all receive the result.
    OneToAll,
    /// Each receives what the members before it contribute.
    Prefix,
}

impl CollectiveOperation {
    /// Whose contributions each member receives.
    pub fn flow(self) -> DataFlow {
        match self {
            Self::Bcast | Self::Scatter => DataFlow::OneToAll,
            Self::Gather | Self::Reduce => DataFlow::AllToOne,
            Self::Scan | Self::Exscan => DataFlow::Prefix,
            Self::Barrier
            | Self::Allgather
            | Self::Alltoall
            | Self::Allreduce
            | Self::ReduceScatter
            | Self::Neighbor
            | Self::ReduceLocal => DataFlow::AllToAll,
        }
    }
}

/// When a send may begin, and when it is complete (MPI 4.0, 3.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// `MPI_Send`: whether the message is buffered is up to the library.
    Standard,
    /// `MPI_Bsend`: the message is copied to a buffer that the program has attached.
    Buffered,
    /// `MPI_Ssend`: complete when the receive has begun.
    Synchronous,
    /// `MPI_Rsend`: the receive must be posted before.
    Ready,
}

/// How a function reads or writes a file, in the three aspects of MPI 4.0, 14.4.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FileTransfer {
    /// Whether data goes to the file.
    pub writes: bool,
    /// Where in the file the data lies.
    pub positioning: Positioning,
    /// When the call comes back.
    pub synchronism: Synchronism,
    /// Whether all tasks that have the file open take part.
    pub collective: bool,
}

/// Where in a file data lies that a call reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Positioning {
    /// At an offset that the call is given.
    Explicit,
    /// At the file pointer of the task.
    Individual,
    /// At the file pointer that tasks share.
    Shared,
}

/// When a call that reads or writes a file comes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Synchronism {
    /// When the data is there.
    Blocking,
    /// At once, with a request.
    Nonblocking,
    /// At once; the call that ends the split collective waits.
    SplitBegin,
    /// The end of a split collective.
    SplitEnd,
}

/// What a call of MPI means for MPI itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lifecycle {
    /// Nothing: MPI is in use before and after.
    None,
    /// The call begins the use of MPI.
    Initializes,
    /// The call ends it.
    Finalizes,
}

/// What a trace has of a call of MPI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Traced {
    /// The runtime records what it asked for.
    Recorded,
    /// Its place is enough: it needs no other task.
    Local,
    /// The difference of clock readings: a trace keeps that the clock was read (`MPI_Wtime`).
    Clock,
    /// The end of all tasks (`MPI_Abort`).
    Abort,
    /// Nothing: such a trace cannot be followed.
    Missing,
}

/// How a function differs from the one of its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// It is the one of the row.
    None,
    /// `sqrtf`
    Float,
    /// `sqrtl`
    LongDouble,
    /// `MPI_Isend`, `MPI_File_iread`: a request in the place of the status, or as one parameter more.
    Immediate,
    /// `MPI_Send_init`
    Persistent,
    /// `MPI_Allreduce_init`: an info and a request more.
    PersistentCollective,
    /// `MPI_Rput`
    WithRequest,
}

/// One function.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    /// The name by which programs call the function.
    pub name: &'static str,
    /// The header that declares it.
    pub header: &'static str,
    /// The type of the result.
    pub result: Type,
    /// The parameters in their order, those behind `...` excluded.
    pub params: &'static [Param],
    /// What all further arguments are, of a function with `...`.
    pub more: Option<Param>,
    /// What a returned pointer points to.
    pub returns: Returns,
    /// What the result and the effects of a call depend on.
    pub purity: Purity,
    /// Whether what comes out of a call may be known.
    pub knowable: Knowable,
    /// What a call does with the state of a generator of random numbers, where it uses one.
    pub generator: Option<GeneratorUse>,
    /// Whether a call may set `errno`.
    pub sets_errno: bool,
    /// Whether a call comes back.
    pub ending: Ending,
    /// It may call the handler of a signal.
    pub raises_signals: bool,
    /// How long the call lasts by its own word, where it waits for time to pass.
    pub sleeps: Option<Sleep>,
    /// The storage that a call makes, where it makes some.
    pub allocation: Option<Allocation>,
    /// What the time of a call consists of.
    pub class: Class,
    /// The function whose cost it has where it is not measured itself.
    pub priced_as: Option<&'static str>,
    /// Whether the interpreter has a model of it.
    pub modelled: bool,
    /// The function of its row, and how it differs.
    pub base: &'static str,
    /// How the function differs from the one of its row.
    pub variant: Variant,
    /// Variants that exist.
    pub variants: &'static [Variant],
    /// Of MPI: whose messages a call exchanges data with.
    pub exchange: Exchange,
    /// Of MPI: the mode of a send.
    pub mode: Option<Mode>,
    /// Of MPI: how the call reads or writes a file.
    pub transfer: Option<FileTransfer>,
    /// Of MPI: whether the call begins or ends the use of it.
    pub lifecycle: Lifecycle,
    /// Of MPI: starts tasks.
    pub spawns: bool,
    /// Of MPI: tells whether something has come to pass, or reads a clock; touches nothing but its own arguments, however
    /// often it is called.
    pub polls: bool,
    /// Of MPI: what a trace has of a call.
    pub traced: Traced,
    /// Of MPI: may be called before `MPI_Init` and after `MPI_Finalize`.
    pub anytime: bool,
    /// Of MPI: prepares, moves or awaits messages, so it takes the time of a call even where it has no partner.
    pub moves: bool,
    /// Of MPI: the call takes the time of a call although it moves no message.
    pub takes_call_time: bool,
    /// Of MPI: sends, receives or waits for other tasks.
    pub communicates: bool,
    /// Of MPI: calls the functions that copy attributes of its first argument.
    pub copies_attributes: bool,
    /// Reads a text as a number (`atoi`).
    pub reads_number: bool,
    /// What abstract execution computes in the place of a call, where it has a model of the function.
    pub abstract_model: Option<AbstractModel>,
}

impl Function {
    /// A function that may do what its parameters say, and may set `errno`.
    pub(super) const fn new(name: &'static str, class: Class, result: Type, params: &'static [Param]) -> Self {
        Self {
            name,
            header: "",
            result,
            params,
            more: None,
            returns: Returns::Fresh,
            purity: Purity::Impure,
            knowable: Knowable::Yes,
            generator: None,
            sets_errno: true,
            ending: Ending::Returns,
            raises_signals: false,
            sleeps: None,
            allocation: None,
            class,
            priced_as: None,
            modelled: true,
            base: name,
            variant: Variant::None,
            variants: &[],
            exchange: Exchange::Nothing,
            mode: None,
            transfer: None,
            lifecycle: Lifecycle::None,
            spawns: false,
            polls: false,
            traced: Traced::Missing,
            anytime: false,
            moves: false,
            takes_call_time: false,
            communicates: false,
            copies_attributes: false,
            reads_number: false,
            abstract_model: None,
        }
    }

    pub(super) const fn purity(self, purity: Purity) -> Self {
        Self { purity, ..self }
    }

    pub(super) const fn more(self, param: Param) -> Self {
        Self { more: Some(param), ..self }
    }

    pub(super) const fn returning(self, returns: Returns) -> Self {
        Self { returns, ..self }
    }

    pub(super) const fn unknowable(self) -> Self {
        Self { knowable: Knowable::Never, ..self }
    }

    /// Known where the C library's generators are known; `used`: one whose state the library keeps.
    pub(super) const fn generating(self, used: Option<GeneratorUse>) -> Self {
        Self { knowable: Knowable::WithGenerator, generator: used, sets_errno: false, ..self }
    }

    pub(super) const fn keeps_errno(self) -> Self {
        Self { sets_errno: false, ..self }
    }

    pub(super) const fn ending(self, ending: Ending) -> Self {
        Self { ending, ..self }
    }

    pub(super) const fn raises_signals(self) -> Self {
        Self { raises_signals: true, ..self }
    }

    pub(super) const fn sleeping(self, sleeps: Sleep) -> Self {
        Self { sleeps: Some(sleeps), ..self }
    }

    pub(super) const fn allocating(self, size: &'static [usize], alignment: Alignment) -> Self {
        let returned = !size.is_empty() && matches!(self.result, Type::Pointer);
        Self { allocation: Some(Allocation { size, alignment, zeroed: false, returned }), ..self }
    }

    pub(super) const fn priced_as(self, name: &'static str) -> Self {
        Self { priced_as: Some(name), ..self }
    }

    pub(super) const fn unmodelled(self) -> Self {
        Self { modelled: false, ..self }
    }

    pub(super) const fn with(self, variants: &'static [Variant]) -> Self {
        Self { variants, ..self }
    }

    /// Whether the call writes through the argument at this position.
    pub fn writes(&self, argument: usize) -> bool {
        self.param(argument).is_some_and(|param| param.is_written())
    }

    /// The parameter of an argument; of a function with `...` also behind its last.
    pub fn param(&self, argument: usize) -> Option<&Param> {
        self.params.get(argument).or(self.more.as_ref())
    }

    /// Where the first parameter stands that a condition holds for.
    pub fn position(&self, holds: impl Fn(&Param) -> bool) -> Option<usize> {
        self.params.iter().position(holds)
    }

    /// Arguments whose product is the number of bytes that the call moves or compares.
    pub fn bytes_handled(&self) -> &'static [usize] {
        let of = |param: &Param| if let Extent::Bytes(arguments) = param.extent { Some(arguments) } else { None };
        self.params.iter().find_map(of).unwrap_or_default()
    }

    /// The argument that says how many bytes the call moves, sets or compares, which trace points of a run count.
    pub fn counted_bytes(&self) -> Option<usize> {
        match self.bytes_handled() {
            &[position] if self.class == Class::Bytes => Some(position),
            _ => None,
        }
    }

    /// Whether the call copies bytes as they are, pointers among them (`memcpy`).
    pub fn copies_bytes(&self) -> bool {
        let has = |access: fn(&Param) -> bool| {
            self.params.iter().any(|param| access(param) && matches!(param.extent, Extent::Bytes(_)))
        };
        has(Param::is_read) && has(Param::is_written)
    }

    /// Whether the call prints to a stream or to the terminal.
    pub fn prints(&self) -> bool {
        let text = self.params.iter().any(|param| matches!(param.role, Role::Format | Role::Printed));
        let streams = self.params.iter().any(|param| param.role == Role::Stream);
        let writes = self.params.iter().any(Param::is_written);
        self.class == Class::Stream && !writes && !self.sets_errno && (text || streams)
    }

    /// Whether the call sets bytes to a constant (`memset`).
    pub fn sets_bytes(&self) -> bool {
        self.class == Class::Bytes && self.writes(0) && !self.params.iter().any(|param| param.is_read())
    }

    /// Whether the call does not come back.
    pub fn never_returns(&self) -> bool {
        matches!(self.ending, Ending::Exits | Ending::Leaves)
    }
}

/// A header and the rows of its functions.
pub(crate) type Rows = (&'static str, &'static [Function]);
