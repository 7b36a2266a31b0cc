//! What a call of a compiler or archiver reads and makes, by its words, as the manual of GCC describes them.

use crate::names::Tool;
use crate::record::Call;
use chronos_frontend::normalized;
use std::path::{Path, PathBuf};

/// What a call did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Sources became objects, each its own.
    Compile(Vec<Compiled>),
    /// Sources and objects became a program.
    Link(Product),
    /// Objects became a library.
    Collect(Product),
}

/// A source and the object that it became.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiled {
    /// The source.
    pub source: PathBuf,
    /// The object.
    pub object: PathBuf,
}

/// What is made of other files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Product {
    /// The file that is made.
    pub path: PathBuf,
    /// Sources that are compiled on the way.
    pub sources: Vec<PathBuf>,
    /// Objects and libraries, by paths.
    pub inputs: Vec<PathBuf>,
    /// Libraries, by the names of `-l`.
    pub libraries: Vec<String>,
}

/// Flags whose argument is the next word.
const WITH_ARGUMENT: &[&str] = &[
    "-I",
    "-D",
    "-U",
    "-L",
    "-include",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-isysroot",
    "--sysroot",
    "-MF",
    "-MT",
    "-MQ",
    "-MJ",
    "-x",
    "-Xlinker",
    "-Xassembler",
    "-Xpreprocessor",
    "-Xclang",
    "-T",
    "-u",
    "-z",
    "--param",
    "-aux-info",
    "-B",
    "-e",
    "-target",
    "-arch",
    "-G",
    "-wrapper",
    "-specs",
    "-dumpbase",
    "-rpath",
];
/// Flags with which nothing is compiled for a program.
const WITHOUT_CODE: &[&str] = &["-E", "-M", "-MM", "-S", "-fsyntax-only", "--version", "-v", "-dumpversion", "-###"];
/// Endings of sources, C's first; those of other languages are told apart where they are read.
const SOURCES: &[&str] = &["c", "i", "C", "cc", "cpp", "cxx", "c++", "cu", "f", "f90", "F90", "f77", "F"];

/// What a call did; `None` where it made nothing that programs consist of.
pub fn of(call: &Call) -> Option<Step> {
    match Tool::of_path(&call.program)? {
        Tool::Archiver => archived(call),
        Tool::C | Tool::Cxx | Tool::MpiC | Tool::MpiCxx => compiled(call),
    }
}

/// Whether a path ends as a source does.
pub fn is_source(path: &Path) -> bool {
    path.extension().and_then(|ending| ending.to_str()).is_some_and(|ending| SOURCES.contains(&ending))
}

/// The words of a compiler that are neither files nor where the output goes.
pub fn flags(arguments: &[String]) -> Vec<&str> {
    let mut flags = Vec::with_capacity(arguments.len());
    let mut words = arguments.iter().map(String::as_str);
    while let Some(word) = words.next() {
        match word {
            "-o" => drop(words.next()),
            _ if WITH_ARGUMENT.contains(&word) => flags.extend(std::iter::once(word).chain(words.next())),
            _ if word.starts_with('-') => flags.push(word),
            _ => {}
        }
    }
    flags
}

/// Words of a compiler, sorted.
#[derive(Default)]
struct Words {
    sources: Vec<PathBuf>,
    inputs: Vec<PathBuf>,
    libraries: Vec<String>,
    output: Option<PathBuf>,
    compiles_only: bool,
    shared: bool,
    makes_no_code: bool,
}

fn compiled(call: &Call) -> Option<Step> {
    let words = sorted(call);
    let at = |path: &Path| normalized(&call.directory.join(path));
    if words.makes_no_code || words.sources.is_empty() && words.inputs.is_empty() {
        return None;
    }
    if words.compiles_only {
        let object = |source: &Path| {
            let by_default = || PathBuf::from(source.with_extension("o").file_name().unwrap_or_default());
            at(&words.output.clone().unwrap_or_else(by_default))
        };
        let compiled = |source: &PathBuf| Compiled { source: at(source), object: object(source) };
        return Some(Step::Compile(words.sources.iter().map(compiled).collect()));
    }
    let product = Product {
        path: at(words.output.as_deref().unwrap_or(Path::new("a.out"))),
        sources: words.sources.iter().map(|path| at(path)).collect(),
        inputs: words.inputs.iter().map(|path| at(path)).collect(),
        libraries: words.libraries,
    };
    Some(if words.shared { Step::Collect(product) } else { Step::Link(product) })
}

