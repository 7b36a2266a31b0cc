//! Containers by which a replay of a million tasks fits in memory and in the caches.
//!
//! With very many tasks nearly every access is a cache miss, so items have dense 32-bit ids and stand in one piece of
//! memory: a slab with a free list (`slab`), a circular list of table entries per task whose successor is the next
//! one asked for (`task_tables`; move-to-front and its kin are in Knuth, The Art of Computer Programming, vol. 3,
//! sec. 6.1), a list with inline room for few items (`small_list`), totals by key (`keyed_totals`), a call site in
//! eight bytes (`call_site`). This folder must not know what the items mean: neither messages, nor tasks, nor time.

pub(crate) mod call_site;
pub(crate) mod keyed_totals;
pub(crate) mod slab;
pub(crate) mod small_list;
pub(crate) mod task_tables;
