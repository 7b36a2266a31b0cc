//! What MPI calls may ask of the task that makes them.

use crate::execute::c_types;
use crate::execute::c_types::Allocated;
use crate::execute::machine::Machine;
use crate::messages;
use crate::state::changed_files::FileChange;
use crate::state::files_at_hand;
use crate::state::memory::bytes_until_zero;
use crate::state::shared::Shared;
use crate::state::task::Task;
use chronos_abstract_execution::Summariser;
use chronos_activity::Site;
use chronos_base::diag::Label;
use chronos_base::span::Span;
use chronos_ir::{BlockId, Callee, Program, ScalarType, Storage as VariableStorage};
use chronos_mpi_calls::{CScalar, CallEnvironment, MpiCalls, Payload, Version, published_address};
use chronos_slicing::doubts::{Doubt, Subject};
use chronos_values::array::SharedElements;
use chronos_values::storage::{Fill, Storage};
use chronos_values::{ObjectId, Origin, Pointer, Reason, ReasonId, ReasonKind, Value};
use std::cell::OnceCell;
use std::sync::Arc;

/// Scalars that a payload may hold; larger contents are not carried.
pub const LARGEST: usize = 1 << 20;

pub(crate) struct Env<'a> {
    pub shared: &'a mut Shared,
    pub task: &'a mut Task,
    pub args: &'a [Value],
    pub summariser: &'a dyn Summariser,
    pub program: &'a Program,
    pub allocated: &'a OnceCell<Allocated>,
}

impl Machine<'_> {
    /// MPI, and what a call of it with these arguments may look at.
    pub(crate) fn calls_and_environment<'s>(&'s mut self, args: &'s [Value]) -> (&'s mut dyn MpiCalls, Env<'s>) {
        let env = Env {
            shared: self.shared,
            task: self.task,
            args,
            summariser: self.summariser,
            program: &self.code.program,
            allocated: &self.known.allocated,
        };
        (self.calls, env)
    }
}

impl Env<'_> {
    fn relevant(&self, pointer: Pointer) -> bool {
        self.summariser.is_relevant(self.task.memory.object(pointer.object).origin)
    }

    /// Loops that are being folded must not repeat a receive whose content decides about anything.
    fn disturb(&mut self) {
        for state in &mut self.task.loops {
            if let Some(fold) = &mut state.fold {
                fold.disturbed = true;
            }
        }
    }

    /// What others are told of a value: addresses that `MPI_Get_address` gave, of memory that they may access.
    fn told(&self, ty: ScalarType, value: Value) -> Value {
        match value {
            Value::Pointer(to) if ty != ScalarType::Pointer && self.task.published.contains(&to.object) => {
                published_address(to, self.task.memory.model).map_or(value, Value::Int)
            }
            value => value,
        }
    }

    /// What a task receives that stands for others is the same for all of them only where everybody gets it.
    fn is_unsaid(&self, bytes: u64, payload: Option<&Payload>) -> bool {
        let Some(by_rank) = &self.task.by_rank else { return false };
        let items = payload.map_or(&[][..], |payload| &payload.items);
        let sizes =
            items.iter().map(|(_, ty, value)| if value.is_unknown() { 0 } else { ty.size(self.task.memory.model) });
        !by_rank.is_broadcast || sizes.sum::<u64>() != bytes
    }

    fn at_version(&self, content: u64) -> Version {
        Version { content, published: self.task.published.len() }
    }

    /// As many of the bytes as the object has.
    fn clip(&self, pointer: Pointer, bytes: u64) -> u64 {
        let object = self.task.memory.object(pointer.object);
        if pointer.offset < 0 || !object.live {
            return 0;
        }
        bytes.min(object.size.saturating_sub(pointer.offset as u64))
    }
}

