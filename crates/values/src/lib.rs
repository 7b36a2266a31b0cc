//! Values of the evaluation and their arithmetic: known, or unknown with a reason.
//!
//! # Purpose
//!
//! `Value` is what a C expression evaluates to. The interpreter, the models of MPI calls and abstract execution share
//! it. The crate knows neither memory nor control flow: a pointer is the id of an object and an offset in bytes.
//!
//! # How it works
//!
//! - Integers, truth values and null pointers are `Value::Int`, extended to 64 bits from their type. Numbers of `long
//!   double`, quad precision and 128-bit integers that fit neither 64 bits nor `double` are `Value::Wide`
//!   (`chronos_ir::wide`).
//! - Pointers hold no machine address. Programs that align storage divide addresses (`Quotient`). The difference of
//!   addresses in two objects is a `Distance`, so that MPI datatypes may describe parts of several objects.
//! - A reading of a clock (`Value::Clock`) is resolved when the replay knows the time; adding known numbers keeps it.
//! - `arith` computes with the semantics of C: wraparound by type, conversions, comparisons. A result that is not
//!   defined is a `Fault`.
//! - `Reasons` interns why values are unknown. A reason names its kind, its place, and the reason from which it came,
//!   so that a message can tell the chain of causes.
//! - `Origin` names storage for static analyses: a variable, an allocation site, a string literal or the environment.
//!
//! # Invariants
//!
//! - Every unknown value has a reason. An operation on an unknown operand gives that operand, with its reason.
//! - Every number has one form only, so equal forms are equal numbers.
//! - A value takes 16 bytes; `Pointer` is packed to 12 bytes for this.
//!
//! # Limits
//!
//! - Signed integers wrap around on overflow, which C leaves undefined.
//! - The order of addresses in different objects is not known. Objects are taken to begin at multiples of 16, above
//!   all integers with which programs compare addresses.
//! - Complex arithmetic is not represented.
//!
//! # Literature
//!
//! - ISO/IEC 9899:2011 (C11), sections 6.3.1 (conversions) and 6.5 (expressions).

#![forbid(unsafe_code)]

pub mod arith;
pub mod array;
mod clock;
pub mod common_pages;
mod fill;
mod known_scalars;
pub mod storage;

pub use clock::Reading;

use chronos_base::ids::Table;
use chronos_base::span::Span;
use chronos_ir::wide::{Number, Wide};
use chronos_ir::{BlockId, FuncId, StrId, VarId};
use std::sync::Arc;

chronos_base::define_ids! {
    /// An object in a task's memory: a variable that has an address, an allocation, a string.
    ObjectId = "obj";
    /// Why a value is unknown.
    ReasonId = "why";
}

impl ObjectId {
    /// Bits that say the how-manieth object of its slot it is.
    const GENERATION_BITS: u32 = 6;
    const SLOT_BITS: u32 = u32::BITS - Self::GENERATION_BITS;
    /// The last generation of a slot.
    pub const LAST_GENERATION: u32 = (1 << Self::GENERATION_BITS) - 1;

    /// An object in a slot of the task's memory, which others were in before it.
    #[must_use]
    pub const fn in_slot(slot: u32, generation: u32) -> Self {
        Self(generation << Self::SLOT_BITS | slot)
    }

    /// Where the task's memory keeps the object.
    #[inline]
    #[must_use]
    pub const fn slot(self) -> usize {
        (self.0 & ((1 << Self::SLOT_BITS) - 1)) as usize
    }

    /// How many objects were in its slot before it.
    #[inline]
    #[must_use]
    pub const fn generation(self) -> u32 {
        self.0 >> Self::SLOT_BITS
    }

    /// A number of the object that is small where slots are few, as addresses that travel as numbers want it.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0.rotate_left(Self::GENERATION_BITS)
    }

    /// The object of a `number`.
    #[must_use]
    pub const fn of_number(number: u32) -> Self {
        Self(number.rotate_right(Self::GENERATION_BITS))
    }
}

