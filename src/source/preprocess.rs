//! Runs the user's C compiler as a preprocessor.

use super::flags::{self, Command};
use super::lines::LineTable;
use super::macros::Overrides;
use super::symbolic::FreeName;
use super::{SourceOptions, codes, headers, macros, messages, symbolic};
use crate::diag::{Diagnostic, system_cause};
use crate::program::DataModel;
use crate::span::SourceFiles;
use std::collections::HashMap;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};
use std::process::{Output, Stdio};
use tempfile::TempDir;

/// Keywords and extensions that the parser does not know, as something of the same shape that it does;
/// and macros that would make libc define inline bodies of its functions.
const NEUTRALISERS: &[&str] = &[
    "-D__thread=_Thread_local",
    "-D_Float64x=long double",
    "-D_Float64=double",
    "-D_Float32x=double",
    "-D_Float32=float",
    "-D__builtin_types_compatible_p(a,b)=_Generic((__typeof__(a)*)0,__typeof__(b)*:1,default:0)",
    "-Dstatic_assert=_Static_assert",
    "-D__NO_INLINE__=1",
    "-U_FORTIFY_SOURCE",
    // isalpha and its like stay calls instead of look-ups in tables that only glibc knows.
    "-D__NO_CTYPE=1",
    "-D__CHRONOS__=1",
];

/// Types of ILP32 as glibc's headers ask for them, without 32-bit headers being installed.
const ILP32: &[&str] = &[
    "-U_LP64",
    "-U__LP64__",
    "-D_ILP32=1",
    "-D__ILP32__=1",
    "-D__SIZEOF_LONG__=4",
    "-D__SIZEOF_POINTER__=4",
    "-D__SIZEOF_SIZE_T__=4",
    "-D__SIZEOF_PTRDIFF_T__=4",
    "-D__LONG_MAX__=0x7fffffffL",
    "-D__SIZE_MAX__=0xffffffffU",
    "-D__PTRDIFF_MAX__=0x7fffffff",
    "-D__INTPTR_MAX__=0x7fffffff",
    "-D__UINTPTR_MAX__=0xffffffffU",
    "-D__SIZE_TYPE__=unsigned int",
    "-D__PTRDIFF_TYPE__=int",
    "-D__INTPTR_TYPE__=int",
    "-D__UINTPTR_TYPE__=unsigned int",
    "-D__INT64_TYPE__=long long int",
    "-D__UINT64_TYPE__=long long unsigned int",
];

/// The compiler, our headers, and copies of sources whose macros are overridden.
#[derive(Debug)]
pub(super) struct Preprocessor {
    command: Command,
    /// Of files that a compilation database names.
    commands: HashMap<PathBuf, Command>,
    model: DataModel,
    defines: Vec<String>,
    includes: Vec<PathBuf>,
    headers: TempDir,
    names: Names,
    /// The user's files with macros overridden, in a tree that mirrors theirs.
    overridden: HashMap<PathBuf, PathBuf>,
}

/// What files are called in places: temporary directories must not show.
#[derive(Debug, Default)]
pub(super) struct Names {
    headers: String,
    copies: HashMap<PathBuf, String>,
}

impl Names {
    /// The name to show for a file that the compiler names so.
    pub(super) fn shown(&self, name: &str) -> String {
        if let Some(own) = name.strip_prefix(&self.headers).filter(|_| !self.headers.is_empty()) {
            let copy = self.copies.get(&normalized(Path::new(name)));
            return copy.cloned().unwrap_or_else(|| format!("{}{own}", headers::BUNDLED));
        }
        name.to_owned()
    }

    /// A compiler's message with temporary names replaced.
    pub(super) fn cleaned(&self, message: &str) -> String {
        message.replace(&self.headers, headers::BUNDLED)
    }
}

type Failure = Box<Diagnostic>;

impl Preprocessor {
    pub(super) fn new(options: &SourceOptions) -> Result<Self, Failure> {
        let command = flags::parse(&options.cc).ok_or_else(|| {
            let message = format!("a quote stays open in the compiler command `{}`", options.cc);
            Box::new(Diagnostic::error(&codes::BAD_COMMAND, message).help("close it: --cc \"gcc -DNAME='a b'\""))
        })?;
        let write = if options.constants_as_names { headers::write_with_names } else { headers::write };
        let headers = write().map_err(|error| {
            let message =
                format!("the built-in headers cannot be written to a temporary directory: {}", system_cause(&error));
            Box::new(Diagnostic::error(&codes::UNREADABLE, message).help("free some space, or set TMPDIR"))
        })?;
        let names = Names { headers: headers.path().to_string_lossy().into_owned(), copies: HashMap::new() };
        let commands = commands(options, &command);
        let mut models = options.files.iter().filter_map(|file| commands.get(file)?.model);
        Ok(Self {
            model: command.model.or(models.next()).unwrap_or(options.model),
            command,
            commands,
            defines: options.defines.clone(),
            includes: options.includes.clone(),
            headers,
            names,
            overridden: HashMap::new(),
        })
    }

    pub(super) fn names(&self) -> &Names {
        &self.names
    }

    pub(super) fn model(&self) -> DataModel {
        self.model
    }

    /// The preprocessed text of a file.
    pub(super) fn run(&self, path: &Path, files: &mut SourceFiles) -> Result<String, Vec<Diagnostic>> {
        self.text(path, self.execute(path), files)
    }

    /// Runs the compiler on a file. Several may run at a time.
    pub(super) fn execute(&self, path: &Path) -> io::Result<Output> {
        let copy = self.overridden.get(&canonical(path));
        let mut command = self.command(self.command_of(path));
        command.arg(copy.map_or(path, PathBuf::as_path));
        execute(&mut command, None)
    }

