//! A whole program, compiled.

use crate::code::fast::HotCode;
use crate::code::instructions::{BranchCode, CallCode, CompiledPlace, Home, Instr, LoopCode, ScalarKind};
use chronos_base::span::Span;
use chronos_ir::{BlockId, Program, VarId};
use chronos_slicing::annotations::Annotations;
use chronos_slicing::heuristics::Heuristics;
use chronos_values::Value;
use std::sync::Arc;

/// A function compiled.
#[derive(Clone, Debug, Default)]
pub(crate) struct FunctionCode {
    pub(crate) instrs: Vec<Instr>,
    pub spans: Vec<Span>,
    pub places: Vec<CompiledPlace>,
    pub calls: Vec<CallCode>,
    pub loops: Vec<LoopCode>,
    /// Labels that are jumped back to, as loops, by their instructions; only of functions that reach MPI.
    pub(crate) backs: Vec<LoopCode>,
    pub branches: Vec<BranchCode>,
    /// Loops around labels, outermost first.
    pub around: Vec<Box<[u32]>>,
    /// Jumps, with the straight blocks that they end, in order.
    pub jumps: Vec<(BlockId, u32)>,
    pub registers: u32,
    /// Registers from here on are variables, up to `temporaries`.
    pub(crate) first_variable: u32,
    pub variables: Vec<VarId>,
    /// Locals that live in memory: register, variable, bytes.
    pub(crate) frame_objects: Vec<(u32, VarId, u64)>,
    pub params: Vec<(Home, ScalarKind)>,
    pub first_counter: u32,
    pub counters: u32,
    pub reaches_mpi: bool,
    /// Function's name, for messages.
    pub name: Arc<str>,
    pub(crate) hot: HotCode,
}

/// The whole program compiled.
#[derive(Clone, Debug)]
pub struct Code {
    pub program: Arc<Program>,
    pub functions: Vec<FunctionCode>,
    /// Per function, whether its calls count as allocations.
    pub allocators: Vec<bool>,
    pub constants: Vec<Value>,
    pub(crate) homes: Vec<Home>,
    /// Number of task registers, with their variables.
    pub globals: Vec<VarId>,
    /// Objects that every task begins with, in the order of their ids.
    pub statics: Vec<StaticObject>,
    /// Names of library functions, by `Value::Library` and `CallTarget::Library`.
    pub library: Vec<Arc<str>>,
    pub heuristics: Heuristics,
    pub annotations: Annotations,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum StaticObject {
    Variable(VarId),
    String(chronos_ir::StrId),
}
