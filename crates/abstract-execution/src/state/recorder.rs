//! The state before the region, with a record of what was asked: equal answers give equal summaries.

use crate::Environment;
use chronos_ir::{ScalarType, ValueId, VarId};
use chronos_values::{Distance, ObjectId, Origin, Pointer, Quotient, Reading, Value};
use std::cell::RefCell;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Query {
    Variable(VarId),
    Object(VarId),
    Value(ValueId),
    Load(Pointer, ScalarType),
    Origin(ObjectId),
    Cleared(ObjectId),
}

/// An answer that can be compared and hashed bit by bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Answer {
    Int(i64),
    Float(u64),
    Wide(u128),
    Pointer(Pointer),
    Quotient(Quotient),
    Distance(Distance),
    Clock(Reading),
    Other(u8, u32),
    Object(ObjectId),
    Origin(Origin),
}

impl From<Value> for Answer {
    fn from(value: Value) -> Self {
        match value {
            Value::Int(n) => Self::Int(n),
            Value::Float(x) => Self::Float(x.to_bits()),
            Value::Wide(wide) => Self::Wide(wide.bits()),
            Value::Pointer(pointer) => Self::Pointer(pointer),
            Value::Quotient(quotient) => Self::Quotient(quotient),
            Value::Distance(distance) => Self::Distance(distance),
            Value::Function(function) => Self::Other(0, function.0),
            Value::Library(name) => Self::Other(1, name),
            Value::Clock(reading) => Self::Clock(reading),
            Value::Unknown(reason) => Self::Other(3, reason.0),
        }
    }
}

/// Asks a question of the environment.
pub fn ask(environment: &dyn Environment, query: Query) -> Answer {
    match query {
        Query::Variable(variable) => environment.variable(variable).into(),
        Query::Object(variable) => Answer::Object(environment.object(variable)),
        Query::Value(value) => environment.value(value).into(),
        Query::Load(pointer, ty) => environment.load(pointer, ty).into(),
        Query::Origin(object) => Answer::Origin(environment.origin(object)),
        Query::Cleared(object) => Answer::Int(i64::from(environment.is_cleared(object))),
    }
}

/// Passes questions on and keeps them, with their answers, in order.
pub struct Recorder<'a> {
    environment: &'a dyn Environment,
    trail: RefCell<Vec<(Query, Answer)>>,
}

impl<'a> Recorder<'a> {
    pub fn new(environment: &'a dyn Environment) -> Self {
        Self { environment, trail: RefCell::default() }
    }

    pub fn variable(&self, variable: VarId) -> Value {
        self.keep(Query::Variable(variable), self.environment.variable(variable), Answer::from)
    }

    pub fn object(&self, variable: VarId) -> ObjectId {
        self.keep(Query::Object(variable), self.environment.object(variable), Answer::Object)
    }

    pub fn value(&self, value: ValueId) -> Value {
        self.keep(Query::Value(value), self.environment.value(value), Answer::from)
    }

    pub fn load(&self, pointer: Pointer, ty: ScalarType) -> Value {
        self.keep(Query::Load(pointer, ty), self.environment.load(pointer, ty), Answer::from)
    }

    pub fn origin(&self, object: ObjectId) -> Origin {
        self.keep(Query::Origin(object), self.environment.origin(object), Answer::Origin)
    }

    pub fn is_cleared(&self, object: ObjectId) -> bool {
        self.keep(Query::Cleared(object), self.environment.is_cleared(object), |cleared| {
            Answer::Int(i64::from(cleared))
        })
    }

    pub(crate) fn into_trail(self) -> Vec<(Query, Answer)> {
        let mut seen = chronos_base::hash::FxHashSet::default();
        self.trail.into_inner().into_iter().filter(|(query, _)| seen.insert(*query)).collect()
    }

    fn keep<T: Copy>(&self, query: Query, result: T, answer: impl Fn(T) -> Answer) -> T {
        self.trail.borrow_mut().push((query, answer(result)));
        result
    }
}

/// A state of which nothing is known.
pub struct Nothing(pub Value);

impl Environment for Nothing {
    fn variable(&self, _: VarId) -> Value {
        self.0
    }

    fn object(&self, _: VarId) -> ObjectId {
        ObjectId(u32::MAX)
    }

    fn value(&self, _: ValueId) -> Value {
        self.0
    }

    fn load(&self, _: Pointer, _: ScalarType) -> Value {
        self.0
    }

    fn origin(&self, _: ObjectId) -> Origin {
        Origin::Environment
    }

    fn size(&self, _: ObjectId) -> u64 {
        0
    }
}
