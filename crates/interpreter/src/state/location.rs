//! Where values stand.

use chronos_ir::ScalarType;
use chronos_values::ObjectId;

/// Somewhere a value stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Location {
    /// Absolute position in the stack of registers.
    Register(u32),
    Global(u32),
    Memory(ObjectId, u64, ScalarType),
}
