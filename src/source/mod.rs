//! The front end: from C sources to the program.

pub mod lower;
