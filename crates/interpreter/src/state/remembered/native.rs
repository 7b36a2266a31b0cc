//! Which loops are executed so often that they are compiled for this processor, and their code.

use chronos_base::hash::FxHashMap;
use chronos_base::ids::Id;
use chronos_ir::{BlockId, FuncId};
use chronos_native::code::{Home, Op};
use chronos_native::{Compiled, Generator, Scratch};
use chronos_values::Value;
use std::sync::Arc;

/// Operations of a loop that are interpreted before it is compiled, which takes about as long as interpreting so many.
pub(crate) const HOT: u32 = 50_000;
/// The heat of a loop that is compiled and writes memory: what is noted of memory is noted by the interpreter alone.
pub(crate) const WRITES: u32 = u32::MAX - 1;
/// The heat of a loop that is not compiled.
pub(crate) const NEVER: u32 = u32::MAX;
/// Runs of the code of a loop after which it has to have proved worth it.
const TRIAL: u64 = 64;
/// Operations that a run has to do at least, in the mean: entering and leaving take as long as interpreting ten or twenty.
const WORTH: u64 = 100;
/// How often a loop is compiled again for values of other kinds.
const MOST_VERSIONS: u32 = 4;

/// Where the interpreter goes on when the code is left in front of an operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin {
    /// The call that it belongs to; 0 is the frame of the loop.
    pub frame: u32,
    /// Its instruction in the function.
    pub pc: u32,
    /// The loop of the body that it lies in.
    pub inner: u32,
}

/// A call whose code was put in its place.
#[derive(Clone, Debug)]
pub(crate) struct InnerCall {
    pub function: FuncId,
    /// The call that it is made in.
    pub parent: u32,
    /// The instruction of the call, and its number among the calls of the function.
    pub pc: u32,
    pub call: u32,
    /// Its first register among those of all such calls.
    pub first: u32,
}

/// A loop of the body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InnerLoop {
    /// The call that it belongs to.
    pub frame: u32,
    /// Its number in the function.
    pub index: u32,
    pub block: BlockId,
}

/// What operations of the code stand for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Map {
    pub origins: Vec<Origin>,
    /// The first is the frame of the loop itself.
    pub frames: Vec<InnerCall>,
    pub loops: Vec<InnerLoop>,
    /// Function and instruction of what may overflow.
    pub noted: Vec<(FuncId, u32)>,
    /// Blocks of branches whose outcome is noted.
    pub outcomes: Vec<BlockId>,
}

impl Map {
    /// A call with all around it, outermost first.
    pub(crate) fn frames_around(&self, frame: u32) -> Vec<u32> {
        let parent = |&frame: &u32| (frame != 0).then(|| self.frames[frame as usize].parent);
        let mut frames: Vec<u32> = std::iter::successors(Some(frame), parent).collect();
        frames.reverse();
        frames
    }
}

/// A loop that was compiled.
#[derive(Clone, Debug)]
pub(crate) struct Prepared {
    pub code: Compiled,
    pub map: Map,
}

impl Prepared {
    /// Whether it writes more than registers.
    pub(crate) fn writes_memory(&self) -> bool {
        self.code.body.ops.iter().any(|op| matches!(op, Op::Store { .. }))
    }

    /// Registers of the frame and of the task that it may write, generators of random numbers left out.
    pub(crate) fn homes(&self) -> impl Iterator<Item = Home> {
        self.code.body.slots.iter().map(|slot| slot.home).filter(|home| !matches!(home, Home::Inner(_)))
    }

    /// Whether it draws random numbers.
    pub(crate) fn draws(&self) -> bool {
        self.code.body.ops.iter().any(|op| matches!(op, Op::Draw { .. }))
    }

    /// A loop of the body with all around it, outermost first.
    pub(crate) fn loops_around(&self, inner: u32) -> Vec<u32> {
        let parent = |&inner: &u32| self.code.body.loops[inner as usize].parent;
        let mut loops: Vec<u32> = std::iter::successors(Some(inner), parent).collect();
        loops.reverse();
        loops
    }
}

