//! Buffers: an address, a count and a datatype, as data to send or room to receive into.

use crate::data::cross_object;
use crate::interface::environment::CallEnvironment;
use crate::interface::payload::{Forms, Payload};
use chronos_activity::Site;
use chronos_base::span::Span;
use chronos_ir::DataModel;
use chronos_mpi::signature::TypedElements;
use chronos_mpi::{Datatype, Piece, Predefined};
use chronos_slicing::doubts::{Certainty, Doubt, Subject};
use chronos_values::{Pointer, Reason, ReasonId, ReasonKind};
use std::sync::Arc;

/// Pieces of memory up to which payload is followed; beyond, the content counts as unknown.
const PIECES: usize = 4096;
/// Data that is a smaller part of what lies between its ends is not looked for in all of that.
const SCATTERED: u64 = 8;

/// A buffer of a task. The address is `None` where it is not known, or null.
#[derive(Clone, Debug)]
pub(crate) struct Buffer {
    pub address: Option<Pointer>,
    pub count: u64,
    pub datatype: Arc<Datatype>,
    /// The data model in whose form its data is given away and comes in: that of messages, and for files and windows
    /// the task's own.
    pub form: DataModel,
    /// Why the count is assumed, where it is.
    pub vague: Option<ReasonId>,
    /// The call that named it.
    pub site: Site,
}

/// Data that a task gives away.
#[derive(Clone, Debug, Default)]
pub(crate) struct Data {
    pub bytes: u64,
    /// Packed.
    pub payload: Option<Payload>,
    /// What all its elements are, where they are the same.
    pub kind: Option<Predefined>,
    /// What it was given as, where that is known of all of it.
    pub typed: Option<TypedElements>,
    /// Why some of the content is unknown.
    pub lost: Option<ReasonId>,
    /// Why the number of bytes is assumed, where it is.
    pub vague: Option<ReasonId>,
}

impl Data {
    /// So many bytes of which nothing is known.
    pub fn unknown(bytes: u64) -> Self {
        Self { bytes, ..Self::default() }
    }

    /// Scalars that are known.
    pub fn weight(&self) -> usize {
        self.payload.as_ref().map_or(0, |payload| payload.items.len())
    }
}

impl Buffer {
    /// In the form of its data.
    pub fn bytes(&self) -> u64 {
        self.datatype.message_size.saturating_mul(self.count)
    }

    /// Its place is known, and there are no gaps in it.
    pub(crate) fn is_in_one_piece(&self) -> bool {
        self.datatype.dense && self.vague.is_none() && self.address.is_some()
    }

    /// In the form of its task's memory, which is what the task itself puts on the wire.
    pub fn own_bytes(&self) -> u64 {
        self.datatype.size.saturating_mul(self.count)
    }

    /// The same with its data in the form of its task's memory, as files and windows hold it.
    pub fn unconverted(self, memory: DataModel) -> Self {
        Self { datatype: self.datatype.unconverted(), form: memory, ..self }
    }

    /// The part that begins `extents` copies of the datatype further on and holds `count` of them.
    pub fn part(&self, extents: i64, count: u64) -> Self {
        let shift = self.datatype.extent().saturating_mul(extents);
        Self { address: self.address.map(|p| moved(p, shift)), count, ..self.clone() }
    }

    /// The content, as far as it is known.
    pub fn data(&self, env: &dyn CallEnvironment, model: DataModel) -> Data {
        if self.vague.is_some() {
            return Data { lost: self.vague, vague: self.vague, ..Data::unknown(self.bytes()) };
        }
        let payload = self.payload(env, model);
        let lost = self.lost(env, payload.as_ref());
        let typed = Some(TypedElements::new(&self.datatype, self.count));
        Data { bytes: self.bytes(), payload, kind: self.datatype.uniform(), typed, lost, vague: None }
    }

