//! Where values decide that are read before they are written: what is noted, and what is taken to lie beside objects
//! (`state::unwritten`).

use crate::execute::machine::Machine;
use crate::state::unwritten::is_unwritten;
use chronos_base::span::Span;
use chronos_ir::{ScalarType, Storage};
use chronos_values::storage::Fill;
use chronos_values::{Origin, Pointer, ReasonId};

impl Machine<'_> {
    /// The evaluation ends here, since such a value decides.
    pub(crate) fn note_unwritten(&mut self, reason: ReasonId, span: Span) {
        let root = self.shared.reasons.root(reason);
        if is_unwritten(&self.shared.reasons.get(root).kind) {
            self.shared.unwritten_decides.get_or_insert(span);
        }
    }

    /// Whether what lies at a place outside of its object is taken to be zero.
    pub(crate) fn is_taken_as_zero(&self, at: Pointer) -> bool {
        self.shared.fresh() == Fill::Zero
            && match self.task.memory.object(at.object).origin {
                Origin::Variable(variable) => {
                    let variable = &self.code.program.variables[variable];
                    let lasts = matches!(variable.storage, Storage::Global | Storage::Static);
                    lasts && variable.init.as_ref().is_none_or(|init| init.is_empty())
                }
                _ => false,
            }
    }

    /// The rest of a string that goes on behind its object, where zeros are taken to lie there.
    pub(crate) fn zeros_behind(&self, string: Pointer) -> Option<Vec<u8>> {
        let memory = &self.task.memory;
        let size = memory.object(string.object).size;
        let known = (string.offset..i64::try_from(size).ok()?)
            .map(|offset| memory.read(Pointer { offset, ..string }, ScalarType::U8)?.as_int());
        let bytes: Option<Vec<u8>> = known.map(|byte| byte.map(|byte| byte as u8)).collect();
        bytes.filter(|_| self.is_taken_as_zero(string))
    }
}
