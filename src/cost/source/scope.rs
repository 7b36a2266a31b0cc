//! One loop, or the body of a function outside its loops: what an iteration asks of the processor.

use super::addressing;
use super::affine::{Atom, IterationForm};
use super::build::{self, Setting};
use super::chain::{self, Chain};
use super::closed;
use super::copies::{self, Body};
use super::graph::{Access, Address, Graph, Node, NodeId, Root};
use super::kept;
use super::lengths::{self, Length};
use super::opcode::Opcode;
use super::outer::{self, Outside};
use super::profile::{Accumulator, Vectorise};
use super::shares::{Share, Shares, Work};
use super::surprise::{self, Erratic};
use super::vectors::{Legality, Obstacle, Plan, Starts, vector};
use crate::program::{
    BlockId, BlockKind, Callee, CounterId, FuncId, InstructionClass, Loop, LoopForm, OpKind, Program, VarId,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Dependences farther apart than this number of iterations are taken to be hidden.
const FARTHEST: i64 = 16;

/// A loop or function body, analysed once.
#[derive(Clone, Debug)]
pub struct Scope {
    /// `None` for the body of a function.
    pub header: Option<BlockId>,
    /// The scope around it.
    pub parent: Option<usize>,
    pub innermost: bool,
    pub blocks: Vec<(BlockId, CounterId, Share)>,
    /// Calls of the library that an iteration makes itself.
    pub library: Vec<CounterId>,
    /// Once per entry.
    pub hoisted: Share,
    /// The slowest recurrence.
    pub chain: Chain,
    /// An entry does not wait for the one before.
    pub independent: bool,
    pub legality: Legality,
    pub lanes: u32,
    /// An iteration, as the compiler measures it.
    pub body: Body,
    /// Nothing is left of it but values in closed form.
    pub closed: bool,
    /// How many iterations there are, in terms of variables.
    pub length: Option<Length>,
    /// The number of iterations is a constant of the unit.
    pub known_trips: bool,
    /// Its length depends on what is loaded with variables of loops around it.
    pub loaded_bound: bool,
    /// Variables of loops around it that its begin or end depends on.
    pub bounds: BTreeSet<VarId>,
    pub idiom: Option<Idiom>,
    /// It selects by data where a compiler may as well branch.
    pub selects: bool,
    /// Branches that data decides.
    pub erratic: Vec<Erratic>,
    /// Variables that an iteration computes from data.
    pub given: BTreeSet<VarId>,
    /// Where data decides when the loop ends: cycles from the begin of an iteration until its condition is known.
    pub erratic_end: Option<f64>,
    pub steps: HashMap<VarId, i64>,
    /// Its stores sweep over an element that each iteration loads.
    pub sweeps_over: Option<VarId>,
    /// Where inductions of the loops inside begin.
    pub starts: HashMap<BlockId, Starts>,
    /// Variables written before the loops inside begin.
    pub set_before: HashMap<BlockId, BTreeSet<VarId>>,
    pub accesses: Vec<Access>,
    /// Where pointers are loaded from.
    pub pointers: BTreeMap<NodeId, Address>,
    /// It may become vectors together with the loop inside it.
    pub outside: Option<Outside>,
    /// How it runs where the loop around it does so.
    pub together: Option<Box<Together>>,
    /// The loop inside it that does so.
    pub inside: Option<usize>,
}

/// A loop that runs once for several iterations of the loop around it.
#[derive(Clone, Debug)]
pub struct Together {
    pub lanes: u32,
    /// Only where a check at run time finds arrays apart.
    pub checked: bool,
    /// Of all lanes.
    pub scope: Scope,
    /// The same where the loop was unrolled completely before.
    pub unrolled: Scope,
}

impl Together {
    pub fn of(&self, unrolled: bool) -> &Scope {
        if unrolled { &self.unrolled } else { &self.scope }
    }
}

/// All scopes of a function, each before those inside it.
pub fn of_function(setting: Setting<'_>, function: FuncId, scopes: &mut Vec<Scope>) {
    let body = &setting.program.functions[function].body;
    let Some(&first) = body.first() else { return };
    let index = scopes.len();
    let mut graph = build::build(setting, function, &[body], None, first);
    graph.whole = true;
    scopes.push(scope(setting, None, None, &[body], &graph, &Around::default()));
    inner(setting, function, body, index, scopes);
}

fn inner(setting: Setting<'_>, function: FuncId, region: &[BlockId], parent: usize, scopes: &mut Vec<Scope>) {
    for &block in region {
        match &setting.program.blocks[block].kind {
            BlockKind::Loop(head) => {
                let index = scopes.len();
                let starts = scopes[parent].starts.get(&block).cloned().unwrap_or_default();
                let set_before = scopes[parent].set_before.get(&block).cloned().unwrap_or_default();
                let Scope { steps, outside, .. } = &scopes[parent];
                let around = Around { starts, set_before, steps: steps.clone(), outside: outside.clone() };
                scopes.push(of_loop(setting, function, (block, head), parent, &around));
                if scopes[index].together.is_some() {
                    scopes[parent].inside = Some(index);
                }
                for region in regions(head) {
                    inner(setting, function, region, index, scopes);
                }
            }
            BlockKind::Branch(branch) => {
                branch.arms.iter().for_each(|arm| inner(setting, function, &arm.region, parent, scopes));
            }
            BlockKind::Straight(_) | BlockKind::Call(_) => {}
        }
    }
}

/// What runs once per iteration, in the order of execution.
fn regions(head: &Loop) -> Vec<&[BlockId]> {
    let condition: &[BlockId] = head.condition.as_ref().map_or(&[], |condition| &condition.region);
    match head.form {
        LoopForm::DoWhile => vec![&head.body, condition],
        LoopForm::For | LoopForm::While => vec![condition, &head.body, &head.step],
    }
}

/// What the loop around says of a loop.
#[derive(Default)]
struct Around {
    starts: Starts,
    /// Variables that its iteration writes before the loop.
    set_before: BTreeSet<VarId>,
    /// Steps of the inductions of the loop around.
    steps: HashMap<VarId, i64>,
    outside: Option<Outside>,
}

fn of_loop(
    setting: Setting<'_>,
    function: FuncId,
    (block, head): (BlockId, &Loop),
    parent: usize,
    around: &Around,
) -> Scope {
    let regions = regions(head);
    let condition = head.condition.as_ref().map(|condition| &condition.value);
    let built = |setting: Setting<'_>| {
        let graph = build::build(setting, function, &regions, condition, block);
        (scope(setting, Some(block), Some(parent), &regions, &graph, around), graph)
    };
    let (mut scope, mut graph) = built(setting);
    if scope.innermost && !graph.choices.is_empty() && setting.profile.vectorise != Vectorise::Never {
        let (masked, its_graph) = built(Setting { masks: masks(setting), flat: true, ..setting });
        if !matches!(masked.legality, Legality::No(_)) {
            (scope, graph) = (masked, its_graph);
        }
    }
    if scope.legality == Legality::No(Obstacle::Order) && setting.profile.orders_sums {
        let together = scope.together.take();
        (scope, graph) = built(Setting { in_order: true, ..setting });
        scope.together = together;
    }
    scope.length = lengths::of_loop(&graph, &around.starts);
    scope.known_trips = constant_bound(&graph);
    (scope.bounds, scope.loaded_bound) = bounds(&graph);
    let begins = graph.steps.keys().filter_map(|induction| around.starts.get(induction));
    let entry = |atom: &Atom| if let Atom::Entry(variable) = atom { Some(*variable) } else { None };
    scope.bounds.extend(begins.flat_map(|begin| begin.each_symbol().filter_map(entry)));
    scope.idiom = idiom(setting, &graph).filter(|_| scope.innermost);
    if !scope.innermost {
        scope.outside = outer::outside(setting, head, &graph, &graph.live());
    }
    if let Some(together) = &mut scope.together {
        together.unrolled.known_trips = scope.known_trips;
    }
    let changes = scope.bounds.iter().any(|variable| around.steps.contains_key(variable));
    if changes || scope.loaded_bound || scope.erratic_end.is_some() {
        scope.together = None;
    }
    scope
}

