//! `compile_commands.json`: the files of a build, each with the flags that it was compiled with.
//!
//! A build system knows better than its user which flags a file needs. This module reads what it
//! wrote and resolves paths, so that nothing has to be run in the folders of the build.

use crate::flags::Command;
use crate::preprocessing::preprocessor::read_text;
use crate::source_text::file_text::{canonical, normalized};
use crate::trust::{Refusal, Trust};
use crate::{codes, flags, trust};
use chronos_base::diag::Diagnostic;
use chronos_base::hash::FxHashMap;
use chronos_base::spelling::nearest;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// The name that build systems give it.
pub const FILE_NAME: &str = "compile_commands.json";

/// Flags that name a file or folder, in the next word or right behind; longer ones first.
const PATH_FLAGS: &[&str] = &[
    "--include-directory=",
    "-idirafter",
    "-isysroot",
    "--sysroot=",
    "-include",
    "-imacros",
    "-isystem",
    "--sysroot",
    "-iquote",
    "-I",
];
/// Programs that run the compiler that follows them.
const LAUNCHERS: &[&str] = &["ccache", "sccache", "distcc", "icecc", "env"];
/// Names listed in a message, at most.
const SHOWN: usize = 5;

/// The C files of a build.
#[derive(Clone, Debug, Default)]
pub struct Database {
    /// Each once, in the order of their first entries.
    pub files: Vec<PathBuf>,
    /// How each of `files` is compiled.
    pub commands: FxHashMap<PathBuf, Command>,
    /// What was left out.
    pub notes: Vec<Diagnostic>,
    /// What messages call it.
    name: String,
}

/// Commands that may be run, by file, and a note on what was left out of them.
pub type Commands = (FxHashMap<PathBuf, Command>, Option<Diagnostic>);

#[derive(Deserialize)]
struct Entry {
    #[serde(default)]
    directory: PathBuf,
    file: PathBuf,
    command: Option<String>,
    arguments: Option<Vec<String>>,
}

impl Database {
    /// Reads `path`, or the database in the folder `path`. Files below `current` are named relative to it.
    ///
    /// # Errors
    /// Where it cannot be read, is no compilation database, or holds no C file.
    pub fn read(path: &Path, current: &Path) -> Result<Self, Box<Diagnostic>> {
        let path = if path.is_dir() { path.join(FILE_NAME) } else { path.to_owned() };
        let text = read_text(&path).map_err(|error| Box::new(error.help(HOW_TO_WRITE)))?;
        Self::parse(&text, &path, current)
    }

    fn parse(text: &str, path: &Path, current: &Path) -> Result<Self, Box<Diagnostic>> {
        let name = path.display().to_string();
        let entries: Vec<Entry> = serde_json::from_str(text).map_err(|error| malformed(&name, &error.to_string()))?;
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let mut reader = Reader { folder, current: current.to_owned(), ..Reader::default() };
        reader.database.name = name;
        for (index, entry) in entries.into_iter().enumerate() {
            reader.entry(index, entry)?;
        }
        reader.finish()
    }

    /// The files that `wanted` names: files, or folders with all files below them. All where it names none.
    ///
    /// # Errors
    /// For each that no entry of the database is about, and each that does not exist.
    pub fn select(&self, wanted: &[PathBuf]) -> Result<Vec<PathBuf>, Vec<Diagnostic>> {
        let mut selected: Vec<PathBuf> = if wanted.is_empty() { self.files.clone() } else { Vec::new() };
        let mut errors = Vec::new();
        for path in wanted {
            let from = canonical(path);
            let found: Vec<_> = self.files.iter().filter(|file| canonical(file).starts_with(&from)).collect();
            if found.is_empty() {
                errors.push(self.not_listed(path));
            }
            for file in found {
                if !selected.contains(file) {
                    selected.push(file.clone());
                }
            }
        }
        errors.extend(selected.iter().filter(|file| !file.exists()).map(|file| self.missing(file)));
        if errors.is_empty() { Ok(selected) } else { Err(errors) }
    }

