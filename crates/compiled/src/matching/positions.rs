//! Which source loop and block an instruction comes from, by lines, columns and inlined calls.

use crate::code::FunctionCode;
use crate::object_code::Frame;
use chronos_base::hash::FxHashMap;
use std::path::Path;
use std::sync::Arc;

/// A range of a function's text; lines and columns from 1, both ends included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceRange {
    /// The function's name.
    pub function: Arc<str>,
    /// The file as the front end names it.
    pub file: Arc<str>,
    /// Line and column of the first character.
    pub begin: (u32, u32),
    /// Line and column of the last character.
    pub end: (u32, u32),
}

impl SourceRange {
    fn contains(&self, line: u32, column: u32) -> bool {
        // Without a column, the line decides.
        let (begin, end) = match column {
            0 => ((self.begin.0, 0), (self.end.0, 0)),
            _ => (self.begin, self.end),
        };
        begin <= (line, column) && (line, column) <= end
    }

    fn is_of(&self, frame: &Frame) -> bool {
        let place = frame.place.as_ref();
        self.function == frame.function
            && place.is_some_and(|place| same_file(&place.file, &self.file) && self.contains(place.line, place.column))
    }
}

/// Debugging information puts the folder of the compilation in front of relative names.
fn same_file(compiled: &str, named: &str) -> bool {
    let named: std::path::PathBuf = Path::new(named)
        .components()
        .filter(|part| !matches!(part, std::path::Component::CurDir | std::path::Component::ParentDir))
        .collect();
    Path::new(compiled).ends_with(named)
}

/// By how many bytes an access of a line advances in each iteration of the source loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceStride {
    /// The line of the access.
    pub line: u32,
    /// Bytes from iteration to iteration.
    pub bytes: i64,
    /// Bytes that are read or written.
    pub width: u64,
}

/// A loop of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLoop {
    /// From its keyword to the end of its body.
    pub range: SourceRange,
    /// The loop of the same function around it, by its position.
    pub parent: Option<usize>,
    /// Strides of its accesses that are known.
    pub strides: Vec<SourceStride>,
    /// Additions and subtractions of floating-point numbers in an iteration, where it contains no loops; else 0. No
    /// compiler leaves any of them out, for their order matters.
    pub additions: u32,
}

/// Statements of the source that are executed together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceBlock {
    /// Their text.
    pub range: SourceRange,
    /// The innermost loop around them in their function.
    pub home: Option<usize>,
}

/// All loops and blocks that instructions may come from. Loops come before those inside them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceFunctions {
    /// Loops.
    pub loops: Vec<SourceLoop>,
    /// Blocks.
    pub blocks: Vec<SourceBlock>,
}

impl SourceFunctions {
    /// Whether control is in `outer` while it is in `inner`: by nesting in one function, or by inlined calls.
    pub(crate) fn is_around(&self, outer: usize, inner: usize, places: &Places) -> bool {
        outer != inner
            && (std::iter::successors(self.loops[inner].parent, |&parent| self.loops[parent].parent)
                .any(|parent| parent == outer)
                || places.chains.values().any(|chain| {
                    let position = |which| chain.iter().position(|&known| known == which);
                    position(outer).zip(position(inner)).is_some_and(|(outer, inner)| outer < inner)
                }))
    }

    fn innermost(&self, frame: &Frame) -> Option<usize> {
        (0..self.loops.len()).rev().find(|&index| self.loops[index].range.is_of(frame))
    }

    /// The smallest block that the frame lies in.
    fn block(&self, frame: &Frame) -> Option<usize> {
        let size = |range: &SourceRange| (range.end.0 - range.begin.0, range.end.1.wrapping_sub(range.begin.1));
        let containing = (0..self.blocks.len()).filter(|&index| self.blocks[index].range.is_of(frame));
        containing.min_by_key(|&index| size(&self.blocks[index].range))
    }
}

/// Where the instructions of a function come from. Equal chains of inlined calls are looked up once.
#[derive(Debug, Default)]
pub struct Places {
    of: Vec<usize>,
    chains: FxHashMap<usize, Vec<usize>>,
    blocks: FxHashMap<usize, Option<usize>>,
    /// Numbers of the inlined calls that lead to the innermost frame.
    calls: FxHashMap<usize, usize>,
}

impl Places {
    /// A number for the inlined calls that an instruction's function was entered by: of one function's instructions, those
    /// that are inlined by the same calls have the same.
    pub fn inlined_by(&self, instruction: usize) -> usize {
        self.of.get(instruction).and_then(|key| self.calls.get(key)).copied().unwrap_or(0)
    }

    /// The source loops around an instruction, the outermost first, through inlined calls.
    pub fn of(&self, instruction: usize) -> &[usize] {
        self.of.get(instruction).and_then(|key| self.chains.get(key)).map_or(&[], Vec::as_slice)
    }

    /// The source block of an instruction.
    pub fn block(&self, instruction: usize) -> Option<usize> {
        self.of.get(instruction).and_then(|key| *self.blocks.get(key)?)
    }

    /// The loop next around another one.
    pub(crate) fn around(&self, source: &SourceFunctions, inner: usize) -> Option<usize> {
        source.loops[inner].parent.or_else(|| {
            self.chains.values().find_map(|chain| {
                let position = chain.iter().position(|&known| known == inner)?;
                chain.get(position.checked_sub(1)?).copied()
            })
        })
    }
}

/// Looks up all instructions of a function.
pub fn places(code: &FunctionCode, source: &SourceFunctions) -> Places {
    let mut known: FxHashMap<&[Frame], usize> = FxHashMap::default();
    let mut calls: FxHashMap<&[Frame], usize> = FxHashMap::default();
    let mut places = Places::default();
    for frames in &code.function.frames {
        let next = known.len();
        let key = *known.entry(frames).or_insert(next);
        if key == next {
            let outer = frames.len().saturating_sub(1);
            let next = calls.len();
            places.calls.insert(key, *calls.entry(&frames[..outer]).or_insert(next));
            places.chains.insert(key, chain(source, frames));
            places.blocks.insert(key, frames.last().and_then(|frame| source.block(frame)));
        }
        places.of.push(key);
    }
    places
}

fn chain(source: &SourceFunctions, frames: &[Frame]) -> Vec<usize> {
    let mut chain = Vec::new();
    for frame in frames {
        let Some(innermost) = source.innermost(frame) else { continue };
        let mut around: Vec<usize> =
            std::iter::successors(Some(innermost), |&inner| source.loops[inner].parent).collect();
        around.reverse();
        chain.extend(around);
    }
    chain
}
