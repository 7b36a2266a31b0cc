//! What tests see of summaries of functions, and decide about them.

use chronos_ir::FuncId;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

thread_local! {
    /// Functions are executed at every call.
    pub static IN_PLACE: Cell<bool> = const { Cell::new(false) };
    /// How often the body of a function was executed.
    pub static EXECUTED: RefCell<BTreeMap<FuncId, u32>> = const { RefCell::new(BTreeMap::new()) };
}

thread_local! {
    /// Calls that took a summary.
    pub static TAKEN: Cell<u32> = const { Cell::new(0) };
}

/// Notes that the body of a function is executed.
pub fn note(function: FuncId) {
    EXECUTED.with_borrow_mut(|executed| *executed.entry(function).or_default() += 1);
}
