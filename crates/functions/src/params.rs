//! Parameters of functions: what is passed, and what is done with what a pointer leads to.

/// The type of a value that is passed or returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// `void`.
    Void,
    /// `int`.
    Int,
    /// `unsigned int`.
    Unsigned,
    /// `long`.
    Long,
    /// `long long`.
    LongLong,
    /// `unsigned long`.
    UnsignedLong,
    /// `unsigned long long`.
    UnsignedLongLong,
    /// `size_t` and `ssize_t`.
    Size,
    /// `double` in a row; its variants have `float` or `long double` in its place.
    Double,
    /// `float`.
    Float,
    /// `long double`.
    LongDouble,
    /// A pointer of any type.
    Pointer,
    /// By value.
    Struct,
    /// An integer of MPI, by the part of its name behind `MPI_`: `Aint`, `Count`, `Offset`, `Fint`.
    Mpi(&'static str),
    /// A handle of MPI that names such an object.
    Handle(Object),
}

/// What a handle of MPI names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Object {
    /// `MPI_Comm`.
    Communicator,
    /// `MPI_Group`.
    Group,
    /// `MPI_Datatype`.
    Datatype,
    /// `MPI_Op`.
    Operation,
    /// `MPI_Request`.
    Request,
    /// `MPI_Message`.
    Message,
    /// `MPI_Info`.
    Info,
    /// `MPI_Win`.
    Window,
    /// `MPI_File`.
    File,
    /// `MPI_Errhandler`.
    ErrorHandler,
    /// Of attributes.
    Key,
}

/// What the call does with what a pointer leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Nothing that the program can see: a value, or the address of something of the library's own (`FILE *`).
    Value,
    /// The call reads the memory that the argument points to.
    Reads,
    /// The call writes that memory and does not read it.
    Writes,
    /// Both.
    Updates,
}

/// How much of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// No memory.
    None,
    /// One number, handle or struct.
    One,
    /// A string with its zero.
    Text,
    /// As many bytes as the product of these arguments.
    Bytes(&'static [usize]),
    /// At most as many bytes as the product of these arguments.
    AtMost(&'static [usize]),
    /// As many elements as an argument says.
    Array(usize),
    /// One element for each task of the communicator.
    PerTask,
    /// Elements of a datatype, the argument `datatype`. Their number is the argument `count`: a number, or for each task one.
    Elements {
        /// Position of the argument that has the number of elements, from 0; `None`: one element.
        count: Option<usize>,
        /// Position of the argument that has the datatype, from 0.
        datatype: usize,
    },
    /// What only the model knows.
    Other,
}

/// What the parameter is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Nothing but what its type and access say.
    Plain,
    /// The stream that is read or written.
    Stream,
    /// The format of what is printed.
    Format,
    /// A text that is printed as it is.
    Printed,
    /// A function that is called, with so many arguments, before the call returns.
    Callback(usize),
    /// A function that the library keeps.
    Function,
    /// A status of MPI is stored here (`MPI_STATUS_IGNORE` leaves it out).
    Status,
    /// A place for a result that nobody may leave out.
    Result,
    /// The handle of what the call makes is stored here.
    Makes(Object),
    /// The handle of what the call frees is read and cleared here.
    Frees(Object),
    /// Requests that are started or completed.
    Requests,
    /// Memory that others may read and write from now on.
    Exposed,
    /// The address of memory of the library is stored here; `exposed`: others may read and write it from now on.
    HandsOut {
        /// Whether other tasks may read and write that memory from now on.
        exposed: bool,
    },
    /// The value of an attribute that is set.
    SetsAttribute,
    /// The value of an attribute is stored here.
    GetsAttribute,
    /// A pointer to within argument 0 is stored here.
    IntoFirst,
    /// The address of fresh storage is stored here.
    Fresh,
    /// Not `const` in C, for historical reasons or because the library keeps the address, but the call does not write it.
    Unwritten,
}

