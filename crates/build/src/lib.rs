//! A build, run once to learn which files it compiles, with which flags, and into which executable.
//!
//! A project knows by its makefile what its program consists of; nobody types forty files. Bear and `scan-build` learn it
//! by running the build with programs of their own in front of the compilers, and so does this crate: [`capture`] runs the
//! user's command with a folder first on the search path whose `cc`, `gcc`, `mpicc`, `ar` and so on are links to the
//! running executable. Each of them ([`wrapper::run`]) calls what it stands for and takes down its words
//! ([`record`]). What was compiled and linked ([`steps`]) makes the executables ([`executables`]).
//!
//! Where no MPI is installed, `mpicc` is the C compiler with the bundled MPI, so that a program can be built on a laptop.
//!
//! The crate knows nothing of what the sources mean, and reads no environment variable itself.

#![forbid(unsafe_code)]

pub mod advice;
pub mod codes;
pub mod executables;
pub mod record;
pub mod steps;
pub mod wrapper;

mod capture;
mod database;
mod names;

pub use capture::{Captured, Request, capture};
pub use executables::{Executable, Made, Unit};
