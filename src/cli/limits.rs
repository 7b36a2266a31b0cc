//! The governor's other half: watches time and memory of the process while a command runs, and ends what does not end.
//!
//! The command runs on a thread with a large stack, because parsing, lowering and evaluation follow the nesting of the
//! program by calls of their own. The main thread looks at the clock and at the pages of the process a hundred times a
//! second, with those of the preprocessors that it runs. Near a limit it lets all phases give up (`governor::stop`), so that what is known until then is told; what has
//! not ended some seconds later, or takes the rest of the memory, ends with the process. A panic and an abort (a failed
//! allocation, a stack that is used up) are diagnostics too: no input ends the process by a signal.

use super::args::{Arguments, Command, Limit};
use super::exit::Exit;
use super::memory::{address_space, default_memory, pages, peak};
use super::output::Terminal;
use chronos_base::children;
use chronos_base::diag::Diagnostic;
use chronos_base::governor::{self, Resource};
use chronos_base::span::SourceFiles;
use chronos_base::temporary;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Address space that is not touched costs nothing.
const STACK_BYTES: u64 = 1 << 30;
/// How often time and memory are looked at.
const INTERVAL: Duration = Duration::from_millis(10);
/// How long a command may take where nobody says it.
const DEFAULT_TIME: Duration = Duration::from_hours(1);

/// What one command may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    time: Option<Duration>,
    /// Bytes in memory.
    memory: Option<u64>,
    /// Bytes of address space, where the shell limits it.
    space: Option<u64>,
    /// What is known is told where the user interrupts the command.
    told_at_interrupt: bool,
}

/// Runs a command within its limits.
pub fn governed(limits: Limits, terminal: &Terminal, work: impl FnOnce() -> Exit + Send) -> Exit {
    end_aborts_with_an_exit_code();
    end_panics_with_an_exit_code(terminal);
    let signalled = signals();
    let (sender, receiver) = channel();
    let begin = Instant::now();
    std::thread::scope(|scope| {
        let stack = limits.space.map_or(STACK_BYTES, |space| STACK_BYTES.min(space / 8)) as usize;
        let work = move || {
            let exit = work();
            let _ = sender.send(());
            exit
        };
        let Ok(worker) = std::thread::Builder::new().stack_size(stack).spawn_scoped(scope, work) else {
            return unable(terminal);
        };
        let mut stopped: Option<(Instant, Diagnostic)> = None;
        while receiver.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
            let interrupted = first_interrupt(&signalled, limits.told_at_interrupt, stopped.is_some());
            end_on_signal(&signalled, terminal);
            match (interrupted.or_else(|| limits.reached(begin)), &stopped) {
                (Some(resource), None) => {
                    stopped = Some((Instant::now(), limits.told(resource)));
                    governor::stop(resource);
                }
                (Some(_), Some((since, told))) if limits.is_over(*since) => end(terminal, told),
                _ => {}
            }
        }
        match worker.join() {
            // What could not be read any more is no fault of the input.
            Ok(exit) => stopped.map_or(exit, |(_, told)| reported(terminal, &told)),
            Err(_) => Exit::Incomplete,
        }
    })
}

/// What is wrong with an input is never told by a signal. The standard library has said by then what failed.
fn end_aborts_with_an_exit_code() {
    let always = Arc::new(AtomicBool::new(true));
    // Where it cannot be registered, an abort stays an abort.
    let _ =
        signal_hook::flag::register_conditional_shutdown(signal_hook::consts::SIGABRT, Exit::Incomplete as i32, always);
}

/// Panics do not unwind in a release (Cargo.toml says why), so what is to be done after one is done by the hook, whichever
/// thread it is on. The standard library's own hook says first what failed.
fn end_panics_with_an_exit_code(terminal: &Terminal) {
    let (tell, terminal) = (std::panic::take_hook(), *terminal);
    std::panic::set_hook(Box::new(move |panic| {
        tell(panic);
        leave(internal(&terminal) as i32)
    }));
}

/// The last signal that asked for the end, 0 where none did. Signals that are ignored stay so (`nohup`).
fn signals() -> Arc<AtomicUsize> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let signalled = Arc::new(AtomicUsize::new(0));
    let ignored = std::fs::read_to_string("/proc/self/status").ok();
    let ignored = ignored.as_deref().and_then(|text| text.lines().find_map(|line| line.strip_prefix("SigIgn:")));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    for signal in [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0) {
        // Where it cannot be registered, it ends the process as it always did.
        let _ = signal_hook::flag::register_usize(signal, Arc::clone(&signalled), signal.unsigned_abs() as usize);
    }
    signalled
}

/// A program that runs in virtual time is reported up to where the user interrupts it for the first time.
fn first_interrupt(signalled: &AtomicUsize, is_told: bool, is_stopped: bool) -> Option<Resource> {
    let interrupt = signal_hook::consts::SIGINT.unsigned_abs() as usize;
    let is_first = is_told && !is_stopped && signalled.load(Ordering::Relaxed) == interrupt;
    is_first.then(|| {
        signalled.store(0, Ordering::Relaxed);
        Resource::Patience
    })
}

