//! Answers by name. Of a function that has no row, anything may be true: it gets the answer that is safe.

use super::abstract_model::AbstractModel;
use super::lookup;
use super::params::Role;
use super::row::{Allocation, Class, Ending, Function, GeneratorUse, Knowable, Purity, Returns, Sleep};

/// Positions of the arguments that a call writes through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Writes {
    function: Option<&'static Function>,
}

impl PartialEq for Function {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Function {}

impl Writes {
    /// Whether the call writes through this argument.
    pub fn contains(self, argument: usize) -> bool {
        self.function.is_none_or(|function| function.writes(argument))
    }

    /// Whether it writes through none.
    pub fn is_empty(self) -> bool {
        let Some(function) = self.function else { return false };
        !function.params.iter().chain(&function.more).any(|param| param.is_written())
    }
}

/// What a call of a library function does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effects {
    /// Which arguments the call writes through.
    pub writes: Writes,
    /// What a returned pointer points to.
    pub returns: Returns,
    /// Whether what comes out of the call may be known.
    pub knowable: Knowable,
}

/// The effects of the function `name`.
pub fn effects(name: &str) -> Effects {
    let function = lookup(name);
    Effects {
        writes: Writes { function },
        returns: function.map_or(Returns::Fresh, |function| function.returns),
        knowable: function.map_or(Knowable::Never, |function| function.knowable),
    }
}

/// Names whose measured cost a call of `name` has, the nearest first: its own, that of its row (`memcpy` for
/// `__builtin_memcpy`), and those of the functions that it takes the way of (`priced_as`).
pub fn priced_like(name: &str) -> impl Iterator<Item = &str> {
    let row = lookup(name);
    let of_kin = std::iter::successors(row, |row| super::exact(row.priced_as?));
    std::iter::once(name).chain(of_kin.map(|row| row.name).filter(move |other| *other != name))
}

/// Whether the function may set `errno`.
pub fn may_set_errno(name: &str) -> bool {
    lookup(name).is_none_or(|function| function.sets_errno)
}

/// Whether a library function of this name does not come back.
pub fn never_returns(name: &str) -> bool {
    lookup(name).is_some_and(Function::never_returns)
}

/// Whether a call of it may return more than once.
pub fn returns_again(name: &str) -> bool {
    lookup(name).is_some_and(|function| function.ending == Ending::ReturnsAgain)
}

/// Whether the function computes a number of its arguments and does nothing else, `errno` apart.
pub fn is_mathematical(name: &str) -> bool {
    lookup(name).is_some_and(|function| function.purity == Purity::Arguments)
}

/// What abstract execution computes in the place of a call.
pub fn abstract_model(name: &str) -> Option<AbstractModel> {
    lookup(name)?.abstract_model
}

/// The storage that a call of the function makes.
pub fn allocation(name: &str) -> Option<Allocation> {
    lookup(name)?.allocation
}

/// Whether the arguments give the size of fresh storage.
pub fn allocates(name: &str) -> bool {
    allocation(name).is_some()
}

/// How long a call waits for time to pass, where it does.
pub fn sleeps(name: &str) -> Option<Sleep> {
    lookup(name)?.sleeps
}

/// Arguments whose product is the number of bytes that a call handles: moves, compares, clears or allocates. Of a call that waits,
/// of what it waits for.
pub fn bytes_handled(name: &str) -> &'static [usize] {
    let Some(function) = lookup(name) else { return &[] };
    match function.allocation {
        Some(Allocation { size, .. }) => size,
        _ if matches!(function.sleeps, Some(Sleep::Times(_))) => &[0],
        _ => function.bytes_handled(),
    }
}

/// The name of the row that the function belongs to: `sqrt` of `sqrtf`, `MPI_Send` of `MPI_Isend`. Its own name where there is
/// none.
pub fn base(name: &str) -> &str {
    lookup(name).map_or(name, |function| function.base)
}

impl Function {
    /// Whether it draws from a generator of random numbers whose state the caller keeps (`rand_r`, `erand48`).
    pub fn draws_from_state_of_caller(&self) -> bool {
        let holds_state = matches!(self.generator, Some(GeneratorUse::Seeds(_) | GeneratorUse::Draws(_)));
        self.class == Class::Random && !self.params.is_empty() && !holds_state
    }

    /// Functions that the call calls before it returns: where they are passed, and with how many arguments each.
    pub fn callbacks(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.params.iter().enumerate().filter_map(|(at, param)| match param.role {
            Role::Callback(arguments) => Some((at, arguments)),
            _ => None,
        })
    }
}