/// Where the values are loaded from that others point into.
fn rows(graph: &Graph) -> BTreeMap<NodeId, Address> {
    let loads = || graph.accesses.iter().chain(&graph.invariant_loads).filter(|access| !access.store);
    let base = |access: &Access| if let Root::Value(node) = access.address.root { Some(node) } else { None };
    let bases: BTreeSet<NodeId> = { loads().chain(&graph.accesses) }.filter_map(base).collect();
    loads().filter(|load| bases.contains(&load.node)).map(|load| (load.node, load.address.clone())).collect()
}

/// Whether the target has vector loads and stores under a mask, and the compiler uses them: from AVX2 on.
fn masks(setting: Setting<'_>) -> bool {
    setting.profile.vectorise == Vectorise::Checked && setting.costs.vector_bits >= 256
}

/// Variables that its condition compares with: where a loop around it changes one, entries differ in length.
fn bounds(graph: &Graph) -> (BTreeSet<VarId>, bool) {
    let compared = graph.roots.iter().flat_map(|&root| {
        let node = &graph.nodes[root as usize];
        node.operands.iter().filter(|_| node.opcode.is_loop_comparison())
    });
    let mut found = BTreeSet::new();
    let mut loaded = false;
    let mut work: Vec<u32> = compared.copied().collect();
    while let Some(id) = work.pop() {
        let node = &graph.nodes[id as usize];
        match node.opcode {
            Opcode::Entry(variable) if !graph.carried.contains_key(&variable) => drop(found.insert(variable)),
            // Which element it is says nothing of how much longer it gets.
            _ if node.invariant && node.class == Some(InstructionClass::Load) => loaded |= moves(graph, id),
            _ if node.invariant => work.extend(&node.operands),
            _ => {}
        }
    }
    (found, loaded)
}

