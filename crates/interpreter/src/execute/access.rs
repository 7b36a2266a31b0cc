//! Reads and writes of memory through places.

use crate::code::instructions::{CallArg, CallCode, CompiledPlace, PlaceBase, Src, StepStride};
use crate::codes;
use crate::compile::tables::is_variable_length;
use crate::execute::machine::{Flow, Machine, Stop};
use crate::execute::mpi_environment::addressable;
use crate::state::memory::Wrong;
use crate::state::unwritten;
use chronos_base::ids::Id;
use chronos_ir::{ScalarType, ValueId, VarId};
use chronos_mpi_calls::{AccessKind, MemoryAccess};
use chronos_values::storage::Fill;
use chronos_values::{ObjectId, Origin, Pointer, ReasonId, ReasonKind, Value, arith};

/// What an address computation gives.
#[derive(Clone, Copy, Debug)]
pub enum AccessTarget {
    Known(Pointer),
    /// Somewhere in an object.
    Within(ObjectId, ReasonId),
    Unknown(ReasonId),
    /// A null pointer, or an integer made into one.
    Null(i64),
    Function(Value),
}

impl Machine<'_> {
    pub fn target(&mut self, place: &CompiledPlace, base: u32) -> AccessTarget {
        let start = match place.base {
            PlaceBase::Object(object) => Value::Pointer(Pointer { object, offset: 0 }),
            PlaceBase::Src(src) => self.get(src, base),
        };
        let mut offset = place.offset;
        let mut vague = None;
        for step in &place.steps {
            let stride = match step.stride {
                StepStride::Bytes(bytes) => Value::Int(bytes),
                StepStride::Src(src) => self.get(src, base),
            };
            match (self.get(step.index, base), stride) {
                (Value::Int(n), Value::Int(stride)) => offset = offset.wrapping_add(n.wrapping_mul(stride)),
                (Value::Unknown(reason), _) | (_, Value::Unknown(reason)) => vague = vague.or(Some(reason)),
                _ => vague = vague.or_else(|| self.vague_index()),
            }
        }
        match (start, vague) {
            (Value::Pointer(p), None) => {
                AccessTarget::Known(Pointer { object: p.object, offset: p.offset.wrapping_add(offset) })
            }
            (Value::Pointer(p), Some(reason)) => AccessTarget::Within(p.object, reason),
            (Value::Unknown(reason), _) => AccessTarget::Unknown(reason),
            (Value::Int(n), None) => AccessTarget::Null(n.wrapping_add(offset)),
            (Value::Function(_) | Value::Library(_), _) => AccessTarget::Function(start),
            (_, Some(reason)) => AccessTarget::Unknown(reason),
            _ => match self.unknown(ReasonKind::Undefined("an address".into())) {
                Value::Unknown(reason) => AccessTarget::Unknown(reason),
                _ => AccessTarget::Null(0),
            },
        }
    }

    fn vague_index(&mut self) -> Option<ReasonId> {
        match self.unknown(ReasonKind::Undefined("an index".into())) {
            Value::Unknown(reason) => Some(reason),
            _ => None,
        }
    }

    pub fn address_value(&mut self, place: &CompiledPlace, base: u32) -> Value {
        match self.target(place, base) {
            AccessTarget::Known(pointer) => Value::Pointer(pointer),
            AccessTarget::Within(_, reason) | AccessTarget::Unknown(reason) => Value::Unknown(reason),
            AccessTarget::Null(n) => Value::Int(n),
            AccessTarget::Function(value) => value,
        }
    }

    pub fn wrong(&self, wrong: Wrong, pointer: Pointer, name: &str) -> Stop {
        let help = "check the index, the size of the object and the program's arguments";
        self.error(&codes::OUT_OF_BOUNDS, self.wrong_access(wrong, pointer, name), help)
    }

    /// What is wrong, in words.
    pub(crate) fn wrong_access(&self, wrong: Wrong, pointer: Pointer, name: &str) -> String {
        let origin = self.task.memory.object(pointer.object).origin;
        let what = match origin {
            _ if name == "memory" && wrong == Wrong::Freed => "memory".to_owned(),
            _ if wrong == Wrong::Freed => format!("`{name}`"),
            Origin::Variable(id) => format!("`{}`", self.code.program.variables[id].name),
            _ if name != "memory" => format!("`{name}`"),
            Origin::Allocation(_) => "an allocation".to_owned(),
            Origin::String(_) => "a string literal".to_owned(),
            Origin::Environment => "the program's arguments".to_owned(),
        };
        match wrong {
            Wrong::OutOfBounds { offset, size } => {
                format!("access at byte {offset} of {what}, which has {size} bytes")
            }
            Wrong::Freed => format!("access to {what} after the end of its life"),
        }
    }

    pub fn null(&self) -> Stop {
        let help = "give the program's arguments after `--`, and files that it reads with --input-file";
        self.error(&codes::NULL_POINTER, "the program accesses memory through a null pointer", help)
    }

    /// The scalar at a pointer; errors where the access is wrong.
    pub(crate) fn load_at(&mut self, pointer: Pointer, ty: ScalarType, name: &str) -> Flow<Value> {
        if let Err(wrong) = self.task.memory.check(pointer, ty.size(self.task.memory.model)) {
            return self.load_outside(wrong, pointer, ty, name);
        }
        self.tell_access(pointer, ty.size(self.task.memory.model), AccessKind::Read);
        match self.task.memory.read(pointer, ty) {
            Some(value) => Ok(value),
            None => Ok(self.unknown(ReasonKind::Unsupported("bytes read as another type".into()))),
        }
    }

    pub(crate) fn store_at(&mut self, pointer: Pointer, ty: ScalarType, value: Value, name: &str) -> Flow<()> {
        if let Err(wrong) = self.task.memory.check(pointer, ty.size(self.task.memory.model)) {
            return self.store_outside(wrong, pointer, ty, value, name);
        }
        self.tell_access(pointer, ty.size(self.task.memory.model), AccessKind::Write);
        self.task.store(pointer, ty, value);
        Ok(())
    }

    pub fn load_place(&mut self, place: &CompiledPlace, base: u32) -> Flow<Value> {
        let ty = unit(place);
        match self.target(place, base) {
            AccessTarget::Known(pointer) => match place.bits {
                Some((first, width)) => self.load_bits(pointer, BitField { first, width }, ty, &place.name),
                None => self.load_at(pointer, ty, &place.name),
            },
            AccessTarget::Within(_, reason) | AccessTarget::Unknown(reason) => Ok(Value::Unknown(reason)),
            AccessTarget::Null(_) => Err(self.null_place(place)),
            AccessTarget::Function(value) => Ok(value),
        }
    }

    pub(crate) fn store_place(&mut self, place: &CompiledPlace, base: u32, value: Value) -> Flow<()> {
        let ty = unit(place);
        match self.target(place, base) {
            AccessTarget::Known(pointer) => match place.bits {
                Some((first, width)) => self.store_bits(pointer, BitField { first, width }, ty, value, &place.name),
                None => self.store_at(pointer, ty, value, &place.name),
            },
            AccessTarget::Within(object, reason) => {
                let span = self.span();
                let reason = self.shared.reason(ReasonKind::NotEvaluated, span, Some(reason));
                self.task.forget(object, reason);
                Ok(())
            }
            AccessTarget::Unknown(reason) => {
                self.forget_reachable(place, reason);
                Ok(())
            }
            AccessTarget::Function(_) => Ok(()),
            AccessTarget::Null(_) => Err(self.null()),
        }
    }

    /// Whether a bit-field can be read with the unit that its type names: packed ones reach over its end, and their
    /// unit over the end of the object.
    fn fits(&self, pointer: Pointer, field: BitField, ty: ScalarType) -> bool {
        let bytes = ty.size(self.task.memory.model);
        u64::from(field.end()) <= 8 * bytes && self.task.memory.check(pointer, bytes).is_ok()
    }

    fn load_bits(&mut self, pointer: Pointer, bits: BitField, ty: ScalarType, name: &str) -> Flow<Value> {
        if self.fits(pointer, bits, ty) {
            return Ok(extract(self.load_at(pointer, ty, name)?, bits, ty));
        }
        let mut field = 0u128;
        for index in bytes_of(bits) {
            match self.load_at(behind(pointer, index.into()), ScalarType::U8, name)? {
                Value::Int(byte) => field |= u128::from(byte as u8) << (8 * index),
                unknown => return Ok(unknown),
            }
        }
        // A field has at most 64 bits.
        let lowest = Value::Int((field >> bits.first) as i64);
        Ok(extract(lowest, BitField { first: 0, ..bits }, ty))
    }

    fn store_bits(&mut self, to: Pointer, bits: BitField, ty: ScalarType, value: Value, name: &str) -> Flow<()> {
        if self.fits(to, bits, ty) {
            let value = match self.load_at(to, ty, name)? {
                unit if unit.is_unknown() && unit != self.shared.uninitialised => unit,
                unit => insert(unit, value, bits, ty),
            };
            return self.store_at(to, ty, value, name);
        }
        for index in bytes_of(bits) {
            let at = behind(to, index.into());
            let byte = match (self.load_at(at, ScalarType::U8, name)?, value) {
                (byte, _) if byte.is_unknown() && byte != self.shared.uninitialised => byte,
                (byte, Value::Int(value)) => byte_with(byte.as_int().unwrap_or(0) as u8, value, bits, index),
                (_, unknown) => unknown,
            };
            self.store_at(at, ScalarType::U8, byte, name)?;
        }
        Ok(())
    }

    /// A store somewhere: nothing is known any longer of the objects that the pointer may lead to.
    pub(crate) fn forget_reachable(&mut self, place: &CompiledPlace, reason: ReasonId) {
        self.forget_pointed(place.pointer, reason);
    }

    /// As `forget_reachable`, for an argument of a call.
    pub(crate) fn forget_argument(&mut self, call: &CallCode, index: usize, reason: ReasonId) {
        let first_variable = self.function().first_variable;
        let pointer = match call.args.get(index) {
            Some(CallArg::Scalar(Src::Reg(register))) if *register < first_variable => Some(ValueId(*register)),
            _ => None,
        };
        self.forget_pointed(pointer, reason);
    }

    fn forget_pointed(&mut self, pointer: Option<ValueId>, reason: ReasonId) {
        let span = self.span();
        let reason = self.shared.reason(ReasonKind::NotEvaluated, span, Some(reason));
        let program = &self.code.program;
        let frame = self.task.frames.last();
        let reached = match (pointer, frame) {
            (Some(value), Some(frame)) => self.summariser.reached_by(frame.function, value),
            _ => None,
        };
        let reachable = |origin: Origin| match (reached, origin) {
            (Some(origins), origin) => origins.contains(&origin),
            (None, origin) => addressable(program, origin),
        };
        self.task.forget_all(reachable, reason);
    }

    pub(crate) fn copy_places(&mut self, to: &CompiledPlace, from: &CompiledPlace, base: u32, bytes: u64) -> Flow<()> {
        let (target, from) = (self.target(to, base), self.target(from, base));
        if let AccessTarget::Unknown(reason) = target {
            self.forget_reachable(to, reason);
        }
        self.copy_targets(target, from, bytes)
    }

    pub(crate) fn copy_targets(&mut self, to: AccessTarget, from: AccessTarget, bytes: u64) -> Flow<()> {
        if bytes == 0 {
            return Ok(());
        }
        match (to, from) {
            (AccessTarget::Known(to), AccessTarget::Known(from)) => {
                let (readable, writable) = (self.readable(from, bytes)?, self.writable(to, bytes)?);
                self.copy_inside(to, from, readable.min(writable));
                if readable < writable {
                    let unknown = self.unknown(unwritten::outside());
                    self.fill(behind(to, readable), writable - readable, Fill::Value(unknown));
                }
            }
            (AccessTarget::Known(to), AccessTarget::Within(_, reason) | AccessTarget::Unknown(reason)) => {
                self.check(to, bytes)?;
                self.fill(to, bytes, Fill::Value(Value::Unknown(reason)));
            }
            (AccessTarget::Within(object, reason), _) => self.task.forget(object, reason),
            (AccessTarget::Null(_), _) | (_, AccessTarget::Null(_)) => return Err(self.null()),
            _ => {}
        }
        Ok(())
    }

    fn copy_inside(&mut self, to: Pointer, from: Pointer, bytes: u64) {
        if bytes > 0 {
            self.note_range(to);
            self.tell_access(from, bytes, AccessKind::Read);
            self.tell_access(to, bytes, AccessKind::Write);
            self.task.memory.copy(to, from, bytes);
        }
    }

    /// Those who watch the object hear of the access; nobody does unless the use of MPI is checked.
    #[inline]
    pub(crate) fn tell_access(&mut self, pointer: Pointer, bytes: u64, kind: AccessKind) {
        if self.task.memory.is_watched(pointer.object) {
            self.tell_watched(pointer, bytes, kind);
        }
    }

    #[cold]
    fn tell_watched(&mut self, pointer: Pointer, bytes: u64, kind: AccessKind) {
        let Some(span) = self.span() else { return };
        let access = MemoryAccess { pointer, bytes, kind, span, certain: !self.is_uncertain() };
        let (calls, mut env) = self.calls_and_environment(&[]);
        calls.accessed(env.task.id, access, &mut env);
        self.tell_calls();
    }

    fn note_range(&mut self, pointer: Pointer) {
        if !self.task.logs.is_empty() {
            self.task.note_object(pointer.object);
        }
    }

    /// Fills a range that has been checked.
    pub fn fill(&mut self, pointer: Pointer, bytes: u64, fill: Fill) {
        self.tell_access(pointer, bytes, AccessKind::Write);
        self.note_range(pointer);
        self.task.memory.set_range(pointer, bytes, fill);
    }

    pub(crate) fn zero_place(&mut self, place: &CompiledPlace, base: u32, bytes: u64) -> Flow<()> {
        match self.target(place, base) {
            AccessTarget::Known(pointer) => {
                self.check(pointer, bytes)?;
                self.fill(pointer, bytes, Fill::Zero);
            }
            AccessTarget::Within(object, reason) => self.task.forget(object, reason),
            AccessTarget::Unknown(reason) => self.forget_reachable(place, reason),
            AccessTarget::Null(_) => return Err(self.null()),
            AccessTarget::Function(_) => {}
        }
        Ok(())
    }

    /// Storage of a variable-length array; one that is left behind ends its life.
    pub(crate) fn allocate_array(&mut self, register: u32, variable: VarId, bytes: Value) {
        let base = self.base();
        let size = match bytes {
            Value::Int(n) if n >= 0 => n as u64,
            _ => i64::MAX as u64,
        };
        debug_assert!(variable.index() < self.code.homes.len());
        let old = self.task.stack[(base + register) as usize];
        if let Value::Pointer(pointer) = old
            && self.task.logs.is_empty()
            && is_variable_length(&self.code.program, variable)
        {
            self.task.memory.release(pointer.object);
        }
        let fill = self.shared.fresh();
        let object = self.task.memory.allocate(size, Origin::Variable(variable), fill);
        self.set_register(register, Value::Pointer(Pointer { object, offset: 0 }));
    }
}

