//! The blocks of a collective operation with a count and a displacement for each member.
//!
//! There are as many of them as the square of the members, and they live until the operation is over. So they are
//! kept as numbers, which members that were given equal ones share, and become buffers one at a time.

use crate::data::buffer::Buffer;
use chronos_base::units::Bytes;
use chronos_values::ReasonId;
use chronos_values::array::SharedElements;
use std::sync::Arc;

/// Elements of one block, and how many extents of the datatype behind the address it begins, where that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BlockPlace {
    pub count: u32,
    pub at: Option<i32>,
}

/// The blocks by position among the members.
#[derive(Clone, Debug)]
pub(crate) enum Blocks {
    /// Parts of a buffer of which address and datatype hold for all.
    Placed { bare: Buffer, places: Arc<[BlockPlace]> },
    /// Each on its own.
    Each(Vec<Buffer>),
}

/// The list that was made last: members of a collective operation call one after the other, most with equal lists.
#[derive(Clone, Debug)]
pub(crate) struct Shared<T>(Arc<[T]>);

impl<T> Default for Shared<T> {
    fn default() -> Self {
        Self(Arc::new([]))
    }
}

impl<T: PartialEq> Shared<T> {
    /// The list, in one piece with the one before where they are equal.
    pub fn shared(&mut self, list: Vec<T>) -> Arc<[T]> {
        if list[..] != self.0[..] {
            self.0 = list.into();
        }
        Arc::clone(&self.0)
    }
}

/// Lists of blocks that were made of arrays of counts and displacements, with their sizes. With many members, to read the arrays
/// anew for each would take as long as the square of the members; most are given the same ones, in memory that they share.
#[derive(Clone, Debug, Default)]
pub(crate) struct KnownBlocks {
    lists: Vec<KnownList>,
    sizes: Option<KnownSizes>,
}

/// Counts and displacements, and the list made of them.
#[derive(Clone, Debug)]
struct KnownList {
    from: [SharedElements; 2],
    places: Arc<[BlockPlace]>,
}

/// Sizes of the blocks of a list, by the size of an element.
#[derive(Clone, Debug)]
struct KnownSizes {
    places: Arc<[BlockPlace]>,
    element: u64,
    sizes: Arc<[Bytes]>,
}

/// As many lists are known: those that an operation sends and receives, and those of the operation before.
const KNOWN_LISTS: usize = 4;

impl KnownBlocks {
    /// The list made of these arrays.
    pub fn list(&self, from: &[SharedElements; 2]) -> Option<Arc<[BlockPlace]>> {
        let same = |known: &&KnownList| known.from.iter().zip(from).all(|(one, other)| one.are(other));
        self.lists.iter().find(same).map(|known| Arc::clone(&known.places))
    }

    /// A list was made of these arrays.
    pub fn add(&mut self, from: [SharedElements; 2], places: Arc<[BlockPlace]>) {
        self.lists.truncate(KNOWN_LISTS - 1);
        self.lists.insert(0, KnownList { from, places });
    }

    /// Sizes of the blocks by this measure, where the last ones asked for were the same.
    pub fn sizes(&self, blocks: &Blocks, measure: fn(&Buffer) -> u64) -> Option<Arc<[Bytes]>> {
        let (places, element) = blocks.measured(measure)?;
        let same = |known: &&KnownSizes| Arc::ptr_eq(&known.places, places) && known.element == element;
        self.sizes.as_ref().filter(same).map(|known| Arc::clone(&known.sizes))
    }

    /// These are the sizes of the blocks.
    pub fn add_sizes(&mut self, blocks: &Blocks, measure: fn(&Buffer) -> u64, sizes: &Arc<[Bytes]>) {
        self.sizes = blocks.measured(measure).map(|(places, element)| KnownSizes {
            places: Arc::clone(places),
            element,
            sizes: Arc::clone(sizes),
        });
    }
}

