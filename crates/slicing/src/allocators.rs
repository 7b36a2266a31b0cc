//! Functions that only hand out fresh storage, as programs wrap `malloc`: each call of one counts as
//! an allocation of its own, or all storage of a program would look like one object.

use chronos_base::ids::Id;
use chronos_functions as functions;
use chronos_ir::{
    Arg, Base, BlockId, BlockKind, Call, Callee, Const, FuncId, Function, Jump, Op, OpKind, Operand, Place, Program,
    ScalarType, Storage,
};

/// Per function, whether it does nothing with memory but allocate it and return its address.
pub fn allocators(program: &Program) -> Vec<bool> {
    let mut found = vec![false; program.functions.len()];
    loop {
        let before = found.clone();
        for id in program.functions.ids().filter(|id| !before[id.index()]) {
            found[id.index()] = Candidate { program, id, known: &before }.allocates();
        }
        if found == before {
            return found;
        }
    }
}

struct Candidate<'a> {
    program: &'a Program,
    id: FuncId,
    /// Allocators found so far.
    known: &'a [bool],
}

impl Candidate<'_> {
    fn allocates(&self) -> bool {
        let program = self.program;
        let function = &program.functions[self.id];
        if program.types.scalar(function.result) != Some(ScalarType::Pointer) || self.takes_pointers(function) {
            return false;
        }
        let blocks = || (function.blocks.0.0..function.blocks.1.0).map(|id| &program.blocks[BlockId(id)].kind);
        let calls = || blocks().filter_map(|kind| if let BlockKind::Call(call) = kind { Some(call) } else { None });
        let ops = || blocks().filter_map(|kind| if let BlockKind::Straight(s) = kind { Some(&s.ops) } else { None });
        !function.effects.recursive
            && calls().any(|call| self.is_allocation(call))
            && calls().all(|call| self.is_allocation(call) || self.keeps_storage(call))
            && ops().flatten().all(|op| self.is_harmless(function, op))
    }

    fn takes_pointers(&self, function: &Function) -> bool {
        let ty = |id: &chronos_ir::VarId| self.program.types.scalar(self.program.variables[*id].ty);
        function.variadic || function.params.iter().any(|id| ty(id).is_none_or(|ty| ty == ScalarType::Pointer))
    }

    fn is_allocation(&self, call: &Call) -> bool {
        match &call.callee {
            Callee::Library(name) => functions::allocation(name).is_some_and(|made| !made.size.is_empty()),
            Callee::Function(callee) => self.known[callee.index()],
            Callee::Mpi(_) | Callee::Indirect(_) => false,
        }
    }

    /// The call does not get hold of the storage.
    fn keeps_storage(&self, call: &Call) -> bool {
        match &call.callee {
            Callee::Library(name) => functions::effects(name).writes.is_empty(),
            Callee::Mpi(name) => functions::never_returns(name),
            Callee::Function(_) => call.args.iter().all(|arg| match arg {
                Arg::Scalar(operand) => !self.is_pointer(operand) || matches!(operand, Operand::Const(Const::Str(..))),
                Arg::Object(..) => false,
            }),
            Callee::Indirect(_) => false,
        }
    }

    fn is_harmless(&self, function: &Function, op: &Op) -> bool {
        match &op.kind {
            OpKind::Read(place) => {
                self.is_local(place) || op.dst.is_none_or(|dst| function.values[dst] != ScalarType::Pointer)
            }
            OpKind::Write(place, operand) => {
                self.is_local(place) || (matches!(place.base, Base::Variable(_)) && !self.is_pointer(operand))
            }
            OpKind::Address(place) => self.is_local(place),
            OpKind::Copy { .. } | OpKind::Zero { .. } | OpKind::Allocate { .. } | OpKind::Opaque(_) => false,
            OpKind::Jump(Jump::Return(Some(Arg::Scalar(Operand::Const(constant))))) => {
                matches!(constant, Const::Int(..))
            }
            OpKind::Jump(Jump::Return(Some(Arg::Object(..)))) => false,
            _ => true,
        }
    }

    fn is_local(&self, place: &Place) -> bool {
        let Base::Variable(id) = place.base else { return false };
        matches!(self.program.variables[id].storage, Storage::Local | Storage::Parameter(_))
    }

    fn is_pointer(&self, operand: &Operand) -> bool {
        match operand {
            Operand::Value(value) => self.program.functions[self.id].values[*value] == ScalarType::Pointer,
            Operand::Const(Const::Int(_, ty) | Const::Float(_, ty)) => *ty == ScalarType::Pointer,
            Operand::Const(_) => true,
        }
    }
}
