//! The object code of a program beside its block tree.

use super::known_times::KnownTimes;
use super::scopes::Outcomes;
use crate::source::address::affine::IterationForm as _;
use crate::source::address::place::Root;
use crate::source::dataflow::graph::{Access, access_stride};
use crate::source::loops::scope::Scope;
use crate::source::whole_program::kept_arguments::{kept_arguments, registers};
use chronos_base::hash::{FxHashMap, FxHashSet};
use chronos_base::span::Span;
use chronos_compiled::CompiledUnit;
use chronos_compiled::code::FunctionCode;
use chronos_compiled::core::Core;
use chronos_compiled::instruction::Flow;
use chronos_compiled::matching::{
    LoopMatches, Places, SourceBlock, SourceFunctions, SourceLoop, SourceRange, SourceStride, match_loops,
    match_loops_of_run, places,
};
use chronos_compiled::nest::SimulatedPaths;
use chronos_compiled::object_code::Frame;
use chronos_ir::{BinaryOp, BlockId, BlockKind, Branch, Callee, CounterId, FuncId, OpKind, Program};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What a compiler made of a program, and the core that it is to run on.
#[derive(Clone, Debug)]
pub struct ObjectCode {
    /// One unit for each object.
    pub units: Arc<Vec<CompiledUnit>>,
    /// The core that instructions are timed on.
    pub core: Arc<Core>,
    /// What was simulated of each function of each unit.
    simulated: Arc<Vec<Vec<SimulatedPaths>>>,
    /// What scopes took with counts that were priced before, of one program on one machine.
    timed: KnownTimes,
}

impl ObjectCode {
    /// Units on a core, of which nothing was simulated yet.
    #[must_use]
    pub fn new(units: Vec<CompiledUnit>, core: Core) -> Self {
        let of_unit = |unit: &CompiledUnit| unit.functions.iter().map(|_| SimulatedPaths::default()).collect();
        let simulated = units.iter().map(of_unit).collect();
        let timed = KnownTimes::default();
        Self { simulated: Arc::new(simulated), units: Arc::new(units), core: Arc::new(core), timed }
    }

    /// A function of the program in the unit that has it.
    fn function(
        &self,
        program: &Program,
        id: FuncId,
        source: &SourceFunctions,
        kept: &BTreeSet<usize>,
    ) -> Option<CompiledFunction> {
        let function = &program.functions[id];
        let file = &program.files.get(function.span.file).name;
        let of_unit = |(unit, simulated): (&CompiledUnit, &Vec<SimulatedPaths>)| {
            let at = unit.position(&function.name)?;
            let machine = &unit.functions[at];
            let here = machine.frames.iter().find_map(|frames| frames.first()?.place.as_ref());
            // Static functions of several files may have one name.
            let is_of_file = here.is_none_or(|place| same_name(&place.file, file));
            // Copies for certain arguments (gcc: .constprop, .isra) have other parameters.
            let own = || registers(program, id, kept, unit.set.arguments());
            let kept = if machine.name == function.name { own() } else { BTreeSet::new() };
            let recursive = |name: &str| {
                program.functions.iter().any(|(_, function)| *function.name == *name && function.effects.recursive)
            };
            let code = FunctionCode::new(unit, &machine.with_parts_joined(recursive)).with_kept_arguments(&kept);
            is_of_file.then(|| CompiledFunction::new(code, source, simulated[at].clone(), &function.name))
        };
        self.units.iter().zip(&*self.simulated).find_map(of_unit)
    }
}

impl CompiledFunction {
    fn new(code: FunctionCode, source: &SourceFunctions, simulated: SimulatedPaths, name: &str) -> Self {
        let places = places(&code, source);
        let matches = match_loops(&code, source, &places);
        let again = |frames: &Arc<[Frame]>| frames.iter().filter(|frame| *frame.function == *name).count() > 1;
        let inlines_itself = code.function.frames.iter().any(again);
        Self { code: Arc::new(code), places: Arc::new(places), matches, simulated, inlines_itself }
    }

    /// For a run in which loops that its code seems to be interchanged with iterate once at most each time they are entered.
    pub(super) fn of_run(&self, source: &SourceFunctions, trips: impl Fn(usize) -> Option<f64>) -> Option<Self> {
        let unmatched = self.matches.values().filter_map(|found| found.as_ref().err());
        let doubtful = unmatched.flat_map(|unmatched| unmatched.walks_as.iter().copied());
        let once: BTreeSet<usize> = doubtful.filter(|&inner| trips(inner).is_some_and(|trips| trips <= 1.0)).collect();
        let matches = || match_loops_of_run(&self.code, source, &self.places, &once);
        (!once.is_empty()).then(|| Self { matches: matches(), ..self.clone() })
    }
}

