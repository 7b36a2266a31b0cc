//! What library functions do with memory, as far as dependences need it.

/// Which arguments a call writes through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writes {
    Nothing,
    /// These positions.
    Args(&'static [usize]),
    /// All pointer arguments from this position on.
    From(usize),
}

/// What a returned pointer points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returns {
    /// No pointer, or one that is fresh storage of the call.
    Fresh,
    /// Into what the argument points to.
    Argument(usize),
    /// Fresh storage that takes over the content of the argument.
    Reallocated,
    Environment,
    /// To `errno`.
    Errno,
}

/// How a value that comes out of a call may be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Knowable {
    /// From the arguments and what they point to.
    Yes,
    /// Random numbers, clocks, functions nobody knows.
    Never,
}

/// Effects of one library function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LibraryEffects {
    pub writes: Writes,
    pub returns: Returns,
    pub knowable: Knowable,
}

/// Functions that read a text as a decimal integer, the first argument.
pub fn reads_number(name: &str) -> bool {
    matches!(name, "atoi" | "atol" | "atoll" | "strtol" | "strtoll" | "strtoul" | "strtoull")
}

/// Where a library function takes functions that it calls before it returns, and with how many arguments each.
pub fn callback_arguments(name: &str) -> &'static [(usize, usize)] {
    match name {
        "qsort" => &[(3, 2)],
        "qsort_r" => &[(3, 3)],
        "bsearch" | "lfind" | "lsearch" => &[(4, 2)],
        "tsearch" | "tfind" | "tdelete" => &[(2, 2)],
        "twalk" => &[(1, 3)],
        "twalk_r" => &[(1, 3)],
        "tdestroy" => &[(1, 1)],
        "ftw" | "ftw64" => &[(1, 3)],
        "nftw" | "nftw64" => &[(1, 4)],
        "scandir" | "scandir64" => &[(2, 1), (3, 2)],
        "glob" | "glob64" => &[(2, 2)],
        "pthread_create" => &[(2, 1)],
        "thrd_create" => &[(1, 1)],
        "pthread_once" | "call_once" => &[(1, 0)],
        _ => &[],
    }
}

/// Whether a library function may call the handler of a signal.
pub fn calls_handlers(name: &str) -> bool {
    matches!(
        name,
        "raise" | "gsignal" | "kill" | "killpg" | "pthread_kill" | "abort" | "sigqueue" | "pause" | "sigsuspend"
    )
}

/// Functions that never set `errno`, or only where the evaluation does not take them to: output, memory, texts.
const KEEP_ERRNO: &[&str] = &[
    "__errno_location",
    "PIC_proba",
    "abs",
    "atexit",
    "atoi",
    "atol",
    "atoll",
    "atof",
    "bsearch",
    "chronos_iterations",
    "chronos_probability",
    "exit",
    "fabs",
    "fflush",
    "floor",
    "ceil",
    "fprintf",
    "fputc",
    "fputs",
    "free",
    "fwrite",
    "isalnum",
    "isalpha",
    "isdigit",
    "isinf",
    "islower",
    "isnan",
    "isspace",
    "isupper",
    "memchr",
    "memcmp",
    "memcpy",
    "memmove",
    "memset",
    "perror",
    "printf",
    "putc",
    "putchar",
    "puts",
    "qsort",
    "rand",
    "random",
    "drand48",
    "snprintf",
    "sprintf",
    "srand",
    "srandom",
    "strcat",
    "strchr",
    "strcmp",
    "strcpy",
    "strerror",
    "strlen",
    "strncat",
    "strncmp",
    "strncpy",
    "strrchr",
    "strstr",
    "strtok",
    "tolower",
    "toupper",
    "vfprintf",
    "vprintf",
    "trunc",
    "round",
    "fmin",
    "fmax",
    "copysign",
    "rint",
    "time",
    "clock",
    "raise",
    "signal",
    "__ctype_b_loc",
    "__assert_fail",
    "abort",
];

