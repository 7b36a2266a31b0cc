//! What is known besides where a whole program is executed.

use crate::Unsummarisable;
use crate::expressions::affine::Symbol;
use crate::expressions::symbolic::Symbolic;
use chronos_activity::ContextId;
use chronos_ir::BlockId;
use chronos_mpi::Cartesian;
use chronos_values::ObjectId;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What is known where a whole program is executed.
#[derive(Debug, Default)]
pub struct WholeProgram {
    pub rank: u32,
    pub tasks: u32,
    /// Texts whose value as a number is free.
    pub numeric_strings: BTreeMap<ObjectId, Symbol>,
    /// Texts of the arguments.
    pub argument_strings: BTreeMap<ObjectId, String>,
    /// What could not be followed, each place once.
    pub failures: Vec<Unsummarisable>,
    /// The program asked for its rank.
    pub rank_read: bool,
    /// Communicators of all tasks besides `MPI_COMM_WORLD`, by handle.
    pub(crate) world_communicators: BTreeMap<i128, Option<Arc<Cartesian>>>,
    /// What tasks that were followed before sent as roots.
    pub broadcasts: Broadcasts,
    /// `MPI_Init` was called.
    pub initialised: bool,
}

/// By context and call, what was sent; `None` where several executions sent different things.
pub type Broadcasts = BTreeMap<(ContextId, BlockId), Option<BroadcastValues>>;

/// What a root sent: numbers, or expressions of parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct BroadcastValues {
    pub root: u32,
    pub values: Vec<Symbolic>,
}
