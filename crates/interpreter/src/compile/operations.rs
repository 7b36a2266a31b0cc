//! Operations, places and operands of straight blocks.

use crate::code::instructions::{
    CallArg, CallCode, CallTarget, CompiledPlace, Home, Instr, PlaceBase, PlaceStep, Src, StepStride,
};
use crate::compile::functions::Compiler;
use chronos_base::ids::Id;
use chronos_ir::{Arg, Base, BlockId, Callee, Const, Op, OpKind, Operand, Place, Step, Stride, ValueId, VarId};
use chronos_values::Value;

impl Compiler<'_> {
    pub(super) fn op(&mut self, op: &Op) {
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

    pub(super) fn value_type(&self, op: &Op) -> Option<chronos_ir::ScalarType> {
        op.dst.map(|value| self.type_of(value))
    }

    pub(crate) fn type_of(&self, value: ValueId) -> chronos_ir::ScalarType {
        self.program.functions[self.function].values[value]
    }

    pub(super) fn register_home(&self, place: &Place) -> Option<Home> {
        match place.base {
            Base::Variable(id) if place.steps.is_empty() => match self.tables.homes[id.index()] {
                home @ (Home::Register(_) | Home::Global(_)) => Some(home),
                _ => None,
            },
            _ => None,
        }
    }

    pub(super) fn read(&mut self, dst: u32, place: &Place) {
        let instr = match self.register_home(place) {
            Some(Home::Register(register)) => Instr::Move(dst, Src::Reg(register)),
            Some(Home::Global(register)) => Instr::Move(dst, Src::Global(register)),
            _ => Instr::Load(dst, self.place(place)),
        };
        self.emit(instr);
    }

    pub(super) fn write(&mut self, place: &Place, operand: &Operand) {
        let src = self.src(operand);
        let instr = match self.register_home(place) {
            Some(Home::Register(register)) => Instr::SetLocal(register, src),
            Some(Home::Global(register)) => Instr::SetGlobal(register, src),
            _ => Instr::Store(self.place(place), src),
        };
        self.emit(instr);
    }

    pub(super) fn zero(&mut self, to: &Place, bytes: u64) {
        let to = self.place(to);
        self.emit(Instr::Zero { to, bytes });
    }

    pub(super) fn place(&mut self, place: &Place) -> u32 {
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

    pub(super) fn variable_base(&mut self, id: VarId) -> PlaceBase {
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

    pub(super) fn constant(&mut self, constant: &Const) -> Src {
        if let Const::Address(id, offset) = constant
            && !matches!(self.tables.homes[id.index()], Home::Object(_))
        {
            return self.local_address(*id, *offset);
        }
        let value = self.tables.value(constant).unwrap_or(Value::NULL);
        self.tables.constant(value)
    }

    pub(super) fn local_address(&mut self, id: VarId, offset: i64) -> Src {
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

    pub(super) fn call(&mut self, block: BlockId, dst: Option<u32>, op: &Op) {
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

    pub(super) fn argument(&mut self, arg: &Arg) -> CallArg {
        match arg {
            Arg::Scalar(operand) => CallArg::Scalar(self.src(operand)),
            Arg::Object(place, _) => CallArg::Object(self.place(place)),
        }
    }
}
