//! Running the program, and reading the timings that it leaves behind.

use super::build::no_workplace;
use super::codes;
use chronos_base::children::{self, Started};
use chronos_base::diag::{Diagnostic, system_cause};
use chronos_calibrate::build::can_bind;
use chronos_calibrate::host;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// How the program is run.
#[derive(Clone, Debug)]
pub struct Running {
    /// Processes that the launcher starts.
    pub tasks: usize,
    /// Words before the program's name; none for a sequential program.
    pub launcher: Vec<String>,
    /// Arguments of the program, its own name excluded.
    pub arguments: Vec<String>,
    /// The file that it reads as standard input.
    pub stdin: Option<PathBuf>,
    /// After this it is stopped, and the run has failed.
    pub timeout: Duration,
    /// Each run on one processor, the next run on the next: some processors are shared with others unseen, and the
    /// shortest run counts. Only for programs of one thread.
    pub bound: bool,
    /// Threads of a parallel region (`OMP_NUM_THREADS`), where the prediction has several or one.
    pub threads: Option<u32>,
    /// `OMP_SCHEDULE` of the run.
    pub omp_schedule: Option<String>,
}

/// What one process measured of a function: outermost calls only, but for `calls`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Timed {
    /// How often it was called, inner calls of a recursion included.
    pub calls: f64,
    /// Seconds, without what the clock readings cost.
    pub seconds: f64,
}

/// What one process measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Process {
    /// In the order of the functions that were timed.
    pub functions: Vec<Timed>,
    /// Seconds that timing one call costs.
    pub overhead: f64,
}

/// Runs the program for the `number`-th time, in the current folder.
///
/// # Errors
/// It cannot be started, crashes, takes longer than the limit, or leaves no timings.
pub fn run(
    running: &Running,
    number: u32,
    program: &Path,
    folder: &Path,
) -> Result<(Vec<Process>, Vec<Diagnostic>), Diagnostic> {
    let timings = tempfile::tempdir_in(folder).map_err(|error| no_workplace(&error))?;
    let complaints = timings.path().join("stderr.txt");
    let stderr = File::create(&complaints).map_err(|error| no_workplace(&error))?;
    let mut child = start(running, number, program, timings.path(), stderr)?;
    let status = child.wait_for(running.timeout).map_err(|error| failed(&system_cause(&error)))?;
    let stopped = || failed(&format!("it was stopped after {} s (--timeout)", running.timeout.as_secs_f64()));
    let status = status.ok_or_else(stopped)?;
    let mut processes = Vec::new();
    for entry in std::fs::read_dir(timings.path()).map_err(|error| no_workplace(&error))?.flatten() {
        if entry.path() != complaints {
            let text = std::fs::read_to_string(entry.path()).map_err(|error| no_workplace(&error))?;
            processes.push(parse(&text).ok_or_else(|| failed("its timings cannot be read"))?);
        }
    }
    let said = std::fs::read_to_string(&complaints).unwrap_or_default();
    let said =
        said.lines().find(|line| line.contains(char::is_alphabetic)).map_or(String::new(), |line| format!(": {line}"));
    // A program that forks leaves several.
    if processes.len() < running.tasks {
        let ended = if status.success() { "it left no timings".to_owned() } else { format!("it ended with {status}") };
        return Err(failed(&format!("{ended}{said}")));
    }
    let reported = |code: i32| {
        let message = format!("the measured program ended with exit code {code}{said}");
        Diagnostic::warning(&codes::EXIT_CODE, message)
            .help("run it by hand with the same arguments and see what it says")
    };
    Ok((processes, status.code().filter(|&code| code != 0).map(reported).into_iter().collect()))
}

/// Words that bind run `number` to a processor; none where that cannot be done.
fn binding(number: u32) -> Vec<String> {
    let processors = host::allowed_processors();
    let turn = processors.len().checked_sub(1).map(|last| last - number as usize % (last + 1));
    let chosen = turn.filter(|_| can_bind()).map(|turn| processors[turn]);
    chosen.map_or_else(Vec::new, |processor| vec!["taskset".to_owned(), "-c".to_owned(), processor.to_string()])
}

fn start(running: &Running, number: u32, program: &Path, timings: &Path, stderr: File) -> Result<Started, Diagnostic> {
    let stdin = match &running.stdin {
        Some(path) => Stdio::from(File::open(path).map_err(|error| failed(&system_cause(&error)))?),
        None => Stdio::null(),
    };
    let launcher = match running.bound {
        true => binding(number),
        false => running.launcher.clone(),
    };
    let mut command = match launcher.split_first() {
        Some((launcher, words)) => {
            let mut command = Command::new(launcher);
            children::launcher(&mut command).args(words).arg(program);
            command
        }
        None => Command::new(program),
    };
    command.args(&running.arguments).env("CHRONOS_TIMING_DIR", timings);
    if let Some(threads) = running.threads {
        command.env("OMP_NUM_THREADS", threads.to_string());
        if let Some(schedule) = &running.omp_schedule {
            command.env("OMP_SCHEDULE", schedule);
        }
    }
    command.stdin(stdin).stdout(Stdio::null()).stderr(stderr);
    children::start(&mut command).map_err(|error| match running.launcher.first() {
        Some(launcher) => {
            let message = format!("cannot start `{launcher}`: {}", system_cause(&error));
            Diagnostic::error(&codes::NO_MPI, message)
                .help("install an MPI library, or say how it starts programs with --mpirun \"mpirun -np {n}\"")
        }
        None => failed(&system_cause(&error)),
    })
}

fn failed(why: &str) -> Diagnostic {
    Diagnostic::error(&codes::RUN_FAILED, format!("the program does not run to its end here: {why}"))
        .help("run it by hand with the same arguments; a longer limit is given with --timeout SECONDS")
}

/// The file that the runtime writes; `None` where it is not of that form.
fn parse(text: &str) -> Option<Process> {
    let mut lines = text.lines();
    let overhead: Vec<f64> = numbers(lines.next()?.strip_prefix("overhead ")?)?;
    let &[inner, full] = overhead.as_slice() else { return None };
    let function = |line: &str| {
        let numbers = numbers(line.strip_prefix("function ")?)?;
        let &[_, calls, outermost, ns, nested] = numbers.as_slice() else { return None };
        Some(Timed { calls, seconds: (ns - inner * outermost - full * nested).max(0.0) / 1e9 })
    };
    Some(Process { functions: lines.map(function).collect::<Option<_>>()?, overhead: full / 1e9 })
}

fn numbers(text: &str) -> Option<Vec<f64>> {
    text.split(' ').map(|word| word.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clock_readings_are_subtracted() {
        // One outermost call with three pairs inside: 1000 - 1 * 20 - 3 * 50.
        let process = parse("overhead 20 50\nfunction 0 5 1 1000 3\nfunction 1 0 0 0 0\n").expect("well-formed");
        assert_eq!(process.overhead, 50e-9);
        assert_eq!(process.functions[0], Timed { calls: 5.0, seconds: 830e-9 });
        assert_eq!(process.functions[1], Timed::default());
    }

    #[test]
    fn other_text_is_no_timing() {
        for wrong in ["", "overhead 1", "overhead x 1", "overhead 1 2\nfunction 0 1 2", "overhead 1 2\nother 1 2 3 4 5"]
        {
            assert_eq!(parse(wrong), None, "{wrong:?}");
        }
    }
}
