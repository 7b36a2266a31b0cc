//! What else POSIX and glibc declare: processes, signals, jumps, options, threads, searching, the system.

use super::{Rows, stdio, string, time};
use crate::params;
use crate::params::{
    ADDRESS, FUNCTION, IN, INT, LONG, OUT, Param, SIZE, TEXT, Type, UNSIGNED, UPDATED, at_most, callback, from, list,
    list_updated,
};
use crate::row::{Class, Ending, Function, Purity, Returns};

/// Asks the system, or has it do something.
const fn asks(name: &'static str, result: Type, params: &'static [Param]) -> Function {
    Function::new(name, Class::System, result, params)
}

/// Something that differs from run to run.
const fn of_run(name: &'static str, result: Type, params: &'static [Param]) -> Function {
    asks(name, result, params).unknowable()
}

const fn signals(name: &'static str, params: &'static [Param]) -> Function {
    asks(name, Type::Int, params).raises_signals()
}

/// Sets up what threads use, or says how they are to be.
const fn sets(name: &'static str, params: &'static [Param]) -> Function {
    asks(name, Type::Int, params).keeps_errno()
}

const fn leaves(name: &'static str, params: &'static [Param]) -> Function {
    asks(name, Type::Void, params).ending(Ending::Leaves).keeps_errno()
}

const fn exits(name: &'static str, params: &'static [Param]) -> Function {
    asks(name, Type::Void, params).ending(Ending::Exits).keeps_errno()
}

/// Prints an error with the name of the program, and ends it.
const fn dies(name: &'static str, params: &'static [Param]) -> Function {
    exits(name, params).unmodelled()
}

const fn walks(name: &'static str, result: Type, params: &'static [Param]) -> Function {
    asks(name, result, params).unknowable().unmodelled()
}

/// `setjmp`: a macro in C.
const fn marks(name: &'static str, params: &'static [Param]) -> Function {
    of_run(name, Type::Int, params).ending(Ending::ReturnsAgain)
}

pub(super) const ROWS: &[Rows] = &[
    ("unistd.h", UNISTD),
    ("unistd.h", time::SLEEPING),
    (
        "fcntl.h",
        &[asks("open", Type::Int, &[TEXT, INT]).more(UNSIGNED), asks("open64", Type::Int, &[TEXT, INT]).more(UNSIGNED)],
    ),
    ("sys/stat.h", METADATA),
    ("sys/mman.h", MAPPINGS),
    ("assert.h", ASSERTIONS),
    (
        "errno.h",
        &[Function::new("__errno_location", Class::System, Type::Pointer, &[]).returning(Returns::Errno).keeps_errno()],
    ),
    ("setjmp.h", JUMPS),
    ("signal.h", SIGNALS),
    ("getopt.h", OPTIONS),
    ("locale.h", &[asks("setlocale", Type::Pointer, &[INT, TEXT])]),
    ("err.h", ERRORS),
    ("sched.h", &[asks("sched_yield", Type::Int, &[])]),
    ("pthread.h", THREADS),
    ("semaphore.h", SEMAPHORES),
    ("threads.h", C_THREADS),
    ("search.h", SEARCHING),
    ("ftw.h", FILE_TREES),
    (
        "dirent.h",
        &[
            walks("scandir", Type::Int, &[TEXT, OUT, callback(1), callback(2)]),
            walks("scandir64", Type::Int, &[TEXT, OUT, callback(1), callback(2)]),
        ],
    ),
    (
        "glob.h",
        &[
            walks("glob", Type::Int, &[TEXT, INT, callback(2), OUT]),
            walks("glob64", Type::Int, &[TEXT, INT, callback(2), OUT]),
        ],
    ),
    ("sys/sysinfo.h", &[of_run("get_nprocs", Type::Int, &[])]),
    ("stdio.h", stdio::CHECKED),
    ("string.h", string::CHECKED),
];