/// A parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Param {
    /// The type of the value that is passed.
    pub ty: Type,
    /// Whether the call reads or writes what a pointer leads to.
    pub access: Access,
    /// How much the call accesses of what a pointer leads to.
    pub extent: Extent,
    /// What the parameter is for.
    pub role: Role,
}

impl Param {
    pub(super) const fn value(ty: Type) -> Self {
        Self { ty, access: Access::Value, extent: Extent::None, role: Role::Plain }
    }

    pub(super) const fn pointer(access: Access, extent: Extent) -> Self {
        Self { ty: Type::Pointer, access, extent, role: Role::Plain }
    }

    pub(super) const fn role(self, role: Role) -> Self {
        Self { role, ..self }
    }

    /// Whether the call writes what the pointer leads to.
    pub fn is_written(&self) -> bool {
        matches!(self.access, Access::Writes | Access::Updates)
    }

    /// Whether the call reads what the pointer leads to.
    pub fn is_read(&self) -> bool {
        matches!(self.access, Access::Reads | Access::Updates)
    }
}

pub(super) const INT: Param = Param::value(Type::Int);
pub(super) const UNSIGNED: Param = Param::value(Type::Unsigned);
pub(super) const LONG: Param = Param::value(Type::Long);
pub(super) const LONG_LONG: Param = Param::value(Type::LongLong);
pub(super) const SIZE: Param = Param::value(Type::Size);
/// A floating number: `double`, in variants `float` or `long double`.
pub(super) const REAL: Param = Param::value(Type::Double);
/// An address that is kept, compared or freed, or that belongs to the library (`va_list`, `DIR *`).
pub(super) const ADDRESS: Param = Param::value(Type::Pointer);
pub(super) const STREAM: Param = ADDRESS.role(Role::Stream);
pub(super) const FUNCTION: Param = ADDRESS.role(Role::Function);
/// A string that is read.
pub(super) const TEXT: Param = Param::pointer(Access::Reads, Extent::Text);
/// A string that is written.
pub(super) const TEXT_OUT: Param = Param::pointer(Access::Writes, Extent::Text);
pub(super) const TEXT_UPDATED: Param = Param::pointer(Access::Updates, Extent::Text);
pub(super) const FORMAT: Param = TEXT.role(Role::Format);
pub(super) const PRINTED: Param = TEXT.role(Role::Printed);
/// One object that is read, written or both.
pub(super) const IN: Param = Param::pointer(Access::Reads, Extent::One);
pub(super) const OUT: Param = Param::pointer(Access::Writes, Extent::One);
pub(super) const UPDATED: Param = Param::pointer(Access::Updates, Extent::One);
/// As much as only the model knows.
pub(super) const READ: Param = Param::pointer(Access::Reads, Extent::Other);
pub(super) const WRITTEN: Param = Param::pointer(Access::Writes, Extent::Other);
pub(super) const UNWRITTEN: Param = READ.role(Role::Unwritten);

/// Reads as many bytes as the product of these arguments.
pub(super) const fn from(arguments: &'static [usize]) -> Param {
    Param::pointer(Access::Reads, Extent::Bytes(arguments))
}

/// Writes as many bytes as the product of these arguments.
pub(super) const fn to(arguments: &'static [usize]) -> Param {
    Param::pointer(Access::Writes, Extent::Bytes(arguments))
}

/// Writes at most as many bytes as an argument says.
pub(super) const fn at_most(arguments: &'static [usize]) -> Param {
    Param::pointer(Access::Writes, Extent::AtMost(arguments))
}

/// As many elements as an argument says.
pub(super) const fn list(count: usize) -> Param {
    Param::pointer(Access::Reads, Extent::Array(count))
}

pub(super) const fn list_out(count: usize) -> Param {
    Param::pointer(Access::Writes, Extent::Array(count))
}

pub(super) const fn list_updated(count: usize) -> Param {
    Param::pointer(Access::Updates, Extent::Array(count))
}

/// A function that the call calls with so many arguments.
pub(super) const fn callback(arguments: usize) -> Param {
    ADDRESS.role(Role::Callback(arguments))
}