/// Whether a load depends on variables.
fn moves(graph: &Graph, load: u32) -> bool {
    let of = |access: &Access| access.node == load && !access.address.offset.terms.is_empty();
    graph.invariant_loads.iter().any(of)
}

/// A loop that the compiler replaces by a call of the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Idiom {
    /// It sets bytes to 0.
    Fill(u64),
    /// It copies so many bytes per iteration.
    Copy(u64),
}

impl Idiom {
    /// Bytes per iteration, and the function that is called.
    pub fn call(self) -> (u64, &'static str) {
        match self {
            Self::Fill(bytes) => (bytes, "memset"),
            Self::Copy(bytes) => (bytes, "memcpy"),
        }
    }
}

/// One store per iteration, element after element, of zero or of what one load reads likewise; nothing else.
fn idiom(setting: Setting<'_>, graph: &Graph) -> Option<Idiom> {
    if graph.irregular || !setting.profile.recognises_fills || !graph.through_memory.is_empty() {
        return None;
    }
    let dense =
        |access: &Access| graph.stride(access).is_some_and(|stride| stride.unsigned_abs() == access.address.bytes);
    let store = graph.accesses.iter().find(|access| access.store).filter(|store| dense(store))?;
    let value = *graph.nodes[store.node as usize].operands.first()?;
    let bytes = store.address.bytes;
    match graph.accesses.as_slice() {
        [_] if graph.nodes[value as usize].opcode.is_zero() => Some(Idiom::Fill(bytes)),
        [a, b] => {
            let load = if a.store { b } else { a };
            let copies = !load.store && load.node == value && dense(load) && load.address.root != store.address.root;
            copies.then_some(Idiom::Copy(bytes))
        }
        _ => None,
    }
}

/// The condition compares an induction variable with a constant.
fn constant_bound(graph: &Graph) -> bool {
    let compares = |node: &Node| {
        let constant = |id: &u32| graph.nodes[*id as usize].opcode.is_constant();
        node.opcode.is_loop_comparison() && node.operands.iter().any(constant)
    };
    graph.roots.iter().any(|&root| compares(&graph.nodes[root as usize]))
}

