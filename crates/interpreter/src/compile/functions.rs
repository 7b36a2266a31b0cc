//! Compiles the block trees of all functions to flat code, once per program.

use crate::code::instructions::{Home, Instr, ScalarKind, Src};
use crate::code::program::{Code, FunctionCode};
use crate::compile::forward;
use crate::compile::forward::{Copied, Forwarding};
use crate::compile::jumps::Label;
use crate::compile::mentions::Mentions;
use crate::compile::regions::Reach;
use crate::compile::tables::Tables;
use chronos_base::hash::FxHashMap;
use chronos_base::ids::Id;
use chronos_base::span::Span;
use chronos_ir::{BlockId, BlockKind, FuncId, LabelId, OpKind, Program, Region, Straight, TargetId, ValueId, VarId};
use chronos_slicing::allocators::allocators;
use chronos_slicing::annotations::Annotations;
use chronos_slicing::heuristics::Heuristics;
use std::sync::Arc;

/// Compiles a program.
pub fn compile(program: Arc<Program>) -> Code {
    let mut tables = Tables::new(&program);
    let reach = Reach::new(&program);
    let functions = program.functions.ids().map(|f| Compiler::new(&program, &reach, &mut tables, f).run()).collect();
    let allocators = allocators(&program);
    let Tables { constants, homes, globals, statics, library, .. } = tables;
    let mut code = Code {
        functions,
        allocators,
        constants,
        homes,
        globals,
        statics,
        library,
        heuristics: Heuristics::new(&program),
        annotations: Annotations::new(&program),
        program,
    };
    for function in &mut code.functions {
        function.branches.iter_mut().for_each(|branch| branch.spoken_of = code.annotations.covers(branch.block));
        function.loops.iter_mut().for_each(|l| l.spoken_of = code.annotations.covers(l.block));
    }
    code.heat();
    code
}

pub(crate) struct Compiler<'a> {
    pub(crate) program: &'a Program,
    pub(crate) reach: &'a Reach,
    pub(crate) tables: &'a mut Tables,
    pub(super) function: FuncId,
    pub(crate) code: FunctionCode,
    pub(crate) loop_depth: u32,
    pub(crate) branch_depth: u32,
    /// Where `break` and `continue` go, with the depths there.
    pub(super) breaks: FxHashMap<TargetId, Destination>,
    pub(super) continues: FxHashMap<TargetId, Destination>,
    /// The loops that are being compiled, outermost first.
    pub(crate) loops: Vec<u32>,
    pub(super) labels: FxHashMap<LabelId, Label>,
    pub(super) gotos: Vec<(u32, LabelId)>,
    pub(crate) span: Span,
    /// Values that are used outside of the straight block that computes them.
    escapes: Vec<bool>,
    /// Where copies are read from: they have no instruction of their own.
    pub(super) forwarded: FxHashMap<ValueId, Src>,
    pub(crate) mentions: Mentions,
}

/// A place that is not known yet: instructions that go there are patched.
#[derive(Clone, Debug, Default)]
pub(crate) struct Destination {
    pub(super) loops: u32,
    pub(super) branches: u32,
    pub(super) patches: Vec<u32>,
}

impl<'a> Compiler<'a> {
    fn new(program: &'a Program, reach: &'a Reach, tables: &'a mut Tables, function: FuncId) -> Self {
        Self {
            program,
            reach,
            tables,
            function,
            code: FunctionCode::default(),
            loop_depth: 0,
            branch_depth: 0,
            breaks: FxHashMap::default(),
            continues: FxHashMap::default(),
            loops: Vec::new(),
            labels: FxHashMap::default(),
            gotos: Vec::new(),
            span: program.functions[function].span,
            escapes: forward::escaping(program, function),
            forwarded: FxHashMap::default(),
            mentions: Mentions::of(program, function),
        }
    }

