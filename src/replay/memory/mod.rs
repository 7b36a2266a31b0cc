//! TODO

pub mod call_site;
pub mod keyed_totals;
pub mod slab;
pub mod small_list;
pub mod task_tables;