/// A function of the program with its object code.
#[derive(Clone, Debug)]
pub(crate) struct CompiledFunction {
    pub code: Arc<FunctionCode>,
    pub places: Arc<Places>,
    pub matches: LoopMatches,
    pub simulated: SimulatedPaths,
    /// Calls of it are inlined into itself: how many of them one execution stands for is not known.
    pub inlines_itself: bool,
}

/// The object code of a program, matched to the scopes of its analysis.
#[derive(Debug)]
pub struct CompiledCode {
    pub(crate) core: Arc<Core>,
    pub(crate) source: SourceFunctions,
    /// The scope of each source loop.
    pub(crate) scopes: Vec<usize>,
    /// The source loop of each scope that is one.
    pub(crate) loops: FxHashMap<usize, usize>,
    /// The counter of each source block.
    pub(crate) counters: Vec<CounterId>,
    pub(crate) functions: FxHashMap<FuncId, CompiledFunction>,
    /// The function of each scope.
    pub(crate) function_of: Vec<FuncId>,
    /// The counter that tells how often a function is called.
    pub(crate) calls: FxHashMap<FuncId, CounterId>,
    /// The name of each function.
    pub(crate) names: FxHashMap<FuncId, Arc<str>>,
    /// Functions that calls through pointers may reach.
    pub(crate) by_pointer: BTreeSet<FuncId>,
    /// Functions of which there is nothing but inlined copies, each with the functions that contain one: their loops are
    /// those of these functions' code, and what they do outside loops is timed with it.
    pub(crate) inlined: BTreeMap<FuncId, Vec<FuncId>>,
    /// For innermost loops that the compiler interchanged with another one: that one, which walks along memory in their place.
    pub(crate) interchanged: BTreeMap<usize, usize>,
    /// For each scope that was priced: how much of it its object code was, and why not all.
    pub(crate) outcomes: RefCell<BTreeMap<usize, Outcomes>>,
    /// What scopes took with counts that were priced before.
    pub(crate) timed: KnownTimes,
}

impl CompiledCode {
    /// Matches the functions of `code` to those of the program.
    pub(crate) fn new(program: &Program, scopes: &[Scope], code: &ObjectCode) -> Self {
        let function_of: Vec<FuncId> = scopes.iter().map(|scope| function_of(program, scope)).collect();
        let (source, of_loops, counters) = source(program, scopes, &function_of);
        let loops = of_loops.iter().enumerate().map(|(index, &scope)| (scope, index)).collect();
        let (kept, none) = (kept_arguments(program), BTreeSet::new());
        let of_function = |id| Some((id, code.function(program, id, &source, kept.get(&id).unwrap_or(&none))?));
        let found: FxHashMap<FuncId, CompiledFunction> =
            program.functions.iter().filter_map(|(id, _)| of_function(id)).collect();
        let matched = found.values().flat_map(|function| function.matches.values().flatten());
        let swapped = matched.filter(|matched| matched.nearest != matched.source);
        let interchanged = swapped.map(|matched| (of_loops[matched.source], of_loops[matched.nearest])).collect();
        Self {
            core: code.core.clone(),
            interchanged,
            inlined: hosts(program, &found, &inlined(program, &code.units)),
            calls: program.functions.iter().filter_map(|(id, f)| Some((id, calls(program, &f.body)?))).collect(),
            names: program.functions.iter().map(|(id, f)| (id, f.name.clone())).collect(),
            by_pointer: program.functions.iter().filter(|(_, f)| f.effects.address_taken).map(|(id, _)| id).collect(),
            scopes: of_loops,
            loops,
            counters,
            source,
            functions: found,
            function_of,
            outcomes: RefCell::default(),
            timed: code.timed.clone(),
        }
    }
}

impl CompiledCode {
    /// Whether a block calls a function of the program, or one through a pointer, from object code that is known: the
    /// instructions of the call are among those that are timed.
    pub(crate) fn has_call(&self, program: &Program, block: BlockId) -> bool {
        let BlockKind::Call(call) = &program.blocks[block].kind else { return false };
        let caller = program.blocks[block].function;
        matches!(call.callee, Callee::Function(_) | Callee::Indirect(_))
            && (self.functions.contains_key(&caller) || self.inlined.contains_key(&caller))
    }
}

fn same_name(compiled: &str, named: &str) -> bool {
    let name = |path: &str| std::path::Path::new(path).file_name().map(std::ffi::OsStr::to_owned);
    name(compiled) == name(named)
}

