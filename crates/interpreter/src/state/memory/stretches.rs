//! Scalars side by side, for code that reaches them without asking for each.

use super::Memory;
use chronos_ir::ScalarType;
use chronos_values::storage::Stretch;
use chronos_values::{Pointer, Value};

impl Memory {
    /// The scalars of type `ty` around an address; `None` where somebody wants to hear of accesses to the object, or where they
    /// do not stand side by side.
    pub(crate) fn stretch(&self, pointer: Pointer, ty: ScalarType) -> Option<Stretch<'_>> {
        let object = self.slots.get(pointer.object.slot()).filter(|object| object.plain == pointer.object)?;
        object.content.page(u64::try_from(pointer.offset).ok()?, ty, ty.size(self.model), object.size)
    }

    /// The same to write in: where they begin in bytes, and whether others of the object have moved for that.
    pub(crate) fn stretch_mut(&mut self, pointer: Pointer, ty: ScalarType) -> Option<(u64, &mut [Value], bool)> {
        let offset = u64::try_from(pointer.offset).ok()?;
        let object = self.slots.get_mut(pointer.object.slot()).filter(|object| object.plain == pointer.object)?;
        object.touch(&mut self.writes);
        object.content.page_mut(offset, ty, object.size, self.model)
    }
}
