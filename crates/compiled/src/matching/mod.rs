//! Machine loops and the source loops that they come from.
//!
//! A machine loop belongs to the source loop that its jump back to the header comes from: compilers give the jump the
//! place of the loop's condition, through inlining, rotation and unrolling. Where that contradicts the nesting (an inner
//! machine loop must lie in a source loop further inside), the source loop around is taken.
//!
//! How many iterations of the source one iteration of the machine loop stands for is told by the memory that both walk
//! over: bytes per machine iteration divided by bytes per source iteration, by the majority of the accesses that one
//! line makes in both.

mod interchange;
mod positions;
mod roles;

pub use positions::places;
pub use positions::{Places, SourceBlock, SourceFunctions, SourceLoop, SourceRange, SourceStride};
pub use roles::Role;
pub(crate) use roles::is_reached_without;

use interchange::{Interchanged, interchanged};

use crate::affine::Term;
use crate::code::FunctionCode;
use crate::induction::Unknown;
use crate::instruction::{Instruction, Register, Trait};
use crate::loops::LoopId;
use std::collections::{BTreeMap, BTreeSet};

/// What a machine loop is of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchedLoop {
    /// The source loop, by its position in [`SourceFunctions::loops`].
    pub source: usize,
    /// What it is beside the other machine loops of the same source loop.
    pub role: Role,
    /// Iterations of the source loop in one of the machine loop: copies of the body times vector lanes.
    pub elements: u64,
    /// The inlined calls that lead to it ([`Places::inlined_by`]): copies of the loop with another number are entered by
    /// other calls.
    pub inlined_by: usize,
    /// The source loop whose iterations follow each other in it: another one than `source` where the compiler interchanged them.
    pub nearest: usize,
}

/// A machine loop of which it is not known what it is of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnmatchedLoop {
    /// The source loop that it comes from, where its lines tell.
    pub source: Option<usize>,
    /// Why nothing more is known.
    pub reason: Unknown,
    /// Source loops inside of `source` whose steps through memory it makes, where that is why: a program that runs each of these once
    /// at most has nothing that was interchanged ([`match_loops_of_run`]).
    pub walks_as: BTreeSet<usize>,
}

/// The loops of one machine function with what they are of the source, or why that is not known.
pub type LoopMatches = BTreeMap<LoopId, Result<MatchedLoop, UnmatchedLoop>>;

const INTERCHANGED: &str =
    "it advances through memory as a loop inside its source loop does: the compiler interchanged them";

/// Matches all loops of a machine function.
pub fn match_loops(code: &FunctionCode, source: &SourceFunctions, places: &Places) -> LoopMatches {
    match_loops_of_run(code, source, places, &BTreeSet::new())
}

/// The same for a program that runs the source loops `once` one time at most each time it comes to them: in the order of such a loop
/// and those around it nothing can be exchanged.
pub fn match_loops_of_run(
    code: &FunctionCode,
    source: &SourceFunctions,
    places: &Places,
    once: &BTreeSet<usize>,
) -> LoopMatches {
    let interchanged = swapped(code, source, places);
    let homes = homes(code, source, places, &interchanged);
    let mut matches = LoopMatches::new();
    for id in code.forest.loops.ids() {
        let found = match homes.get(&id) {
            None => {
                let reason = Unknown("no instruction of it has a line within a loop of the source".to_owned());
                Err(UnmatchedLoop { source: None, reason, walks_as: BTreeSet::new() })
            }
            Some(&home) => {
                let walks_as = walks_as(code, source, places, (id, home), once);
                let found = match interchanged.get(&id) {
                    Some(known) => Ok((known.elements, known.outer)),
                    None if !walks_as.is_empty() => Err(Unknown(INTERCHANGED.to_owned())),
                    None => elements(code, source, places, id, home).map(|elements| (elements, home)),
                };
                let unmatched = |reason| UnmatchedLoop { source: Some(home), reason, walks_as };
                found.map(|found| (home, found)).map_err(unmatched)
            }
        };
        let matched = |(source, (elements, nearest))| {
            let inlined_by = inlined_by(code, places, id, source);
            MatchedLoop { source, role: Role::Main, elements, inlined_by, nearest }
        };
        matches.insert(id, found.map(matched));
    }
    jammed(code, source, &mut matches);
    roles::assign(code, &mut matches);
    matches
}

