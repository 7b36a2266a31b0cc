//! Runs the user's C compiler as a preprocessor.

use super::free_macros::FreeName;
use super::macros::Overrides;
use super::{free_macros, headers, macros, messages, targets};
use crate::flags::Command;
use crate::source_text::file_names::FileNames;
use crate::source_text::file_text::{canonical, decode, normalized};
use crate::source_text::line_table::LineTable;
use crate::source_text::quoting::{MAX_SOURCE_BYTES, Quotable};
use crate::{SourceOptions, codes, dialect, flags};
use chronos_base::children::{self, Bounds};
use chronos_base::diag::{Diagnostic, system_cause};
use chronos_base::governor::{self, Resource};
use chronos_base::hash::FxHashMap;
use chronos_base::span::SourceFiles;
use chronos_base::temporary::Folder;
use chronos_ir::DataModel;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};
use std::process::Output;
use std::time::Duration;

/// Keywords and extensions that the parser does not know, as something of the same shape that it does;
/// and macros that would make libc define inline bodies of its functions.
const NEUTRALISERS: &[&str] = &[
    "-D__thread=_Thread_local",
    "-D_Float64x=long double",
    "-D_Float64=double",
    "-D_Float32x=double",
    "-D_Float32=float",
    // Types are no arguments for the parser; pointers to them are.
    "-D__builtin_types_compatible_p(a,b)=__builtin_pointees_compatible_p((__typeof__(a)*)0,(__typeof__(b)*)0)",
    "-Dstatic_assert=_Static_assert",
    "-D__NO_INLINE__=1",
    "-U_FORTIFY_SOURCE",
    // isalpha and its like stay calls instead of look-ups in tables that only glibc knows.
    "-D__NO_CTYPE=1",
    "-D__CHRONOS__=1",
];

/// What a preprocessor may take of a source that somebody else wrote: devices and pipes that are included do not end. The
/// largest preprocessed sources have some millions of bytes.
/// The date and time that `__DATE__` and `__TIME__` stand for, in seconds since 1970: the same at any time. What depends on
/// them is told by `doubts::compilation_time`.
pub const COMPILATION_TIME: &str = "1234567890";
const BOUNDS: Bounds = Bounds { time: Duration::from_mins(2), bytes: 256 << 20, memory: 4 << 30 };

/// The compiler, our headers, and copies of sources whose macros are overridden.
#[derive(Debug)]
pub(crate) struct Preprocessor {
    command: Command,
    /// Of files that a compilation database names.
    commands: FxHashMap<PathBuf, Command>,
    model: DataModel,
    defines: Vec<String>,
    includes: Vec<PathBuf>,
    headers: Folder,
    names: FileNames,
    /// The user's files with macros overridden, in a tree that mirrors theirs.
    overridden: FxHashMap<PathBuf, PathBuf>,
}

type Failure = Box<Diagnostic>;

impl Preprocessor {
    pub(crate) fn new(options: &SourceOptions) -> Result<Self, Failure> {
        let mut command = flags::parse(&options.cc).ok_or_else(|| {
            let message = format!("a quote stays open in the compiler command `{}`", options.cc);
            Box::new(Diagnostic::error(&codes::BAD_COMMAND, message).help("close it: --cc \"gcc -DNAME='a b'\""))
        })?;
        let write = if options.constants_as_names { headers::write_with_names } else { headers::write };
        let headers = write().map_err(|error| {
            let message =
                format!("the built-in headers cannot be written to a temporary directory: {}", system_cause(&error));
            Box::new(Diagnostic::error(&codes::UNREADABLE, message).help("free some space, or set TMPDIR"))
        })?;
        let names = FileNames {
            headers: headers.path().to_string_lossy().into_owned(),
            copies: FxHashMap::default(),
            flag_like_files: options.files.iter().filter(|file| flags::is_flag(file)).cloned().collect(),
            quotable: Quotable::new(options, headers.path()),
        };
        let mut commands = commands(options, &command);
        if options.threads.is_some() {
            commands.values_mut().chain([&mut command]).for_each(turn_openmp_on);
        }
        let mut models = options.files.iter().filter_map(|file| commands.get(file)?.model);
        Ok(Self {
            model: command.model.or(models.next()).unwrap_or(options.model),
            command,
            commands,
            defines: options.defines.clone(),
            includes: options.includes.clone(),
            headers,
            names,
            overridden: FxHashMap::default(),
        })
    }

