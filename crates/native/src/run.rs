//! Running what was compiled: what the code finds in memory, and what it asks its host for.

use crate::code::{Body, Home, Kind, OpIndex, Slot};
use chronos_ir::ScalarType;
use chronos_values::{Pointer, Value};
use std::sync::Arc;

/// Scalars of one type side by side in an object.
#[derive(Clone, Copy, Debug)]
pub struct Page {
    /// Offset of the first of them in bytes.
    pub begin: i64,
    /// The first of them.
    pub elements: *mut Value,
    /// How many there are.
    pub length: u64,
    /// Pages that were given before may have moved.
    pub moves: bool,
}

/// What the code asks for: memory, counters, and whether it may go into a loop.
///
/// # Safety
///
/// The elements of a page have to stay where they are until a page is given whose `moves` is set, or until the code is left. Those of a
/// page that was asked for to write in must be reached through no other pointer for as long. A table of counters has to have as many
/// as the code counts in it, and to stay where it is until the code is left.
pub unsafe trait Host {
    /// The page of an address; `None` where the interpreter has to see to the access.
    fn page(&mut self, pointer: Pointer, ty: ScalarType, writes: bool) -> Option<Page>;
    /// The counters of a call within the loop.
    fn counters(&mut self, site: u32) -> *mut u64;
    /// Whether a loop is entered without anything else to be done.
    fn enters(&mut self, inner: u32) -> bool;
    /// The next number of a source of numbers, an integer or a real one as [`crate::code::Op::Draw`] says; `None` where the
    /// interpreter has to see to it, and nothing is drawn. Of the registers of the task it may write those that the code does
    /// not name.
    fn draw(&mut self, source: u32, globals: &mut [Value]) -> Option<Value>;
}

/// The page that a place was in last.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cache {
    pub(crate) object: u32,
    pub(crate) begin: i64,
    pub(crate) length: u64,
    pub(crate) elements: *mut Value,
}

impl Cache {
    pub(crate) const EMPTY: Self = Self { object: u32::MAX, begin: 0, length: 0, elements: std::ptr::null_mut() };
}

/// What the code reads and writes beside the memory of the program.
#[repr(C)]
pub(crate) struct Frame<'h> {
    pub(crate) registers: *mut Value,
    pub(crate) inner: *mut Value,
    pub(crate) globals: *mut Value,
    pub(crate) number_of_globals: usize,
    /// The bits of the last number that was drawn.
    pub(crate) drawn: u64,
    pub(crate) counts: *mut u64,
    pub(crate) sites: *mut *mut u64,
    pub(crate) iterations: *mut u64,
    pub(crate) noted: *mut u8,
    pub(crate) outcomes: *mut u8,
    pub(crate) caches: *mut Cache,
    pub(crate) fuel: i64,
    pub(crate) branches: i64,
    pub(crate) nothing: [u64; 2],
    pub(crate) host: &'h mut dyn Host,
    pub(crate) body: &'h Body,
}

/// What code has to hand between two of its runs, so that nothing is allocated for a run.
#[derive(Debug, Default)]
pub struct Scratch {
    caches: Vec<Cache>,
    sites: Vec<*mut u64>,
    /// Registers of calls within the loop.
    pub inner: Vec<Value>,
    /// By loop: iterations since it was entered, or since the code began.
    pub iterations: Vec<u64>,
    /// Operations that overflowed.
    pub noted: Vec<u8>,
    /// By branch: number of the arm that was taken last, plus one, modulo 256; 0 where none was.
    pub outcomes: Vec<u8>,
}

// SAFETY: the pointers in it are those of the last run, and are written anew before the next one reads them.
unsafe impl Send for Scratch {}
// SAFETY: as above; a shared reference gives no way to them.
unsafe impl Sync for Scratch {}

