//! A generated program of thousands of functions goes all the way; how long that takes is measured by
//! `benches/whole_program.rs`.

#[path = "../benches/large/mod.rs"]
mod large;

use chronos::frontend::{SourceOptions, program};
use chronos::ir::verify;
use chronos::slicing::Analysis;
use chronos::slicing::Assumptions;

#[test]
fn a_program_of_thousands_of_functions_is_analysed() {
    const MODULES: usize = 24;
    let folder = tempfile::tempdir().expect("a temporary directory can be made");
    let files = large::write(folder.path(), MODULES).expect("the directory is writable");
    let lines: usize = files.iter().map(|f| std::fs::read_to_string(f).expect("written").lines().count()).sum();
    assert!(lines > MODULES * large::MODULE_LINES, "{lines}");
    let (program, _, diagnostics) = program(&SourceOptions { files, ..SourceOptions::default() });
    let said: Vec<_> = diagnostics.iter().map(|diagnostic| &diagnostic.message).collect();
    assert!(said.is_empty(), "{said:?}");
    let program = program.expect("no diagnostic is an error");
    assert_eq!(verify::verify(&program), Vec::<String>::new());
    assert!(program.functions.len() > 2_000, "{}", program.functions.len());
    let analysis = Analysis::new(&program, &Assumptions::default());
    let main = program.main.expect("the driver defines it");
    assert!(program.functions[main].effects.reaches_mpi);
    assert!(program.blocks.ids().any(|block| analysis.reaches_mpi(block)));
}