const UNISTD: &[Function] = &[
    exits("_exit", &[INT]).purity(Purity::Output),
    of_run("getpid", Type::Int, &[]),
    of_run("getppid", Type::Int, &[]),
    of_run("gettid", Type::Int, &[]),
    of_run("getuid", Type::Unsigned, &[]),
    of_run("gethostid", Type::Long, &[]).unmodelled(),
    of_run("gethostname", Type::Int, &[at_most(&[1]), SIZE]),
    of_run("sysconf", Type::Long, &[INT]),
    of_run("getpagesize", Type::Int, &[]).unmodelled(),
    of_run("getcwd", Type::Pointer, &[at_most(&[1]), SIZE]).returning(Returns::Argument(0)).unmodelled(),
    asks("close", Type::Int, &[INT]),
    asks("read", Type::Long, &[INT, at_most(&[2]), SIZE]),
    asks("pread", Type::Long, &[INT, at_most(&[2]), SIZE, LONG]),
    asks("pread64", Type::Long, &[INT, at_most(&[2]), SIZE, LONG]),
    asks("write", Type::Long, &[INT, from(&[2]), SIZE]),
    asks("pwrite", Type::Long, &[INT, from(&[2]), SIZE, LONG]),
    asks("pwrite64", Type::Long, &[INT, from(&[2]), SIZE, LONG]),
    asks("lseek", Type::Long, &[INT, LONG, INT]),
    asks("lseek64", Type::Long, &[INT, LONG, INT]),
    asks("access", Type::Int, &[TEXT, INT]),
    asks("unlink", Type::Int, &[TEXT]),
    asks("isatty", Type::Int, &[INT]).unmodelled(),
    asks("chdir", Type::Int, &[TEXT]).unmodelled(),
    signals("pause", &[]).unknowable(),
    asks("alarm", Type::Unsigned, &[UNSIGNED]),
    asks("ualarm", Type::Unsigned, &[UNSIGNED, UNSIGNED]),
];

const METADATA: &[Function] = &[
    asks("mkdir", Type::Int, &[TEXT, UNSIGNED]),
    asks("stat", Type::Int, &[TEXT, OUT]),
    asks("stat64", Type::Int, &[TEXT, OUT]),
    asks("lstat", Type::Int, &[TEXT, OUT]),
    asks("lstat64", Type::Int, &[TEXT, OUT]),
    asks("fstat", Type::Int, &[INT, OUT]),
    asks("fstat64", Type::Int, &[INT, OUT]),
];

const MAPPINGS: &[Function] = &[
    asks("mmap", Type::Pointer, &[ADDRESS, SIZE, INT, INT, INT, LONG]),
    asks("mmap64", Type::Pointer, &[ADDRESS, SIZE, INT, INT, INT, LONG]),
    asks("munmap", Type::Int, &[ADDRESS, SIZE]),
];

const ASSERTIONS: &[Function] = &[
    exits("__assert_fail", &[TEXT, TEXT, UNSIGNED, TEXT]).purity(Purity::Output),
    exits("__assert", &[TEXT, TEXT, INT]),
    dies("__assert_perror_fail", &[INT, TEXT, UNSIGNED, TEXT]),
];

const JUMPS: &[Function] = &[
    marks("setjmp", &[OUT]),
    marks("_setjmp", &[OUT]),
    marks("sigsetjmp", &[OUT, INT]),
    marks("__sigsetjmp", &[OUT, INT]),
    leaves("longjmp", &[params::UNWRITTEN, INT]),
    leaves("_longjmp", &[params::UNWRITTEN, INT]),
    leaves("siglongjmp", &[params::UNWRITTEN, INT]),
    leaves("__longjmp_chk", &[params::UNWRITTEN, INT]),
];

const SIGNALS: &[Function] = &[
    asks("signal", Type::Pointer, &[INT, FUNCTION]).keeps_errno(),
    asks("bsd_signal", Type::Pointer, &[INT, FUNCTION]),
    asks("ssignal", Type::Pointer, &[INT, FUNCTION]),
    asks("sysv_signal", Type::Pointer, &[INT, FUNCTION]),
    asks("sigaction", Type::Int, &[INT, IN, OUT]),
    asks("sigemptyset", Type::Int, &[OUT]),
    asks("sigfillset", Type::Int, &[OUT]),
    asks("sigaddset", Type::Int, &[UPDATED, INT]),
    asks("sigdelset", Type::Int, &[UPDATED, INT]),
    signals("raise", &[INT]).keeps_errno(),
    signals("gsignal", &[INT]),
    signals("kill", &[INT, INT]),
    signals("killpg", &[INT, INT]).unmodelled(),
    signals("pthread_kill", &[LONG, INT]),
    signals("sigqueue", &[INT, INT, Param::value(Type::Struct)]).unmodelled(),
    signals("sigsuspend", &[IN]).unknowable(),
    asks("sigprocmask", Type::Int, &[INT, IN, OUT]),
    asks("pthread_sigmask", Type::Int, &[INT, IN, OUT]),
];

