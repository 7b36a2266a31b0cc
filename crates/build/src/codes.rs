//! Diagnostics of builds.

use chronos_base::diag::Code;

/// All codes of this module, for `chronos explain`.
pub static ALL: &[&Code] = &[
    &BUILD_FAILED,
    &NOTHING_COMPILED,
    &WHICH_EXECUTABLE,
    &BUILT_WITH_BUNDLED_MPI,
    &BUILD_STOPPED,
    &PARTLY_BUILT,
    &DATABASE_FOUND,
    &ONLY_ONE_WITH_MPI,
];

/// C1501: the build failed.
pub(crate) static BUILD_FAILED: Code = Code {
    id: "C1501",
    title: "the build failed",
    explanation: "The command of --build ended with an error, so that it is not known what the program consists of. The last \
                  lines of what it wrote are shown. Run it by hand in the same folder until it ends without an error.",
};

/// C1502: the build compiled no program.
pub(crate) static NOTHING_COMPILED: Code = Code {
    id: "C1502",
    title: "the build compiled no program",
    explanation: "While the command of --build ran, no program was compiled and linked from C sources by a compiler that was \
                  called by its name (cc, gcc, clang, mpicc, ...). If all was built before, have everything built anew (make \
                  clean; make, or cmake --build DIR --clean-first; not make -B, which never ends where a makefile makes files \
                  that it includes). A compiler that is called by its whole path (/usr/bin/cc) is not \
                  seen: name it without its folder (make CC=mpicc), or use the compile_commands.json of the build.",
};

/// C1503: several executables.
pub(crate) static WHICH_EXECUTABLE: Code = Code {
    id: "C1503",
    title: "which executable of the build is meant",
    explanation: "The build links several programs, or none of the name that --exe gives. Name one of those that are listed.",
};

/// C1504: built with the bundled MPI.
pub(crate) static BUILT_WITH_BUNDLED_MPI: Code = Code {
    id: "C1504",
    title: "the build used the bundled MPI",
    explanation: "The build calls an MPI compiler (mpicc), and none is installed: the C compiler with chronos' own mpi.h and \
                  MPI stood in for it. The prediction does not depend on that. Objects and programs of this build stay in \
                  its folders: build anew before you run them with another MPI.",
};

/// C1505: the build was stopped.
pub(crate) static BUILD_STOPPED: Code = Code {
    id: "C1505",
    title: "the build was stopped before it ended",
    explanation: "The command of --build was still running when the command as a whole reached its limit (--limit, one hour by \
                  default) or was told to end (timeout, kill). The build did nothing wrong; the lines show where it was. Allow \
                  more time, or build beforehand what does not belong to the program: only what --build compiles is read. A \
                  build that never ends is often make -B with a makefile that includes what it makes.",
};

/// C1506: objects from before.
pub(crate) static PARTLY_BUILT: Code = Code {
    id: "C1506",
    title: "a program was linked with objects from before",
    explanation: "The program was linked with object files that were there already, or that were made of another language: \
                  which source they are of, and with which flags, is not known, and functions in them count as library \
                  functions. Have all built anew (make clean; make).",
};

/// C1507: a compilation database was found.
pub static DATABASE_FOUND: Code = Code {
    id: "C1507",
    title: "files and flags are those of a compilation database",
    explanation: "No file was named, or a folder, and there is a compile_commands.json in it or in its subfolder `build`: the \
                  program consists of the files that it lists, with their flags. Name files, or a part of the database \
                  (compile_commands.json src/solver), for another program.",
};

/// C1508: of several executables, one uses MPI.
pub(crate) static ONLY_ONE_WITH_MPI: Code = Code {
    id: "C1508",
    title: "the only program of the build that uses MPI is taken",
    explanation: "The build links several programs and none is named. One of them is linked with an MPI, the others are not: \
                  they are taken to be tools of the build (a generator of headers, say). Name another one by --exe.",
};
