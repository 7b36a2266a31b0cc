//! Diagnostic codes of options, sweeps and kept results, and the codes that a prediction may bear.

use chronos_base::diag::{Code, Diagnostic, system_cause};
use std::io::ErrorKind;
use std::path::Path;

/// C0901: output file not written.
pub(crate) static FILE_NOT_WRITTEN: Code = Code {
    id: "C0901",
    title: "output file not written",
    explanation: "The result was computed, but the file named by -o could not be written. Output files are written \
                  whole or not at all: what was there before is still there. Check that the folder exists and may be written.",
};

/// C0959: model of expressions.
pub(crate) static MODEL_OF_EXPRESSIONS: Code = Code {
    id: "C0959",
    title: "expressions have prices of one size",
    explanation: "With --symbolic, an execution of a block has one price whatever the size: what the model of numbers (source or compiled) \
                  gives it at the values that the parameters have without --symbolic. There expressions and numbers agree; elsewhere vectors, \
                  recurrences and caches make more or less of a loop. The note compares both at half and twice these values, where numbers \
                  are of the same model. Blocks that are not executed there, and all where the parameters have no values, cost each \
                  operation alike (cost model instruction-sum, which --cost-model chooses for all).",
};

/// C0987: no formula of the total.
pub(crate) static NO_FORMULA: Code = Code {
    id: "C0987",
    title: "no formula of the total",
    explanation: "With --symbolic, the total of a program that communicates is given as a formula of its parameters, and of the number of \
                  tasks where -n has several. It is fitted to replays at some values, and compared with replays at others. There is none \
                  where it would be off by more than 15 % there (who waits for whom changes from size to size), where more than two \
                  parameters are free, where there are more than 200,000 calls of MPI, or where most of the replays cannot be made. The computing times hold all the same.",
};

/// C0902: input file not read.
pub(crate) static INPUT_NOT_READ: Code = Code {
    id: "C0902",
    title: "input file not read",
    explanation: "A file named by --stdin or --input-file could not be read. The predicted program reads these files \
                  as its own input; without them, what it reads is unknown.",
};

/// C0903: no branch or loop at that place.
pub(crate) static PLACE_NOT_FOUND: Code = Code {
    id: "C0903",
    title: "no branch or loop at that place",
    explanation: "--prob and --iterations name a branch or a loop by file and line. There is none on that line. \
                  Use the line of the `if` or loop keyword, and a column where several stand on one line.",
};

/// C0930: several branches or loops at that place.
pub(crate) static AMBIGUOUS_PLACE: Code = Code {
    id: "C0930",
    title: "several branches or loops at that place",
    explanation: "--prob and --iterations name a branch or a loop by file and line. On that line there are several, so \
                  the column is needed: that of the `if` or loop keyword, or of the operator `&&`, `||` or `?`. A line \
                  with one `if` or `switch` names that, whatever its condition is made of.",
};

/// C0531: program that machines of 32 and 64 bits cannot run together.
pub(crate) static DATA_MODELS: Code = Code {
    id: "C0531",
    title: "program that machines of 32 and 64 bits cannot run together",
    explanation: "On a platform of 32-bit and 64-bit machines, the sources are read once for each size of `long` and pointers, and each \
                  task runs the program of its machine. Counts are added up by blocks, so both must have the same functions, blocks \
                  and variables; sizes, constants and straight code may differ. Where `#if` on a size of a type makes other blocks, \
                  write it as `if (sizeof(long) == 8)`. Expressions (--symbolic) need machines of one data \
                  model, and so do tasks that others start (MPI_Comm_spawn) before each data model has a task.",
};

/// C0906: no function `main`.
pub static NO_MAIN: Code = Code {
    id: "C0906",
    title: "no function `main`",
    explanation: "A prediction starts at the function `main`. None of the files given defines it: name all source files \
                  of the program.",
};

/// C0908: several tasks of a program without MPI.
pub static NO_MPI: Code = Code {
    id: "C0908",
    title: "several tasks of a program without MPI",
    explanation: "The program calls no MPI function, so with -n above 1 every task does the same on its own. The prediction \
                  holds for such a run; for a sequential program leave -n out.",
};

/// C0911: no such function.
pub static UNKNOWN_FUNCTION: Code = Code {
    id: "C0911",
    title: "no such function",
    explanation: "--function or --explain names a function that no file given defines. Names are those of the source, without parentheses.",
};

