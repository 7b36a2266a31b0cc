//! Building and running the microbenchmarks in a directory of their own.

use super::codes;
use chronos_base::children;
use chronos_base::diag::{Diagnostic, system_cause};
use chronos_base::hash::FxHashMap;
use chronos_base::temporary::Folder;
use chronos_ir::DataModel;
use chronos_machine::Architecture;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// The header that all microbenchmarks include.
pub const HARNESS: &str = include_str!("../microbench/harness.h");

/// A temporary directory with the sources, and the compiler.
pub struct Workshop<'a> {
    directory: Folder,
    command: &'a str,
    flags: &'a [String],
}

/// A program that was built; it lives as long as its workshop.
pub struct Built {
    /// Name of its source, without the ending.
    pub name: String,
    path: PathBuf,
}

impl<'a> Workshop<'a> {
    /// # Errors
    /// No compiler named; the temporary directory cannot be made.
    pub fn open(compiler: &'a [String]) -> Result<Self, Diagnostic> {
        let Some((command, flags)) = compiler.split_first() else {
            let error = Diagnostic::error(&codes::NO_COMPILER, "no compiler is named");
            return Err(error.help("give a command with flags, such as --cc \"gcc -O2\""));
        };
        let directory = Folder::new().map_err(|error| no_temporary(&error))?;
        std::fs::write(directory.path().join("harness.h"), HARNESS).map_err(|error| no_temporary(&error))?;
        Ok(Self { directory, command, flags })
    }

    /// Builds a program with the user's flags and `extra` behind them.
    ///
    /// # Errors
    /// The compiler cannot be started or refuses the source.
    pub fn build(&self, name: &str, source: &str, extra: &[String]) -> Result<Built, Diagnostic> {
        self.build_linked(name, source, extra, &[])
    }

    /// The same, linked with what `link` says behind the source.
    ///
    /// # Errors
    /// As for [`Workshop::build`].
    pub fn build_linked(
        &self,
        name: &str,
        source: &str,
        extra: &[String],
        link: &[String],
    ) -> Result<Built, Diagnostic> {
        let file = format!("{name}.c");
        std::fs::write(self.directory.path().join(&file), source).map_err(|error| no_temporary(&error))?;
        let mut compiler = Command::new(self.command);
        compiler.args(self.flags).args(extra).args(["-w", "-o", name, &file]).args(link).arg("-lm");
        let output =
            children::output(compiler.current_dir(self.directory.path())).map_err(|error| self.no_compiler(&error))?;
        if !output.status.success() {
            return Err(self.refused(name, &output));
        }
        Ok(Built { name: name.to_owned(), path: self.directory.path().join(name) })
    }

    /// The assembly of a source with the user's flags and `extra` behind them.
    ///
    /// # Errors
    /// As for [`Workshop::build`].
    pub fn assembly(&self, name: &str, source: &str, extra: &[String]) -> Result<String, Diagnostic> {
        let file = format!("{name}.c");
        std::fs::write(self.directory.path().join(&file), source).map_err(|error| no_temporary(&error))?;
        let mut compiler = Command::new(self.command);
        compiler.args(self.flags).args(extra).args(["-w", "-S", "-o", "-", &file]);
        let output =
            children::output(compiler.current_dir(self.directory.path())).map_err(|error| self.no_compiler(&error))?;
        match output.status.success() {
            true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
            false => Err(self.refused(name, &output)),
        }
    }

    /// Builds the microbenchmark of the clock, in a folder that outlives the workshop.
    ///
    /// # Errors
    /// As for [`Workshop::build`].
    pub fn build_clock(self) -> Result<(Built, Folder), Diagnostic> {
        let built = self.build("clock", include_str!("../microbench/clock.c"), &["-O1".to_owned()])?;
        Ok((built, self.directory))
    }

    /// What the compiler predefines with the user's flags.
    ///
    /// # Errors
    /// The compiler cannot be started or refuses the flags.
    pub fn macros(&self) -> Result<Macros, Diagnostic> {
        let empty = self.directory.path().join("empty.c");
        std::fs::write(&empty, "").map_err(|error| no_temporary(&error))?;
        let mut compiler = Command::new(self.command);
        compiler.args(self.flags).args(["-w", "-dM", "-E"]).arg(&empty);
        let output = children::output(&mut compiler).map_err(|error| self.no_compiler(&error))?;
        if !output.status.success() {
            return Err(self.refused("empty", &output));
        }
        Ok(Macros::parse(&String::from_utf8_lossy(&output.stdout)))
    }

    fn no_compiler(&self, error: &std::io::Error) -> Diagnostic {
        Diagnostic::error(
            &codes::NO_COMPILER,
            format!("cannot start the compiler `{}`: {}", self.command, system_cause(error)),
        )
        .help("install it, or name another one, such as --cc \"gcc -O2\"")
    }

    fn refused(&self, name: &str, output: &Output) -> Diagnostic {
        let text = String::from_utf8_lossy(&output.stderr);
        // What the linker says of a missing function or library tells more than that it failed.
        let named = ["undefined reference", "cannot find", "error"];
        let first = |part: &str| text.lines().find(|line| line.contains(part));
        let complaint = named.iter().find_map(|part| first(part)).or(text.lines().next()).unwrap_or("no message");
        let command = std::iter::once(self.command).chain(self.flags.iter().map(String::as_str));
        let command = command.collect::<Vec<_>>().join(" ");
        Diagnostic::error(
            &codes::BUILD_FAILED,
            format!("`{command}` does not compile the microbenchmark {name}: {complaint}"),
        )
        .help("check the flags given with --cc; gcc and clang are supported")
    }
}