    pub(crate) fn names(&self) -> &FileNames {
        &self.names
    }

    pub(crate) fn model(&self) -> DataModel {
        self.model
    }

    /// The preprocessed text of a file.
    pub(crate) fn run(&self, path: &Path, files: &mut SourceFiles) -> Result<String, Vec<Diagnostic>> {
        self.text(path, self.execute(path), files)
    }

    /// Runs the compiler on a file. Several may run at a time.
    pub(crate) fn execute(&self, path: &Path) -> io::Result<Output> {
        let copy = self.overridden.get(&canonical(path));
        let mut command = self.command(self.command_of(path));
        command.arg(copy.cloned().unwrap_or_else(|| flags::operand(path)));
        execute(&mut command, None)
    }

    /// What the compiler's output on a file means.
    pub(crate) fn text(
        &self,
        path: &Path,
        output: io::Result<Output>,
        files: &mut SourceFiles,
    ) -> Result<String, Vec<Diagnostic>> {
        let output = output.map_err(|error| match error.kind() {
            ErrorKind::TimedOut | ErrorKind::FileTooLarge => vec![endless(path, error.kind())],
            _ => vec![Self::cannot_run(&self.command_of(path).program, &error)],
        })?;
        if output.status.success() {
            let text = decode(output.stdout);
            if self.names.quotable.is_unsure(&text) {
                self.find_opened(path);
            }
            return Ok(text);
        }
        Err(messages::diagnostics(&self.names, &decode(output.stderr), files, path))
    }

    /// Asks the compiler which files a source includes. One that cannot tell leaves them without text in places.
    fn find_opened(&self, path: &Path) {
        let mut command = self.command(self.command_of(path));
        let copy = self.overridden.get(&canonical(path));
        command.arg("-M").arg(copy.cloned().unwrap_or_else(|| flags::operand(path)));
        if let Ok(output) = execute(&mut command, None).and_then(successful) {
            self.names.quotable.enter(&decode(output.stdout));
        }
    }

    /// The flags that a file is compiled with, as far as the preprocessor gets them.
    pub(crate) fn flags_of(&self, path: &Path) -> &[String] {
        &self.command_of(path).flags
    }

    fn command_of(&self, path: &Path) -> &Command {
        self.commands.get(path).unwrap_or(&self.command)
    }

    /// The compiler's own opinion of the preprocessed text of a file: `None` where it accepts it or cannot be run.
    pub(crate) fn syntax_errors(&self, path: &Path, text: &str) -> Option<String> {
        let own = self.command_of(path);
        let mut command = std::process::Command::new(&own.program);
        command.env("LC_ALL", "C").args(["-fsyntax-only", "-std=gnu11", "-w", "-fno-diagnostics-color"]);
        let understood = |flag: &&String| flag.starts_with("-std=") || flag.starts_with("-f");
        command.args(own.flags.iter().filter(understood)).args(["-x", "cpp-output", "-"]);
        let output = execute(&mut command, Some(text)).ok()?;
        (!output.status.success()).then(|| decode(output.stderr))
    }

    fn command(&self, user: &Command) -> std::process::Command {
        let own = self.headers.path();
        let mut command = std::process::Command::new(&user.program);
        command.env("LC_ALL", "C").env("SOURCE_DATE_EPOCH", COMPILATION_TIME).args([
            "-E",
            "-w",
            "-fno-diagnostics-color",
            "-std=gnu11",
        ]);
        command.arg("-I").arg(own).args(NEUTRALISERS);
        command.args(targets::flags(self.model));
        if let Some(folder) = targets::headers(self.model) {
            command.arg("-I").arg(own.join(folder));
        }
        // A wrapper names its own MPI first; with the guard defined, its header is skipped.
        if is_mpi_wrapper(&user.program) {
            command.arg("-include").arg(own.join("mpi.h"));
        }
        for directory in &self.includes {
            self.add_folder(directory, &mut command);
        }
        self.add_flags(user, &mut command);
        command.args(self.defines.iter().map(|define| format!("-D{define}")));
        for directory in self.overridden.keys().filter_map(|file| file.parent()) {
            command.arg("-iquote").arg(flags::operand(directory));
        }
        command.args(["-x", "c"]);
        command
    }

