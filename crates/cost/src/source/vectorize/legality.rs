//! Whether the iterations of a loop may run in the lanes of a vector, what forbids it, and what vector instructions
//! cost.

use crate::source::address::affine::IterationForm;
use crate::source::address::affine::{Affine, Atom};
use crate::source::address::place::{Root, ValueNumber};
use crate::source::compiler::profile::Vectorise;
use crate::source::dataflow::build::Setting;
use crate::source::dataflow::graph::{Access, CarriedDependence, Graph, Node, NodeFlags};
use crate::source::dataflow::opcode::{Opcode, Operation};
use chronos_base::hash::{FxHashMap, FxHashSet};
use chronos_base::ids::Id as _;
use chronos_ir::{InstructionClass, Unit, VarId};

/// Whether a loop may be turned into one over vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Legality {
    No(VectorizationBlocker),
    /// Where a check at run time finds the arrays apart.
    Checked,
    Yes,
}

/// Why iterations cannot run in the lanes of a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VectorizationBlocker {
    /// It holds other loops, or is none.
    NotInnermost,
    /// Calls, jumps and branches that stay branches.
    ControlFlow,
    /// An iteration needs what the one before computed.
    Recurrence,
    /// What two iterations before loaded is still in a register.
    ReusedLoads,
    /// A sum of floating-point numbers whose order must be kept.
    SumOrder,
    /// Memory is not accessed element after element.
    Stride,
    /// Two accesses to one object that meet.
    MemoryDependence,
    /// The same for a value of another loop's counter: a compiler has to test for it at run time.
    MetByCounter,
    /// Two accesses to one object whose distance is not known.
    UnknownDistance,
    /// A square root that may have to set `errno`.
    Errno,
    /// No vector instruction divides integers.
    IntegerDivision,
    /// Nothing is gained: no array, or elements as wide as a vector.
    Unprofitable,
}

/// A loop over vectors, if it may be one.
#[derive(Clone, Debug)]
pub struct Plan {
    pub(crate) legality: Legality,
    /// Iterations in one vector; 1 where it may not.
    pub lanes: u32,
    /// Cycles of accesses, per vector, where they are not those of their class.
    pub busy: FxHashMap<ValueNumber, f64>,
    /// Accesses whose elements an instruction gathers or scatters: it keeps the front end busy as long.
    pub gathered: FxHashSet<ValueNumber>,
}

/// From vectors of so many bits on, compilers that gather with instructions do.
const GATHERED: u32 = 512;

/// Where inductions of a loop begin, in values that it does not change.
pub type Starts = FxHashMap<VarId, Affine>;

/// Whether the iterations may run in the lanes of a vector, how many fit a vector, and what its accesses cost.
pub(crate) fn vector_plan(setting: Setting<'_>, graph: &Graph, live: &NodeFlags, starts: &Starts) -> Plan {
    try_plan(setting, graph, live, starts).unwrap_or_else(Plan::none)
}

impl Plan {
    pub fn none(obstacle: VectorizationBlocker) -> Self {
        Self { legality: Legality::No(obstacle), lanes: 1, busy: FxHashMap::default(), gathered: FxHashSet::default() }
    }
}

