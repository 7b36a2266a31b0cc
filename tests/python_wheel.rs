//! The wheel for pip: installed into a fresh environment without a network, away from the repository, it predicts; and the notebook
//! beside the module is executed in one that has pandas. What cannot be made here (no Python, packages that cannot be fetched) is said.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Predicts, counts and sweeps with what is installed, and ends with an error where something else than the wheel answers.
const USE: &str = r#"
import os, sys
import chronos_predict as chronos
assert chronos.__file__.startswith(sys.prefix), chronos.__file__
one = chronos.predict("lu.c", machine="epyc-zen5-gcc12-O2")
assert one.interval_s[0] <= one.total_s <= one.interval_s[1], one
records = lambda frame: frame if isinstance(frame, list) else frame.to_dict("records")
assert max(row["count"] for row in records(chronos.count("lu.c").lines())) > 10000
rows = records(chronos.sweep("lu.c", machine="pentium2-350", values={"N": [20, 40]}))
assert [row["N"] for row in rows] == [20, 40] and rows[0]["total_s"] < rows[1]["total_s"], rows
print(chronos.to_sympy and type(chronos.sweep("lu.c", machine="pentium2-350")).__name__)
"#;

const EXECUTE: &str = r"
import sys, nbformat, nbclient
notebook = nbformat.read(sys.argv[1], 4)
nbclient.NotebookClient(notebook, timeout=None, kernel_name='python3').execute()
cells = [cell for cell in notebook.cells if cell.cell_type == 'code']
empty = [cell.source for cell in cells[1:] if not cell.outputs]
assert not empty, empty
print(sum('text/html' in output.get('data', {}) for cell in cells for output in cell.outputs))
";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn told(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// A fresh environment, and the wheel that package.sh makes of the binary under test; the reason where there is none.
fn environment(folder: &Path) -> Result<(PathBuf, PathBuf), String> {
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let made = Command::new(&python).args(["-m", "venv"]).arg(folder.join("venv")).output();
    let made = made.map_err(|error| format!("{python} cannot be run: {error}"))?;
    if !made.status.success() {
        return Err(format!("{python} makes no environments: {}", told(&made)));
    }
    let python = folder.join("venv/bin/python");
    pip(&python, &["setuptools", "wheel"])?;
    let mut package = Command::new(root().join("package.sh"));
    package.arg("wheel").env("BINARY", assert_cmd::cargo::cargo_bin("chronos")).env("PYTHON", &python);
    let made = package.env("TARGET_DIR", folder).output().expect("it runs");
    assert!(made.status.success(), "{}", told(&made));
    let wheel = String::from_utf8_lossy(&made.stdout).trim().to_owned();
    Ok((python, PathBuf::from(wheel)))
}

/// Installs packages of others, which the network has to give.
fn pip(python: &Path, packages: &[&str]) -> Result<(), String> {
    let mut pip = Command::new(python);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1"]).args(packages);
    let ran = pip.output().expect("it runs");
    if ran.status.success() { Ok(()) } else { Err(format!("pip cannot fetch {packages:?}: {}", told(&ran))) }
}

/// Runs a program of Python in a folder, with nothing of this repository in its environment.
fn in_python(python: &Path, folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new(python);
    command.args(arguments).current_dir(folder).env_remove("CHRONOS").env_remove("PYTHONPATH");
    let ran = command.output().expect("it runs");
    assert!(ran.status.success(), "{}", told(&ran));
    String::from_utf8_lossy(&ran.stdout).trim().to_owned()
}

#[test]
fn a_wheel_predicts_wherever_it_is_installed_and_the_notebook_is_executed() {
    let folder = tempfile::tempdir().expect("a folder");
    let (python, wheel) = match environment(folder.path()) {
        Ok(made) => made,
        Err(reason) => return eprintln!("left out: {reason}"),
    };
    let name = wheel.file_name().expect("a name").to_string_lossy().into_owned();
    assert!(name.starts_with("chronos_predict-") && name.contains("-py3-none-manylinux_"), "{name}");
    let install = ["-m", "pip", "install", "--quiet", "--no-index"].map(str::to_owned);
    let installed = Command::new(&python).args(install).arg(&wheel).output().expect("it runs");
    assert!(installed.status.success(), "{}", told(&installed));
    let place = folder.path().join("away");
    std::fs::create_dir(&place).expect("it is made");
    std::fs::copy(root().join("testdata/sequential/lu.c"), place.join("lu.c")).expect("it is copied");
    assert_eq!(in_python(&python, &place, &["-c", USE]), "list");
    let version = Command::new(folder.path().join("venv/bin/chronos")).arg("--version").output().expect("it is there");
    assert!(version.status.success());
    if let Err(reason) = pip(&python, &["pandas", "matplotlib", "nbclient", "nbformat", "ipykernel"]) {
        return eprintln!("left out: frames of pandas and the notebook: {reason}");
    }
    assert_eq!(in_python(&python, &place, &["-c", USE]), "DataFrame");
    let notebook = root().join("python/examples/heat.ipynb").display().to_string();
    let frames = in_python(&python, &place, &["-c", EXECUTE, &notebook]);
    assert!(frames.parse::<u32>().is_ok_and(|frames| frames >= 5), "{frames}");
}
