//! What flags of the compiler let the code do otherwise than the source says ([`Departure`]): the values of the source's own
//! operations are taken, in IEEE 754 and in its order.

use super::{Certainty, Doubt, Doubts, Subject, signed_overflow};
use chronos_base::hash::FxHashSet;
use chronos_base::span::Span;
use chronos_ir::{BinaryOp, BlockId, BlockKind, Departure, DepartureKind, FuncId, Function, Op, OpKind, Program};

/// The doubts of all units, where something that they concern was executed.
pub fn add(program: &Program, executed: &FxHashSet<BlockId>, doubts: &mut Doubts) {
    for departure in &program.departures {
        let unit = Unit { program, departure, executed };
        match departure.kind {
            DepartureKind::NotModelled => unit.all(doubts),
            DepartureKind::Contracted => unit.contracted(doubts),
            DepartureKind::Reordered => unit.operations(|_| true, text(departure), doubts),
            // Only the evaluation knows which operations overflow: see `signed_overflow`.
            DepartureKind::SignedOverflow => {}
        }
    }
}

fn text(departure: &Departure) -> String {
    let flag = &departure.flag;
    match departure.kind {
        DepartureKind::Contracted => format!(
            "{flag} lets the compiler fuse a multiplication and an addition, which then round once, and two roundings are taken"
        ),
        DepartureKind::Reordered => {
            format!("{flag} lets the compiler change floating-point results, and those of the source's order are taken")
        }
        DepartureKind::SignedOverflow => signed_overflow::TEXT.to_owned(),
        DepartureKind::NotModelled => {
            format!("{flag} changes what the program means and is not modelled: the program without it is taken")
        }
    }
}

fn help(kind: DepartureKind) -> &'static str {
    match kind {
        DepartureKind::Contracted => {
            "compile with -ffp-contract=off and give it here as well, or count it in a run: `chronos trace`, and its folder as --trace"
        }
        DepartureKind::SignedOverflow => signed_overflow::HELP,
        DepartureKind::Reordered | DepartureKind::NotModelled => {
            "compile without the flag and leave it out here, or count it in a run: `chronos trace`, and its folder as --trace"
        }
    }
}

/// A unit of the program with one of its departures.
struct Unit<'a> {
    program: &'a Program,
    departure: &'a Departure,
    executed: &'a FxHashSet<BlockId>,
}

impl<'a> Unit<'a> {
    fn functions(&self) -> impl Iterator<Item = (FuncId, &'a Function)> {
        let unit = self.departure.unit;
        self.program.functions.iter().filter(move |(_, function)| function.unit == unit)
    }

    /// The operations that were executed, each with its function.
    fn ops(&self) -> impl Iterator<Item = (FuncId, &'a Op)> {
        let (program, executed) = (self.program, self.executed);
        let blocks = self.functions().flat_map(|(id, f)| (f.blocks.0.0..f.blocks.1.0).map(move |b| (id, BlockId(b))));
        let straight = blocks.filter(|(_, block)| executed.contains(block)).filter_map(move |(id, block)| {
            let BlockKind::Straight(straight) = &program.blocks[block].kind else { return None };
            Some(straight.ops.iter().map(move |op| (id, op)))
        });
        straight.flatten()
    }

    /// Everything is in doubt.
    fn all(&self, doubts: &mut Doubts) {
        let Some((_, first)) = self.functions().find(|(_, function)| self.is_executed(function)) else { return };
        let doubt = self.doubt(first.span, text(self.departure));
        self.functions().for_each(|(id, _)| doubts.add(doubt.clone(), Subject::Function(id)));
    }

    fn is_executed(&self, function: &Function) -> bool {
        (function.blocks.0.0..function.blocks.1.0).any(|block| self.executed.contains(&BlockId(block)))
    }

    /// Additions, where the unit multiplies: GCC fuses across statements and into inlined functions.
    fn contracted(&self, doubts: &mut Doubts) {
        if self.ops().any(|(_, op)| float(op) == Some(BinaryOp::Mul)) {
            let is_sum = |op| matches!(op, BinaryOp::Add | BinaryOp::Sub);
            self.operations(is_sum, text(self.departure), doubts);
        }
    }

    /// One doubt, at the first of the operations, about what all of them compute.
    fn operations(&self, concerned: fn(BinaryOp) -> bool, text: String, doubts: &mut Doubts) {
        let mut found = self.ops().filter(|(_, op)| float(op).is_some_and(concerned)).peekable();
        let Some(&(_, first)) = found.peek() else { return };
        let doubt = self.doubt(first.span, text);
        for (function, op) in found {
            op.dst.into_iter().for_each(|value| doubts.add(doubt.clone(), Subject::Value(function, value)));
        }
    }

    fn doubt(&self, span: Span, text: String) -> Doubt {
        let help = Some(help(self.departure.kind).into());
        Doubt { span, certainty: Certainty::Approximate, text: text.into(), help }
    }
}

/// The operator of floating-point arithmetic or a comparison.
fn float(op: &Op) -> Option<BinaryOp> {
    match op.kind {
        OpKind::Binary(operator, ty, ..) if ty.is_float() => Some(operator),
        _ => None,
    }
}