    /// The user's flags; overridden headers are found before the user's own.
    fn add_flags(&self, user: &Command, command: &mut std::process::Command) {
        let mut flags = user.flags.iter();
        while let Some(flag) = flags.next() {
            match flag.strip_prefix("-I") {
                Some("") => flags.next().into_iter().for_each(|folder| self.add_folder(Path::new(folder), command)),
                Some(folder) => self.add_folder(Path::new(folder), command),
                None => drop(command.arg(flag)),
            }
        }
    }

    fn add_folder(&self, folder: &Path, command: &mut std::process::Command) {
        command.arg("-I").arg(self.mirrored(folder)).arg("-I").arg(flags::operand(folder));
    }

    fn cannot_run(program: &str, error: &io::Error) -> Diagnostic {
        let message = format!("the C compiler `{program}` cannot be run: {}", system_cause(error));
        Diagnostic::error(&codes::NO_COMPILER, message)
            .help("install it, or name another one with --cc, such as --cc gcc")
    }

    /// Leaves the macros free that `-D` defines, on the command line or among the compiler's flags.
    pub(crate) fn free_defines(&mut self, free: &mut [FreeName]) -> Result<(), Failure> {
        for define in &mut self.defines {
            *define = free_macros::define_with_marker(define, free)?;
        }
        let mut follows = false;
        for flag in &mut self.command.flags {
            let own = flag.strip_prefix("-D").filter(|own| !own.is_empty());
            match (own, follows) {
                (Some(own), _) => *flag = format!("-D{}", free_macros::define_with_marker(own, free)?),
                (None, true) => *flag = free_macros::define_with_marker(flag, free)?,
                (None, false) => {}
            }
            follows = flag == "-D";
        }
        Ok(())
    }

    /// Makes copies of a unit's files with macros overridden. True where there is one, so that the
    /// unit must be preprocessed again.
    pub(crate) fn override_macros(
        &mut self,
        lines: &LineTable,
        files: &SourceFiles,
        overrides: &mut Overrides<'_>,
    ) -> Result<bool, Vec<Diagnostic>> {
        let mut copies = Vec::new();
        let mut changed = false;
        for &file in lines.user_files() {
            let source = files.get(file);
            let Some(text) = &source.text else { continue };
            let overridden = macros::override_all(file, text, overrides).map_err(|error| vec![*error])?;
            changed |= overridden.is_some();
            copies.push((source.name.to_string(), overridden.unwrap_or_else(|| text.to_string())));
        }
        if changed {
            for (name, text) in copies {
                self.write_copy(&name, &text).map_err(|error| vec![cannot_copy(&name, &error)])?;
            }
        }
        Ok(changed)
    }

    /// A copy names its original, so that places and `__FILE__` stay as they were.
    fn write_copy(&mut self, name: &str, text: &str) -> io::Result<()> {
        let original = canonical(Path::new(name));
        let copy = self.mirrored(Path::new(name));
        let quoted = name.replace('\\', "\\\\").replace('"', "\\\"");
        headers::write_file(&copy, &format!("# 1 \"{quoted}\"\n{text}"))?;
        self.names.copies.insert(normalized(&copy), name.to_owned());
        self.overridden.insert(original, copy);
        Ok(())
    }

    /// Where the copy of a file or directory of the user lies.
    fn mirrored(&self, path: &Path) -> PathBuf {
        let absolute = canonical(path);
        let below = absolute.components().filter(|part| matches!(part, Component::Normal(_)));
        std::iter::once(Component::Normal("copies".as_ref())).chain(below).fold(
            self.headers.path().into(),
            |at, part| {
                let mut at: PathBuf = at;
                at.push(part);
                at
            },
        )
    }
}

