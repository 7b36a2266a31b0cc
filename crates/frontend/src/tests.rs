//! The front end on small files.

use super::*;
use chronos_base::span::{FileId, Span};
use chronos_ir::DataModel;
use lang_c::ast::{Expression, ExternalDeclaration};
use lang_c::visit::{Visit, visit_expression};
use std::path::Path;

/// Files of a directory of their own; the `.c` files are the units.
struct Project {
    directory: tempfile::TempDir,
    options: SourceOptions,
}

impl Project {
    fn new(files: &[(&str, &str)]) -> Self {
        let directory = tempfile::tempdir().expect("temporary directory");
        let mut options = SourceOptions::default();
        for (name, text) in files {
            let path = directory.path().join(name);
            headers::write_file(&path, text).expect("written");
            if name.ends_with(".c") {
                options.files.push(path);
            }
        }
        Self { directory, options }
    }

    fn set(mut self, name: &str, value: &str) -> Self {
        self.options.settings.push((name.to_owned(), value.to_owned()));
        self
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }

    fn outcome(&self) -> (Option<Sources>, Vec<Diagnostic>) {
        match read(&self.options) {
            Ok((sources, diagnostics)) => (Some(sources), diagnostics),
            Err(failure) => (None, failure.diagnostics),
        }
    }

    fn read(&self) -> Sources {
        let (sources, diagnostics) = self.outcome();
        assert!(diagnostics.is_empty(), "{diagnostics:?}");
        sources.expect("no diagnostics")
    }

    /// `code file:line:column message` of each diagnostic, without the directory.
    fn errors(&self) -> String {
        let (sources, diagnostics) = self.outcome();
        assert!(sources.is_none(), "accepted");
        let prefix = format!("{}/", self.path().display());
        let line = |d: &Diagnostic| {
            assert!(d.help.is_some(), "a remedy");
            let place = d.labels.first().map(|l| format!(" {}:{}", l.span.line_start, l.span.column_start));
            format!("{}{} {}", d.code.id, place.unwrap_or_default(), d.message.replace(&prefix, ""))
        };
        diagnostics.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}

fn check(text: &str) -> Sources {
    Project::new(&[("a.c", text)]).read()
}

/// The text under each call's span, as `line:column-column text`.
fn calls(sources: &Sources) -> Vec<String> {
    struct Calls<'a>(&'a Sources, &'a Unit, Vec<String>);
    impl<'ast> Visit<'ast> for Calls<'_> {
        fn visit_expression(&mut self, expression: &'ast Expression, span: &'ast lang_c::span::Span) {
            if matches!(expression, Expression::Call(_)) && self.1.lines.is_user(*span) {
                self.2.push(quoted(self.0, self.1.lines.span(*span)));
            }
            visit_expression(self, expression, span);
        }
    }
    let mut found = Vec::new();
    for unit in &sources.units {
        let mut visitor = Calls(sources, unit, Vec::new());
        unit.pieces.iter().for_each(|piece| visitor.visit_translation_unit(&piece.ast));
        found.append(&mut visitor.2);
    }
    found
}

fn quoted(sources: &Sources, span: Span) -> String {
    let text = sources.files.get(span.file).text.as_ref().expect("a user file");
    let line = text.lines().nth(span.line_start as usize - 1).expect("a line");
    let last = if span.line_end == span.line_start { span.column_end as usize } else { line.len() };
    format!(
        "{}:{}-{} {}",
        span.line_start,
        span.column_start,
        span.column_end,
        &line[span.column_start as usize - 1..last]
    )
}

