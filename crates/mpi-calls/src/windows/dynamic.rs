//! Dynamic windows: members attach and detach memory, and name places by addresses of its owner.
//!
//! All that a member has attached is one image, in which each piece of memory has a stretch of its own.

use super::super::call::{Call, Called, DONE, Refusal};
use super::super::collective::Plan;
use super::super::{buffer::moved, codes};
use super::access::Place;
use super::{Exposed, Member};
use chronos_activity::CommId;
use chronos_base::ids::Id;
use chronos_ir::DataModel;
use chronos_values::{ObjectId, Pointer, Value};

/// Memory that is attached, and where it stands in the image.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stretch {
    pub base: Pointer,
    pub bytes: u64,
    pub at: u64,
}

/// All that is attached to a member.
#[derive(Clone, Debug, Default)]
pub(crate) struct Attached {
    stretches: Vec<Stretch>,
    /// Where the next one stands: places are not used again, so that what is written to detached memory hits nothing.
    next: u64,
    /// Something was attached whose address is not known.
    vague: bool,
}

/// Bytes between two stretches of an image.
const APART: u64 = 64;

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
            DataModel::Lp64 => Self { first: 1 << 46, space: 1 << 36, end: i64::MAX },
            DataModel::Ilp32 => Self { first: 1 << 28, space: 1 << 20, end: i32::MAX.into() },
        }
    }
}

/// A number that stands for an address, to tasks that only compute with it; `None` where it is too far from its object
/// or where there are more objects than the data model has addresses for.
pub fn published_address(to: Pointer, model: DataModel) -> Option<i64> {
    let AddressSpace { first, space, end } = AddressSpace::of(model);
    let begin = first.checked_add(space.checked_mul(to.object.index() as i64)?)?;
    let offset = to.offset;
    (begin < end - space && (-space / 2..space / 2).contains(&offset)).then(|| begin + offset)
}

fn at_address(number: i64, model: DataModel) -> Option<Pointer> {
    let AddressSpace { first, space, .. } = AddressSpace::of(model);
    let from = number.checked_sub(first)?.checked_add(space / 2)?;
    let object = u32::try_from(from.div_euclid(space)).ok()?;
    Some(Pointer { object: ObjectId(object), offset: from.rem_euclid(space) - space / 2 })
}

impl Member {
    /// What others may write to.
    pub(super) fn stretches(&self) -> Vec<Stretch> {
        match &self.attached {
            Some(attached) => attached.stretches.clone(),
            None => {
                self.exposed.base.map(|base| Stretch { base, bytes: self.exposed.bytes, at: 0 }).into_iter().collect()
            }
        }
    }
}

/// The address of a place in the image.
pub(super) fn address(stretches: &[Stretch], begin: u64) -> Option<Pointer> {
    let inside = stretches.iter().rev().find(|stretch| stretch.at <= begin)?;
    let offset = begin - inside.at;
    (offset <= inside.bytes).then(|| moved(inside.base, i64::try_from(offset).unwrap_or(i64::MAX)))
}

/// `MPI_Win_create_dynamic(info, comm, window)`.
pub(crate) fn create_dynamic(call: &mut Call<'_>) -> Result<Plan, Refusal> {
    let comm = call.intracomm(1)?;
    call.exposing(comm, Exposed { base: None, bytes: 0, unit: 1, dynamic: true }, 2)
}

