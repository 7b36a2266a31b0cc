//! Mentions of values in blocks.

use chronos_ir::{Arg, Base, BlockKind, Call, Callee, Jump, OpKind, Operand, Place, Step, Stride};

/// Shows all operands of a block itself, without the blocks in it.
pub fn visit(kind: &BlockKind, see: &mut impl FnMut(&Operand)) {
    match kind {
        BlockKind::Straight(straight) => straight.ops.iter().for_each(|op| in_op(&op.kind, see)),
        BlockKind::Call(call) => in_call(call, see),
        BlockKind::Loop(inner) => inner.condition.iter().for_each(|c| see(&c.value)),
        BlockKind::Branch(branch) => {
            see(&branch.condition);
            branch.arms.iter().flat_map(|arm| &arm.value).for_each(see);
        }
    }
}

/// Shows all operands of an operation; those of a call stand in its leaf.
pub(crate) fn in_op(kind: &OpKind, see: &mut impl FnMut(&Operand)) {
    match kind {
        OpKind::Read(place) | OpKind::Address(place) | OpKind::Zero { to: place, .. } => in_place(place, see),
        OpKind::Write(place, operand) => {
            in_place(place, see);
            see(operand);
        }
        OpKind::Unary(_, a) | OpKind::Convert(_, a) | OpKind::Move(a) | OpKind::Allocate { bytes: a, .. } => see(a),
        OpKind::Binary(_, _, a, b) | OpKind::PointerDiff(a, b, _) => {
            see(a);
            see(b);
        }
        OpKind::Copy { to, from, .. } => {
            in_place(to, see);
            in_place(from, see);
        }
        OpKind::Jump(Jump::Return(Some(arg))) => in_arg(arg, see),
        OpKind::Call(_) | OpKind::Jump(_) | OpKind::Opaque(_) => {}
    }
}

fn in_call(call: &Call, see: &mut impl FnMut(&Operand)) {
    if let Callee::Indirect(operand) = &call.callee {
        see(operand);
    }
    call.args.iter().for_each(|arg| in_arg(arg, see));
    call.result_place.iter().for_each(|place| in_place(place, see));
}

fn in_arg(arg: &Arg, see: &mut impl FnMut(&Operand)) {
    match arg {
        Arg::Scalar(operand) => see(operand),
        Arg::Object(place, _) => in_place(place, see),
    }
}

fn in_place(place: &Place, see: &mut impl FnMut(&Operand)) {
    if let Base::Pointer(operand) = &place.base {
        see(operand);
    }
    for step in &place.steps {
        if let Step::Index { index, stride, .. } = step {
            see(index);
            if let Stride::Value(operand) = stride {
                see(operand);
            }
        }
    }
}