fn sorted(call: &Call) -> Words {
    let mut sorted = Words::default();
    let mut words = call.arguments.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "-o" => sorted.output = words.next().map(PathBuf::from),
            "-l" => sorted.libraries.extend(words.next().cloned()),
            "-c" => sorted.compiles_only = true,
            // A relocatable object and a shared library are parts of programs, not programs.
            "-shared" | "-r" => sorted.shared = true,
            flag if WITHOUT_CODE.contains(&flag) => sorted.makes_no_code = true,
            flag if WITH_ARGUMENT.contains(&flag) => drop(words.next()),
            flag => sorted.word(flag),
        }
    }
    sorted
}

impl Words {
    fn word(&mut self, word: &str) {
        if let Some(name) = word.strip_prefix("-l") {
            self.libraries.push(name.to_owned());
        } else if let Some(path) = word.strip_prefix("-o") {
            self.output = Some(PathBuf::from(path));
        } else if !word.starts_with('-') {
            let path = PathBuf::from(word);
            if is_source(&path) { self.sources.push(path) } else { self.inputs.push(path) }
        }
    }
}

/// `ar OPERATION [POSITION] LIBRARY MEMBER...`, with the operation `r` or `q` among its letters.
fn archived(call: &Call) -> Option<Step> {
    let at = |path: &String| normalized(&call.directory.join(path));
    let mut words = call.arguments.iter().filter(|word| !word.starts_with("--"));
    let operation = words.next()?;
    if !operation.contains(['r', 'q']) {
        return None;
    }
    let library = words.find(|word| !word.starts_with('-'))?;
    let inputs = words.filter(|word| !word.starts_with('-')).map(at).collect();
    Some(Step::Collect(Product { path: at(library), sources: Vec::new(), inputs, libraries: Vec::new() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(line: &str) -> Option<Step> {
        let mut words = line.split(' ').map(str::to_owned);
        let program = words.next().unwrap_or_default();
        of(&Call { directory: PathBuf::from("/p/src"), program, arguments: words.collect(), bundled_mpi: false })
    }

    fn product(path: &str, sources: &[&str], inputs: &[&str], libraries: &[&str]) -> Product {
        let paths = |paths: &[&str]| paths.iter().map(PathBuf::from).collect();
        Product {
            path: PathBuf::from(path),
            sources: paths(sources),
            inputs: paths(inputs),
            libraries: libraries.iter().map(|name| (*name).to_owned()).collect(),
        }
    }

    fn objects(pairs: &[(&str, &str)]) -> Option<Step> {
        let compiled = |(source, object): &(&str, &str)| Compiled { source: source.into(), object: object.into() };
        Some(Step::Compile(pairs.iter().map(compiled).collect()))
    }

    #[test]
    fn compiling_makes_an_object_of_each_source() {
        assert_eq!(step("gcc -O2 -Iinc -c a.c -o ../obj/a.o"), objects(&[("/p/src/a.c", "/p/obj/a.o")]));
        assert_eq!(
            step("mpicc -c a.c sub/b.c"),
            objects(&[("/p/src/a.c", "/p/src/a.o"), ("/p/src/sub/b.c", "/p/src/b.o")])
        );
        assert_eq!(step("cc -MD -MF a.d -D N=3 -c a.c"), objects(&[("/p/src/a.c", "/p/src/a.o")]));
    }

    #[test]
    fn linking_makes_a_program_of_objects_sources_and_libraries() {
        let expected = product("/p/bin/x", &["/p/src/m.c"], &["/p/src/a.o", "/p/src/l.a"], &["m", "u"]);
        assert_eq!(step("gcc -o ../bin/x m.c a.o l.a -L../lib -lm -l u"), Some(Step::Link(expected)));
        assert_eq!(step("cc m.c"), Some(Step::Link(product("/p/src/a.out", &["/p/src/m.c"], &[], &[]))));
    }

    #[test]
    fn libraries_are_parts_of_programs() {
        let expected = |path| Some(Step::Collect(product(path, &[], &["/p/src/a.o", "/p/src/b.o"], &[])));
        assert_eq!(step("ar rcs libx.a a.o b.o"), expected("/p/src/libx.a"));
        assert_eq!(step("ar -cr libx.a a.o b.o"), expected("/p/src/libx.a"));
        assert_eq!(step("gcc -shared -o libx.so a.o b.o"), expected("/p/src/libx.so"));
        assert_eq!(step("ar t libx.a"), None);
    }

    #[test]
    fn flags_are_what_is_left_without_files() {
        let words: Vec<String> =
            "-O2 -I inc a.c b.o -o x -DN=3 -include p.h -lm".split(' ').map(str::to_owned).collect();
        assert_eq!(flags(&words), ["-O2", "-I", "inc", "-DN=3", "-include", "p.h", "-lm"]);
    }

    #[test]
    fn what_makes_no_code_is_left_out() {
        for line in ["gcc -E a.c", "gcc -MM a.c", "gcc --version", "gcc", "ranlib libx.a"] {
            assert_eq!(step(line), None, "{line}");
        }
    }
}
