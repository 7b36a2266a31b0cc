//! The numbers that MPI constants have in the bundled `mpi.h`; the header and this file agree.

/// The null handle of every kind.
pub const NULL: i64 = 0;

/// `MPI_COMM_WORLD`.
pub const COMM_WORLD: i64 = 1;
/// `MPI_THREAD_SINGLE`.
pub const THREAD_SINGLE: i64 = 0;
/// `MPI_COMM_SELF`.
pub const COMM_SELF: i64 = 2;
/// First handle of a communicator that the program made.
pub const FIRST_COMM: i64 = 3;

/// `MPI_GROUP_EMPTY`.
pub const GROUP_EMPTY: i64 = 1;
/// First handle of a group that the program made.
pub const FIRST_GROUP: i64 = 2;

/// First handle of a request.
pub const FIRST_REQUEST: i64 = 1;

/// `MPI_MESSAGE_NO_PROC`: a message from `MPI_PROC_NULL`.
pub const MESSAGE_NO_PROC: i64 = 1;
/// First handle of a message that was probed for.
pub const FIRST_MESSAGE: i64 = 2;

/// First handle of a datatype that the program made.
pub const FIRST_DATATYPE: i64 = 43;

/// First key of an attribute that the program made.
pub const FIRST_KEY: i64 = 2000;
/// `MPI_KEYVAL_INVALID`.
pub const KEYVAL_INVALID: i64 = -1;

/// First handle of a reduction that the program made.
pub const FIRST_OP: i64 = 15;

/// `MPI_ANY_SOURCE`.
pub const ANY_SOURCE: i64 = -101;
/// `MPI_ANY_TAG`.
pub const ANY_TAG: i64 = -102;
/// `MPI_PROC_NULL`.
pub const PROC_NULL: i64 = -103;
/// `MPI_ROOT`: the root of a collective operation on an intercommunicator.
pub const ROOT: i64 = -104;
/// `MPI_UNDEFINED`.
pub const UNDEFINED: i64 = -32766;

/// `MPI_IN_PLACE`, as a pointer made from an integer.
pub const IN_PLACE: i64 = -1;
/// `MPI_BOTTOM`, as a pointer made from an integer.
pub const BOTTOM: i64 = 0;

/// `MPI_SUCCESS`.
pub const SUCCESS: i64 = 0;
/// The largest tag.
pub const TAG_UB: i64 = i32::MAX as i64;
/// Values of `MPI_Comm_compare` and `MPI_Group_compare`.
pub const IDENT: i64 = 0;
/// `MPI_CONGRUENT`: the same members in the same order, in another context.
pub const CONGRUENT: i64 = 1;
/// `MPI_SIMILAR`: the same members in another order.
pub const SIMILAR: i64 = 2;
/// `MPI_UNEQUAL`: other members.
pub const UNEQUAL: i64 = 3;

/// Room for a processor name, in bytes, its end included.
pub const MAX_PROCESSOR_NAME: usize = 256;
/// Room for the name of an object, in bytes, its end included.
pub const MAX_OBJECT_NAME: usize = 128;
