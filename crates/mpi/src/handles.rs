//! The numbers that MPI constants have in the bundled `mpi.h`; the header and this file agree.

/// The null handle of every kind.
pub const NULL: i64 = 0;

pub const COMM_WORLD: i64 = 1;
pub const COMM_SELF: i64 = 2;
/// First handle of a communicator that the program made.
pub const FIRST_COMM: i64 = 3;

pub const GROUP_EMPTY: i64 = 1;
/// First handle of a group that the program made.
pub const FIRST_GROUP: i64 = 2;

/// First handle of a request.
pub const FIRST_REQUEST: i64 = 1;

/// A message from `MPI_PROC_NULL`, and the first handle of a message that was probed for.
pub const MESSAGE_NO_PROC: i64 = 1;
pub const FIRST_MESSAGE: i64 = 2;

/// First handle of a datatype that the program made.
pub const FIRST_DATATYPE: i64 = 43;

/// First key of an attribute that the program made; `MPI_KEYVAL_INVALID`.
pub const FIRST_KEY: i64 = 2000;
pub const KEYVAL_INVALID: i64 = -1;

/// First handle of a reduction that the program made.
pub const FIRST_OP: i64 = 15;

pub const ANY_SOURCE: i64 = -101;
pub const ANY_TAG: i64 = -102;
pub const PROC_NULL: i64 = -103;
pub const ROOT: i64 = -104;
pub const UNDEFINED: i64 = -32766;

/// `MPI_IN_PLACE`, as a pointer made from an integer.
pub const IN_PLACE: i64 = -1;
pub const BOTTOM: i64 = 0;

pub const SUCCESS: i64 = 0;
/// The largest tag.
pub const TAG_UB: i64 = i32::MAX as i64;
/// Values of `MPI_Comm_compare` and `MPI_Group_compare`.
pub const IDENT: i64 = 0;
pub const CONGRUENT: i64 = 1;
pub const SIMILAR: i64 = 2;
pub const UNEQUAL: i64 = 3;

/// Room for a processor name, in bytes, its end included.
pub const MAX_PROCESSOR_NAME: usize = 256;
/// Room for the name of an object, in bytes, its end included.
pub const MAX_OBJECT_NAME: usize = 128;