/// Loops around an innermost one whose iterations run together in it (unroll and jam; S. Carr, K. Kennedy, 1994): it makes
/// several times as many additions as the source for the memory that it walks over.
fn jammed(code: &FunctionCode, source: &SourceFunctions, matches: &mut LoopMatches) {
    for (id, natural) in code.forest.loops.iter().filter(|(_, natural)| natural.children.is_empty()) {
        let Some(Ok(inner)) = matches.get(&id) else { continue };
        let expected = u64::from(source.loops[inner.source].additions) * inner.elements;
        let around = natural.parent.and_then(|parent| Some((parent, source.loops[inner.source].parent?)));
        let (Some((parent, home)), true) = (around, expected > 0) else { continue };
        let made: u64 = code.own_instructions(Some(id)).map(|at| additions(&code.function.instructions[at])).sum();
        let copies = made / expected;
        if let Some(Ok(outer)) = matches.get_mut(&parent)
            && copies > 1
            && made.is_multiple_of(expected)
            && outer.source == home
            && outer.elements == 1
        {
            outer.elements = copies;
        }
    }
}

/// Sums and differences of floating-point numbers that an instruction makes.
fn additions(instruction: &Instruction) -> u64 {
    if instruction.has(Trait::Adds) && instruction.lanes.float { u64::from(instruction.lanes.count.max(1)) } else { 0 }
}

/// The machine loops of interchanged nests.
fn swapped(code: &FunctionCode, source: &SourceFunctions, places: &Places) -> BTreeMap<LoopId, Interchanged> {
    let of = |id: LoopId| {
        let home = latch(code, id).and_then(|at| places.of(at).last().copied())?;
        Some((id, interchanged(code, source, places, (id, home))?))
    };
    code.forest.loops.ids().filter_map(of).collect()
}

/// The source loop of each machine loop, inner loops first so that outer ones can be corrected by them.
fn homes(
    code: &FunctionCode,
    source: &SourceFunctions,
    places: &positions::Places,
    interchanged: &BTreeMap<LoopId, Interchanged>,
) -> BTreeMap<LoopId, usize> {
    let mut homes: BTreeMap<LoopId, usize> = BTreeMap::new();
    for id in code.forest.loops.ids().collect::<Vec<_>>().into_iter().rev() {
        if let Some(known) = interchanged.get(&id) {
            homes.insert(id, known.inner);
            continue;
        }
        let jump = latch(code, id).and_then(|at| places.of(at).last().copied());
        // Else the source loop that most instructions come from which are in no inner loop.
        let own = || code.own_instructions(Some(id)).filter_map(|at| places.of(at).last().copied());
        let home = jump
            .or_else(|| most_frequent(own()))
            .map(|home| written_out_inside(code, source, places, (id, home)).unwrap_or(home));
        let copies = home.map(|own| copies_without_inner(code, source, places, (id, own), &homes)).unwrap_or_default();
        homes.retain(|own, _| !copies.contains(own));
        let children: Vec<usize> =
            code.forest.loops[id].children.iter().filter_map(|child| homes.get(child).copied()).collect();
        // A loop around others cannot be of the same source loop as they are: the one around it then.
        let inside = |home: usize| children.iter().all(|&child| source.is_around(home, child, places));
        let corrected = match home {
            Some(home) if inside(home) => Some(home),
            _ => children.iter().find_map(|&child| places.around(source, child)).filter(|&home| inside(home)),
        };
        if let Some(home) = corrected {
            homes.insert(id, home);
        }
    }
    homes
}

