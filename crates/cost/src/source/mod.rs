//! The model `source`: the time of a loop is the greatest of its recurrences and of what its iterations ask of the
//! processor and of memory, a roofline (Williams, Waterman and Patterson, CACM 2009) with latencies.
//!
//! Each loop is analysed once, as the compiler of the machine's profile would leave it: without common subexpressions,
//! invariants, dead code and index arithmetic, with scalars in registers, vectorised where that is legal and the
//! compiler does it. Pricing then only multiplies by counts: `max(recurrence, throughput + memory)`, where recurrence
//! and throughput are the RecMII and ResMII of modulo scheduling (Rau, MICRO 1994) and lines of memory are counted by
//! layer conditions, as Kerncraft and the execution-cache-memory model do. It must not know how counts came about. Its
//! rules are data (`compiler/profiles/`), none of them fitted to programs under prediction.
//!
//! Modules import one way: `address`, `compiler` and `processor` know none of the others; `whole_program`; `dataflow`;
//! `dependence`, `branches` and `vectorize`; `codegen`; `loops`; `objects`; `model`; `profile`; `memory`; `price`.

mod address;
mod branches;
mod codegen;
mod compiled;
mod compiler;
mod dataflow;
mod dependence;
mod loops;
mod memory;
mod model;
mod objects;
mod price;
mod processor;
mod profile;
mod vectorize;
mod whole_program;

#[cfg(test)]
pub(crate) mod tests;

pub use compiled::{CompiledCode, ObjectCode};
pub use model::Source;
pub use price::unknown_rows;

use super::{CostModel, Coverage, LoopTime, Object, Priced, Reuse, Use};
use chronos_activity::{ContextId, Segment, Segments};
use chronos_ir::BlockId;

impl CostModel for Source {
    fn name(&self) -> &'static str {
        if self.compiled.is_some() { "compiled" } else { "source" }
    }

    fn price(&self, segment: &Segment, reuse: &Reuse) -> Priced {
        price::segment::price_segment(self, segment, reuse)
    }

    fn loops(&self, segment: &Segment, reuse: &Reuse) -> Vec<LoopTime> {
        price::explain::loop_times(self, segment, reuse)
    }

    fn uses(&self, segment: &Segment, contexts: &Segments) -> Vec<Vec<Use>> {
        memory::uses::uses(self, segment, contexts)
    }

    fn coverage(&self, block: BlockId) -> Option<Coverage> {
        let scope = self.scope_of[self.first_counters[block.0 as usize].0 as usize]?;
        Some(self.compiled.as_ref()?.outcomes.borrow().get(&(scope as usize))?.coverage())
    }

    fn argument(&self, context: ContextId, call: BlockId, position: usize, contexts: &Segments) -> Option<Object> {
        self.objects.argument(context, call, position, contexts)
    }
}
