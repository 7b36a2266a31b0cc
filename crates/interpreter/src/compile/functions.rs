//! Compiles the block trees of all functions to flat code, once per program.

use crate::code::instructions::{
    CallArg, CallCode, CallTarget, CompiledPlace, Home, Instr, LoopCode, PlaceBase, PlaceStep, ScalarKind, Src,
    StepStride,
};
use crate::code::program::{Code, FunctionCode, StaticObject};
use crate::compile::forward::{Copied, Forwarding};
use crate::compile::mentions::Mentions;
use crate::compile::regions::Reach;
use crate::compile::{forward, type_punning};
use chronos_base::ids::Id;
use chronos_base::span::Span;
use chronos_ir::{
    Arg, Base, BlockId, BlockKind, Callee, Const, FuncId, Jump, LabelId, Op, OpKind, Operand, Place, Program, Region,
    Step, Storage, Straight, Stride, TargetId, Type, ValueId, VarId,
};
use chronos_slicing::allocators::allocators;
use chronos_slicing::annotations::Annotations;
use chronos_slicing::heuristics::Heuristics;
use chronos_values::{ObjectId, Pointer, Value};
use std::collections::HashMap;
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

/// What functions share.
pub(crate) struct Tables {
    constants: Vec<Value>,
    pub(crate) homes: Vec<Home>,
    globals: Vec<VarId>,
    statics: Vec<StaticObject>,
    string_base: u32,
    library: Vec<Arc<str>>,
    library_ids: HashMap<Arc<str>, u32>,
}

impl Tables {
    fn new(program: &Program) -> Self {
        let mut tables = Self {
            constants: Vec::new(),
            homes: Vec::new(),
            globals: Vec::new(),
            statics: Vec::new(),
            string_base: 0,
            library: Vec::new(),
            library_ids: HashMap::new(),
        };
        let punned = type_punning::variables(program);
        for (id, variable) in program.variables.iter() {
            let home = tables.home(program, id, variable, punned.contains(&id));
            tables.homes.push(home);
        }
        tables.string_base = tables.statics.len() as u32;
        tables.statics.extend(program.strings.ids().map(StaticObject::String));
        tables
    }

    /// Registers of locals are numbered when their function is compiled.
    fn home(&mut self, program: &Program, id: VarId, variable: &chronos_ir::Variable, punned: bool) -> Home {
        let scalar = program.types.scalar(variable.ty).is_some() && !variable.address_taken && !punned;
        match (variable.storage, scalar) {
            (Storage::Global | Storage::Static, true) => {
                self.globals.push(id);
                Home::Global(self.globals.len() as u32 - 1)
            }
            (Storage::Global | Storage::Static, false) => {
                self.statics.push(StaticObject::Variable(id));
                Home::Object(ObjectId(self.statics.len() as u32 - 1))
            }
            (Storage::Parameter(_) | Storage::Local, true) => Home::Register(0),
            (Storage::Parameter(_) | Storage::Local, false) => Home::FrameObject(0),
        }
    }

    pub(crate) fn constant(&mut self, value: Value) -> Src {
        self.constants.push(value);
        Src::Const(self.constants.len() as u32 - 1)
    }

    pub(crate) fn known(&self, constant: u32) -> Value {
        self.constants[constant as usize]
    }

    pub(crate) fn library_name(&self, id: u32) -> &str {
        &self.library[id as usize]
    }

    fn library(&mut self, name: &Arc<str>) -> u32 {
        if let Some(&id) = self.library_ids.get(name) {
            return id;
        }
        let id = self.library.len() as u32;
        self.library.push(name.clone());
        self.library_ids.insert(name.clone(), id);
        id
    }
}

pub(crate) struct Compiler<'a> {
    pub(crate) program: &'a Program,
    pub(crate) reach: &'a Reach,
    pub(crate) tables: &'a mut Tables,
    function: FuncId,
    pub(crate) code: FunctionCode,
    pub(crate) loop_depth: u32,
    pub(crate) branch_depth: u32,
    /// Where `break` and `continue` go, with the depths there.
    breaks: HashMap<TargetId, Destination>,
    continues: HashMap<TargetId, Destination>,
    /// The loops that are being compiled, outermost first.
    pub(crate) loops: Vec<u32>,
    labels: HashMap<LabelId, Label>,
    gotos: Vec<(u32, LabelId)>,
    pub(crate) span: Span,
    /// Values that are used outside of the straight block that computes them.
    escapes: Vec<bool>,
    /// Where copies are read from: they have no instruction of their own.
    forwarded: HashMap<ValueId, Src>,
    pub(crate) mentions: Mentions,
}

