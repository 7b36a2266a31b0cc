//! Frames between chronos and the processes of the tasks: what a frame is, how many numbers it has, the numbers. The bytes
//! are in the order of this machine, on which both sides run. `runtime/chronos_live.c` says what each kind holds.

use chronos_base::governor;
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// How long a read waits before it looks whether the command is to end.
const GLANCE: Duration = Duration::from_millis(200);
/// Numbers that one frame may have; more would be a fault.
const MOST_NUMBERS: u32 = 1 << 26;

/// What a task tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// What it is.
    pub kind: FrameKind,
    /// What it says.
    pub numbers: Vec<i64>,
}

/// Kinds of frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameKind {
    /// The task begins: rank, tasks, trace points.
    Hello,
    /// Points and how often each was executed since the last event.
    Segment,
    /// A call.
    Event,
    /// Members of a communicator.
    Group,
    /// The program ends: status, processor time since the last event.
    End,
    /// It starts so many tasks.
    Children,
}

impl FrameKind {
    fn of(number: u32) -> Option<Self> {
        [Self::Hello, Self::Segment, Self::Event, Self::Group, Self::End, Self::Children].get(number as usize).copied()
    }
}

/// The connection to the process of a task.
#[derive(Debug)]
pub struct Channel {
    stream: UnixStream,
    buffer: Vec<u8>,
    /// Bytes of the buffer that were used.
    used: usize,
}

impl Channel {
    /// A channel over a connection.
    ///
    /// # Errors
    /// The system refuses it.
    pub fn new(stream: UnixStream) -> io::Result<Self> {
        stream.set_nonblocking(false)?;
        stream.set_read_timeout(Some(GLANCE))?;
        Ok(Self { stream, buffer: Vec::new(), used: 0 })
    }

    /// The next frame; `None` where the process is gone or sends something else.
    ///
    /// # Errors
    /// A limit of the command is reached (`TimedOut`).
    pub fn next_frame(&mut self) -> io::Result<Option<Frame>> {
        if !self.fill(8)? {
            return Ok(None);
        }
        let (kind, count) = (self.word(0), self.word(4));
        let Some(kind) = FrameKind::of(kind).filter(|_| count <= MOST_NUMBERS) else { return Ok(None) };
        let bytes = 8 * count as usize;
        if !self.fill(8 + bytes)? {
            return Ok(None);
        }
        let data = &self.buffer[self.used + 8..self.used + 8 + bytes];
        let numbers = data.chunks_exact(8).filter_map(|bytes| bytes.try_into().ok().map(i64::from_ne_bytes)).collect();
        self.used += 8 + bytes;
        Ok(Some(Frame { kind, numbers }))
    }

    /// Sends an answer; whether the process is there to read it.
    pub fn send(&mut self, kind: u32, numbers: &[i64]) -> bool {
        let count = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
        let mut bytes = Vec::with_capacity(8 + 8 * numbers.len());
        bytes.extend(kind.to_ne_bytes());
        bytes.extend(count.to_ne_bytes());
        numbers.iter().for_each(|number| bytes.extend(number.to_ne_bytes()));
        self.stream.write_all(&bytes).is_ok()
    }

    fn word(&self, at: usize) -> u32 {
        let at = self.used + at;
        self.buffer[at..at + 4].try_into().map_or(0, u32::from_ne_bytes)
    }

    /// Reads until so many bytes are there; whether they are.
    fn fill(&mut self, bytes: usize) -> io::Result<bool> {
        const PIECE: usize = 1 << 16;
        while self.buffer.len() - self.used < bytes {
            self.buffer.drain(..self.used);
            self.used = 0;
            let have = self.buffer.len();
            self.buffer.resize(have + PIECE.max(bytes - have), 0);
            let read = self.stream.read(&mut self.buffer[have..]);
            self.buffer.truncate(have + read.as_ref().copied().unwrap_or(0));
            match read {
                Ok(0) => return Ok(false),
                Ok(_) => {}
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                    if governor::exceeded().is_some() {
                        return Err(ErrorKind::TimedOut.into());
                    }
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return Ok(false),
            }
        }
        Ok(true)
    }
}