impl Default for Blocks {
    fn default() -> Self {
        Self::Each(Vec::new())
    }
}

impl Blocks {
    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Placed { places, .. } => places.len(),
            Self::Each(blocks) => blocks.len(),
        }
    }

    /// The block at a position.
    pub fn get(&self, position: usize) -> Option<Buffer> {
        match self {
            Self::Each(blocks) => blocks.get(position).cloned(),
            Self::Placed { bare, places } => {
                let place = places.get(position)?;
                let count = u64::from(place.count);
                let known = place.at.map(|at| bare.part(i64::from(at), count));
                Some(known.unwrap_or(Buffer { address: None, count, ..bare.clone() }))
            }
        }
    }

    /// All of them in order.
    pub fn iter(&self) -> impl Iterator<Item = Buffer> {
        (0..self.len()).filter_map(|position| self.get(position))
    }

    /// Bytes of the block at a position, which has none where there is no block.
    pub fn bytes_at(&self, position: usize) -> u64 {
        match self {
            Self::Each(blocks) => blocks.get(position).map_or(0, Buffer::bytes),
            Self::Placed { bare, places } => {
                let count = places.get(position).map_or(0, |place| u64::from(place.count));
                bare.datatype.message_size.saturating_mul(count)
            }
        }
    }

    /// The size of the block at a position by this measure of buffers, which is proportional to their count.
    pub fn sizes(&self, measure: fn(&Buffer) -> u64) -> impl Fn(usize) -> u64 {
        let element = match self {
            Self::Placed { bare, .. } => measure(&Buffer { count: 1, ..bare.clone() }),
            Self::Each(_) => 0,
        };
        move |position| match self {
            Self::Each(blocks) => blocks.get(position).map_or(0, measure),
            Self::Placed { places, .. } => {
                element.saturating_mul(places.get(position).map_or(0, |place| u64::from(place.count)))
            }
        }
    }

    /// What their sizes follow from: their list, and the size of an element.
    fn measured(&self, measure: fn(&Buffer) -> u64) -> Option<(&Arc<[BlockPlace]>, u64)> {
        match self {
            Self::Placed { bare, places } => Some((places, measure(&Buffer { count: 1, ..bare.clone() }))),
            Self::Each(_) => None,
        }
    }

    /// Sizes of all of them by this measure.
    pub fn bytes(&self, measure: fn(&Buffer) -> u64) -> Vec<Bytes> {
        let size = self.sizes(measure);
        (0..self.len()).map(|position| Bytes(size(position))).collect()
    }

    /// Whether nothing is in the block at a position, whatever the program says of the rest.
    pub fn is_empty_at(&self, position: usize) -> bool {
        match self {
            Self::Placed { bare, places } => {
                bare.vague.is_none() && places.get(position).is_some_and(|place| place.count == 0)
            }
            Self::Each(_) => false,
        }
    }

    /// All of them as one, where each lies behind the one before it without gaps.
    pub fn joined(&self) -> Option<Buffer> {
        let Self::Placed { bare, places } = self else { return None };
        let (first, count) = in_a_row(places)?;
        Some(bare.part(first, count)).filter(Buffer::is_in_one_piece)
    }

    /// Nobody knows how much goes there.
    pub fn blur(&mut self, why: Option<ReasonId>) {
        match self {
            Self::Placed { bare, .. } => bare.vague = why,
            Self::Each(blocks) => blocks.iter_mut().for_each(|block| block.vague = why),
        }
    }
}

/// Where blocks begin and how many elements they have together, where each lies behind the one before it without gaps.
pub(crate) fn in_a_row(places: &[BlockPlace]) -> Option<(i64, u64)> {
    let first = i64::from(places.first()?.at?);
    let mut next = first;
    for place in places {
        let is_next = place.at.is_some_and(|at| i64::from(at) == next);
        next += i64::from(is_next.then_some(place.count)?);
    }
    Some((first, (next - first).cast_unsigned()))
}
