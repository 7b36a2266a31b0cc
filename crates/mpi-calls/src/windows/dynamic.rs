//! Dynamic windows: members attach and detach memory, and name places by addresses of its owner.
//!
//! All that a member has attached is one image, in which each piece of memory has a stretch of its own.

use crate::call::{Call, Called, DONE, Refusal};
use crate::codes;
use crate::collectives::plan::Plan;
use crate::state::windows::access::TargetPlace;
use crate::state::windows::addresses::at_address;
use crate::state::windows::window::{Attached, AttachedRange, Exposed, Member};
use chronos_activity::CommId;
use chronos_values::{Pointer, Value};

/// Bytes between two stretches of an image.
const APART: u64 = 64;

/// `MPI_Win_create_dynamic(info, comm, window)`.
pub(crate) fn create_dynamic(call: &mut Call<'_>) -> Result<Plan, Refusal> {
    let comm = call.intracomm(1)?;
    call.exposing(comm, Exposed { base: None, bytes: 0, unit: 1, dynamic: true, allocated_by: None }, 2)
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
    let overlaps = |other: &AttachedRange| {
        let end = |start: i64, bytes: u64| start.saturating_add_unsigned(bytes);
        other.base.object == base.object
            && base.offset < end(other.base.offset, other.bytes)
            && other.base.offset < end(base.offset, bytes)
    };
    if attached.stretches.iter().any(overlaps) {
        let message = "memory is attached to a window that it is attached to already";
        return Err(call.wrong(&codes::WINDOW, message, "detach it first, or attach the whole once"));
    }
    attached.stretches.push(AttachedRange { base, bytes, at: attached.next });
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
    pub(crate) fn attached_place(
        &mut self,
        window: CommId,
        first: usize,
        place: TargetPlace,
    ) -> Result<TargetPlace, Refusal> {
        let argument = first + 1;
        let there = self.model_there(window, place.target);
        if there.is_64_bit() && !self.model().is_64_bit() {
            let message = format!("{} is given an address of rank {}, which has 8 bytes", self.name(), place.target);
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
        let member = self.mpi.windows.get(&window).and_then(|window| window.members.get(place.target));
        let stretches = member.map(Member::stretches).unwrap_or_default();
        let inside = |stretch: &AttachedRange, to: Pointer| {
            let from = to.offset.saturating_sub(stretch.base.offset);
            let end = i64::try_from(stretch.bytes).unwrap_or(i64::MAX);
            stretch.base.object == to.object && from.saturating_add(low) >= 0 && from.saturating_add(high) <= end
        };
        let found =
            wanted.and_then(|to| stretches.iter().find(|stretch| inside(stretch, to)).map(|stretch| (to, stretch)));
        let Some((to, stretch)) = found else {
            let message =
                format!("{} reaches memory that rank {} has not attached to its window", self.name(), place.target);
            let help = "attach it at the target before (MPI_Win_attach), synchronise, and give the address that MPI_Get_address has there";
            return Err(self.wrong(&codes::WINDOW, message, help));
        };
        let begin = stretch.at.saturating_add_signed(to.offset.saturating_sub(stretch.base.offset));
        Ok(TargetPlace { begin, ..place })
    }
}