    /// What may be run of the commands of these files; `runs`: their programs too, not one that the user names. With notes.
    ///
    /// # Errors
    /// For each kind of program and flag that is not run.
    pub fn allowed(&self, files: &[PathBuf], runs: bool, trust: &Trust) -> Result<Commands, Vec<Diagnostic>> {
        let mut allowed = FxHashMap::default();
        let mut unknown: Vec<String> = Vec::new();
        let mut refused: Vec<(Refusal, Vec<String>)> = Vec::new();
        for (file, command) in files.iter().filter_map(|file| Some((file, self.commands.get(file)?))) {
            match trust::checked(command, runs, trust) {
                Ok((command, flags)) => {
                    unknown.extend(flags);
                    allowed.insert(file.clone(), command);
                }
                Err(refusal) => {
                    let shown = file.display().to_string();
                    match refused.iter_mut().find(|(known, _)| *known == refusal) {
                        Some((_, files)) => files.push(shown),
                        None => refused.push((refusal, vec![shown])),
                    }
                }
            }
        }
        if refused.is_empty() {
            return Ok((allowed, self.unknown_flags(unknown)));
        }
        Err(refused.iter().map(|(refusal, files)| self.refused(refusal, files)).collect())
    }

    fn refused(&self, refusal: &Refusal, files: &[String]) -> Diagnostic {
        let message = format!("{} wants {} (for {})", self.name, refusal.what, listed(files));
        Diagnostic::error(refusal.code, message).help(refusal.help)
    }

    fn unknown_flags(&self, mut flags: Vec<String>) -> Option<Diagnostic> {
        flags.sort();
        flags.dedup();
        let message = || format!("{} has flags that are not known, which are left out: {}", self.name, listed(&flags));
        let help = "what they define is not defined; --trust hands all flags to the compiler";
        (!flags.is_empty()).then(|| Diagnostic::note(&codes::DATABASE_PART, message()).help(help))
    }

    fn not_listed(&self, path: &Path) -> Diagnostic {
        let shown = path.display().to_string();
        let names: Vec<String> = self.files.iter().map(|file| file.display().to_string()).collect();
        let help = match nearest(&shown, names.iter().map(String::as_str)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("it has {}", listed(&names)),
        };
        Diagnostic::error(&codes::DATABASE, format!("{} has no entry for {shown}", self.name)).help(help)
    }

    fn missing(&self, file: &Path) -> Diagnostic {
        let message = format!("{}, which {} names, does not exist", file.display(), self.name);
        Diagnostic::error(&codes::UNREADABLE, message)
            .help("build the program once, so that generated sources are there, or write the database anew")
    }
}

const HOW_TO_WRITE: &str = "write it with `cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON`, `bear -- make` or `meson setup`";

fn malformed(name: &str, problem: &str) -> Box<Diagnostic> {
    let message = format!("{name} is no compilation database: {problem}");
    Box::new(Diagnostic::error(&codes::DATABASE, message).help(HOW_TO_WRITE))
}

fn listed(names: &[String]) -> String {
    match names.len().checked_sub(SHOWN) {
        None | Some(0) => names.join(", "),
        Some(more) => format!("{} and {more} more", names[..SHOWN].join(", ")),
    }
}

#[derive(Default)]
struct Reader {
    /// Of the database.
    folder: PathBuf,
    current: PathBuf,
    database: Database,
    /// Files of other languages.
    foreign: Vec<String>,
    /// Files with further entries of other flags.
    again: Vec<String>,
}

impl Reader {
    fn entry(&mut self, index: usize, entry: Entry) -> Result<(), Box<Diagnostic>> {
        let directory = self.folder.join(&entry.directory);
        let file = self.shortened(&directory.join(&entry.file));
        let shown = file.display().to_string();
        let problem = |what: &str| malformed(&self.database.name, &format!("entry {} ({shown}) {what}", index + 1));
        let words = match (entry.arguments, entry.command) {
            (Some(words), _) => words,
            (None, Some(command)) => flags::split(&command).ok_or_else(|| problem("leaves a quote open"))?,
            (None, None) => return Err(problem("has neither `command` nor `arguments`")),
        };
        if file.extension().is_none_or(|extension| extension != "c") {
            self.foreign.push(shown);
            return Ok(());
        }
        let command = self.command(words, &directory, &file);
        match self.database.commands.get(&file) {
            None => {
                self.database.files.push(file.clone());
                self.database.commands.insert(file, command);
            }
            Some(first) if *first != command && !self.again.contains(&shown) => self.again.push(shown),
            Some(_) => {}
        }
        Ok(())
    }

