//! Tasks that end before their program does: what the launcher of the bundled MPI notes, and what is said of it.

use crate::codes;
use chronos_activity::TaskId;
use chronos_base::diag::Diagnostic;
use chronos_base::span::Span;

/// How a task ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// Nobody said.
    Unknown,
    /// With this exit code, after `MPI_Init` and without `MPI_Finalize`.
    Exit(i64),
    /// By this signal.
    Signal(i64),
    /// By `MPI_Abort` with this code.
    Abort(i64),
}

/// A task that ended before its program did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// The task.
    pub task: TaskId,
    /// How it ended.
    pub how: How,
}

impl Ended {
    /// The environment variable that tells the launcher in which file to note it (`runtime/mpi/launch.c`).
    pub const VARIABLE: &str = "CHRONOS_MPI_ENDED";

    /// Of the line that the launcher noted.
    pub fn parse(line: &str) -> Option<Self> {
        let mut words = line.split_whitespace();
        let (task, how, code) = (words.next()?.parse().ok()?, words.next()?, words.next()?.parse().ok()?);
        let how = match how {
            "exit" => How::Exit(code),
            "signal" => How::Signal(code),
            "abort" => How::Abort(code),
            _ => return None,
        };
        Some(Self { task: TaskId(task), how })
    }

    /// What is said of it, with the place of its last MPI call.
    pub(crate) fn diagnostic(self, last_call: Option<Span>) -> Diagnostic {
        let cause = match self.how {
            How::Unknown => String::new(),
            How::Exit(code) => format!(": it left with exit code {code}, without MPI_Finalize"),
            How::Signal(signal) => format!(": signal {signal} ended it"),
            How::Abort(code) => format!(": it called MPI_Abort with code {code}"),
        };
        let message = format!("task {} ended before its program did{cause}", self.task.0);
        let help = "what it said stands above; the report holds what the tasks did up to there";
        let said = Diagnostic::error(&codes::DIED, message).help(help);
        match last_call {
            Some(span) => said.label(span, format!("the last MPI call of task {}", self.task.0)),
            None => said,
        }
    }

    /// What is said of a task that failed before it began with MPI, as where its arguments are wrong.
    pub(crate) fn failed_before_mpi(task: TaskId, code: i64) -> Diagnostic {
        let message = format!("task {} ended with exit code {code} before MPI_Init", task.0);
        let help = "what it said stands above; check the program's arguments (after `--`) and its input (--stdin)";
        Diagnostic::warning(&codes::DIED, message).help(help)
    }
}