#[test]
fn extensions_of_gnu_c_are_parsed() {
    for text in [
        "int x __attribute__((aligned(16)));",
        "struct s { char a; int b; } __attribute__((packed)) y;",
        "void f(int a) { switch (a) { case 1: a++; __attribute__((fallthrough)); case 2: break; } }",
        "void f(int a) { switch (a) { case 1: a++; [[fallthrough]]; case 2: break; } }",
        "int f(int a, int b) { return a ?: b; }",
        "double f(double d) { __auto_type e = d; return e; }",
        "__int128 a; unsigned __int128 b; __int128_t c; _Float128 d; __float128 e; _Float64 g; __thread int h;",
        "int f(int a) { return ({ int b = a; b + 1; }); }",
        "int f(int a) { __typeof__(a) b = a; typeof(b) c = b; return c; }",
        "int f(int a) { switch (a) { case 1 ... 5: return 1; default: return 0; } }",
        "void f(void) { __asm__ volatile (\"nop\" ::: \"memory\"); }",
        "void f(int a) { asm goto (\"nop\" : : \"r\"(a) : : out); out: return; }",
        "void f(void) { asm inline (\"nop\"); }",
        "int f(void) { goto end; end: }",
        "int f(void) { goto next; next: int x = 3; return x; }",
        "int f(a, b) int a; double b; { return a; }",
        "void f(int n, double a[n][n]) { double b[n]; b[0] = a[0][0]; }",
        "int a[] = { [3] = 1, [5 ... 7] = 2 }; struct { int x, y; } p = { .y = 1, x: 2 };",
        "_Complex double z; double _Complex w = 1.0i;",
        "int f(void) { return __builtin_types_compatible_p(int, long); }",
        "_Static_assert(sizeof(int) == 4, \"int\"); int b = 0b101; long long c = 1LL; float d = 0x1p3f;",
        "int f(int x) { return _Generic(x, int: 1, default: 2); }",
        "#include <assert.h>\nstatic_assert(1, \"one\"); void f(int x) { assert(x > 0); }",
        "__extension__ typedef long long q; static __inline__ int f(const int *__restrict__ p) { return *p; }",
        "int f(void) __asm__(\"g\"); extern int puts(const char *) __attribute__((__nonnull__(1)));",
        "_Pragma(\"GCC diagnostic push\") int x;",
        "char *s = \"a\" \"\\\"?:\" \"b\"; int c = '\\'';",
        "void f(void) { int x = __builtin_expect(1, 0); __builtin_va_list v; (void)x; }",
        "int f(int n) { int s = 0; for (int i = 0, j = n; i < j; i++, j--) s += i; return s; }",
    ] {
        let sources = check(text);
        assert_eq!(sources.units.len(), 1, "{text}");
    }
}

#[test]
fn headers_of_the_c_library_are_parsed() {
    let names = "assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign \
                 stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string tgmath time uchar wchar wctype \
                 unistd getopt fcntl pthread semaphore strings libgen malloc alloca sched dirent glob regex pwd \
                 sys/time sys/types sys/stat sys/resource sys/wait sys/mman sys/utsname sys/socket netinet/in arpa/inet \
                 netdb mpi omp chronos";
    let text: String = names.split_whitespace().map(|name| format!("#include <{name}.h>\n")).collect();
    for prefix in ["", "#define _GNU_SOURCE\n"] {
        let mut project = Project::new(&[("a.c", &format!("{prefix}{text}int x;\n"))]);
        assert!(calls(&project.read()).is_empty());
        project.options.cc = "cc -O2 -D_FORTIFY_SOURCE=2 -fopenmp".to_owned();
        assert!(calls(&project.read()).is_empty());
        project.options.cc = "cc -m32".to_owned();
        assert_eq!(project.read().model, DataModel::Ilp32);
    }
}