fn try_plan(
    setting: Setting<'_>,
    graph: &Graph,
    live: &NodeFlags,
    starts: &Starts,
) -> Result<Plan, VectorizationBlocker> {
    // Calls, jumps and branches that stay have no vector form.
    if graph.irregular {
        return Err(VectorizationBlocker::ControlFlow);
    }
    // A dependence from one iteration to the next through memory is a cycle of the dependence graph (Allen and Kennedy, TOPLAS 1987).
    if graph.through_memory.iter().any(|edge| blocks(setting, graph, edge)) {
        return Err(VectorizationBlocker::Recurrence);
    }
    let look = VectorAccesses { setting, graph, starts };
    let (legality, widest) = look.accesses()?;
    // Each operation needs a vector instruction of its own.
    check_operations(setting, graph, live)?;
    if let Some(obstacle) = reductions(setting, graph, live) {
        return Err(obstacle);
    }
    // The widest element decides how many iterations fit: narrower ones are unpacked to it.
    let lanes = u32::try_from(u64::from(setting.costs.vector_bits) / (8 * widest.max(1))).unwrap_or(1);
    if widest == 0 || lanes < 2 {
        return Err(VectorizationBlocker::Unprofitable);
    }
    let busy = graph.accesses.iter().map(|access| (access.node, look.busy(access, lanes, legality))).collect();
    // Gather and scatter instructions are split into one operation per element.
    let gathers = |access: &&Access| {
        let bytes = i64::try_from(access.address.bytes).unwrap_or(i64::MAX);
        look.gathers() && look.stride(access).is_some_and(|stride| stride != 0 && stride.abs() != bytes)
    };
    let gathered = graph.accesses.iter().filter(gathers).map(|access| access.node).collect();
    Ok(Plan { legality, lanes, busy, gathered })
}

/// Operations that no vector instruction does.
pub(crate) fn check_operations(
    setting: Setting<'_>,
    graph: &Graph,
    live: &NodeFlags,
) -> Result<(), VectorizationBlocker> {
    let has = |wanted: fn(InstructionClass) -> bool| {
        graph.nodes.iter().any(|(id, node)| live[id] && node.class.is_some_and(wanted))
    };
    if has(|class| class.unit() == Unit::IntegerQuotient) {
        return Err(VectorizationBlocker::IntegerDivision);
    }
    // A negative argument sets errno, which no vector instruction does.
    let may_set_errno = setting.costs.math_errno && has(|class| class == InstructionClass::FpSqrt);
    if may_set_errno { Err(VectorizationBlocker::Errno) } else { Ok(()) }
}

/// The accesses of a loop, as vectors would make them.
struct VectorAccesses<'a> {
    setting: Setting<'a>,
    graph: &'a Graph,
    starts: &'a Starts,
}

