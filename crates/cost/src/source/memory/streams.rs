//! Streams: accesses of a loop nest that walk through memory together, with their stride in each loop of the nest.

use crate::UnknownRows;
use crate::source::address::affine::{Affine, Atom, IterationForm};
use crate::source::address::place::{Address, Root};
use crate::source::dataflow::graph::Access;
use crate::source::loops::scope::Scope;
use crate::source::model::Source;
use crate::source::objects::names::PointerPath;
use crate::source::objects::sizes::Begin;
use crate::source::processor::traffic::LINE;
use crate::source::profile::counts::{ExecutionCounts, trips};
use chronos_ir::VarId;
use std::collections::BTreeMap;

/// A stride that is not known. What walks over memory like that is taken to stay among as many elements, or rows of
/// them, as it makes steps, as a permutation does (suite kernels gather and chase), where its object is not known to be
/// smaller.
pub(crate) const UNKNOWN_STRIDE: i64 = i64::MAX;

/// The stride of what a pointer points to that is loaded anew in each iteration, as rows of a matrix: each lies
/// somewhere else.
pub(crate) const ELSEWHERE: i64 = i64::MAX - 1;

/// One loop around the accesses: the innermost first.
pub struct Level {
    pub trip: f64,
    pub entries: f64,
}

/// Accesses that walk through memory together.
pub struct Stream {
    /// Bytes per iteration of each loop, the innermost first.
    pub strides: Vec<i64>,
    pub bytes: f64,
    /// Some of them store: their lines are written back as well.
    pub stored: bool,
    /// Some of them load.
    pub loaded: bool,
    pub root: Root,
    /// Bytes of the object, where they are known.
    pub object: f64,
    /// Where the object begins in its page, where that is known.
    pub begin: Option<Begin>,
    pub pointers: PointerPath,
    /// The part of the iterations that make the accesses: those in arms of a branch are made as often as the arm is taken.
    pub share: f64,
}

impl Stream {
    /// The part of the pieces of `unit` bytes on its way that any iteration touches, where each makes its access whatever the
    /// others do.
    pub fn touched(&self, unit: f64) -> f64 {
        let stride = self.strides.first().map_or(0, |stride| stride.unsigned_abs());
        // One place is touched by any of all iterations.
        if self.share >= 1.0 || stride == 0 {
            return 1.0;
        }
        1.0 - (1.0 - self.share).powf((unit / stride as f64).max(1.0))
    }

    /// Each step goes to another line than the next one: what is fetched ahead of walks along lines does not help.
    pub fn jumps(&self) -> bool {
        self.strides.first().is_some_and(|stride| stride.unsigned_abs() >= LINE as u64)
    }

    /// Both use the same sets of the first level in each iteration.
    pub fn in_sets_of(&self, other: &Stream) -> bool {
        self.begin.is_some() && self.begin == other.begin && self.strides == other.strides
    }
}

/// The loops around a scope that were entered, the innermost first, with their scopes.
pub fn nest(model: &Source, index: usize, counts: &ExecutionCounts) -> (Vec<Level>, Vec<usize>) {
    let around = std::iter::successors(Some(index), |&scope| model.scopes[scope].parent);
    let known = around.filter_map(|scope| {
        let (_, iterations, entries) = trips(model, scope, counts)?;
        Some((Level { trip: iterations / entries.max(1.0), entries: entries.max(1.0) }, scope))
    });
    let mut nest: Vec<(Level, usize)> = known.collect();
    let nearest = model.compiled.as_ref().and_then(|compiled| compiled.interchanged.get(&index));
    if let Some(inner) = nearest.and_then(|nearest| nest.iter().position(|(_, scope)| scope == nearest)) {
        interchange(&mut nest[..=inner]);
    }
    nest.into_iter().unzip()
}

