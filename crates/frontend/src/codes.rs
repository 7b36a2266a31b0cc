//! What can be wrong with the sources before they are a program.

use chronos_base::diag::Code;

/// C0101: a source file cannot be read.
pub static UNREADABLE: Code = Code {
    id: "C0101",
    title: "source file cannot be read",
    explanation: "A file named on the command line is missing, is a directory or may not be read. Check its path and \
                  permissions.",
};

/// C0102: the C compiler that preprocesses sources cannot be run.
pub static NO_COMPILER: Code = Code {
    id: "C0102",
    title: "C compiler cannot be run",
    explanation: "Sources are preprocessed with a C compiler (its -E), so that its headers and macros are those of \
                  the program as built. Install one, or name it with --cc, flags included: --cc \"gcc -O2\".",
};

pub(crate) static PREPROCESSOR: Code = Code {
    id: "C0103",
    title: "preprocessing failed",
    explanation: "The C preprocessor reported an error: a missing header, an unbalanced conditional, an #error. \
                  Headers are searched as the compiler does, after the directories given by -I; mpi.h and omp.h are \
                  built in and need no installation.",
};

pub(crate) static SYNTAX: Code = Code {
    id: "C0104",
    title: "syntax error",
    explanation: "The C compiler rejects the file as well. Correct the program until it compiles.",
};

pub(crate) static UNSUPPORTED_SYNTAX: Code = Code {
    id: "C0105",
    title: "C extension that is not understood",
    explanation: "The C compiler accepts the file, but it uses an extension that cannot be parsed here: nested \
                  functions, computed goto, vendor intrinsics, C23. Rewrite the construct in C11, or hide it behind \
                  a macro given by -D.",
};

pub(crate) static UNUSED_SETTING: Code = Code {
    id: "C0106",
    title: "--set names nothing",
    explanation: "--set NAME=VALUE overrides a macro or a constant that the source itself defines. A name that \
                  nothing uses is most likely misspelt. To define a macro that the source only reads, use -D.",
};

pub(crate) static BAD_SETTING: Code = Code {
    id: "C0107",
    title: "--set cannot be applied",
    explanation: "--set replaces the text of an object-like macro. The name must be an identifier, and a macro with \
                  parameters cannot be set.",
};

pub(crate) static BAD_COMMAND: Code = Code {
    id: "C0108",
    title: "compiler command cannot be understood",
    explanation: "--cc takes a command with flags, separated by blanks and quoted as for a shell: --cc \"gcc -O2\".",
};

pub(crate) static PRAGMAS: Code = Code {
    id: "C0109",
    title: "pragmas are not modelled",
    explanation: "chronos predicts the program as if its pragmas were not there, those of OpenMP and `#pragma pack` apart. A \
                  pragma that changes what the compiler makes of a loop, or where it runs, makes the prediction wrong.",
};

pub(crate) static OPENMP_OFF: Code = Code {
    id: "C0120",
    title: "OpenMP is off",
    explanation: "Compilers heed `#pragma omp` with -fopenmp alone. Without it the program runs with one thread for each task, and \
                  so it is predicted. --threads T predicts T threads, as OMP_NUM_THREADS=T and -fopenmp ask for; -fopenmp among \
                  the flags of --cc, of compile_commands.json or of the build that --build runs turns the directives on as well.",
};

pub(crate) static OPENMP_UNSUPPORTED: Code = Code {
    id: "C0121",
    title: "a directive of OpenMP is not modelled",
    explanation: "The directive, one of its clauses, or the loop behind it is beyond what docs/openmp.md lists. Predicting the \
                  program without it would be silently wrong, so it is refused. Write the construct in a form that is listed, \
                  or predict the program with one thread: without -fopenmp and --threads.",
};

pub(crate) static OPENMP_THREADS: Code = Code {
    id: "C0122",
    title: "the number of threads is not given",
    explanation: "OpenMP is on and nothing says how many threads a task has. A real run takes OMP_NUM_THREADS, or as many as \
                  there are processors. One is taken here; --threads T says otherwise. What `num_threads` and \
                  omp_set_num_threads ask for holds in any case.",
};

pub(crate) static OPENMP_TARGET: Code = Code {
    id: "C0123",
    title: "regions of devices are executed on the host",
    explanation: "No device (GPU) is modelled. As with the runtime of OpenMP on a machine without one, the thread that comes to a \
                  `target` region executes it, its teams one after the other, with the memory of the host. Where the real \
                  program uses a device, the time of such regions is another one.",
};

