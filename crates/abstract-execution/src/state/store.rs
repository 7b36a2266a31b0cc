//! Variables and memory during abstract execution: what differs from the state before the region.

use super::last_call::LastCall;
use crate::expressions::affine::Affine;
use crate::expressions::symbolic::{Object, Symbolic};
use chronos_ir::{ScalarType, VarId};
use chronos_slicing::ClassId;
use chronos_values::ReasonId;
use std::collections::{BTreeMap, BTreeSet};

/// Where a place lies.
#[derive(Clone, Debug, PartialEq)]
pub enum Location {
    /// A scalar that nothing else reaches.
    Variable(VarId),
    /// A byte offset in an object.
    Cell(Object, Affine),
    /// Somewhere in an object.
    Within(Object),
    /// Somewhere in storage of a class.
    Anywhere(ClassId),
}

/// What abstract execution has changed so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    pub variables: BTreeMap<VarId, Symbolic>,
    /// Scalars at constant offsets.
    pub cells: BTreeMap<(Object, i128), (ScalarType, Symbolic)>,
    /// Objects whose content, `cells` apart, is no longer known.
    pub(crate) lost_objects: BTreeMap<Object, ReasonId>,
    /// Objects whose content, `cells` apart, is zero.
    pub zeroed: BTreeSet<Object>,
    /// As `lost_objects`, for all storage of a class.
    pub(crate) lost_classes: BTreeMap<ClassId, ReasonId>,
    /// The MPI call that came last, where whole programs are executed.
    pub last: LastCall,
}

/// What the region has written, at the end of it.
#[derive(Clone, Debug, Default)]
pub struct Written {
    pub variables: BTreeSet<VarId>,
    pub cells: BTreeSet<(Object, i128, ScalarType)>,
    pub objects: BTreeSet<Object>,
    pub classes: BTreeSet<ClassId>,
}

/// Most bytes of a scalar.
const MAX_SCALAR: i128 = 16;

impl State {
    /// The content of a cell as far as it was written; `Err` where part of it was.
    pub fn cell(&self, object: Object, offset: i128, ty: ScalarType, size: i128) -> Result<Option<&Symbolic>, ()> {
        if let Some((stored, value)) = self.cells.get(&(object, offset)) {
            return if *stored == ty { Ok(Some(value)) } else { Err(()) };
        }
        if self.overlapping(object, offset, size).next().is_some() { Err(()) } else { Ok(None) }
    }

    pub(crate) fn set_cell(&mut self, object: Object, offset: i128, ty: ScalarType, size: i128, value: Symbolic) {
        let stale: Vec<_> = self.overlapping(object, offset, size).collect();
        stale.iter().for_each(|key| {
            self.cells.remove(key);
        });
        self.cells.insert((object, offset), (ty, value));
    }

    pub(crate) fn lose_object(&mut self, object: Object, reason: ReasonId) {
        self.cells.retain(|key, _| key.0 != object);
        self.zeroed.remove(&object);
        self.lost_objects.insert(object, reason);
    }

    /// The whole object was set to zero.
    pub(crate) fn zero_object(&mut self, object: Object) {
        self.cells.retain(|key, _| key.0 != object);
        self.lost_objects.remove(&object);
        self.zeroed.insert(object);
    }

    fn overlapping(&self, object: Object, offset: i128, size: i128) -> impl Iterator<Item = (Object, i128)> + '_ {
        let candidates = self.cells.range((object, offset - MAX_SCALAR)..(object, offset + size));
        candidates
            .filter(move |(key, (ty, _))| key.1 + i128::from(ty.size(Default::default())) > offset)
            .map(|(key, _)| *key)
    }
}
