//! What a flag of a compilation database may do.
//!
//! A flag is kept where it is known to define macros, to search folders for headers, or to choose a dialect or a target: what
//! decides how the preprocessor reads a program. Others are left out, and those that can make a compiler load code, run
//! programs, or take flags from where nobody looked are refused, because leaving them out might change the program.

use crate::flags::operand;
use Verdict::{Kept, LeftOut, Refused, Unknown};
use std::path::Path;

/// What becomes of a flag.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// These words stand for it.
    Kept(Vec<String>),
    /// It means nothing to the preprocessor.
    LeftOut,
    /// Nobody knows.
    Unknown,
    /// With the reason.
    Refused(&'static str),
}

/// Flags with a text right behind or in the next word.
const TEXTS: &[&str] = &["-D", "-U"];
/// The same with a path; longer ones first.
const PATHS: &[&str] =
    &["--include-directory=", "-idirafter", "-isysroot", "-include", "-imacros", "-isystem", "-iquote", "-I"];
/// Where a system lies, for headers and for more than them.
const SYSROOTS: &[&str] = &["--sysroot=", "--sysroot"];
const ALONE: &[&str] =
    &["-ansi", "-undef", "-nostdinc", "-nostdlibinc", "-nobuiltininc", "-pthread", "-trigraphs", "-w"];
const DIALECTS: &[&str] = &["-std=", "--std="];
const TARGETS: &[&str] = &["--target=", "-target"];

/// By their beginning: what would run or load something, or hide what is wanted.
const REFUSED: &[(&str, &str)] = &[
    ("-fplugin", LOADS),
    ("-fpass-plugin", LOADS),
    ("-fmodule-mapper", RUNS),
    ("-wrapper", RUNS),
    ("-B", RUNS),
    ("--prefix", RUNS),
    ("-cc=", RUNS),
    ("-Qlocation", RUNS),
    ("-Yp,", RUNS),
    ("-gcc-name", RUNS),
    ("-ccc-", RUNS),
    ("-specs", HIDES),
    ("--specs", HIDES),
    ("--config", HIDES),
    ("-config=", HIDES),
    ("-profile=", HIDES),
    ("@", HIDES),
    ("-Xclang", INNER),
    ("-Xpreprocessor", INNER),
    ("-Xarch_", INNER),
    ("-mllvm", INNER),
    ("-Qoption", INNER),
];
const LOADS: &str = "makes a compiler load code";
const RUNS: &str = "makes a compiler run other programs";
const HIDES: &str = "takes further flags from a file";
const INNER: &str = "hands flags to a part of the compiler, where they are not checked";
const INPUT: &str = "would be compiled or linked as well";
const WRITES: &str = "can name a file that is written or linked";
const UNKNOWN: &str = "is not known";
const SHELL: &str = "has the syntax of a shell, to which some compilers are scripts";

/// Switches that say nothing to the preprocessor.
const LEFT_OUT: &[&str] = &[
    "-static",
    "-shared",
    "-rdynamic",
    "-nostdlib",
    "-nodefaultlibs",
    "-nostartfiles",
    "-no-pie",
    "-pie",
    "-p",
    "-pg",
    "-Q",
    "-static-libgcc",
    "-static-pie",
    "-nostdinc++",
    "-r",
    "-fsyntax-only",
    "-fpreprocessed",
    "-fworking-directory",
];
/// The same with something in the next word.
const LEFT_OUT_WITH_NEXT: &[&str] =
    &["--param", "-aux-info", "-dumpdir", "-dumpbase", "-framework", "-Xassembler", "-z", "-e"];
const LEFT_OUT_PREFIXES: &[&str] = &["--param=", "-ffile-prefix-map=", "-fdebug-prefix-map=", "-flto", "-fuse-ld="];

/// Switches of code generation that write files, or read what they were not told to.
const WRITING: &[&str] = &[
    "-fauto-profile",
    "-fcallgraph-info",
    "-fcompare-debug",
    "-fcoverage",
    "-fdump",
    "-fmodule",
    "-fopt-info",
    "-fprofile",
    "-fsave-optimization-record",
    "-fself-test",
    "-fstack-usage",
    "-ftest-coverage",
    "-ftime-trace",
    "-fproc-stat-report",
    "-ftime-report",
    "-foptimization-record",
];
/// Beginnings of flags that name files which are written, linked or searched.
const FILES: &[&str] =
    &["-o", "-M", "-save-temps", "-d", "-L", "-T", "-Wl,", "-Wa,", "-u", "-aux", "-print", "-imultilib"];
/// `-fNAME=VALUE` whose values are words and numbers.
const VALUES: &[&str] = &[
    "abi-version",
    "align-functions",
    "align-jumps",
    "align-labels",
    "align-loops",
    "cf-protection",
    "exec-charset",
    "excess-precision",
    "fp-contract",
    "fp-model",
    "inline-limit",
    "input-charset",
    "max-errors",
    "message-length",
    "openmp",
    "openmp-simd",
    "pack-struct",
    "random-seed",
    "simd-cost-model",
    "stack-protector",
    "strict-aliasing",
    "strict-flex-arrays",
    "tabstop",
    "tls-model",
    "tree-parallelize-loops",
    "trivial-auto-var-init",
    "vect-cost-model",
    "visibility",
    "wide-exec-charset",
    "wrapv",
    "zero-call-used-regs",
];

