//! Codes of diagnostics about network files.

use chronos_base::diag::Code;

/// C0550: no such network.
pub(crate) static NETWORK_MISSING: Code = Code {
    id: "C0550",
    title: "no such network",
    explanation: "A network is named by one of the names that are part of chronos or by the path of a file. \
        The name is not known and no file of that path could be read.",
};

/// C0551: network file cannot be parsed.
pub(crate) static NETWORK_MALFORMED: Code = Code {
    id: "C0551",
    title: "network file cannot be parsed",
    explanation: "A network file is JSON of the schema chronos-network/1. The message names the line and the field: \
        it is missing, unknown or of another type than expected.",
};

/// C0552: invalid value in a network file.
pub(crate) static NETWORK_INVALID: Code = Code {
    id: "C0552",
    title: "invalid value in a network file",
    explanation: "A field of a network file has a value that no network can have: a negative or infinite time, a curve \
        without points or with sizes that do not rise, an algorithm that cannot do the operation. \
        The message names the field, what is expected there and what was found.",
};

/// C0553: network description not understood.
pub(crate) static NETWORK_DESCRIPTION: Code = Code {
    id: "C0553",
    title: "network description not understood",
    explanation: "A network can be given by the parameters of a model: `loggops:L=..,o=..,g=..,G=..,O=..,S=..` in ns and bytes, \
        `amakata:alpha=..,D=..,C=..,W=..,tc=..` in m, m/s, bit/s and s, `linear:a=..,b=..` (a + b times bytes, in s) or \
        `lagrange:BYTES=SECONDS,...` (the polynomial through the points). `chronos network show` prints the network file \
        that a description stands for.",
};

/// C0554: unknown MPI library.
pub(crate) static LIBRARY_UNKNOWN: Code = Code {
    id: "C0554",
    title: "unknown MPI library",
    explanation: "`--mpi-library` replaces the rules by which collective operations choose their algorithms with those \
        of an MPI library. Rules of the library named are not part of chronos. A network file can hold any rules in `algorithms`.",
};

/// All codes of this module, for `chronos explain`.
pub static ALL: &[&Code] =
    &[&NETWORK_MISSING, &NETWORK_MALFORMED, &NETWORK_INVALID, &NETWORK_DESCRIPTION, &LIBRARY_UNKNOWN];
