//! The programs that chronos runs: compilers, launchers, benchmarks and programs of users.
//!
//! Each is started in a process group of its own, so that what it starts itself ends with it: when it has ended, when
//! it takes too long or writes too much, and when chronos is told to end ([`end_all`]). A group is ended before its
//! first process is waited for: until then nobody else can have its number.

use crate::governor;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, test_kill_process_group, waitid};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How long between two looks whether a program has ended.
const GLANCE: Duration = Duration::from_millis(2);
/// What a group gets to end by itself: launchers of MPI end their tasks, which are in groups of their own.
const GRACE: Duration = Duration::from_secs(1);

static RUNNING: Mutex<Running> = Mutex::new(Running { over: false, groups: Vec::new(), bounded: Vec::new() });

struct Running {
    /// Nothing is started any more.
    over: bool,
    groups: Vec<Pid>,
    /// Those whose memory counts as that of chronos: what helps it, unlike programs that the user has it run.
    bounded: Vec<Pid>,
}

fn running() -> MutexGuard<'static, Running> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends all programs with all that they started, for good.
pub fn end_all() {
    let groups = {
        let mut running = running();
        running.over = true;
        running.groups.clone()
    };
    groups.iter().for_each(|&group| signal(group, Signal::TERM));
    let begin = Instant::now();
    // Who started them waits for them, so that groups that have ended are gone.
    while begin.elapsed() < GRACE && groups.iter().any(|&group| test_kill_process_group(group).is_ok()) {
        thread::sleep(GLANCE);
    }
    running().groups.iter().for_each(|&group| signal(group, Signal::KILL));
}

/// A group that has ended already is no error.
fn signal(group: Pid, signal: Signal) {
    let _ = kill_process_group(group, signal);
}

/// A program that runs. It ends when this is dropped.
#[derive(Debug)]
pub struct Started {
    child: Child,
    group: Pid,
    status: Option<ExitStatus>,
}

/// Starts a program in a group of its own.
///
/// # Errors
/// As for [`Command::spawn`], and when chronos is about to end.
pub fn start(command: &mut Command) -> io::Result<Started> {
    let mut running = running();
    if running.over {
        return Err(ErrorKind::Interrupted.into());
    }
    let child = command.process_group(0).spawn()?;
    let group = Pid::from_child(&child);
    running.groups.push(group);
    Ok(Started { child, group, status: None })
}

/// What Open MPI, and the PRRTE that starts the tasks of its later versions, wants to hear from the superuser.
const AS_ROOT: [&str; 4] = [
    "OMPI_ALLOW_RUN_AS_ROOT",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
    "PRTE_ALLOW_RUN_AS_ROOT",
    "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM",
];

/// Makes a command one that starts the tasks of an MPI program. Open MPI refuses that to root unless told that it is
/// meant; it is, for whoever runs chronos as root has it run programs without MPI as root too.
pub fn launcher(command: &mut Command) -> &mut Command {
    if rustix::process::geteuid().is_root() {
        command.envs(AS_ROOT.map(|name| (name, "1")));
    }
    command
}

/// Runs a program to its end; a pipe on its standard input gets what comes from that of chronos.
///
/// # Errors
/// It cannot be started.
pub fn status(command: &mut Command) -> io::Result<ExitStatus> {
    let mut started = start(command)?;
    if let Some(mut pipe) = started.child.stdin.take() {
        // It ends with the process, for a terminal does not.
        thread::spawn(move || drop(io::copy(&mut io::stdin(), &mut pipe)));
    }
    started.wait()
}

/// The first line that `command argument` prints, such as the version of a compiler; empty where it cannot be started.
pub fn first_line(command: &str, argument: &str) -> String {
    let output = output(Command::new(command).arg(argument));
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    text.lines().next().unwrap_or_default().trim().to_owned()
}

/// Runs a program to its end, without input; what it wrote.
///
/// # Errors
/// It cannot be started.
pub fn output(command: &mut Command) -> io::Result<Output> {
    start(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()))?.output()
}

/// How a program that was run within the limits of the command ended.
#[derive(Debug)]
pub enum Ending {
    /// By itself.
    Ended(Output),
    /// The command reached a limit or is told to end, so that the program was ended; what it had written until then.
    Stopped(Output),
}

/// Runs a program, without input, to its end or until the command has to come to its own.
///
/// # Errors
/// It cannot be started.
pub fn output_within_limits(command: &mut Command) -> io::Result<Ending> {
    let mut started = start(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()))?;
    let (stdout, stderr) = (started.child.stdout.take(), started.child.stderr.take());
    thread::scope(|scope| {
        let (stdout, stderr) = (scope.spawn(|| all(stdout)), scope.spawn(|| all(stderr)));
        while !started.has_ended() && governor::exceeded().is_none() {
            thread::sleep(GLANCE);
        }
        // Whoever ends the command ends its programs first.
        let is_stopped = !started.has_ended() || running().over;
        started.end();
        let status = started.reap()?;
        let read = |reader: thread::ScopedJoinHandle<'_, Vec<u8>>| reader.join().unwrap_or_default();
        let output = Output { status, stdout: read(stdout), stderr: read(stderr) };
        Ok(if is_stopped { Ending::Stopped(output) } else { Ending::Ended(output) })
    })
}