    fn run(mut self) -> FunctionCode {
        let function = &self.program.functions[self.function];
        self.code.name = function.name.clone();
        self.code.reaches_mpi = function.effects.reaches_mpi;
        self.assign_registers();
        self.assign_counters();
        self.region(&function.body);
        self.emit(Instr::Return(None));
        self.patch_gotos();
        self.code
    }

    fn assign_counters(&mut self) {
        let (first, end) = self.program.functions[self.function].blocks;
        let blocks = &self.program.blocks;
        self.code.first_counter = blocks.get(first).map_or(0, |b| b.first_counter.0);
        let after = blocks.get(end).map_or(self.program.counters, |b| b.first_counter.0);
        self.code.counters = after.saturating_sub(self.code.first_counter);
    }

    fn assign_registers(&mut self) {
        let function = &self.program.functions[self.function];
        self.code.first_variable = function.values.len() as u32;
        let mut next = self.code.first_variable;
        for &id in function.params.iter().chain(&function.locals) {
            let home = match self.tables.homes[id.index()] {
                Home::Register(_) => Home::Register(next),
                Home::FrameObject(_) => {
                    let bytes = self.program.types.size(self.program.variables[id].ty, self.program.model);
                    self.code.frame_objects.push((next, id, bytes));
                    Home::FrameObject(next)
                }
                _ => continue,
            };
            self.tables.homes[id.index()] = home;
            self.code.variables.push(id);
            next += 1;
        }
        self.code.registers = next;
        self.code.params = function.params.iter().map(|&id| (self.tables.homes[id.index()], self.kind(id))).collect();
    }

    fn kind(&self, id: VarId) -> ScalarKind {
        let ty = self.program.variables[id].ty;
        match self.program.types.scalar(ty) {
            Some(scalar) => ScalarKind::Scalar(scalar),
            None => ScalarKind::Object(self.program.types.size(ty, self.program.model)),
        }
    }

    pub(crate) fn emit(&mut self, instr: Instr) -> u32 {
        self.code.instrs.push(instr);
        self.code.spans.push(self.span);
        self.code.instrs.len() as u32 - 1
    }

    pub(crate) fn here(&self) -> u32 {
        self.code.instrs.len() as u32
    }

    pub(super) fn temporary(&mut self) -> u32 {
        self.code.registers += 1;
        self.code.registers - 1
    }

    /// A counter of a block, relative to the function's first.
    pub(crate) fn counter(&self, block: BlockId) -> u32 {
        self.program.blocks[block].first_counter.0 - self.code.first_counter
    }

    pub(crate) fn region(&mut self, region: &Region) {
        let program = self.program;
        for &block in region {
            let span = program.blocks[block].span;
            self.span = span;
            match &program.blocks[block].kind {
                BlockKind::Straight(straight) => self.straight(block, straight),
                BlockKind::Loop(inner) => self.loop_block(block, inner),
                BlockKind::Branch(branch) => self.branch(block, branch),
                BlockKind::Call(_) => {}
            }
        }
    }

    fn straight(&mut self, block: BlockId, straight: &Straight) {
        if let Some(label) = straight.label {
            let place = Label { block, target: self.here(), loops: self.loops.clone(), branches: self.branch_depth };
            self.labels.insert(label, place);
        }
        let counter = self.counter(block);
        self.emit(Instr::Count(counter));
        self.forward_copies(straight);
        for op in &straight.ops {
            self.span = op.span;
            if !op.dst.is_some_and(|dst| self.forwarded.contains_key(&dst)) {
                self.op(op);
            }
        }
        if let Some(OpKind::Jump(_)) = straight.ops.last().map(|op| &op.kind) {
            let at = self.here() - 1;
            self.code.jumps.push((block, at));
        }
    }

    fn forward_copies(&mut self, straight: &Straight) {
        let (program, function) = (self.program, self.function);
        let forwarding = Forwarding { program, homes: &self.tables.homes, function, escapes: &self.escapes };
        for (value, source) in forwarding.copies(straight) {
            let source = match source {
                Copied::Variable(register) => register,
                Copied::Operand(operand) => self.src(operand),
            };
            self.forwarded.insert(value, source);
        }
    }
}
