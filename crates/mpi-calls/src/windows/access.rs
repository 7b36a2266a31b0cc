//! Accesses to a window: put, get, accumulate and their kin.

use crate::call::DONE;
use crate::call::{Call, Called, Refusal};
use crate::checks::state::windows::AccessMode;
use crate::codes;
use crate::data::buffer::Buffer;
use crate::data::buffer::Data;
use crate::data::reduce::combine;
use crate::interface::payload::Payload;
use crate::state::instances::Contribution;
use crate::state::pending::Pending;
use crate::state::requests::Request;
use crate::state::requests::RequestKind;
use crate::state::windows::access::WindowAccess;
use crate::state::windows::access::{AccessEffect, TargetPlace};
use chronos_activity::CommId;
use chronos_activity::Operation;
use chronos_activity::RequestId;
use chronos_base::units::Bytes;
use chronos_ir::DataModel;
use chronos_mpi::handles;
use chronos_mpi::{Datatype, ReduceOp};
use std::sync::Arc;

impl AccessEffect {
    fn how(&self) -> AccessMode {
        match self {
            Self::Put(_) => AccessMode::Write,
            Self::Get(_) => AccessMode::Read,
            Self::Combine { op, .. } => AccessMode::Accumulate(*op),
            Self::Swap { .. } => AccessMode::Swap,
        }
    }

    /// Bytes that go to the target, and come back.
    fn traffic(&self, bytes: u64) -> (u64, u64) {
        match self {
            Self::Put(_) => (bytes, 0),
            Self::Get(_) => (0, bytes),
            Self::Combine { op: ReduceOp::NoOp, .. } => (0, bytes),
            Self::Combine { fetched, .. } => (bytes, if fetched.is_some() { bytes } else { 0 }),
            Self::Swap { .. } => (2 * bytes, bytes),
        }
    }
}