impl Started {
    /// Waits for its end, and ends what it left behind.
    ///
    /// # Errors
    /// The system does not tell of it.
    pub fn wait(&mut self) -> io::Result<ExitStatus> {
        loop {
            match waitid(WaitId::Pid(self.group), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT) {
                Err(rustix::io::Errno::INTR) => {}
                _ => return self.reap(),
            }
        }
    }

    /// Waits so long; `None` where it took longer and was ended.
    ///
    /// # Errors
    /// The system does not tell of it.
    pub fn wait_for(&mut self, time: Duration) -> io::Result<Option<ExitStatus>> {
        let begin = Instant::now();
        while begin.elapsed() < time {
            if self.has_ended() {
                return self.reap().map(Some);
            }
            thread::sleep(GLANCE);
        }
        self.end();
        Ok(None)
    }

    /// Waits for its end, and for what it wrote into its pipes.
    ///
    /// # Errors
    /// The system does not tell of it.
    pub fn output(mut self) -> io::Result<Output> {
        let (stdout, stderr) = (self.child.stdout.take(), self.child.stderr.take());
        thread::scope(|scope| {
            let stderr = scope.spawn(|| all(stderr));
            let stdout = scope.spawn(|| all(stdout));
            let status = self.wait()?;
            let read = |reader: thread::ScopedJoinHandle<'_, Vec<u8>>| reader.join().unwrap_or_default();
            Ok(Output { status, stdout: read(stdout), stderr: read(stderr) })
        })
    }

    /// Whether its first process has ended.
    pub fn has_ended(&self) -> bool {
        if self.status.is_some() {
            return true;
        }
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        !matches!(waitid(WaitId::Pid(self.group), options), Ok(None) | Err(rustix::io::Errno::INTR))
    }

    /// The first process has ended: its group ends with it.
    fn reap(&mut self) -> io::Result<ExitStatus> {
        if let Some(status) = self.status {
            return Ok(status);
        }
        let mut running = running();
        signal(self.group, Signal::KILL);
        let status = self.child.wait();
        running.groups.retain(|&group| group != self.group);
        running.bounded.retain(|&group| group != self.group);
        self.status = status.as_ref().ok().copied();
        status
    }

    /// Ends it, at first politely.
    fn end(&mut self) {
        if self.status.is_some() {
            return;
        }
        signal(self.group, Signal::TERM);
        let begin = Instant::now();
        while !self.has_ended() && begin.elapsed() < GRACE {
            thread::sleep(GLANCE);
        }
        let _ = self.reap();
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        self.end();
    }
}

fn all(pipe: Option<impl Read>) -> Vec<u8> {
    let mut bytes = Vec::new();
    // What was read until a pipe broke counts.
    pipe.into_iter().for_each(|mut pipe| drop(pipe.read_to_end(&mut bytes)));
    bytes
}

/// What a program may take.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Elapsed time until its processes are ended.
    pub time: Duration,
    /// Of each of its two outputs.
    pub bytes: u64,
    /// Address space of each of its processes.
    pub memory: u64,
}

/// Runs a program within bounds and the limit of the whole command, with `input` on standard input.
///
/// # Errors
/// It cannot be started; with the kinds `TimedOut` and `FileTooLarge` where it was ended.
pub fn bounded(command: &mut Command, input: Option<String>, bounds: Bounds) -> io::Result<Output> {
    let stdin = if input.is_some() { Stdio::piped() } else { Stdio::null() };
    let mut started = start(command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped()))?;
    limit_memory(started.group, bounds.memory);
    running().bounded.push(started.group);
    if let (Some(mut pipe), Some(input)) = (started.child.stdin.take(), input) {
        // A program that gives up early closes its end; what it says counts.
        thread::spawn(move || drop(pipe.write_all(input.as_bytes())));
    }
    let (sender, receiver) = channel();
    read(started.child.stderr.take(), bounds.bytes, Pipe::Error, sender.clone());
    read(started.child.stdout.take(), bounds.bytes, Pipe::Output, sender);
    let end = Instant::now() + bounds.time;
    let in_time = || Instant::now() < end && governor::exceeded().is_none();
    let (stdout, stderr) = collected(&receiver, &mut started, bounds.bytes, in_time)?;
    while !started.has_ended() {
        if !in_time() {
            return Err(ErrorKind::TimedOut.into());
        }
        thread::sleep(GLANCE);
    }
    let status = started.reap()?;
    Ok(Output { status, stdout, stderr })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Pipe {
    Output,
    Error,
}

/// Reads on a thread of its own, which ends when the last process that holds the pipe does.
fn read(pipe: Option<impl Read + Send + 'static>, most: u64, which: Pipe, sender: Sender<(Pipe, Vec<u8>)>) {
    thread::spawn(move || {
        let bytes = all(pipe.map(|pipe| pipe.take(most + 1)));
        let _ = sender.send((which, bytes));
    });
}

