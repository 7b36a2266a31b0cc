//! Variables that are declared weak and defined nowhere: their addresses are null (ELF, gABI, "Symbol Table").

use chronos_base::hash::FxHashSet;
use chronos_ir::raw::{RawArm, RawItem, RawProgram, RawRegion};
use chronos_ir::types::ScalarType;
use chronos_ir::{Arg, Base, Callee, Const, Jump, Op, OpKind, Operand, Place, Step, Stride, VarId};

/// Puts null for the addresses of these variables.
pub fn replace(program: &mut RawProgram, absent: &FxHashSet<VarId>) {
    if absent.is_empty() {
        return;
    }
    let absent = Absent(absent);
    for (_, variable) in program.variables.iter_mut() {
        variable.init.iter_mut().flatten().for_each(|(_, value)| absent.constant(value));
    }
    for (_, function) in program.functions.iter_mut() {
        absent.region(&mut function.body);
    }
}

struct Absent<'a>(&'a FxHashSet<VarId>);

impl Absent<'_> {
    fn region(&self, region: &mut RawRegion) {
        for item in region {
            match item {
                RawItem::Op(op) => self.op(op),
                RawItem::Call(raw) => {
                    if let Callee::Indirect(operand) = &mut raw.call.callee {
                        self.operand(operand);
                    }
                    raw.call.args.iter_mut().for_each(|arg| self.arg(arg));
                    raw.call.result_place.iter_mut().for_each(|place| self.place(place));
                }
                RawItem::Loop(raw) => {
                    if let Some(condition) = &mut raw.condition {
                        self.region(&mut condition.region);
                        self.operand(&mut condition.value);
                    }
                    [&mut raw.init, &mut raw.body, &mut raw.step].into_iter().for_each(|region| self.region(region));
                }
                RawItem::Branch(raw) => {
                    self.operand(&mut raw.condition);
                    raw.arms.iter_mut().for_each(|arm| self.arm(arm));
                }
                RawItem::Label(..) | RawItem::Extend(_) => {}
            }
        }
    }

    fn arm(&self, arm: &mut RawArm) {
        self.region(&mut arm.region);
        arm.value.iter_mut().for_each(|value| self.operand(value));
    }

    fn op(&self, op: &mut Op) {
        match &mut op.kind {
            OpKind::Read(place) | OpKind::Address(place) | OpKind::Zero { to: place, .. } => self.place(place),
            OpKind::Write(place, operand) => {
                self.place(place);
                self.operand(operand);
            }
            OpKind::Copy { to, from, .. } => {
                self.place(to);
                self.place(from);
            }
            OpKind::Binary(_, _, a, b) | OpKind::PointerDiff(a, b, _) => {
                self.operand(a);
                self.operand(b);
            }
            OpKind::Unary(_, operand)
            | OpKind::Convert(_, operand)
            | OpKind::Move(operand)
            | OpKind::Allocate { bytes: operand, .. } => self.operand(operand),
            OpKind::Jump(Jump::Return(Some(arg))) => self.arg(arg),
            OpKind::Jump(_) | OpKind::Call(_) | OpKind::Opaque(_) => {}
        }
        // An address that is null is a number.
        if let OpKind::Address(Place { base: Base::Pointer(null @ Operand::Const(Const::Int(0, _))), steps, .. }) =
            &op.kind
            && steps.is_empty()
        {
            op.kind = OpKind::Move(null.clone());
        }
    }

    fn arg(&self, arg: &mut Arg) {
        match arg {
            Arg::Scalar(operand) => self.operand(operand),
            Arg::Object(place, _) => self.place(place),
        }
    }

    fn place(&self, place: &mut Place) {
        match &mut place.base {
            Base::Variable(variable) if self.0.contains(variable) => {
                place.base = Base::Pointer(Operand::Const(Const::Int(0, ScalarType::Pointer)));
            }
            Base::Variable(_) => {}
            Base::Pointer(operand) => self.operand(operand),
        }
        for step in &mut place.steps {
            let Step::Index { index, stride, .. } = step else { continue };
            self.operand(index);
            if let Stride::Value(bytes) = stride {
                self.operand(bytes);
            }
        }
    }

    fn operand(&self, operand: &mut Operand) {
        if let Operand::Const(constant) = operand {
            self.constant(constant);
        }
    }

    fn constant(&self, constant: &mut Const) {
        if let Const::Address(variable, offset) = constant
            && self.0.contains(variable)
        {
            *constant = Const::Int(*offset, ScalarType::Pointer);
        }
    }
}