/// The source loop around `home`, where a machine loop runs that one's iterations, with those of `home` written out: it stores what
/// the loop around stores once in its iteration, or advances through memory as that does, and lies in too few machine loops
/// to be one of the inner loop. Its jump back may have the line of the inner condition (complete unrolling of loops with a
/// known greatest number of iterations; gcc 12 at -O3).
fn written_out_inside(
    code: &FunctionCode,
    source: &SourceFunctions,
    places: &Places,
    (id, home): (LoopId, usize),
) -> Option<usize> {
    let around = places.around(source, home)?;
    let shallow = machine_depth(code, id) < source_depth(source, places, home);
    if !shallow || !code.forest.loops[id].children.is_empty() {
        return None;
    }
    let vote = |of: usize| voted(code, source, id, of, false);
    let advances = || {
        let (own, outer) = (vote(home)?, vote(around)?);
        Some(own.elements > 1 && outer.elements == 1 && outer.accesses >= own.accesses)
    };
    (stores_of(code, places, id, around) || advances() == Some(true)).then_some(around)
}

/// Whether a machine loop has stores that advance of statements directly in a source loop.
fn stores_of(code: &FunctionCode, places: &Places, id: LoopId, source: usize) -> bool {
    let instruction = |at: usize| &code.function.instructions[at];
    let mut stores = code.facts[id].accesses.iter().filter(|access| instruction(access.instruction).stores());
    stores.any(|store| {
        let moves = store.step.as_ref().is_ok_and(|step| *step != 0) && !store.is_frame();
        moves && places.of(store.instruction).last() == Some(&source)
    })
}

/// The machine loops directly inside a machine loop of the source loop `home` that are of `home` as well, and run its iterations
/// for the case that a loop inside never runs: a compiler that knows the way of that loop's condition for all iterations leads
/// it past the test (jump threading; gcc 12 at -O2). They belong to the loop around them as a version of what is inside
/// `home`, which has machine loops of its own there.
fn copies_without_inner(
    code: &FunctionCode,
    source: &SourceFunctions,
    places: &Places,
    (id, home): (LoopId, usize),
    homes: &BTreeMap<LoopId, usize>,
) -> Vec<LoopId> {
    let children = || code.forest.loops[id].children.iter().filter_map(|&child| Some((child, *homes.get(&child)?)));
    let inside: BTreeSet<usize> = children().map(|(_, own)| own).filter(|&own| own != home).collect();
    let runs_those = |copy: &LoopId| {
        let mut within = code.forest.loops[*copy].children.iter().map(|child| homes.get(child)).peekable();
        within.peek().is_some() && within.all(|own| own.is_some_and(|own| inside.contains(own)))
    };
    if inside.iter().any(|&own| !source.is_around(home, own, places)) {
        return Vec::new();
    }
    children().filter(|(_, own)| *own == home).map(|(copy, _)| copy).filter(runs_those).collect()
}

/// The jump back to the header; the last one where there are several.
fn latch(code: &FunctionCode, id: LoopId) -> Option<usize> {
    let latches = code.forest.loops[id].latches.iter();
    let jump = latches.map(|latch| code.graph.blocks[*latch].instructions.end).max()?.checked_sub(1)?;
    // A jump without condition leads to the one that decides: the header's.
    let header = code.graph.blocks[code.forest.loops[id].header].instructions.end.checked_sub(1)?;
    let decides = |at: usize| matches!(code.function.instructions[at].flow, crate::instruction::Flow::Branch(_));
    Some(if decides(jump) || !decides(header) { jump } else { header })
}

/// The inlined calls that the instructions of a loop come from: most of those that lie in the source loop `home`.
fn inlined_by(code: &FunctionCode, places: &Places, id: LoopId, home: usize) -> usize {
    let inside = code.own_instructions(Some(id)).filter(|&at| places.of(at).last() == Some(&home));
    most_frequent(inside.map(|at| places.inlined_by(at))).unwrap_or(0)
}

