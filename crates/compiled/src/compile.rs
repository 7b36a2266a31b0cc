//! Asking the compiler: sources to objects, nothing is run.

use crate::codes;
use chronos_base::children::{self, Bounds};
use chronos_base::diag::{Diagnostic, system_cause};
use chronos_base::temporary::Folder;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// How sources are compiled.
#[derive(Clone, Debug, Default)]
pub struct Compilation {
    /// The compiler with its flags.
    pub command: Vec<String>,
    /// Further flags of single files, by their names, from a compilation database.
    pub of_file: Vec<(String, Vec<String>)>,
    /// Folders of headers that come before all others: stand-ins for an MPI that is not installed.
    pub headers: Vec<PathBuf>,
    /// `-I` of the user.
    pub includes: Vec<PathBuf>,
    /// `-D` of the user, each `NAME` or `NAME=VALUE`.
    pub defines: Vec<String>,
}

/// Optimising a file takes longer and more memory than reading it; nobody's file takes more than this.
pub(crate) const BOUNDS: Bounds = Bounds { time: Duration::from_mins(10), bytes: 16 << 20, memory: 8 << 30 };

/// Flags that would keep an object from being written, or leave out what is read of it.
const DROPPED: [&str; 7] = ["-S", "-E", "-c", "-s", "-g0", "-pipe", "-flto"];

/// What the compiler made of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompiledObject {
    /// The object.
    pub bytes: Vec<u8>,
    /// The source and the headers that it read, those of the system included; empty where the compiler does not say.
    pub files: Vec<PathBuf>,
}

/// The object that the compiler makes of `file`.
///
/// # Errors
/// The compiler cannot be started or refuses the file; temporary files cannot be written.
pub fn object_of(compilation: &Compilation, file: &Path) -> Result<CompiledObject, Diagnostic> {
    let folder = Folder::new().map_err(|error| no_workplace(&error))?;
    let object = folder.path().join("object.o");
    let mut command = command(compilation, file, &object)?;
    let output = children::bounded(&mut command, None, BOUNDS).map_err(|error| not_started(&command, &error))?;
    if !output.status.success() {
        return Err(refused(compilation, file, &String::from_utf8_lossy(&output.stderr)));
    }
    let bytes = std::fs::read(&object).map_err(|error| {
        let message = format!("the compiler wrote no object of `{}`: {}", file.display(), system_cause(&error));
        Diagnostic::error(&codes::NOT_COMPILED, message).help("leave flags out of --cc that say what to write where")
    })?;
    let rule = std::fs::read_to_string(object.with_extension("d")).unwrap_or_default();
    Ok(CompiledObject { bytes, files: prerequisites(&rule).collect() })
}

/// The files behind the colon of a rule for make, as compilers write it: names are apart by spaces, lines end with a
/// backslash, and a backslash or a second dollar sign protects a character of a name.
fn prerequisites(rule: &str) -> impl Iterator<Item = PathBuf> {
    let (mut names, mut name) = (Vec::new(), String::new());
    let mut characters = rule.split_once(": ").map_or("", |(_, files)| files).chars().peekable();
    while let Some(character) = characters.next() {
        match (character, characters.peek()) {
            ('\\', Some('\n')) => drop(characters.next()),
            ('\\', Some(' ' | '#')) | ('$', Some('$')) => name.extend(characters.next()),
            // Rules of -MP follow.
            ('\n', _) => break,
            (' ', _) => names.push(std::mem::take(&mut name)),
            _ => name.push(character),
        }
    }
    names.push(name);
    names.into_iter().filter(|name| !name.is_empty()).map(PathBuf::from)
}

fn command(compilation: &Compilation, file: &Path, object: &Path) -> Result<Command, Diagnostic> {
    let Some((program, flags)) = compilation.command.split_first() else {
        let error = Diagnostic::error(&codes::NO_COMPILER, "no compiler is named");
        return Err(error.help("give a command with flags, such as --cc \"gcc -O2\""));
    };
    let mut command = Command::new(program);
    // Messages in English, whose words are looked for below.
    command.env("LC_ALL", "C").args(kept(flags));
    let name = file.display().to_string();
    let own = compilation.of_file.iter().find(|(known, _)| *known == name);
    command.args(own.iter().flat_map(|(_, flags)| kept(flags)));
    for folder in compilation.headers.iter().chain(&compilation.includes) {
        command.arg("-I").arg(plain(folder));
    }
    command.args(compilation.defines.iter().map(|define| format!("-D{define}")));
    // -g changes no instruction. Sections are read as they are; intermediate languages of -flto have none.
    command.args(["-g", "-gz=none", "-fno-lto", "-w", "-c", "-x", "c"]).arg(plain(file)).arg("-o").arg(object);
    command.arg("-MD").arg("-MF").arg(object.with_extension("d"));
    Ok(command)
}