/// Makes the last of these loops, the innermost first, the innermost one.
fn interchange(nest: &mut [(Level, usize)]) {
    let entries = nest.last().map_or(1.0, |(outermost, _)| outermost.entries);
    nest.rotate_right(1);
    nest.iter_mut().rev().fold(entries, |entries, (level, _)| {
        level.entries = entries;
        entries * level.trip.max(1.0)
    });
}

/// Neighbours at fixed distances count once.
pub fn streams(at: &ScopeAccesses<'_>, nest: &[usize]) -> Vec<Stream> {
    let mut known = BTreeMap::new();
    let mut streams: Vec<Stream> = Vec::new();
    for access in &at.scope.accesses {
        let (root, mut walk, field) = at.walk(&access.address, nest);
        walk.last_mut().into_iter().for_each(|strides| at.set_apart(&access.address, nest, strides));
        let strides = walk.last().cloned().unwrap_or_default();
        let pointers = PointerPath { number: walk.len() - 1, field };
        // Accesses at fixed distances use the same lines: group reuse (Wolf and Lam, PLDI 1991).
        let place = *known.entry((root.clone(), walk, field)).or_insert(streams.len());
        let (bytes, stored, share) = (access.address.bytes as f64, access.store, at.share(access));
        match streams.get_mut(place) {
            Some(stream) => {
                stream.stored |= stored;
                stream.loaded |= !stored;
                stream.share = stream.share.max(share);
            }
            None => {
                let object = at.object(&root, pointers.number);
                let begin = at.begin(&root, pointers.number);
                streams.push(Stream { strides, bytes, stored, loaded: !stored, root, object, begin, pointers, share });
            }
        }
    }
    streams
}

/// A scope whose accesses are looked at, as often as it was executed.
pub(crate) struct ScopeAccesses<'a> {
    pub model: &'a Source,
    pub counts: &'a ExecutionCounts,
    pub scope: &'a Scope,
    /// Iterations of the scope, where it is a loop.
    pub iterations: f64,
    /// Rows that are not taken to lie one beside the other.
    pub apart: Option<UnknownRows>,
}

impl<'a> ScopeAccesses<'a> {
    pub fn new(model: &'a Source, index: usize, counts: &'a ExecutionCounts) -> Self {
        let iterations = trips(model, index, counts).map_or(0.0, |(_, iterations, _)| iterations);
        Self { model, counts, scope: &model.scopes[index], iterations, apart: None }
    }

    /// The part of the iterations that make an access.
    fn share(&self, access: &Access) -> f64 {
        let counter = access.block.and_then(|block| self.scope.blocks.iter().find(|own| own.0 == block));
        match counter {
            Some((_, counter, _)) if self.iterations > 0.0 => (self.counts.of(*counter) / self.iterations).min(1.0),
            _ => 1.0,
        }
    }

    /// An access alone.
    pub fn stream(&self, access: &Access, nest: &[usize]) -> Stream {
        let strides = nest.iter().map(|&scope| self.stride(&access.address, scope)).collect();
        let root = access.address.root.clone();
        let (object, begin) = (self.object(&root, 0), self.begin(&root, 0));
        let (bytes, pointers) = (access.address.bytes as f64, PointerPath::default());
        let (stored, share) = (access.store, self.share(access));
        Stream { strides, bytes, stored, loaded: !stored, root, object, begin, pointers, share }
    }

    /// Bytes of what lies behind a root and so many pointers.
    fn object(&self, root: &Root, pointers: usize) -> f64 {
        if pointers == 0 { self.model.sizes.of(root) } else { f64::INFINITY }
    }

    fn begin(&self, root: &Root, pointers: usize) -> Option<Begin> {
        if pointers == 0 { self.model.sizes.begin(root) } else { None }
    }