/// How a program is run.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// Processor that it is bound to, where the system can do that.
    pub processor: u32,
    /// Time spent on a result at most.
    pub milliseconds: f64,
    /// Exactly that time, so that copies stay in step.
    pub steady: bool,
    /// Results that are wanted; empty: all.
    pub names: Vec<String>,
}

impl Run {
    fn arguments(&self) -> Vec<String> {
        let steady = self.steady.then(|| "steady".to_owned());
        std::iter::once(self.milliseconds.to_string()).chain(steady).chain(self.names.iter().cloned()).collect()
    }
}

impl Built {
    /// Runs the program bound to a processor, where the system can do that, and returns what it printed.
    ///
    /// # Errors
    /// It cannot be started, or ends with a failure.
    pub fn run(&self, run: &Run) -> Result<String, Diagnostic> {
        let output = match children::output(&mut self.bound(run)) {
            Ok(output) if output.status.success() => output,
            _ => children::output(&mut self.free(run)).map_err(|error| self.failed(&error.to_string()))?,
        };
        self.printed(&output)
    }

    /// Runs the program on whatever processors the system gives its threads, and returns what it printed.
    ///
    /// # Errors
    /// As for [`Built::run`].
    pub(crate) fn run_anywhere(&self, run: &Run) -> Result<String, Diagnostic> {
        let output = children::output(&mut self.free(run)).map_err(|error| self.failed(&error.to_string()))?;
        self.printed(&output)
    }

    /// Runs copies at the same time, each bound to a processor of its own, and returns what each printed.
    ///
    /// # Errors
    /// One of them cannot be started, or ends with a failure.
    pub(crate) fn run_together(&self, runs: &[Run]) -> Result<Vec<String>, Diagnostic> {
        let copies: Vec<_> = runs
            .iter()
            .map(|run| {
                let mut command = if can_bind() { self.bound(run) } else { self.free(run) };
                let command = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
                children::start(command).map_err(|error| self.failed(&error.to_string()))
            })
            .collect::<Result<_, Diagnostic>>()?;
        let outputs = copies.into_iter().map(|copy| {
            let output = copy.output().map_err(|error| self.failed(&error.to_string()))?;
            self.printed(&output)
        });
        outputs.collect()
    }

    fn bound(&self, run: &Run) -> Command {
        let mut command = Command::new("taskset");
        command.args(["-c", &run.processor.to_string()]).arg(&self.path).args(run.arguments());
        command
    }

    fn free(&self, run: &Run) -> Command {
        let mut command = Command::new(&self.path);
        command.args(run.arguments());
        command
    }

    fn printed(&self, output: &Output) -> Result<String, Diagnostic> {
        if !output.status.success() {
            return Err(self.failed(&output.status.to_string()));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    fn failed(&self, why: &str) -> Diagnostic {
        Diagnostic::error(&codes::RUN_FAILED, format!("the microbenchmark {} did not run: {why}", self.name))
            .help("calibrate on the machine that the flags are for; -march must suit its processor")
    }
}

/// Whether the system has a command that binds a program to a processor.
pub fn can_bind() -> bool {
    children::output(Command::new("taskset").arg("--version")).is_ok_and(|output| output.status.success())
}

pub(super) fn no_temporary(error: &std::io::Error) -> Diagnostic {
    Diagnostic::error(&codes::NO_TEMPORARY, format!("cannot write to the temporary directory: {}", system_cause(error)))
        .help("free some space there, or set TMPDIR")
}

/// What a compiler predefines with its flags: facts about the target.
#[derive(Clone, Debug, Default)]
pub struct Macros(FxHashMap<String, String>);

impl Macros {
    /// Reads lines `#define NAME VALUE`.
    pub fn parse(text: &str) -> Self {
        let definitions = text.lines().filter_map(|line| {
            let (name, value) = line.strip_prefix("#define ")?.split_once(' ')?;
            Some((name.to_owned(), value.to_owned()))
        });
        Self(definitions.collect())
    }

    /// Whether the macro is defined.
    pub fn defined(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// 0 where it is not defined or no number.
    pub fn number(&self, name: &str) -> u64 {
        self.0.get(name).and_then(|value| value.parse().ok()).unwrap_or(0)
    }

    /// The data model of the target, by its size of a pointer.
    pub fn data_model(&self) -> DataModel {
        if self.number("__SIZEOF_POINTER__") == 4 { DataModel::Ilp32 } else { DataModel::Lp64 }
    }

    /// The instruction set of the target; `None` where it is another one than machine files name.
    pub fn architecture(&self) -> Option<Architecture> {
        let known = [
            ("__aarch64__", Architecture::Aarch64),
            ("__x86_64__", Architecture::X86_64),
            ("__i386__", Architecture::X86),
        ];
        // x32 has the registers of one and the types of the other.
        let defined = known.into_iter().find(|(name, _)| self.defined(name)).map(|(_, architecture)| architecture);
        let is_small = self.data_model() == DataModel::Ilp32;
        defined.filter(|&architecture| (architecture == Architecture::X86) == is_small)
    }

    /// Widths of the vectors that the target has, in bits, the widest first.
    pub(crate) fn vector_widths(&self) -> impl Iterator<Item = u32> {
        let widths = [("__AVX512F__", 512), ("__AVX__", 256), ("__SSE2__", 128), ("__ARM_NEON", 128)];
        widths.into_iter().filter(|(name, _)| self.defined(name)).map(|(_, bits)| bits)
    }

    /// The widest vectors that the target has.
    pub fn vector_bits(&self) -> Option<u32> {
        self.vector_widths().next()
    }

    /// Whether the target has fused products and sums.
    pub(crate) fn has_fma(&self) -> bool {
        self.defined("__FMA__") || self.defined("__ARM_FEATURE_FMA")
    }
}
