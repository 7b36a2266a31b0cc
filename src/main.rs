//! The binary: everything is in the library.

#![forbid(unsafe_code)]

/// Tasks are many small objects that live alike: with thousands of them the allocator of the C library takes a fifth of the time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    chronos::cli::main()
}