/// The type that is loaded and stored: a truth value among bit-fields shares its byte with others.
#[inline]
fn unit(place: &CompiledPlace) -> ScalarType {
    match (place.ty, place.bits) {
        (Some(ScalarType::Bool), Some(_)) => ScalarType::U8,
        (ty, _) => ty.unwrap_or(ScalarType::I8),
    }
}

/// Where a bit-field lies in its unit: its lowest bit, and how many bits it has.
#[derive(Clone, Copy)]
struct BitField {
    first: u8,
    width: u8,
}

impl BitField {
    /// The first bit behind it.
    fn end(self) -> u8 {
        self.first + self.width
    }
}

fn mask(width: u8) -> i64 {
    if width >= 64 { -1 } else { (1i64 << width) - 1 }
}

/// The bytes of a unit that a bit-field lies in.
fn bytes_of(bits: BitField) -> std::ops::Range<u32> {
    u32::from(bits.first / 8)..u32::from(bits.end()).div_ceil(8)
}

fn behind(pointer: Pointer, bytes: u64) -> Pointer {
    Pointer { offset: pointer.offset.saturating_add_unsigned(bytes), ..pointer }
}

/// The byte of a unit, with its part of a bit-field.
fn byte_with(byte: u8, field: i64, place: BitField, index: u32) -> Value {
    let BitField { first, width } = place;
    let mask = u128::from(mask(width) as u64) << first >> (8 * index);
    let bits = (u128::from(field as u64) << first) >> (8 * index);
    Value::Int((byte & !(mask as u8) | bits as u8 & mask as u8).into())
}

/// A bit-field out of its unit.
fn extract(unit: Value, place: BitField, ty: ScalarType) -> Value {
    let BitField { first, width } = place;
    let Value::Int(n) = unit else { return unit };
    let field = ((n as u64) >> first) as i64 & mask(width);
    let negative = ty.is_signed() && width < 64 && field >> (width - 1) & 1 == 1;
    Value::Int(if negative { field | !mask(width) } else { field })
}

/// The unit with a bit-field replaced. A unit that was never written counts as zero: its other fields
/// are read before they are written only by wrong programs. One that became unknown stays so (`store_place`).
fn insert(unit: Value, field: Value, place: BitField, ty: ScalarType) -> Value {
    let BitField { first, width } = place;
    let Value::Int(value) = field else { return field };
    let old = unit.as_int().unwrap_or(0);
    let cleared = old & !(mask(width) << first);
    Value::Int(arith::wrap(cleared | ((value & mask(width)) << first), ty))
}
