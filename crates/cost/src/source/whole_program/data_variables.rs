//! Variables whose values come from data: an array, or what a pointer leads to. A flow-insensitive taint analysis of
//! the program. It must not know which values the data has.

use chronos_base::hash::FxHashSet;
use chronos_ir::{Arg, Base, BlockId, BlockKind, Callee, OpKind, Operand, Program, Step, ValueId, VarId};

/// Variables that are given what an array or a pointer's target holds, or something computed from it; calls included.
/// Linear in the size of the program, times the depth of handing on.
pub(crate) fn data_variables(program: &Program) -> FxHashSet<VarId> {
    let mut found = FxHashSet::default();
    loop {
        let before = found.len();
        for (_, function) in program.functions.iter() {
            let mut values = FxHashSet::default();
            for block in function.blocks.0.0..function.blocks.1.0 {
                spread(program, BlockId(block), &mut values, &mut found);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

fn spread(program: &Program, block: BlockId, values: &mut FxHashSet<ValueId>, found: &mut FxHashSet<VarId>) {
    let holds =
        |operand: &Operand, values: &FxHashSet<ValueId>| matches!(operand, Operand::Value(v) if values.contains(v));
    let straight = match &program.blocks[block].kind {
        BlockKind::Straight(straight) => straight,
        BlockKind::Call(call) => {
            let Callee::Function(callee) = call.callee else { return };
            for (parameter, arg) in program.functions[callee].params.iter().zip(&call.args) {
                if matches!(arg, Arg::Scalar(operand) if holds(operand, values)) {
                    found.insert(*parameter);
                }
            }
            return;
        }
        BlockKind::Loop(_) | BlockKind::Branch(_) => return,
    };
    for op in &straight.ops {
        let data = match &op.kind {
            OpKind::Write(place, operand) => {
                if let (Base::Variable(v), true, true) = (&place.base, place.steps.is_empty(), holds(operand, values)) {
                    found.insert(*v);
                }
                false
            }
            OpKind::Read(place) => match place.base {
                Base::Variable(v) if place.steps.is_empty() => found.contains(&v),
                Base::Variable(_) => place.steps.iter().any(|step| matches!(step, Step::Index { .. })),
                Base::Pointer(_) => true,
            },
            OpKind::Binary(_, _, a, b) => holds(a, values) || holds(b, values),
            OpKind::Unary(_, a) | OpKind::Convert(_, a) | OpKind::Move(a) => holds(a, values),
            _ => false,
        };
        if let Some(dst) = op.dst.filter(|_| data) {
            values.insert(dst);
        }
    }
}
