//! The parser: a library, whose recursion needs a large stack.

use lang_c::ast::TranslationUnit;
use lang_c::driver::{Config, Flavor, SyntaxError};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The parser recurses with the nesting of the source; address space that is not touched costs nothing.
pub(crate) const STACK_BYTES: usize = 1 << 30;

/// Does `work` for each index on threads with a large stack; without the results of threads that died.
pub(crate) fn on_threads<T: Send>(count: usize, threads: usize, work: &(dyn Fn(usize) -> T + Sync)) -> Vec<(usize, T)> {
    let next = AtomicUsize::new(0);
    let take = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&index| index < count);
    let run = || std::iter::from_fn(take).map(|index| (index, work(index))).collect::<Vec<_>>();
    std::thread::scope(|scope| {
        let spawn = |_| std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, run).ok();
        let workers: Vec<_> = (0..threads).filter_map(spawn).collect();
        workers.into_iter().filter_map(|worker| worker.join().ok()).flatten().collect()
    })
}

/// Needs stack for the nesting of the source.
pub(crate) fn parse_text(text: String) -> Result<TranslationUnit, SyntaxError> {
    let config = Config { cpp_command: String::new(), cpp_options: Vec::new(), flavor: Flavor::GnuC11 };
    lang_c::driver::parse_preprocessed(&config, text).map(|parsed| parsed.unit)
}
