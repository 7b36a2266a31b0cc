//! What loop nests walk over, by the name of the memory: objects that two segments use are the same where arguments and
//! allocations lead to the same variable.
//!
//! It must not know the order of segments, nor what lies between them.

use super::allocations::Allocations;
use super::counts::{Counts, trips};
use super::given::{Flow, Given};
use super::graph::Root;
use super::memory::Pointers;
use super::{Source, memory};
use crate::activity::{ContextId, Segment, Segments};
use crate::cost::reuse::Place;
use crate::cost::{Object, Use};
use crate::program::{BlockId, FuncId, Program, Storage, VarId};
use crate::units::Bytes;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Which memory pointers lead to, in a calling context.
#[derive(Clone, Debug, Default)]
pub struct Objects {
    arguments: HashMap<BlockId, Vec<Given>>,
    /// The function and position of each parameter.
    parameters: HashMap<VarId, (FuncId, usize)>,
    /// Variables that are given one thing only.
    given: HashMap<VarId, Given>,
    /// Variables that hold one allocation only.
    allocated: HashMap<VarId, VarId>,
}

/// Assignments from one variable to another that are followed.
const LONGEST_WAY: usize = 16;

impl Objects {
    /// Linear in the size of the program.
    pub fn new(program: &Program, flow: &Flow, allocations: &Allocations) -> Self {
        let position = |(id, variable): (VarId, &crate::program::Variable)| match (variable.storage, variable.function)
        {
            (Storage::Parameter(position), Some(function)) => Some((id, (function, position as usize))),
            _ => None,
        };
        let single = |(&variable, given): (&VarId, &Vec<Given>)| {
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
            Given::Variable(variable) => Some(self.pointed(*variable, context, contexts)),
            Given::Object(variable) => Some(Object::Variable(*variable)),
            _ => None,
        }
    }

    /// What a pointer points to, in a calling context.
    fn pointed(&self, pointer: VarId, context: ContextId, contexts: &Segments) -> Object {
        let (mut variable, mut context) = (pointer, context);
        for _ in 0..LONGEST_WAY {
            match self.from(variable, &mut context, contexts) {
                Some(Given::Variable(next)) => variable = *next,
                Some(Given::Object(object)) => return Object::Variable(*object),
                _ => break,
            }
        }
        self.allocated.get(&variable).map_or(Object::Pointed(variable), |&held| Object::Allocated(held))
    }

    /// What a variable was given: a parameter by the call that leads to the context, which becomes the caller's.
    fn from(&self, variable: VarId, context: &mut ContextId, contexts: &Segments) -> Option<&Given> {
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
    fn behind(&self, root: &Root, pointers: Pointers, context: ContextId, contexts: &Segments) -> Option<Object> {
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

/// What each nest of a segment walks over; nests in the order of contexts, which is that of first execution, and of the text.
pub fn uses(model: &Source, segment: &Segment, contexts: &Segments) -> Vec<Vec<Use>> {
    model.sizes.learn(segment);
    let mut nests = BTreeMap::new();
    let mut rest = if model.profile.optimises { &segment.counts[..] } else { &[] };
    while let Some(&(context, ..)) = rest.first() {
        let (here, later) = rest.split_at(rest.partition_point(|entry| entry.0 == context));
        let scopes = here.iter().filter_map(|(_, counter, _)| model.scope_of[counter.0 as usize]).collect();
        of_context(model, (context, contexts), &Counts::of_context(segment, context), &scopes, &mut nests);
        rest = later;
    }
    nests.into_values().map(|nest| nest.into_values().collect()).collect()
}

/// By nest, the memory that it walks over, each with the place that walks over most of it.
type Nests = BTreeMap<(ContextId, usize), BTreeMap<Object, Use>>;

fn of_context(
    model: &Source,
    (context, contexts): (ContextId, &Segments),
    counts: &Counts,
    scopes: &BTreeSet<u32>,
    nests: &mut Nests,
) {
    model.told.learn(model, context, counts, scopes);
    for index in scopes.iter().map(|&scope| scope as usize) {
        for (root, pointers, place, bytes) in walked(model, index, counts) {
            let Some(object) = model.objects.behind(&root, pointers, context, contexts) else { continue };
            let one = Use { context, place, object, bytes: Bytes(bytes as u64) };
            let nest = nests.entry((context, outermost(model, index))).or_default();
            let most = nest.entry(object).or_insert(one);
            if most.bytes < one.bytes {
                *most = one;
            }
        }
    }
}

fn walked(model: &Source, index: usize, counts: &Counts) -> Vec<(Root, Pointers, Place, f64)> {
    let ran = trips(model, index, counts).is_some_and(|(_, iterations, _)| iterations > 0.0);
    if ran { memory::walks(model, index, counts) } else { Vec::new() }
}

fn outermost(model: &Source, index: usize) -> usize {
    let around = std::iter::successors(Some(index), |&scope| model.scopes[scope].parent);
    around.filter(|&scope| model.scopes[scope].header.is_some()).last().unwrap_or(index)
}
