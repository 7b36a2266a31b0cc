//! Integer sets, quasi-polynomials and linear forms: the number of integer points of a set as an expression of
//! parameters.
//!
//! # Purpose
//!
//! Crate `chronos_abstract_execution` describes the executions of a block as a set of integer points. This crate
//! counts them: `quasi::count` gives the number of solutions of linear constraints with floors and congruences, and
//! `quasi::sum` the sum of a polynomial over them. The result is a number, or a `QuasiPolynomial` of the symbols that
//! are left free. The crate knows nothing of programs and machines.
//!
//! # How it works
//!
//! - `linear` has linear (affine) forms with checked 128-bit coefficients, which counting, static initialisers and
//!   addresses share.
//! - `quasi` describes a set as a `Domain`: a union of conjunctions of `Constraint`s. Overlapping conjunctions are
//!   made disjoint by isl first (`quasi/isl.rs`), so that a point counts once.
//! - `quasi/sum.rs` sums over one symbol at a time. A symbol is determined by an equality or a congruence, or it is
//!   summed between its bounds by Faulhaber's formula. Where several bounds compete, the sum is split into several
//!   domains.
//! - `quasi/feasible.rs` drops empty domains and redundant inequalities by Fourier-Motzkin elimination with tightened
//!   constants.
//! - `quasi/polynomial.rs` and `quasi/piecewise.rs` hold the results: pieces, each with a condition on the parameters;
//!   the value is the sum of the polynomials of all pieces whose condition holds. `quasi/tidy.rs` makes fewer pieces
//!   of them.
//! - `quasi/display.rs` writes an expression as text, as LaTeX and as Python.
//!
//! # Invariants
//!
//! - All results are exact. Coefficients are rational numbers (`quasi/number.rs`) that leave machine words where they
//!   have to. An overflow is an error, never a wrong number.
//! - Nothing is enumerated; time does not depend on the size of a set.
//! - isl is used in `quasi/isl.rs` alone, with one context per thread that never leaves the thread. isl prints
//!   nothing, and its errors and used-up budgets are values (`QuasiError`).
//! - Equal floors have one normal form, so that they compare equal and cancel.
//!
//! # Limits
//!
//! - Work is bounded by `Limits`: operations of isl, and steps of the summation. A count that needs more is an error.
//! - Coefficients of constraints have 128 bits, and 64 bits where isl is needed.
//! - The test for emptiness (`quasi/feasible.rs`) errs towards "not empty" and does not look at congruences.
//! - Sums with bounds that are no linear forms (ratios of counters, powers, logarithms) have no quasi-polynomial; the
//!   caller handles them.
//!
//! # Literature
//!
//! - E. Ehrhart, 1962, and P. Clauss, "Counting solutions to linear and nonlinear constraints through Ehrhart
//!   polynomials", ICS 1996: the number of integer points of a parametric polytope is a quasi-polynomial.
//! - W. Pugh, "Counting solutions to Presburger formulas: how and why", PLDI 1994: counting by summation over one
//!   variable after the other.
//! - D. Knuth, "Johann Faulhaber and sums of powers", Mathematics of Computation 61, 1993: the sums of powers.
//! - S. Verdoolaege, R. Seghir, K. Beyls, V. Loechner, M. Bruynooghe, "Counting integer points in parametric polytopes
//!   using Barvinok's rational functions", Algorithmica 48, 2007: barvinok, with which the tests compare counts of
//!   random sets.
//! - S. Verdoolaege, "isl: an integer set library for the polyhedral model", ICMS 2010.

#![forbid(unsafe_code)]

pub mod linear;
pub mod quasi;