impl CallEnvironment for Env<'_> {
    fn argument(&self, index: usize) -> Value {
        self.args.get(index).copied().unwrap_or(self.shared.uninitialised)
    }

    fn load(&self, pointer: Pointer, ty: ScalarType) -> Value {
        match self.task.memory.check(pointer, ty.size(self.task.memory.model)) {
            Ok(()) => self.task.memory.read(pointer, ty).unwrap_or(self.shared.uninitialised),
            Err(_) => self.task.process.written_beside(pointer, ty).unwrap_or(self.shared.uninitialised),
        }
    }

    fn store(&mut self, pointer: Pointer, ty: ScalarType, value: Value) {
        if self.task.memory.check(pointer, ty.size(self.task.memory.model)).is_ok() {
            self.task.store(pointer, ty, value);
        } else {
            self.task.process.strays.push((pointer, ty, value));
        }
    }

    fn snapshot(&self, pointer: Pointer, bytes: u64) -> Option<Payload> {
        if !self.relevant(pointer) {
            return None;
        }
        let bytes = self.clip(pointer, bytes);
        let model = self.task.memory.model;
        let object = self.task.memory.object(pointer.object);
        if bytes == 0 || bytes > 8 * LARGEST as u64 {
            return None;
        }
        let known = object.content.known_scalars(pointer.offset as u64, bytes, model).into_iter();
        let known = known.map(|(at, ty, value)| (at, ty, self.told(ty, value)));
        let items: Vec<_> = known.filter_map(|item| within(item, bytes, model)).collect();
        (!items.is_empty() && items.len() <= LARGEST).then_some(Payload { items })
    }

    fn shared_elements(&self, pointer: Pointer, ty: ScalarType, count: u64) -> Option<SharedElements> {
        let object = self.task.memory.object(pointer.object);
        let offset = u64::try_from(pointer.offset).ok()?;
        let bytes = count.checked_mul(ty.size(self.task.memory.model))?;
        let is_inside = object.live && offset.checked_add(bytes)? <= object.size;
        match &object.content.storage {
            Storage::Array(array) if is_inside && array.ty() == ty => {
                array.shared_elements(offset, count, object.content.fill)
            }
            _ => None,
        }
    }

    fn version(&self, object: ObjectId) -> Option<Version> {
        Some(self.at_version(self.task.memory.version(object)))
    }

    fn version_to_copy(&mut self, object: ObjectId) -> Option<Version> {
        // What happens to other objects is not followed.
        let relevant = self.relevant(Pointer { object, offset: 0 });
        relevant.then(|| self.task.memory.version_to_copy(object)).map(|content| self.at_version(content))
    }

    fn version_of_all(&self) -> Option<Version> {
        Some(self.at_version(self.task.memory.newest_version()))
    }

    fn room(&self, pointer: Pointer) -> Option<u64> {
        let object = self.task.memory.object(pointer.object);
        let offset = u64::try_from(pointer.offset).ok().filter(|_| object.live)?;
        Some(object.size.saturating_sub(offset))
    }

    fn doubt(&mut self, doubt: Doubt, subject: Subject) {
        self.shared.doubts.add(doubt, subject);
    }

    fn is_live(&self, object: ObjectId) -> bool {
        self.task.memory.is_live(object)
    }

    fn c_type(&self, pointer: Pointer) -> Option<CScalar> {
        let allocated = self.allocated.get_or_init(|| c_types::allocated(self.program));
        c_types::at(self.program, allocated, &self.task.memory, pointer)
    }

    fn unknown_in(&self, pointer: Pointer, bytes: u64) -> Option<ReasonId> {
        if !self.relevant(pointer) {
            return None;
        }
        let (wanted, most) = (self.clip(pointer, bytes), 8 * LARGEST as u64);
        let items = self.task.memory.items(pointer, wanted.min(most));
        if wanted > most || items.len() > LARGEST {
            return Some(self.shared.too_long);
        }
        let lost = items.iter().find_map(|(_, _, value)| value.reason());
        let reason = lost.or_else(|| match self.task.memory.object(pointer.object).content.fill {
            Fill::Value(value) => value.reason(),
            Fill::Zero => None,
        });
        Some(self.shared.reasons.root(reason?))
    }

    fn deposit(&mut self, pointer: Pointer, bytes: u64, payload: Option<&Payload>, reason: ReasonId) {
        let bytes = self.clip(pointer, bytes);
        if bytes == 0 {
            return;
        }
        let model = self.task.memory.model;
        if !self.relevant(pointer) {
            return self.task.forget(pointer.object, reason);
        }
        let is_unsaid = self.is_unsaid(bytes, payload);
        self.task.clear_rewritten(pointer, bytes);
        if payload.is_some_and(|payload| !payload.items.is_empty()) {
            self.disturb();
        }
        let single = match payload.map(|payload| &payload.items[..]) {
            Some([(0, ty, value)]) if ty.size(model) == bytes => Some((*ty, *value)),
            _ => None,
        };
        if let Some((ty, value)) = single {
            self.task.store(pointer, ty, value);
        } else {
            if !self.task.logs.is_empty() {
                self.task.note_object(pointer.object);
            }
            let items = payload.map_or(&[][..], |payload| &payload.items);
            self.task.memory.replace(pointer, bytes, items, Fill::Value(Value::Unknown(reason)));
        }
        if is_unsaid {
            self.task.leave_unsaid(pointer, bytes);
        }
    }

    fn written(&mut self, pointer: Pointer, bytes: u64, site: Site) {
        let origin = self.task.memory.object(pointer.object).origin;
        if lasts(self.program, origin) {
            let bytes = self.clip(pointer, bytes);
            let new = self.task.memory.receive(pointer, bytes);
            self.shared.scratch.add_volume(site.context, site.block, new as f64);
            // Iterations that take turns with their buffers look alike until all of them are known.
            if new > 0 {
                self.disturb();
            }
        }
    }

    fn lost_write(&mut self, reason: ReasonId) {
        let program = self.program;
        self.task.forget_all(|origin| addressable(program, origin), reason);
        self.disturb();
    }

    fn was_never_set(&self, reason: ReasonId) -> bool {
        matches!(self.shared.reasons.get(reason).kind, ReasonKind::Uninitialised)
    }

    fn origins(&self, reason: ReasonId) -> Vec<Label> {
        messages::origins(&self.shared.reasons, reason)
    }

    fn intern_reason(&mut self, reason: Reason) -> ReasonId {
        self.shared.reasons.intern(reason)
    }

    fn unsettle(&mut self) {
        self.disturb();
    }

    fn file(&mut self, name: &str, call: Span) -> Option<Arc<[u8]>> {
        if self.shared.changed_files.of(name).is_some() {
            return None;
        }
        files_at_hand::given_or_at_hand(self.shared, self.task.id, name, call)
    }

    fn take_file_change(&mut self, name: &str) -> bool {
        self.shared.changed_files.take_for_mpi(name).is_some()
    }

    fn changes_file(&mut self, name: &str, is_removed: bool) {
        let kind = if is_removed { FileChange::Gone } else { FileChange::Written };
        self.shared.changed_files.note_of_mpi(name, kind);
    }

    fn allocate(&mut self, bytes: u64, call: BlockId) -> Option<Pointer> {
        let fill = self.shared.fresh();
        let object = self.task.memory.allocate(bytes, Origin::Allocation(call), fill);
        Some(Pointer { object, offset: 0 })
    }

    fn watch(&mut self, object: ObjectId, on: bool) {
        self.task.memory.watch(object, on);
    }

    fn publish(&mut self, object: ObjectId) {
        self.task.published.insert(object);
    }

    fn release(&mut self, memory: Pointer) {
        self.task.memory.release(memory.object);
    }

    fn string(&self, pointer: Pointer) -> Option<String> {
        bytes_until_zero(&self.task.memory, pointer)
            .and_then(Result::ok)
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// Whether an object has pages of its own: those of the stack are given once for all calls, and what MPI makes for itself
/// is not followed.
fn lasts(program: &Program, origin: Origin) -> bool {
    match origin {
        Origin::Variable(id) => {
            matches!(program.variables[id].storage, VariableStorage::Global | VariableStorage::Static)
        }
        Origin::Allocation(call) => program.call(call).is_none_or(|call| !matches!(call.callee, Callee::Mpi(_))),
        Origin::String(_) | Origin::Environment => false,
    }
}

/// A scalar of a message, or the low part of an integer that reaches beyond the message's end (a `long`
/// sent as `MPI_INT`; all machines modelled are little-endian).
fn within(
    item: (u64, ScalarType, Value),
    bytes: u64,
    model: chronos_ir::DataModel,
) -> Option<(u64, ScalarType, Value)> {
    let (at, ty, value) = item;
    if at + ty.size(model) <= bytes {
        return Some(item);
    }
    let n = value.as_int().filter(|_| ty.is_integer())?;
    match bytes - at {
        4 => Some((at, ScalarType::I32, Value::Int(i64::from(n as i32)))),
        2 => Some((at, ScalarType::I16, Value::Int(i64::from(n as i16)))),
        1 => Some((at, ScalarType::I8, Value::Int(i64::from(n as i8)))),
        _ => None,
    }
}

/// A store through a pointer that may lead anywhere may hit storage of this origin.
pub(crate) fn addressable(program: &Program, origin: Origin) -> bool {
    match origin {
        Origin::Variable(id) => {
            let variable = &program.variables[id];
            variable.address_taken || program.types.scalar(variable.ty).is_none()
        }
        Origin::Allocation(_) => true,
        Origin::String(_) | Origin::Environment => false,
    }
}