    /// What the compiler's output on a file means.
    pub(super) fn text(
        &self,
        path: &Path,
        output: io::Result<Output>,
        files: &mut SourceFiles,
    ) -> Result<String, Vec<Diagnostic>> {
        let output = output.map_err(|error| vec![self.cannot_run(&self.command_of(path).program, &error)])?;
        if output.status.success() {
            return Ok(decode(output.stdout));
        }
        Err(messages::diagnostics(&self.names, &decode(output.stderr), files, path))
    }

    fn command_of(&self, path: &Path) -> &Command {
        self.commands.get(path).unwrap_or(&self.command)
    }

    /// The compiler's own opinion of the preprocessed text of a file: `None` where it accepts it or cannot be run.
    pub(super) fn syntax_errors(&self, path: &Path, text: &str) -> Option<String> {
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
        command.env("LC_ALL", "C").args(["-E", "-w", "-fno-diagnostics-color", "-std=gnu11"]);
        command.arg("-I").arg(own).args(NEUTRALISERS);
        if self.model == DataModel::Ilp32 {
            command.args(ILP32);
        }
        // A wrapper names its own MPI first; with the guard defined, its header is skipped.
        if is_mpi_wrapper(&user.program) {
            command.arg("-include").arg(own.join("mpi.h"));
        }
        for directory in &self.includes {
            command.arg("-I").arg(self.mirrored(directory)).arg("-I").arg(directory);
        }
        self.add_flags(user, &mut command);
        command.args(self.defines.iter().map(|define| format!("-D{define}")));
        for directory in self.overridden.keys().filter_map(|file| file.parent()) {
            command.arg("-iquote").arg(directory);
        }
        command.args(["-x", "c"]);
        command
    }

    /// The user's flags; overridden headers are found before the user's own.
    fn add_flags(&self, user: &Command, command: &mut std::process::Command) {
        let mut flags = user.flags.iter();
        while let Some(flag) = flags.next() {
            match flag.strip_prefix("-I") {
                Some("") => {
                    if let Some(directory) = flags.next() {
                        command.arg("-I").arg(self.mirrored(Path::new(directory))).arg("-I").arg(directory);
                    }
                }
                Some(directory) => {
                    command.arg("-I").arg(self.mirrored(Path::new(directory))).arg("-I").arg(directory);
                }
                None => drop(command.arg(flag)),
            }
        }
    }

    fn cannot_run(&self, program: &str, error: &io::Error) -> Diagnostic {
        let message = format!("the C compiler `{program}` cannot be run: {}", system_cause(error));
        Diagnostic::error(&codes::NO_COMPILER, message)
            .help("install it, or name another one with --cc, such as --cc gcc")
    }

    /// Leaves the macros free that `-D` defines, on the command line or among the compiler's flags.
    pub(super) fn free_defines(&mut self, free: &mut [FreeName]) -> Result<(), Failure> {
        for define in &mut self.defines {
            *define = symbolic::marked_define(define, free)?;
        }
        let mut follows = false;
        for flag in &mut self.command.flags {
            let own = flag.strip_prefix("-D").filter(|own| !own.is_empty());
            match (own, follows) {
                (Some(own), _) => *flag = format!("-D{}", symbolic::marked_define(own, free)?),
                (None, true) => *flag = symbolic::marked_define(flag, free)?,
                (None, false) => {}
            }
            follows = flag == "-D";
        }
        Ok(())
    }

    /// Makes copies of a unit's files with macros overridden. True where there is one, so that the
    /// unit must be preprocessed again.
    pub(super) fn override_macros(
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

/// The commands of the compilation database; a compiler that the user names replaces theirs.
fn commands(options: &SourceOptions, user: &Command) -> HashMap<PathBuf, Command> {
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

fn cannot_copy(name: &str, error: &io::Error) -> Diagnostic {
    Diagnostic::error(
        &codes::BAD_SETTING,
        format!("no copy of {name} can be made to override its macros: {}", system_cause(error)),
    )
    .help("free some space in the temporary directory, or use -D instead of --set")
}

pub(super) fn is_mpi_wrapper(program: &str) -> bool {
    let name = Path::new(program).file_name().map(|name| name.to_string_lossy().into_owned());
    name.is_some_and(|name| name.starts_with("mpi"))
}

/// Runs to the end, with `input` on standard input.
fn execute(command: &mut std::process::Command, input: Option<&str>) -> io::Result<Output> {
    let stdin = if input.is_some() { Stdio::piped() } else { Stdio::null() };
    let mut child = command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let pipe = child.stdin.take();
    std::thread::scope(|scope| {
        if let (Some(mut pipe), Some(input)) = (pipe, input) {
            // A compiler that gives up early closes its end; what it says counts.
            scope.spawn(move || drop(pipe.write_all(input.as_bytes())));
        }
        child.wait_with_output()
    })
}

/// Text of a file of the user.
pub(super) fn read_text(path: &Path) -> Result<String, Failure> {
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

/// UTF-8, or else Latin-1.
pub(super) fn decode(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| error.into_bytes().iter().map(|&byte| char::from(byte)).collect())
}

/// The absolute path; as given where the file does not exist.
pub(super) fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| normalized(path))
}

/// `a/b/../c` as `a/c`, by text alone.
pub(super) fn normalized(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir if plain.file_name().is_some() => drop(plain.pop()),
            Component::CurDir => {}
            _ => plain.push(part),
        }
    }
    plain
}
