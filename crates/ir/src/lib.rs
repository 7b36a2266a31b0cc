//! The intermediate representation: functions as trees of numbered blocks, operations and types.
//!
//! # Purpose
//!
//! `Program` is what the front end makes of C sources, and what counting, cost models, instrumentation and reports
//! share. The crate knows neither how a program was parsed nor any machine.
//!
//! # How it works
//!
//! A function is a [`Region`]: a sequence of blocks. Only three kinds of block stand in a region: [`Straight`],
//! [`Loop`] and [`Branch`]. A straight block drives its calls: `OpKind::Call` names a leaf block of kind `Call`, which
//! is numbered right behind the straight block that drives it. A call that reaches MPI, or may not return, is the last
//! operation of its straight block, as is a jump; a label starts one. So all operations of a straight block execute
//! together, and a segment (what runs between two MPI events) always holds whole straight blocks.
//!
//! Operations are three-address. A [`ValueId`] is defined by exactly one operation (or as the result of one `Branch`)
//! and used after it on every path, so data dependences are explicit. C objects are [`Variable`]s and memory behind
//! pointers, both reached through a [`Place`].
//!
//! Every block has counters, numbered side by side from `Block::first_counter`. A straight block and a call have one,
//! for executions. A loop has iterations and entries. A branch has evaluations, and how often each arm was taken. A
//! segment is a sparse vector over (calling context, counter), where contexts are paths of calls from `main` with
//! recursion folded, so inclusive times are sums over contexts (crate `chronos_activity`).
//!
//! - `raw` is what the lowering hands over; `build` splits it into blocks and numbers them.
//! - `effects` says over the whole call graph which functions reach MPI, may not return, or recurse.
//! - `verify` checks what later phases rely on. Every program of the tests passes it.
//! - `print` writes the textual form, for people and snapshots; it is never read back.
//! - `places` resolves how users name branches and loops (`LINE`, `LINE:COLUMN`).
//! - `parameter` holds what `--symbolic` leaves free. Static initialisers become sums of parameters
//!   (`Program::symbolic_initials`). Interpreting such a program gives the numbers of the values in the source.
//! - `same` compares programs that were lowered from the same sources for different data models.
//! - `class` names instruction classes, neutral to the instruction set.
//! - `wide` computes with `long double` of x87, quad precision and 128-bit integers: exact forms, arithmetic, text.
//!
//! # Invariants
//!
//! - Blocks are numbered in preorder, by the files in the order given, the definitions of functions, and source order.
//!   Block numbers depend on the sources alone, and include unreachable code.
//! - First counters ascend with block ids, so the block of a counter is found by bisection.
//! - Values are defined once and before their uses on every path; types of operands agree; every id is in range.
//! - A constant expression of the source is one constant here; implicit conversions of C are operations.
//!
//! # Limits
//!
//! - Calls through pointers may reach every function of a fitting number of parameters whose address is taken.
//! - Operands whose order of evaluation the C standard leaves open are in clang's order; those where it may matter are
//!   in `Program::unsequenced`.
//! - OpenMP stands in the program as calls of `__chronos_omp_...` ([`openmp`]); other pragmas are recorded as text
//!   (`Program::pragmas`), not modelled.
//! - Data models are those of `DataModel` (LP64 of x86-64 and aarch64, and ILP32).
//!
//! # Literature
//!
//! - S. Muchnick, "Advanced Compiler Design and Implementation", chapter 7: basic blocks and regions.
//! - The block tree and the instruction classes follow ChronosMix (section 2.1: the instruction set S).
//! - T. Dekker, "A floating-point technique for extending the available precision", 1971, and Knuth's TwoSum:
//!   error-free transformations in `wide`.

#![forbid(unsafe_code)]

pub mod wide;

pub mod block;
pub mod build;
pub mod class;
mod clocks;
pub mod departure;
pub mod effects;
mod generators;
pub mod op;
pub mod openmp;
pub mod parameter;
pub mod places;
pub mod print;
pub mod raw;
pub mod same;
pub mod types;
pub mod verify;