impl VectorAccesses<'_> {
    fn stride(&self, access: &Access) -> Option<i64> {
        self.graph.stride(access)
    }

    /// Whether the accesses allow it, and the widest element in bytes.
    fn accesses(&self) -> Result<(Legality, u64), VectorizationBlocker> {
        let mut widest = 0;
        let mut legality = Legality::Yes;
        for access in &self.graph.accesses {
            let bytes = i64::try_from(access.address.bytes).unwrap_or(i64::MAX);
            match self.stride(access) {
                // A load of one place is broadcast.
                Some(0) if !access.store => {}
                Some(stride) if stride != 0 && (stride.abs() == bytes || self.setting.profile.gathers_elements) => {
                    widest = widest.max(access.address.bytes);
                }
                _ => return Err(VectorizationBlocker::Stride),
            }
            for other in &self.graph.accesses {
                if self.pair(access, other)? == Legality::Checked {
                    legality = Legality::Checked;
                }
            }
        }
        Ok((legality, widest))
    }

    /// Whether two accesses may change places.
    fn pair(&self, access: &Access, other: &Access) -> Result<Legality, VectorizationBlocker> {
        // Two loads never conflict, nor an access with itself.
        let conflict = other.address != access.address && (other.store || access.store);
        if !conflict || !self.setting.may_alias(other, access) && other.address.root != access.address.root {
            return Ok(Legality::Yes);
        }
        // Different pointers may alias: the loop is versioned with a check at run time (GCC: -ftree-loop-vectorize, versioning for alias).
        if other.address.root != access.address.root {
            return Ok(Legality::Checked);
        }
        // Dependences within one object go by the distance of the two accesses.
        let (store, load) = if access.store { (access, other) } else { (other, access) };
        let apart = store.address.offset.sub(&load.address.offset);
        match apart.as_ref().and_then(|apart| apart.as_constant()) {
            // What a later iteration overwrites is read before: the order within the iteration keeps it so.
            Some(_) if load.store || load.node < store.node => Ok(Legality::Yes),
            Some(_) => Err(VectorizationBlocker::MemoryDependence),
            None if self.setting.profile.vectorise == Vectorise::Checked && self.found_apart(store, load) => {
                Ok(Legality::Checked)
            }
            // Where one access goes by the counter of another loop, that comes to what the other access reaches.
            None if apart.is_none_or(|apart| self.has_counter(&apart)) => Err(VectorizationBlocker::MetByCounter),
            None => Err(VectorizationBlocker::UnknownDistance),
        }
    }

    fn has_counter(&self, distance: &Affine) -> bool {
        distance.each_symbol().any(|atom| match atom {
            Atom::Entry(variable) | Atom::Loaded(variable, _) => self.setting.facts.counters.contains(variable),
            Atom::Product(a, b) => self.has_counter(a) || self.has_counter(b),
            Atom::Outer(_) | Atom::Held(_) | Atom::Node(_) => false,
        })
    }

    /// Whether a check at run time finds two accesses to one object apart: other rows, or a place that the loop
    /// begins behind.
    fn found_apart(&self, store: &Access, load: &Access) -> bool {
        let (Some(ahead), Some(behind)) = (self.stride(store), self.stride(load)) else { return false };
        // The check runs before the loop, so that it compares where both begin.
        let begin = |access: &Access| access.address.offset.replaced(self.starts);
        let distance = begin(store).zip(begin(load)).and_then(|(store, load)| store.sub(&load));
        let Some(distance) = distance else { return false };
        let row = |(atom, factor): &(Atom, i64)| {
            matches!(atom, Atom::Product(..)) || factor.unsigned_abs() > store.address.bytes.max(load.address.bytes)
        };
        match distance.as_constant() {
            Some(bytes) if behind == 0 => bytes != 0 && (bytes > 0) == (ahead > 0),
            Some(bytes) if ahead == 0 => bytes != 0 && (bytes < 0) == (behind > 0),
            Some(_) => false,
            None => distance.terms.iter().any(row),
        }
    }

    /// Whether an instruction puts vectors together.
    fn gathers(&self) -> bool {
        self.setting.profile.gathered_loads > 1.0 && self.setting.costs.widest_bits >= GATHERED
    }

    /// Cycles of an access per vector.
    fn busy(&self, access: &Access, lanes: u32, legality: Legality) -> f64 {
        let class = access.class();
        let (scalar, vector) = self.setting.costs.busy(class, access.float);
        let bytes = i64::try_from(access.address.bytes).unwrap_or(i64::MAX);
        match self.stride(access) {
            // What the check found apart is read once, before the loop.
            Some(0) if legality == Legality::Checked => 0.0,
            Some(0) => vector,
            Some(stride) if stride.abs() == bytes => vector + self.split(access, class),
            _ => self.one_by_one(access, lanes, scalar),
        }
    }

    /// Cycles of elements that do not lie next to each other, per vector.
    fn one_by_one(&self, access: &Access, lanes: u32, scalar: f64) -> f64 {
        // Calibrated costs win over what classes add up to.
        let measured = self.setting.costs.elements(access.class(), access.address.bytes, self.gathers());
        measured.unwrap_or_else(|| {
            let elements = scalar * f64::from(lanes);
            if access.store {
                // Each element is taken out of the vector by an operation of its own (gcc 12, suite kernel product_jki).
                2.0 * scalar * f64::from(lanes)
            } else if self.setting.costs.widest_bits >= GATHERED {
                elements * self.setting.profile.gathered_loads
            } else {
                elements
            }
        })
    }

    /// Cycles that are lost between two lines, on average over the places where the array may begin.
    fn split(&self, access: &Access, class: InstructionClass) -> f64 {
        // Accesses of one vector cross a line only where the begin is not a multiple of the vector.
        let vector = i64::from(self.setting.costs.vector_bits / 8);
        let offset = &access.address.offset;
        let in_row = |atom: &Atom| matches!(atom, Atom::Entry(v) if self.graph.steps.contains_key(v));
        let rows_aligned = offset.terms.iter().all(|(atom, factor)| in_row(atom) || factor % vector == 0);
        let begins = offset.replaced(self.starts);
        let root_aligned = match &access.address.root {
            Root::Object(_) => true,
            Root::Pointer(pointer) => {
                self.setting.facts.aligned.get(pointer).is_some_and(|bytes| bytes % vector.unsigned_abs() == 0)
            }
            Root::Value(_) => false,
        };
        let aligned = root_aligned && rows_aligned && begins.is_some_and(|begins| begins.constant % vector == 0);
        if aligned { 0.0 } else { self.setting.costs.split(class, access.address.bytes) }
    }
}