/// Whether a library function may set `errno`.
pub fn may_set_errno(name: &str) -> bool {
    !KEEP_ERRNO.contains(&name)
}

const PURE: LibraryEffects =
    LibraryEffects { writes: Writes::Nothing, returns: Returns::Fresh, knowable: Knowable::Yes };
/// Anything may happen to what its arguments point to.
const UNKNOWN: LibraryEffects =
    LibraryEffects { writes: Writes::From(0), returns: Returns::Fresh, knowable: Knowable::Never };

const fn writing(writes: Writes) -> LibraryEffects {
    LibraryEffects { writes, ..PURE }
}

/// Functions of their scalar arguments alone.
pub const MATHEMATICAL: &[&str] = &[
    "abs", "labs", "llabs", "fabs", "fabsf", "fabsl", "sqrt", "sqrtf", "sqrtl", "cbrt", "exp", "expf", "exp2", "expm1",
    "log", "logf", "log2", "log10", "log1p", "pow", "powf", "sin", "sinf", "cos", "cosf", "tan", "tanf", "asin",
    "acos", "atan", "atan2", "sinh", "cosh", "tanh", "floor", "floorf", "ceil", "ceilf", "round", "lround", "rint",
    "trunc", "fmod", "fmin", "fmax", "fminf", "fmaxf", "hypot", "ldexp", "copysign", "erf", "erfc", "tgamma", "lgamma",
    "isnan", "isinf",
];

/// Further names without effect on memory that the program can read; what they return follows from the arguments.
const PURE_NAMES: &[&str] = &[
    "atoi",
    "atol",
    "atoll",
    "atof",
    "strlen",
    "strcmp",
    "strncmp",
    "strcasecmp",
    "strncasecmp",
    "memcmp",
    "toupper",
    "tolower",
    "isdigit",
    "isalpha",
    "isalnum",
    "isspace",
    "isupper",
    "islower",
    "ispunct",
    "isprint",
    "isxdigit",
    "__ctype_b_loc",
    "__ctype_toupper_loc",
    "__ctype_tolower_loc",
    "printf",
    "fprintf",
    "vprintf",
    "vfprintf",
    "puts",
    "fputs",
    "putchar",
    "putc",
    "fputc",
    "perror",
    "fflush",
    "free",
    "exit",
    "_exit",
    "abort",
    "srand",
    "srandom",
    "srand48",
    "malloc",
    "calloc",
    "valloc",
    "memalign",
    "aligned_alloc",
    "strdup",
    "strndup",
    "fopen",
    "fdopen",
    "freopen",
    "fclose",
    "feof",
    "ferror",
    "rewind",
    "fseek",
    "ftell",
    "fwrite",
    "setbuf",
    "setvbuf",
    "setlinebuf",
    "sleep",
    "usleep",
    "assert",
    "__assert_fail",
    "access",
    "remove",
    "unlink",
    "system",
    "signal",
    "atexit",
    "isatty",
    "sysconf",
    "getpagesize",
    "fileno",
    "div",
    "ldiv",
    "getc",
    "fgetc",
    "getchar",
    "ungetc",
    "chdir",
    "mkdir",
    "setenv",
    "putenv",
    "setlocale",
    "log2f",
    "log10f",
    "hypotf",
    "atan2f",
    "fmodf",
    "strerror",
];

const NEVER_KNOWN: &[&str] = &[
    "rand",
    "random",
    "drand48",
    "lrand48",
    "mrand48",
    "time",
    "clock",
    "getpid",
    "getppid",
    "omp_get_wtime",
    "gethostid",
    "ctime",
    "asctime",
    "localtime",
    "gmtime",
    "difftime",
];

const FIRST_TO_RESULT: &[&str] = &["strchr", "strrchr", "strstr", "strpbrk", "memchr"];

const FIRST_WRITTEN_AND_RETURNED: &[&str] =
    &["memcpy", "memmove", "memset", "strcpy", "strncpy", "strcat", "strncat", "fgets", "gets", "getcwd", "strtok"];