    /// The object that an address is found from, and its strides; before them those of the pointers on the way. And the
    /// field that holds the first pointer, see [`PointerPath`].
    fn walk(&self, address: &Address, nest: &[usize]) -> (Root, Vec<Vec<i64>>, Option<i64>) {
        let strides = nest.iter().map(|&scope| self.stride(address, scope)).collect();
        let pointer = if let Root::Value(node) = address.root { self.scope.pointers.get(&node) } else { None };
        let Some(pointer) = pointer else { return (address.root.clone(), vec![strides], None) };
        let (root, mut walk, mut field) = self.walk(pointer, nest);
        if let [strides] = &walk[..] {
            field = pointer.offset.as_constant().filter(|_| strides.iter().all(|&stride| stride == 0));
        }
        walk.push(strides);
        (root, walk, field)
    }

    /// Bytes by which an address of the scope advances with each iteration of the loop `around`.
    fn stride(&self, address: &Address, around: usize) -> i64 {
        self.known_stride(address, around).unwrap_or(UNKNOWN_STRIDE)
    }

    /// The length of rows that a loop goes along, where nobody knows it.
    fn unknown_row_length<'b>(&self, address: &'b Address, around: usize) -> Option<&'b Affine> {
        let steps = &self.model.scopes[around].steps;
        let change = |variable: VarId| Some(steps.get(&variable).copied().unwrap_or(0));
        address.offset.unknown_row_length(&change, &|variable| self.counts.value(self.model, variable))
    }

    pub fn unknown_rows(&self, address: &Address, nest: &[usize]) -> Option<UnknownRows> {
        let length = nest.iter().find_map(|&scope| self.unknown_row_length(address, scope))?;
        let (root, walk, _) = self.walk(address, nest);
        let array = match root {
            Root::Object(variable) | Root::Pointer(variable) => Some(variable),
            Root::Value(_) => None,
        };
        Some(UnknownRows { array, behind: walk.len() > 1, length: length.as_variable() })
    }

    /// Strides of an address, where its rows lie apart.
    fn set_apart(&self, address: &Address, nest: &[usize], strides: &mut [i64]) {
        if self.apart.is_some() && self.apart == self.unknown_rows(address, nest) {
            let open = |scope: usize| self.unknown_row_length(address, scope).is_some();
            strides.iter_mut().zip(nest).filter(|(_, scope)| open(**scope)).for_each(|(stride, _)| *stride = ELSEWHERE);
        }
    }

    /// What an iteration of the loop `around` adds to a variable. Loops inside may do that and never set it back: a
    /// position that goes through a whole nest.
    fn change(&self, variable: VarId, around: usize) -> Option<i64> {
        let outer = &self.model.scopes[around];
        if let Some(&step) = outer.steps.get(&variable) {
            return Some(step);
        }
        let &header = outer.left_by.get(&variable)?;
        let inner = self.model.scopes.iter().position(|scope| scope.header == Some(header))?;
        let entry = Affine::symbol(Atom::Entry(variable));
        let begin = outer.starts.get(&header).and_then(|starts| starts.get(&variable)).cloned();
        let untouched = !outer.set_before.get(&header)?.contains(&variable);
        let carried = begin.or(untouched.then(|| entry.clone()))?.sub(&entry)?.as_constant()?;
        let (_, iterations, entries) = trips(self.model, inner, self.counts)?;
        let advanced = self.change(variable, inner)? as f64 * iterations / entries.max(1.0);
        carried.checked_add(advanced.round() as i64)
    }

    fn known_stride(&self, address: &Address, around: usize) -> Option<i64> {
        let change = |variable: VarId| self.change(variable, around).or(Some(0));
        let value = |variable: VarId| self.counts.value(self.model, variable);
        // A row behind a loaded pointer lies anywhere.
        let base = match &address.root {
            Root::Object(_) => 0,
            Root::Pointer(variable) => change(*variable)?,
            Root::Value(node) => match self.known_stride(self.scope.pointers.get(node)?, around)? {
                0 => 0,
                _ => return Some(ELSEWHERE),
            },
        };
        address.offset.stride_at(&change, &value)?.checked_add(base)
    }
}
