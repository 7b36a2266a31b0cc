//! What the user leaves free: parameters of symbolic counts (`--symbolic`).

use super::{ScalarType, VarId};
use chronos_base::span::Span;
use std::sync::Arc;

chronos_base::define_ids! {
    /// A parameter that the user leaves free.
    ParameterId = "p";
}

/// An integer without a value, as the user named it.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// The name that the user gave.
    pub name: Arc<str>,
    /// What the name stands for.
    pub kind: ParameterKind,
    /// Where the source defines it; `None` for an argument.
    pub span: Option<Span>,
}

impl Parameter {
    /// The value that the source gives it.
    pub fn default(&self) -> Option<i64> {
        match self.kind {
            ParameterKind::Macro { default, .. } | ParameterKind::Variable { default, .. } => default,
            ParameterKind::Argument { .. } => None,
        }
    }

    /// The variable that stands for a constant of the source: reading it takes no time.
    pub fn constant(&self) -> Option<VarId> {
        match self.kind {
            ParameterKind::Macro { variable, .. } => Some(variable),
            ParameterKind::Variable { .. } | ParameterKind::Argument { .. } => None,
        }
    }
}

/// What the name of a parameter stands for.
#[derive(Clone, Debug, PartialEq)]
pub enum ParameterKind {
    /// A macro or an enumerator: where the source uses it, this variable is read, which nothing writes and
    /// which a compiler would know as a constant (see [`Parameter::constant`]). `default` is the value that
    /// the source gives it, used where the language asks for a constant (sizes of arrays, `#if`).
    Macro {
        /// The variable that is read in place of the macro or enumerator.
        variable: VarId,
        /// Its value in the source; `None` where the source gives none.
        default: Option<i64>,
    },
    /// The initial value of a global or static variable: also in [`super::Program::symbolic_initials`].
    Variable {
        /// The variable of the program.
        variable: VarId,
        /// Its initial value in the source; `None` where that is no known integer.
        default: Option<i64>,
    },
    /// `argv[index]`, read as an integer.
    Argument {
        /// Position of the argument; 1 is the first, 0 the name of the program.
        index: u32,
    },
}

/// A scalar in static storage whose initialiser depends on parameters:
/// `constant + Σ factor · parameter`.
#[derive(Clone, Debug, PartialEq)]
pub struct SymbolicInitial {
    /// The variable that holds the scalar.
    pub variable: VarId,
    /// Bytes from the begin of the variable.
    pub offset: u64,
    /// The type of the scalar.
    pub ty: ScalarType,
    /// The part that depends on no parameter.
    pub constant: i128,
    /// Parameters with their factors.
    pub terms: Vec<(ParameterId, i128)>,
}
