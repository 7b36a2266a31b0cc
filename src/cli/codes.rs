//! Diagnostic codes of the command line.

use chronos_base::diag::Code;

pub static WRONG_TASK_COUNT: Code = Code {
    id: "C0904",
    title: "number of tasks out of range",
    explanation: "A parallel program has at least one task; chronos evaluates at most 1,048,576.",
};

pub static ONE_COUNT: Code = Code {
    id: "C0948",
    title: "an option for one count with several",
    explanation: "`chronos count` takes several numbers of tasks and sweeps of values, and shows the counts side by side. Files of \
                  assumptions and expressions of free parameters belong to one number of tasks.",
};

pub static NOT_KEPT: Code = Code {
    id: "C0957",
    title: "no folder to keep a machine file in",
    explanation: "`chronos calibrate` without -o keeps the machine file in the user's folder for caches, $XDG_CACHE_HOME/chronos/machines \
                  or ~/.cache/chronos/machines, where `--machine native` finds it. There is no such folder, and it cannot be made.",
};

pub static KEPT_MACHINE: Code = Code {
    id: "C0958",
    title: "machine file that is kept",
    explanation: "`chronos calibrate` without -o keeps the machine file in the user's folder for caches. `--machine native`, which is \
                  also meant where --machine is absent, takes it as long as processor, compiler, its version and its flags are \
                  those that it was measured with. Delete the file to measure again.",
};

pub static UNKNOWN_CODE: Code = Code {
    id: "C0905",
    title: "no such diagnostic code",
    explanation: "Codes look like C0101; `chronos explain` without an argument lists them all.",
};

pub static OVER_LIMIT: Code = Code {
    id: "C0909",
    title: "a prediction exceeds the limit",
    explanation: "At least one of the predicted times, or what is known of it, is longer than the seconds given with \
                  --fail-over. The report is complete; the exit code is 1, so that a build can fail on it.",
};

pub static NOT_EXACT: Code = Code {
    id: "C0910",
    title: "counts that are not exact",
    explanation: "With --strict, `chronos count` ends with exit code 1 when the count of any block is expected, assumed or unknown \
                  instead of exact. The list above the summary names each such block, what makes it so, and the remedy.",
};

pub static SYMBOLIC_MODEL: Code = Code {
    id: "C0917",
    title: "a cluster that gives no expressions",
    explanation: "With --symbolic, times are expressions of what is left free, for one kind of machine: give one without `:COUNT`.",
};

pub static SEVERAL_TIMELINES: Code = Code {
    id: "C0920",
    title: "a timeline of several predictions",
    explanation: "--trace-out writes what each task did when, for one machine and one number of tasks. With several machines or numbers \
                  of tasks it would not be clear which of them the file shows.",
};

pub static NOTHING_TO_SCALE: Code = Code {
    id: "C0921",
    title: "nothing to scale",
    explanation: "`chronos replay` takes computing times from the schedule, so --scale can only make parts of the network better: \
                  network.bandwidth, network.latency, network.overhead. `chronos predict` scales machines too.",
};

pub static NOTHING_TO_COMPARE: Code = Code {
    id: "C0942",
    title: "nothing to compare",
    explanation: "`chronos compare` takes C files (a program each), programs of several files (--program NAME=FILE,FILE) and at least one \
                  --machine; or two or more reports that `chronos predict --format json -o FILE` wrote, and no machine. With one program \
                  there must be several machines, numbers of tasks or values of a sweep.",
};

pub static NOTHING_IN_COMMON: Code = Code {
    id: "C0944",
    title: "reports that have no prediction in common",
    explanation: "Predictions of saved reports are compared where machine, network, number of tasks and values of sweeps are the same. The \
                  reports have no such prediction in common, so nothing was compared. Make both with the same machines and the same -n.",
};

pub static SLOWER: Code = Code {
    id: "C0945",
    title: "a program is slower than the first one",
    explanation: "With --fail-over N% a comparison ends with exit code 1 where a program takes longer than the first one by more than so many \
                  percent, on the same machine with the same number of tasks. The message names the case that is worst.",
};

pub static UNKNOWN_PROGRAM: Code = Code {
    id: "C0946",
    title: "no such program in the comparison",
    explanation: "--baseline names the program that speedups are relative to: by the name that --program gives it, or by its file.",
};

pub static UNKNOWN_COMMAND: Code = Code {
    id: "C0947",
    title: "no such command",
    explanation: "`chronos man COMMAND` prints the page of one of the commands that `chronos --help` lists.",
};

pub static UNKNOWN_SCHEMA: Code = Code {
    id: "C0964",
    title: "no such format",
    explanation: "`chronos schema` lists the formats that chronos reads and writes; `chronos schema NAME` prints the JSON \
                  schema of one.",
};

pub static NOT_A_REPORT: Code = Code {
    id: "C0931",
    title: "not a report",
    explanation: "`chronos report` makes a page of what `chronos predict` or `chronos replay` wrote with --format json: a file whose \
                  schema is chronos-report/1. The file given cannot be read, is no JSON, or holds something else.",
};

