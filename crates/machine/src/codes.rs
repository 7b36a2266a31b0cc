//! Diagnostics of machine files.

use chronos_base::diag::Code;

/// C0501: unknown machine.
pub(crate) static UNKNOWN_MACHINE: Code = Code {
    id: "C0501",
    title: "unknown machine",
    explanation: "`--machine` takes the name of an embedded machine file or a path of one. The argument is neither: \
        it has no slash, does not end in .json and no embedded machine has this name. `chronos machine list` names \
        them all; `chronos calibrate` makes a file for the workstation at hand.",
};

/// C0502: machine file cannot be read.
pub(crate) static UNREADABLE_FILE: Code = Code {
    id: "C0502",
    title: "machine file cannot be read",
    explanation: "The path given with `--machine` does not exist or may not be read. Check the spelling; paths are \
        relative to the current directory.",
};

/// C0503: machine file is not JSON.
pub(crate) static INVALID_JSON: Code = Code {
    id: "C0503",
    title: "machine file is not JSON",
    explanation: "The file is not well-formed JSON: the message gives line and column of the first offence. Machine \
        files are written by `chronos calibrate`; one edited by hand often lacks a comma or has one too many.",
};

/// C0504: machine file does not follow its schema.
pub(crate) static INVALID_FIELD: Code = Code {
    id: "C0504",
    title: "machine file does not follow its schema",
    explanation: "A field is missing, unknown or of the wrong type. schemas/chronos-machine-1.json in the source \
        tree describes every field with its unit; `chronos machine show pentium2-350` prints a complete example.",
};

/// C0505: impossible value in a machine file.
pub(crate) static IMPOSSIBLE_VALUE: Code = Code {
    id: "C0505",
    title: "impossible value in a machine file",
    explanation: "A value cannot be right: a negative cost, a clock of zero, an instruction class without a cost. \
        Predictions made with it would be meaningless, so it is refused.",
};

/// C0506: improbable value in a machine file.
pub(crate) static ODD_VALUE: Code = Code {
    id: "C0506",
    title: "improbable value in a machine file",
    explanation: "A value is possible but improbable: a reciprocal throughput above the latency, a clock far from \
        that of any processor. It is used as it stands; correct it if it is a slip.",
};

/// C0507: no such part of a machine.
pub(crate) static UNKNOWN_KEY: Code = Code {
    id: "C0507",
    title: "no such part of a machine",
    explanation: "`chronos machine scale` takes KEY=FACTOR with keys such as clock, fp, int, fp_div, load, call, \
        mispredict, library, memory.bandwidth, memory.latency, L2.size: instruction classes, groups of them, levels \
        of memory. A factor of 2 means twice as good: latency and reciprocal throughput are both halved.",
};

/// C0530: platform not understood.
pub(crate) static PLATFORM_FORM: Code = Code {
    id: "C0530",
    title: "platform not understood",
    explanation: "A platform is given as --machine MACHINE:COUNT,MACHINE:COUNT or as a file of schema chronos-platform/1 (--platform): \
        kinds of nodes with machine, count, processors and load, a network, and a placement (\"block\", \"cyclic\" or \
        {\"explicit\": [node of each task]}).",
};

/// All of them, for `chronos explain`.
pub static ALL: &[&Code] = &[
    &UNKNOWN_MACHINE,
    &UNREADABLE_FILE,
    &INVALID_JSON,
    &INVALID_FIELD,
    &IMPOSSIBLE_VALUE,
    &ODD_VALUE,
    &UNKNOWN_KEY,
    &PLATFORM_FORM,
];
