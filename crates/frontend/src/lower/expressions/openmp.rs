//! Calls that stand for directives of OpenMP: which variables the threads of a region share.

use crate::lower::codes;
use crate::lower::context::lowerer::Lowerer;
use chronos_base::diag::Diagnostic;
use chronos_base::ids::Id;
use chronos_base::span::Span;
use chronos_ir::openmp::{FORK, JOIN};
use chronos_ir::{Storage, VarId};

impl Lowerer<'_> {
    /// Takes notice of where a parallel region begins and ends.
    pub(crate) fn note_parallel_region(&mut self, name: &str, span: Span) {
        match name {
            FORK => {
                self.program.parallel_region.get_or_insert(span);
                self.body.parallel += 1;
                let next = self.program.variables.next_id();
                self.body.threads_from.get_or_insert(next);
            }
            JOIN => {
                self.body.parallel = self.body.parallel.saturating_sub(1);
                if self.body.parallel == 0 {
                    self.body.threads_from = None;
                }
            }
            _ => {}
        }
    }

    /// A local variable from outside of a parallel region is used in it: threads reach the same object, so that it lives in
    /// memory and in no register.
    pub(crate) fn share_with_threads(&mut self, id: VarId) {
        let Some(first) = self.body.threads_from else { return };
        let variable = &mut self.program.variables[id];
        if id.index() < first.index() && matches!(variable.storage, Storage::Local | Storage::Parameter(_)) {
            variable.address_taken = true;
        }
    }

    /// Finds the variables that `threadprivate` directives of the unit name.
    pub(crate) fn threadprivate(&mut self) {
        for name in self.unit.threadprivate {
            let found = self.statics.get(name.as_str()).or_else(|| self.linkage.variables.get(name.as_str()));
            match found {
                Some(&id) if !self.program.threadprivate.contains(&id) => self.program.threadprivate.push(id),
                Some(_) => {}
                None => {
                    let message = format!("`{name}`, which is threadprivate, is no variable of the file");
                    let help = "variables of a function cannot be threadprivate here: declare it outside";
                    self.diagnostics.push(Diagnostic::error(&codes::UNDECLARED, message).help(help));
                }
            }
        }
    }
}