pub static NOTHING_TO_FIT: Code = Code {
    id: "C0960",
    title: "nothing that a scaling model could be fitted to",
    explanation: "`chronos scale` predicts a program with several numbers of tasks and fits models to the times. It needs a program and a \
                  machine, or a file of times (--from), or a model with its parameters (--model), and at least one complete prediction.",
};

pub static WRONG_MODEL: Code = Code {
    id: "C0961",
    title: "parameters do not suit the scaling model",
    explanation: "`chronos scale --model NAME` shows the speedup of a model by its parameters: by the ratio of computation to communication \
                  (--r 100), where the model has one, or by each parameter of its formula (--parameter Ts=100).",
};

pub static NOTHING_TO_CHANGE: Code = Code {
    id: "C0963",
    title: "nothing that a change could be made to",
    explanation: "`chronos whatif` takes the C files of a program and changes as words: it needs a program, and one whose times are \
                  numbers. Without a change it says what is worth doing, and the efficiencies. A recorded run (--recorded) tells how long tasks \
                  compute and not which code: of it, placements, networks, overlap and balance can be asked.",
};

/// C0965: options of a recorded run without one.
pub static NO_RECORD: Code = Code {
    id: "C0965",
    title: "an option of a recorded run without one",
    explanation: "--model, --os-share, --machine-ratio and --re-match say how a recorded run is predicted. Name its folder with \
                  --recorded, or leave them out: they would change nothing of a program's prediction. \
                  Sources, and options that say how these are evaluated (--iterations, -D, ...), stand beside --recorded for \
                  --machine-ratio FROM:TO alone.",
};

/// C0967: predictions that are no measurements for Extra-P.
pub static NO_MEASUREMENTS: Code = Code {
    id: "C0967",
    title: "predictions that Extra-P cannot model",
    explanation: "--extra-p writes the times of functions and MPI calls by call path as measurements for Extra-P, with the number of \
                  tasks and the values of --sweep as parameters. They have to be numbers, of one program on one machine and network, \
                  and Extra-P asks for five or more values of each. Incomplete predictions are left out.",
};

/// C0968: a command that no job array can share.
pub static NO_JOB_ARRAY: Code = Code {
    id: "C0968",
    title: "a command that no job array can share",
    explanation: "--slurm prints a script with the command itself, so that its words have to be text: names of files that are no UTF-8, or \
                  hold a zero byte, cannot stand in it. The jobs share what --resume keeps. Runs in virtual time (`chronos run`) are not \
                  kept, so that --resume, --shard and --slurm are refused there.",
};

/// C0969: a run can tell what evaluation could not.
pub static RUN_INSTEAD: Code = Code {
    id: "C0969",
    title: "a run can tell what evaluation could not",
    explanation: "The evaluation of the program could not be followed to its end: it depends on data that nobody has, or takes more than \
                  the budget. `chronos run --time predicted` takes the same options and arguments. It compiles the program with trace \
                  points, executes it here on the bundled MPI, one process for each task, and predicts the time of what was executed on \
                  the machine and network that are named. Its counts are exact. What was computed on this machine, and how fast, plays no part.",
};

/// C0970: an editor that cannot be talked to.
pub static EDITOR: Code = Code {
    id: "C0970",
    title: "the editor cannot be talked to",
    explanation: "`chronos lsp` speaks the language server protocol over its standard input and output, and is started by an editor: each \
                  message is JSON behind a header with its length. What came was no such message, or the editor has closed its end. \
                  docs/ci.md shows how editors are told to start it.",
};

/// C0971: predictions that are no profile.
pub static NO_PROFILE: Code = Code {
    id: "C0971",
    title: "a profile for Cube",
    explanation: "--cube writes call paths by tasks in the format of Cube 4 (.cubex), which Cube, Scalasca and Extra-P read. A file is a profile \
                  of one run, so that it is written for one prediction, which has to be complete and to have call paths. Predictions \
                  that --resume took from its folder hold means over the tasks alone; each task of the profile has these then, and a \
                  note says so.",
};

pub static ALL: &[&Code] = &[
    &NO_PROFILE,
    &EDITOR,
    &RUN_INSTEAD,
    &NO_JOB_ARRAY,
    &NO_MEASUREMENTS,
    &NO_RECORD,
    &NOTHING_TO_CHANGE,
    &NOTHING_TO_FIT,
    &WRONG_MODEL,
    &NOT_A_REPORT,
    &WRONG_TASK_COUNT,
    &ONE_COUNT,
    &NOT_KEPT,
    &KEPT_MACHINE,
    &UNKNOWN_CODE,
    &OVER_LIMIT,
    &NOT_EXACT,
    &SYMBOLIC_MODEL,
    &SEVERAL_TIMELINES,
    &NOTHING_TO_SCALE,
    &NOTHING_TO_COMPARE,
    &NOTHING_IN_COMMON,
    &SLOWER,
    &UNKNOWN_PROGRAM,
    &UNKNOWN_COMMAND,
    &UNKNOWN_SCHEMA,
];
