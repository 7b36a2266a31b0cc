//! Where the processes of a program find chronos.

use crate::codes;
use crate::ended::Ended;
use crate::frames::{Channel, FrameKind};
use chronos_base::diag::{Diagnostic, system_cause};
use std::io;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

/// How long between two looks whether a task has connected.
const GLANCE: Duration = Duration::from_millis(2);

/// A socket that the processes connect to.
#[derive(Debug)]
pub struct Listener {
    socket: UnixListener,
    path: PathBuf,
}

/// All processes of a program, by rank.
#[derive(Debug)]
pub struct Connected(pub(crate) Vec<Channel>);

impl Listener {
    /// The environment variable that tells the processes the path.
    pub const VARIABLE: &str = "CHRONOS_LIVE";

    /// A socket in a folder.
    ///
    /// # Errors
    /// It cannot be made there.
    pub fn new(folder: &Path) -> Result<Self, Box<Diagnostic>> {
        let path = folder.join("live");
        let made = UnixListener::bind(&path).and_then(|socket| socket.set_nonblocking(true).map(|()| socket));
        let socket = made.map_err(|error| {
            let message = format!("the socket {} cannot be made: {}", path.display(), system_cause(&error));
            let help = "name a folder with a short path for temporary files (TMPDIR)";
            Box::new(Diagnostic::error(&codes::NOT_CONNECTED, message).help(help))
        })?;
        Ok(Self { socket, path })
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where the launcher notes how the first task ended that ended before its program did.
    pub fn ended_path(&self) -> PathBuf {
        self.path.with_extension("ended")
    }

    /// What it noted, waiting so long for it.
    pub fn ended(&self, time: Duration) -> Option<Ended> {
        let begin = Instant::now();
        loop {
            // A line is whole where it has its end.
            let text = std::fs::read_to_string(self.ended_path()).ok().filter(|text| text.ends_with('\n'));
            if text.is_some() || begin.elapsed() >= time {
                return text.as_deref().and_then(Ended::parse);
            }
            thread::sleep(GLANCE);
        }
    }

    /// Waits until so many tasks have connected; `ended` says whether their program has ended.
    ///
    /// # Errors
    /// It has.
    pub fn connected(&self, tasks: usize, ended: &mut dyn FnMut() -> bool) -> Result<Connected, Box<Diagnostic>> {
        let mut channels: Vec<Option<Channel>> = (0..tasks).map(|_| None).collect();
        while channels.iter().any(Option::is_none) {
            match self.accept() {
                Ok((rank, channel)) => {
                    if let Some(place) = channels.get_mut(rank) {
                        *place = Some(channel);
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    if ended() {
                        return Err(not_connected(channels.iter().flatten().count(), tasks));
                    }
                    thread::sleep(GLANCE);
                }
                Err(_) => return Err(not_connected(channels.iter().flatten().count(), tasks)),
            }
        }
        Ok(Connected(channels.into_iter().flatten().collect()))
    }

    /// The next task that connects, by its rank.
    fn accept(&self) -> io::Result<(usize, Channel)> {
        let (stream, _) = self.socket.accept()?;
        let mut channel = Channel::new(stream)?;
        let hello = channel.next_frame()?.filter(|frame| frame.kind == FrameKind::Hello);
        let rank = hello.and_then(|frame| frame.numbers.first().copied()).and_then(|rank| usize::try_from(rank).ok());
        rank.map(|rank| (rank, channel)).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }
}

fn not_connected(connected: usize, tasks: usize) -> Box<Diagnostic> {
    let message = format!("the program ended before its tasks began: {connected} of {tasks} were there");
    let help = "what it said stands above; check that it runs by itself, and that so many processes may be started";
    Box::new(Diagnostic::error(&codes::NOT_CONNECTED, message).help(help))
}