/// What comes most often; of several, the greatest.
fn most_frequent(votes: impl Iterator<Item = usize>) -> Option<usize> {
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    votes.for_each(|vote| *counts.entry(vote).or_default() += 1);
    counts.into_iter().max_by_key(|&(vote, count)| (count, vote)).map(|(vote, _)| vote)
}

/// Iterations of the source loop `home` in one of the machine loop.
fn elements(
    code: &FunctionCode,
    source: &SourceFunctions,
    places: &Places,
    id: LoopId,
    home: usize,
) -> Result<u64, Unknown> {
    // A load that a condition guards may have the line of what is done then: all lines of the loop are tried behind its own.
    let own = voted(code, source, id, home, true).or_else(|| voted(code, source, id, home, false));
    if let Some(own) = own {
        return Ok(own.elements);
    }
    if let Some(copies) = side_by_side(code, source, id, home) {
        return Ok(copies);
    }
    // Around other loops, vectors may only hold what those use in every lane.
    if code.forest.loops[id].children.is_empty() && code.facts[id].packed && !overlaps_itself(code, id) {
        let reason =
            "it works on vectors, and no access of it advances by a multiple of a stride that is known in the source";
        return Err(Unknown(reason.to_owned()));
    }
    // Compilers copy bodies in order to save the jump; without vectors each copy has an access or a counter of its own.
    Ok(counted(code, places, id).unwrap_or(1))
}

/// Iterations in one of a vector loop whose accesses advance by all that they hold, where the source does not tell how far its own
/// advance: those for which its elements lie side by side.
fn side_by_side(code: &FunctionCode, source: &SourceFunctions, id: LoopId, home: usize) -> Option<u64> {
    let facts = &code.facts[id];
    let element = facts.element.filter(|_| facts.packed && source.loops[home].strides.iter().all(|s| s.bytes == 0))?;
    let moving = facts.accesses.iter().filter(|access| !access.is_frame());
    let steps: BTreeSet<u64> = moving
        .filter_map(|access| access.step.as_ref().ok())
        .filter(|step| **step != 0)
        .map(|step| step.unsigned_abs())
        .collect();
    let (Some(&step), 1) = (steps.first(), steps.len()) else { return None };
    let whole = step.is_multiple_of(u64::from(facts.lanes?) * u64::from(element));
    whole.then_some(step / u64::from(element))
}

/// Whether an access shares bytes with the one that it makes in the next iteration. Vectors that hold several iterations advance by
/// all of what they hold; these hold neighbours that one iteration works on (superword-level parallelism; S. Larsen,
/// S. Amarasinghe, PLDI 2000).
fn overlaps_itself(code: &FunctionCode, id: LoopId) -> bool {
    let advances = |step: i64, width: u16| step != 0 && step.unsigned_abs() < u64::from(width);
    code.facts[id].accesses.iter().any(|access| access.step.as_ref().is_ok_and(|&step| advances(step, access.width)))
}

/// The source loops inside `home` whose strides explain more accesses of an innermost machine loop than those of `home` do
/// (loop interchange; J. R. Allen and K. Kennedy, PLDI 1984). A loop whose inner loop was written out advances by several strides
/// of that one as well, but at no greater depth.
fn walks_as(
    code: &FunctionCode,
    source: &SourceFunctions,
    places: &Places,
    (id, home): (LoopId, usize),
    once: &BTreeSet<usize>,
) -> BTreeSet<usize> {
    if !code.forest.loops[id].children.is_empty() {
        return BTreeSet::new();
    }
    let is_inside = |inner: usize| {
        std::iter::successors(source.loops[inner].parent, |&around| source.loops[around].parent).any(|it| it == home)
    };
    let deeper = is_deeper(code, source, places, id, home);
    // Where loops were moved, so were the lines of their instructions.
    let vote = |of: usize| voted(code, source, id, of, false);
    let own = vote(home).map_or(0, |vote| vote.accesses);
    let explains_more =
        |&inner: &usize| vote(inner).is_some_and(|vote| (deeper || vote.elements == 1) && vote.accesses > own);
    let others = (0..source.loops.len()).filter(|inner| !once.contains(inner) && is_inside(*inner));
    others.filter(explains_more).collect()
}