    /// The first cause why something in the buffer is not known.
    fn lost(&self, env: &dyn CallEnvironment, payload: Option<&Payload>) -> Option<ReasonId> {
        if payload.map_or(0, |payload| payload.known_bytes(self.form)) >= self.bytes() {
            return None;
        }
        let (start, end) = self.datatype.span(self.count);
        let address = self.address?;
        if self.is_scattered(start, end) {
            let unknown = |piece: &Piece| env.unknown_in(reached(env, address, piece.memory)?, piece.bytes);
            return self.datatype.pieces(self.count, PIECES)?.iter().find_map(unknown);
        }
        let bytes = u64::try_from(end.saturating_sub(start)).ok()?;
        env.unknown_in(moved(address, start), bytes)
    }

    /// The data lies in several objects, or is a small part of what lies between its ends (a column of a matrix).
    fn is_scattered(&self, start: i64, end: i64) -> bool {
        let length = u64::try_from(end.saturating_sub(start)).unwrap_or(0);
        cross_object::leaves(start, end) || self.own_bytes().saturating_mul(SCATTERED) < length
    }

    fn payload(&self, env: &dyn CallEnvironment, model: DataModel) -> Option<Payload> {
        let address = self.address?;
        let (start, end) = self.datatype.span(self.count);
        let bytes = u64::try_from(end.checked_sub(start)?).ok().filter(|&bytes| bytes > 0)?;
        if self.is_scattered(start, end) {
            return self.piece_by_piece(env, address, model);
        }
        let memory = env.snapshot(moved(address, start), bytes)?;
        let pieces = self.datatype.pieces(self.count, PIECES)?;
        memory.packed(start, &pieces, self.forms(model)).non_empty()
    }

    fn piece_by_piece(&self, env: &dyn CallEnvironment, address: Pointer, model: DataModel) -> Option<Payload> {
        let mut all = Payload::default();
        for piece in self.datatype.pieces(self.count, PIECES)? {
            let memory = reached(env, address, piece.memory).and_then(|at| env.snapshot(at, piece.bytes));
            let whole = [Piece { memory: 0, data: 0, ..piece }];
            let part = memory.map(|memory| memory.packed(0, &whole, self.forms(model)));
            part.iter().for_each(|part| all.append(part, piece.data));
        }
        all.non_empty()
    }

    fn forms(&self, memory: DataModel) -> Forms {
        Forms { memory, message: self.form }
    }

    /// Writes `data`, of which no more than fits; the rest of the buffer stays as it was.
    pub fn write(&self, env: &mut dyn CallEnvironment, data: &Data, model: DataModel, span: Span) {
        if let Some(lost) = data.vague.or(self.vague.filter(|_| self.count == 0)) {
            let reason = received(env, span, Some(lost));
            return self.write_vaguely(env, reason);
        }
        let bytes = data.bytes.min(self.bytes());
        if bytes == 0 {
            return;
        }
        self.tell_written(env, bytes);
        let reason = received(env, span, data.lost);
        let Some(address) = self.address else { return env.lost_write(reason) };
        if data.payload.is_none() && self.is_all_unknown(env, address, bytes) {
            return self.forget(env, address, reason);
        }
        match self.datatype.pieces(self.count, PIECES) {
            Some(pieces) => {
                for piece in pieces.iter().take_while(|piece| piece.data < bytes) {
                    let length = piece.memory_bytes(piece.message_bytes().min(bytes - piece.data));
                    let known = data.payload.as_ref().and_then(|payload| {
                        self.tell_overflow(env, payload, piece, span);
                        payload.unpacked(&Piece { bytes: length, ..*piece }, self.forms(model)).non_empty()
                    });
                    match reached(env, address, piece.memory) {
                        Some(at) => env.deposit(at, length, known.as_ref(), reason),
                        None => env.lost_write(reason),
                    }
                }
            }
            None => self.forget(env, address, reason),
        }
    }

