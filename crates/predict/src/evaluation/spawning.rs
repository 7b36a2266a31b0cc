//! How many tasks a program starts by itself (`MPI_Comm_spawn`): the job is evaluated until there are enough of them.

use super::{Job, feed};
use chronos_base::diag::{Code, Diagnostic};
use chronos_base::units::Picoseconds;
use chronos_machine::network::Network;
use chronos_mpi_calls as mpi;
use chronos_replay::{self as replay, ReplayOptions};

/// C0322: tasks are spawned without end.
pub static ENDLESS: Code = Code {
    id: "C0322",
    title: "tasks are spawned without end",
    explanation: "The program starts tasks by MPI_Comm_spawn, and these start further ones, more than can be followed. Often the tasks \
                  started do not ask MPI_Comm_get_parent whether they were started, and so do the same as those that a run begins with.",
};

/// All codes of this module.
pub static ALL: &[&Code] = &[&ENDLESS];

/// Tasks that a program may start.
pub const MOST: usize = 1 << 14;

/// The job with as many tasks more as it starts; the same where it starts none.
///
/// # Errors
/// It starts more and more of them.
pub fn complete(job: Job, network: &Network) -> Result<Job, Diagnostic> {
    let places = mpi::spawns(&job.program);
    if places.is_empty() || job.spawned > 0 || !job.program.parameters.is_empty() {
        return Ok(job);
    }
    let begun = job.tasks;
    let with = |spawned: usize| Job { tasks: begun + spawned, spawned, ..job.clone() };
    let mut room = wanted(&job, network);
    while room < MOST {
        let job = with(room);
        let found = wanted(&job, network);
        match found {
            found if found == room => return Ok(job),
            found if found < room => return Ok(with(found)),
            found => room = found.max(room + room / 2),
        }
    }
    let message = format!("the program starts more than {MOST} tasks");
    let help = "let the tasks that are started ask MPI_Comm_get_parent, and start no further ones";
    let fault = Diagnostic::error(&ENDLESS, message).help(help);
    Err(places.into_iter().fold(fault, |fault, span| fault.label(span, "tasks are started here")))
}

/// How many tasks it asks for.
fn wanted(job: &Job, network: &Network) -> usize {
    let mut evaluator = feed(job, Vec::new());
    let mut pricing = |_, _, _: &_| Picoseconds::ZERO;
    replay::replay_dyn(&mut evaluator, ReplayOptions::new(network, &mut pricing, &|_| None));
    evaluator.wanted()
}
