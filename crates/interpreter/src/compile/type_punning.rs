//! Scalar variables that are accessed as something else: they need bytes, a register does not do.

use chronos_base::hash::FxHashSet;
use chronos_ir::{Arg, Base, BlockKind, Jump, OpKind, Place, Program, VarId};

/// Scalars of which some access reaches a part, or has another type than they have.
pub fn variables(program: &Program) -> FxHashSet<VarId> {
    let mut found = FxHashSet::default();
    let mut see = |place: &Place| {
        if let Base::Variable(id) = place.base
            && (!place.steps.is_empty()
                || place.bits.is_some()
                || program.types.scalar(place.ty) != program.types.scalar(program.variables[id].ty))
        {
            found.insert(id);
        }
    };
    for block in program.blocks.values() {
        match &block.kind {
            BlockKind::Straight(straight) => straight.ops.iter().for_each(|op| places(&op.kind, &mut see)),
            BlockKind::Call(call) => {
                call.args.iter().for_each(|arg| argument(arg, &mut see));
                call.result_place.iter().for_each(&mut see);
            }
            BlockKind::Loop(_) | BlockKind::Branch(_) => {}
        }
    }
    found
}

fn places(kind: &OpKind, see: &mut impl FnMut(&Place)) {
    match kind {
        OpKind::Read(place) | OpKind::Write(place, _) | OpKind::Address(place) | OpKind::Zero { to: place, .. } => {
            see(place);
        }
        OpKind::Copy { to, from, .. } => {
            see(to);
            see(from);
        }
        OpKind::Jump(Jump::Return(Some(arg))) => argument(arg, see),
        _ => {}
    }
}

fn argument(arg: &Arg, see: &mut impl FnMut(&Place)) {
    if let Arg::Object(place, _) = arg {
        see(place);
    }
}
