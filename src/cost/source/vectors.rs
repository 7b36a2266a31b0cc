//! Whether the iterations of a loop may run side by side, and what forbids it.

use super::build::Setting;
use super::graph::{Access, Graph, Key};
use super::scope::stride;
use crate::program::{InstructionClass, VarId};

/// Whether a loop may be turned into one over vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Legality {
    No(Obstacle),
    /// Where a check at run time finds the arrays apart.
    Checked,
    Yes,
}

/// Why iterations cannot run side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// It holds other loops, or is none.
    NotInnermost,
    /// Calls, jumps and branches that stay branches.
    Branches,
    /// An iteration needs what the one before computed.
    Recurrence,
    /// A sum of floating-point numbers whose order must be kept.
    Order,
    /// Memory is not accessed element after element.
    Stride,
    /// Two accesses to one object that may meet.
    Overlap,
    /// A square root that may have to set `errno`.
    Errno,
    /// No vector instruction divides integers.
    IntegerDivision,
    /// Nothing is gained: no array, or elements as wide as a vector.
    Narrow,
}

/// Whether the iterations may run side by side, and how many fit a vector.
pub fn vector(setting: Setting<'_>, graph: &Graph, live: &[bool]) -> (Legality, u32) {
    match lanes(setting, graph, live) {
        Ok(found) => found,
        Err(obstacle) => (Legality::No(obstacle), 1),
    }
}

fn lanes(setting: Setting<'_>, graph: &Graph, live: &[bool]) -> Result<(Legality, u32), Obstacle> {
    if graph.irregular {
        return Err(Obstacle::Branches);
    }
    if graph.through_memory.iter().any(|edge| blocks(setting, graph, edge)) {
        return Err(Obstacle::Recurrence);
    }
    let (legality, widest) = accesses(setting, graph)?;
    let divides = |(id, node): (usize, &super::graph::Node)| {
        live[id] && matches!(node.class, Some(InstructionClass::IntDiv | InstructionClass::IntDiv64))
    };
    if graph.nodes.iter().enumerate().any(divides) {
        return Err(Obstacle::IntegerDivision);
    }
    // A negative argument sets errno, which no vector instruction does.
    let root = |(id, node): (usize, &super::graph::Node)| live[id] && node.class == Some(InstructionClass::FpSqrt);
    if setting.costs.math_errno && graph.nodes.iter().enumerate().any(root) {
        return Err(Obstacle::Errno);
    }
    if let Some(obstacle) = reductions(setting, graph, live) {
        return Err(obstacle);
    }
    let lanes = u32::try_from(u64::from(setting.costs.vector_bits) / (8 * widest.max(1))).unwrap_or(1);
    if widest == 0 || lanes < 2 { Err(Obstacle::Narrow) } else { Ok((legality, lanes)) }
}

/// Whether the accesses allow it, and the widest element in bytes.
fn accesses(setting: Setting<'_>, graph: &Graph) -> Result<(Legality, u64), Obstacle> {
    let change = |v: VarId| match graph.steps.get(&v) {
        Some(step) => Some(*step),
        None => (!graph.carried.contains_key(&v)).then_some(0),
    };
    let mut widest = 0;
    let mut legality = Legality::Yes;
    for access in &graph.accesses {
        let bytes = i64::try_from(access.address.bytes).unwrap_or(i64::MAX);
        match stride(access, &change) {
            Some(0) if !access.store => {}
            Some(stride) if stride.abs() == bytes => widest = widest.max(access.address.bytes),
            _ => return Err(Obstacle::Stride),
        }
        let clash = |other: &Access| {
            other.address != access.address && (other.store || access.store) && setting.may_alias(other, access)
        };
        for other in graph.accesses.iter().filter(|other| clash(other)) {
            if other.address.root == access.address.root {
                return Err(Obstacle::Overlap);
            }
            legality = Legality::Checked;
        }
    }
    Ok((legality, widest))
}

/// A recurrence through memory forbids vectors, but for an integer sum in one place.
fn blocks(setting: Setting<'_>, graph: &Graph, &(_, load, ..): &(u32, u32, f64, f64)) -> bool {
    let float = graph.accesses.iter().any(|access| access.node == load && access.float);
    !float || !setting.costs.reassociate
}

/// Scalars that iterations hand on are inductions, or sums whose order is free; else why not.
fn reductions(setting: Setting<'_>, graph: &Graph, live: &[bool]) -> Option<Obstacle> {
    let obstacle = |(_, node): (usize, &super::graph::Node)| {
        let Key::Entry(variable) = node.key else { return None };
        let &end = graph.carried.get(&variable).filter(|_| !graph.steps.contains_key(&variable))?;
        is_sum(setting, graph, end, variable).err()
    };
    graph.nodes.iter().enumerate().filter(|(id, _)| live[*id]).find_map(obstacle)
}

/// The variable plus something that does not depend on it, or, chosen, the variable itself.
fn is_sum(setting: Setting<'_>, graph: &Graph, end: u32, variable: VarId) -> Result<(), Obstacle> {
    let node = &graph.nodes[end as usize];
    let Key::Operation(name) = &node.key else { return Err(Obstacle::Recurrence) };
    let is_entry = |id: u32| graph.nodes[id as usize].key == Key::Entry(variable);
    if name == "select" {
        let Some((_, chosen)) = node.operands.split_last() else { return Err(Obstacle::Recurrence) };
        return chosen.iter().filter(|&&id| !is_entry(id)).try_for_each(|&id| is_sum(setting, graph, id, variable));
    }
    let float = name.ends_with("F64") || name.ends_with("F32");
    let adds = name.starts_with("Add ") || name.starts_with("fused Add ");
    match adds && node.operands.iter().any(|&id| is_entry(id)) {
        false => Err(Obstacle::Recurrence),
        true if float && !setting.costs.reassociate => Err(Obstacle::Order),
        true => Ok(()),
    }
}
