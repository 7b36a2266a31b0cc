//! OpenMP: directives become C with calls of `__chronos_omp_...`, which the evaluation of a program understands.
//!
//! The parser knows no pragmas inside functions. So the preprocessed text is rewritten before it is parsed: a directive
//! gives way to statements on its own line, the statement behind it stays where it is, and what ends the construct stands
//! behind it on its last line. Lines stay where they are. Copies of variables (`private`, `reduction`, ...) are variables of
//! the same name and type in an inner block, so that C's own scopes say which one is meant.
//!
//! A directive that is not modelled stays in the text, and [`super::pragmas`] refuses it by name.
//!
//! The module knows the text alone: neither types, nor how many threads there are.
//!
//! Literature: OpenMP Application Programming Interface, version 4.5, November 2015, chapter 2.

mod canonical;
mod clauses;
mod composites;
mod constructs;
mod copies;
mod declared;
mod devices;
mod loops;
mod modelled;
mod nests;
mod rewriter;
mod statements;
mod tasks;
#[cfg(test)]
mod tests;
mod written;

/// What a unit becomes.
#[derive(Debug)]
pub(crate) struct Rewritten {
    /// With calls in place of directives.
    pub text: String,
    /// Names of `threadprivate` directives.
    pub threadprivate: Vec<String>,
}

/// Declarations of what the rewritten text calls.
pub(crate) const DECLARATIONS: &str = "void __chronos_omp_fork(int, int, int); void __chronos_omp_join(void); \
    void __chronos_omp_barrier(void); void __chronos_omp_flush(void); int __chronos_omp_single(void); \
    int __chronos_omp_master(void); int __chronos_omp_section(int, int); void __chronos_omp_critical(int); \
    void __chronos_omp_atomic(void); void __chronos_omp_task(void); void __chronos_omp_ordered(int); \
    void __chronos_omp_tasks(long, long, long, long, long, int); void __chronos_omp_team(int, int, int); \
    void __chronos_omp_loop(int, long, long, long, long, int); void __chronos_omp_nest(int, int, ...); \
    void __chronos_omp_scalar(); void __chronos_omp_shared(); void __chronos_omp_own(); void __chronos_omp_target(int); \
    void __chronos_omp_task_begin(int); void __chronos_omp_task_end(void); long __chronos_omp_range(int); \
    int __chronos_omp_last(void); ";

/// Rewrites the directives of a preprocessed text.
pub(crate) fn rewrite(text: &str) -> Rewritten {
    rewriter::Rewriter::new(text).run()
}

/// What stands behind `#pragma omp` in a line.
pub(crate) fn directive_of(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("pragma")?;
    let rest = rest.trim_start().strip_prefix("omp")?;
    rest.starts_with([' ', '\t']).then(|| rest.trim())
}