/// Programs that were started end with the command, and what is temporary goes. The exit code is that of a shell. Who
/// interrupts the command knows why it ends; what `timeout` and batch systems end says where it was.
fn end_on_signal(signalled: &AtomicUsize, terminal: &Terminal) {
    if let Ok(signal @ 1..) = i32::try_from(signalled.load(Ordering::Relaxed)) {
        if signal == signal_hook::consts::SIGTERM {
            reported(terminal, &ended_from_outside());
        }
        leave(128 + signal)
    }
}

fn ended_from_outside() -> Diagnostic {
    let message = format!("the command was ended from outside (SIGTERM) {}; {}", governor::doing(), governor::known());
    let help = "allow it more time, or let it end by itself and tell what is known: --limit 100s";
    Diagnostic::error(&governor::LIMIT, message).help(help)
}

fn leave(code: i32) -> ! {
    children::end_all();
    temporary::remove_all();
    std::process::exit(code)
}

fn reported(terminal: &Terminal, told: &Diagnostic) -> Exit {
    terminal.report(std::slice::from_ref(told), &SourceFiles::default());
    Exit::Incomplete
}

fn end(terminal: &Terminal, told: &Diagnostic) -> ! {
    reported(terminal, told);
    leave(Exit::Incomplete as i32)
}

fn unable(terminal: &Terminal) -> Exit {
    let message = "there is not enough memory to begin";
    let help = "allow more address space (ulimit -v)";
    reported(terminal, &Diagnostic::error(&governor::LIMIT, message).help(help))
}

fn internal(terminal: &Terminal) -> Exit {
    let message = format!("chronos came to a state that should not exist, {}", governor::doing());
    let help = "this is an error in chronos, whatever the input: please report it with the command and its files";
    reported(terminal, &Diagnostic::error(&governor::INTERNAL, message).help(help))
}

impl Limits {
    /// Those of the command line, with the defaults of the command.
    pub fn of(arguments: &Arguments) -> Self {
        let given = |pick: fn(&Limit) -> Option<u64>| arguments.limit.iter().rev().find_map(pick);
        let time = given(|limit| if let Limit::Time(time) = limit { Some(time.as_millis() as u64) } else { None });
        let memory = given(|limit| if let Limit::Memory(bytes) = limit { Some(*bytes) } else { None });
        let time = time.map(Duration::from_millis).or_else(|| default_time(&arguments.command));
        let told_at_interrupt = matches!(arguments.command, Command::Run(_));
        let limits = Self { time, memory: memory.or_else(default_memory), space: address_space(), told_at_interrupt };
        governor::read_memory_by(peak);
        governor::allow_memory(limits.memory.into_iter().chain(limits.space).min().unwrap_or(u64::MAX));
        limits
    }

    /// The limit that is reached, as soon as there is just enough left to tell what is known.
    fn reached(&self, begin: Instant) -> Option<Resource> {
        if self.time.is_some_and(|time| begin.elapsed() >= time) {
            return Some(Resource::Time);
        }
        let (space, resident) = pages();
        let resident = resident + children::resident();
        let near = |limit: Option<u64>, taken: u64| limit.is_some_and(|limit| taken >= limit - limit / 8);
        (near(self.memory, resident) || near(self.space, space)).then_some(Resource::Memory)
    }

    /// The command has had its time to come to an end by itself, or there is no memory for it.
    fn is_over(&self, since: Instant) -> bool {
        let (space, resident) = pages();
        let full = self.memory.is_some_and(|limit| resident >= limit)
            || self.space.is_some_and(|limit| space >= limit - limit / 32);
        let grace = self.time.map_or(Duration::from_secs(30), |time| time / 4);
        full || since.elapsed() >= grace.clamp(Duration::from_secs(2), Duration::from_secs(30))
    }

    fn told(&self, resource: Resource) -> Diagnostic {
        let limit = match resource {
            Resource::Time => self.time.map_or_else(String::new, |time| format!(" ({time:?})")),
            Resource::Memory => {
                let bytes = self.memory.into_iter().chain(self.space).min().unwrap_or(0);
                format!(" ({:.1} GiB)", bytes as f64 / (1u64 << 30) as f64)
            }
            Resource::Patience => String::new(),
        };
        governor::diagnostic(resource, &format!("{}{limit}; {}", governor::doing(), governor::known()))
    }
}

/// Commands that run the user's programs take as long as these do, and an editor's server as long as the editor.
fn default_time(command: &Command) -> Option<Duration> {
    let runs = matches!(
        command,
        Command::Calibrate(_) | Command::Run(_) | Command::Trace(_) | Command::Validate(_) | Command::Lsp(_)
    );
    (!runs).then_some(DEFAULT_TIME)
}