pub use block::{Arm, ArmLabel, Block, BlockKind, Branch, BranchKind, Condition, Loop, LoopForm, Region, Straight};
pub use class::{InstructionClass, Unit};
pub use departure::{Departure, DepartureKind};
pub use generators::{CLibrary, GeneratorState, Generators};
pub use op::{Arg, Base, BinaryOp, Call, Callee, Const, Jump, Op, OpKind, Operand, Place, Step, Stride, UnaryOp};
pub use openmp::OpenMp;
pub use parameter::{Parameter, ParameterId, ParameterKind, SymbolicInitial};
pub use same::Difference;
pub use types::{DataModel, Field, ScalarType, StructType, Type, TypeTable};

use chronos_base::hash::FxHashSet;
use chronos_base::ids::Table;
use chronos_base::span::{FileId, SourceFiles, Span};
use std::sync::Arc;
use types::TypeId;

chronos_base::define_ids! {
    /// A function, defined or only declared.
    FuncId = "f";
    /// A C object with a name: global, static, parameter or local. Dense over the whole program.
    VarId = "v";
    /// A value computed by an operation. Dense per function.
    ValueId = "%";
    /// A block. Dense over the whole program, in preorder (INTERFACE: files in the order given,
    /// functions by definition, then source order; unreachable code included).
    BlockId = "b";
    /// A counter of a block; see [`Block::first_counter`]. Dense over the whole program.
    CounterId = "c";
    /// A string literal.
    StrId = "str";
    /// A `goto` label, dense per function.
    LabelId = "L";
    /// What `break` and `continue` name: a loop or a switch. Dense per function.
    TargetId = "T";
}

/// A linked program: all translation units together.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The files that spans name.
    pub files: Arc<SourceFiles>,
    /// Sizes and alignments of the C types on the target.
    pub model: DataModel,
    /// All types of the program.
    pub types: TypeTable,
    /// All C objects with a name.
    pub variables: Table<VarId, Variable>,
    /// The functions that the program defines.
    pub functions: Table<FuncId, Function>,
    /// All blocks, in preorder.
    pub blocks: Table<BlockId, Block>,
    /// Parameters that are pointers declared `restrict`: what they point to is reached through them alone.
    pub restricted: FxHashSet<VarId>,
    /// String literals with their terminating zero.
    pub strings: Table<StrId, Vec<u8>>,
    /// Number of counters: one past the highest [`CounterId`].
    pub counters: u32,
    /// `main`, where it is defined.
    pub main: Option<FuncId>,
    /// What `errno` stands for, where the program asks for it.
    pub errno: Option<VarId>,
    /// The states of the C library's generators of random numbers.
    pub generators: Generators,
    /// What the runtime calls before `main`, in this order (`__attribute__((constructor))`).
    pub constructors: Vec<FuncId>,
    /// What it calls when the program has ended, in this order.
    pub destructors: Vec<FuncId>,
    /// Operands of which the standard leaves open which is computed first, where it may matter.
    pub unsequenced: Vec<Unsequenced>,
    /// What is known of OpenMP; none where no compiler is told of it.
    pub openmp: Option<OpenMp>,
    /// Calls that read a clock are answered one by one, because the time decides about what the program does.
    pub follows_clocks: bool,
    /// Pragmas that are not modelled, as `#pragma` text and place; those of OpenMP where that is off.
    pub pragmas: Vec<(String, Span)>,
    /// What compilers' flags let the code do otherwise than the source says, for each unit.
    pub departures: Vec<Departure>,
    /// Macros and constants that `--set` or `--symbolic` may name and that the source uses.
    pub settable: Vec<String>,
    /// What `--symbolic` leaves free.
    pub parameters: Table<ParameterId, Parameter>,
    /// Initial values of static storage that depend on parameters.
    pub symbolic_initials: Vec<SymbolicInitial>,
}

impl Program {
    /// Where other units have a function of the same name at the same place (a static function of a header): the file of
    /// the unit of this one, by which it is told from them.
    pub fn own_unit(&self, id: FuncId) -> Option<&str> {
        let function = &self.functions[id];
        let place = |f: &Function| (f.span.file, f.span.line_start, f.span.column_start);
        let is_copy =
            |(other, f): (FuncId, &Function)| other != id && f.name == function.name && place(f) == place(function);
        let copied = function.unit != function.span.file && self.functions.iter().any(is_copy);
        copied.then(|| &*self.files.get(function.unit).name)
    }