/// A `goto` label: its instruction, the loops around it, the number of branches around it.
#[derive(Clone, Debug)]
struct Label {
    block: BlockId,
    target: u32,
    loops: Vec<u32>,
    branches: u32,
}

/// A place that is not known yet: instructions that go there are patched.
#[derive(Clone, Debug, Default)]
pub(crate) struct Destination {
    loops: u32,
    branches: u32,
    patches: Vec<u32>,
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
            breaks: HashMap::new(),
            continues: HashMap::new(),
            loops: Vec::new(),
            labels: HashMap::new(),
            gotos: Vec::new(),
            span: program.functions[function].span,
            escapes: forward::escaping(program, function),
            forwarded: HashMap::new(),
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

    fn temporary(&mut self) -> u32 {
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

    fn op(&mut self, op: &Op) {
        let dst = op.dst.map(|value| value.index() as u32);
        let scratch = |this: &mut Self| dst.unwrap_or_else(|| this.temporary());
        match &op.kind {
            OpKind::Read(place) => {
                let dst = scratch(self);
                self.read(dst, place);
            }
            OpKind::Write(place, operand) => self.write(place, operand),
            OpKind::Address(place) => {
                let (dst, place) = (scratch(self), self.place(place));
                self.emit(Instr::Address(dst, place));
            }
            OpKind::Unary(unary, operand) => {
                let (dst, src) = (scratch(self), self.src(operand));
                let ty = self.value_type(op).unwrap_or(chronos_ir::ScalarType::I32);
                self.emit(Instr::Unary(*unary, ty, dst, src));
            }
            OpKind::Binary(binary, ty, a, b) => {
                let (dst, a, b) = (scratch(self), self.src(a), self.src(b));
                self.emit(Instr::Binary(*binary, *ty, dst, a, b));
            }
            OpKind::Convert(from, operand) => {
                let (dst, src) = (scratch(self), self.src(operand));
                match self.value_type(op) {
                    Some(to) => self.emit(Instr::Convert { from: *from, to, dst, src }),
                    None => self.emit(Instr::Move(dst, src)),
                };
            }
            OpKind::PointerDiff(a, b, stride) => {
                let (dst, a, b) = (scratch(self), self.src(a), self.src(b));
                self.emit(Instr::PointerDiff { dst, a, b, stride: u32::try_from(*stride).unwrap_or(u32::MAX) });
            }
            OpKind::Copy { to, from, bytes } => {
                let (to, from) = (self.place(to), self.place(from));
                self.emit(Instr::Copy { to, from, bytes: *bytes });
            }
            OpKind::Zero { to, bytes } => self.zero(to, *bytes),
            OpKind::Allocate { variable, bytes } => {
                let bytes = self.src(bytes);
                if let Home::FrameObject(register) = self.tables.homes[variable.index()] {
                    self.emit(Instr::Allocate(register, *variable, bytes));
                }
            }
            OpKind::Call(block) => self.call(*block, dst, op),
            OpKind::Jump(jump) => self.jump(jump),
            OpKind::Move(operand) => {
                let (dst, src) = (scratch(self), self.src(operand));
                self.emit(Instr::Move(dst, src));
            }
            OpKind::Opaque(name) => {
                let name = self.tables.library(name);
                self.emit(Instr::Opaque(dst, name));
            }
        }
    }

    fn value_type(&self, op: &Op) -> Option<chronos_ir::ScalarType> {
        op.dst.map(|value| self.type_of(value))
    }

    pub(crate) fn type_of(&self, value: ValueId) -> chronos_ir::ScalarType {
        self.program.functions[self.function].values[value]
    }

    fn register_home(&self, place: &Place) -> Option<Home> {
        match place.base {
            Base::Variable(id) if place.steps.is_empty() => match self.tables.homes[id.index()] {
                home @ (Home::Register(_) | Home::Global(_)) => Some(home),
                _ => None,
            },
            _ => None,
        }
    }

    fn read(&mut self, dst: u32, place: &Place) {
        let instr = match self.register_home(place) {
            Some(Home::Register(register)) => Instr::Move(dst, Src::Reg(register)),
            Some(Home::Global(register)) => Instr::Move(dst, Src::Global(register)),
            _ => Instr::Load(dst, self.place(place)),
        };
        self.emit(instr);
    }

    fn write(&mut self, place: &Place, operand: &Operand) {
        let src = self.src(operand);
        let instr = match self.register_home(place) {
            Some(Home::Register(register)) => Instr::SetLocal(register, src),
            Some(Home::Global(register)) => Instr::SetGlobal(register, src),
            _ => Instr::Store(self.place(place), src),
        };
        self.emit(instr);
    }

    fn zero(&mut self, to: &Place, bytes: u64) {
        let to = self.place(to);
        self.emit(Instr::Zero { to, bytes });
    }

    fn place(&mut self, place: &Place) -> u32 {
        let (base, name) = match &place.base {
            Base::Variable(id) => (self.variable_base(*id), self.program.variables[*id].name.clone()),
            Base::Pointer(operand) => (PlaceBase::Src(self.src(operand)), "memory".into()),
        };
        let pointer = match &place.base {
            Base::Pointer(Operand::Value(value)) => Some(*value),
            _ => None,
        };
        let mut offset = 0i64;
        let mut steps = Vec::new();
        for step in &place.steps {
            match step {
                Step::Field { offset: bytes, .. } => offset += *bytes as i64,
                Step::Index { index: Operand::Const(Const::Int(n, _)), stride: Stride::Bytes(bytes), length }
                    if length.is_none_or(|length| (*n as u64) <= length) =>
                {
                    offset = offset.wrapping_add(n.wrapping_mul(*bytes as i64));
                }
                Step::Index { index, stride, length } => {
                    let stride = match stride {
                        Stride::Bytes(bytes) => StepStride::Bytes(*bytes as i64),
                        Stride::Value(operand) => StepStride::Src(self.src(operand)),
                    };
                    steps.push(PlaceStep { index: self.src(index), stride, length: *length });
                }
            }
        }
        let ty = self.program.types.scalar(place.ty);
        self.code.places.push(CompiledPlace { base, pointer, offset, steps: steps.into(), ty, bits: place.bits, name });
        self.code.places.len() as u32 - 1
    }

    fn variable_base(&mut self, id: VarId) -> PlaceBase {
        match self.tables.homes[id.index()] {
            Home::Object(object) => PlaceBase::Object(object),
            Home::FrameObject(register) | Home::Register(register) => PlaceBase::Src(Src::Reg(register)),
            Home::Global(register) => PlaceBase::Src(Src::Global(register)),
        }
    }

    pub(crate) fn src(&mut self, operand: &Operand) -> Src {
        match operand {
            Operand::Value(value) => self.forwarded.get(value).copied().unwrap_or(Src::Reg(value.index() as u32)),
            Operand::Const(constant) => self.constant(constant),
        }
    }

    fn constant(&mut self, constant: &Const) -> Src {
        if let Const::Address(id, offset) = constant
            && !matches!(self.tables.homes[id.index()], Home::Object(_))
        {
            return self.local_address(*id, *offset);
        }
        let value = self.tables.value(constant).unwrap_or(Value::NULL);
        self.tables.constant(value)
    }

    fn local_address(&mut self, id: VarId, offset: i64) -> Src {
        let place = CompiledPlace {
            base: self.variable_base(id),
            pointer: None,
            offset,
            steps: Box::new([]),
            ty: None,
            bits: None,
            name: self.program.variables[id].name.clone(),
        };
        self.code.places.push(place);
        let dst = self.temporary();
        self.emit(Instr::Address(dst, self.code.places.len() as u32 - 1));
        Src::Reg(dst)
    }

    fn call(&mut self, block: BlockId, dst: Option<u32>, op: &Op) {
        let Some(call) = self.program.call(block) else { return };
        let target = match &call.callee {
            Callee::Function(function) => CallTarget::Function(*function),
            Callee::Library(name) => CallTarget::Library(self.tables.library(name)),
            Callee::Mpi(name) => CallTarget::Mpi(name.clone()),
            Callee::Indirect(operand) => CallTarget::Indirect(self.src(operand)),
        };
        let args = call.args.iter().map(|arg| self.argument(arg)).collect();
        let result_place = call.result_place.as_ref().map(|place| self.place(place));
        let dst = dst.zip(self.value_type(op));
        let span = self.program.blocks[block].span;
        let counter = self.counter(block);
        self.code.calls.push(CallCode { block, counter, target, args, dst, result_place, span });
        self.emit(Instr::Call(self.code.calls.len() as u32 - 1));
    }

    fn argument(&mut self, arg: &Arg) -> CallArg {
        match arg {
            Arg::Scalar(operand) => CallArg::Scalar(self.src(operand)),
            Arg::Object(place, _) => CallArg::Object(self.place(place)),
        }
    }

    fn jump(&mut self, jump: &Jump) {
        match jump {
            Jump::Break(target) => self.jump_to(*target, true),
            Jump::Continue(target) => self.jump_to(*target, false),
            Jump::Goto(label) => {
                let at = self.emit(Instr::Goto { target: 0, loops: 0, branches: 0 });
                self.gotos.push((at, *label));
            }
            Jump::Return(None) => {
                self.emit(Instr::Return(None));
            }
            Jump::Return(Some(Arg::Scalar(operand))) => {
                let src = self.src(operand);
                self.emit(Instr::Return(Some(src)));
            }
            Jump::Return(Some(Arg::Object(place, bytes))) => {
                let place = self.place(place);
                self.emit(Instr::ReturnObject(place, *bytes));
            }
        }
    }

    fn jump_to(&mut self, target: TargetId, breaks: bool) {
        let at = self.here();
        let destinations = if breaks { &mut self.breaks } else { &mut self.continues };
        let destination = destinations.entry(target).or_default();
        destination.patches.push(at);
        let (loops, branches) = (destination.loops, destination.branches);
        self.emit(Instr::Goto { target: 0, loops, branches });
    }

    /// Announces a target of `break` (and `continue`) before its body is compiled.
    pub(crate) fn open_target(&mut self, target: TargetId, loops: u32, branches: u32) {
        let destination = Destination { loops, branches, patches: Vec::new() };
        self.breaks.insert(target, destination.clone());
        self.continues.insert(target, destination);
    }

    pub(crate) fn close_breaks(&mut self, target: TargetId) {
        let here = self.here();
        let patches = self.breaks.remove(&target).map(|d| d.patches).unwrap_or_default();
        self.patch(&patches, here);
    }

    pub(crate) fn close_continues(&mut self, target: TargetId) {
        let here = self.here();
        let patches = self.continues.remove(&target).map(|d| d.patches).unwrap_or_default();
        self.patch(&patches, here);
    }

    pub(crate) fn patch(&mut self, patches: &[u32], to: u32) {
        for &at in patches {
            match &mut self.code.instrs[at as usize] {
                Instr::Goto { target, .. } | Instr::Jump(target) => *target = to,
                _ => {}
            }
        }
    }

    fn patch_gotos(&mut self) {
        for (at, label) in std::mem::take(&mut self.gotos) {
            if let Some(label) = self.labels.get(&label) {
                if label.target < at && self.code.reaches_mpi {
                    let span = self.code.spans[at as usize];
                    self.code.backs.push(jump_loop(label, at, span));
                }
                let loops = self.code.around.len() as u32;
                self.code.around.push(label.loops.clone().into());
                self.code.instrs[at as usize] =
                    Instr::GotoLabel { target: label.target, loops, branches: label.branches };
            }
        }
        self.code.backs.sort_by_key(|back| back.body);
        self.code.backs.dedup_by_key(|back| back.body);
    }
}

/// A loop of jumps back to a label, of which nothing is known but where it begins.
fn jump_loop(label: &Label, from: u32, span: Span) -> LoopCode {
    LoopCode {
        block: label.block,
        counter: 0,
        reaches_mpi: true,
        communicates: true,
        start: label.target,
        body: label.target,
        step: from,
        exit: from,
        test: from,
        fold: None,
        advances: Box::default(),
        endless: false,
        spoken_of: false,
        writes: Box::default(),
        span,
        jump: true,
    }
}

impl Tables {
    /// A constant that is the same for all tasks and frames.
    pub(crate) fn value(&mut self, constant: &Const) -> Option<Value> {
        let pointer = |object, offset| Value::Pointer(Pointer { object, offset });
        Some(match constant {
            Const::Int(n, ty) if ty.is_float() => Value::Float(*n as f64),
            Const::Int(n, _) => Value::Int(*n),
            Const::Float(x, ty) => Value::Float(chronos_values::arith::round(*x, *ty)),
            Const::Wide(bits, _) => Value::Wide(chronos_ir::wide::Wide::new(*bits)?),
            Const::Str(id, offset) => pointer(ObjectId(self.string_base + id.0), *offset),
            Const::Address(id, offset) => match self.homes[id.index()] {
                Home::Object(object) => pointer(object, *offset),
                _ => return None,
            },
            Const::Function(function) => Value::Function(*function),
            Const::Library(name) => Value::Library(self.library(name)),
        })
    }
}

/// Whether a variable's type is an array of unknown length: its storage comes by `Allocate`.
pub(crate) fn is_variable_length(program: &Program, id: VarId) -> bool {
    matches!(program.types.get(program.variables[id].ty), Type::Array { .. })
        && program.types.size(program.variables[id].ty, program.model) == 0
}
