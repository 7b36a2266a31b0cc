//! Datatypes that reach from one object into others.
//!
//! Programs take addresses of several objects (`MPI_Get_address`), subtract the first and make a datatype of
//! the differences. `mpi::Datatype` knows bytes only, so objects count as standing in a row, in the order of their
//! numbers, at distances that no object fills.

use chronos_values::{Distance, ObjectId, Pointer};

/// Bytes from the begin of one object to that of the next: no object is as large as half of it.
const SPACING: i64 = 1 << 40;

/// A displacement that stands for the distance; `None` where the objects are too far apart.
pub(crate) fn displacement(distance: Distance) -> Option<i64> {
    let hops = i64::from(distance.to.number()) - i64::from(distance.from.number());
    hops.checked_mul(SPACING)?.checked_add(i64::from(distance.bytes))
}

/// Where a displacement leads from `start`.
pub(crate) fn reached(start: Pointer, displacement: i64) -> Option<Pointer> {
    let hops = displacement.checked_add(SPACING / 2)?.div_euclid(SPACING);
    let object = u32::try_from(i64::from(start.object.number()).checked_add(hops)?).ok()?;
    let offset = start.offset.checked_add(displacement - hops * SPACING)?;
    Some(Pointer { object: ObjectId::of_number(object), offset })
}

/// Whether a range of displacements leaves the object.
pub(crate) fn leaves(start: i64, end: i64) -> bool {
    start <= -SPACING / 2 || end >= SPACING / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_displacement_leads_where_the_distance_does() {
        let at = |slot, offset| Pointer { object: ObjectId::in_slot(slot, slot % 2), offset };
        for (to, from) in
            [(at(7, 16), at(3, 800)), (at(6, 16), at(3, 800)), (at(3, 0), at(7, 8)), (at(4, 80), at(3, 0))]
        {
            let distance = Distance::between(to, from).expect("two objects");
            let bytes = displacement(distance).expect("near");
            assert!(leaves(bytes, bytes + 8));
            assert_eq!(reached(from, bytes), Some(to));
        }
        assert_eq!(reached(at(3, 8), 16), Some(at(3, 24)));
        assert_eq!(reached(at(0, 0), -SPACING), None);
        assert!(!leaves(-80, 1 << 38));
    }
}
