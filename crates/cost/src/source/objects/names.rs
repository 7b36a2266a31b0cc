//! Names of memory: which object a pointer leads to, in a calling context.

use crate::Object;
use crate::source::address::place::Root;
use crate::source::whole_program::allocations::Allocations;
use crate::source::whole_program::assignments::{Assigned, Assignments};
use chronos_activity::{ContextId, Segments};
use chronos_base::hash::FxHashMap;
use chronos_ir::{BlockId, FuncId, Program, Storage, VarId};
use std::collections::BTreeSet;

/// Which memory pointers lead to, in a calling context.
#[derive(Clone, Debug, Default)]
pub struct Objects {
    arguments: FxHashMap<BlockId, Vec<Assigned>>,
    /// The function and position of each parameter.
    parameters: FxHashMap<VarId, (FuncId, usize)>,
    /// Variables that are given one thing only.
    given: FxHashMap<VarId, Assigned>,
    /// Variables that hold one allocation only.
    allocated: FxHashMap<VarId, VarId>,
}

/// Assignments from one variable to another that are followed.
const LONGEST_WAY: usize = 16;

impl Objects {
    /// Linear in the size of the program.
    pub fn new(program: &Program, flow: &Assignments, allocations: &Allocations) -> Self {
        let position = |(id, variable): (VarId, &chronos_ir::Variable)| match (variable.storage, variable.function) {
            (Storage::Parameter(position), Some(function)) => Some((id, (function, position as usize))),
            _ => None,
        };
        let single = |(&variable, given): (&VarId, &Vec<Assigned>)| {
            let first = given.first().filter(|first| given.iter().all(|other| other == *first))?;
            Some((variable, first.clone()))
        };
        let one = |(&pointer, held): (&VarId, &BTreeSet<VarId>)| {
            Some((pointer, held.first().copied().filter(|_| held.len() == 1)?))
        };
        Self {
            arguments: flow.arguments.clone(),
            parameters: program.variables.iter().filter_map(position).collect(),
            given: flow.variables.iter().filter_map(single).collect(),
            allocated: allocations.holds.iter().filter_map(one).collect(),
        }
    }

    /// What an argument of a call points to.
    pub fn argument(&self, context: ContextId, call: BlockId, position: usize, contexts: &Segments) -> Option<Object> {
        match self.arguments.get(&call)?.get(position)? {
            Assigned::Variable(variable) => Some(self.pointed(*variable, context, contexts)),
            Assigned::Object(variable) => Some(Object::Variable(*variable)),
            _ => None,
        }
    }

    /// What a pointer points to, in a calling context.
    fn pointed(&self, pointer: VarId, context: ContextId, contexts: &Segments) -> Object {
        let (mut variable, mut context) = (pointer, context);
        for _ in 0..LONGEST_WAY {
            match self.from(variable, &mut context, contexts) {
                Some(Assigned::Variable(next)) => variable = *next,
                Some(Assigned::Object(object)) => return Object::Variable(*object),
                _ => break,
            }
        }
        self.allocated.get(&variable).map_or(Object::Pointed(variable), |&held| Object::Allocated(held))
    }

    /// What a variable was given: a parameter by the call that leads to the context, which becomes the caller's.
    fn from(&self, variable: VarId, context: &mut ContextId, contexts: &Segments) -> Option<&Assigned> {
        let here = contexts.context(*context);
        match (self.parameters.get(&variable), here.parent, here.call) {
            (Some(&(function, position)), Some(parent), Some(call)) if function == here.function => {
                *context = parent;
                self.arguments.get(&call)?.get(position)
            }
            (Some(_), ..) => None,
            _ => self.given.get(&variable),
        }
    }

    /// What lies behind a root, with pointers loaded on the way.
    pub fn behind(
        &self,
        root: &Root,
        pointers: PointerPath,
        context: ContextId,
        contexts: &Segments,
    ) -> Option<Object> {
        let object = match root {
            Root::Object(variable) => Object::Variable(*variable),
            Root::Pointer(pointer) => self.pointed(*pointer, context, contexts),
            Root::Value(_) => return None,
        };
        match (pointers.number, object) {
            (0, object) => Some(object),
            (1, Object::Variable(variable) | Object::Allocated(variable) | Object::Pointed(variable)) => {
                Some(pointers.field.map_or(Object::Rows(variable), |bytes| Object::Field(variable, bytes)))
            }
            _ => None,
        }
    }
}

/// Pointers that are loaded on the way from the root of an address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct PointerPath {
    pub number: usize,
    /// Where the first of them lies, in bytes from the root, where that is one place during the whole nest: a field of
    /// a structure.
    pub field: Option<i64>,
}
