//! The function that is lowered.

use chronos_base::hash::FxHashMap;
use chronos_base::span::Span;
use chronos_ir::raw::RawRegion;
use chronos_ir::types::{ScalarType, TypeId};
use chronos_ir::{Const, Jump, LabelId, Operand, VarId};
use lang_c::ast;
use lang_c::span::Node;
use std::sync::Arc;

/// What `case` and `default` inside a `switch` lowered through gotos name: labels by their place in the source.
pub(crate) type CaseLabels = FxHashMap<usize, LabelId>;

#[derive(Default)]
pub struct Body<'a> {
    /// The function's own name, for `__func__`.
    pub name: &'a str,
    pub function: Option<chronos_ir::FuncId>,
    pub result: Option<TypeId>,
    pub values: Vec<ScalarType>,
    pub region: RawRegion,
    pub locals: Vec<VarId>,
    pub labels: Vec<Label>,
    pub label_ids: FxHashMap<&'a str, LabelId>,
    pub targets: u32,
    /// Innermost last.
    pub breaks: Vec<PendingJump>,
    pub continues: Vec<PendingJump>,
    /// What is called at the ends of the scopes that are open.
    pub cleanups: Vec<Cleanup>,
    pub open: Vec<Scope>,
    /// The function's own.
    pub statement: Option<&'a Node<ast::Statement>>,
    pub cases: Vec<CaseLabels>,
    /// Total bytes (I64) of variable-length array types.
    pub vla_bytes: FxHashMap<TypeId, Operand>,
    /// The address of the variable arguments, in a variadic function.
    pub variable_arguments: Option<VarId>,
    /// Variables from here on belong to each thread of the parallel region that is open, the outermost one.
    pub threads_from: Option<VarId>,
    /// Parallel regions that are open.
    pub parallel: u32,
    /// Tasks of OpenMP that are open, the innermost last.
    pub tasks: Vec<TaskScope>,
    /// What is lowered now is never executed (operands of sizeof and the like).
    pub unevaluated: bool,
    /// A constant expression is wanted: choices with known conditions are decided.
    pub constant: bool,
    /// Also in a constant expression, parameters stay free.
    pub free: bool,
}

/// A task of OpenMP or the region of a device, which has copies of variables that are private outside of it.
pub struct TaskScope {
    /// Variables from here on are declared in it.
    pub first: VarId,
    /// All variables are shared.
    pub all: bool,
    /// Those that its directive shares.
    pub shared: Vec<VarId>,
    /// It is the region of a device, which has copies of all scalars that no clause maps.
    pub target: bool,
}

/// A jump out of a statement, with the number of cleanups outside of that.
#[derive(Clone)]
pub struct PendingJump {
    pub jump: Jump,
    pub outside: usize,
}

pub struct Label {
    pub name: Arc<str>,
    pub defined: bool,
    pub used: Span,
}

/// A variable and what is called at the end of its scope.
#[derive(Clone)]
pub(crate) struct Cleanup {
    pub variable: VarId,
    pub function: Const,
}

/// A scope that is open.
#[derive(Clone, Copy)]
pub struct Scope {
    /// The number of cleanups outside of it.
    pub outside: usize,
    pub span: lang_c::span::Span,
}
