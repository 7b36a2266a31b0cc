//! Calls of MPI by name: the data that they move, the memory that they hand out, the objects that they make. What is no
//! function of MPI moves nothing, and may write through all of its arguments.

use super::lookup;
use super::params::{Extent, Object, Param, Role, Type};
use super::row::{Class, CollectiveOperation, DataFlow, Exchange, Function, Traced, Variant};

/// Positions of arguments that the MPI function `name`, called with `count` arguments, may write through.
pub fn written_arguments(name: &str, count: usize) -> Vec<usize> {
    let function = lookup(name);
    (0..count).filter(|&at| function.is_none_or(|function| function.writes(at))).collect()
}

/// A buffer argument and the argument with its datatype.
pub type Buffer = (usize, usize);

/// Buffers of user data of an MPI call, by position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Buffers {
    /// Buffers from which the call sends data.
    pub sent: Vec<Buffer>,
    /// Buffers into which the call brings data.
    pub received: Vec<Buffer>,
}

/// The buffers of the MPI function `name`; none for calls without user data.
pub fn buffers(name: &str) -> Buffers {
    let Some(function) = lookup(name) else { return Buffers::default() };
    let those = |wanted: fn(&Param) -> bool| {
        let params = function.params.iter().enumerate().filter(|(_, param)| wanted(param));
        params.filter_map(|(at, param)| Some((at, datatype(param.extent)?))).collect()
    };
    Buffers { sent: those(Param::is_read), received: those(Param::is_written) }
}

/// Calls that exchange data with this one.
pub fn exchange(name: &str) -> Exchange {
    lookup(name).map_or(Exchange::Nothing, |function| function.exchange)
}

/// Whether an MPI function reads a clock.
pub fn reads_clock(name: &str) -> bool {
    lookup(name).is_some_and(|function| function.class == Class::Clock)
}

/// Whether an argument of an MPI function says how much user data there is or where it lies.
pub fn is_size(name: &str, argument: usize) -> bool {
    lookup(name).is_some_and(|function| function.is_size(argument))
}

/// The argument through which the call stores a pointer to memory that it makes, or to an attribute.
pub fn hands_out_memory(name: &str) -> Option<usize> {
    lookup(name)?.position(|param| matches!(param.role, Role::HandsOut { .. } | Role::GetsAttribute))
}

/// The argument that names memory which others may read and write from then on.
pub fn exposed_memory(name: &str) -> Option<usize> {
    lookup(name)?.position(|param| matches!(param.role, Role::Exposed | Role::HandsOut { exposed: true }))
}

/// Whether the call brings the memory of windows up to date with what others have written, and does nothing else.
pub fn updates_windows(name: &str) -> bool {
    name == "MPI_Win_sync"
}

fn datatype(extent: Extent) -> Option<usize> {
    if let Extent::Elements { datatype, .. } = extent { Some(datatype) } else { None }
}

impl Function {
    /// Whether an argument says how much user data there is or where it lies: it stands between a buffer and its datatype.
    pub fn is_size(&self, argument: usize) -> bool {
        let is_buffer = |at: usize| self.params.get(at).is_some_and(|param| datatype(param.extent).is_some());
        let covers =
            |at: usize| datatype(self.params[at].extent).is_some_and(|until| at < argument && argument < until);
        !is_buffer(argument) && (0..self.params.len()).any(covers)
    }

    /// Whether the call combines data of the tasks by an operation.
    pub fn reduces(&self) -> bool {
        let combines = self.params.iter().any(|param| param.ty == Type::Handle(Object::Operation));
        combines && matches!(self.exchange, Exchange::Collective(_))
    }

    /// Whether a message, or word of one, may come out of the call.
    pub fn brings_message(&self) -> bool {
        let received = |param: &Param| param.is_written() && datatype(param.extent).is_some();
        let told = self.communicates && self.has(Role::Status) && self.exchange != Exchange::File;
        told || self.exchange == Exchange::Message && self.params.iter().any(received)
    }

    /// Whether the call makes an operation of reductions out of a function of the program.
    pub fn makes_operation(&self) -> bool {
        matches!(self.makes(), Some((Object::Operation, _)))
    }

    /// The object that the call makes, and where it stores its handle.
    pub fn makes(&self) -> Option<(Object, usize)> {
        self.params.iter().enumerate().find_map(|(at, param)| match param.role {
            Role::Makes(object) => Some((object, at)),
            _ => None,
        })
    }

    /// Whether it makes a key of attributes.
    pub fn makes_key(&self) -> bool {
        matches!(self.makes(), Some((Object::Key, _)))
    }

    /// Whether the call only makes a request, which is started later.
    pub fn is_persistent(&self) -> bool {
        matches!(self.variant, Variant::Persistent | Variant::PersistentCollective)
    }

    /// The operation of a collective.
    pub fn collective(&self) -> Option<CollectiveOperation> {
        if let Exchange::Collective(operation) = self.exchange { Some(operation) } else { None }
    }

    /// Whose contributions each member receives; of a call in which all members meet without data: everyone's.
    pub fn flow(&self) -> DataFlow {
        self.collective().map_or(DataFlow::AllToAll, CollectiveOperation::flow)
    }

    /// Whether it takes or makes an object of this kind.
    pub fn names(&self, object: Object) -> bool {
        self.makes().is_some_and(|made| made.0 == object)
            || self.params.iter().any(|param| param.ty == Type::Handle(object))
            || self.frees() == Some(object)
    }

    /// Where the handle of an object stands that the call takes.
    pub fn handle_of(&self, object: Object) -> Option<usize> {
        self.position(|param| param.ty == Type::Handle(object))
    }

    /// Where the call stores the handle of the request that it makes.
    pub fn made_request(&self) -> Option<usize> {
        self.position_of(Role::Makes(Object::Request))
    }

    /// Whether the time of a call is that of an operation of MPI, so that who records a run has to record the call.
    pub fn is_operation(&self) -> bool {
        self.communicates || self.moves || self.takes_call_time || self.traced == Traced::Clock
    }

    /// Whether the call may return because of what other tasks have done.
    pub fn hears_of_others(&self) -> bool {
        self.communicates || self.names(Object::Window)
    }

    /// Whether others may see from now on what the caller has stored before: not by a call that needs no other task, nor
    /// by its own accesses to windows. Stores to windows are visible from the next synchronisation on (MPI 4.0, 12.7).
    pub fn publishes_stores(&self) -> bool {
        let is_local = self.traced == Traced::Local && !self.names(Object::Window);
        !is_local && self.exchange != Exchange::Window
    }

    /// Whether the arrays of a collective have one count for each member (`MPI_Gatherv`): the counts of this argument.
    pub fn has_count_per_task(&self, buffer: usize) -> bool {
        let Some(Extent::Elements { count: Some(count), .. }) = self.params.get(buffer).map(|param| param.extent)
        else {
            return false;
        };
        self.params.get(count).is_some_and(|param| param.extent == Extent::PerTask)
    }

    /// Where the first parameter of this role stands.
    pub fn position_of(&self, role: Role) -> Option<usize> {
        self.position(|param| param.role == role)
    }

    /// Whether a parameter has this role.
    pub fn has(&self, role: Role) -> bool {
        self.position_of(role).is_some()
    }

    /// The object that the call frees.
    pub fn frees(&self) -> Option<Object> {
        self.params.iter().find_map(|param| if let Role::Frees(object) = param.role { Some(object) } else { None })
    }
}