/// `rest`: the words behind it, of which it may take one.
pub(super) fn verdict<'a>(word: &str, rest: &mut impl Iterator<Item = &'a String>) -> Verdict {
    if let Some((_, why)) = REFUSED.iter().find(|(beginning, _)| word.starts_with(beginning)) {
        return Refused(why);
    }
    if let Some((flag, value)) = with_value(word, TEXTS, rest) {
        // GCC hands on what it defines as a word of its own.
        return if value.starts_with('@') { Refused(HIDES) } else { kept(format!("{flag}{value}")) };
    }
    if let Some((_, folder)) = with_value(word, SYSROOTS, rest) {
        // Programs of the compiler are not looked for there, but for the headers alone.
        return pair("-isysroot", folder);
    }
    if let Some((flag, path)) = with_value(word, PATHS, rest) {
        let flag = if flag.starts_with("--") { "-I" } else { flag };
        return pair(flag, path);
    }
    if let Some((_, target)) = with_value(word, TARGETS, rest) {
        return if is_word(&target) { kept(format!("--target={target}")) } else { Unknown };
    }
    if !word.starts_with('-') {
        // Another source, or an object.
        return LeftOut;
    }
    if LEFT_OUT_WITH_NEXT.contains(&word) {
        rest.next();
        return LeftOut;
    }
    single(word)
}

/// What is wrong with a word of a command that compiles and is handed on as it is; `verdict`: of the word. It could be a source
/// or a library, or name a file that is written; warnings, debugging and switches without a path cannot.
pub(super) fn compiles(word: &str, verdict: &Verdict) -> Option<&'static str> {
    let plain = word.strip_prefix('-').is_some_and(|name| is_word(name) && !name.contains([',', '=', ':']));
    let begins = |list: &[&str]| list.iter().any(|beginning| word.starts_with(beginning));
    match verdict {
        Refused(why) => Some(*why),
        Kept(_) => None,
        _ if word.starts_with("-flto") || word.starts_with("--param=") || word.starts_with("-l") && plain => None,
        _ if !word.starts_with('-') => Some(INPUT),
        _ if begins(WRITING) || begins(FILES) || LEFT_OUT_WITH_NEXT.contains(&word) && word != "--param" => {
            Some(WRITES)
        }
        _ if plain || word == "--param" => None,
        _ => Some(UNKNOWN),
    }
}

/// A flag that is one word.
fn single(word: &str) -> Verdict {
    let begins = |list: &[&str]| list.iter().any(|beginning| word.starts_with(beginning));
    let optimisation = word.strip_prefix("-O").is_some_and(|level| level.chars().all(|c| c.is_ascii_alphanumeric()));
    match word {
        _ if ALONE.contains(&word) || optimisation => kept(word.to_owned()),
        _ if DIALECTS.iter().any(|flag| word.strip_prefix(flag).is_some_and(is_word)) => kept(word.to_owned()),
        _ if LEFT_OUT.contains(&word) || begins(LEFT_OUT_PREFIXES) || begins(WRITING) => LeftOut,
        _ if word.starts_with("-Wp,") => handed(word),
        _ if word.strip_prefix("-m").is_some_and(is_word) => kept(word.to_owned()),
        _ if word.strip_prefix("-f").is_some_and(is_setting) => kept(word.to_owned()),
        _ => Unknown,
    }
}

/// `-Wp,-DA=1,-UB`: what is handed to the preprocessor, flag by flag. Build systems hand `-MD,FILE` so.
fn handed(word: &str) -> Verdict {
    let mut flags = Vec::new();
    let mut parts = word.split(',').skip(1);
    while let Some(part) = parts.next() {
        match part {
            "-MD" | "-MMD" | "-MF" | "-MT" | "-MQ" => drop(parts.next()),
            "-MP" | "-MG" | "-M" | "-MM" => {}
            "-D" | "-U" => return Refused(INNER),
            _ if part.get(2..).is_some_and(|text| text.starts_with('@')) => return Refused(HIDES),
            _ if part.len() > 2 && (part.starts_with("-D") || part.starts_with("-U")) => flags.push(part.to_owned()),
            _ => return Refused(INNER),
        }
    }
    if flags.iter().any(|flag| is_for_a_shell(flag)) { Refused(SHELL) } else { Kept(flags) }
}

/// A switch, or a setting whose value is known to be no file.
fn is_setting(name: &str) -> bool {
    match name.split_once('=') {
        None => is_word(name),
        Some((name, value)) => VALUES.contains(&name) && is_word(value),
    }
}

/// The flag of `flags` that `word` is, and what it is given.
fn with_value<'a>(
    word: &str,
    flags: &[&'static str],
    rest: &mut impl Iterator<Item = &'a String>,
) -> Option<(&'static str, String)> {
    let (flag, value) = flags.iter().find_map(|flag| Some((*flag, word.strip_prefix(flag)?)))?;
    if value.is_empty() {
        Some((flag, rest.next().cloned().unwrap_or_default()))
    } else {
        Some((flag, value.to_owned()))
    }
}

fn kept(flag: String) -> Verdict {
    if is_for_a_shell(&flag) { Refused(SHELL) } else { Kept(vec![flag]) }
}

fn pair(flag: &str, value: String) -> Verdict {
    if is_for_a_shell(&value) {
        return Refused(SHELL);
    }
    let path = operand(Path::new(&value)).to_string_lossy().into_owned();
    Kept(vec![flag.to_owned(), path])
}

/// Wrappers of compilers are scripts, and some of old evaluate their arguments.
fn is_for_a_shell(text: &str) -> bool {
    text.contains('`') || text.contains("$(") || text.contains(['\n', '\0'])
}

/// A name, a number or a list of them: no path.
fn is_word(text: &str) -> bool {
    !text.is_empty()
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '+' | ',' | '=' | ':'))
}