/// What `#if` finds for each data model, with the compiler of this machine.
#[test]
fn macros_are_those_of_the_target() {
    const ASKED: &[(&str, &str)] = &[
        ("defined __x86_64__", "x86_64"),
        ("defined __i386__", "i386"),
        ("defined __aarch64__", "aarch64"),
        ("defined __ARM_NEON", "neon"),
        ("__WORDSIZE == 64", "word64"),
        ("CHAR_MIN < 0", "signed_char"),
        ("WCHAR_MIN < 0", "signed_wchar"),
        ("LDBL_MANT_DIG == 113", "quad"),
        ("LONG_MAX == INT_MAX", "long32"),
    ];
    let asked = ASKED.iter().map(|(condition, name)| format!("#if {condition}\nint {name};\n#endif\n"));
    let headers = "#include <limits.h>\n#include <float.h>\n#include <stdint.h>\n#include <wchar.h>\n";
    let text = asked.fold(headers.to_owned(), |text, one| text + &one);
    let found = |model: DataModel| {
        let mut project = Project::new(&[("a.c", &text)]);
        project.options.model = model;
        let (program, diagnostics) = crate::lower::lower_sources(&project.read(), &crate::lower::Settings::default());
        assert!(diagnostics.iter().all(|found| !found.is_error()), "{diagnostics:?}");
        let names: Vec<&str> = program.variables.values().map(|variable| &*variable.name).collect();
        let defined = ASKED.iter().map(|(_, name)| *name).filter(|name| names.contains(name));
        defined.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(found(DataModel::Lp64), "x86_64 word64 signed_char signed_wchar");
    assert_eq!(found(DataModel::Ilp32), "i386 signed_char signed_wchar long32");
    assert_eq!(found(DataModel::Aarch64), "aarch64 neon word64 quad");
}

#[test]
fn spans_have_the_users_columns() {
    let sources = check(
        "#include <stdio.h>\n#define SQ(x) ((x) * (x))\n#define CALL(x) g(SQ(x))\nint g(int);\n\
         int f(int a) {\n\tint   b = g(a);   /* c */ b += g(  SQ(b) );\n  if (stdin == NULL && g(1)) return CALL(a);\n  \
         return g(a,\n    2) + g /* x */ (b);\n}\n",
    );
    assert_eq!(
        calls(&sources).join("\n"),
        "\
6:12-15 g(a)
6:33-43 g(  SQ(b) )
7:24-27 g(1)
7:37-43 CALL(a)
8:10-6 g(a,
9:10-22 g /* x */ (b)"
    );
}

#[test]
fn a_line_after_continuations_keeps_its_number() {
    let sources = check(
        "#define X 1 + \\\n  2\nint g(int);\nint a;\nint f(void) { return \\\n  g(X); }\n/* 1\n2 */ int h(void) { return g(1); }\n",
    );
    assert_eq!(calls(&sources).join("\n"), "6:3-6 g(X)\n8:27-30 g(1)");
}

#[test]
fn several_units_share_a_header() {
    let project = Project::new(&[
        ("b.c", "#include \"inc/h.h\"\nint main(void) { return g(1); }\n"),
        ("a.c", "#include \"inc/h.h\"\nint g(int x) { return x; }\n"),
        ("inc/h.h", "#pragma omp simd\nint g(int);\nstatic int h(void) { return g(2); }\n"),
    ]);
    let sources = project.read();
    let names: Vec<String> = sources.files.iter().take(3).map(|(_, file)| file.name.to_string()).collect();
    let expected = ["b.c", "a.c", "inc/h.h"].map(|name| format!("{}/{name}", project.path().display()));
    assert_eq!(names[..2], expected[..2]);
    assert_eq!(sources.units.iter().map(|unit| unit.file).collect::<Vec<_>>(), [FileId(0), FileId(1)]);
    let header = sources.files.iter().find(|(_, file)| *file.name == *expected[2]).expect("the header");
    assert!(sources.units.iter().all(|unit| unit.lines.user_files().contains(&header.0)));
    assert_eq!(calls(&sources).join("\n"), "3:29-32 g(2)\n2:25-28 g(1)\n3:29-32 g(2)");
    let pragmas: Vec<_> = sources.pragmas.iter().map(|(text, span)| (text.as_str(), span.line_start)).collect();
    assert_eq!(pragmas, [("omp simd", 1)]);
}

#[test]
fn annotations_remain_calls() {
    let sources = check(
        "#include <chronos.h>\nvoid f(int a) {\n  PIC_proba(0.5);\n  if (chronos_probability(0.1), a) a++;\n  \
         chronos_iterations(3);\n}\n",
    );
    assert_eq!(
        calls(&sources).join("\n"),
        "\
3:3-16 PIC_proba(0.5)
4:7-30 chronos_probability(0.1)
5:3-23 chronos_iterations(3)"
    );
}

/// The `int` that initialises `value`.
fn value_of(sources: &Sources) -> String {
    let unit = &sources.units[0];
    let last = unit.pieces[0].ast.0.iter().rev().find_map(|item| match &item.node {
        ExternalDeclaration::Declaration(declaration) => Some(format!("{declaration:?}")),
        _ => None,
    });
    let text = last.expect("a declaration");
    let from = text.rfind("number: \"").expect("a number") + 9;
    text[from..].chars().take_while(|c| *c != '"').collect()
}

#[test]
fn settings_override_macros_wherever_they_are_defined() {
    for (files, expected) in [
        (vec![("a.c", "#define N 5\nint value = N;\n")], "77"),
        (vec![("a.c", "#ifndef N\n#  define N 5 /* five */\n#endif\nint value = N;\n")], "77"),
        (vec![("a.c", "#define N \\\n  5\nint value = N;\n")], "77"),
        (vec![("a.c", "#define N 5\n#if N > 10\nint value = N;\n#else\nint value = 0;\n#endif\n")], "77"),
        (vec![("a.c", "#define M (N)\n#define N 5\nint value = M;\n")], "77"),
        (
            vec![
                ("a.c", "#include \"sub/c.h\"\nint value = N;\n"),
                ("sub/c.h", "#include \"../d.h\"\n"),
                ("d.h", "#define N 5\n"),
            ],
            "77",
        ),
        (vec![("a.c", "/*\n#define N 5\n*/\nchar *s = \"\\\n#define N 5\";\n#define N 6\nint value = N;\n")], "77"),
    ] {
        let project = Project::new(&files).set("N", "77");
        let sources = project.read();
        assert_eq!(value_of(&sources), expected, "{files:?}");
        assert!(sources.settings[0].is_macro);
        assert!(sources.files.iter().all(|(_, file)| !file.name.contains("chronos-headers")));
    }
}

#[test]
fn overridden_files_keep_their_places_and_includes() {
    let mut project = Project::new(&[
        ("src/a.c", "#include \"conf.h\"\n#include \"local.h\"\nint g(int);\nint f(void) { return g(N) + L; }\n"),
        ("src/local.h", "#define L 3\n"),
        ("include/conf.h", "#define N \\\n  5\n"),
    ])
    .set("N", "77");
    project.options.includes.push(project.path().join("include"));
    let sources = project.read();
    assert_eq!(calls(&sources), ["4:22-25 g(N)"]);
    let names: Vec<_> = sources.macros.iter().map(|m| (m.name.as_str(), m.body.as_str(), m.span.line_start)).collect();
    assert_eq!(names, [("N", "5", 1), ("L", "3", 1)]);
}

#[test]
fn a_setting_that_no_macro_answers_to_is_left_to_the_lowering() {
    let sources = Project::new(&[("a.c", "const int n = 5; int value = 3;\n")]).set("n", "7").read();
    assert!(!sources.settings[0].is_macro);
    let near = parameters::unused_setting("NTIMS", &["NX".to_owned(), "NTIMES".to_owned()]);
    assert!(near.help.is_some_and(|help| help.contains("--set NTIMES=")));
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let error = |text: &str| Project::new(&[("a.c", text)]).errors();
    assert_eq!(error("#include <stdio.h>\n#include \"none.h\"\n"), "C0103 2:10 the header `none.h` is not found");
    assert_eq!(error("int x;\n#error no way\n"), "C0103 2:2 preprocessing failed: #error no way");
    assert_eq!(error("#if 1\nint x;\n"), "C0103 1:1 preprocessing failed: unterminated #if");
    assert_eq!(error("int main(void) {\n  return 1 +;\n}\n"), "C0104 2:13 expected expression before ';' token");
    assert_eq!(
        error("int f(void) {\n  int g(void) { return 1; }\n  return g();\n}\n"),
        "C0105 2:15 a function inside a function (an extension of GNU C) is not understood"
    );
    assert_eq!(
        Project::new(&[("a.c", "#define F(x) x\n")]).set("F", "1").errors(),
        "C0107 1:9 the macro `F` has parameters and cannot be set"
    );
}

#[test]
fn files_and_compilers_that_are_missing_are_named() {
    let mut project = Project::new(&[("a.c", "int x;\n")]);
    project.options.cc = "no-such-compiler -O2".to_owned();
    assert!(project.errors().starts_with("C0102 the C compiler `no-such-compiler` cannot be run"));
    project.options.cc = "cc 'open".to_owned();
    assert!(project.errors().starts_with("C0108"));
    project.options =
        SourceOptions { files: vec![project.path().join("none.c"), project.path().into()], ..Default::default() };
    assert_eq!(
        project.errors().lines().map(|line| &line[..14]).collect::<Vec<_>>(),
        ["C0101 none.c c", &format!("C0101 {}", project.path().display())[..14]]
    );
    assert!(read(&SourceOptions::default()).is_err());
}

#[test]
fn an_installed_mpi_is_not_read() {
    let mut project = Project::new(&[
        ("a.c", "#include <mpi.h>\nint main(void) { MPI_Comm c = MPI_COMM_WORLD; return c; }\n"),
        ("other/mpi.h", "#ifndef MPI_INCLUDED\n#error installed\n#endif\n"),
    ]);
    project.options.cc = format!("cc -I{}", project.path().join("other").display());
    assert_eq!(project.read().units.len(), 1);
}

#[test]
fn text_that_is_not_utf8_is_read_as_latin_1() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let path = directory.path().join("a.c");
    std::fs::write(&path, b"/* \xe9 */ char *s = \"\xe9\"; int g(int); int f(void) { return g(1); }\n")
        .expect("written");
    let (sources, _) = read(&SourceOptions { files: vec![path], ..Default::default() }).expect("read");
    assert_eq!(sources.units.len(), 1);
}

#[test]
fn codes_are_of_this_area_and_distinct() {
    let ids: chronos_base::hash::FxHashSet<_> = codes::ALL.iter().map(|code| code.id).collect();
    assert_eq!(ids.len(), codes::ALL.len());
    assert!(ids.iter().all(|id| id.starts_with("C01")));
}

#[test]
fn handles_of_mpi_have_the_documented_numbers() {
    let numbers = "MPI_COMM_WORLD == 1 && MPI_COMM_SELF == 2 && MPI_SUM == 3 && MPI_MINLOC == 12 && MPI_INT == 8 && \
                   MPI_DOUBLE == 15 && MPI_LONG_LONG == 12 && MPI_2INT == 31 && MPI_UB == 42 && MPI_ANY_SOURCE == -101 \
                   && MPI_PROC_NULL == -103 && MPI_ROOT == -104 && MPI_UNDEFINED == -32766 && sizeof(MPI_Status) == 24";
    let text = format!("#include <mpi.h>\n_Static_assert({numbers}, \"scheme\");\n");
    let project = Project::new(&[("a.c", &text)]);
    let preprocessor =
        crate::preprocessing::preprocessor::Preprocessor::new(&project.options).expect("a compiler command");
    let unit = preprocessor.run(&project.options.files[0], &mut SourceFiles::default()).expect("preprocessed");
    assert_eq!(preprocessor.syntax_errors(std::path::Path::new("unit.c"), &unit), None);
}

#[test]
fn an_mpi_that_is_included_after_ours_is_skipped() {
    let project = Project::new(&[
        ("a.c", "#include <mpi.h>\n#include \"openmpi.h\"\n#include \"mpich.h\"\nMPI_Comm c = MPI_COMM_WORLD;\n"),
        ("openmpi.h", "#ifndef OMPI_MPI_H\n#error installed\n#endif\n"),
        ("mpich.h", "#ifndef MPI_INCLUDED\n#error installed\n#endif\n"),
    ]);
    assert_eq!(project.read().units.len(), 1);
    assert!(crate::preprocessing::preprocessor::is_mpi_wrapper("/usr/bin/mpicc.openmpi"));
    assert!(!crate::preprocessing::preprocessor::is_mpi_wrapper("gcc"));
}

#[test]
fn pragmas_are_reported_once() {
    let text = "void f(int n) {\n#pragma omp parallel for\n  for (int i = 0; i < n; i++) ;\n#pragma omp barrier\n}\n";
    let project = Project::new(&[("a.c", text)]);
    let (program, _, diagnostics) = program(&project.options);
    assert!(program.is_some());
    let told: Vec<_> =
        diagnostics.iter().map(|d| (d.code.id, d.labels[0].span.line_start, d.message.as_str())).collect();
    assert_eq!(told, [("C0120", 2, "`#pragma omp parallel for` and 1 more are ignored: OpenMP is off")]);
}

#[test]
fn places_in_long_files_are_those_of_short_ones() {
    let mut text = "#include <stdio.h>\n#define TWICE(x) ((x) + (x))\ntypedef int number;\n".to_owned();
    for k in 0..3000 {
        text.push_str(&format!("number f{k}(number a) {{ return TWICE(a) * {k}; }}\n"));
    }
    text.push_str("int main(void) { return f2999(puts(\"\")); }\n");
    let sources = check(&text);
    assert!(sources.units[0].pieces.len() > 3);
    let (program, diagnostics) = lower::lower_sources(&sources, &lower::Settings::default());
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    for (name, line, column) in [("f0", 4, 23), ("f1500", 1504, 26), ("f2999", 3003, 26), ("main", 3004, 18)] {
        let function = &program.functions[program.function_named(name).expect("defined")];
        let first = program.blocks[function.blocks.0].span;
        assert_eq!((function.span.line_start, first.line_start, first.column_start), (line, line, column), "{name}");
    }
}

/// The program with names left free: its parameters, then what was reported.
fn free_names(project: &Project) -> String {
    let (program, files, diagnostics) = program(&project.options);
    let shown = program.iter().flat_map(|program| {
        let text = chronos_ir::print::program(program);
        let lines = text.lines().filter(|line| line.starts_with("parameter")).map(str::to_owned);
        lines.collect::<Vec<_>>()
    });
    let prefix = format!("{}/", project.path().display());
    let told = diagnostics.iter().map(|d| {
        let places: Vec<String> = d.labels.iter().map(|label| files.locate(label.span)).collect();
        format!("{} {}: {}; {}", d.code.id, places.join(" "), d.message, d.help.as_deref().unwrap_or_default())
    });
    shown.chain(told).collect::<Vec<_>>().join("\n").replace(&prefix, "")
}

#[test]
fn free_macros_are_found_wherever_they_are_defined() {
    let use_it = "#include \"size.h\"\nint main(void) { int s = 0; for (int i = 0; i < M; i++) s++; return s; }\n";
    let header = "#ifndef N\n#define N 100 /* default */\n#endif\n#define M \\\n  (2*N)\n#if M > 5\nint big;\n#endif\n";
    let mut project = Project::new(&[("a.c", use_it), ("size.h", header)]);
    project.options.symbolic = vec!["N".to_owned()];
    let told = "C0112 size.h:6: `N` has its own value 100 where C wants a constant; results hold for values of N that \
                choose the same code here; for others, predict with --set N=VALUE";
    assert_eq!(free_names(&project), format!("parameter p0 N: constant v3, by default 100  ; size.h:2\n{told}"));
    project.options.symbolic = vec!["M".to_owned()];
    assert!(free_names(&project).starts_with("parameter p0 M: constant v3, by default 200  ; size.h:4"));
    project.options.symbolic = vec!["N".to_owned()];
    project.options.defines = vec!["N=7".to_owned()];
    assert!(free_names(&project).starts_with("parameter p0 N: constant v3, by default 7\n"));
    project.options.defines = Vec::new();
    project.options.cc = "cc -DN=8".to_owned();
    assert!(free_names(&project).starts_with("parameter p0 N: constant v3, by default 8\n"));
}

#[test]
fn free_names_must_name_integers() {
    let text = "#define SIZE 4\n#define H 0.5\n#define F(x) (x)\n#define TEXT \"a\"\n#define CHOICE 1\n#if CHOICE\n#endif\n\
                int count = 3;\nint main(void) { return F(SIZE) * H + sizeof TEXT + count; }\n";
    let told = |name: &str| {
        let mut project = Project::new(&[("a.c", text)]);
        project.options.symbolic = vec![name.to_owned()];
        free_names(&project)
    };
    insta::assert_snapshot!(["SIZ", "H", "F", "TEXT", "CHOICE", "argv1", "main"].map(told).join("\n"), @r"
    C0111 : no macro or constant of the program is named `SIZ`; did you mean `--symbolic SIZE`?
    C0110 a.c:2: `H` is a floating-point number and cannot be left free; leave an integer free; give other values with --set H=VALUE
    C0110 a.c:3: the macro `F` has parameters and cannot be left free; leave a macro without parameters free, such as one that its uses pass to it
    C0110 a.c:4: the macro `TEXT` stands for no integer and cannot be left free; leave a macro free whose body is an integer constant
    C0112 a.c:6: nothing that is executed uses the macro `CHOICE`, so nothing depends on it; it only chooses code in #if: give it values with --set CHOICE=...
    C0111 : `argv1` is free, but `main` takes no arguments; name a macro or a constant of the source; `int main(int argc, char **argv)` would take arguments
    C0111 : no macro or constant of the program is named `main`; --symbolic leaves a macro or an integer constant free that the source defines, or a program argument: argv1, argv2, ...; the source defines CHOICE, H, SIZE, TEXT, count
    ");
    let mut project = Project::new(&[("a.c", text)]).set("SIZE", "5");
    project.options.symbolic = vec!["SIZE".to_owned()];
    assert!(free_names(&project).starts_with("C0110 : `SIZE` is given a value by --set and left free by --symbolic"));
}

#[test]
fn free_macros_cannot_be_part_of_names() {
    let text = "#define N 4\n#define JOIN(a, b) a##b\n#define NAME(a, b) JOIN(a, b)\nint NAME(x, N);\n";
    let mut project = Project::new(&[("a.c", text)]);
    project.options.symbolic = vec!["N".to_owned()];
    let told = "C0110 a.c:4: a macro that is left free is pasted to other text (##); free are N;";
    assert!(free_names(&project).starts_with(told), "{}", free_names(&project));
}

#[test]
fn blocks_of_free_macros_have_the_same_places() {
    let text = "#define N 100\nint f(int i) { return i; }\nint main(void) {\n  int a = f(N) + (N + (2));\n  \
                for (int i = 0; i < N - (a); i++) a += (i < (N)) ? f(N + N) : N;\n  return a;\n}\n";
    let project = Project::new(&[("a.c", text)]);
    let places = |options: &SourceOptions| {
        let (program, ..) = program(options);
        program.expect("lowered").blocks.values().map(|block| block.span).collect::<Vec<_>>()
    };
    let free = SourceOptions { symbolic: vec!["N".to_owned()], ..project.options.clone() };
    assert_eq!(places(&project.options), places(&free));
}