/// A recurrence through memory forbids vectors, but for an integer sum in one place.
fn blocks(setting: Setting<'_>, graph: &Graph, edge: &CarriedDependence) -> bool {
    // A sum in memory may be reordered like one in a register, with -fassociative-math.
    let float = graph.accesses.iter().any(|access| access.node == edge.to && access.float);
    !float || !setting.costs.reassociate
}

/// Scalars that iterations hand on are inductions, or sums whose order is free; else why not.
fn reductions(setting: Setting<'_>, graph: &Graph, live: &NodeFlags) -> Option<VectorizationBlocker> {
    let obstacle = |(_, node): (ValueNumber, &Node)| {
        let Opcode::Entry(variable) = node.opcode else { return None };
        let &end = graph.carried.get(&variable).filter(|_| !graph.steps.contains_key(&variable))?;
        // Partial sums are in no lane of their own: who looks at them needs the scalar order.
        let seen = (!is_its_own(graph, live, end, variable)).then_some(VectorizationBlocker::Recurrence);
        seen.or(is_sum(setting, graph, end, variable).err())
    };
    graph.nodes.iter().filter(|(id, _)| live[*id]).find_map(obstacle)
}

/// Whether partial values of a sum are for the sum alone: gcc and clang vectorise no loop in which something else, such
/// as a store, sees them (nests.c, `running_sums`).
fn is_its_own(graph: &Graph, live: &NodeFlags, end: ValueNumber, variable: VarId) -> bool {
    let mut partial = graph.no_flags();
    let mut wanted = graph.no_flags();
    for (id, node) in graph.nodes.iter() {
        partial[id] = node.opcode == Opcode::Entry(variable) || node.operands.iter().any(|&from| partial[from]);
    }
    wanted[end] = true;
    for id in graph.nodes.ids().take(end.index() + 1).rev().filter(|&id| partial[id]) {
        let node = &graph.nodes[id];
        wanted[id] |= node.opcode == Opcode::Entry(variable);
        if wanted[id] {
            node.operands.iter().for_each(|&from| wanted[from] |= partial[from]);
        }
    }
    let is_seen = |id: ValueNumber| graph.nodes[id].operands.contains(&end) || (partial[id] && !wanted[id]);
    !graph.nodes.ids().any(|id| live[id] && is_seen(id))
}

/// The variable plus something that does not depend on it, or, chosen, the variable itself.
fn is_sum(setting: Setting<'_>, graph: &Graph, end: ValueNumber, variable: VarId) -> Result<(), VectorizationBlocker> {
    let node = &graph.nodes[end];
    let is_entry = |id: ValueNumber| graph.nodes[id].opcode == Opcode::Entry(variable);
    if node.opcode == Opcode::Operation(Operation::Select) {
        let Some((_, chosen)) = node.operands.split_last() else { return Err(VectorizationBlocker::Recurrence) };
        return chosen.iter().filter(|&&id| !is_entry(id)).try_for_each(|&id| is_sum(setting, graph, id, variable));
    }
    // Other recurrences than sums have no partial results per lane.
    if !node.opcode.is_sum() || !node.operands.iter().any(|&id| is_entry(id)) {
        return Err(VectorizationBlocker::Recurrence);
    }
    // Without -fassociative-math the sum of floating-point numbers has one order.
    let ordered = node.opcode.is_of_vector_floats() && !setting.costs.reassociate;
    if ordered { Err(VectorizationBlocker::SumOrder) } else { Ok(()) }
}
