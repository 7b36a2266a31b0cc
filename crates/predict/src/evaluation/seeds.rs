//! Whether tasks seed their generators by their rank, as `srand(time(NULL) + rank)` does: seeds that are taken differ then.
//!
//! The seed's computation is followed backwards, through variables and parameters, to what `MPI_Comm_rank` wrote.

use chronos_functions::GeneratorUse;
use chronos_ir::{
    Arg, Base, BlockId, BlockKind, Callee, Const, FuncId, Op, OpKind, Operand, Program, Storage, ValueId, VarId,
};
use std::collections::BTreeSet;

/// Whether any seed is computed from the rank of the task.
pub(super) fn by_rank(program: &Program) -> bool {
    let mut search = Search { program, ranks: BTreeSet::new(), seen: BTreeSet::new() };
    search.ranks =
        search.calls("MPI_Comm_rank").filter_map(|(function, args)| search.addressed(function, args.get(1)?)).collect();
    let seeds: Vec<(FuncId, Operand)> = program
        .blocks
        .values()
        .filter_map(|block| {
            let BlockKind::Call(call) = &block.kind else { return None };
            let Callee::Library(name) = &call.callee else { return None };
            let Some((GeneratorUse::Seeds(_), _)) = program.generators.used_by(name) else { return None };
            Some((block.function, scalar(call.args.first()?)?.clone()))
        })
        .collect();
    !search.ranks.is_empty() && seeds.iter().any(|(function, seed)| search.operand(*function, seed))
}

fn scalar(arg: &Arg) -> Option<&Operand> {
    if let Arg::Scalar(operand) = arg { Some(operand) } else { None }
}

struct Search<'p> {
    program: &'p Program,
    ranks: BTreeSet<VarId>,
    /// Variables that were looked at.
    seen: BTreeSet<VarId>,
}

impl<'p> Search<'p> {
    fn calls(&self, wanted: &'p str) -> impl Iterator<Item = (FuncId, &'p [Arg])> + use<'p> {
        self.program.blocks.values().filter_map(move |block| match &block.kind {
            BlockKind::Call(call) => {
                let is_wanted = matches!(&call.callee, Callee::Mpi(name) if **name == *wanted);
                is_wanted.then_some((block.function, &call.args[..]))
            }
            _ => None,
        })
    }

    /// The variable whose address an argument is.
    fn addressed(&self, function: FuncId, arg: &Arg) -> Option<VarId> {
        match scalar(arg)? {
            Operand::Const(Const::Address(variable, _)) => Some(*variable),
            Operand::Const(_) => None,
            Operand::Value(value) => match &self.defining(function, *value)?.kind {
                OpKind::Address(place) => match place.base {
                    Base::Variable(variable) => Some(variable),
                    Base::Pointer(_) => None,
                },
                _ => None,
            },
        }
    }

    fn operations(&self, function: FuncId) -> impl Iterator<Item = &'p Op> + use<'p> {
        let (first, end) = self.program.functions[function].blocks;
        let program = self.program;
        (first.0..end.0).map(BlockId).flat_map(move |block| match &program.blocks[block].kind {
            BlockKind::Straight(straight) => &straight.ops[..],
            _ => &[],
        })
    }

    fn defining(&self, function: FuncId, value: ValueId) -> Option<&'p Op> {
        self.operations(function).find(|op| op.dst == Some(value))
    }

    fn operand(&mut self, function: FuncId, operand: &Operand) -> bool {
        let Operand::Value(value) = operand else { return false };
        match self.defining(function, *value).map(|op| &op.kind) {
            Some(OpKind::Read(place)) => match place.base {
                Base::Variable(variable) => self.variable(function, variable),
                Base::Pointer(_) => false,
            },
            Some(OpKind::Unary(_, a) | OpKind::Convert(_, a) | OpKind::Move(a)) => self.operand(function, a),
            Some(OpKind::Binary(_, _, a, b)) => self.operand(function, a) || self.operand(function, b),
            _ => false,
        }
    }

    /// Whether the rank stands in a variable: as `MPI_Comm_rank` wrote it, as it was assigned, or as a function is called with.
    fn variable(&mut self, function: FuncId, variable: VarId) -> bool {
        if self.ranks.contains(&variable) {
            return true;
        }
        if !self.seen.insert(variable) {
            return false;
        }
        let assigned = self.operations(function).filter_map(|op| match &op.kind {
            OpKind::Write(place, value) if place.base == Base::Variable(variable) => Some((function, value)),
            _ => None,
        });
        let mut values: Vec<(FuncId, &Operand)> = assigned.collect();
        if matches!(self.program.variables[variable].storage, Storage::Parameter(_)) {
            let position = self.program.functions[function].params.iter().position(|&param| param == variable);
            values.extend(self.program.blocks.values().filter_map(|block| {
                let BlockKind::Call(call) = &block.kind else { return None };
                let is_called = matches!(call.callee, Callee::Function(called) if called == function);
                let arg = is_called.then(|| call.args.get(position?)).flatten()?;
                Some((block.function, scalar(arg)?))
            }));
        }
        values.into_iter().any(|(function, value)| self.operand(function, value))
    }
}