pub(crate) static ATTRIBUTES: Code = Code {
    id: "C0119",
    title: "attributes of layout are left out",
    explanation: "`packed`, `aligned`, `vector_size` and `mode` change the size of structs and where their members lie. One attribute \
                  of the file stands where the parser does not understand it, so the file was read without all of them: \
                  sizes and offsets may differ from those of the compiler. Write attributes behind the brace that closes \
                  a struct or behind the name that is declared.",
};

pub(crate) static BAD_SYMBOLIC: Code = Code {
    id: "C0110",
    title: "--symbolic cannot be applied",
    explanation: "--symbolic NAME leaves an integer of the program without a value: a macro without parameters whose body \
                  is an integer constant expression, a global variable or constant with an integer initialiser, an \
                  enumerator, or a program argument (argv1, argv2, ...). What is no integer cannot be a parameter of a \
                  count, and a name cannot be set and free at once.",
};

pub(crate) static UNKNOWN_SYMBOLIC: Code = Code {
    id: "C0111",
    title: "--symbolic names nothing",
    explanation: "--symbolic NAME leaves a macro or a constant free that the source itself defines, or that -D defines. A \
                  name that nothing uses is most likely misspelt. Program arguments are named argv1, argv2, and so on.",
};

pub(crate) static DEFAULT_USED: Code = Code {
    id: "C0112",
    title: "a free integer's own value is used",
    explanation: "Where C wants a constant (#if, case labels, enumerators, bit-field widths, sizes), a parameter that \
                  --symbolic leaves free has the value that the source gives it. The shape of the program is then that \
                  of this value: results hold for values that would choose the same shape. Sizes of arrays have no \
                  influence on counts; `sizeof` of such an array has, where the program computes with it.",
};

/// C0113: a compilation database cannot be used.
pub static DATABASE: Code = Code {
    id: "C0113",
    title: "compilation database cannot be used",
    explanation: "compile_commands.json is a JSON list of objects with `directory`, `file` and either `command` (one \
                  string) or `arguments` (a list). Build systems write it: cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON, \
                  bear -- make, meson. Files and folders named beside it select entries.",
};

pub(crate) static DATABASE_PART: Code = Code {
    id: "C0114",
    title: "part of a compilation database is left out",
    explanation: "Only C is read: entries of other languages are left out, and what they define counts as a library. \
                  Of several entries for one file with different flags (several targets of one build) the first is used. Flags \
                  that are not known are not handed to the preprocessor; --trust hands on all.",
};

/// C0115: the command of a compilation database is not run, since nobody said that it is trusted.
pub static UNTRUSTED: Code = Code {
    id: "C0115",
    title: "command of a compilation database is not run",
    explanation: "A compile_commands.json comes with a project, and it says which program is run as the compiler of each file. \
                  Only programs are run that are known to be C compilers (gcc, clang, mpicc, ..., with a version or a target in \
                  their names) and lie in a folder of PATH or of the system, and only with flags that are known. Flags that make \
                  a compiler load code (-fplugin), run other programs (-wrapper, -B) or take flags from files (@FILE, -specs) are \
                  refused. Name the compiler yourself with --cc, which may be anything, or say --trust if you would also build \
                  the project: then every command is run as it stands. docs/security.md says what else is trusted.",
};

pub(crate) static NESTING: Code = Code {
    id: "C0118",
    title: "nested too deep",
    explanation: "Blocks, statements, brackets and operators that stand within one another are followed for 20,000 levels, \
                  where C asks compilers for 127 of blocks and 63 of parentheses. An expression of very many operators \
                  counts as well, because each of them is a level of its tree; long lists and sequences of statements \
                  do not. Calls, indices and braces that stand within one another in an expression are followed for \
                  1,000 levels, `typeof` within `sizeof` for 16 and `struct` within `sizeof` for 8, because the parser \
                  looks at them several times. Split the expression or the statement.",
};

/// Every code of this module.
pub static ALL: &[&Code] = &[
    &UNREADABLE,
    &NO_COMPILER,
    &PREPROCESSOR,
    &SYNTAX,
    &UNSUPPORTED_SYNTAX,
    &UNUSED_SETTING,
    &BAD_SETTING,
    &BAD_COMMAND,
    &PRAGMAS,
    &OPENMP_OFF,
    &OPENMP_UNSUPPORTED,
    &OPENMP_THREADS,
    &OPENMP_TARGET,
    &ATTRIBUTES,
    &BAD_SYMBOLIC,
    &UNKNOWN_SYMBOLIC,
    &DEFAULT_USED,
    &DATABASE,
    &DATABASE_PART,
    &UNTRUSTED,
    &NESTING,
];
