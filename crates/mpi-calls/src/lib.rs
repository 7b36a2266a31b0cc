//! The effects of MPI calls of interpreted programs: from arguments to events, and from outcomes to memory.
//!
//! # Purpose
//!
//! The crate joins `chronos_mpi` to the memory of tasks. It decodes arguments, keeps the tables of handles of all
//! tasks, carries known contents of messages from sender to receiver, and works out what a collective operation
//! brings to each member. It knows no time, and the order in which messages arrive is told to it by outcomes. It also
//! does not know how C is interpreted: a task is reached through the trait [`CallEnvironment`].
//!
//! # How it works
//!
//! A call of a task goes through `MpiCalls::begin`, which [`MpiState`] implements, and, where events are needed, through
//! [`MpiCalls::finish`] with the outcome of the last event. `handlers` maps names of functions to what performs them;
//! which arguments a function has, and what it does, stands in its row of the crate `functions`.
//!
//! **Rooms.** Each may use those before it: `interface` (what an evaluation sees of the crate), `data` (buffers and what
//! is in them), `checks::state` and `state` (what MPI keeps between calls), `call` (arguments and results of a call in
//! progress), `collectives`, the other rooms of functions (`point_to_point`, `communicators`, `datatypes`, `windows`,
//! `files`, `environment`), `checks` (the analyses), `handlers`, and `dispatch`, which alone knows all of them.
//!
//! **Unknown arguments.** What is unknown and decides no structure (buffers, displacements) loses contents only. A
//! message of unknown size is matched and takes the mean of the sizes that the same call had before (`call::assumed_sizes`);
//! without an earlier one it counts as empty, which is reported as an error. What decides more (ranks, tags, handles)
//! makes an [`Action::Unknown`].
//!
//! **Contents.** A payload is a list of known scalars at offsets into the packed data (`interface::payload`). When the
//! evaluation folds a loop, it calls [`MpiCalls::repeated`]; the contents of the last period are kept, because the
//! repetitions give the same (`state::repeats`). A receiver that reads them follows its own loop.
//!
//! **Data models.** Tasks may run on machines of several data models (`Options::models`). Then all data in messages has
//! the form of the widest, 64-bit one, in which both ends agree on sizes; a buffer converts its elements as it reads and
//! writes memory (`data::buffer`, `chronos_mpi::Resized`). Files and windows hold the bytes of their task.
//!
//! **Windows.** A window is named by a communicator of its own. Tasks are evaluated apart, so an access goes to an
//! image of the exposed memory, which is taken at each MPI call of its owner. What others wrote comes into the
//! owner's memory at its next call (`windows::exposure`). An access takes effect when it is issued, in the order of simulated
//! time, which the replay keeps for `Operation::Access`, `Lock`, `Unlock` and `Storage`. A dynamic window has an
//! image with a stretch for each piece of attached memory; addresses of such memory travel as numbers
//! (`windows::dynamic`).
//!
//! **Files.** A file is an image too, by name (`files`). What is written with known contents is read back.
//!
//! **Intercommunicators.** An intercommunicator is one communicator of both sides; ranks of messages count in the far
//! one. A collective operation with a root runs on a hidden communicator of the side that is served with the root
//! behind it; one without a root runs on both sides (`collectives::roots_and_sides`).
//!
//! **Functions of the program that MPI calls.** Reduction operators and the functions of attributes are asked for by
//! [`Action::CallBack`], after which `finish` is asked again. Calls of operators are not counted
//! (`collectives::user_operations`, `environment::keyvals`).
//!
//! **Spawned tasks.** Tasks that `MPI_Comm_spawn` starts are the last of the job and stand by from the beginning
//! (`communicators::spawn`). They wait for a message on their own `MPI_COMM_SELF`, start (`Operation::Start`), and meet those who
//! wanted them on the intercommunicator. The crate `predict` evaluates with more and more of them until there are
//! enough.
//!
//! **Correctness.** With `Options::correctness`, `checks` hears of each call with what it reads and writes, of the
//! life of requests, and of accesses of the program to objects that it watches. `checks::ordering::clocks` compares accesses to
//! windows by vector clocks over messages, collective operations and synchronisation; the clocks are kept while there
//! are windows.
//!
//! **Datatypes over several objects.** Addresses of two objects have a difference (`Value::Distance` in the crate
//! `values`), so that a datatype may hold parts of several (`data::cross_object`).
//!
//! # Invariants
//!
//! - Members of a communicator may be several collective operations apart. An instance lives from the first member
//!   that enters it to the last that has finished it (`state::instances`).
//! - A wrong call is reported with its place; it never panics.
//! - Nothing of the correctness analyses is done where nobody asked for them.
//! - What the crate says is known of contents is compared with runs: `tests/contents` brings known and unknown values
//!   to all readers of memory in random programs, which also run under the bundled MPI.
//!
//! # Limits
//!
//! - MPI functions without a model are reported before the evaluation ([`unsupported_calls`]): among them ports
//!   (`MPI_Open_port`, `MPI_Comm_accept`), partitioned communication, generalised requests, `MPI_Type_get_envelope`,
//!   and packing in the external representation.
//! - With free parameters, `MPI_Comm_spawn` is refused.
//! - User-defined reductions are combined from the last member to the first, one of the orders that MPI allows.
//! - Contents beyond the budgets of `state::mpi_state` and `state::repeats` are forgotten: they arrive as unknown values.
//! - The checks see the accesses of loops only while these are interpreted, up to a part of the budget.
//!
//! # Literature
//!
//! - Message Passing Interface Forum: MPI, version 4.0, 2021.
//! - J. Protze and others: MPI runtime error detection with MUST: advanced error reports, Tools for High Performance
//!   Computing 2012; T. Hilbrich and others, SC 2013 (collective matching). See `checks`.
//! - A. Hück and others: Compiler-aided type tracking for correctness checking of MPI applications, Correctness 2018.
//! - L. Lamport, CACM 1978, and F. Mattern 1988: happened-before and vector clocks. Z. Chen and others: MC-Checker,
//!   SC 2014, and S. Schwitanski and others, Correctness 2022: races in windows.

#![forbid(unsafe_code)]

mod call;
mod checks;
mod codes;
mod collectives;
mod communicators;
mod data;
mod datatypes;
mod dispatch;
mod environment;
mod files;
mod handlers;
mod interface;
mod point_to_point;
mod state;
mod static_checks;
mod windows;

#[cfg(test)]
mod tests;

pub use checks::{CODES as CHECK_CODES, DISAGREE};
pub use codes::{ALL as CODES, DATATYPES, MATCHING, MISUSE, TRUNCATION, UNSUPPORTED};
pub use communicators::spawn::REQUEST;
pub use handlers::{moves_messages, supported, takes_call_time};
pub use interface::calls::{Action, MpiCalls, Performed};
pub use interface::environment::{CallEnvironment, Version};
pub use interface::file_names::normalized_file_name;
pub use interface::memory_access::{AccessKind, CScalar, MemoryAccess};
pub use interface::payload::Payload;
pub use state::mpi_state::MpiState;
pub use state::options::Options;
pub use state::windows::addresses::published_address;
pub use static_checks::{own_operations, spawns, unsupported_calls};