/// The arguments of the program: they are put in order.
const ARGUMENTS: Param = list_updated(0);

const OPTIONS: &[Function] = &[
    asks("getopt", Type::Int, &[INT, ARGUMENTS, TEXT]),
    asks("getopt_long", Type::Int, &[INT, ARGUMENTS, TEXT, IN, OUT]),
    asks("getopt_long_only", Type::Int, &[INT, ARGUMENTS, TEXT, IN, OUT]),
];

const ERRORS: &[Function] = &[
    dies("err", &[INT, params::FORMAT]).more(Param::value(Type::Void)),
    dies("errx", &[INT, params::FORMAT]).more(Param::value(Type::Void)),
    dies("verr", &[INT, params::FORMAT, ADDRESS]),
    dies("verrx", &[INT, params::FORMAT, ADDRESS]),
];

const THREADS: &[Function] = &[
    asks("pthread_create", Type::Int, &[OUT, IN, callback(1), ADDRESS]).unknowable().unmodelled(),
    asks("pthread_once", Type::Int, &[UPDATED, callback(0)]).unknowable().unmodelled(),
    leaves("pthread_exit", &[ADDRESS]).unmodelled(),
    of_run("pthread_self", Type::UnsignedLong, &[]),
    sets("pthread_attr_init", &[OUT]),
    sets("pthread_attr_destroy", &[UPDATED]),
    sets("pthread_attr_setdetachstate", &[UPDATED, INT]),
    sets("pthread_attr_setscope", &[UPDATED, INT]),
    sets("pthread_attr_setstacksize", &[UPDATED, SIZE]),
    sets("pthread_mutex_init", &[OUT, IN]),
    sets("pthread_mutex_destroy", &[UPDATED]),
    sets("pthread_mutexattr_init", &[OUT]),
    sets("pthread_mutexattr_destroy", &[UPDATED]),
    sets("pthread_mutexattr_settype", &[UPDATED, INT]),
    sets("pthread_cond_init", &[OUT, IN]),
    sets("pthread_cond_destroy", &[UPDATED]),
    sets("pthread_condattr_init", &[OUT]),
    sets("pthread_condattr_destroy", &[UPDATED]),
    sets("pthread_barrier_destroy", &[UPDATED]),
    sets("pthread_rwlock_init", &[OUT, IN]),
    sets("pthread_rwlock_destroy", &[UPDATED]),
    sets("pthread_spin_init", &[OUT, INT]),
    sets("pthread_spin_destroy", &[UPDATED]),
    sets("pthread_detach", &[LONG]),
    sets("pthread_setconcurrency", &[INT]),
    sets("pthread_setaffinity_np", &[LONG, SIZE, IN]),
];

const SEMAPHORES: &[Function] = &[sets("sem_destroy", &[UPDATED])];

const C_THREADS: &[Function] = &[
    asks("thrd_create", Type::Int, &[OUT, callback(1), ADDRESS]).unknowable().unmodelled(),
    asks("call_once", Type::Void, &[UPDATED, callback(0)]).unknowable().unmodelled(),
    leaves("thrd_exit", &[INT]).unmodelled(),
    of_run("thrd_current", Type::UnsignedLong, &[]),
];

const SEARCHING: &[Function] = &[
    walks("lfind", Type::Pointer, &[IN, list(2), UPDATED, SIZE, callback(2)]).returning(Returns::Argument(1)),
    walks("lsearch", Type::Pointer, &[IN, list_updated(2), UPDATED, SIZE, callback(2)]).returning(Returns::Argument(1)),
    walks("tsearch", Type::Pointer, &[ADDRESS, UPDATED, callback(2)]),
    walks("tfind", Type::Pointer, &[ADDRESS, IN, callback(2)]),
    walks("tdelete", Type::Pointer, &[ADDRESS, UPDATED, callback(2)]),
    walks("twalk", Type::Void, &[IN, callback(3)]),
    walks("twalk_r", Type::Void, &[IN, callback(3), ADDRESS]),
    walks("tdestroy", Type::Void, &[params::UNWRITTEN, callback(1)]),
];

const FILE_TREES: &[Function] = &[
    walks("ftw", Type::Int, &[TEXT, callback(3), INT]),
    walks("ftw64", Type::Int, &[TEXT, callback(3), INT]),
    walks("nftw", Type::Int, &[TEXT, callback(4), INT, INT]),
    walks("nftw64", Type::Int, &[TEXT, callback(4), INT, INT]),
];
