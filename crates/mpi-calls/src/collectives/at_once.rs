//! Parts of all members that lie next to one another and are all known: they are taken as one piece.
//!
//! Collective operations in which everybody gives to everybody have as many parts as the square of the members, and
//! writing each on its own takes much longer than what it holds. The result is the same as that of one after the other.

use crate::call::Call;
use crate::data::blocks::Blocks;
use crate::data::buffer::{Buffer, Data};
use crate::interface::payload::Payload;
use crate::state::delivery::{EnteredCollective, ReceiveBuffers};
use chronos_base::ids::Id;
use std::ops::Range;

impl ReceiveBuffers {
    /// All rooms as one, where they lie next to one another without gaps.
    fn joined(&self, count: usize) -> Option<Buffer> {
        let all = match self {
            Self::Uniform(first) => Buffer { count: first.count.checked_mul(count as u64)?, ..first.clone() },
            Self::Each(rooms) => return rooms.joined(),
        };
        all.is_in_one_piece().then_some(all)
    }

    /// Bytes of the room at a position.
    fn bytes_at(&self, position: usize) -> u64 {
        match self {
            Self::Uniform(first) => first.bytes(),
            Self::Each(rooms) => rooms.bytes_at(position),
        }
    }
}

impl Call<'_> {
    /// What the members of these ranks gave to this one as one piece, and where it goes; `None` where the parts differ in
    /// more than their content, or some of it is not known.
    pub(crate) fn taken_at_once(
        &mut self,
        joined: &EnteredCollective,
        into: &ReceiveBuffers,
        from: Range<usize>,
    ) -> Option<(Buffer, Data)> {
        if let Some(unknown) = self.unknown_at_once(joined, into, from.clone()) {
            return Some(unknown);
        }
        let all = into.joined(from.len()).filter(|_| self.mpi.checks.is_none())?;
        let (kind, model) = (all.datatype.uniform()?, self.form());
        let instance = self.mpi.comms[joined.comm.index()].instances.get_mut(joined.number)?;
        let (mut payload, mut bytes) = (Payload::default(), 0);
        for (position, rank) in from.enumerate() {
            let given = instance.contributions.get(rank)?.as_ref()?;
            let (begin, length) = given.place_of_part(joined.rank);
            let fits = length == into.bytes_at(position) && given.data.vague.is_none() && given.data.kind == Some(kind);
            if !fits
                || length > 0
                    && !payload.append_known(given.data.payload.as_ref()?, begin..begin + length, bytes, model)
            {
                return None;
            }
            bytes += length;
        }
        let data = Data { payload: payload.non_empty(), kind: Some(kind), ..Data::unknown(bytes) };
        (bytes == all.bytes()).then_some((all, data))
    }

    /// The same where nothing is known of what the members gave: that is the same for all of them.
    fn unknown_at_once(
        &mut self,
        joined: &EnteredCollective,
        into: &ReceiveBuffers,
        from: Range<usize>,
    ) -> Option<(Buffer, Data)> {
        let ReceiveBuffers::Each(Blocks::Placed { bare, places }) = into else { return None };
        let element = bare.datatype.message_size;
        let kind = bare.datatype.uniform().filter(|_| self.mpi.checks.is_none() && bare.is_in_one_piece())?;
        let instance = self.mpi.comms[joined.comm.index()].instances.get_mut(joined.number)?;
        if from != (0..instance.contributions.len()) || places.len() != from.len() {
            return None;
        }
        let room = |rank: usize| element.saturating_mul(u64::from(places[rank].count));
        let unknown = instance.unknown_in(places, kind, room)?;
        let all = bare.part(unknown.row.0, unknown.row.1);
        let data = Data { kind: Some(kind), lost: unknown.lost, ..Data::unknown(unknown.bytes) };
        (data.bytes == all.bytes()).then_some((all, data))
    }
}