/// `MPI_Win_attach(window, base, size)`.
pub(crate) fn attach(call: &mut Call<'_>) -> Called {
    let window = call.window(0)?;
    let bytes = call.count(2)?;
    let (base, unknown) = (call.address(1), call.env.argument(1).is_unknown());
    let attached = call.attached(window)?;
    attached.vague |= unknown;
    let Some(base) = base else { return DONE };
    call.env.publish(base.object);
    let attached = call.attached(window)?;
    let overlaps = |other: &Stretch| {
        let end = |start: i64, bytes: u64| start.saturating_add_unsigned(bytes);
        other.base.object == base.object
            && base.offset < end(other.base.offset, other.bytes)
            && other.base.offset < end(base.offset, bytes)
    };
    if attached.stretches.iter().any(overlaps) {
        let message = "memory is attached to a window that it is attached to already";
        return Err(call.wrong(&codes::WINDOW, message, "detach it first, or attach the whole once"));
    }
    attached.stretches.push(Stretch { base, bytes, at: attached.next });
    attached.next = attached.next.saturating_add(bytes).saturating_add(APART);
    call.own_member(window)?.image.complete(None);
    DONE
}

/// `MPI_Win_detach(window, base)`.
pub(crate) fn detach(call: &mut Call<'_>) -> Called {
    let window = call.window(0)?;
    let base = call.address(1);
    let attached = call.attached(window)?;
    let Some(base) = base else { return DONE };
    let found = attached.stretches.iter().position(|stretch| stretch.base == base);
    let vague = attached.vague;
    if let Some(gone) = found.map(|position| attached.stretches.remove(position)) {
        let model = call.model();
        call.own_member(window)?.image.forget(gone.at, gone.bytes, model);
    } else if !vague {
        let message = "memory is detached from a window that it is not attached to";
        return Err(call.wrong(
            &codes::WINDOW,
            message,
            "give MPI_Win_detach the address that MPI_Win_attach was given",
        ));
    }
    DONE
}

impl Call<'_> {
    fn attached(&mut self, window: CommId) -> Result<&mut Attached, Refusal> {
        let refusal = self.bad_handle(0, "no dynamic window (MPI_Win_create_dynamic)");
        self.own_member(window)?.attached.as_mut().ok_or(refusal)
    }

    /// Where an access goes whose displacement is an address of its target.
    pub(super) fn attached_place(&mut self, window: CommId, first: usize, place: Place) -> Result<Place, Refusal> {
        let argument = first + 1;
        let there = self.model_there(window, place.target);
        if there == DataModel::Lp64 && self.model() == DataModel::Ilp32 {
            let message = format!("{} is given an address of rank {}, which has 8 bytes", self.name, place.target);
            let help =
                "an MPI_Aint of this 32-bit machine has 4: use MPI_Win_create, messages, or machines of one data model";
            return Err(self.wrong(&codes::UNSUPPORTED, message, help));
        }
        let wanted = match self.env.argument(argument) {
            Value::Pointer(pointer) => Some(pointer),
            Value::Int(address) => at_address(address, there),
            Value::Unknown(reason) => return Err(Refusal::Unknown { argument, reason }),
            _ => None,
        };
        let (low, high) = place.datatype.span(place.count);
        let member = self.world.windows.get(&window).and_then(|window| window.members.get(place.target));
        let stretches = member.map(Member::stretches).unwrap_or_default();
        let inside = |stretch: &Stretch, to: Pointer| {
            let from = to.offset.saturating_sub(stretch.base.offset);
            let end = i64::try_from(stretch.bytes).unwrap_or(i64::MAX);
            stretch.base.object == to.object && from.saturating_add(low) >= 0 && from.saturating_add(high) <= end
        };
        let found =
            wanted.and_then(|to| stretches.iter().find(|stretch| inside(stretch, to)).map(|stretch| (to, stretch)));
        let Some((to, stretch)) = found else {
            let message =
                format!("{} reaches memory that rank {} has not attached to its window", self.name, place.target);
            let help = "attach it at the target before (MPI_Win_attach), synchronise, and give the address that MPI_Get_address has there";
            return Err(self.wrong(&codes::WINDOW, message, help));
        };
        let begin = stretch.at.saturating_add_signed(to.offset.saturating_sub(stretch.base.offset));
        Ok(Place { begin, ..place })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_travel_lead_back() {
        for (object, offset) in [(0, 0), (0, -8), (7, 12), (4_000_000, (1 << 35) - 1)] {
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