    fn command(&self, words: Vec<String>, directory: &Path, file: &Path) -> Command {
        let is_launcher = |word: &String| {
            let program = Path::new(word).file_name().and_then(|name| name.to_str()).unwrap_or_default();
            LAUNCHERS.contains(&program) || (!word.starts_with('-') && word.contains('='))
        };
        let mut command = flags::fitted(words.into_iter().skip_while(is_launcher));
        let is_source =
            |word: &String| !word.starts_with('-') && self.shortened(&directory.join(word)) == *file || word == "--";
        command.flags.retain(|word| !is_source(word));
        command.flags = resolved(command.flags, |path| self.shortened(&directory.join(path)));
        // Beside the sources, and not beside whoever reads the database.
        if command.program.contains('/') {
            command.program = directory.join(&command.program).to_string_lossy().into_owned();
        }
        command
    }

    fn shortened(&self, path: &Path) -> PathBuf {
        let plain = normalized(path);
        match plain.strip_prefix(&self.current) {
            _ if self.current.as_os_str().is_empty() => plain,
            Ok(rest) if rest.as_os_str().is_empty() => PathBuf::from("."),
            Ok(rest) => rest.to_owned(),
            Err(_) => plain,
        }
    }

    fn finish(mut self) -> Result<Database, Box<Diagnostic>> {
        let name = self.database.name.clone();
        if self.database.files.is_empty() {
            return Err(malformed(&name, "it has no entry for a C file"));
        }
        if !self.foreign.is_empty() {
            let message = format!("{name} has files that are not C, which are left out: {}", listed(&self.foreign));
            let help = "functions that they define count as library functions";
            self.database.notes.push(Diagnostic::note(&codes::DATABASE_PART, message).help(help));
        }
        if !self.again.is_empty() {
            let files = listed(&self.again);
            let message =
                format!("{name} has several entries with different flags, of which the first is used: {files}");
            let help = "write a database of the one executable that is to be predicted";
            self.database.notes.push(Diagnostic::note(&codes::DATABASE_PART, message).help(help));
        }
        Ok(self.database)
    }
}