fn scope(
    setting: Setting<'_>,
    header: Option<BlockId>,
    parent: Option<usize>,
    regions: &[&[BlockId]],
    graph: &Graph,
    around: &Around,
) -> Scope {
    let mut graph = graph.clone();
    let mut removed = recurrences(setting, &mut graph);
    let live = graph.live();
    let mut own = Vec::new();
    let mut innermost = true;
    for region in regions {
        collect(setting.program, region, &mut own, &mut innermost);
    }
    let chain = match header {
        Some(_) => chain::slowest(&graph, &live, setting.profile.copies.is_none(), &spilled(setting, &graph)),
        None => Chain::default(),
    };
    let erratic_end =
        graph.condition.and_then(|condition| surprise::resolved(setting, &graph, condition, chain.cycles));
    let kept = if header.is_some() { kept::loads(setting, &graph) } else { kept::Kept::default() };
    removed.extend(&kept.loads);
    let plan = match () {
        () if !innermost || header.is_none() => Plan::none(Obstacle::NotInnermost),
        // How often it runs must be known before it does.
        () if erratic_end.is_some() => Plan::none(Obstacle::Branches),
        () if kept.twice => Plan::none(Obstacle::Kept),
        () => vector(setting, &graph, &live, &around.starts),
    };
    let left: Vec<usize> = (0..graph.nodes.len()).filter(|id| live[*id] && !removed.contains(id)).collect();
    let folded = addressing::folded(setting, &graph, &left);
    let shared = copies::shared(&graph, &live);
    let pointers = header.and_then(|_| addressing::pointers(setting, &graph, &left, &shared));
    let mut body = Body::new(&graph, &left, &shared);
    body.stays |= erratic_end.is_some();
    let work =
        Work { setting, graph: &graph, header, own: &own, left: &left, folded: &folded, shared: &shared, pointers };
    let (blocks, hoisted) = work.shares(&plan);
    let inside = outer::Inside {
        graph: &graph,
        live: &live,
        removed: &removed,
        starts: &around.starts,
        set_before: &around.set_before,
    };
    let outside = around.outside.as_ref().filter(|_| innermost && erratic_end.is_none());
    let together = outside.and_then(|outside| outer::plan(setting, &inside, outside)).map(|step| {
        let varying: Vec<usize> = left.iter().copied().filter(|id| !step.same.contains(id)).collect();
        let unrolled = Work { left: &varying, ..work };
        (step.plan.lanes, step.plan.legality, [work.lockstep(&step.plan), unrolled.lockstep(&step.plan)])
    });
    let mut scope = Scope {
        header,
        parent,
        innermost,
        library: library(setting, &own),
        blocks,
        hoisted,
        independent: innermost && independent(&graph, &chain, around),
        legality: plan.legality,
        lanes: plan.lanes,
        body,
        closed: innermost && header.is_some() && erratic_end.is_none() && closed::is_closed(setting, &graph, &live),
        length: None,
        known_trips: false,
        loaded_bound: false,
        bounds: BTreeSet::new(),
        idiom: None,
        erratic: surprise::erratic(setting, &graph, chain.cycles),
        selects: graph.converted.iter().any(|&id| surprise::resolved(setting, &graph, id, 0.0).is_some()),
        erratic_end,
        given: surprise::given(setting, &graph),
        sweeps_over: sweeps_over(&graph, &live, &removed).filter(|_| innermost && header.is_some()),
        chain,
        steps: graph.steps.clone(),
        starts: graph.starts.clone(),
        set_before: graph.set_before.clone(),
        accesses: graph.accesses.clone(),
        pointers: rows(&graph),
        outside: None,
        together: None,
        inside: None,
    };
    scope.together = together.map(|(lanes, legality, shares)| {
        let of = |(blocks, hoisted): Shares| Scope {
            blocks,
            hoisted,
            legality: Legality::No(Obstacle::NotInnermost),
            lanes: 1,
            ..scope.clone()
        };
        let [scope, unrolled] = shares.map(of);
        Box::new(Together { lanes, checked: legality == Legality::Checked, scope, unrolled })
    });
    scope
}

/// Cycles that a variable takes through memory from one iteration to the next: a floating-point scalar does not
/// survive a call in a register.
fn spilled<'a>(setting: Setting<'a>, graph: &Graph) -> impl Fn(VarId) -> f64 + use<'a> {
    let spills = graph.clobbers && setting.profile.optimises && !setting.profile.float_survives_calls;
    move |variable| {
        let ty = setting.program.types.scalar(setting.program.variables[variable].ty);
        ty.filter(|ty| spills && ty.is_float()).map_or(0.0, |ty| setting.costs.forwarding(ty))
    }
}

