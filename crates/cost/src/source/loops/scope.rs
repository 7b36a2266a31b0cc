//! One loop, or the body of a function outside its loops: what an iteration asks of the processor.

use crate::source::address::affine::Atom;
use crate::source::address::place::{Address, Root, ValueNumber};
use crate::source::branches::data_dependent::{
    DataDependentBranch, cycles_to_condition, data_dependent_branches, data_dependent_variables,
};
use crate::source::codegen::addressing::{advancing_pointers, folded_loads};
use crate::source::codegen::block_demand::{BlockDemand, RemainingInstructions, ScopeDemand};
use crate::source::codegen::unrolling::{LoopBody, shared_by_copies};
use crate::source::compiler::profile::Vectorise;
use crate::source::dataflow::build::{Setting, build_iteration};
use crate::source::dataflow::graph::{Access, Graph, NodeFlags};
use crate::source::dependence::entries::EnclosingIteration;
use crate::source::dependence::entries::{independent, overtaken_by_stores};
use crate::source::dependence::load_reuse::{LoadReuse, reused_loads};
use crate::source::dependence::promotion::recurrences;
use crate::source::dependence::recurrence::{Recurrence, slowest_recurrence};
use crate::source::loops::closed_form::has_closed_form;
use crate::source::loops::idiom::{Idiom, idiom};
use crate::source::loops::trip_count::{Length, LoopBounds, bounds, constant_bound, trip_count};
use crate::source::vectorize::legality::{Legality, Plan, Starts, VectorizationBlocker, vector_plan};
use crate::source::vectorize::outer_loop::{InnerLoop, OuterCandidate, outer_candidate, outer_plan};
use crate::source::whole_program::calls::is_free;
use chronos_base::hash::FxHashMap;
use chronos_ir::{BlockId, BlockKind, Callee, CounterId, FuncId, Loop, LoopForm, OpKind, Program, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// A loop or function body, analysed once.
#[derive(Clone, Debug)]
pub struct Scope {
    /// `None` for the body of a function.
    pub header: Option<BlockId>,
    /// The scope around it.
    pub parent: Option<usize>,
    pub innermost: bool,
    pub blocks: Vec<(BlockId, CounterId, BlockDemand)>,
    /// Calls of the library that an iteration makes itself.
    pub library: Vec<CounterId>,
    /// Once per entry.
    pub(crate) hoisted: BlockDemand,
    /// The slowest recurrence.
    pub recurrence: Recurrence,
    /// An entry does not wait for the one before.
    pub independent: bool,
    pub(crate) legality: Legality,
    pub lanes: u32,
    /// An iteration, as the compiler measures it.
    pub body: LoopBody,
    /// Nothing is left of it but values in closed form.
    pub closed_form: bool,
    /// How many iterations there are, in terms of variables.
    pub length: Option<Length>,
    /// The number of iterations is a constant of the unit.
    pub(crate) known_trips: bool,
    /// Its length depends on what is loaded with variables of loops around it.
    pub(crate) loaded_bound: bool,
    /// Variables of loops around it that its begin or end depends on.
    pub bounds: BTreeSet<VarId>,
    pub idiom: Option<Idiom>,
    /// It selects by data where a compiler may as well branch.
    pub selects: bool,
    /// Branches that data decides.
    pub(crate) data_dependent: Vec<DataDependentBranch>,
    /// Variables that an iteration computes from data.
    pub(crate) data_dependent_variables: BTreeSet<VarId>,
    /// Where data decides when the loop ends: cycles from the begin of an iteration until its condition is known.
    pub(crate) data_dependent_exit: Option<f64>,
    pub steps: FxHashMap<VarId, i64>,
    /// Its stores sweep over an element that each iteration loads.
    pub(crate) overtaken_by_stores: Option<VarId>,
    /// Where inductions of the loops inside begin.
    pub starts: FxHashMap<BlockId, Starts>,
    /// Variables written before the loops inside begin.
    pub(crate) set_before: FxHashMap<BlockId, BTreeSet<VarId>>,
    /// Variables that end an iteration as a loop inside it leaves them.
    pub(crate) left_by: FxHashMap<VarId, BlockId>,
    pub accesses: Vec<Access>,
    /// Where pointers are loaded from.
    pub pointers: BTreeMap<ValueNumber, Address>,
    /// It may become vectors together with the loop inside it.
    pub(crate) outer_candidate: Option<OuterCandidate>,
    /// How it runs where the loop around it does so.
    pub(crate) outer_vectorized: Option<Box<OuterVectorized>>,
    /// The loop inside it that does so.
    pub(crate) vectorized_inner: Option<usize>,
}

/// A loop that runs once for several iterations of the loop around it.
#[derive(Clone, Debug)]
pub(crate) struct OuterVectorized {
    pub lanes: u32,
    /// Only where a check at run time finds arrays apart.
    pub checked: bool,
    /// Of all lanes.
    pub scope: Scope,
    /// The same where the loop was unrolled completely before.
    pub unrolled: Scope,
}

impl OuterVectorized {
    pub fn of(&self, unrolled: bool) -> &Scope {
        if unrolled { &self.unrolled } else { &self.scope }
    }
}

/// All scopes of a function, each before those inside it.
pub(crate) fn analyse_function(setting: Setting<'_>, function: FuncId, scopes: &mut Vec<Scope>) {
    let body = &setting.program.functions[function].body;
    let Some(&first) = body.first() else { return };
    let index = scopes.len();
    let mut graph = build_iteration(setting, function, &[body], None, first);
    graph.whole = true;
    scopes.push(analyse_scope(setting, None, None, &[body], &graph, &EnclosingLoop::default()));
    analyse_inner(setting, function, body, index, scopes);
}

fn analyse_inner(setting: Setting<'_>, function: FuncId, region: &[BlockId], parent: usize, scopes: &mut Vec<Scope>) {
    for &block in region {
        match &setting.program.blocks[block].kind {
            BlockKind::Loop(head) => {
                let index = scopes.len();
                let starts = scopes[parent].starts.get(&block).cloned().unwrap_or_default();
                let set_before = scopes[parent].set_before.get(&block).cloned().unwrap_or_default();
                let Scope { steps, outer_candidate, .. } = &scopes[parent];
                let around = EnclosingLoop {
                    starts,
                    set_before,
                    steps: steps.clone(),
                    outer_candidate: outer_candidate.clone(),
                };
                scopes.push(analyse_loop(setting, function, block, head, parent, &around));
                if scopes[index].outer_vectorized.is_some() {
                    scopes[parent].vectorized_inner = Some(index);
                }
                for region in regions(head) {
                    analyse_inner(setting, function, region, index, scopes);
                }
            }
            BlockKind::Branch(branch) => {
                branch.arms.iter().for_each(|arm| analyse_inner(setting, function, &arm.region, parent, scopes));
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
pub(crate) struct EnclosingLoop {
    pub starts: Starts,
    /// Variables that its iteration writes before the loop.
    pub(crate) set_before: BTreeSet<VarId>,
    /// Steps of the inductions of the loop around.
    pub steps: FxHashMap<VarId, i64>,
    pub(crate) outer_candidate: Option<OuterCandidate>,
}

fn analyse_loop(
    setting: Setting<'_>,
    function: FuncId,
    block: BlockId,
    head: &Loop,
    parent: usize,
    around: &EnclosingLoop,
) -> Scope {
    let regions = regions(head);
    let condition = head.condition.as_ref().map(|condition| &condition.value);
    let built = |setting: Setting<'_>| {
        let graph = build_iteration(setting, function, &regions, condition, block);
        (analyse_scope(setting, Some(block), Some(parent), &regions, &graph, around), graph)
    };
    let (mut scope, mut graph) = built(setting);
    // Vectorisers if-convert first: the loop is analysed once more with all arms executed.
    if scope.innermost && !graph.choices.is_empty() && setting.profile.vectorise != Vectorise::Never {
        let (masked, its_graph) = built(Setting { masks: masks(setting), flat: true, ..setting });
        match masked.legality {
            // Versions for accesses that are apart are made all the same, and never run.
            Legality::No(VectorizationBlocker::MemoryDependence | VectorizationBlocker::MetByCounter) => {
                scope.legality = masked.legality;
            }
            Legality::No(_) => {}
            Legality::Checked | Legality::Yes => (scope, graph) = (masked, its_graph),
        }
    }
    // Fold-left reductions keep the order of sums and still compute the addends in vectors (GCC: FOLD_LEFT_REDUCTION).
    if scope.legality == Legality::No(VectorizationBlocker::SumOrder) && setting.profile.orders_sums {
        let lanes = scope.outer_vectorized.take();
        (scope, graph) = built(Setting { in_order: true, ..setting });
        scope.outer_vectorized = lanes;
    }
    scope.length = trip_count(&graph, &around.starts);
    scope.known_trips = constant_bound(&graph);
    LoopBounds { variables: scope.bounds, is_loaded: scope.loaded_bound } = bounds(&graph);
    let begins = graph.steps.keys().filter_map(|induction| around.starts.get(induction));
    let entry = |atom: &Atom| if let Atom::Entry(variable) = atom { Some(*variable) } else { None };
    scope.bounds.extend(begins.flat_map(|begin| begin.each_symbol().filter_map(entry)));
    scope.idiom = idiom(setting, &graph).filter(|_| scope.innermost);
    if !scope.innermost {
        scope.outer_candidate = outer_candidate(setting, head, &graph, &graph.live());
    }
    if let Some(lanes) = &mut scope.outer_vectorized {
        lanes.unrolled.known_trips = scope.known_trips;
    }
    // Lanes of different trip counts cannot run in lockstep.
    let changes = scope.bounds.iter().any(|variable| around.steps.contains_key(variable));
    if changes || scope.loaded_bound || scope.data_dependent_exit.is_some() {
        scope.outer_vectorized = None;
    }
    scope
}

/// Where the values are loaded from that others point into.
fn rows(graph: &Graph) -> BTreeMap<ValueNumber, Address> {
    let loads = || graph.accesses.iter().chain(&graph.invariant_loads).filter(|access| !access.store);
    let base = |access: &Access| if let Root::Value(node) = access.address.root { Some(node) } else { None };
    let bases: BTreeSet<ValueNumber> = { loads().chain(&graph.accesses) }.filter_map(base).collect();
    loads().filter(|load| bases.contains(&load.node)).map(|load| (load.node, load.address.clone())).collect()
}

/// Whether the target has vector loads and stores under a mask, and the compiler uses them: from AVX2 on.
fn masks(setting: Setting<'_>) -> bool {
    setting.profile.vectorise == Vectorise::Checked && setting.costs.vector_bits >= 256
}

/// Blocks that share the iterations of a scope, and whether it has no loops inside.
fn own_blocks(program: &Program, regions: &[&[BlockId]]) -> (Vec<(BlockId, CounterId)>, bool) {
    let (mut own, mut innermost) = (Vec::new(), true);
    regions.iter().for_each(|region| collect(program, region, &mut own, &mut innermost));
    (own, innermost)
}

/// How a vectoriser takes the scope: loops alone, whose number of iterations is known before they run.
fn plan(setting: Setting<'_>, view: &ScopeView<'_>, around: &EnclosingLoop) -> Plan {
    match () {
        () if !view.innermost || view.header.is_none() => Plan::none(VectorizationBlocker::NotInnermost),
        // How often it runs must be known before it does.
        () if view.data_dependent_exit.is_some() => Plan::none(VectorizationBlocker::ControlFlow),
        () if view.reuse.twice => Plan::none(VectorizationBlocker::ReusedLoads),
        () => vector_plan(setting, view.graph, view.live, &around.starts),
    }
}

/// What is known of a scope before it is decided how it runs.
struct ScopeView<'a> {
    header: Option<BlockId>,
    innermost: bool,
    graph: &'a Graph,
    live: &'a NodeFlags,
    reuse: LoadReuse,
    recurrence: Recurrence,
    /// Cycles until data decides that the loop ends.
    data_dependent_exit: Option<f64>,
}

impl<'a> ScopeView<'a> {
    fn of(
        setting: Setting<'_>,
        header: Option<BlockId>,
        innermost: bool,
        graph: &'a Graph,
        live: &'a NodeFlags,
    ) -> Self {
        let recurrence = match header {
            Some(_) => slowest_recurrence(graph, live, setting.profile.copies.is_none(), &spilled(setting, graph)),
            None => Recurrence::default(),
        };
        let exit = graph.condition;
        let data_dependent_exit = exit.and_then(|exit| cycles_to_condition(setting, graph, exit, recurrence.cycles));
        let reuse = if header.is_some() { reused_loads(setting, graph) } else { LoadReuse::default() };
        Self { header, innermost, graph, live, reuse, recurrence, data_dependent_exit }
    }

    /// It is a loop whose end data does not decide.
    fn is_counted(&self) -> bool {
        self.innermost && self.header.is_some() && self.data_dependent_exit.is_none()
    }

    /// The scope as it is but for how the loop around runs it.
    fn scope(
        self,
        setting: Setting<'_>,
        around: &EnclosingLoop,
        parent: Option<usize>,
        own: &[(BlockId, CounterId)],
        made: Made,
    ) -> Scope {
        let Self { header, innermost, graph, live, data_dependent_exit, .. } = self;
        let outer = EnclosingIteration { steps: &around.steps, set_before: &around.set_before };
        let is_loop = innermost && header.is_some();
        let (blocks, hoisted) = made.shares;
        Scope {
            header,
            parent,
            innermost,
            library: library(setting, own),
            blocks,
            hoisted,
            independent: innermost && independent(graph, &self.recurrence, &outer),
            legality: made.plan.legality,
            lanes: made.plan.lanes,
            body: made.body,
            closed_form: self.is_counted() && has_closed_form(setting, graph, live),
            length: None,
            known_trips: false,
            loaded_bound: false,
            bounds: BTreeSet::new(),
            idiom: None,
            data_dependent: data_dependent_branches(setting, graph, self.recurrence.cycles),
            selects: graph.converted.iter().any(|&id| cycles_to_condition(setting, graph, id, 0.0).is_some()),
            data_dependent_exit,
            data_dependent_variables: data_dependent_variables(setting, graph),
            overtaken_by_stores: overtaken_by_stores(graph, live, &made.removed).filter(|_| is_loop),
            recurrence: self.recurrence,
            steps: graph.steps.clone(),
            starts: graph.starts.clone(),
            set_before: graph.set_before.clone(),
            left_by: graph.left_by.clone(),
            accesses: graph.accesses.clone(),
            pointers: rows(graph),
            outer_candidate: None,
            outer_vectorized: None,
            vectorized_inner: None,
        }
    }
}

/// What was decided of a scope.
struct Made {
    plan: Plan,
    shares: ScopeDemand,
    body: LoopBody,
    removed: Vec<ValueNumber>,
}

fn analyse_scope(
    setting: Setting<'_>,
    header: Option<BlockId>,
    parent: Option<usize>,
    regions: &[&[BlockId]],
    graph: &Graph,
    around: &EnclosingLoop,
) -> Scope {
    let mut graph = graph.clone();
    let mut removed = recurrences(setting, &mut graph);
    let live = graph.live();
    let (own, innermost) = own_blocks(setting.program, regions);
    let view = ScopeView::of(setting, header, innermost, &graph, &live);
    removed.extend(&view.reuse.loads);
    let plan = plan(setting, &view, around);
    let left: Vec<ValueNumber> = graph.nodes.ids().filter(|id| live[*id] && !removed.contains(id)).collect();
    let folded = folded_loads(setting, &graph, &left);
    let shared = shared_by_copies(&graph, &live);
    let pointers = header.and_then(|_| advancing_pointers(setting, &graph, &left, &shared));
    let mut body = LoopBody::new(&graph, &left, &shared);
    body.stays |= view.data_dependent_exit.is_some();
    let work = RemainingInstructions {
        setting,
        graph: &graph,
        header,
        own: &own,
        left: &left,
        folded: &folded,
        shared: &shared,
        pointers,
    };
    let shares = work.shares(&plan);
    let inside = InnerLoop {
        graph: &graph,
        live: &live,
        removed: &removed,
        starts: &around.starts,
        set_before: &around.set_before,
    };
    let outside = around.outer_candidate.as_ref().filter(|_| innermost && view.data_dependent_exit.is_none());
    let vectorized = outside.and_then(|outside| outer_plan(setting, &inside, outside)).map(|step| {
        let varying: Vec<ValueNumber> = left.iter().copied().filter(|id| !step.same.contains(id)).collect();
        let unrolled = RemainingInstructions { left: &varying, ..work };
        (step.plan.lanes, step.plan.legality, [work.on_lanes(&step.plan), unrolled.on_lanes(&step.plan)])
    });
    let mut scope = view.scope(setting, around, parent, &own, Made { plan, shares, body, removed });
    scope.outer_vectorized =
        vectorized.map(|(lanes, legality, shares)| Box::new(on_outer_lanes(&scope, lanes, legality, shares)));
    scope
}

/// The scope as it runs once for several iterations of the loop around it, and as it does so unrolled.
fn on_outer_lanes(scope: &Scope, lanes: u32, legality: Legality, shares: [ScopeDemand; 2]) -> OuterVectorized {
    let of = |(blocks, hoisted): ScopeDemand| Scope {
        blocks,
        hoisted,
        legality: Legality::No(VectorizationBlocker::NotInnermost),
        lanes: 1,
        ..scope.clone()
    };
    let [scope, unrolled] = shares.map(of);
    OuterVectorized { lanes, checked: legality == Legality::Checked, scope, unrolled }
}

/// Cycles that a variable takes through memory from one iteration to the next: a floating-point scalar does not
/// survive a call in a register.
fn spilled<'a>(setting: Setting<'a>, graph: &Graph) -> impl Fn(VarId) -> f64 + use<'a> {
    // The System V ABI of x86-64 has no callee-saved vector registers.
    let spills = graph.clobbers && setting.profile.optimises && !setting.profile.float_survives_calls;
    move |variable| {
        let ty = setting.program.types.scalar(setting.program.variables[variable].ty);
        ty.filter(|ty| spills && ty.is_float()).map_or(0.0, |ty| setting.costs.forwarding(ty))
    }
}

/// Calls of the library in blocks, those that the compiler replaces left out.
fn library(setting: Setting<'_>, own: &[(BlockId, CounterId)]) -> Vec<CounterId> {
    let program = setting.program;
    // Calls that became instructions or were inlined are counted with the operations.
    let called = |op: &chronos_ir::Op| {
        let OpKind::Call(leaf) = op.kind else { return None };
        let library = matches!(program.call(leaf)?.callee, Callee::Library(_));
        let stays = !is_free(program, setting.profile, &program.blocks[leaf].kind);
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