impl Call<'_> {
    /// Rank, displacement, count and datatype at the target from `first` on; `None`: nobody.
    fn place(&mut self, window: CommId, first: usize) -> Result<Option<TargetPlace>, Refusal> {
        let count = self.count(first + 2)?;
        let datatype = self.committed(first + 3)?;
        self.place_of(window, first, count, datatype)
    }

    /// The data model of the machine of a member.
    pub(crate) fn model_there(&self, window: CommId, target: usize) -> DataModel {
        let task = self.mpi.members(window).task(target);
        task.map_or(self.model(), |task| self.mpi.options.model_of(task))
    }

    /// Refuses types that the target's machine lays out in another way: the layout that the origin's handle describes is
    /// not that of the memory there.
    fn check_layout(&self, window: CommId, target: usize, datatype: &Datatype) -> Result<(), Refusal> {
        let models = [self.model(), self.model_there(window, target)];
        if models[0] == models[1] {
            return Ok(());
        }
        let Some(which) = datatype.differing(models) else { return Ok(()) };
        let message = format!(
            "{} accesses the window of rank {target} with {}, which the machines of the two lay out differently",
            self.name(),
            which.name()
        );
        let help = "use a type of one size on all machines (MPI_INT64_T, MPI_INT, MPI_DOUBLE), a message, or machines of \
                    one data model";
        Err(self.wrong(&codes::UNSUPPORTED, message, help))
    }

    /// A buffer whose data goes to a window or comes from one.
    fn beside_window(&mut self, first: usize) -> Result<Buffer, Refusal> {
        Ok(self.buffer(first)?.unconverted(self.model()))
    }

    fn place_of(
        &mut self,
        window: CommId,
        first: usize,
        count: u64,
        datatype: Arc<Datatype>,
    ) -> Result<Option<TargetPlace>, Refusal> {
        let rank = self.int(first)?;
        if rank == handles::PROC_NULL {
            return Ok(None);
        }
        let members = self.mpi.windows.get(&window).map_or(&[][..], |window| &window.members);
        let target = usize::try_from(rank).ok().filter(|&rank| rank < members.len());
        let Some(target) = target else {
            let message = format!("{} is given rank {rank}, and its window has {} members", self.name(), members.len());
            return Err(self.wrong(
                &codes::RANK,
                message,
                "check the rank, or predict with another number of tasks (-n)",
            ));
        };
        let attached = members[target].attached.is_some();
        self.check_layout(window, target, &datatype)?;
        let datatype = datatype.unconverted();
        if attached {
            return self.attached_place(window, first, TargetPlace { target, begin: 0, count, datatype }).map(Some);
        }
        let steps = self.int(first + 1)?;
        let members = self.mpi.windows.get(&window).map_or(&[][..], |window| &window.members);
        let exposed = &members[target].exposed;
        let unit = i64::try_from(exposed.unit).unwrap_or(i64::MAX);
        let (start, end) = datatype.span(count);
        let begin = steps.saturating_mul(unit);
        let room = i64::try_from(exposed.bytes).unwrap_or(i64::MAX);
        if count > 0 && (begin.saturating_add(start) < 0 || begin.saturating_add(end) > room) {
            let last = begin.saturating_add(end);
            let message = format!("{} reaches byte {last} of the window of rank {rank}, which has {room}", self.name());
            return Err(self.wrong(&codes::WINDOW, message, "check displacement, count and the size of the window"));
        }
        Ok(Some(TargetPlace { target, begin: begin.cast_unsigned(), count, datatype }))
    }

    /// Issues an access, of which some functions make a request.
    fn access(&mut self, window: CommId, place: Option<TargetPlace>, effect: AccessEffect) -> Called {
        let request = self.function.made_request();
        let Some(place) = place else {
            if let Some(argument) = request {
                self.new_request(argument, Request::new(RequestKind::Send));
            }
            return DONE;
        };
        self.check_epoch(window, place.target)?;
        // What a request brings is complete with the request, which is not followed.
        if request.is_none() || effect.traffic(1).1 == 0 {
            self.check_access(window, &place, effect.how());
        }
        let request = match request {
            Some(argument) => self.new_request(argument, Request::new(RequestKind::Send)),
            None => {
                self.check_origin(window, place.target);
                self.issue(window, place.target)
            }
        };
        let (sent, returned) = effect.traffic(place.bytes());
        let Some(to) = self.mpi.members(window).task(place.target) else { return DONE };
        let operation = Operation::Access { to, sent: Bytes(sent), returned: Bytes(returned), request };
        self.then(vec![operation], Pending::Access(Box::new(WindowAccess { window, place, effect })))
    }

    fn issue(&mut self, window: CommId, target: usize) -> RequestId {
        let id = self.mpi.task(self.task).requests.insert(Request::hidden());
        if let Some(member) = self.mpi.own(self.task, window) {
            member.issued.push((target, id));
        }
        id
    }

    fn check_epoch(&mut self, window: CommId, target: usize) -> Result<(), Refusal> {
        let task = self.mpi.members(window).task(target);
        let Some(member) = self.mpi.own(self.task, window) else { return Ok(()) };
        let epoch = &member.epoch;
        let own =
            epoch.all || task.is_some_and(|task| member.started.contains(&task)) || epoch.locked.contains(&target);
        let fenced = epoch.fenced;
        if own {
            self.check_used_epoch(window);
        }
        if fenced || own {
            return Ok(());
        }
        let message = format!("{} accesses rank {target} of a window outside of an epoch", self.name());
        let help = "begin one before it: MPI_Win_fence, MPI_Win_start or MPI_Win_lock";
        Err(self.wrong(&codes::EPOCH, message, help))
    }

    /// The access takes effect.
    pub fn accessed(&mut self, access: WindowAccess) -> Called {
        let WindowAccess { window, place, effect } = access;
        match effect {
            AccessEffect::Put(data) => self.write_there(window, &place, &data),
            AccessEffect::Get(into) => {
                let data = self.read_there(window, &place);
                self.write(&into, &data);
            }
            AccessEffect::Combine { data, op, fetched } => {
                let old = self.read_there(window, &place);
                if let Some(new) = combined(op, &old, data, &place.datatype, self.model()) {
                    self.write_there(window, &place, &new);
                }
                fetched.iter().for_each(|into| self.write(into, &old));
            }
            AccessEffect::Swap { data, compare, fetched } => {
                let old = self.read_there(window, &place);
                let bytes = |data: &Data| data.payload.as_ref()?.bytes(0, place.bytes(), self.model());
                match (bytes(&old), bytes(&compare)) {
                    (Some(old), Some(compare)) if old != compare => {}
                    (Some(_), Some(_)) => self.write_there(window, &place, &data),
                    // Nobody knows whether they are equal.
                    _ => self.write_there(window, &place, &Data::unknown(place.bytes())),
                }
                self.write(&fetched, &old);
            }
        }
        DONE
    }

    fn read_there(&mut self, window: CommId, place: &TargetPlace) -> Data {
        let (own, model) = (self.model(), self.model_there(window, place.target));
        let member = self.mpi.windows.get(&window).and_then(|window| window.members.get(place.target));
        let mut all = Payload::default();
        for (at, piece) in place.pieces().into_iter().flatten() {
            if let Some(member) = member {
                all.append(&member.image.read(at, piece.bytes, model), piece.data);
            }
        }
        let all = if own == model { all } else { all.shared() };
        Data { payload: all.non_empty(), kind: place.datatype.uniform(), ..Data::unknown(place.bytes()) }
    }

    fn write_there(&mut self, window: CommId, place: &TargetPlace, data: &Data) {
        let (own, model) = (self.model(), self.model_there(window, place.target));
        let member = self.mpi.windows.get_mut(&window).and_then(|window| window.members.get_mut(place.target));
        let Some(member) = member else { return };
        let Some(pieces) = place.pieces() else {
            let (start, end) = place.datatype.span(place.count);
            let begin = place.begin.saturating_add_signed(start);
            return member.image.write(begin, end.abs_diff(start), None, model);
        };
        for (at, piece) in pieces {
            let known = data.payload.as_ref().map(|all| all.slice(piece.data, piece.bytes, own));
            let known =
                known.map(|known| if own == model { known } else { known.shared() }).and_then(Payload::non_empty);
            member.image.write(at, piece.bytes, known.as_ref(), model);
        }
    }

    /// The operation of an accumulation, which must be predefined.
    fn accumulation(&mut self, argument: usize) -> Result<ReduceOp, Refusal> {
        let handle = self.int(argument)?;
        ReduceOp::from_handle(handle).ok_or_else(|| self.bad_handle(argument, "no predefined operation"))
    }

    fn single(&mut self, argument: usize, datatype: &Arc<Datatype>) -> Buffer {
        let (address, form) = (self.address(argument), self.form());
        let buffer = Buffer { address, count: 1, datatype: datatype.clone(), form, vague: None, site: self.site };
        buffer.unconverted(self.model())
    }
}

