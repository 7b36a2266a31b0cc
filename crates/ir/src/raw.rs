//! Functions as the lowering leaves them: nested regions of operations, calls, loops and branches,
//! not yet split into blocks. Splitting needs the effects of all functions, so it waits until the
//! whole program is there ([`super::build`]).

use super::Unsequenced;
use super::op::{Call, Op, Operand};
use super::types::{ScalarType, TypeId, TypeTable};
use super::{ArmLabel, BranchKind, DataModel, FuncId, LabelId, LoopForm, StrId, TargetId, ValueId, VarId, Variable};
use super::{Parameter, ParameterId, SymbolicInitial};
use chronos_base::ids::Table;
use chronos_base::span::{FileId, Span};
use std::collections::HashSet;
use std::sync::Arc;

/// Items in the order of execution.
pub type RawRegion = Vec<RawItem>;

/// What stands in a region, in the order of execution.
#[derive(Clone, Debug)]
pub enum RawItem {
    /// Any operation but `OpKind::Call`.
    Op(Op),
    Call(RawCall),
    Label(LabelId, Span),
    /// Source that belongs to the straight block of the item before; opens no block of its own.
    Extend(Span),
    Loop(Box<RawLoop>),
    Branch(Box<RawBranch>),
}

/// A call that is not yet a block.
#[derive(Clone, Debug)]
pub struct RawCall {
    pub dst: Option<ValueId>,
    pub call: Call,
    pub span: Span,
}

/// An expression that is a block of its own, even where it needs no operation.
#[derive(Clone, Debug)]
pub struct RawExpression {
    pub region: RawRegion,
    pub value: Operand,
    pub span: Span,
}

/// A loop before its parts are blocks; see `Loop`.
#[derive(Clone, Debug)]
pub struct RawLoop {
    pub form: LoopForm,
    pub target: TargetId,
    pub init: RawRegion,
    /// `None` where it is absent or constantly true.
    pub condition: Option<RawExpression>,
    pub body: RawRegion,
    pub step: RawRegion,
    pub span: Span,
}

/// A branch before its arms are blocks; see `Branch`.
#[derive(Clone, Debug)]
pub struct RawBranch {
    pub kind: BranchKind,
    pub condition: Operand,
    pub arms: Vec<RawArm>,
    pub result: Option<ValueId>,
    pub target: Option<TargetId>,
    pub span: Span,
}

/// An arm before it is blocks; see `Arm`.
#[derive(Clone, Debug)]
pub struct RawArm {
    pub labels: Vec<ArmLabel>,
    pub region: RawRegion,
    pub value: Option<Operand>,
    pub falls_through: bool,
    /// Source of an arm that is a block of its own, even where it needs no operation.
    pub span: Option<Span>,
}

/// A defined function.
#[derive(Clone, Debug)]
pub struct RawFunction {
    pub name: Arc<str>,
    pub span: Span,
    pub is_static: bool,
    /// The file of its translation unit.
    pub unit: FileId,
    pub result: TypeId,
    pub variadic: bool,
    pub params: Vec<VarId>,
    pub locals: Vec<VarId>,
    pub values: Table<ValueId, ScalarType>,
    /// Names of the labels; each stands exactly once in `body`.
    pub labels: Vec<Arc<str>>,
    /// Number of jump targets; each is named by at most one loop or switch of `body`.
    pub targets: u32,
    pub body: RawRegion,
    /// Its address is used as a value.
    pub address_taken: bool,
    /// Declared `_Noreturn`.
    pub noreturn: bool,
}

/// A program before its blocks are formed.
#[derive(Clone, Debug, Default)]
pub struct RawProgram {
    pub model: DataModel,
    pub types: TypeTable,
    pub variables: Table<VarId, Variable>,
    pub strings: Table<StrId, Vec<u8>>,
    /// In the order in which their blocks are numbered.
    pub functions: Table<FuncId, RawFunction>,
    /// What `errno` stands for, where the program asks for it.
    pub errno: Option<VarId>,
    /// Operands whose order is not fixed.
    pub unsequenced: Vec<Unsequenced>,
    /// Functions that the runtime calls before `main`, with their priorities.
    pub constructors: Vec<(i64, FuncId)>,
    /// Functions that it calls at the end.
    pub destructors: Vec<(i64, FuncId)>,
    /// Library functions that were declared `_Noreturn`.
    pub noreturn: HashSet<Arc<str>>,
    /// Parameters that are pointers declared `restrict`.
    pub restricted: HashSet<VarId>,
    pub main: Option<FuncId>,
    pub settable: Vec<String>,
    pub parameters: Table<ParameterId, Parameter>,
    pub symbolic_initials: Vec<SymbolicInitial>,
}
