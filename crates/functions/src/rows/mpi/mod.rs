//! MPI, as runtime/mpi.h declares it. Immediate, persistent and request-based variants are derived from the blocking forms.

mod collectives;
mod communicators;
mod completion;
mod datatypes;
mod environment;
mod files;
mod objects;
mod point_to_point;
mod topologies;
mod windows;

use super::Rows;
use crate::params::{Access, Extent, Object, Param, Role, Type};
use crate::row::{Class, Exchange, Function, Traced};

pub(super) const ROWS: &[Rows] = &[
    ("mpi.h", environment::ROWS),
    ("mpi.h", point_to_point::ROWS),
    ("mpi.h", completion::ROWS),
    ("mpi.h", collectives::ROWS),
    ("mpi.h", datatypes::ROWS),
    ("mpi.h", communicators::ROWS),
    ("mpi.h", topologies::ROWS),
    ("mpi.h", objects::ROWS),
    ("mpi.h", windows::ROWS),
    ("mpi.h", files::ROWS),
];

const COMM: Param = handle(Object::Communicator);
const GROUP: Param = handle(Object::Group);
const TYPE: Param = handle(Object::Datatype);
const OP: Param = handle(Object::Operation);
const REQUEST: Param = handle(Object::Request);
pub(crate) const INFO: Param = handle(Object::Info);
const WIN: Param = handle(Object::Window);
const FILE: Param = handle(Object::File);
const HANDLER: Param = handle(Object::ErrorHandler);
const AINT: Param = Param::value(Type::Mpi("Aint"));
const OFFSET: Param = Param::value(Type::Mpi("Offset"));
const COUNT: Param = Param::value(Type::Mpi("Count"));
const FINT: Param = Param::value(Type::Mpi("Fint"));
const STATUS: Param = crate::params::OUT.role(Role::Status);
/// A number that the call gives, for which there must be a place.
const RESULT: Param = crate::params::OUT.role(Role::Result);
/// One number for each task of the communicator.
const PER_TASK: Param = Param::pointer(Access::Reads, Extent::PerTask);

const fn handle(object: Object) -> Param {
    Param::value(Type::Handle(object))
}

/// The place for the handle of what the call makes.
const fn makes(object: Object) -> Param {
    crate::params::OUT.role(Role::Makes(object))
}

/// The handle of what the call frees.
const fn frees(object: Object) -> Param {
    crate::params::UPDATED.role(Role::Frees(object))
}

/// Data that is sent: so many elements of a datatype, by their positions.
const fn sent(count: usize, datatype: usize) -> Param {
    Param::pointer(Access::Reads, Extent::Elements { count: Some(count), datatype })
}

const fn received(count: usize, datatype: usize) -> Param {
    Param::pointer(Access::Writes, Extent::Elements { count: Some(count), datatype })
}

/// Data that is sent and received in one place.
const fn exchanged(count: usize, datatype: usize) -> Param {
    Param::pointer(Access::Updates, Extent::Elements { count: Some(count), datatype })
}

const fn one_sent(datatype: usize) -> Param {
    Param::pointer(Access::Reads, Extent::Elements { count: None, datatype })
}

const fn one_received(datatype: usize) -> Param {
    Param::pointer(Access::Writes, Extent::Elements { count: None, datatype })
}

/// A function that gives `MPI_SUCCESS` or an error, and of which nothing else is known.
const fn mpi(name: &'static str, params: &'static [Param]) -> Function {
    Function::new(name, Class::Mpi, Type::Int, params).keeps_errno()
}

/// A function that needs no other task: traces have its place.
const fn local(name: &'static str, params: &'static [Param]) -> Function {
    Function { traced: Traced::Local, ..mpi(name, params) }
}

/// The runtime records what the call asks for.
const fn recorded(name: &'static str, params: &'static [Param]) -> Function {
    Function { traced: Traced::Recorded, ..mpi(name, params) }
}

/// All tasks of a communicator meet.
const fn meeting(name: &'static str, params: &'static [Param]) -> Function {
    Function { communicates: true, ..recorded(name, params) }
}

impl Function {
    const fn copying_attributes(self) -> Self {
        Self { copies_attributes: true, ..self }
    }

    const fn anytime(self) -> Self {
        Self { anytime: true, ..self }
    }

    const fn exchanging(self, exchange: Exchange) -> Self {
        Self { exchange, ..self }
    }

    const fn polling(self) -> Self {
        Self { polls: true, ..self }
    }

    const fn taking_call_time(self) -> Self {
        Self { takes_call_time: true, ..self }
    }

    const fn traced(self, traced: Traced) -> Self {
        Self { traced, ..self }
    }
}
