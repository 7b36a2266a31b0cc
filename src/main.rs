//! The binary: everything is in the library.

fn main() -> chronos::cli::Exit {
    chronos::cli::main()
}
