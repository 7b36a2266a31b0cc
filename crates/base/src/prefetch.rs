//! Asks the processor to bring memory near that will be needed soon.
//!
//! A replay of many tasks needs something else from far away with every message, mostly several pieces, each found
//! through another one. Asked for early enough they come while other things are done. Asking waits for nothing and
//! changes nothing.

use prefetch_index::prefetch_index;

/// The line of the cache in which something begins.
#[inline]
pub fn prefetch<T>(what: &T) {
    prefetch_index(std::slice::from_ref(what), 0);
}

/// The same for one of several, if there is such a one.
#[inline]
pub fn prefetch_at<T>(all: &[T], position: usize) {
    if let Some(what) = all.get(position) {
        prefetch(what);
    }
}
