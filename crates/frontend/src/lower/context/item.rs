//! What an expression is while it is lowered.

use chronos_ir::types::TypeId;
use chronos_ir::{Const, Operand, Place};

/// What an expression is before anything asks for its value.
#[derive(Clone, Debug)]
pub enum ExprResult {
    /// An object; its type is that of the place. Also a struct value.
    Place(Place),
    /// The address of a place, not computed so far, with the pointer's type: going on from it
    /// (`*`, `[]`, `->`, `+`) needs no operation.
    Pointer(Place, TypeId),
    Value(Operand, TypeId),
    /// A function, with its own type.
    Function(Const, TypeId),
    Void,
}

/// What is said of a name that no declaration introduces.
pub fn not_declared(name: &str) -> String {
    format!("`{name}` is not declared")
}
