//! The script of `--slurm`, given to a real Slurm: one of a single node on this computer, which `tests/slurm/loopback.sh` starts for the test.

use std::path::Path;
use std::process::{Command, Output};

/// How the script that starts Slurm ends where there is none to be had.
const LEFT_OUT: i32 = 77;

const SWEEP: [&str; 8] =
    ["predict", "lu.c", "--machine", "pentium2-350", "--sweep", "N=10,20,30,40,50", "--resume", "results"];

fn chronos(folder: &Path, more: &[&str]) -> Output {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin("chronos"));
    let output = command.args(SWEEP).args(more).current_dir(folder).output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

/// Names and contents of all that is kept.
fn kept(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let files = std::fs::read_dir(folder.join("results")).expect("results").map(|file| file.expect("a file").path());
    let mut kept: Vec<_> =
        files.map(|file| (file.display().to_string(), std::fs::read(&file).expect("readable"))).collect();
    kept.sort();
    kept
}

#[test]
fn a_job_array_predicts_a_sweep_and_the_command_takes_it_from_the_folder() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path();
    std::fs::copy(root.join("testdata/sequential/lu.c"), place.join("lu.c")).expect("it is copied");
    let script = chronos(place, &["--slurm", "3"]).stdout;
    assert!(!place.join("results").exists(), "the script alone predicts nothing");
    std::fs::write(place.join("sweep.sh"), script).expect("it is written");
    // The jobs find the command as those of a user do: in the PATH.
    let binary = assert_cmd::cargo::cargo_bin("chronos");
    let path = std::env::join_paths(
        std::iter::once(binary.parent().expect("a folder").to_path_buf())
            .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
    );
    let mut slurm = Command::new(root.join("tests/slurm/loopback.sh"));
    slurm.arg(place.join("slurm")).args(["sbatch", "--wait", "--output=job-%a.txt", "sweep.sh"]);
    let ran = slurm.env("PATH", path.expect("a path")).current_dir(place).output().expect("it runs");
    let told = String::from_utf8_lossy(&ran.stderr);
    if ran.status.code() == Some(LEFT_OUT) {
        return eprintln!("{told}");
    }
    let jobs: Vec<_> = (1..=3).map(|job| std::fs::read_to_string(place.join(format!("job-{job}.txt")))).collect();
    assert!(ran.status.success(), "{told} {jobs:?}");
    let by_jobs = kept(place);
    assert_eq!(by_jobs.len(), 5, "{jobs:?}");
    let joined = chronos(place, &["--format", "csv"]).stdout;
    assert!(kept(place) == by_jobs, "the command predicted anew what jobs had kept");
    std::fs::remove_dir_all(place.join("results")).expect("it is removed");
    assert_eq!(joined, chronos(place, &["--format", "csv"]).stdout);
}