/// Calls of the library in blocks, those that the compiler replaces left out.
fn library(setting: Setting<'_>, own: &[(BlockId, CounterId)]) -> Vec<CounterId> {
    let program = setting.program;
    let called = |op: &crate::program::Op| {
        let OpKind::Call(leaf) = op.kind else { return None };
        let library = matches!(program.call(leaf)?.callee, Callee::Library(_));
        let stays = !super::is_free(program, setting.profile, &program.blocks[leaf].kind);
        (library && stays).then(|| program.blocks[leaf].counter(0))
    };
    let straight = own.iter().filter_map(|(block, _)| match &program.blocks[*block].kind {
        BlockKind::Straight(straight) => Some(straight),
        _ => None,
    });
    straight.flat_map(|straight| straight.ops.iter().filter_map(called)).collect()
}

/// Blocks that share the iterations of a scope, with the counter of their executions.
fn collect(program: &Program, region: &[BlockId], own: &mut Vec<(BlockId, CounterId)>, innermost: &mut bool) {
    for &block in region {
        let this = &program.blocks[block];
        match &this.kind {
            BlockKind::Straight(_) => own.push((block, this.counter(0))),
            BlockKind::Loop(head) => {
                *innermost = false;
                collect(program, &head.init, own, innermost);
            }
            BlockKind::Branch(branch) => {
                own.push((block, this.counter(0)));
                branch.arms.iter().for_each(|arm| collect(program, &arm.region, own, innermost));
            }
            BlockKind::Call(_) => {}
        }
    }
}

/// Whether the one operation that uses a load reads memory by itself.
fn operand(setting: Setting<'_>, graph: &Graph, load: &Access) -> bool {
    let users = graph.nodes.iter().filter(|node| node.operands.contains(&load.node));
    setting.costs.folds_loads && users.take(2).count() == 1
}

/// Finds what memory carries from store to load of later iterations. What the compiler keeps in a register
/// needs no load, and no store either where nothing else may look: those nodes are returned.
fn recurrences(setting: Setting<'_>, graph: &mut Graph) -> Vec<usize> {
    let mut removed = Vec::new();
    for load in graph.accesses.iter().filter(|access| !access.store) {
        let Some(stride) = graph.stride(load) else { continue };
        let stores = graph.accesses.iter().filter(|access| access.store && access.address.root == load.address.root);
        let nearest =
            stores.filter_map(|store| Some((distance(load, store, stride)?, store))).min_by_key(|found| found.0);
        let Some((distance, store)) = nearest else { continue };
        let (register, alone) = promoted(setting, graph, load, store, stride);
        let forward = match register {
            true => 0.0,
            false if setting.profile.optimises => setting.costs.carrying(store.float, operand(setting, graph, load)),
            false => setting.costs.forwarding(float_or_int(store)),
        };
        let value = graph.nodes[store.node as usize].operands[0];
        graph.through_memory.push((value, load.node, forward, distance as f64));
        if register {
            removed.push(load.node as usize);
        }
        if register && alone && stride == 0 {
            removed.push(store.node as usize);
        }
    }
    removed
}

fn float_or_int(access: &Access) -> crate::program::ScalarType {
    if access.float { crate::program::ScalarType::F64 } else { crate::program::ScalarType::I64 }
}

/// Bytes by which an access advances per iteration.
pub fn stride(access: &Access, change: &impl Fn(VarId) -> Option<i64>) -> Option<i64> {
    let root = match access.address.root {
        Root::Object(_) => 0,
        Root::Pointer(variable) => change(variable)?,
        Root::Value(_) => return None,
    };
    access.address.offset.stride(change)?.checked_add(root)
}

/// After how many iterations the load reads what the store wrote.
fn distance(load: &Access, store: &Access, stride: i64) -> Option<i64> {
    let ahead = store.address.offset.sub(&load.address.offset)?.as_constant()?;
    match stride {
        0 => (ahead == 0).then_some(1),
        _ if ahead % stride == 0 => Some(ahead / stride).filter(|distance| (1..=FARTHEST).contains(distance)),
        _ => None,
    }
}