    /// Tells of a number that its type does not hold here. MPI leaves open what arrives (MPI 4.0, 3.3.2).
    fn tell_overflow(&self, env: &mut dyn CallEnvironment, payload: &Payload, piece: &Piece, span: Span) {
        let Some((number, resized)) = payload.overflow(piece) else { return };
        let text =
            format!("{number} arrives as the lower {} bytes of it: no more are there on this machine", resized.bytes);
        let help = Some("send such numbers as MPI_INT64_T or MPI_UINT64_T, from and to objects of that size".into());
        let doubt = Doubt { span, certainty: Certainty::Approximate, text: text.into(), help };
        env.doubt(doubt, Subject::Call(self.site.block));
    }

    /// Tells that so many bytes of data come here. Data that has more gaps than content is taken to lie in pages that
    /// are there: columns and borders of what the program has filled.
    pub(crate) fn tell_written(&self, env: &mut dyn CallEnvironment, bytes: u64) {
        let copies = bytes.div_ceil(self.datatype.message_size.max(1)).min(self.count);
        let (start, end) = self.datatype.span(copies);
        let length = u64::try_from(end.saturating_sub(start)).unwrap_or(0);
        let Some(address) = self.address.filter(|_| !self.datatype.scattered && !cross_object::leaves(start, end))
        else {
            return;
        };
        if self.vague.is_none() && length / 2 <= bytes {
            env.written(moved(address, start), length, self.site);
        }
    }

    /// Nobody knows how much: all of the buffer, and where its size is unknown all behind its begin.
    fn write_vaguely(&self, env: &mut dyn CallEnvironment, reason: ReasonId) {
        match self.address {
            None => env.lost_write(reason),
            Some(address) if self.vague.is_some() => env.deposit(address, u64::MAX, None, reason),
            Some(address) => self.forget(env, address, reason),
        }
    }

    /// Nothing in the buffer is known, its gaps included: it can be forgotten as a whole, which saves
    /// going through the rows of a column at every message.
    fn is_all_unknown(&self, env: &dyn CallEnvironment, address: Pointer, bytes: u64) -> bool {
        let (start, end) = self.datatype.span(self.count);
        let length = u64::try_from(end.saturating_sub(start)).unwrap_or(0);
        let one = !self.datatype.scattered && !cross_object::leaves(start, end);
        let gaps = !self.datatype.dense && one && bytes == self.bytes();
        gaps && env.snapshot(moved(address, start), length).is_none_or(|memory| memory.items.is_empty())
    }

    /// Also where there are too many pieces to write one by one: the gaps are forgotten with them.
    fn forget(&self, env: &mut dyn CallEnvironment, address: Pointer, reason: ReasonId) {
        let (start, end) = self.datatype.span(self.count);
        if self.datatype.scattered || cross_object::leaves(start, end) {
            return env.lost_write(reason);
        }
        env.deposit(moved(address, start), u64::try_from(end.saturating_sub(start)).unwrap_or(0), None, reason);
    }
}

pub(crate) fn received(env: &mut dyn CallEnvironment, span: Span, lost: Option<ReasonId>) -> ReasonId {
    env.intern_reason(Reason { kind: ReasonKind::Received, span: Some(span), origin: lost })
}

/// The place of a piece: in the buffer's object, or in another one that the datatype reaches.
fn reached(env: &dyn CallEnvironment, address: Pointer, displacement: i64) -> Option<Pointer> {
    let place = cross_object::reached(address, displacement)?;
    (place.object == address.object || env.is_live(place.object)).then_some(place)
}

pub(crate) fn moved(pointer: Pointer, by: i64) -> Pointer {
    Pointer { offset: pointer.offset.saturating_add(by), ..pointer }
}

impl Buffer {
    /// Room for whatever may come, where nobody knows how much was made.
    pub(crate) fn into_receive_buffer(mut self) -> Self {
        if self.vague.is_some() {
            self.count = u64::from(u32::MAX);
        }
        self
    }
}
