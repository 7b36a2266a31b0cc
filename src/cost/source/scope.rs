//! One loop, or the body of a function outside its loops: what an iteration asks of the processor.

use super::build::{self, Setting};
use super::chain::{self, Chain};
use super::costs::{Demand, Resource};
use super::graph::{Access, Graph, Key, Root};
use super::profile::Accumulator;
use super::vectors::{Legality, Obstacle, vector};
use crate::program::{
    BinaryOp, BlockId, BlockKind, CounterId, FuncId, InstructionClass, Loop, LoopForm, Program, VarId,
};
use std::collections::{BTreeMap, HashMap};

/// Dependences farther apart than this number of iterations are taken to be hidden.
const FARTHEST: i64 = 16;

/// What one execution of a block adds.
#[derive(Clone, Debug, Default)]
pub struct Share {
    pub demand: Demand,
    /// Cycles by class, the weights by which a loop's time is told apart.
    pub classes: BTreeMap<InstructionClass, f64>,
    pub operations: f64,
}

/// A loop or function body, analysed once.
#[derive(Clone, Debug)]
pub struct Scope {
    /// `None` for the body of a function.
    pub header: Option<BlockId>,
    /// The scope around it.
    pub parent: Option<usize>,
    pub innermost: bool,
    pub blocks: Vec<(BlockId, CounterId, Share)>,
    /// Once per entry.
    pub hoisted: Share,
    /// The slowest recurrence.
    pub chain: Chain,
    /// An entry does not wait for the one before.
    pub independent: bool,
    pub legality: Legality,
    pub lanes: u32,
    /// The number of iterations is a constant of the unit.
    pub known_trips: bool,
    pub steps: HashMap<VarId, i64>,
    pub accesses: Vec<Access>,
}

/// All scopes of a function, each before those inside it.
pub fn of_function(setting: Setting<'_>, function: FuncId, scopes: &mut Vec<Scope>) {
    let body = &setting.program.functions[function].body;
    let Some(&first) = body.first() else { return };
    let index = scopes.len();
    let graph = build::build(setting, function, &[body], None, first);
    scopes.push(scope(setting, None, None, &[body], &graph));
    inner(setting, function, body, index, scopes);
}