    /// The first function of this name.
    pub fn function_named(&self, name: &str) -> Option<FuncId> {
        self.functions.iter().find(|(_, f)| &*f.name == name).map(|(id, _)| id)
    }

    /// The call that the leaf block `block` makes; `None` for other blocks.
    pub fn call(&self, block: BlockId) -> Option<&Call> {
        match &self.blocks[block].kind {
            BlockKind::Call(call) => Some(call),
            _ => None,
        }
    }

    /// The block that owns a counter, by binary search: first counters ascend with block ids.
    pub fn block_of(&self, counter: CounterId) -> BlockId {
        let after = self.blocks.as_slice().partition_point(|b| b.first_counter <= counter);
        BlockId(u32::try_from(after - 1).expect("block ids fit"))
    }
}

/// How long a C object lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Storage {
    /// External linkage.
    Global,
    /// File or function scope `static`.
    Static,
    /// The n-th parameter of its function.
    Parameter(u32),
    /// A local variable with automatic storage.
    Local,
}

/// Operands of one operator or arguments of one call, computed in the order of clang.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsequenced {
    /// The function that contains the operands.
    pub function: FuncId,
    /// The operator with its operands, or the call.
    pub span: Span,
    /// Those that read something or call.
    pub parts: Vec<Span>,
}

/// A C object with a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// The name in the source.
    pub name: Arc<str>,
    /// The declared type.
    pub ty: TypeId,
    /// How long the object lives.
    pub storage: Storage,
    /// The function of a parameter, local or function-scope static.
    pub function: Option<FuncId>,
    /// Where the variable is declared.
    pub span: Span,
    /// Its address is taken, or it is an array or struct reached by address: it may be aliased.
    pub address_taken: bool,
    /// Static initialiser of globals and statics, as scalars at byte offsets; the rest is zero.
    /// `None` for other storage (their initialisers are operations) and for undefined externs.
    pub init: Option<Vec<(u64, Const)>>,
    /// Declared `extern` and defined nowhere (`stdin`, `optarg`, `environ`, ...).
    pub undefined: bool,
}

/// A function. `body` is `None` for one that is declared and not defined in the program;
/// calls to those are [`Callee::Library`] or [`Callee::Mpi`], so such entries do not exist here.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// The name in the source.
    pub name: Arc<str>,
    /// From the declarator's name to the closing brace.
    pub span: Span,
    /// Not visible outside its translation unit.
    pub is_static: bool,
    /// The file of its translation unit: a static function of a header is another one in each unit.
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
    /// The blocks at the top of the function.
    pub body: Region,
    /// The straight block that a label starts, with the label's name.
    pub labels: Table<LabelId, (Arc<str>, BlockId)>,
    /// The loop or switch that a jump target stands for.
    pub targets: Table<TargetId, BlockId>,
    /// Its blocks: `first..end`, contiguous.
    pub blocks: (BlockId, BlockId),
    /// What a call of it may do, calls below included.
    pub effects: Effects,
}

/// What a call of a function may do, transitively; computed once by the linker of blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Effects {
    /// Executes an MPI call (any, `MPI_Wtime` included).
    pub reaches_mpi: bool,
    /// May not return to its caller: reaches exit, abort, `MPI_Abort`, longjmp.
    pub may_not_return: bool,
    /// Can reach a call of itself.
    pub recursive: bool,
    /// Its address is taken: indirect calls may reach it.
    pub address_taken: bool,
}

/// What `main` of a program that others start by this name is called, beside the `main` of those.
pub fn spawned_main(name: &str) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let stem = name.rsplit('/').next().unwrap_or(name);
    format!("{SPAWNED_MAIN}{}", stem.trim_end_matches(".exe").chars().map(letter).collect::<String>())
}

/// What such names begin with.
pub const SPAWNED_MAIN: &str = "main_of_";
