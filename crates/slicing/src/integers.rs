//! Integers that hold addresses: programs align storage by arithmetic on `(size_t)pointer`.

use crate::nodes::{Nodes, operand_type};
use chronos_base::hash::FxHashSet;
use chronos_ir::{Base, BinaryOp, BlockKind, FuncId, Op, OpKind, Operand, Place, Program, ScalarType};

/// Nodes of integer values and variables that an address was converted to, or computed from such ones.
pub fn addresses(program: &Program, nodes: &Nodes) -> FxHashSet<u32> {
    let mut search = Search { program, nodes, found: FxHashSet::default() };
    loop {
        let before = search.found.len();
        for block in program.blocks.values() {
            if let BlockKind::Straight(straight) = &block.kind {
                straight.ops.iter().for_each(|op| search.op(block.function, op));
            }
        }
        // Variables carry addresses backwards, around loops.
        if search.found.len() == before {
            return search.found;
        }
    }
}

struct Search<'a> {
    program: &'a Program,
    nodes: &'a Nodes,
    found: FxHashSet<u32>,
}

impl Search<'_> {
    fn op(&mut self, function: FuncId, op: &Op) {
        if let OpKind::Write(place, operand) = &op.kind {
            if let (Some(variable), true) = (self.integer(place), self.holds(function, operand)) {
                self.found.insert(variable);
            }
            return;
        }
        let Some(dst) = op.dst.filter(|&dst| is_wide(self.program.functions[function].values[dst])) else { return };
        let holds = match &op.kind {
            OpKind::Read(place) => self.integer(place).is_some_and(|variable| self.found.contains(&variable)),
            OpKind::Convert(_, operand) | OpKind::Move(operand) => self.address(function, operand),
            OpKind::Unary(_, operand) => self.holds(function, operand),
            OpKind::Binary(operator, _, a, b) => match (self.holds(function, a), self.holds(function, b)) {
                (true, true) => !matches!(operator, BinaryOp::Sub | BinaryOp::Rem),
                (a, b) => (a || b) && *operator != BinaryOp::Rem,
            },
            _ => false,
        };
        if holds {
            self.found.insert(self.nodes.value(function, dst));
        }
    }

    /// A pointer, or an integer that holds one.
    fn address(&self, function: FuncId, operand: &Operand) -> bool {
        operand_type(self.program, function, operand) == ScalarType::Pointer || self.holds(function, operand)
    }

    fn holds(&self, function: FuncId, operand: &Operand) -> bool {
        matches!(operand, Operand::Value(value) if self.found.contains(&self.nodes.value(function, *value)))
    }

    /// The variable that a place is, where it can hold an address as an integer.
    fn integer(&self, place: &Place) -> Option<u32> {
        let Base::Variable(variable) = place.base else { return None };
        let wide = self.program.types.scalar(self.program.variables[variable].ty).is_some_and(is_wide);
        (wide && place.steps.is_empty()).then(|| self.nodes.variable(variable))
    }
}

fn is_wide(ty: ScalarType) -> bool {
    matches!(ty, ScalarType::I64 | ScalarType::U64)
}
