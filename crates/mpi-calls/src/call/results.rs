//! Results that are approximations, unknown, or point to new memory.

use crate::call::Call;
use chronos_ir::ScalarType;
use chronos_slicing::doubts::{Certainty, Doubt, Subject};
use chronos_values::{Pointer, Reason, ReasonKind, Value};

impl Call<'_> {
    /// Says that what the call gives is used although another implementation of MPI may give something else.
    pub fn approximate(&mut self, text: String) {
        let (span, certainty) = (self.span, Certainty::Approximate);
        let subject = Subject::Call(self.site.block);
        self.env.doubt(Doubt { span, certainty, text: text.into(), help: None }, subject);
    }

    /// The node that a task runs on; its own where nobody placed it.
    pub fn node(&self, task: usize) -> u32 {
        let own = u32::try_from(task).unwrap_or(u32::MAX);
        self.mpi.options.nodes.get(task).copied().unwrap_or(own)
    }

    pub(crate) fn store_length(&mut self, argument: usize, text: &str) {
        self.store_int(argument, i64::try_from(text.len()).unwrap_or(i64::MAX));
    }

    /// Stores a pointer to new memory; unknown where the task cannot be given any.
    pub(crate) fn store_allocation(&mut self, argument: usize, bytes: u64) -> Option<Pointer> {
        let memory = self.env.allocate(bytes, self.site.block);
        let value = memory.map_or_else(|| self.unsupported(), Value::Pointer);
        self.store(argument, ScalarType::Pointer, value);
        memory
    }

    pub fn unsupported(&mut self) -> Value {
        let kind = ReasonKind::Unsupported(self.name().into());
        Value::Unknown(self.env.intern_reason(Reason { kind, span: Some(self.span), origin: None }))
    }
}
