//! The binary: everything is in the library.

#![forbid(unsafe_code)]

fn main() -> chronos::cli::Exit {
    chronos::cli::main()
}
