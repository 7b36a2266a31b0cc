//! The Python module over the command: its own tests, run by the Python that is installed; without one this says so and passes.

use std::path::Path;
use std::process::Command;

#[test]
fn the_module_reads_what_the_command_writes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("python");
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let mut command = Command::new(&python);
    command.args(["-B", "-m", "unittest", "discover", "--start-directory", "tests"]).current_dir(&folder);
    command.env("PYTHONPATH", &folder).env("CHRONOS", assert_cmd::cargo::cargo_bin("chronos"));
    let output = match command.output() {
        Ok(output) => output,
        Err(error) => return eprintln!("left out: {python} cannot be run: {error}"),
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