/// C0940: a sweep that cannot be made.
pub(crate) static WRONG_SWEEP: Code = Code {
    id: "C0940",
    title: "a sweep that cannot be made",
    explanation: "--sweep NAME=LIST predicts with each value of a macro, a constant or an argument of the program. A name can be swept \
                  once, and not be given by --set or --symbolic as well; argument 2 (argv2) can only be swept where argument 1 is given, \
                  behind `--` or by a sweep before it; and there is an end to the number of combinations.",
};

/// C0941: a finished prediction was not kept.
pub(crate) static NOT_KEPT: Code = Code {
    id: "C0941",
    title: "a finished prediction was not kept",
    explanation: "With --resume DIR every finished prediction is written into that folder, to be used again. Writing failed, for instance \
                  because the disk is full. Nothing is missing in the results; if the command is interrupted, this prediction is made again.",
};

/// C0943: a saved report that cannot be read.
pub(crate) static REPORT_NOT_READ: Code = Code {
    id: "C0943",
    title: "a saved report that cannot be read",
    explanation: "The file is no report of the schema `chronos-report/1`, or cannot be read. `chronos predict --format json -o FILE` writes one.",
};

/// C0918: a real run needs values.
pub(crate) static NEEDS_VALUE: Code = Code {
    id: "C0918",
    title: "a real run needs values",
    explanation: "A traced program is run, so everything in it has a value; --symbolic leaves names free for expressions and has no \
                  meaning there. Leave it out, or give a value with --set.",
};

/// C0962: times not read.
pub(crate) static TIMES_NOT_READ: Code = Code {
    id: "C0962",
    title: "times not read",
    explanation: "`chronos scale --from FILE` reads a report of `chronos predict --format json`, or a CSV file whose header names a column \
                  tasks (or n, np, processes) and a column total_s (or time_s, seconds, time), with one row for each measurement.",
};

/// All codes of this module.
pub static ALL: &[&Code] = &[
    &MODEL_OF_EXPRESSIONS,
    &NO_FORMULA,
    &FILE_NOT_WRITTEN,
    &INPUT_NOT_READ,
    &PLACE_NOT_FOUND,
    &AMBIGUOUS_PLACE,
    &DATA_MODELS,
    &NO_MAIN,
    &NO_MPI,
    &UNKNOWN_FUNCTION,
    &WRONG_SWEEP,
    &NOT_KEPT,
    &REPORT_NOT_READ,
    &NEEDS_VALUE,
    &TIMES_NOT_READ,
];

/// Codes of all modules whose diagnostics a prediction may have.
static TABLES: &[&[&Code]] = &[
    chronos_frontend::codes::ALL,
    chronos_frontend::lower::codes::ALL,
    chronos_interpreter::codes::ALL,
    chronos_base::governor::ALL,
    chronos_slicing::annotations::CODES,
    chronos_mpi_calls::CODES,
    chronos_mpi_calls::CHECK_CODES,
    chronos_predict::library_costs::codes::ALL,
    chronos_machine::codes::ALL,
    chronos_machine::network::codes::ALL,
    chronos_cost::codes::ALL,
    chronos_predict::profile::orders::ALL,
    chronos_predict::evaluation::spawning::ALL,
    chronos_replay::codes::ALL,
    chronos_tool_formats::codes::ALL,
    chronos_predict::assumptions::codes::ALL,
    chronos_trace::codes::ALL,
    chronos_direct_execution::codes::ALL,
    ALL,
];

/// The code with this very id.
pub fn find(id: &str) -> Option<&'static Code> {
    TABLES.iter().flat_map(|table| table.iter().copied()).find(|code| code.id == id)
}

/// The error for a free name where the program is run.
pub fn needs_value(name: &str) -> Diagnostic {
    Diagnostic::error(&NEEDS_VALUE, format!("--symbolic {name} has no meaning where the program is run"))
        .help(format!("leave it out, or give a value: --set {name}=..."))
}

/// The error where a file cannot be written.
pub fn not_written(path: &Path, error: &std::io::Error) -> Diagnostic {
    let help = match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "free some space there, or name a file elsewhere",
        ErrorKind::BrokenPipe => "whoever reads it must read to the end",
        _ => "name a file in a folder that exists and may be written; nothing was changed",
    };
    Diagnostic::error(&FILE_NOT_WRITTEN, format!("cannot write {}: {}", path.display(), system_cause(error))).help(help)
}
