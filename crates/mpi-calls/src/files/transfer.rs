//! Reading and writing of files. One handler serves all forms: the row of a function says what it does.

use crate::call::{Call, Called, DONE, Refusal};
use crate::codes;
use crate::collectives::plan::Plan;
use crate::data::buffer::Data;
use crate::interface::payload::Payload;
use crate::state::files::access::{FileAccess, SplitCollective};
use crate::state::files::open_file::OpenFile;
use crate::state::files::view::FileRange;
use crate::state::handle_table::FileId;
use crate::state::instances::Contribution;
use crate::state::pending::Pending;
use crate::state::requests::{Request, RequestKind};
use crate::state::status::Status;
use chronos_activity::{CollectiveKind, Operation};
use chronos_base::ids::Id;
use chronos_base::units::Bytes;
use chronos_functions::{FileTransfer, Positioning, Synchronism};

/// Any function that reads or writes.
pub(crate) fn transfer(call: &mut Call<'_>) -> Called {
    let missing = || call.bad_argument(0, "goes to no function that reads or writes");
    let form = call.function.transfer.ok_or_else(missing)?;
    let (id, file) = call.file(0)?;
    if form.synchronism == Synchronism::SplitEnd {
        return end(call, id, &file, form);
    }
    if form.synchronism == Synchronism::SplitBegin && file.split.is_some() {
        let help = "end the one before it first (MPI_File_..._end)";
        return Err(call.wrong(&codes::ARGUMENT, format!("{} begins a second split collective", call.name()), help));
    }
    let explicit = form.positioning == Positioning::Explicit;
    let offset = if explicit { Some(call.count(1)?) } else { None };
    let first = if explicit { 2 } else { 1 };
    let buffer = call.buffer(first)?.unconverted(call.model());
    let data = form.writes.then(|| call.data(&buffer));
    let last = first + 3;
    let status = if form.synchronism == Synchronism::Blocking { call.output(last) } else { None };
    let request = call.function.made_request();
    let request = request.map(|argument| call.new_request(argument, Request::new(RequestKind::Send)));
    let bytes = Bytes(buffer.bytes());
    let mut events = Vec::new();
    let mut joined = None;
    if form.collective {
        let mut plan = Plan::new(CollectiveKind::Barrier, file.comm, 0);
        plan.gives = Contribution::of(Data::unknown(bytes.0));
        let (collective, entered) = call.join(plan)?;
        events.push(Operation::Collective(collective));
        joined = Some(Box::new(entered));
    }
    events.push(Operation::Storage { bytes, write: form.writes, request });
    let access = FileAccess { file: id, form, offset, buffer, data, status, request, joined };
    call.then(events, Pending::File(Box::new(access)))
}

/// The end of a split collective: its status.
fn end(call: &mut Call<'_>, id: FileId, file: &OpenFile, form: FileTransfer) -> Called {
    let Some(split) = file.split.filter(|split| split.write == form.writes) else {
        let help = "call the same function with _begin before it";
        return Err(call.wrong(&codes::ARGUMENT, format!("{} ends what was not begun", call.name()), help));
    };
    call.change_file(id, |file| file.split = None);
    let place = call.output(2);
    call.put_status(place, 0, split.status);
    DONE
}

impl Call<'_> {
    /// The access takes effect.
    pub(crate) fn file_accessed(&mut self, access: FileAccess) -> Called {
        let Ok(file) = self.open_file(access.file) else { return DONE };
        let steps = access.buffer.bytes() / file.view.elementary.size.max(1);
        let position = self.position(&access, &file, steps);
        let bytes = if access.form.writes {
            self.write_file(&access, &file, position)
        } else {
            self.read_file(&access, &file, position)
        };
        let status = Status { bytes, ..Status::EMPTY };
        self.put_status(access.status, 0, status);
        if let Some(request) = access.request.and_then(|id| self.request(id)) {
            request.work = RequestKind::Stored(status);
        }
        if access.form.synchronism == Synchronism::SplitBegin {
            let write = access.form.writes;
            self.change_file(access.file, |file| file.split = Some(SplitCollective { status, write }));
        }
        access.joined.map_or(DONE, |joined| self.joined(*joined))
    }

    fn open_file(&self, id: FileId) -> Result<OpenFile, Refusal> {
        let files = &self.mpi.tasks[self.task.index()].files;
        files.get(id).cloned().ok_or_else(|| self.bad_handle(0, "no file of this task"))
    }

    /// Where the access begins; moves the pointer on.
    fn position(&mut self, access: &FileAccess, file: &OpenFile, steps: u64) -> u64 {
        if let Some(offset) = access.offset {
            return offset;
        }
        // The pointer moves on, so a loop around the call is not back where it was.
        self.env.unsettle();
        if access.form.positioning == Positioning::Individual {
            self.change_file(access.file, |file| file.position = file.position.saturating_add(steps));
            return file.position;
        }
        let key = (file.comm, file.name.clone());
        let shared = self.mpi.disk.shared.entry(key).or_insert(0);
        let Some(joined) = &access.joined else {
            let position = *shared;
            *shared = position.saturating_add(steps);
            return position;
        };
        // One after the other, by rank; the first who gets there moves the pointer for all.
        let size = file.view.elementary.size.max(1);
        let instances = &mut self.mpi.comms[joined.comm.index()].instances;
        let Some(instance) = instances.get_mut(joined.number) else { return *shared };
        let steps = |ranks: std::ops::Range<usize>| -> u64 {
            instance.contributions[ranks].iter().flatten().map(|given| given.data.bytes / size).sum()
        };
        let (below, all) = (steps(0..joined.rank), steps(0..instance.contributions.len()));
        let begin = *instance.position.get_or_insert_with(|| {
            let begin = *shared;
            *shared = begin.saturating_add(all);
            begin
        });
        begin.saturating_add(below)
    }

    fn write_file(&mut self, access: &FileAccess, file: &OpenFile, position: u64) -> u64 {
        let (model, several) = (self.model(), self.mpi.options.is_mixed());
        let bytes = access.buffer.bytes();
        let from = position.saturating_mul(file.view.elementary.size);
        let content = self.content(&file.name);
        match file.view.stretches(from, bytes) {
            Some(stretches) => {
                for FileRange { file, data, bytes } in stretches {
                    let payload = access.data.as_ref().and_then(|all| all.payload.as_ref());
                    let known = payload.map(|payload| payload.slice(data, bytes, model));
                    let known = known.map(|known| if several { known.shared() } else { known });
                    let known = known.and_then(Payload::non_empty);
                    content.write(file, bytes, known.as_ref(), model);
                }
            }
            None => content.lose(),
        }
        bytes
    }

    /// What is there of what is asked for.
    fn read_file(&mut self, access: &FileAccess, file: &OpenFile, position: u64) -> u64 {
        let model = self.model();
        let from = position.saturating_mul(file.view.elementary.size);
        let asked = access.buffer.bytes();
        let stretches = file.view.stretches(from, asked);
        let content = self.content(&file.name);
        let mut all = Payload::default();
        let mut bytes = 0;
        for FileRange { file, data, bytes: length } in stretches.iter().flatten().copied() {
            let there = content.available(file, length);
            all.append(&content.read(file, there, model), data);
            bytes += there;
        }
        if stretches.is_none() {
            bytes = asked;
        }
        let kind = access.buffer.datatype.uniform();
        let data = Data { payload: all.non_empty(), kind, ..Data::unknown(bytes) };
        let buffer = access.buffer.clone();
        self.write(&buffer, &data);
        bytes
    }
}