impl Clone for Scratch {
    /// Nothing of it outlives a run.
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// Registers, counters and limits of a run.
#[derive(Debug)]
pub struct Room<'r> {
    /// Registers of the frame that the loop is in.
    pub registers: &'r mut [Value],
    /// Registers of the task.
    pub globals: &'r mut [Value],
    /// Counters of the frame's function.
    pub counts: &'r mut [u64],
    /// What a slot holds that nothing was written to.
    pub nothing: Value,
    /// Operations until the code is left.
    pub fuel: u64,
    /// Branches until the code is left.
    pub branches: u64,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Left {
    /// The interpreter goes on with this operation.
    pub at: OpIndex,
    /// What is left of the fuel.
    pub fuel: u64,
    /// And of the branches.
    pub branches: u64,
}

/// Code of a loop.
#[derive(Clone, Debug)]
pub struct Compiled {
    pub(crate) code: extern "C" fn(*mut Frame<'_>) -> u32,
    /// Slots that the code reads before it writes them, with the kinds that it takes them to be of.
    pub(crate) entry: Arc<[(Home, Kind)]>,
    /// Registers, globals and counters that it reaches.
    pub(crate) reach: Reach,
    /// What it was made of.
    pub body: Arc<Body>,
}

/// How far the code reaches into what it is given.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Reach {
    registers: usize,
    globals: usize,
    counts: usize,
}

impl Reach {
    pub(crate) fn of(body: &Body) -> Self {
        let mut reach = Self::default();
        for slot in &body.slots {
            match slot.home {
                Home::Register(number) => reach.registers = reach.registers.max(number as usize + 1),
                Home::Global(number) => reach.globals = reach.globals.max(number as usize + 1),
                Home::Inner(_) => {}
            }
        }
        reach.counts = counters(body).filter(|(site, _)| *site == 0).map(|(_, number)| number + 1).max().unwrap_or(0);
        reach
    }
}

/// All counters that a body counts in: table and number.
fn counters(body: &Body) -> impl Iterator<Item = (u32, usize)> + '_ {
    use crate::code::{Arm, Counter, Op};
    let arm = |arm: &Option<Arm>| arm.map(|arm| arm.counter);
    let of_op = move |op: &Op| -> Vec<Counter> {
        match op {
            Op::Count(counter) | Op::Call { counter, .. } | Op::Draw { counter, .. } | Op::Begin { counter, .. } => {
                vec![*counter]
            }
            Op::Choose { yes, no, branch, .. } => {
                [Some(branch.counter), arm(yes), arm(no)].into_iter().flatten().collect()
            }
            Op::Switch { cases, default, branch, .. } => {
                let cases = cases.iter().map(|(.., arm)| arm.counter);
                cases.chain([branch.counter]).chain(arm(default)).collect()
            }
            _ => Vec::new(),
        }
    };
    let loops = body.loops.iter().map(|l| Counter { number: l.counter.number + 1, ..l.counter });
    body.ops.iter().flat_map(of_op).chain(loops).map(|counter| (counter.site, counter.number as usize))
}

/// The kind of a value, where the code computes with such.
pub fn kind(value: Value) -> Option<Kind> {
    match value {
        Value::Int(_) => Some(Kind::Int),
        Value::Float(_) => Some(Kind::Real),
        Value::Pointer(_) => Some(Kind::Address),
        _ => None,
    }
}

/// What a slot holds.
pub fn held(body: &Body, slot: Slot, registers: &[Value], globals: &[Value]) -> Option<Value> {
    at_home(body.slots[slot.0 as usize].home, registers, globals)
}

fn at_home(home: Home, registers: &[Value], globals: &[Value]) -> Option<Value> {
    match home {
        Home::Register(number) => registers.get(number as usize).copied(),
        Home::Global(number) => globals.get(number as usize).copied(),
        Home::Inner(_) => None,
    }
}

impl Compiled {
    /// Whether all that the code reads at first is of the kinds that it was made for.
    pub fn fits(&self, registers: &[Value], globals: &[Value]) -> bool {
        self.entry.iter().all(|&(home, expected)| at_home(home, registers, globals).and_then(kind) == Some(expected))
    }

    /// Runs the code from its first operation on; `None` where it does not fit, and nothing is done.
    pub fn run(&self, room: Room<'_>, scratch: &mut Scratch, host: &mut dyn Host) -> Option<Left> {
        let Room { registers, globals, counts, nothing, fuel, branches } = room;
        let reach = &self.reach;
        if registers.len() < reach.registers || globals.len() < reach.globals || counts.len() < reach.counts {
            return None;
        }
        if !self.fits(registers, globals) {
            return None;
        }
        let body = &*self.body;
        scratch.prepare(body, nothing);
        let mut frame = Frame {
            registers: registers.as_mut_ptr(),
            inner: scratch.inner.as_mut_ptr(),
            globals: globals.as_mut_ptr(),
            number_of_globals: globals.len(),
            drawn: 0,
            counts: counts.as_mut_ptr(),
            sites: scratch.sites.as_mut_ptr(),
            iterations: scratch.iterations.as_mut_ptr(),
            noted: scratch.noted.as_mut_ptr(),
            outcomes: scratch.outcomes.as_mut_ptr(),
            caches: scratch.caches.as_mut_ptr(),
            fuel: i64::try_from(fuel).unwrap_or(i64::MAX),
            branches: i64::try_from(branches).unwrap_or(i64::MAX),
            nothing: words(nothing),
            host,
            body,
        };
        let at = (self.code)(&raw mut frame);
        Some(Left { at, fuel: frame.fuel.max(0) as u64, branches: frame.branches.max(0) as u64 })
    }
}

/// The two words of a value.
fn words(value: Value) -> [u64; 2] {
    let mut words = [0u64; 2];
    // SAFETY: a value takes as many bytes as the words. What of them it does not write stays zero or is copied as it is, and is
    // only ever stored as the bytes of a value again.
    unsafe { words.as_mut_ptr().cast::<Value>().write(value) };
    words
}

impl Scratch {
    fn prepare(&mut self, body: &Body, nothing: Value) {
        self.caches.clear();
        self.caches.resize(body.places.len() * 2, Cache::EMPTY);
        self.sites.clear();
        self.sites.resize(body.sites as usize, std::ptr::null_mut());
        self.inner.clear();
        self.inner.resize(body.inner as usize, nothing);
        self.iterations.clear();
        self.iterations.resize(body.loops.len(), 0);
        self.noted.clear();
        self.noted.resize(body.noted as usize, 0);
        self.outcomes.clear();
        self.outcomes.resize(body.outcomes as usize, 0);
    }
}