/// What a C expression evaluates to.
///
/// Its layout is fixed, because code that crate `chronos_native` makes reads and writes it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(u8)]
pub enum Value {
    /// Integers, truth values, null pointers and pointers made from integers; extended to 64 bits from its type.
    Int(i64),
    /// Numbers of the types `float` and `double`, widened to 64 bits.
    Float(f64),
    /// A number of a wide type that is none of these.
    Wide(Wide),
    /// An address within an object of the task.
    Pointer(Pointer),
    /// An address divided, as programs do to align it.
    Quotient(Quotient),
    /// The difference of addresses in different objects, as datatypes take it that hold parts of several.
    Distance(Distance),
    /// The address of a function of the program.
    Function(FuncId),
    /// A library function used as a value, by index into the evaluator's table of names.
    Library(u32),
    /// A reading of a clock. Adding known numbers keeps it.
    Clock(Reading),
    /// Not known, for this reason.
    Unknown(ReasonId),
}

impl Value {
    /// Copies the value part by part. A processor cannot forward what was stored in parts to a load that overlaps two
    /// of them (store-to-load forwarding), and copies of the padding of an enum are such loads.
    #[inline(always)]
    #[must_use]
    pub fn by_parts(&self) -> Self {
        match self {
            Self::Int(n) => Self::Int(*n),
            Self::Float(x) => Self::Float(*x),
            other => *other,
        }
    }
}

/// An address: an object and a byte offset into it (which may lie outside).
///
/// Packed to twelve bytes, so that a value takes sixteen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(C, packed(4))]
pub struct Pointer {
    /// The object into which the address points.
    pub object: ObjectId,
    /// Bytes from the begin of the object; it may lie outside of it.
    pub offset: i64,
}

/// The address of an object divided by a power of two that the address is a multiple of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Quotient {
    /// The object whose address was divided.
    pub object: ObjectId,
    /// The offset within the object, divided by `divisor` and rounded down.
    pub quotient: i32,
    /// The power of two by which the address was divided.
    pub divisor: u32,
}

/// How far one object lies from another, which is known only in terms of both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Distance {
    /// The object at the end of the distance.
    pub to: ObjectId,
    /// The object at the begin of the distance.
    pub from: ObjectId,
    /// Added to the distance of their begins.
    pub bytes: i32,
}

impl Distance {
    /// From `from` to `to`; `None` where they are not in two objects, or lie far inside them.
    pub fn between(to: Pointer, from: Pointer) -> Option<Self> {
        let bytes = i32::try_from(to.offset.checked_sub(from.offset)?).ok()?;
        (to.object != from.object).then_some(Self { to: to.object, from: from.object, bytes })
    }

    /// Where it leads from an address; `None` from one in an object of which it does not speak.
    pub fn added_to(self, start: Pointer) -> Option<Pointer> {
        let offset = start.offset.wrapping_add(i64::from(self.bytes));
        (start.object == self.from).then_some(Pointer { object: self.to, offset })
    }
}

impl Value {
    /// The null pointer, which is also the integer 0 and the truth value false.
    pub const NULL: Self = Self::Int(0);

    /// The integer, where the value is one.
    pub fn as_int(self) -> Option<i64> {
        match self {
            Self::Int(n) => Some(n),
            _ => None,
        }
    }

    /// The pointer, where the value is one.
    pub fn as_pointer(self) -> Option<Pointer> {
        match self {
            Self::Pointer(pointer) => Some(pointer),
            _ => None,
        }
    }

    /// The number, where it is one.
    pub fn number(self) -> Option<Number> {
        match self {
            Self::Int(n) => Some(Number::Int(n)),
            Self::Float(x) => Some(Number::Float(x)),
            Self::Wide(wide) => Some(Number::Bits(wide.bits())),
            _ => None,
        }
    }

    /// A number as a value; `None` where there is no room for any more of the widest.
    pub fn of_number(number: Number) -> Option<Self> {
        Some(match number {
            Number::Int(n) => Self::Int(n),
            Number::Float(x) => Self::Float(x),
            Number::Bits(bits) => Self::Wide(Wide::new(bits)?),
        })
    }

    /// Whether the value is unknown.
    pub fn is_unknown(self) -> bool {
        matches!(self, Self::Unknown(_))
    }

