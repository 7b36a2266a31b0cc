//! The compiler command that the user names, fitted to preprocessing alone.

use chronos_ir::DataModel;
use std::path::{Path, PathBuf};

/// A command with the flags that matter to the preprocessor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// The program to run: a name for the search path, or a path.
    pub program: String,
    /// Flags in their order, each a word of its own.
    pub flags: Vec<String>,
    /// The flags ask for 32-bit code.
    pub model: Option<DataModel>,
}

/// Flags whose argument is the next word and goes with them.
const DROPPED_WITH_ARGUMENT: &[&str] = &["-o", "-MF", "-MT", "-MQ", "-MJ", "-l", "-L", "-x", "-Xlinker", "-T", "-u"];
/// Flags that would change what -E writes, or that mean nothing to it.
const DROPPED: &[&str] =
    &["-c", "-S", "-E", "-P", "-C", "-CC", "-g", "-s", "-pipe", "-M", "-MM", "-MD", "-MMD", "-MG", "-MP", "-v"];
const DROPPED_PREFIXES: &[&str] = &[
    "-l",
    "-L",
    "-W",
    "-g",
    "-pedantic",
    "-save-temps",
    "-fdiagnostics",
    "-fdirectives-only",
    "-fsanitize",
    "-d",
    "-o",
];

/// What a compiler takes for a file or folder whatever its name: a word that begins with `-` would be a flag, and one
/// that begins with `@` names a file of further flags, even where it stands behind a flag that wants a path.
pub fn operand(path: &Path) -> PathBuf {
    if is_flag(path) { Path::new(".").join(path) } else { path.to_owned() }
}

/// Whether a compiler would take the name of this file for a flag.
pub(crate) fn is_flag(path: &Path) -> bool {
    matches!(path.as_os_str().as_encoded_bytes().first(), Some(b'-' | b'@'))
}

/// Splits `text` as a shell would; an empty one is `cc`. `None` where a quote stays open.
pub fn parse(text: &str) -> Option<Command> {
    split(text).map(|words| fitted(words.into_iter()))
}

/// The command that these words are; none are `cc`.
pub fn fitted(mut words: impl Iterator<Item = String>) -> Command {
    let program = words.next().unwrap_or_else(|| "cc".to_owned());
    let mut command = Command { program, flags: Vec::new(), model: None };
    while let Some(word) = words.next() {
        match word.as_str() {
            "-m32" => command.model = Some(DataModel::Ilp32),
            "-m64" => command.model = Some(DataModel::Lp64),
            flag if DROPPED_WITH_ARGUMENT.contains(&flag) => drop(words.next()),
            flag if is_dropped(flag) => {}
            _ => command.flags.push(word),
        }
    }
    command
}

fn is_dropped(flag: &str) -> bool {
    // -Wp, hands definitions to the preprocessor.
    let kept = flag.starts_with("-Wp,");
    let dropped = DROPPED.contains(&flag) || DROPPED_PREFIXES.iter().any(|prefix| flag.starts_with(prefix));
    dropped && !kept
}

/// Words of a shell command: blanks separate, quotes and backslashes protect, `#` begins a comment. `None` where a quote
/// stays open.
pub fn split(text: &str) -> Option<Vec<String>> {
    shlex::split(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, program: &str, flags: &[&str]) {
        let command = parse(text).expect("balanced quotes");
        assert_eq!((command.program.as_str(), command.flags), (program, flags.iter().map(|f| f.to_string()).collect()));
    }

    #[test]
    fn flags_that_do_not_fit_preprocessing_are_dropped() {
        check("", "cc", &[]);
        check("gcc -O2 -c -o x.o -Wall -g3 -lm -L /lib -MMD -MF x.d", "gcc", &["-O2"]);
        check("clang -std=c99 -march=native -fopenmp", "clang", &["-std=c99", "-march=native", "-fopenmp"]);
        check("gcc -I inc -include conf.h -Wp,-DA=1", "gcc", &["-I", "inc", "-include", "conf.h", "-Wp,-DA=1"]);
    }

    #[test]
    fn words_are_quoted_as_for_a_shell() {
        check(r#""my cc" -DA="x y" '-DB="q"' -DC=\ z"#, "my cc", &["-DA=x y", "-DB=\"q\"", "-DC= z"]);
        check("gcc \"a\\b\\\"c\" d\\ e", "gcc", &["a\\b\"c", "d e"]);
        check("gcc -DA#B # a comment, as in a shell", "gcc", &["-DA#B"]);
        assert_eq!([parse("gcc 'oops"), parse("gcc \"oops"), parse("gcc \\")], [None, None, None]);
    }

    #[test]
    fn names_of_files_are_no_flags() {
        let check = |name: &str| operand(Path::new(name)).to_string_lossy().into_owned();
        assert_eq!(["-x.c", "@x/a.c", "-", "a.c", "/@x"].map(check), ["./-x.c", "./@x/a.c", "./-", "a.c", "/@x"]);
    }

    #[test]
    fn model_flags_are_understood() {
        assert_eq!(parse("gcc -m32 -O2").and_then(|c| c.model), Some(DataModel::Ilp32));
        assert_eq!(parse("gcc -O2").and_then(|c| c.model), None);
    }
}
