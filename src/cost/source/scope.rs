//! One loop, or the body of a function outside its loops: what an iteration asks of the processor.

use super::build::{self, Setting};
use super::chain;
use super::costs::{Demand, Resource};
use super::graph::{Access, Graph, Key, Root};
use super::profile::Accumulator;
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

/// Whether a loop may be turned into one over vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Legality {
    No,
    /// Where a check at run time finds the arrays apart.
    Checked,
    Yes,
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
    /// Cycles per iteration of the slowest recurrence.
    pub chain: f64,
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
    let (legality, lanes) =
        if innermost && header.is_some() { vector(setting, &graph, &live) } else { (Legality::No, 1) };
    let blocks =
        own.iter().map(|&(block, counter)| (block, counter, shares.remove(&block).unwrap_or_default())).collect();
    Scope {
        header,
        parent,
        innermost,
        blocks,
        hoisted,
        chain: if header.is_some() { chain::cycles(&graph, &live) } else { 0.0 },
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

/// Whether the iterations may run side by side, and how many fit a vector.
fn vector(setting: Setting<'_>, graph: &Graph, live: &[bool]) -> (Legality, u32) {
    let steps = &graph.steps;
    let change = |v: VarId| match steps.get(&v) {
        Some(step) => Some(*step),
        None => (!graph.carried.contains_key(&v)).then_some(0),
    };
    if graph.irregular
        || graph.accesses.is_empty()
        || graph.through_memory.iter().any(|edge| blocks(setting, graph, edge))
    {
        return (Legality::No, 1);
    }
    let mut widest = 0;
    let mut legality = Legality::Yes;
    for access in &graph.accesses {
        let bytes = i64::try_from(access.address.bytes).unwrap_or(i64::MAX);
        match stride(access, &change) {
            Some(0) if !access.store => {}
            Some(stride) if stride.abs() == bytes => widest = widest.max(access.address.bytes),
            _ => return (Legality::No, 1),
        }
        let clash = |other: &Access| {
            other.address != access.address && (other.store || access.store) && setting.may_alias(other, access)
        };
        for other in graph.accesses.iter().filter(|other| clash(other)) {
            if other.address.root == access.address.root {
                return (Legality::No, 1);
            }
            legality = Legality::Checked;
        }
    }
    let divides = |(id, node): (usize, &super::graph::Node)| {
        live[id] && matches!(node.class, Some(InstructionClass::IntDiv | InstructionClass::IntDiv64))
    };
    // No instruction set of the profiles divides vectors of integers.
    let scalar_only = graph.nodes.iter().enumerate().any(divides);
    if scalar_only || !reductions_may_split(setting, graph, live) || widest == 0 {
        return (Legality::No, 1);
    }
    let lanes = u32::try_from(u64::from(setting.costs.vector_bits) / (8 * widest)).unwrap_or(1);
    if lanes < 2 { (Legality::No, 1) } else { (legality, lanes) }
}

/// A recurrence through memory forbids vectors, but for an integer sum in one place.
fn blocks(setting: Setting<'_>, graph: &Graph, &(_, load, ..): &(u32, u32, f64, f64)) -> bool {
    let float = graph.accesses.iter().any(|access| access.node == load && access.float);
    !float || !setting.costs.reassociate
}

/// Scalars that iterations hand on are inductions, or sums whose order is free.
fn reductions_may_split(setting: Setting<'_>, graph: &Graph, live: &[bool]) -> bool {
    graph.nodes.iter().enumerate().filter(|(id, _)| live[*id]).all(|(_, node)| match node.key {
        Key::Entry(variable) => match graph.carried.get(&variable) {
            None => true,
            Some(_) if graph.steps.contains_key(&variable) => true,
            Some(&end) => is_sum(setting, graph, end, variable),
        },
        _ => true,
    })
}

/// The variable plus something that does not depend on it, or, chosen, the variable itself.
fn is_sum(setting: Setting<'_>, graph: &Graph, end: u32, variable: VarId) -> bool {
    let node = &graph.nodes[end as usize];
    let Key::Operation(name) = &node.key else { return false };
    let is_entry = |id: u32| graph.nodes[id as usize].key == Key::Entry(variable);
    if name == "select" {
        let Some((_, chosen)) = node.operands.split_last() else { return false };
        return chosen.iter().all(|&id| is_entry(id) || is_sum(setting, graph, id, variable));
    }
    let float = name.ends_with("F64") || name.ends_with("F32");
    let adds = name.starts_with("Add ") || name.starts_with("fused Add ");
    adds && (!float || setting.costs.reassociate) && node.operands.iter().any(|&id| is_entry(id))
}
