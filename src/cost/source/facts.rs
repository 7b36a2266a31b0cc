//! What a compiler that sees the whole unit knows of variables: constants and distinct objects.

use super::graph::Root;
use crate::program::{
    Arg, Base, BlockKind, Callee, Const, FuncId, OpKind, Operand, Program, ScalarType, Storage, ValueId, VarId,
};
use std::collections::{HashMap, HashSet};

/// Variables that are written once, with something known, or only passed such.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    pub constants: HashMap<VarId, i64>,
    /// Parameters that always point to one object.
    pub objects: HashMap<VarId, VarId>,
    /// Pointers to memory that nothing else points to, but parameters that are passed one: the variable that was given it.
    pub fresh: HashMap<VarId, VarId>,
    /// Variables that are given what was loaded from an array or through a pointer.
    pub data: HashSet<VarId>,
}

/// What a variable is given.
#[derive(Clone, Debug, PartialEq)]
enum Given {
    Constant(i64),
    Object(VarId),
    Variable(VarId),
    Fresh,
    Other,
}

const ALLOCATORS: [&str; 3] = ["malloc", "calloc", "aligned_alloc"];

impl Facts {
    /// Linear in the size of the program, times the depth of passing constants on.
    pub fn new(program: &Program) -> Self {
        let mut given: HashMap<VarId, Vec<Given>> = HashMap::new();
        for (_, function) in program.functions.iter() {
            let mut values = HashMap::new();
            for block in function.blocks.0.0..function.blocks.1.0 {
                writes(program, crate::program::BlockId(block), &mut values, &mut given);
            }
        }
        let closed = |v: &VarId| {
            let variable = &program.variables[*v];
            let inside = match (variable.storage, variable.function) {
                (Storage::Local, _) => true,
                (Storage::Parameter(_), Some(function)) => private(program, function),
                _ => false,
            };
            inside && !variable.address_taken
        };
        given.retain(|v, _| closed(v));
        let mut facts = Self { data: super::surprise::from_data(program), ..Self::default() };
        while facts.learn(&given) {}
        facts
    }

    fn learn(&mut self, given: &HashMap<VarId, Vec<Given>>) -> bool {
        let before = self.constants.len() + self.objects.len() + self.fresh.len();
        for (variable, all) in given {
            let resolved: Vec<Given> = all.iter().map(|one| self.resolve(one)).collect();
            let Some(first) = resolved.first().filter(|first| resolved.iter().all(|one| one == *first)) else {
                continue;
            };
            match first {
                Given::Constant(n) => drop(self.constants.insert(*variable, *n)),
                Given::Object(object) => drop(self.objects.insert(*variable, *object)),
                Given::Fresh if resolved.len() == 1 => {
                    let source = all.iter().find_map(|one| match one {
                        Given::Variable(from) => self.fresh.get(from).copied(),
                        _ => None,
                    });
                    self.fresh.insert(*variable, source.unwrap_or(*variable));
                }
                _ => {}
            }
        }
        self.constants.len() + self.objects.len() + self.fresh.len() > before
    }

    fn resolve(&self, given: &Given) -> Given {
        let Given::Variable(v) = given else { return given.clone() };
        match (self.constants.get(v), self.objects.get(v)) {
            (Some(n), _) => Given::Constant(*n),
            (_, Some(object)) => Given::Object(*object),
            _ if self.fresh.contains_key(v) => Given::Fresh,
            _ => Given::Other,
        }
    }

    /// Whether two roots can never reach the same memory.
    pub fn apart(&self, program: &Program, a: &Root, b: &Root) -> bool {
        match (a, b) {
            (Root::Object(a), Root::Object(b)) => a != b,
            (Root::Object(object), other) | (other, Root::Object(object)) => {
                let restricted = matches!(other, Root::Pointer(v) if program.restricted.contains(v));
                restricted || self.is_fresh(other) || matches!(program.variables[*object].storage, Storage::Local)
            }
            // Other parameters are not made from it; other variables may be.
            (Root::Pointer(a), Root::Pointer(b))
                if a != b && is_parameter(program, *a) && is_parameter(program, *b) =>
            {
                let restricted = program.restricted.contains(a) || program.restricted.contains(b);
                restricted || self.fresh.contains_key(a) || self.fresh.contains_key(b)
            }
            (a, b) => a != b && (self.is_fresh(a) || self.is_fresh(b)),
        }
    }

    fn is_fresh(&self, root: &Root) -> bool {
        matches!(root, Root::Pointer(v) if self.fresh.contains_key(v))
    }
}

fn is_parameter(program: &Program, variable: VarId) -> bool {
    matches!(program.variables[variable].storage, Storage::Parameter(_))
}

/// Only direct calls of the program reach it.
fn private(program: &Program, function: FuncId) -> bool {
    let function = &program.functions[function];
    function.is_static && !function.effects.address_taken
}

fn writes(
    program: &Program,
    block: crate::program::BlockId,
    values: &mut HashMap<ValueId, Given>,
    given: &mut HashMap<VarId, Vec<Given>>,
) {
    match &program.blocks[block].kind {
        BlockKind::Straight(straight) => {
            for op in &straight.ops {
                let made = match &op.kind {
                    OpKind::Write(place, operand) => {
                        if let (Base::Variable(v), true) = (&place.base, place.steps.is_empty()) {
                            given.entry(*v).or_default().push(of(operand, values));
                        }
                        continue;
                    }
                    OpKind::Read(place) => match place.base {
                        Base::Variable(v) if place.steps.is_empty() => Given::Variable(v),
                        _ => Given::Other,
                    },
                    OpKind::Address(place) => match place.base {
                        Base::Variable(v) if constant_steps(place) => Given::Object(v),
                        _ => Given::Other,
                    },
                    OpKind::Convert(ScalarType::Pointer | ScalarType::I32 | ScalarType::I64, operand)
                    | OpKind::Move(operand) => of(operand, values),
                    OpKind::Call(leaf) => match program.call(*leaf).map(|call| &call.callee) {
                        Some(Callee::Library(name)) if ALLOCATORS.contains(&&**name) => Given::Fresh,
                        _ => Given::Other,
                    },
                    _ => Given::Other,
                };
                if let Some(dst) = op.dst {
                    values.insert(dst, made);
                }
            }
        }
        BlockKind::Call(call) => {
            let Callee::Function(callee) = call.callee else { return };
            for (parameter, arg) in program.functions[callee].params.iter().zip(&call.args) {
                let one = if let Arg::Scalar(operand) = arg { of(operand, values) } else { Given::Other };
                given.entry(*parameter).or_default().push(one);
            }
        }
        BlockKind::Loop(_) | BlockKind::Branch(_) => {}
    }
}

fn constant_steps(place: &crate::program::Place) -> bool {
    place.steps.iter().all(|step| match step {
        crate::program::Step::Field { .. } => true,
        crate::program::Step::Index { index, .. } => matches!(index, Operand::Const(_)),
    })
}

fn of(operand: &Operand, values: &HashMap<ValueId, Given>) -> Given {
    match operand {
        Operand::Value(value) => values.get(value).cloned().unwrap_or(Given::Other),
        Operand::Const(Const::Int(n, _)) => Given::Constant(*n),
        Operand::Const(Const::Address(v, 0)) => Given::Object(*v),
        Operand::Const(_) => Given::Other,
    }
}