/// `None` where the target stays as it is.
fn combined(op: ReduceOp, old: &Data, new: Data, datatype: &Datatype, model: DataModel) -> Option<Data> {
    match op {
        ReduceOp::NoOp => None,
        ReduceOp::Replace => Some(new),
        op => {
            let bytes = old.bytes;
            let given = [old.clone(), new].map(|data| Some(Box::new(Contribution::of(data))));
            Some(datatype.uniform().map_or(Data::unknown(bytes), |kind| combine(op, kind, &given, model)))
        }
    }
}

/// `MPI_Put(origin, count, type, rank, displacement, count, type, window)`, also with a request.
pub(crate) fn put(call: &mut Call<'_>) -> Called {
    let window = call.window(7)?;
    let from = call.beside_window(0)?;
    let place = call.place(window, 3)?;
    call.check_length(&from);
    fits(call, from.bytes(), place.as_ref())?;
    let data = call.data(&from);
    call.access(window, place, AccessEffect::Put(data))
}

/// Origin and target must be of the same size.
fn fits(call: &Call<'_>, bytes: u64, place: Option<&TargetPlace>) -> Result<(), Refusal> {
    let Some(room) = place.map(TargetPlace::bytes).filter(|&room| room < bytes) else { return Ok(()) };
    let message = format!("{} moves {bytes} bytes at its origin and {room} at its target", call.name());
    Err(call.wrong(&codes::TRUNCATION, message, "give both sides the same count times the same size of datatype"))
}

/// `MPI_Get(origin, count, type, rank, displacement, count, type, window)`, also with a request.
pub(crate) fn get(call: &mut Call<'_>) -> Called {
    let window = call.window(7)?;
    let into = call.beside_window(0)?;
    let place = call.place(window, 3)?;
    if let Some(place) = &place {
        call.check_room(place.bytes(), &into)?;
    }
    call.access(window, place, AccessEffect::Get(into))
}

/// `MPI_Accumulate(origin, count, type, rank, displacement, count, type, op, window)`, also with a request.
pub(crate) fn accumulate(call: &mut Call<'_>) -> Called {
    let window = call.window(8)?;
    let op = call.accumulation(7)?;
    let from = call.beside_window(0)?;
    let place = call.place(window, 3)?;
    fits(call, from.bytes(), place.as_ref())?;
    let data = call.data(&from);
    call.access(window, place, AccessEffect::Combine { data, op, fetched: None })
}

/// `MPI_Get_accumulate(origin, count, type, result, count, type, rank, displacement, count, type, op, window)`, also with a request.
pub(crate) fn get_accumulate(call: &mut Call<'_>) -> Called {
    let window = call.window(11)?;
    let op = call.accumulation(10)?;
    let into = call.beside_window(3)?;
    let place = call.place(window, 6)?;
    let data = if op == ReduceOp::NoOp {
        Data::default()
    } else {
        let from = call.beside_window(0)?;
        fits(call, from.bytes(), place.as_ref())?;
        call.data(&from)
    };
    call.access(window, place, AccessEffect::Combine { data, op, fetched: Some(into) })
}

/// `MPI_Fetch_and_op(origin, result, type, rank, displacement, op, window)`.
pub(crate) fn fetch_and_op(call: &mut Call<'_>) -> Called {
    let window = call.window(6)?;
    let op = call.accumulation(5)?;
    let datatype = call.committed(2)?;
    let (from, into) = (call.single(0, &datatype), call.single(1, &datatype));
    let place = call.place_of(window, 3, 1, datatype)?;
    let data = call.data(&from);
    call.access(window, place, AccessEffect::Combine { data, op, fetched: Some(into) })
}

/// `MPI_Compare_and_swap(origin, compare, result, type, rank, displacement, window)`.
pub(crate) fn compare_and_swap(call: &mut Call<'_>) -> Called {
    let window = call.window(6)?;
    let datatype = call.committed(3)?;
    let (from, compare, fetched) = (call.single(0, &datatype), call.single(1, &datatype), call.single(2, &datatype));
    let place = call.place_of(window, 4, 1, datatype)?;
    let (data, compare) = (call.data(&from), call.data(&compare));
    call.access(window, place, AccessEffect::Swap { data, compare, fetched })
}
