//! What compilers made of a program, for the machines that it is predicted on.

use chronos_base::diag::Diagnostic;
use chronos_base::hash::FxHashMap;
use chronos_cost::source::ObjectCode;
use chronos_machine::Machine;
use std::sync::Arc;

/// The object code of a program for one machine.
#[derive(Clone, Debug, Default)]
pub struct MachineCode {
    /// The objects and the core; `None` where there are none.
    pub code: Option<ObjectCode>,
    /// Why there are none, or what is left out of them.
    pub diagnostics: Vec<Diagnostic>,
}

/// The object code of a program by the names of machines; empty where nothing is priced from it.
#[derive(Clone, Debug, Default)]
pub struct ObjectCodes {
    by_machine: FxHashMap<String, Arc<MachineCode>>,
}

impl ObjectCodes {
    /// Enters what was compiled for a machine.
    pub fn insert(&mut self, machine: &Machine, code: Arc<MachineCode>) {
        self.by_machine.insert(machine.name.clone(), code);
    }

    /// What was compiled for a machine.
    pub fn of(&self, machine: &Machine) -> Option<&MachineCode> {
        self.by_machine.get(&machine.name).map(|code| &**code)
    }
}