fn function_of(program: &Program, scope: &Scope) -> FuncId {
    let block = scope.header.or_else(|| scope.blocks.first().map(|block| block.0));
    block.map_or(FuncId(u32::MAX), |block| program.blocks[block].function)
}

/// Executions of the first block of a body.
fn calls(program: &Program, body: &[BlockId]) -> Option<CounterId> {
    let block = &program.blocks[*body.first()?];
    // Loops count iterations first, then entries.
    Some(block.counter(u32::from(matches!(block.kind, BlockKind::Loop(_)))))
}

/// Functions that no instruction calls, and of which another function contains a copy or which have no code of their own:
/// what is left of them stands in their callers.
fn inlined(program: &Program, units: &[CompiledUnit]) -> FxHashSet<FuncId> {
    let (mut copied, mut called) = (FxHashSet::default(), FxHashSet::default());
    for function in units.iter().flat_map(|unit| &unit.functions) {
        for frames in &function.frames {
            copied.extend(frames.iter().skip(1).map(|frame| &*frame.function));
        }
        let base = |name: &str| name.split('.').next().unwrap_or(name).to_owned();
        called.extend(function.instructions.iter().filter_map(|instruction| match &instruction.flow {
            Flow::Call(name) | Flow::TailCall(name) => name.as_deref().map(base),
            _ => None,
        }));
    }
    let absent = |name: &str| units.iter().all(|unit| unit.function(name).is_none());
    let only = program.functions.iter().filter(|(id, function)| {
        (copied.contains(&*function.name) || function.is_static && absent(&function.name))
            && !called.contains(&*function.name)
            && program.main != Some(*id)
    });
    only.map(|(id, _)| id).collect()
}

/// Functions whose object code contains copies of each inlined function. Of one whose instructions all became others'
/// (constants, addresses of the loop around), they are those that its callers' code stands in.
fn hosts(
    program: &Program,
    found: &FxHashMap<FuncId, CompiledFunction>,
    inlined: &FxHashSet<FuncId>,
) -> BTreeMap<FuncId, Vec<FuncId>> {
    let mut hosts: BTreeMap<FuncId, Vec<FuncId>> =
        inlined.iter().map(|&id| (id, copies(program, found, id))).filter(|(_, hosts)| !hosts.is_empty()).collect();
    let mut missing: BTreeSet<FuncId> = inlined.iter().copied().filter(|id| !hosts.contains_key(id)).collect();
    while !missing.is_empty() {
        let known: Vec<(FuncId, Vec<FuncId>)> = missing
            .iter()
            .map(|&id| (id, callers(program, id).iter().flat_map(|&caller| of_caller(found, &hosts, caller)).collect()))
            .filter(|(_, hosts): &(_, Vec<_>)| !hosts.is_empty())
            .collect();
        if known.is_empty() {
            break;
        }
        known.iter().for_each(|(id, _)| _ = missing.remove(id));
        hosts.extend(known);
    }
    hosts
}

fn of_caller(
    found: &FxHashMap<FuncId, CompiledFunction>,
    hosts: &BTreeMap<FuncId, Vec<FuncId>>,
    caller: FuncId,
) -> Vec<FuncId> {
    match hosts.get(&caller) {
        Some(hosts) => hosts.clone(),
        None => found.contains_key(&caller).then_some(caller).into_iter().collect(),
    }
}

fn copies(program: &Program, found: &FxHashMap<FuncId, CompiledFunction>, inlined: FuncId) -> Vec<FuncId> {
    let name = &program.functions[inlined].name;
    let copied = |frames: &Arc<[Frame]>| frames.iter().skip(1).any(|frame| frame.function == *name);
    let mut hosts: Vec<FuncId> = found
        .iter()
        .filter(|(id, host)| **id != inlined && host.code.function.frames.iter().any(copied))
        .map(|(id, _)| *id)
        .collect();
    hosts.sort_unstable();
    hosts
}

fn callers(program: &Program, callee: FuncId) -> BTreeSet<FuncId> {
    let calls = program.blocks.iter().filter(|(_, block)| calls_function(&block.kind) == Some(callee));
    calls.map(|(_, block)| block.function).collect()
}

fn calls_function(kind: &BlockKind) -> Option<FuncId> {
    match kind {
        BlockKind::Call(call) => match call.callee {
            Callee::Function(callee) => Some(callee),
            _ => None,
        },
        _ => None,
    }
}

