//! How large objects are: by their type, or told by the calls of allocators that ran. What data chooses an element of
//! stays within its object.

use crate::source::address::place::Root;
use crate::source::whole_program::allocations::Allocations;
use chronos_activity::Segment;
use chronos_base::hash::FxHashMap;
use chronos_ir::{BlockId, CounterId, Program, Storage, VarId};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// Bytes after which first-level caches begin again with their first set: addresses within a page choose it.
pub(crate) const SET_BYTES: u64 = 4096;

/// Where objects begin within the range of addresses that chooses a set of the first level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begin {
    /// Variables of whole pages: compilers and linkers lay them out one behind the other.
    Static,
    Automatic,
    /// Allocations that the C library maps by themselves: all of them begin at the same place of a page.
    Mapped,
}

/// From so many bytes on, an allocator maps each object by itself: `M_MMAP_THRESHOLD` of glibc, see mallopt(3).
const MAPPED_BYTES: f64 = 131_072.0;

/// Sizes of what addresses are found from.
#[derive(Clone, Debug)]
pub struct Sizes {
    /// Bytes of variables.
    variables: FxHashMap<VarId, f64>,
    /// Variables on the stack.
    automatic: BTreeSet<VarId>,
    /// By pointer, the calls of allocators that made all it ever holds.
    made_by: FxHashMap<VarId, BTreeSet<BlockId>>,
    /// By such a call, the counter of its executions.
    counters: FxHashMap<BlockId, CounterId>,
    /// Bytes that a call gave at most, as far as it ran.
    given: RefCell<FxHashMap<BlockId, f64>>,
}

impl Sizes {
    /// Linear in the size of the program.
    pub fn new(program: &Program, allocations: &Allocations) -> Self {
        let made_by = allocations.calls();
        let bytes = |variable: &chronos_ir::Variable| program.types.size(variable.ty, program.model) as f64;
        Self {
            variables: program.variables.iter().map(|(id, variable)| (id, bytes(variable))).collect(),
            counters: made_by.values().flatten().map(|&call| (call, program.blocks[call].counter(0))).collect(),
            automatic: program
                .variables
                .iter()
                .filter(|(_, v)| v.storage == Storage::Local)
                .map(|(id, _)| id)
                .collect(),
            made_by,
            given: RefCell::default(),
        }
    }

    /// What the allocators of a segment gave: it may be used in another one.
    pub fn learn(&self, segment: &Segment) {
        for &(context, call, bytes) in &segment.volumes {
            let Some(&counter) = self.counters.get(&call) else { continue };
            let at =
                segment.counts.binary_search_by_key(&(context, counter), |&(context, counter, _)| (context, counter));
            let executed = at.ok().and_then(|at| segment.counts[at].2.as_f64());
            if let Some(executed) = executed.filter(|&executed| executed > 0.0) {
                let mut given = self.given.borrow_mut();
                // An allocation in a loop counts with its mean, several with the largest.
                let most = given.entry(call).or_insert(0.0);
                *most = most.max(bytes / executed);
            }
        }
    }

    /// Bytes of the largest object that a root may stand for; infinite where that is not known.
    pub fn of(&self, root: &Root) -> f64 {
        let known = match root {
            Root::Object(variable) => self.variables.get(variable).copied().filter(|&bytes| bytes > 0.0),
            Root::Pointer(pointer) => self.made_by.get(pointer).and_then(|calls| self.largest(calls)),
            Root::Value(_) => None,
        };
        known.unwrap_or(f64::INFINITY)
    }

    /// Where what a root stands for begins in its page; `None` where that may be anywhere.
    pub fn begin(&self, root: &Root) -> Option<Begin> {
        let bytes = Some(self.of(root)).filter(|bytes| bytes.is_finite())?;
        match root {
            Root::Object(variable) if bytes % SET_BYTES as f64 == 0.0 => {
                Some(if self.automatic.contains(variable) { Begin::Automatic } else { Begin::Static })
            }
            Root::Pointer(_) if bytes >= MAPPED_BYTES => Some(Begin::Mapped),
            _ => None,
        }
    }

    fn largest(&self, calls: &BTreeSet<BlockId>) -> Option<f64> {
        let given = self.given.borrow();
        let all: Option<Vec<f64>> = calls.iter().map(|call| given.get(call).copied()).collect();
        all?.into_iter().reduce(f64::max)
    }
}
