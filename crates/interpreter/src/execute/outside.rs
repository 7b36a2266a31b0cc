//! Accesses just outside an object, and after the end of its life: where a real run goes on, the evaluation does.
//!
//! An allocation has the bytes that the allocator rounds it up to. Elsewhere nobody knows what lies beside an object: what
//! is read there is unknown unless the program wrote it there, and what is written there may have changed anything, which is
//! a doubt about the whole program.
//! Only far away from the object, where no memory need be mapped, the access ends the run.

use crate::codes;
use crate::execute::machine::{Flow, Machine};
use crate::state::memory::Wrong;
use crate::state::unwritten;
use chronos_base::diag::Diagnostic;
use chronos_ir::{DataModel, ScalarType};
use chronos_slicing::doubts::{Certainty, Doubt, Subject};
use chronos_values::storage::Fill;
use chronos_values::{Origin, Pointer, Value};

/// Memory is mapped in pages, so that this far beside an object a run goes on more often than not.
const NEAR: u64 = 4096;

/// More bytes than this, written behind an object in one go, reach the return address of a frame or the allocator's own data,
/// and end the run: frames have a guard and a few saved registers there, chunks have their sizes.
const LONGEST_OVERRUN: u64 = 64;

/// Bytes of a range that lie behind its object.
fn overrun(wrong: Wrong, pointer: Pointer, bytes: u64) -> u64 {
    let Wrong::OutOfBounds { size, .. } = wrong else { return 0 };
    u64::try_from(pointer.offset).unwrap_or(0).saturating_add(bytes).saturating_sub(size)
}

/// Where an access outside an object goes.
enum Landing {
    /// Into bytes that the object has now.
    Inside,
    /// Behind the last of the program's arguments, at this offset of their list.
    Argument(i64),
    /// Into something that is not known.
    Unknown,
}

/// What glibc's `malloc` gives for a request: chunks are multiples of two words, of which one is its own, and no smaller
/// than four words (malloc.c, `request2size`).
fn usable(size: u64, model: DataModel) -> u64 {
    let word = ScalarType::Pointer.size(model);
    let chunk = size.saturating_add(word).next_multiple_of(2 * word).max(4 * word);
    chunk - word
}

