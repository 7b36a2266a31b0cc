//! How a program is built, as far as machine files differ by it: compiler, version, optimisation, target.

use crate::Compiler;

/// Whose rules of optimisation hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompilerKind {
    /// GNU, and whatever says nothing else of itself.
    Gcc,
    /// LLVM.
    Clang,
}

/// Compiler and flags of a program, or of a machine file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Build {
    /// The command with those of its flags that say something here, for messages.
    pub command: String,
    /// Whose compiler it is.
    pub kind: CompilerKind,
    /// Its major version, where it says so.
    pub version: Option<u32>,
    /// What stands behind the last `-O`; `None` where there is no such flag.
    pub level: Option<String>,
    /// The last `-march` or `-mcpu`.
    pub target: Option<String>,
    /// Other flags that change code (`-ffast-math`, `-fno-inline`, `-mavx2`), sorted.
    pub other_flags: Vec<String>,
}

impl Build {
    /// Of a compiler command as words, and the first line of what the compiler prints for `--version`.
    #[must_use]
    pub fn of(words: &[String], version_line: &str) -> Self {
        let last = |prefixes: &[&str]| {
            let found =
                words.iter().rev().find_map(|word| prefixes.iter().find_map(|prefix| word.strip_prefix(prefix)));
            found.map(str::to_owned)
        };
        let telling = |word: &&String| TELLING.iter().any(|prefix| word.starts_with(prefix)) && !is_harmless(word);
        let command = words.iter().take(1).chain(words.iter().skip(1).filter(telling));
        let level = last(&["-O"]).map(|level| if level.is_empty() { "1".to_owned() } else { level });
        Self {
            command: command.map(String::as_str).collect::<Vec<_>>().join(" "),
            kind: if version_line.contains("clang") { CompilerKind::Clang } else { CompilerKind::Gcc },
            version: major(version_line),
            level,
            target: last(&["-march=", "-mcpu="]),
            other_flags: other_flags(words),
        }
    }

    /// Of a machine file.
    pub(super) fn of_machine(compiler: &Compiler) -> Self {
        let words: Vec<String> = std::iter::once(&compiler.command).chain(&compiler.flags).cloned().collect();
        Self {
            level: Self::of(&words, "").level.or_else(|| Some("0".to_owned())),
            ..Self::of(&words, &compiler.version)
        }
    }

    /// In a few letters, for the name of a machine: `gcc12-O2`, `clang14-O3-native`.
    #[must_use]
    pub fn short(&self) -> String {
        let kind = match self.kind {
            CompilerKind::Gcc => "gcc",
            CompilerKind::Clang => "clang",
        };
        let version = self.version.map(|version| version.to_string()).unwrap_or_default();
        let target = self.target.as_ref().map(|target| format!("-{target}")).unwrap_or_default();
        format!("{kind}{version}-O{}{target}{}", self.level_or_usual(), self.other_flags.concat())
    }

    /// The command with a level of optimisation, the usual one where it has none.
    #[must_use]
    pub fn levelled_command(&self) -> String {
        match &self.level {
            Some(_) => self.command.clone(),
            None => format!("{} -O{USUAL_LEVEL}", self.command),
        }
    }

    /// How far a machine file's build is from this one: 0 in all parts where it is the same, the gravest part first.
    pub(super) fn distance(&self, machine: &Self) -> Distance {
        Distance {
            other_kind: self.kind != machine.kind,
            level: rank(self.level_or_usual()).abs_diff(rank(machine.level_or_usual())),
            other_target: self.target != machine.target,
            other_flags: self.other_flags != machine.other_flags,
            version: self.version.zip(machine.version).map_or(0, |(own, other)| own.abs_diff(other)),
        }
    }

    /// The level of optimisation, or the one that is assumed.
    pub(super) fn level_or_usual(&self) -> &str {
        self.level.as_deref().unwrap_or(USUAL_LEVEL)
    }
}

impl Compiler {
    /// Whether a compiler that prints this line of its version is of the same kind and major version.
    #[must_use]
    pub fn is_version(&self, version_line: &str) -> bool {
        let (own, other) = (Build::of_machine(self), Build::of(&[], version_line));
        !version_line.is_empty() && own.kind == other.kind && own.version == other.version
    }

    /// Whether it leaves the program as it is written.
    #[must_use]
    pub fn is_unoptimised(&self) -> bool {
        Build::of_machine(self).level.as_deref() == Some("0")
    }
}

/// Flags that decide which machine file fits.
const TELLING: [&str; 5] = ["-O", "-march=", "-mcpu=", "-f", "-m"];

/// Position-independent code, data models, messages and checks of the stack leave loops as they are.
const HARMLESS: [&str; 11] = [
    "-fPIC",
    "-fpic",
    "-fPIE",
    "-fpie",
    "-fno-pie",
    "-fcommon",
    "-fno-common",
    "-fdiagnostics",
    "-fmessage",
    "-fstack-protector",
    "-m64",
];

fn is_harmless(word: &str) -> bool {
    HARMLESS.iter().any(|prefix| word.starts_with(prefix))
}