/// Loops and blocks with their places; the scope of each loop, the counter of each block.
fn source(
    program: &Program,
    scopes: &[Scope],
    function_of: &[FuncId],
) -> (SourceFunctions, Vec<usize>, Vec<CounterId>) {
    let (mut source, mut of_loops, mut counters) = (SourceFunctions::default(), Vec::new(), Vec::new());
    let mut index: FxHashMap<BlockId, usize> = FxHashMap::default();
    for (number, scope) in scopes.iter().enumerate() {
        let Some(header) = scope.header else { continue };
        let parent = scope.parent.and_then(|parent| scopes[parent].header).and_then(|block| index.get(&block).copied());
        index.insert(header, source.loops.len());
        of_loops.push(number);
        let range = range(program, function_of[number], program.blocks[header].span);
        source.loops.push(SourceLoop {
            range,
            parent,
            strides: strides(scopes, number),
            additions: additions(program, scope),
        });
    }
    for (_, block) in program.blocks.iter() {
        let span = match &block.kind {
            BlockKind::Straight(_) => block.span,
            BlockKind::Branch(branch) => before_arms(program, block.span, branch),
            BlockKind::Call(_) | BlockKind::Loop(_) => continue,
        };
        counters.push(block.counter(0));
        let home = home(program, block.parent, block.counter(0), scopes, &index);
        source.blocks.push(SourceBlock { range: range(program, block.function, span), home });
    }
    (source, of_loops, counters)
}

/// The text of a branch in front of its arms: jumps that test its condition have the place of a parenthesis or of an operator
/// there, which is in no straight block.
fn before_arms(program: &Program, whole: Span, branch: &Branch) -> Span {
    let first = branch.arms.iter().filter_map(|arm| arm.region.first()).map(|&block| program.blocks[block].span);
    let begin = first.map(|span| (span.line_start, span.column_start)).min();
    match begin.filter(|begin| *begin > (whole.line_start, whole.column_start)) {
        Some((line, column)) => Span { line_end: line, column_end: column.saturating_sub(1), ..whole },
        None => whole,
    }
}

/// The innermost loop that a straight block is repeated by: the beginning of a `for` is not repeated by its own.
fn home(
    program: &Program,
    parent: Option<BlockId>,
    counter: CounterId,
    scopes: &[Scope],
    index: &FxHashMap<BlockId, usize>,
) -> Option<usize> {
    let own = scopes.iter().find(|scope| scope.blocks.iter().any(|block| block.1 == counter));
    if let Some(scope) = own {
        return scope.header.and_then(|header| index.get(&header).copied());
    }
    let mut around = std::iter::successors(parent, |&block| program.blocks[block].parent);
    around.find_map(|block| index.get(&block).copied())
}

fn range(program: &Program, function: FuncId, span: Span) -> SourceRange {
    let name = program.functions.get(function).map_or_else(|| "".into(), |function| function.name.clone());
    SourceRange {
        function: name,
        file: program.files.get(span.file).name.clone(),
        begin: (span.line_start, span.column_start),
        end: (span.line_end, span.column_end),
    }
}

/// Floating-point additions in an iteration of a loop without loops.
fn additions(program: &Program, scope: &Scope) -> u32 {
    let adds = |block: BlockId| match &program.blocks[block].kind {
        BlockKind::Straight(straight) => straight.ops.iter().filter(|op| is_addition(&op.kind)).count(),
        _ => 0,
    };
    let all: usize = scope.blocks.iter().map(|(block, ..)| adds(*block)).sum();
    if scope.innermost { u32::try_from(all).unwrap_or(u32::MAX) } else { 0 }
}

fn is_addition(kind: &OpKind) -> bool {
    matches!(kind, OpKind::Binary(BinaryOp::Add | BinaryOp::Sub, ty, ..) if ty.is_float())
}

/// Bytes that the accesses of a loop and of the loops inside it advance by in each of its iterations, where the source
/// alone tells.
fn strides(scopes: &[Scope], outer: usize) -> Vec<SourceStride> {
    let change = |variable| Some(scopes[outer].steps.get(&variable).copied().unwrap_or(0));
    let of = |access: &Access| match access.address.root {
        // A row that stays the same while the loop runs, where the offset alone advances.
        Root::Value(_) => access.address.offset.stride(&change),
        _ => access_stride(access, &change),
    };
    let is_inside = |inner: &usize| {
        std::iter::successors(Some(*inner), |&inner| scopes[inner].parent).any(|around| around == outer)
    };
    let accesses = (outer..scopes.len()).take_while(is_inside).flat_map(|inner| &scopes[inner].accesses);
    let lines = accesses.flat_map(|access| {
        let (bytes, width) = (of(access).filter(|bytes| *bytes != 0), access.address.bytes);
        // An access that takes several lines has its instructions in any of them.
        (access.span.line_start..=access.span.line_end)
            .filter_map(move |line| Some(SourceStride { line, bytes: bytes?, width }))
    });
    lines.collect()
}
