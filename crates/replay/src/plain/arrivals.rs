//! Messages under way to ports, by windows as long as the shortest latency.
//!
//! What is sent while a window is dealt with comes in a later one, so what comes to a port within a window is complete when
//! it opens, and each port is dealt with by itself.

use super::messages::Message;
use chronos_base::units::Picoseconds;
use std::collections::BTreeMap;

/// Windows that have a place of their own.
const NEAR: u64 = 1 << 10;

/// All messages under way.
pub(super) struct Arrivals {
    length: u64,
    /// The window that was opened last.
    open: u64,
    /// By window, modulo their number.
    near: Vec<Vec<Message>>,
    count: usize,
    /// Room of windows that are over.
    spare: Vec<Vec<Message>>,
    far: BTreeMap<u64, Vec<Message>>,
    /// By task: the last message to it in the open window, `NONE` where there is none.
    last: Vec<u32>,
}

const NONE: u32 = u32::MAX;

/// The messages of a window, with those of one port as a chain.
#[derive(Default)]
pub(super) struct Window {
    pub messages: Vec<Message>,
    /// Of each message, the one before it to the same port.
    before: Vec<u32>,
    /// Ports, each by the first message to it.
    pub ports: Vec<u32>,
}

impl Arrivals {
    pub fn new(length: Picoseconds, tasks: usize) -> Self {
        let near = (0..NEAR).map(|_| Vec::new()).collect();
        Self {
            length: length.0.max(1),
            open: 0,
            near,
            count: 0,
            spare: Vec::new(),
            far: BTreeMap::new(),
            last: vec![NONE; tasks],
        }
    }

    /// Whether it comes in a window that is not open yet.
    #[inline]
    pub fn push(&mut self, message: Message) -> bool {
        let window = message.at.0 / self.length;
        match window.checked_sub(self.open) {
            Some(1..NEAR) => {
                self.count += 1;
                let messages = &mut self.near[(window % NEAR) as usize];
                if messages.capacity() == 0 {
                    *messages = self.spare.pop().unwrap_or_default();
                }
                messages.push(message);
            }
            Some(NEAR..) => self.far.entry(window).or_default().push(message),
            _ => return false,
        }
        true
    }

    /// Opens the next window that has messages; whether there is one.
    pub fn next(&mut self, window: &mut Window) -> bool {
        window.clear();
        self.spare.push(std::mem::take(&mut window.messages));
        let first_far = self.far.first_key_value().map(|(&window, _)| window);
        if self.count == 0 {
            let Some(far) = first_far else { return false };
            self.open = far;
        } else {
            let near = (self.open + 1..self.open + NEAR).find(|&next| !self.near[(next % NEAR) as usize].is_empty());
            self.open = near.unwrap_or(u64::MAX).min(first_far.unwrap_or(u64::MAX));
        }
        window.messages = std::mem::take(&mut self.near[(self.open % NEAR) as usize]);
        self.count -= window.messages.len();
        if let Some(mut more) = self.far.remove(&self.open) {
            window.messages.append(&mut more);
        }
        self.chain(window);
        true
    }

    fn chain(&mut self, window: &mut Window) {
        for (at, message) in (0..).zip(&window.messages) {
            let last = &mut self.last[message.to as usize];
            if *last == NONE {
                window.ports.push(message.to);
            }
            window.before.push(std::mem::replace(last, at));
        }
    }

    /// The messages of a window to a port, in the order in which they come.
    pub fn take(&mut self, window: &Window, port: u32, into: &mut Vec<u32>) {
        into.clear();
        let mut at = std::mem::replace(&mut self.last[port as usize], NONE);
        while at != NONE {
            into.push(at);
            at = window.before[at as usize];
        }
        if into.len() > 1 {
            into.sort_unstable_by_key(|&at| {
                let message = &window.messages[at as usize];
                (message.at, message.from, message.order)
            });
        }
    }
}

impl Window {
    fn clear(&mut self) {
        self.messages.clear();
        self.before.clear();
        self.ports.clear();
    }
}