/// Those that change code beside level and target, sorted.
fn other_flags(words: &[String]) -> Vec<String> {
    let named = |word: &&String| ["-march=", "-mcpu="].iter().any(|prefix| word.starts_with(prefix));
    let changes = |word: &&String| (word.starts_with("-f") || word.starts_with("-m")) && !is_harmless(word);
    let mut flags: Vec<String> = words.iter().skip(1).filter(|word| changes(word) && !named(word)).cloned().collect();
    flags.sort();
    flags.dedup();
    flags
}

/// What programs are built with where nobody says otherwise.
pub(super) const USUAL_LEVEL: &str = "2";

/// The differences of two builds, in the order of what they do to times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Distance {
    /// gcc and clang vectorise and unroll by other rules.
    pub other_kind: bool,
    /// Steps of optimisation between them.
    pub level: u32,
    /// Other vector instructions.
    pub other_target: bool,
    /// Other flags that change code.
    pub other_flags: bool,
    /// Major versions between them.
    pub version: u32,
}

impl Distance {
    /// Whether times of one build say nothing reliable of the other: all but the version.
    pub fn matters(self) -> bool {
        self.other_kind || self.level > 0 || self.other_target || self.other_flags
    }
}

/// Levels in the order of what they do; `-Os` and `-Oz` leave loops much as `-O2` does, `-Ofast` as `-O3` does.
fn rank(level: &str) -> u32 {
    match level {
        "0" => 0,
        "1" | "g" => 1,
        "3" | "4" | "fast" => 3,
        _ => 2,
    }
}

/// The number before the first dot of a version.
fn major(version_line: &str) -> Option<u32> {
    let mut words = version_line.rsplit(|c: char| c.is_whitespace() || c == '(' || c == ')');
    words.find_map(|word| word.split_once('.')?.0.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::{Build, CompilerKind, major};
    use crate::Compiler;

    fn build(command: &str, version: &str) -> Build {
        Build::of(&command.split(' ').map(str::to_owned).collect::<Vec<_>>(), version)
    }

    #[test]
    fn the_last_flag_counts_and_others_are_left_out() {
        let built = build("gcc -O2 -Wall -DN=4 -O3 -march=native", "gcc (Debian 12.2.0-14+deb12u1) 12.2.0");
        assert_eq!(built.command, "gcc -O2 -O3 -march=native");
        assert_eq!((built.kind, built.version), (CompilerKind::Gcc, Some(12)));
        assert_eq!((built.level.as_deref(), built.target.as_deref()), (Some("3"), Some("native")));
        assert_eq!(built.short(), "gcc12-O3-native");
        let other = build("gcc -O1 -march=native -fno-inline -g", "gcc (Debian 12.2.0) 12.2.0");
        assert_eq!(
            (&*other.short(), other.other_flags),
            ("gcc12-O1-native-fno-inline", vec!["-fno-inline".to_owned()])
        );
        assert_eq!(build("cc", "").levelled_command(), "cc -O2");
        assert_eq!(build("cc", "").level, None);
        assert_eq!(build("cc -O", "").level.as_deref(), Some("1"));
    }

    #[test]
    fn versions_are_read_from_what_compilers_print() {
        assert_eq!(major("cc (Debian 12.2.0-14+deb12u1) 12.2.0"), Some(12));
        assert_eq!(major("Debian clang version 14.0.6"), Some(14));
        assert_eq!(major("gcc 12 (rules; not run)"), None);
        assert_eq!(build("cc", "Debian clang version 14.0.6").kind, CompilerKind::Clang);
    }

    #[test]
    fn the_kind_of_compiler_outweighs_levels_and_these_the_version() {
        let own = build("gcc -O2", "gcc 13.1.0");
        let distance = |command: &str, version: &str| own.distance(&build(command, version));
        assert!(distance("gcc -O2", "gcc 12.2.0") < distance("gcc -O3", "gcc 13.1.0"));
        assert!(distance("gcc -O0", "gcc 13.1.0") < distance("clang -O2", "clang version 13.0.0"));
        assert!(!distance("gcc -O2", "gcc 12.2.0").matters());
        assert!(distance("gcc -O2 -march=native", "gcc 13.1.0").matters());
    }

    #[test]
    fn compilers_are_told_apart_by_kind_and_major_version() {
        let compiler = |command: &str, version: &str, flags: &[&str]| Compiler {
            command: command.to_owned(),
            version: version.to_owned(),
            flags: flags.iter().map(|&flag| flag.to_owned()).collect(),
        };
        let gcc = compiler("gcc", "gcc (Debian 12.2.0-14) 12.2.0", &["-O2"]);
        assert!(gcc.is_version("gcc (SUSE Linux) 12.4.1 20240101"));
        assert!(!gcc.is_version("gcc (Debian 13.1.0-6) 13.1.0"));
        assert!(!gcc.is_version("Debian clang version 12.0.1"));
        assert!(!gcc.is_version(""));
        assert!(!gcc.is_unoptimised() && compiler("gcc", "", &[]).is_unoptimised());
    }
}