/// Whether a carried scalar lives in a register, and whether no other access may touch it.
fn promoted(setting: Setting<'_>, graph: &Graph, load: &Access, store: &Access, stride: i64) -> (bool, bool) {
    let others =
        || graph.accesses.iter().filter(|other| other.address != load.address && other.address != store.address);
    let roots = setting.costs.math_errno && sets_errno(graph);
    let hidden = graph.calls || roots && may_be_errno(setting, load);
    let alone = !graph.calls && !roots && !others().any(|other| setting.may_alias(other, store));
    let no_other_store = !hidden && !others().any(|other| other.store && setting.may_alias(other, store));
    let register = setting.profile.optimises
        && match setting.profile.accumulator {
            Accumulator::Memory => false,
            Accumulator::Disjoint => alone && stride == 0,
            Accumulator::NoOtherStore => no_other_store,
            Accumulator::Checked => no_other_store || stride != 0 && checkable(graph, load, store),
        };
    (register, register && alone)
}

/// A square root of a negative number calls a function that writes `errno`: what other functions may look at is stored before
/// (`gcc -O1` to `-O3 -S` of sums in memory beside `sqrt`, gcc 12; suite kernel sums_of_roots).
fn sets_errno(graph: &Graph) -> bool {
    graph.nodes.iter().any(|node| node.class == Some(InstructionClass::FpSqrt) && !node.invariant)
}

/// A compiler does not know that a pointer does not lead to `errno`; at -O1 gcc does not ask whether an object is another one.
fn may_be_errno(setting: Setting<'_>, load: &Access) -> bool {
    !matches!(load.address.root, Root::Object(_)) || setting.profile.accumulator == Accumulator::Disjoint
}

/// Whether a check before the loop can find all other stores apart: they go to other objects, and no call hides one.
fn checkable(graph: &Graph, load: &Access, store: &Access) -> bool {
    let mut others = graph.accesses.iter().filter(|other| other.store && other.address != store.address);
    !graph.calls && others.all(|other| other.address.root != load.address.root)
}

/// Whether an entry begins its chain anew: a variable that was written before the loop, or another place in memory
/// than the entry before. Then entries overlap, even where one reads what the one before stored: it follows at a
/// distance (suite kernels nine_in_place, sweep_divided and backwards: the shorter the entries, the fewer cycles per
/// iteration).
fn independent(graph: &Graph, chain: &Chain, around: &Around) -> bool {
    let Some(begin) = chain.begin else { return !graph.calls };
    let next_entry = |variable: VarId| Some(around.steps.get(&variable).copied().unwrap_or(0));
    let anew = match graph.nodes[begin as usize].opcode {
        Opcode::Entry(variable) => around.set_before.contains(&variable),
        _ => graph
            .accesses
            .iter()
            .find(|access| access.node == begin)
            .is_none_or(|load| !is_still(graph, load) || stride(load, &next_entry) != Some(0)),
    };
    anew && !graph.calls
}

/// A variable of a loop around: at the iteration of that number, a store goes to the element which each iteration loads
/// anew because of it (shortest paths among 60 to 180 integers, as nest kernel shortest, against the same loop with the element in another array: 53 to 73
/// cycles per row; microbenchmark load_behind_store: 60).
fn sweeps_over(graph: &Graph, live: &[bool], removed: &[usize]) -> Option<VarId> {
    let loaded_anew = |access: &&Access| {
        let node = access.node as usize;
        !access.store
            && is_still(graph, access)
            && live[node]
            && !graph.nodes[node].invariant
            && !removed.contains(&node)
    };
    let over = |load: &Access, store: &Access| {
        if !store.store || store.address.root != load.address.root || is_still(graph, store) {
            return None;
        }
        let apart = store.address.offset.sub(&load.address.offset)?;
        let [(Atom::Entry(a), one), (Atom::Entry(b), other)] = &apart.terms[..] else { return None };
        let still = if graph.steps.contains_key(a) { b } else { a };
        (one + other == 0 && !graph.steps.contains_key(still)).then_some(*still)
    };
    let loads = graph.accesses.iter().filter(loaded_anew);
    loads.flat_map(|load| graph.accesses.iter().map(move |store| (load, store))).find_map(|(l, s)| over(l, s))
}

/// An access that goes to the same place in every iteration.
fn is_still(graph: &Graph, access: &Access) -> bool {
    graph.stride(access) == Some(0)
}
