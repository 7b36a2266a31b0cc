//! Codes of what an MPI without buffers, or another order of messages, would do.

use chronos_base::diag::Code;

/// C0424: works only because messages are buffered.
pub(crate) static NEEDS_BUFFERS: Code = Code {
    id: "C0424",
    title: "works only because messages are buffered",
    explanation: "The program comes to its end because MPI_Send returns before the message is received, or because a collective \
                  operation lets some of its members go on before all have called it. MPI guarantees neither: with larger messages, or \
                  another library, it hangs. It is evaluated again with every standard send as synchronous and every \
                  collective operation as synchronising. Let one side receive first, or use MPI_Sendrecv or \
                  non-blocking calls.",
};

/// C0429: tasks do not match with other arguments of the program.
pub static OTHER_ARGUMENTS: Code = Code {
    id: "C0429",
    title: "tasks do not match with other arguments of the program",
    explanation: "With the arguments given, all calls match. With one of its numbers increased by one, the program hangs, calls different \
                  collective operations, or receives more than it has room for. Which way a condition on an argument goes must not decide which tasks \
                  communicate, or the program must refuse such arguments.",
};

/// C0438: goes wrong in another order of messages.
pub static ORDER: Code = Code {
    id: "C0438",
    title: "goes wrong in another order of messages",
    explanation: "A receive takes what comes first (MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_Waitany, a probe), and in another order of arrival than \
                  the likely one the program hangs, makes a wrong call or ends with an error. It was evaluated with tasks of \
                  different speeds; each order tried is one that a real run may have. Name the source, or keep messages \
                  apart by their tags or by communicators.",
};

/// All codes of this module.
pub static ALL: &[&Code] = &[&NEEDS_BUFFERS, &OTHER_ARGUMENTS, &ORDER];
