//! Calls of pure functions that were followed before, and those that are being recorded.

use crate::code::purity::Purity;
use crate::state::open_counts::Layer;
use chronos_activity::{ContextId, Count};
use chronos_base::hash::FxHashMap;
use chronos_ir::FuncId;
use chronos_values::Value;
use std::sync::Arc;

/// All that the course of a pure call depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CallKey {
    pub(crate) function: FuncId,
    pub(crate) context: ContextId,
    pub(crate) values: Box<[(u8, u64)]>,
}

/// What a call did.
#[derive(Clone, Debug)]
pub(crate) struct CallDone {
    pub(crate) counts: Layer,
    pub(crate) result: Option<Value>,
    pub(crate) written: Box<[(u32, Value)]>,
    /// Added to integer globals.
    pub(crate) added: Box<[(u32, i64)]>,
    /// What following it took.
    pub(crate) operations: u64,
}

/// A call that is under way and will be remembered.
#[derive(Clone, Debug)]
pub struct Recording {
    pub(crate) key: CallKey,
    /// Active frames, its own included.
    pub(crate) depth: usize,
    pub(crate) weight: Count,
    pub(crate) splits: usize,
    /// What was counted before, outside.
    pub(crate) outside: Layer,
    pub(crate) purity: Arc<Purity>,
    /// The sums before the call.
    pub(crate) before: Box<[i64]>,
    /// Operations of the task before the call.
    pub(crate) spent: u64,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct WatchedFunction {
    /// `None`: not pure, not worth it, or its calls hardly repeat.
    pub(crate) purity: Option<Arc<Purity>>,
    pub(crate) hits: u64,
    pub(crate) misses: u64,
    /// Operations for which calls that are remembered are followed all the same.
    pub(crate) learning: u64,
}

/// Calls of pure functions so far, of all tasks.
#[derive(Debug, Default)]
pub(crate) struct Memos {
    /// Every call is followed: the judge in tests.
    pub off: bool,
    /// By function.
    pub(crate) watched: Vec<Option<WatchedFunction>>,
    pub(crate) done: FxHashMap<CallKey, Arc<CallDone>>,
}
