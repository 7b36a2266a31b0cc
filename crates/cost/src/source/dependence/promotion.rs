//! Recurrences through memory: which loads read what a store of an earlier iteration wrote, and where scalar
//! replacement (Callahan, Carr and Kennedy, PLDI 1990) keeps that value in a register.

use crate::source::address::place::{Root, ValueNumber};
use crate::source::compiler::profile::Accumulator;
use crate::source::dataflow::build::Setting;
use crate::source::dataflow::graph::{Access, CarriedDependence, Graph};
use chronos_ir::InstructionClass;

/// Dependences farther apart than this number of iterations are taken to be hidden.
const FARTHEST: i64 = 16;

/// Whether the one operation that uses a load reads memory by itself.
fn operand(setting: Setting<'_>, graph: &Graph, load: &Access) -> bool {
    let users = graph.nodes.values().filter(|node| node.operands.contains(&load.node));
    setting.costs.folds_loads && users.take(2).count() == 1
}

/// Finds what memory carries from store to load of later iterations. What the compiler keeps in a register
/// needs no load, and no store either where nothing else may look: those nodes are returned.
pub fn recurrences(setting: Setting<'_>, graph: &mut Graph) -> Vec<ValueNumber> {
    let mut removed = Vec::new();
    for load in graph.accesses.iter().filter(|access| !access.store) {
        // Without a stride no distance is known.
        let Some(stride) = graph.stride(load) else { continue };
        let stores = graph.accesses.iter().filter(|access| access.store && access.address.root == load.address.root);
        let nearest =
            stores.filter_map(|store| Some((distance(load, store, stride)?, store))).min_by_key(|found| found.0);
        let Some((distance, store)) = nearest else { continue };
        // The nearest store is the one whose value the load gets.
        let promotion = promoted(setting, graph, load, store, stride);
        let cycles = if promotion.in_register {
            0.0
        } else if setting.profile.optimises {
            setting.costs.carrying(store.float, operand(setting, graph, load))
        } else {
            setting.costs.forwarding(float_or_int(store))
        };
        // The recurrence goes from the stored value to the load that reads it.
        let value = graph.nodes[store.node].operands[0];
        let distance = distance as f64;
        graph.through_memory.push(CarriedDependence { from: value, to: load.node, cycles, distance });
        // Scalar replacement: the value stays in a register (GCC: predictive commoning and PRE).
        if promotion.in_register {
            removed.push(load.node);
        }
        // Store motion out of the loop (GCC: -ftree-loop-im): nothing else looks at the place.
        if promotion.store_is_dead && stride == 0 {
            removed.push(store.node);
        }
    }
    removed
}

fn float_or_int(access: &Access) -> chronos_ir::ScalarType {
    if access.float { chronos_ir::ScalarType::F64 } else { chronos_ir::ScalarType::I64 }
}

/// After how many iterations the load reads what the store wrote.
fn distance(load: &Access, store: &Access, stride: i64) -> Option<i64> {
    let ahead = store.address.offset.sub(&load.address.offset)?.as_constant()?;
    match stride {
        // At one place the next iteration reads it.
        0 => (ahead == 0).then_some(1),
        _ if ahead % stride == 0 => Some(ahead / stride).filter(|distance| (1..=FARTHEST).contains(distance)),
        _ => None,
    }
}

/// Where a value lives that memory carries to a later iteration.
struct Promotion {
    in_register: bool,
    /// No other access may touch the place: the register is stored once, behind the loop.
    store_is_dead: bool,
}

/// Whether a carried scalar lives in a register, and whether no other access may touch it.
fn promoted(setting: Setting<'_>, graph: &Graph, load: &Access, store: &Access, stride: i64) -> Promotion {
    // Only accesses to other places can be in the way.
    let others =
        || graph.accesses.iter().filter(|other| other.address != load.address && other.address != store.address);
    // The call that sets errno is hidden behind the fast path of sqrt.
    let roots = setting.costs.math_errno && sets_errno(graph);
    let hidden = graph.calls || roots && may_be_errno(setting, load);
    let alone = !graph.calls && !roots && !others().any(|other| setting.may_alias(other, store));
    let no_other_store = !hidden && !others().any(|other| other.store && setting.may_alias(other, store));
    // How bold a compiler is here is data of its profile.
    let register = setting.profile.optimises
        && match setting.profile.accumulator {
            Accumulator::Memory => false,
            Accumulator::Disjoint => alone && stride == 0,
            Accumulator::NoOtherStore => no_other_store,
            Accumulator::Checked => no_other_store || stride != 0 && checkable(graph, load, store),
        };
    Promotion { in_register: register, store_is_dead: register && alone }
}

/// A square root of a negative number calls a function that writes `errno`: what other functions may look at is stored
/// before (`gcc -O1` to `-O3 -S` of sums in memory beside `sqrt`, gcc 12; suite kernel `sums_of_roots`).
fn sets_errno(graph: &Graph) -> bool {
    graph.nodes.values().any(|node| node.class == Some(InstructionClass::FpSqrt) && !node.invariant)
}

/// A compiler does not know that a pointer does not lead to `errno`; at -O1 gcc does not ask whether an object is
/// another one.
fn may_be_errno(setting: Setting<'_>, load: &Access) -> bool {
    !matches!(load.address.root, Root::Object(_)) || setting.profile.accumulator == Accumulator::Disjoint
}

/// Whether a check before the loop can find all other stores apart: they go to other objects, and no call hides one.
fn checkable(graph: &Graph, load: &Access, store: &Access) -> bool {
    let mut others = graph.accesses.iter().filter(|other| other.store && other.address != store.address);
    !graph.calls && others.all(|other| other.address.root != load.address.root)
}