fn endless(path: &Path, kind: ErrorKind) -> Diagnostic {
    let what = match (kind, governor::exceeded()) {
        (ErrorKind::FileTooLarge, _) => format!("gives more than {} MiB", BOUNDS.bytes >> 20),
        (_, Some(limit)) => return interrupted(path, limit),
        (_, None) => format!("does not end within {} s", BOUNDS.time.as_secs()),
    };
    let message = format!("{} cannot be preprocessed: it {what}", path.display());
    Diagnostic::error(&codes::PREPROCESSOR, message)
        .help("look at what it includes: a device or a pipe does not end; name header folders of its build with -I")
}

/// The limit of the command was reached meanwhile: the file need not be at fault.
fn interrupted(path: &Path, limit: Resource) -> Diagnostic {
    let help = match limit {
        Resource::Time => "a header that is a device or a pipe does not end; else allow more time (--limit)",
        Resource::Memory => "allow more memory (--limit)",
        Resource::Patience => "let the command go on",
    };
    let message =
        format!("{} was not preprocessed to its end: the limit of {limit} was reached before", path.display());
    Diagnostic::error(&codes::PREPROCESSOR, message).help(help)
}

/// The commands of the compilation database; a compiler that the user names replaces theirs.
fn commands(options: &SourceOptions, user: &Command) -> FxHashMap<PathBuf, Command> {
    let mut commands = options.commands.clone();
    if !options.cc.is_empty() {
        for command in commands.values_mut() {
            command.program.clone_from(&user.program);
            command.flags.splice(0..0, user.flags.iter().cloned());
            command.model = user.model.or(command.model);
        }
    }
    commands
}

/// A number of threads asks for OpenMP; a flag that turns it off by name stays in force.
fn turn_openmp_on(command: &mut Command) {
    let flags = &mut command.flags;
    if !dialect::has_openmp(flags) && !flags.iter().any(|flag| flag == "-fno-openmp") {
        flags.push("-fopenmp".into());
    }
}

fn cannot_copy(name: &str, error: &io::Error) -> Diagnostic {
    Diagnostic::error(
        &codes::BAD_SETTING,
        format!("no copy of {name} can be made to override its macros: {}", system_cause(error)),
    )
    .help("free some space in the temporary directory, or use -D instead of --set")
}

pub(crate) fn is_mpi_wrapper(program: &str) -> bool {
    let name = Path::new(program).file_name().map(|name| name.to_string_lossy().into_owned());
    name.is_some_and(|name| name.starts_with("mpi"))
}

/// Runs to the end, with `input` on standard input.
fn execute(command: &mut std::process::Command, input: Option<&str>) -> io::Result<Output> {
    children::bounded(command, input.map(str::to_owned), BOUNDS)
}

fn successful(output: Output) -> io::Result<Output> {
    if output.status.success() { Ok(output) } else { Err(ErrorKind::Other.into()) }
}

/// Text of a source: of a regular file, because a pipe would be empty for the compiler.
pub(crate) fn read_source(path: &Path) -> Result<String, Failure> {
    match path.metadata() {
        // GCC hands the last part of the name on as a word of its own (-dumpbase), and reads flags from the file.
        _ if path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"@")) => {
            Err(no_source(path, "compilers take names that begin with `@` for files of flags"))
        }
        Ok(found) if !found.is_file() && !found.is_dir() => Err(no_source(path, "it is a device or a pipe")),
        Ok(found) if found.len() > MAX_SOURCE_BYTES => Err(no_source(path, "it is too large for a source")),
        _ => read_text(path),
    }
}

fn no_source(path: &Path, what: &str) -> Failure {
    let message = format!("{} is not read: {what}", path.display());
    Box::new(Diagnostic::error(&codes::UNREADABLE, message).help("name C source files, under other names"))
}

/// Text of a file of the user.
pub(crate) fn read_text(path: &Path) -> Result<String, Failure> {
    let problem = |error: io::Error| {
        let message = format!("{} cannot be read: {}", path.display(), system_cause(&error));
        Box::new(Diagnostic::error(&codes::UNREADABLE, message).help("check the path and the permissions of the file"))
    };
    let bytes = std::fs::read(path).map_err(problem)?;
    if bytes.contains(&0) {
        let message = format!("{} is no text: it contains null bytes", path.display());
        return Err(Box::new(Diagnostic::error(&codes::UNREADABLE, message).help("name C source files")));
    }
    Ok(decode(bytes))
}