/// Flags whose paths do not depend on the folder that the compiler ran in.
fn resolved(words: Vec<String>, resolve: impl Fn(&str) -> PathBuf) -> Vec<String> {
    let mut out = Vec::with_capacity(words.len());
    let mut words = words.into_iter();
    while let Some(flag) = words.next() {
        let (name, path) = match PATH_FLAGS.iter().find_map(|name| Some((*name, flag.strip_prefix(name)?))) {
            None => {
                out.push(flag);
                continue;
            }
            Some((name, "")) => {
                out.push(name.to_owned());
                (name, words.next().unwrap_or_default())
            }
            Some((name, path)) => (name, path.to_owned()),
        };
        let at = resolve(&path);
        // An included file that is not there is searched for as a header is.
        let searched = matches!(name, "-include" | "-imacros") && !at.exists();
        let at = if searched { path } else { flags::operand(&at).display().to_string() };
        if flag == name { out.push(at) } else { out.push(format!("{name}{at}")) }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Database, String> {
        let path = Path::new("/home/me/p/build/compile_commands.json");
        Database::parse(text, path, Path::new("/home/me/p")).map_err(|error| error.message)
    }

    fn check(entry: &str, file: &str, program: &str, flags: &[&str]) {
        let database = read(&format!("[{entry}]")).expect("a database");
        assert_eq!(database.files, [PathBuf::from(file)]);
        let command = &database.commands[Path::new(file)];
        assert_eq!(
            (command.program.as_str(), command.flags.iter().map(String::as_str).collect()),
            (program, flags.to_vec())
        );
    }

    #[test]
    fn both_forms_of_entries_are_understood() {
        check(
            r#"{"directory": "/home/me/p/build", "file": "../src/a.c",
                "command": "/usr/bin/cc -DX='\"a b\"' -I../include -O2 -o a.o -c ../src/a.c"}"#,
            "src/a.c",
            "/usr/bin/cc",
            &["-DX=\"a b\"", "-Iinclude", "-O2"],
        );
        check(
            r#"{"directory": "/home/me/p", "file": "/home/me/p/a.c", "output": "a.o",
                "arguments": ["ccache", "mpicc", "-UX", "-isystem", "/opt/x", "-std=c99", "-MF", "a.d", "-MD", "-c", "a.c"]}"#,
            "a.c",
            "mpicc",
            &["-UX", "-isystem", "/opt/x", "-std=c99"],
        );
    }

    #[test]
    fn paths_are_resolved_by_the_folder_of_the_entry() {
        check(
            r#"{"directory": "sub", "file": "a.c", "command": "cc -I . -iquote../q -include config.h --sysroot=/s a.c"}"#,
            "build/sub/a.c",
            "cc",
            &["-I", "build/sub", "-iquotebuild/q", "-include", "config.h", "--sysroot=/s"],
        );
        check(r#"{"directory": "/x", "file": "a.c", "command": "cc -Iy a.c"}"#, "/x/a.c", "cc", &["-I/x/y"]);
        check(r#"{"file": "a.c", "command": "cc -I.. -I../.. a.c"}"#, "build/a.c", "cc", &["-I.", "-I/home/me"]);
    }

    #[test]
    fn what_is_left_out_is_told() {
        let text = r#"[{"directory": "/x", "file": "a.c", "command": "cc a.c"},
            {"directory": "/x", "file": "b.cpp", "command": "c++ b.cpp"},
            {"directory": "/x", "file": "a.c", "command": "cc a.c"},
            {"directory": "/x", "file": "a.c", "command": "cc -DTWICE a.c"}]"#;
        let database = read(text).expect("a database");
        assert_eq!(database.files.len(), 1);
        let notes: Vec<_> = database.notes.iter().map(|note| note.message.as_str()).collect();
        insta::assert_snapshot!(notes.join("\n"), @r"
        /home/me/p/build/compile_commands.json has files that are not C, which are left out: /x/b.cpp
        /home/me/p/build/compile_commands.json has several entries with different flags, of which the first is used: /x/a.c
        ");
    }

    #[test]
    fn what_is_wrong_is_named() {
        let wrong = ["{", "{}", "[]", r#"[{"file": "a.c"}]"#, r#"[{"file": "a.c", "command": "cc 'a.c"}]"#];
        let told: Vec<_> = wrong.iter().map(|text| read(text).expect_err("wrong")).collect();
        let plain = told.join("\n").replace("/home/me/p/build/compile_commands.json is no compilation database: ", "");
        insta::assert_snapshot!(plain, @r"
        invalid type: map, expected a sequence at line 1 column 0
        invalid type: map, expected a sequence at line 1 column 0
        it has no entry for a C file
        entry 1 (build/a.c) has neither `command` nor `arguments`
        entry 1 (build/a.c) leaves a quote open
        ");
    }

    #[test]
    fn files_and_folders_select() {
        let project = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(project.path().join("lib")).expect("a folder");
        for name in ["main.c", "lib/a.c", "lib/b.c"] {
            std::fs::write(project.path().join(name), "").expect("a file");
        }
        let entry = |name: &str| format!(r#"{{"file": "{name}", "command": "cc {name}"}}"#);
        let entries: Vec<_> = ["main.c", "lib/a.c", "lib/b.c", "gone.c"].map(entry).into();
        let path = project.path().join(FILE_NAME);
        std::fs::write(&path, format!("[{}]", entries.join(","))).expect("a file");
        let database = Database::read(project.path(), project.path()).expect("a database");
        let select = |names: &[&str]| {
            let names: Vec<_> = names.iter().map(|name| project.path().join(name)).collect();
            let database =
                Database { files: database.files.iter().map(|f| project.path().join(f)).collect(), ..database.clone() };
            database.select(&names).map(|files| files.len()).map_err(|errors| errors.len())
        };
        assert_eq!(select(&["lib"]), Ok(2));
        assert_eq!(select(&["lib/b.c", "main.c", "lib"]), Ok(3));
        assert_eq!(select(&["other.c", "none.c"]), Err(2));
        assert_eq!(select(&[]), Err(1));
    }
}