#[derive(Clone, Debug, Default)]
struct Tried {
    prepared: Option<Arc<Prepared>>,
    versions: u32,
    runs: u64,
    operations: u64,
}

/// All that is known of loops as code of this processor.
#[derive(Debug, Default)]
pub(crate) struct Native {
    generator: Option<Generator>,
    /// By function and number of the loop: operations so far.
    heat: Vec<Vec<u32>>,
    tried: FxHashMap<(FuncId, u32), Tried>,
    pub scratch: Scratch,
    /// What is read where nothing was written.
    pub fills: Vec<Box<[Value]>>,
    /// Everything is interpreted.
    pub off: bool,
    /// Loops are compiled from the first iteration on: for tests.
    pub at_once: bool,
}

impl Native {
    /// How often the loops of a function were interpreted.
    pub(crate) fn heat(&mut self, function: FuncId, loops: usize) -> &mut [u32] {
        if self.heat.len() <= function.index() {
            self.heat.resize(function.index() + 1, Vec::new());
        }
        let begin = if self.at_once { HOT } else { 0 };
        let (off, heat) = (self.off, &mut self.heat[function.index()]);
        if heat.len() < loops {
            heat.resize(loops, if off { NEVER } else { begin });
        }
        heat
    }

    /// The loop is interpreted from now on.
    fn give_up(&mut self, key: (FuncId, u32)) {
        self.set_heat(key, NEVER);
        self.tried.remove(&key);
    }

    fn set_heat(&mut self, key: (FuncId, u32), to: u32) {
        if let Some(heat) = self.heat.get_mut(key.0.index()).and_then(|heat| heat.get_mut(key.1 as usize)) {
            *heat = to;
        }
    }

    /// The code of a loop, where there is some that fits what its registers hold.
    pub(crate) fn prepared(
        &mut self,
        key: (FuncId, u32),
        registers: &[Value],
        globals: &[Value],
        translate: impl FnOnce() -> Option<(chronos_native::code::Body, Map)>,
    ) -> Option<Arc<Prepared>> {
        let tried = self.tried.entry(key).or_default();
        if let Some(prepared) = tried.prepared.as_ref().filter(|prepared| prepared.code.fits(registers, globals)) {
            return Some(Arc::clone(prepared));
        }
        tried.versions += 1;
        let versions = tried.versions;
        let made = if versions > MOST_VERSIONS { None } else { self.make(registers, globals, translate) };
        match &made {
            Some(prepared) => {
                if prepared.writes_memory() {
                    self.set_heat(key, WRITES);
                }
                let tried = self.tried.entry(key).or_default();
                *tried = Tried { prepared: Some(Arc::clone(prepared)), versions, ..Tried::default() };
            }
            None => self.give_up(key),
        }
        made
    }

    fn make(
        &mut self,
        registers: &[Value],
        globals: &[Value],
        translate: impl FnOnce() -> Option<(chronos_native::code::Body, Map)>,
    ) -> Option<Arc<Prepared>> {
        let (body, map) = translate()?;
        if self.generator.is_none() {
            self.generator = Generator::new();
            self.off |= self.generator.is_none();
        }
        let code = self.generator.as_mut()?.compile(Arc::new(body), registers, globals).ok()?;
        Some(Arc::new(Prepared { code, map }))
    }

    /// The code of a loop did so many operations. Where it is left at once again and again, it is not worth it.
    pub(crate) fn ran(&mut self, key: (FuncId, u32), operations: u64) {
        let Some(tried) = self.tried.get_mut(&key) else { return };
        tried.runs += 1;
        tried.operations += operations;
        if tried.runs >= TRIAL && tried.operations < WORTH * tried.runs && !self.at_once {
            self.give_up(key);
        }
    }
}