impl Machine<'_> {
    /// The value that a read finds which the memory refused.
    #[cold]
    pub(crate) fn load_outside(&mut self, wrong: Wrong, from: Pointer, ty: ScalarType, name: &str) -> Flow<Value> {
        let bytes = ty.size(self.task.memory.model);
        match self.landing(wrong, from, bytes, name)? {
            Landing::Inside => self.load_at(from, ty, name),
            // The variables of the environment follow, which are not known.
            Landing::Argument(offset) => Ok(self.argument_not_given(offset)),
            Landing::Unknown => Ok(match self.task.process.beside.get(&(from.object, from.offset)) {
                Some(&(written, value)) if written == ty => value,
                _ if self.is_taken_as_zero(from) => Fill::Zero.scalar(ty),
                _ => self.unknown(unwritten::outside()),
            }),
        }
    }

    /// A write that the memory refused.
    #[cold]
    pub(crate) fn store_outside(
        &mut self,
        wrong: Wrong,
        to: Pointer,
        ty: ScalarType,
        value: Value,
        name: &str,
    ) -> Flow<()> {
        let bytes = ty.size(self.task.memory.model);
        match self.landing(wrong, to, bytes, name)? {
            Landing::Inside => return self.store_at(to, ty, value, name),
            Landing::Argument(_) | Landing::Unknown => {
                self.task.process.beside.insert((to.object, to.offset), (ty, value));
                self.doubt_all(wrong, to, name);
            }
        }
        Ok(())
    }

    /// Checks a range, which the rest of an allocation's chunk may belong to.
    pub fn check(&mut self, pointer: Pointer, bytes: u64) -> Flow<()> {
        match self.task.memory.check(pointer, bytes) {
            Ok(()) => Ok(()),
            Err(wrong) if self.grows(wrong, pointer, bytes, "memory") => Ok(()),
            Err(wrong) => Err(self.wrong(wrong, pointer, "memory")),
        }
    }

    /// How many of these bytes can be read, from the first one on; the run is taken to go on with the others unknown.
    pub(crate) fn readable(&mut self, from: Pointer, bytes: u64) -> Flow<u64> {
        match self.task.memory.check(from, bytes) {
            Ok(()) => Ok(bytes),
            Err(wrong) => self.inside(wrong, from, bytes),
        }
    }

    /// How many of these bytes can be written, from the first one on; the others are a doubt about the whole program.
    pub(crate) fn writable(&mut self, to: Pointer, bytes: u64) -> Flow<u64> {
        let Err(wrong) = self.task.memory.check(to, bytes) else { return Ok(bytes) };
        if overrun(wrong, to, bytes) > LONGEST_OVERRUN {
            return Err(self.wrong(wrong, to, "memory"));
        }
        let inside = self.inside(wrong, to, bytes)?;
        if inside < bytes {
            self.doubt_all(wrong, to, "memory");
        }
        Ok(inside)
    }

    /// A string that goes on behind the end of its object.
    pub(crate) fn read_behind(&mut self, string: Pointer) -> Flow<()> {
        let rest = self.task.memory.object(string.object).size as i64 - string.offset;
        let end = Pointer { offset: string.offset.saturating_add(rest.max(0)), ..string };
        self.readable(end, 1).map(|_| ())
    }

    /// How many bytes of a range that the memory refused lie within its object.
    #[cold]
    fn inside(&mut self, wrong: Wrong, pointer: Pointer, bytes: u64) -> Flow<u64> {
        let end = u64::try_from(pointer.offset).unwrap_or(0).saturating_add(bytes);
        if matches!(wrong, Wrong::OutOfBounds { size, .. } if end > size.saturating_add(NEAR)) {
            return Err(self.wrong(wrong, pointer, "memory"));
        }
        Ok(match (self.landing(wrong, pointer, bytes, "memory")?, wrong) {
            (Landing::Inside, _) => bytes,
            (_, Wrong::OutOfBounds { offset, size }) => {
                u64::try_from(offset).map_or(0, |offset| size.saturating_sub(offset))
            }
            (_, Wrong::Freed) => 0,
        })
    }

    fn landing(&mut self, wrong: Wrong, pointer: Pointer, bytes: u64, name: &str) -> Flow<Landing> {
        if self.grows(wrong, pointer, bytes, name) {
            return Ok(Landing::Inside);
        }
        if let Wrong::OutOfBounds { offset, size } = wrong {
            let near = -(NEAR as i64)..size.saturating_add(NEAR) as i64;
            if !near.contains(&offset) {
                return Err(self.wrong(wrong, pointer, name));
            }
            if Some(pointer.object) == self.task.process.argument_list() {
                return Ok(Landing::Argument(offset));
            }
        }
        self.report_outside(wrong, pointer, name, "the run is taken to go on with what stands there");
        Ok(Landing::Unknown)
    }

    /// Whether the allocator's rounding covers the access; then the object has these bytes from now on.
    fn grows(&mut self, wrong: Wrong, pointer: Pointer, bytes: u64, name: &str) -> bool {
        let Wrong::OutOfBounds { offset, size } = wrong else { return false };
        let memory = &mut self.task.memory;
        let heap = matches!(memory.object(pointer.object).origin, Origin::Allocation(_));
        let usable = usable(size, memory.model);
        let end = u64::try_from(offset).ok().and_then(|offset| offset.checked_add(bytes));
        if !heap || end.is_none_or(|end| end > usable) {
            return false;
        }
        let consequence = "the allocator rounds it up to more, so that the run goes on";
        self.report_outside(wrong, pointer, name, consequence);
        let (fresh, model) = (self.shared.fresh(), self.task.memory.model);
        let object = self.task.memory.object_mut(pointer.object);
        object.size = usable;
        // What was written to all of the object was not written there; `calloc` clears the rest of the chunk, too.
        if object.content.fill != Fill::Zero {
            object.content.set_range(size, usable - size, fresh, usable, model);
        }
        true
    }

    fn report_outside(&mut self, wrong: Wrong, pointer: Pointer, name: &str, consequence: &str) {
        let message = format!("{}: {consequence}", self.wrong_access(wrong, pointer, name));
        let mut diagnostic = Diagnostic::warning(&codes::OUT_OF_BOUNDS, message);
        if let Some(span) = self.span() {
            diagnostic = diagnostic.label(span, "here");
        }
        let help = "check the index, the size of the object and the program's arguments";
        self.shared.reports.add(self.task.id, diagnostic.help(help));
    }

    /// What was written beside an object may have changed any other.
    fn doubt_all(&mut self, wrong: Wrong, pointer: Pointer, name: &str) {
        let (Some(span), Some(main)) = (self.span(), self.code.program.main) else { return };
        let text = format!("{}, which may change other data", self.wrong_access(wrong, pointer, name));
        let help = Some("check the index and the size of the object".into());
        let doubt = Doubt { span, certainty: Certainty::Approximate, text: text.into(), help };
        self.shared.doubts.add(doubt, Subject::Function(main));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allocations_have_the_bytes_of_their_chunk() {
        let usable_bytes = |size| usable(size, DataModel::Lp64);
        assert_eq!([0, 1, 24, 25, 36, 40, 41].map(usable_bytes), [24, 24, 24, 40, 40, 40, 56]);
    }
}