    /// Why it is unknown, where it is.
    pub fn reason(self) -> Option<ReasonId> {
        match self {
            Self::Unknown(reason) => Some(reason),
            _ => None,
        }
    }

    /// Truth of a C condition; `Err` with the reason where it cannot be known.
    pub fn truth(self) -> Result<bool, Option<ReasonId>> {
        match self {
            Self::Int(n) => Ok(n != 0),
            Self::Float(x) => Ok(x != 0.0),
            // The wide zero has a shorter form.
            Self::Wide(_)
            | Self::Pointer(_)
            | Self::Quotient(_)
            | Self::Distance(_)
            | Self::Function(_)
            | Self::Library(_) => Ok(true),
            Self::Clock(_) => Err(None),
            Self::Unknown(reason) => Err(Some(reason)),
        }
    }
}

/// Why a value is unknown, and from which other unknown it came.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Reason {
    /// What made the value unknown.
    pub kind: ReasonKind,
    /// Where the value became unknown.
    pub span: Option<Span>,
    /// The reason of the other unknown value from which this one was computed.
    pub origin: Option<ReasonId>,
}

/// The kinds of reasons why a value is unknown.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ReasonKind {
    /// The program reads a random number, the time, ...; what is read.
    Nondeterministic(Arc<str>),
    /// A library function that is not known to the evaluator.
    UnknownFunction(Arc<str>),
    /// Input that was not given (`--stdin`, `--input-file`).
    Input(Arc<str>),
    /// Whether a file exists that was not given, with its name.
    Existence(Arc<str>),
    /// Read before it was written.
    Uninitialised,
    /// Computed in a loop or branch that was counted, not executed.
    NotEvaluated,
    /// Depends on a branch whose outcome is unknown.
    UnknownBranch,
    /// Received in a message whose content is unknown.
    Received,
    /// The budget for data-dependent evaluation was used up.
    Budget,
    /// Arithmetic that has no defined result (division by zero, out of range), with its name.
    Undefined(Arc<str>),
    /// Something of C that the evaluator does not follow (inline assembly, longjmp), with its name.
    Unsupported(Arc<str>),
}

impl ReasonKind {
    /// The time, as the reason of what a clock decides.
    pub fn time() -> Self {
        Self::Nondeterministic(TIME.into())
    }

    /// Whether a clock decides, which the simulated one could tell.
    pub fn is_time(&self) -> bool {
        match self {
            Self::Nondeterministic(what) => **what == *TIME || chronos_functions::reads_clock(what),
            Self::Undefined(what) => **what == *clock::ARITHMETIC,
            _ => false,
        }
    }
}

const TIME: &str = "the time";

/// All reasons, interned.
#[derive(Clone, Debug, Default)]
pub struct Reasons {
    reasons: Table<ReasonId, Reason>,
    ids: chronos_base::hash::FxHashMap<Reason, ReasonId>,
}

impl Reasons {
    /// The id of a reason; equal reasons have one id.
    pub fn intern(&mut self, reason: Reason) -> ReasonId {
        if let Some(&id) = self.ids.get(&reason) {
            return id;
        }
        let id = self.reasons.push(reason.clone());
        self.ids.insert(reason, id);
        id
    }

    /// The reason with this id, which must come from this table.
    pub fn get(&self, id: ReasonId) -> &Reason {
        &self.reasons[id]
    }

    /// What a reason came from in the first place.
    pub fn root(&self, mut id: ReasonId) -> ReasonId {
        while let Some(origin) = self.get(id).origin {
            id = origin;
        }
        id
    }

    /// The reason and what it came from, nearest first.
    pub fn chain(&self, id: ReasonId) -> impl Iterator<Item = &Reason> {
        std::iter::successors(Some(self.get(id)), |reason| reason.origin.map(|origin| self.get(origin)))
    }
}

/// Where an object comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Origin {
    /// A variable whose address matters.
    Variable(VarId),
    /// Allocated by the library call of this block (malloc, calloc, strdup, fopen, ...).
    Allocation(BlockId),
    /// A string literal.
    String(StrId),
    /// Of the environment: argv, its strings, optarg, ...
    Environment,
}
