//! Functions as the lowering leaves them: nested regions of operations, calls, loops and branches,
//! not yet split into blocks. Splitting needs the effects of all functions, so it waits until the
//! whole program is there ([`super::build`]).

use super::Unsequenced;
use super::op::{Call, Op, Operand};
use super::types::{ScalarType, TypeId, TypeTable};
use super::{ArmLabel, BranchKind, DataModel, FuncId, LabelId, LoopForm, StrId, TargetId, ValueId, VarId, Variable};
use super::{Parameter, ParameterId, SymbolicInitial};
use chronos_base::hash::FxHashSet;
use chronos_base::ids::Table;
use chronos_base::span::{FileId, Span};
use std::sync::Arc;

/// Items in the order of execution.
pub type RawRegion = Vec<RawItem>;

/// What stands in a region, in the order of execution.
#[derive(Clone, Debug)]
pub enum RawItem {
    /// Any operation but `OpKind::Call`.
    Op(Op),
    /// A call, which becomes a leaf block of its own.
    Call(RawCall),
    /// A label that `goto` may lead to, and where it stands.
    Label(LabelId, Span),
    /// Source that belongs to the straight block of the item before; opens no block of its own.
    Extend(Span),
    /// A loop with its parts, whose blocks are not formed yet.
    Loop(Box<RawLoop>),
    /// A branch with its arms, whose blocks are not formed yet.
    Branch(Box<RawBranch>),
}

/// A call that is not yet a block.
#[derive(Clone, Debug)]
pub struct RawCall {
    /// The value that the call defines, where it has a scalar result.
    pub dst: Option<ValueId>,
    /// Who is called, with the arguments.
    pub call: Call,
    /// The source of the call.
    pub span: Span,
}

/// An expression that is a block of its own, even where it needs no operation.
#[derive(Clone, Debug)]
pub struct RawExpression {
    /// The operations that compute `value`.
    pub region: RawRegion,
    /// What the expression evaluates to.
    pub value: Operand,
    /// The source of the expression.
    pub span: Span,
}

/// A loop before its parts are blocks; see `Loop`.
#[derive(Clone, Debug)]
pub struct RawLoop {
    /// How the source spells the loop.
    pub form: LoopForm,
    /// What `break` and `continue` of this loop name.
    pub target: TargetId,
    /// What is executed before the first test.
    pub init: RawRegion,
    /// `None` where it is absent or constantly true.
    pub condition: Option<RawExpression>,
    /// What is repeated.
    pub body: RawRegion,
    /// What is executed after each iteration; `continue` goes here.
    pub step: RawRegion,
    /// The source of the loop.
    pub span: Span,
}

/// A branch before its arms are blocks; see `Branch`.
#[derive(Clone, Debug)]
pub struct RawBranch {
    /// What kind of choice it is.
    pub kind: BranchKind,
    /// The scalar that decides which arm is taken.
    pub condition: Operand,
    /// The ways through the branch, in source order.
    pub arms: Vec<RawArm>,
    /// The value of `&&`, `||` and `?:`, where there is one.
    pub result: Option<ValueId>,
    /// What `break` of a switch names.
    pub target: Option<TargetId>,
    /// The source of the branch.
    pub span: Span,
}

/// An arm before it is blocks; see `Arm`.
#[derive(Clone, Debug)]
pub struct RawArm {
    /// Several for `case 1: case 2:`.
    pub labels: Vec<ArmLabel>,
    /// What the arm executes.
    pub region: RawRegion,
    /// The value that the arm yields for the result of the branch.
    pub value: Option<Operand>,
    /// Control goes on into the next arm (switch).
    pub falls_through: bool,
    /// Source of an arm that is a block of its own, even where it needs no operation.
    pub span: Option<Span>,
}

/// A defined function.
#[derive(Clone, Debug)]
pub struct RawFunction {
    /// The name in the source.
    pub name: Arc<str>,
    /// From the declarator's name to the closing brace.
    pub span: Span,
    /// Not visible outside its translation unit.
    pub is_static: bool,
    /// The file of its translation unit.
    pub unit: FileId,
    /// The type of the result.
    pub result: TypeId,
    /// Whether it takes further arguments (`...`).
    pub variadic: bool,
    /// Its parameters in their order.
    pub params: Vec<VarId>,
    /// Locals and function-scope statics, parameters excluded.
    pub locals: Vec<VarId>,
    /// Types of the values that operations compute.
    pub values: Table<ValueId, ScalarType>,
    /// Names of the labels; each stands exactly once in `body`.
    pub labels: Vec<Arc<str>>,
    /// Number of jump targets; each is named by at most one loop or switch of `body`.
    pub targets: u32,
    /// What the function executes.
    pub body: RawRegion,
    /// Its address is used as a value.
    pub address_taken: bool,
    /// Declared `_Noreturn`.
    pub noreturn: bool,
}

impl RawFunction {
    /// One without parameters, that executes nothing.
    pub fn empty(name: &str, span: Span, unit: FileId, result: TypeId) -> Self {
        Self {
            name: name.into(),
            span,
            is_static: false,
            unit,
            result,
            variadic: false,
            params: Vec::new(),
            locals: Vec::new(),
            values: Table::new(),
            labels: Vec::new(),
            targets: 0,
            body: Vec::new(),
            address_taken: false,
            noreturn: false,
        }
    }
}

/// A program before its blocks are formed.
#[derive(Clone, Debug, Default)]
pub struct RawProgram {
    /// Sizes and alignments of the C types on the target.
    pub model: DataModel,
    /// All types of the program.
    pub types: TypeTable,
    /// All C objects with a name.
    pub variables: Table<VarId, Variable>,
    /// String literals with their terminating zero.
    pub strings: Table<StrId, Vec<u8>>,
    /// In the order in which their blocks are numbered.
    pub functions: Table<FuncId, RawFunction>,
    /// What `errno` stands for, where the program asks for it.
    pub errno: Option<VarId>,
    /// The states of the C library's generators of random numbers.
    pub generators: crate::Generators,
    /// Operands whose order is not fixed.
    pub unsequenced: Vec<Unsequenced>,
    /// Functions that the runtime calls before `main`, with their priorities.
    pub constructors: Vec<(i64, FuncId)>,
    /// Functions that it calls at the end.
    pub destructors: Vec<(i64, FuncId)>,
    /// Library functions that were declared `_Noreturn`.
    pub noreturn: FxHashSet<Arc<str>>,
    /// Parameters that are pointers declared `restrict`.
    pub restricted: FxHashSet<VarId>,
    /// `main`, where it is defined.
    pub main: Option<FuncId>,
    /// Macros and constants that `--set` or `--symbolic` may name and that the source uses.
    pub settable: Vec<String>,
    /// What `--symbolic` leaves free.
    pub parameters: Table<ParameterId, Parameter>,
    /// Initial values of static storage that depend on parameters.
    pub symbolic_initials: Vec<SymbolicInitial>,
    /// Variables that each thread has for itself.
    pub threadprivate: Vec<VarId>,
    /// The first parallel region of OpenMP.
    pub parallel_region: Option<Span>,
}