/// Whether more machine loops are around a machine loop than source loops around `home`.
fn is_deeper(code: &FunctionCode, source: &SourceFunctions, places: &Places, id: LoopId, home: usize) -> bool {
    machine_depth(code, id) > source_depth(source, places, home)
}

/// Machine loops around a machine loop.
fn machine_depth(code: &FunctionCode, id: LoopId) -> usize {
    std::iter::successors(code.forest.loops[id].parent, |&around| code.forest.loops[around].parent).count()
}

/// Source loops around a source loop, those of the functions that it is inlined into included.
fn source_depth(source: &SourceFunctions, places: &Places, home: usize) -> usize {
    std::iter::successors(places.around(source, home), |&inner| places.around(source, inner)).count()
}

/// What most accesses of a machine loop say of a source loop.
#[derive(Clone, Copy)]
struct Vote {
    /// Iterations of the source loop in one of the machine loop.
    elements: u64,
    /// Accesses that advance as far.
    accesses: usize,
}

/// The ratio of strides that most accesses have: those of one line, or those of the whole loop.
fn voted(code: &FunctionCode, source: &SourceFunctions, id: LoopId, home: usize, by_line: bool) -> Option<Vote> {
    let mut votes: BTreeMap<u64, usize> = BTreeMap::new();
    for access in code.facts[id].accesses.iter().filter(|access| !access.is_frame()) {
        let Ok(step) = &access.step else { continue };
        // Instructions of several places that a compiler merged have no line.
        let line = code.function.place(access.instruction).map(|place| place.line);
        let strides = source.loops[home].strides.iter();
        let strides = strides.filter(|stride| (!by_line || Some(stride.line) == line) && stride.bytes != 0);
        let ratios: BTreeSet<u64> = strides
            .filter(|stride| step.wrapping_rem(stride.bytes) == 0)
            .map(|stride| step.wrapping_div(stride.bytes).unsigned_abs())
            .filter(|ratio| *ratio > 0)
            .collect();
        ratios.into_iter().for_each(|ratio| *votes.entry(ratio).or_default() += 1);
    }
    // The least where votes are equal: a wider access of the same line has its own stride as well.
    let most = votes.iter().max_by_key(|&(ratio, votes)| (*votes, std::cmp::Reverse(*ratio)));
    most.map(|(&elements, &accesses)| Vote { elements, accesses })
}

/// Copies of the body, by the copies of the arithmetic instructions of one place: the fewest that any of them has. In an innermost
/// loop one instruction advances a counter for all copies; around others, counters tell that there is one copy.
fn counted(code: &FunctionCode, places: &Places, id: LoopId) -> Option<u64> {
    let steps = Some(&code.facts[id].inductions).filter(|_| code.forest.loops[id].children.is_empty());
    let advances = |register: &Register| {
        steps.is_some_and(|steps| steps.iter().any(|induction| induction.term == Term::Register(*register)))
    };
    let mut copies: BTreeMap<(usize, u32, u32, &str), u64> = BTreeMap::new();
    for at in code.own_instructions(Some(id)) {
        let instruction = &code.function.instructions[at];
        let place = code.function.place(at).filter(|place| place.column > 0);
        let counts = !instruction.writes.is_empty() && !instruction.writes.iter().any(advances);
        let Some(place) = place.filter(|_| counts) else { continue };
        // Another call of an inlined function is no copy.
        let call = places.inlined_by(at);
        *copies.entry((call, place.line, place.column, instruction.mnemonic.as_str())).or_default() += 1;
    }
    copies.into_values().min()
}
