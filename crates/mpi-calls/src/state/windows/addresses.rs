//! Addresses of memory that others may access: they travel as numbers.

use chronos_ir::DataModel;
use chronos_values::{ObjectId, Pointer};

/// Where the addresses that travel as numbers lie: each object has `space` bytes of its own around its begin.
struct AddressSpace {
    first: i64,
    space: i64,
    end: i64,
}

impl AddressSpace {
    /// Numbers that an `MPI_Aint` of the data model holds, far from small integers.
    fn of(model: DataModel) -> Self {
        match model {
            DataModel::Lp64 | DataModel::Aarch64 => Self { first: 1 << 46, space: 1 << 36, end: i64::MAX },
            DataModel::Ilp32 => Self { first: 1 << 28, space: 1 << 20, end: i32::MAX.into() },
        }
    }
}

/// A number that stands for an address, to tasks that only compute with it; `None` where it is too far from its object
/// or where there are more objects than the data model has addresses for.
pub fn published_address(to: Pointer, model: DataModel) -> Option<i64> {
    let AddressSpace { first, space, end } = AddressSpace::of(model);
    let begin = first.checked_add(space.checked_mul(number_of(to.object, model)?)?)?;
    let offset = to.offset;
    (begin < end - space && (-space / 2..space / 2).contains(&offset)).then(|| begin + offset)
}

pub(crate) fn at_address(number: i64, model: DataModel) -> Option<Pointer> {
    let AddressSpace { first, space, .. } = AddressSpace::of(model);
    let from = number.checked_sub(first)?.checked_add(space / 2)?;
    let object = u32::try_from(from.div_euclid(space)).ok()?;
    Some(Pointer { object: object_of(object, model), offset: from.rem_euclid(space) - space / 2 })
}

/// Where 32 bits have to do, there is room for the first object of each slot alone.
fn number_of(object: ObjectId, model: DataModel) -> Option<i64> {
    match model {
        DataModel::Ilp32 => (object.generation() == 0).then_some(object.0.into()),
        DataModel::Lp64 | DataModel::Aarch64 => Some(object.number().into()),
    }
}

fn object_of(number: u32, model: DataModel) -> ObjectId {
    match model {
        DataModel::Ilp32 => ObjectId(number),
        DataModel::Lp64 | DataModel::Aarch64 => ObjectId::of_number(number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_travel_lead_back() {
        for (object, offset) in [(0, 0), (0, -8), (7, 12), (1_000_000, (1 << 35) - 1)] {
            let at = Pointer { object: ObjectId(object), offset };
            let number = published_address(at, DataModel::Lp64).expect("it has an address");
            assert_eq!(at_address(number, DataModel::Lp64), Some(at));
        }
        assert_eq!(published_address(Pointer { object: ObjectId(1), offset: 1 << 36 }, DataModel::Lp64), None);
    }

    #[test]
    fn addresses_of_32_bits_lead_back() {
        for (object, offset) in [(0, 0), (0, -8), (7, 12), (1_700, (1 << 19) - 1)] {
            let at = Pointer { object: ObjectId(object), offset };
            let number = published_address(at, DataModel::Ilp32).expect("it has an address");
            assert!(i32::try_from(number).is_ok());
            assert_eq!(at_address(number, DataModel::Ilp32), Some(at));
        }
        assert_eq!(published_address(Pointer { object: ObjectId(4_000), offset: 0 }, DataModel::Ilp32), None);
    }
}