/// The effects of the function `name`.
pub fn effects(name: &str) -> LibraryEffects {
    let known_first = |writes| LibraryEffects { returns: Returns::Argument(0), ..writing(writes) };
    match name {
        _ if MATHEMATICAL.contains(&name) || PURE_NAMES.contains(&name) => PURE,
        _ if NEVER_KNOWN.contains(&name) => LibraryEffects { knowable: Knowable::Never, ..PURE },
        _ if FIRST_TO_RESULT.contains(&name) => known_first(Writes::Nothing),
        _ if FIRST_WRITTEN_AND_RETURNED.contains(&name) => known_first(Writes::Args(&[0])),
        "bsearch" => LibraryEffects { returns: Returns::Argument(1), ..PURE },
        "realloc" => LibraryEffects { returns: Returns::Reallocated, ..PURE },
        "__errno_location" => LibraryEffects { returns: Returns::Errno, ..PURE },
        "getenv" => LibraryEffects { returns: Returns::Environment, ..PURE },
        "strtol" | "strtoul" | "strtoll" | "strtoull" | "strtod" | "strtof" | "frexp" | "modf" => {
            writing(Writes::Args(&[1]))
        }
        "sprintf" | "snprintf" | "vsprintf" | "vsnprintf" | "bzero" | "qsort" | "fread" | "getline" => {
            writing(Writes::Args(&[0]))
        }
        "posix_memalign" => writing(Writes::Args(&[0])),
        "bcopy" => writing(Writes::Args(&[1])),
        "scanf" => writing(Writes::From(1)),
        "sscanf" | "fscanf" => writing(Writes::From(2)),
        "getrusage" => LibraryEffects { writes: Writes::Args(&[1]), ..UNKNOWN },
        _ if blas(name).is_some() => writing(Writes::Args(blas(name).unwrap_or_default())),
        "getopt" | "getopt_long" => writing(Writes::Args(&[1])),
        "gettimeofday" | "clock_gettime" | "times" | "gethostname" | "rand_r" | "erand48" | "nrand48" => UNKNOWN,
        _ => UNKNOWN,
    }
}

/// What a function of the BLAS, by its C interface, writes.
fn blas(name: &str) -> Option<&'static [usize]> {
    Some(match name.strip_prefix("cblas_")? {
        "ddot" | "sdot" | "dnrm2" | "snrm2" | "dasum" | "sasum" | "idamax" | "isamax" => &[],
        "dcopy" | "scopy" => &[3],
        "dswap" | "sswap" => &[1, 3],
        "dscal" | "sscal" => &[2],
        "daxpy" | "saxpy" => &[4],
        "dgemv" | "sgemv" => &[10],
        "dger" | "sger" => &[8],
        "dtrsv" | "strsv" => &[7],
        "dgemm" | "sgemm" => &[12],
        "dtrsm" | "strsm" => &[10],
        _ => return None,
    })
}

/// The argument that says how many bytes a call handles: positions whose product it is.
pub fn volume_arguments(name: &str) -> &'static [usize] {
    match name {
        "memset" | "memcpy" | "memmove" | "memcmp" | "strncpy" | "bcopy" => &[2],
        "bzero" => &[1],
        "calloc" => &[0, 1],
        "fread" | "fwrite" => &[1, 2],
        _ => &[],
    }
}

/// The arguments whose product is the size of fresh storage; empty where old storage is kept or none is given.
pub fn size_arguments(name: &str) -> &'static [usize] {
    match name {
        "malloc" | "valloc" => &[0],
        "calloc" => &[0, 1],
        "memalign" | "aligned_alloc" => &[1],
        "posix_memalign" => &[2],
        _ => &[],
    }
}

/// Names whose arguments give the size of fresh storage.
pub fn allocates(name: &str) -> bool {
    matches!(name, "malloc" | "calloc" | "realloc" | "valloc" | "memalign" | "aligned_alloc" | "posix_memalign")
}
