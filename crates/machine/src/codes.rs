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

/// C0515: machine that was chosen.
pub(crate) static CHOSEN_MACHINE: Code = Code {
    id: "C0515",
    title: "machine that was chosen",
    explanation: "No machine was named in full, so the file that fits was taken: of this processor (`--machine native`, which is \
        also meant where `--machine` is absent) or of the processor whose name has this part (`--machine zen5`); among these \
        the one whose compiler and flags are nearest to those of the program (`--cc`, compile_commands.json). Name the \
        machine in full and the note goes away.",
};

/// C0516: machine file of another build.
pub(crate) static OTHER_BUILD: Code = Code {
    id: "C0516",
    title: "machine file of another build",
    explanation: "The times in a machine file hold for code that one compiler made with certain flags. The program is built by a \
        compiler of another kind, at another level of optimisation or for another target (`-march`), so predicted times \
        are those of another build. Take a machine file of the program's build, or make one with `chronos calibrate`.",
};

/// C0517: no machine file of this processor.
pub(crate) static UNKNOWN_PROCESSOR: Code = Code {
    id: "C0517",
    title: "no machine file of this processor",
    explanation: "Without `--machine`, or with `--machine native`, times are predicted for the processor at hand. No shipped file \
        was made on one with such cores, and no calibration of yours is kept for it and this compiler. \
        `chronos calibrate --brief` measures it in a quarter of a minute and keeps the file for later; a full \
        `chronos calibrate -o FILE` is more accurate; `--machine NAME` predicts for another computer.",
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
    &CHOSEN_MACHINE,
    &OTHER_BUILD,
    &UNKNOWN_PROCESSOR,
    &PLATFORM_FORM,
];
