//! What a change of a program or a system would save: changes, their replays, rankings, tolerance.
//!
//! # Purpose
//!
//! A program is evaluated once; each question about it is another replay of its recorded activity. This crate knows the
//! questions ([`change`]), what they mean for a program ([`resolve`]) and what to make of the answers. It takes and gives
//! plain data: what was evaluated (`chronos_predict`), and the rows of `chronos-whatif/1` (`chronos_report::whatif`).
//!
//! # How it works
//!
//! - **Prices.** Zeroing, virtual speedup and faster tasks replay the same activity with the times of blocks scaled
//!   ([`scope`]), a full replay each, because the critical path moves.
//! - **Systems.** Placements and networks are other targets of the same activity (`place`, `search`).
//! - **Structure.** Moved functions, balance and overlap make another activity, step by step (`structure`).
//! - **Ranking.** What the critical path holds is sped up by 5 to 100 % ([`rank`]).
//! - **Causes of waiting.** Idle time is charged to what the tasks that were waited for did since both met last
//!   ([`mod@causes`]).
//! - **Tolerance.** Parts of the network, and computing, become worse until the total has grown by 1, 2 and 5 %
//!   ([`tolerance`](mod@tolerance)).
//!
//! What an order of arrival decides stays as it was (`chronos_predict::with_recorded_matching`), or is followed again under
//! each change (`chronos_predict::replays`).
//!
//! # Invariants
//!
//! - A change that cannot be made is an error that says why; nothing is left out silently.
//! - A change of nothing (a factor of 1, the same network) gives the base, to the picosecond.
//! - The same changes give the same rows, whatever the number of threads.
//!
//! # Limits
//!
//! - Zeroing a function leaves its decisions as they are: messages and iterations are those of the program as written.
//! - Structural changes unfold repeats ([`structure::MOST_STEPS`]); a search tries at most [`search::MOST_TRIED`]
//!   placements.
//!
//! # Literature
//!
//! - Eom, Hollingsworth: A tool to help tune where computation is performed, IEEE TSE 27(7), 2001 (process and procedure
//!   LBF, networking factor); Hollingsworth 1996 (critical-path zeroing).
//! - Curtsinger, Berger: Coz, SOSP 2015 (virtual speedup).
//! - Böhme, Geimer, Wolf, Arnold: Identifying the root causes of wait states in large-scale parallel applications, ICPP
//!   2010 (delays, and what they pass on).
//! - Shen, Huber, Hoefler and others: LLAMP, SC 2024 (tolerance of latency).
//! - POP centre of excellence (efficiencies); Badia and others 2003 (Dimemas).

#![forbid(unsafe_code)]

pub mod causes;
pub mod change;
pub mod codes;
mod curve;
pub mod efficiencies;
pub mod longest_path;
mod place;
pub mod rank;
pub mod resolve;
pub mod scope;
pub mod search;
pub mod structure;
mod study;
pub mod tolerance;

pub use change::{Change, Combination, is_change, syntax};
pub use codes::ALL as CODES;
pub use resolve::NetworkOptions;
pub use study::Study;
