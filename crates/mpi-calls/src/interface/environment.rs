//! What a call may ask of the task that makes it.

use crate::interface::memory_access::CScalar;
use crate::interface::payload::Payload;
use chronos_activity::Site;
use chronos_base::diag::Label;
use chronos_base::span::Span;
use chronos_ir::{BlockId, ScalarType};
use chronos_slicing::doubts::{Doubt, Subject};
use chronos_values::array::SharedElements;
use chronos_values::{ObjectId, Pointer, Reason, ReasonId, Value};
use std::sync::Arc;

/// What an MPI call may ask of the task that makes it.
pub trait CallEnvironment {
    /// Scalar arguments in order.
    fn argument(&self, index: usize) -> Value;
    /// The scalar of a type that stands in memory; unknown where nothing known of this type does.
    fn load(&self, pointer: Pointer, ty: ScalarType) -> Value;
    /// Writes a scalar of a type to memory.
    fn store(&mut self, pointer: Pointer, ty: ScalarType, value: Value);
    /// What the `bytes` at `pointer` hold: values at offsets from `pointer`. `None` where nothing there is known,
    /// or it is too large to carry, or the object is not relevant.
    fn snapshot(&self, pointer: Pointer, bytes: u64) -> Option<Payload>;
    /// So many scalars of a type in a row, where they stand in memory that many tasks share.
    fn shared_elements(&self, _pointer: Pointer, _ty: ScalarType, _count: u64) -> Option<SharedElements> {
        None
    }
    /// What an object holds has not changed as long as this stays the same and somebody has copied it; `None` where nobody can
    /// tell.
    fn version(&self, _object: ObjectId) -> Option<Version> {
        None
    }
    /// The version of an object of which the caller takes a snapshot; `None` where what happens to it is not followed.
    fn version_to_copy(&mut self, _object: ObjectId) -> Option<Version> {
        None
    }
    /// Stays the same as long as no object changes of which somebody has a copy.
    fn version_of_all(&self) -> Option<Version> {
        None
    }
    /// Bytes from the pointer to the end of its object.
    fn room(&self, _pointer: Pointer) -> Option<u64> {
        None
    }
    /// Whether there is such an object, and it is alive.
    fn is_live(&self, _object: ObjectId) -> bool {
        true
    }
    /// What the call gives is used although a run may have it otherwise.
    fn doubt(&mut self, _doubt: Doubt, _subject: Subject) {}
    /// Writes a payload; `bytes` from `pointer` on that the payload does not hold become unknown, for `reason`.
    fn deposit(&mut self, pointer: Pointer, bytes: u64, payload: Option<&Payload>, reason: ReasonId);
    /// The call at `site` writes data of MPI here. Where nobody wrote before, the system has to give the pages.
    fn written(&mut self, _pointer: Pointer, _bytes: u64, _site: Site) {}
    /// What the program's own types say of this place; `None` where they say nothing.
    fn c_type(&self, _pointer: Pointer) -> Option<CScalar> {
        None
    }
    /// Why the content of these bytes is not fully known: the cause at the beginning of its chain.
    fn unknown_in(&self, _pointer: Pointer, _bytes: u64) -> Option<ReasonId> {
        None
    }
    /// The value is unknown because it was never written.
    fn was_never_set(&self, _reason: ReasonId) -> bool {
        false
    }
    /// The number of a reason, for unknown values that the call makes.
    fn intern_reason(&mut self, reason: Reason) -> ReasonId;
    /// Where an unknown value came from, for messages.
    fn origins(&self, _reason: ReasonId) -> Vec<Label> {
        Vec::new()
    }
    /// A null-terminated string, where it is known.
    fn string(&self, pointer: Pointer) -> Option<String>;
    /// The call wrote to a place that is not known: whatever it may have hit is no longer known.
    fn lost_write(&mut self, _reason: ReasonId) {}
    /// Another execution of the call may do otherwise.
    fn unsettle(&mut self) {}
    /// The content of a file that the prediction was given, or that the call at this place finds where the program is started.
    fn file(&mut self, _name: &str, _call: Span) -> Option<Arc<[u8]>> {
        None
    }
    /// Whether a file was changed otherwise than by MPI since this was asked last; then nobody knows what it holds.
    fn take_file_change(&mut self, _name: &str) -> bool {
        false
    }
    /// MPI may write the file, or has removed it.
    fn changes_file(&mut self, _name: &str, _is_removed: bool) {}
    /// New memory that the call at this block hands out; `None` where the task cannot be given any.
    fn allocate(&mut self, _bytes: u64, _call: BlockId) -> Option<Pointer> {
        None
    }
    /// Others may access this memory: from now on, its addresses travel as numbers.
    fn publish(&mut self, _object: ObjectId) {}
    /// Takes such memory back.
    fn release(&mut self, _memory: Pointer) {}
    /// From now on each access of the program to the object is told to [`MpiCalls::accessed`](crate::MpiCalls::accessed), until this was asked for
    /// as often with `false`.
    fn watch(&mut self, _object: ObjectId, _on: bool) {}
}

/// A state of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    /// Of what it holds.
    pub content: u64,
    /// How many objects have addresses that travel as numbers.
    pub published: usize,
}
