//! Loads of what an earlier iteration loaded: compilers that keep those in registers need no load, and where one is
//! handed on twice, they find no vectors any more.

use crate::source::address::place::ValueNumber;
use crate::source::dataflow::build::Setting;
use crate::source::dataflow::graph::{Access, Graph};

/// Loads that are not executed, by node.
#[derive(Clone, Debug, Default)]
pub(crate) struct LoadReuse {
    pub loads: Vec<ValueNumber>,
    /// A value is handed on twice.
    pub twice: bool,
}

/// Loads of a loop that the iteration before made for another place; quadratic in the accesses.
pub(crate) fn reused_loads(setting: Setting<'_>, graph: &Graph) -> LoadReuse {
    if !setting.profile.keeps_loads || graph.calls {
        return LoadReuse::default();
    }
    let stores = || graph.accesses.iter().filter(|access| access.store);
    // A value in a register is stale where a store may write its place.
    let safe = |load: &Access| !load.store && !stores().any(|store| setting.may_alias(load, store));
    // The iteration before loaded what lies one stride ahead of its other load.
    let ahead = |load: &Access| {
        let stride = graph.stride(load).filter(|&stride| stride != 0)?;
        let next = |other: &&Access| {
            other.address.root == load.address.root
                && other
                    .address
                    .offset
                    .sub(&load.address.offset)
                    .is_some_and(|apart| apart.as_constant() == Some(stride))
        };
        graph.accesses.iter().filter(|other| safe(other)).find(next)
    };
    let reused: Vec<(&Access, &Access)> =
        { graph.accesses.iter() }.filter(|load| safe(load)).filter_map(|load| Some((load, ahead(load)?))).collect();
    // Phis of phis: LLVM 14 vectorises recurrences of first order, not those of second.
    let twice = reused.iter().any(|(_, from)| reused.iter().any(|(load, _)| load.node == from.node));
    LoadReuse { loads: reused.iter().map(|(load, _)| load.node).collect(), twice }
}