fn inner(setting: Setting<'_>, function: FuncId, region: &[BlockId], parent: usize, scopes: &mut Vec<Scope>) {
    for &block in region {
        match &setting.program.blocks[block].kind {
            BlockKind::Loop(head) => {
                let index = scopes.len();
                scopes.push(of_loop(setting, function, block, head, parent));
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

fn of_loop(setting: Setting<'_>, function: FuncId, block: BlockId, head: &Loop, parent: usize) -> Scope {
    let regions = regions(head);
    let condition = head.condition.as_ref().map(|condition| &condition.value);
    let graph = build::build(setting, function, &regions, condition, block);
    let mut scope = scope(setting, Some(block), Some(parent), &regions, &graph);
    scope.known_trips = constant_bound(&graph);
    scope
}

/// The condition compares an induction variable with a constant.
fn constant_bound(graph: &Graph) -> bool {
    let compares = |node: &super::graph::Node| {
        let Key::Operation(name) = &node.key else { return false };
        let names = [BinaryOp::Lt, BinaryOp::Le, BinaryOp::Gt, BinaryOp::Ge, BinaryOp::Ne].map(|op| format!("{op:?} "));
        let constant = |id: &u32| matches!(graph.nodes[*id as usize].key, Key::Constant(_));
        names.iter().any(|prefix| name.starts_with(prefix)) && node.operands.iter().any(constant)
    };
    graph.roots.iter().any(|&root| compares(&graph.nodes[root as usize]))
}

fn scope(
    setting: Setting<'_>,
    header: Option<BlockId>,
    parent: Option<usize>,
    regions: &[&[BlockId]],
    graph: &Graph,
) -> Scope {
    let mut graph = graph.clone();
    let removed = recurrences(setting, &mut graph);
    let live = graph.live();
    let mut own = Vec::new();
    let mut innermost = true;
    for region in regions {
        collect(setting.program, region, &mut own, &mut innermost);
    }
    let mut shares: HashMap<BlockId, Share> = HashMap::new();
    let mut hoisted = Share::default();
    let left = graph.nodes.iter().enumerate().filter(|(id, _)| live[*id] && !removed.contains(id));
    for (_, node) in left {
        let Some(class) = node.class else { continue };
        let share =
            if node.invariant && header.is_some() { &mut hoisted } else { shares.entry(node.block).or_default() };
        charge(setting, share, class);
    }
    let (legality, lanes) = if innermost && header.is_some() {
        vector(setting, &graph, &live)
    } else {
        (Legality::No(Obstacle::NotInnermost), 1)
    };
    let blocks =
        own.iter().map(|&(block, counter)| (block, counter, shares.remove(&block).unwrap_or_default())).collect();
    Scope {
        header,
        parent,
        innermost,
        blocks,
        hoisted,
        chain: if header.is_some() { chain::slowest(&graph, &live) } else { Chain::default() },
        independent: innermost && independent(&graph),
        legality,
        lanes,
        known_trips: false,
        steps: graph.steps.clone(),
        accesses: graph.accesses,
    }
}

fn charge(setting: Setting<'_>, share: &mut Share, class: InstructionClass) {
    let cycles = setting.costs.throughput(class);
    share.demand.add(Resource::of(class), cycles);
    share.demand.add(Resource::Issue, setting.costs.issue);
    share.operations += 1.0;
    *share.classes.entry(class).or_default() += cycles.max(setting.costs.issue);
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

/// Finds what memory carries from store to load of later iterations. What the compiler keeps in a register
/// needs no load, and no store either where nothing else may look: those nodes are returned.
fn recurrences(setting: Setting<'_>, graph: &mut Graph) -> Vec<usize> {
    let mut removed = Vec::new();
    let steps = graph.steps.clone();
    let change = |variable: VarId| Some(steps.get(&variable).copied().unwrap_or(0));
    let changed: Vec<VarId> = graph.carried.keys().copied().filter(|v| !steps.contains_key(v)).collect();
    let change = |variable: VarId| if changed.contains(&variable) { None } else { change(variable) };
    for load in graph.accesses.iter().filter(|access| !access.store) {
        let Some(stride) = stride(load, &change) else { continue };
        let stores = graph.accesses.iter().filter(|access| access.store && access.address.root == load.address.root);
        let nearest =
            stores.filter_map(|store| Some((distance(load, store, stride)?, store))).min_by_key(|found| found.0);
        let Some((distance, store)) = nearest else { continue };
        let (register, alone) = promoted(setting, graph, load, store, stride);
        let forward = if register { 0.0 } else { setting.costs.forwarding(float_or_int(store)) };
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
    Some(root + access.address.offset.stride(change)?)
}

/// After how many iterations the load reads what the store wrote.
fn distance(load: &Access, store: &Access, stride: i64) -> Option<i64> {
    let ahead = store.address.offset.plus(&load.address.offset, -1).as_constant()?;
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
    let alone = !graph.calls && !others().any(|other| setting.may_alias(other, store));
    let no_other_store = !graph.calls && !others().any(|other| other.store && setting.may_alias(other, store));
    let register = setting.profile.optimises
        && match setting.profile.accumulator {
            Accumulator::Memory => false,
            Accumulator::Disjoint => alone && stride == 0,
            Accumulator::NoOtherStore => no_other_store,
        };
    (register, register && alone)
}

/// An entry does not wait for the one before. What a store into one place leaves behind is read at the end of the
/// next entry at worst, as in a triangular solver; a store that moves may be read from the begin on.
fn independent(graph: &Graph) -> bool {
    let change = |variable: VarId| {
        let still = (!graph.carried.contains_key(&variable)).then_some(0);
        graph.steps.get(&variable).copied().or(still)
    };
    let moving = |access: &&Access| access.store && stride(access, &change) != Some(0);
    let conflicts = |store: &Access, load: &Access| {
        !load.store && store.address.root == load.address.root && store.address != load.address
    };
    let mut stores = graph.accesses.iter().filter(moving);
    !graph.calls && !stores.any(|store| graph.accesses.iter().any(|load| conflicts(store, load)))
}
