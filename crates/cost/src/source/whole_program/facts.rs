//! What a compiler that sees the whole unit knows of variables: constants and distinct objects.

use crate::source::address::place::Root;
use crate::source::whole_program::assignments::{Assigned, Assignments};
use crate::source::whole_program::data_variables::data_variables;
use chronos_base::hash::{FxHashMap, FxHashSet};
use chronos_ir::{FuncId, Program, Storage, VarId};

/// Variables that are written once, with something known, or only passed such.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    pub constants: FxHashMap<VarId, i64>,
    /// Parameters that always point to one object.
    pub objects: FxHashMap<VarId, VarId>,
    /// Pointers to memory that nothing else points to, but parameters that are passed one: the variable that was given
    /// it.
    pub fresh: FxHashMap<VarId, VarId>,
    /// Pointers to allocated memory that begins at a multiple of so many bytes.
    pub aligned: FxHashMap<VarId, u64>,
    /// Variables that are given what was loaded from an array or through a pointer.
    pub data: FxHashSet<VarId>,
    /// Variables that are written at several places, as counters of loops are.
    pub counters: FxHashSet<VarId>,
}

impl Facts {
    /// Linear in the size of the program, times the depth of passing constants on.
    pub fn new(program: &Program, flow: &Assignments) -> Self {
        let mut given = flow.variables.clone();
        let closed = |v: &VarId| {
            let variable = &program.variables[*v];
            // Only a variable whose every write is seen here can be known.
            let inside = match (variable.storage, variable.function) {
                (Storage::Local, _) => true,
                (Storage::Parameter(_), Some(function)) => is_private(program, function),
                _ => false,
            };
            inside && !variable.address_taken
        };
        given.retain(|v, _| closed(v));
        let is_counter = |variable: &VarId, all: &[Assigned]| all.len() > 1 && !is_parameter(program, *variable);
        let counters = flow.variables.iter().filter(|(variable, all)| is_counter(variable, all)).map(|(own, _)| *own);
        let mut facts = Self { data: data_variables(program), counters: counters.collect(), ..Self::default() };
        while facts.learn(&given) {}
        facts
    }

    fn learn(&mut self, given: &FxHashMap<VarId, Vec<Assigned>>) -> bool {
        let before = self.constants.len() + self.objects.len() + self.fresh.len();
        for (variable, all) in given {
            let resolved: Vec<Assigned> = all.iter().map(|one| self.resolve(one)).collect();
            // One value from all sources: interprocedural constant propagation.
            let Some(first) = resolved.first().filter(|first| resolved.iter().all(|one| one == *first)) else {
                continue;
            };
            match first {
                Assigned::Constant(n) => drop(self.constants.insert(*variable, *n)),
                Assigned::Object(object) => drop(self.objects.insert(*variable, *object)),
                Assigned::Fresh { .. } if resolved.len() == 1 => {
                    let source = all.iter().find_map(|one| match one {
                        Assigned::Variable(from) => self.fresh.get(from).copied(),
                        _ => None,
                    });
                    self.fresh.insert(*variable, source.unwrap_or(*variable));
                }
                _ => {}
            }
        }
        self.constants.len() + self.objects.len() + self.fresh.len() > before
    }

    fn resolve(&self, given: &Assigned) -> Assigned {
        let Assigned::Variable(v) = given else {
            return if matches!(given, Assigned::Returned(_)) { Assigned::Other } else { given.clone() };
        };
        match (self.constants.get(v), self.objects.get(v)) {
            (Some(n), _) => Assigned::Constant(*n),
            (_, Some(object)) => Assigned::Object(*object),
            _ if self.fresh.contains_key(v) => Assigned::Fresh { alignment: 0, call: None },
            _ => Assigned::Other,
        }
    }

    /// Whether two roots can never reach the same memory.
    pub fn apart(&self, program: &Program, a: &Root, b: &Root) -> bool {
        match (a, b) {
            (Root::Object(a), Root::Object(b)) => a != b,
            (Root::Object(object), other) | (other, Root::Object(object)) => {
                // restrict, and objects whose address never escapes, are apart from all else.
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
fn is_private(program: &Program, function: FuncId) -> bool {
    let function = &program.functions[function];
    function.is_static && !function.effects.address_taken
}