pub(crate) fn kept(flags: &[String]) -> Vec<&String> {
    let mut kept = Vec::new();
    let mut flags = flags.iter();
    while let Some(flag) = flags.next() {
        if flag == "-o" {
            flags.next();
        } else if !DROPPED.contains(&flag.as_str()) && !flag.starts_with("-flto=") {
            kept.push(flag);
        }
    }
    kept
}

/// A name that the compiler cannot take for a flag.
fn plain(path: &Path) -> PathBuf {
    let looks_like_flag = matches!(path.as_os_str().as_encoded_bytes().first(), Some(b'-' | b'@'));
    if looks_like_flag { Path::new(".").join(path) } else { path.to_owned() }
}

fn not_started(command: &Command, error: &std::io::Error) -> Diagnostic {
    let name = command.get_program().to_string_lossy();
    if matches!(error.kind(), ErrorKind::TimedOut | ErrorKind::FileTooLarge) {
        let message = format!("the compiler `{name}` did not end within its bounds");
        return Diagnostic::error(&codes::NOT_COMPILED, message)
            .help("compile with fewer optimisations, or a part of it");
    }
    let message = format!("cannot start the compiler `{name}`: {}", system_cause(error));
    Diagnostic::error(&codes::NO_COMPILER, message).help("install it, or name another one, such as --cc \"gcc -O2\"")
}

fn refused(compilation: &Compilation, file: &Path, text: &str) -> Diagnostic {
    let complaint = text.lines().find(|line| line.contains("error")).or(text.lines().next());
    let complaint = complaint.unwrap_or("no message").trim();
    let message = format!("`{}` fails at {}: {complaint}", compilation.command.join(" "), file.display());
    Diagnostic::error(&codes::NOT_COMPILED, message).help("give -D, -I and --cc as for the program's own build")
}

fn no_workplace(error: &std::io::Error) -> Diagnostic {
    let message = format!("cannot write to the folder for temporary files: {}", system_cause(error));
    Diagnostic::error(&codes::NOT_COMPILED, message).help("free some space there, or set TMPDIR")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compiled(command: &str, text: &str) -> Result<CompiledObject, Diagnostic> {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a.c");
        std::fs::write(&file, text).expect("written");
        let command = command.split_whitespace().map(str::to_owned).collect();
        object_of(&Compilation { command, ..Compilation::default() }, &file)
    }

    #[test]
    fn an_object_is_made_whatever_the_flags_would_write() {
        for command in ["gcc -O2", "gcc -O2 -S -o /nowhere/x -flto -s", "gcc -O0 -E"] {
            let object = compiled(command, "int f(int a) { return a + 1; }").expect(command);
            assert_eq!(&object.bytes[..4], b"\x7fELF", "{command}");
        }
    }

    #[test]
    fn the_headers_are_told() {
        let object = compiled("gcc", "#include <stddef.h>\nsize_t a;").expect("compiled");
        let names: Vec<_> = object.files.iter().filter_map(|path| path.file_name()?.to_str()).collect();
        assert!(names.contains(&"stddef.h"), "{names:?}");
        assert!(object.files.iter().skip(1).all(|path| path.is_file()), "{:?}", object.files);
    }

    #[test]
    fn names_in_rules_are_protected_by_backslashes() {
        let rule = "object.o: a.c /usr/b\\ c.h \\\n d$$e.h f\\#.h\n\nd$e.h:\n";
        let names: Vec<_> = prerequisites(rule).map(|path| path.display().to_string()).collect();
        assert_eq!(names, ["a.c", "/usr/b c.h", "d$e.h", "f#.h"]);
    }

    #[test]
    fn what_is_wrong_is_told_with_the_remedy() {
        let check = |command: &str, text: &str| {
            let error = compiled(command, text).expect_err(command);
            assert!(error.help.is_some());
            (error.code.id, error.message)
        };
        let (code, message) = check("no-such-compiler -O2", "int a;");
        assert_eq!(code, "C1301");
        assert!(message.contains("no-such-compiler"), "{message}");
        let (code, message) = check("gcc", "int f( { }");
        assert_eq!(code, "C1302");
        assert!(message.contains("a.c:1"), "{message}");
        assert_eq!(check("", "int a;").0, "C1301");
    }
}
