//! What C means: every program under testdata/semantics is compiled and run, and evaluated. Both have to
//! come to the same checksum, which is what `main` returns. The same for Arm, by a cross compiler and an emulator, where both are
//! installed.

use chronos::abstract_execution::{ClosedForms, Summariser};
use chronos::activity::{Feed, Outcome, Step, TaskId};
use chronos::frontend::lower::{Settings, lower_sources};
use chronos::frontend::{SourceOptions, read};
use chronos::interpreter::{Evaluator, EvaluatorOptions, NoSummaries};
use chronos::ir::{DataModel, Program};
use chronos::mpi_calls::{MpiState, Options};
use chronos::slicing::Analysis;
use chronos::slicing::Assumptions;
use chronos::values::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

fn programs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/semantics");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("the folder is there").map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "c"));
    files.sort();
    files
}

fn lowered(path: &Path, target: &Target) -> Arc<Program> {
    let cc = format!("cc {}", target.flags.join(" "));
    let options = SourceOptions { files: vec![path.to_owned()], cc, model: target.model, ..SourceOptions::default() };
    let (sources, _) = read(&options).expect("read");
    let (program, diagnostics) = lower_sources(&sources, &Settings::default());
    assert!(diagnostics.iter().all(|d| !d.is_error()), "{}: {diagnostics:?}", path.display());
    Arc::new(program)
}

/// A compiler, and what runs its programs.
struct Target {
    model: DataModel,
    compiler: &'static [&'static str],
    emulator: Option<&'static str>,
    /// What both the compiler and the evaluation are told.
    flags: &'static [&'static str],
}

const HOST: Target = Target { model: DataModel::Lp64, compiler: &["gcc"], emulator: None, flags: &[] };

/// Without contraction, which x86-64 does not have either.
const ARM: Target = Target {
    model: DataModel::Aarch64,
    compiler: &["aarch64-linux-gnu-gcc", "-static", "-ffp-contract=off"],
    emulator: Some("qemu-aarch64"),
    flags: &[],
};

impl Target {
    fn is_installed(&self) -> bool {
        let answers = |program: &str| Command::new(program).arg("--version").output().is_ok();
        answers(self.compiler[0]) && self.emulator.is_none_or(answers)
    }

    fn run(&self, binary: &Path) -> Command {
        let Some(emulator) = self.emulator else { return Command::new(binary) };
        let mut command = Command::new(emulator);
        command.arg(binary);
        command
    }
}

/// What the compiled program returns.
fn compiled(path: &Path, target: &Target) -> i64 {
    let directory = tempfile::tempdir().expect("temporary directory");
    let binary = directory.path().join("program");
    let mut compiler = Command::new(target.compiler[0]);
    compiler.args(&target.compiler[1..]).args(target.flags).args(["-w", "-O0", "-o"]).arg(&binary).arg(path).arg("-lm");
    let status = compiler.status();
    assert!(status.expect("gcc runs").success(), "{}", path.display());
    let run = target.run(&binary).stdout(Stdio::null()).stderr(Stdio::null()).status().expect("it runs");
    i64::from(run.code().expect("it ends by itself"))
}

/// What the evaluation gives, or why it gives nothing.
fn evaluated(program: &Arc<Program>, summariser: Box<dyn Summariser>) -> Result<i64, String> {
    let options = EvaluatorOptions { tasks: 1, ..EvaluatorOptions::default() };
    let calls = MpiState::new(1, Options::default());
    let mut evaluator = Evaluator::new(program.clone(), options, summariser, Box::new(calls));
    while !matches!(evaluator.next(TaskId(0), Outcome::None), Step::End | Step::Stuck) {}
    match evaluator.result(TaskId(0)) {
        Some(Value::Int(n)) => Ok(n & 255),
        other => Err(format!("{other:?}: {}", reasons(&evaluator, other))),
    }
}

fn reasons(evaluator: &Evaluator, value: Option<Value>) -> String {
    let mut text = match value {
        Some(Value::Unknown(reason)) => format!("{:?}\n", evaluator.reasons().chain(reason).collect::<Vec<_>>()),
        _ => String::new(),
    };
    evaluator
        .diagnostics()
        .iter()
        .for_each(|d| text.push_str(&format!("{}: {} {:?}\n", d.code.id, d.message, d.labels)));
    text
}

/// `lenient`: a value may be unknown because it decides about nothing, but it may not be wrong.
fn compare(lenient: bool, target: &Target, files: &[PathBuf], make: impl Fn(&Arc<Program>) -> Box<dyn Summariser>) {
    let mut wrong = String::new();
    for path in files {
        let program = lowered(path, target);
        let expected = compiled(path, target);
        let found = evaluated(&program, make(&program));
        let unknown = matches!(&found, Err(text) if text.starts_with("Some(Unknown"));
        let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        if found != Ok(expected) && !(lenient && unknown) {
            wrong.push_str(&format!("{name}: {expected} expected, {found:?}\n"));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn interpretation_agrees_with_the_compiler() {
    compare(false, &HOST, &programs(), |_| Box::new(NoSummaries));
}

#[test]
fn summaries_agree_with_the_compiler() {
    compare(true, &HOST, &programs(), |program| {
        let assumptions = Assumptions::default();
        let analysis = Analysis::new(program, &assumptions);
        Box::new(ClosedForms::new(program.clone(), analysis, assumptions))
    });
}

/// Programs that are about x86 alone.
const X86: &[&str] = &["extended.c"];

#[test]
fn interpretation_agrees_with_the_compiler_for_arm() {
    if !ARM.is_installed() {
        return;
    }
    let mut files = programs();
    files.retain(|path| !X86.iter().any(|name| path.ends_with(name)));
    compare(false, &ARM, &files, |_| Box::new(NoSummaries));
}

/// Types and layout as flags ask for them.
#[test]
fn flags_of_types_and_layout_mean_what_they_mean_to_the_compiler() {
    const FLAGS: &[&[&str]] = &[
        &[],
        &["-funsigned-char"],
        &["-funsigned-char", "-fsigned-char"],
        &["-fshort-enums"],
        &["-fpack-struct"],
        &["-fpack-struct=2", "-fshort-enums"],
    ];
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/semantics/flags/dialect.c");
    for flags in FLAGS {
        compare(false, &Target { flags, ..HOST }, std::slice::from_ref(&file), |_| Box::new(NoSummaries));
    }
}