fn collected(
    receiver: &Receiver<(Pipe, Vec<u8>)>,
    started: &mut Started,
    most: u64,
    in_time: impl Fn() -> bool,
) -> io::Result<(Vec<u8>, Vec<u8>)> {
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let mut missing = 2;
    while missing > 0 {
        match receiver.recv_timeout(GLANCE) {
            Ok((_, bytes)) if bytes.len() as u64 > most => return Err(ErrorKind::FileTooLarge.into()),
            Ok((pipe, bytes)) => {
                *(if pipe == Pipe::Output { &mut stdout } else { &mut stderr }) = bytes;
                missing -= 1;
            }
            Err(_) if !in_time() => return Err(ErrorKind::TimedOut.into()),
            // What it left behind may hold its pipes.
            Err(_) if started.has_ended() => drop(started.reap()?),
            Err(_) => {}
        }
    }
    Ok((stdout, stderr))
}

/// Bytes in memory of all programs that run within bounds, with what they started.
pub fn resident() -> u64 {
    let bounded = running().bounded.clone();
    bounded.into_iter().map(|process| tree_resident(process.as_raw_nonzero().get(), DEEPEST)).sum()
}

/// Processes that start one another, of which the last is looked at: a compiler's driver starts the compiler.
const DEEPEST: u32 = 8;

fn tree_resident(process: i32, depth: u32) -> u64 {
    const PAGE: u64 = 4096;
    let read = |name: &str| std::fs::read_to_string(format!("/proc/{process}/{name}")).unwrap_or_default();
    let pages = read("statm").split_whitespace().nth(1).and_then(|pages| pages.parse::<u64>().ok());
    let started = if depth == 0 { String::new() } else { read(&format!("task/{process}/children")) };
    let others = started.split_whitespace().filter_map(|child| child.parse().ok());
    pages.unwrap_or(0) * PAGE + others.map(|child| tree_resident(child, depth - 1)).sum::<u64>()
}

/// Before it has done much: what it starts afterwards inherits the limit. Where the system cannot do that, the others
/// hold.
#[cfg(target_os = "linux")]
fn limit_memory(process: Pid, bytes: u64) {
    use rustix::process::{Resource, Rlimit, prlimit};
    let _ = prlimit(Some(process), Resource::As, Rlimit { current: Some(bytes), maximum: Some(bytes) });
}

#[cfg(not(target_os = "linux"))]
fn limit_memory(_: Pid, _: u64) {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt as _;

    const BOUNDS: Bounds = Bounds { time: Duration::from_secs(2000), bytes: 1000, memory: 1 << 32 };

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn what_a_program_started_ends_with_it() {
        let output = output(&mut shell("sleep 5000 & echo $!; exit 3")).expect("it runs");
        assert_eq!(output.status.code(), Some(3));
        let sleeper = String::from_utf8(output.stdout).expect("a number");
        let stat = || std::fs::read_to_string(format!("/proc/{}/stat", sleeper.trim())).unwrap_or_default();
        // A sleeper that was not ended would be waited for until it ends by itself.
        let ended = (0..100_000).any(|_| {
            thread::sleep(GLANCE);
            stat().is_empty() || stat().contains(") Z")
        });
        assert!(ended, "{}", stat());
    }

    #[test]
    fn a_program_that_ignores_everything_is_ended() {
        let mut started =
            start(&mut shell("trap '' TERM; sleep 5000 & wait; sleep 5000; sleep 5000")).expect("it runs");
        assert_eq!(started.wait_for(Duration::from_millis(100)).expect("known"), None);
        // By the first signal where a busy machine has not come to the trap.
        assert!(matches!(started.status.and_then(|status| status.signal()), Some(9 | 15)));
    }

    #[test]
    fn outputs_have_a_bound() {
        let kind =
            |script: &str, bounds: Bounds| bounded(&mut shell(script), None, bounds).map_err(|error| error.kind());
        assert_eq!(kind("yes", BOUNDS).err(), Some(ErrorKind::FileTooLarge));
        assert_eq!(kind("yes >&2", BOUNDS).err(), Some(ErrorKind::FileTooLarge));
        let short = Bounds { time: Duration::from_millis(50), ..BOUNDS };
        assert_eq!(kind("sleep 5000", short).err(), Some(ErrorKind::TimedOut));
        assert_eq!(kind("exec >&- 2>&-; sleep 5000", short).err(), Some(ErrorKind::TimedOut));
        assert_eq!(kind("sleep 5000 & echo a", BOUNDS).map(|output| output.stdout).ok(), Some(b"a\n".to_vec()));
    }

    #[test]
    fn input_goes_in() {
        let output = bounded(&mut Command::new("cat"), Some("text".to_owned()), BOUNDS).expect("it runs");
        assert_eq!(output.stdout, b"text");
    }
}
