//! Datatypes: sizes, extents and the constructors of derived types.
//!
//! A type map is kept as a tree of repetitions, never as a list of elements, so a vector of a
//! million blocks takes no more room than one of two.

use super::layout::Resized;
use super::predefined::{Element, Predefined};
use chronos_ir::DataModel;
use std::sync::Arc;

/// A datatype; displacements and extents in bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Datatype {
    /// How the datatype is made.
    pub shape: Shape,
    /// Bytes of data in the memory of its task.
    pub size: u64,
    /// Bytes of data in a message: more than `size` where elements travel in the form of another data model.
    pub message_size: u64,
    /// How the first element travels that has another form in messages than in memory; with `uniform`, how all do.
    pub conversion: Option<Resized>,
    /// Lower bound, with `MPI_LB` or resizing.
    pub lower: i64,
    /// Upper bound; the extent is `upper - lower`.
    pub upper: i64,
    /// First byte of data and one past the last.
    pub true_lower: i64,
    /// One past the last byte of data.
    pub true_upper: i64,
    /// Alignment in bytes that the extent of a structure is rounded up to.
    pub align: u64,
    /// Number of predefined elements.
    pub elements: u64,
    /// Its data lies in order, without gaps, from 0 to the extent.
    pub dense: bool,
    /// Some displacement is an absolute address or not known: only sizes can be told.
    pub scattered: bool,
}

/// How a datatype is made.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// One element of a predefined type.
    Predefined(Predefined),
    /// `count` times the same, `stride` bytes apart.
    Repeat {
        /// Number of repetitions.
        count: u64,
        /// Bytes from the begin of one to the begin of the next; may be negative.
        stride: i64,
        /// What is repeated.
        of: Arc<Datatype>,
    },
    /// Several, each at its own displacement.
    Sequence(Vec<(i64, Arc<Datatype>)>),
}

/// A block of a derived type: displacement in bytes (`None`: not known), copies, and of what.
pub type Member = (Option<i64>, u64, Arc<Datatype>);

impl Datatype {
    /// The datatype of a predefined type in the memory of a task of one data model, where messages hold data in the form
    /// of another one.
    pub fn converted(which: Predefined, model: DataModel, messages: DataModel) -> Self {
        let message_size = which.element(messages).size(messages);
        Self { message_size, conversion: Resized::of(which, model, messages), ..Self::predefined(which, model) }
    }

    /// The datatype of a predefined type in a data model.
    pub fn predefined(which: Predefined, model: DataModel) -> Self {
        let element = which.element(model);
        let (size, align) = (element.size(model), element.align(model));
        let end = match element {
            Element::Pair(value) => Element::index_offset(value, model) + 4,
            _ => size,
        };
        let extent = signed(end.next_multiple_of(align));
        Self {
            shape: Shape::Predefined(which),
            size,
            message_size: size,
            conversion: None,
            lower: 0,
            upper: extent,
            true_lower: 0,
            true_upper: signed(end),
            align,
            elements: u64::from(size > 0),
            dense: signed(size) == extent,
            scattered: false,
        }
    }

    /// Bytes from one copy to the next (`MPI_Type_get_extent`); may be negative.
    pub fn extent(&self) -> i64 {
        self.upper.saturating_sub(self.lower)
    }

    /// The predefined type all of whose elements this one is made of; `None` where they differ.
    pub fn uniform(&self) -> Option<Predefined> {
        match &self.shape {
            Shape::Predefined(which) => Some(*which),
            Shape::Repeat { of, .. } => of.uniform(),
            Shape::Sequence(members) => {
                let mut kinds = members.iter().map(|(_, of)| of.uniform());
                let first = kinds.next()??;
                kinds.all(|kind| kind == Some(first)).then_some(first)
            }
        }
    }

    /// `MPI_Type_contiguous`.
    pub fn contiguous(count: u64, of: &Arc<Self>) -> Self {
        Self::repeat(count, of.extent(), of)
    }

    /// `MPI_Type_vector` with the stride in bytes.
    pub fn strided(count: u64, block: u64, stride: i64, of: &Arc<Self>) -> Self {
        let block = Arc::new(Self::contiguous(block, of));
        Self::repeat(count, stride, &block)
    }

    pub(super) fn repeat(count: u64, stride: i64, of: &Arc<Self>) -> Self {
        let last = stride.saturating_mul(signed(count.saturating_sub(1)));
        let (low, high) = (last.min(0), last.max(0));
        let empty = count == 0;
        let bound = |value: i64, shift: i64| if empty { 0 } else { value.saturating_add(shift) };
        Self {
            shape: Shape::Repeat { count, stride, of: of.clone() },
            size: of.size.saturating_mul(count),
            message_size: of.message_size.saturating_mul(count),
            conversion: of.conversion,
            lower: bound(of.lower, low),
            upper: bound(of.upper, high),
            true_lower: bound(of.true_lower, low),
            true_upper: bound(of.true_upper, high),
            align: of.align,
            elements: of.elements.saturating_mul(count),
            dense: of.dense && (count <= 1 || stride == of.extent()),
            scattered: of.scattered,
        }
    }

    /// `MPI_Type_create_struct` and the indexed constructors. `MPI_LB` and `MPI_UB` members set the
    /// bounds; `pad` rounds the extent up to the alignment, as a C struct has it.
    pub fn structure(members: &[Member], pad: bool) -> Self {
        let mut bounds = Bounds::default();
        let mut sequence = Vec::with_capacity(members.len());
        let mut scattered = false;
        for (displacement, count, of) in members {
            scattered |= displacement.is_none() || of.scattered;
            let displacement = displacement.unwrap_or(0);
            if !bounds.mark(displacement, of) && *count > 0 {
                let block = Arc::new(Self::contiguous(*count, of));
                bounds.include(displacement, &block);
                sequence.push((displacement, block));
            }
        }
        bounds.finish(sequence, scattered, pad)
    }

    /// `MPI_Type_create_resized`.
    #[must_use]
    pub fn resized(&self, lower: i64, extent: i64) -> Self {
        let upper = lower.saturating_add(extent);
        let dense = self.dense && lower == 0 && extent == signed(self.size);
        let shape = Shape::Sequence(vec![(0, Arc::new(self.clone()))]);
        Self { shape, lower, upper, dense, ..self.clone() }
    }

    /// `MPI_Type_create_subarray`; `sizes`, `subsizes` and `starts` with the slowest dimension first.
    pub fn subarray(sizes: &[u64], subsizes: &[u64], starts: &[u64], of: &Arc<Self>) -> Self {
        let mut pitch = of.extent();
        let mut start = 0i64;
        let mut inner = of.clone();
        for ((&size, &subsize), &first) in sizes.iter().zip(subsizes).zip(starts).rev() {
            start = start.saturating_add(pitch.saturating_mul(signed(first)));
            inner = Arc::new(Self::repeat(subsize, pitch, &inner));
            pitch = pitch.saturating_mul(signed(size));
        }
        let placed = Self::structure(&[(Some(start), 1, inner)], false);
        placed.resized(0, pitch)
    }

    /// The same in the form of its task's memory, which files and windows hold.
    pub fn unconverted(self: &Arc<Self>) -> Arc<Self> {
        if !self.is_converted() {
            return self.clone();
        }
        let shape = match &self.shape {
            Shape::Predefined(which) => Shape::Predefined(*which),
            Shape::Repeat { count, stride, of } => {
                Shape::Repeat { count: *count, stride: *stride, of: of.unconverted() }
            }
            Shape::Sequence(members) => {
                Shape::Sequence(members.iter().map(|(at, of)| (*at, of.unconverted())).collect())
            }
        };
        Arc::new(Self { shape, message_size: self.size, conversion: None, ..**self })
    }

    /// Some element has another form in messages. None has a smaller one: the form of messages is the widest.
    pub(crate) fn is_converted(&self) -> bool {
        self.conversion.is_some()
    }

    /// A predefined type in it that two data models lay out in different ways.
    pub fn differing(&self, models: [DataModel; 2]) -> Option<Predefined> {
        match &self.shape {
            Shape::Predefined(which) => Some(*which).filter(|which| {
                let [one, other] = models.map(|model| Self::predefined(*which, model));
                let is_converted = Resized::of(*which, models[0], models[1]).is_some();
                is_converted || (one.size, one.upper) != (other.size, other.upper)
            }),
            Shape::Repeat { of, .. } => of.differing(models),
            Shape::Sequence(members) => members.iter().find_map(|(_, of)| of.differing(models)),
        }
    }

    /// Elements in the first `bytes` of a message of any number of copies (`MPI_Get_elements`).
    pub fn elements_in(&self, bytes: u64) -> u64 {
        if self.message_size == 0 {
            return 0;
        }
        let whole = bytes / self.message_size;
        let mut rest = bytes % self.message_size;
        whole.saturating_mul(self.elements).saturating_add(self.partial_elements(&mut rest))
    }

    /// Elements in less than one copy; takes their bytes off `rest` and leaves 0 once one does not fit.
    fn partial_elements(&self, rest: &mut u64) -> u64 {
        match &self.shape {
            Shape::Predefined(_) => {
                *rest = 0;
                0
            }
            Shape::Repeat { count, of, .. } => of.take_elements(*count, rest),
            Shape::Sequence(members) => {
                members.iter().map(|(_, of)| of.take_elements(1, rest)).fold(0, u64::saturating_add)
            }
        }
    }

    fn take_elements(&self, copies: u64, rest: &mut u64) -> u64 {
        if self.message_size == 0 {
            return 0;
        }
        let whole = (*rest / self.message_size).min(copies);
        *rest -= whole * self.message_size;
        let partial = if whole < copies { self.partial_elements(rest) } else { 0 };
        whole.saturating_mul(self.elements).saturating_add(partial)
    }
}

/// Bounds of a structure while its members are gathered.
#[derive(Default)]
struct Bounds {
    data: Option<(i64, i64, i64, i64)>,
    lower: Option<i64>,
    upper: Option<i64>,
    align: u64,
}

impl Bounds {
    /// Notes a bound marker; `false` where `of` is none.
    fn mark(&mut self, displacement: i64, of: &Datatype) -> bool {
        match of.shape {
            Shape::Predefined(Predefined::LowerBound) => self.lower = Some(displacement),
            Shape::Predefined(Predefined::UpperBound) => self.upper = Some(displacement),
            _ => return false,
        }
        true
    }

    fn include(&mut self, at: i64, of: &Datatype) {
        let new = (
            at.saturating_add(of.lower),
            at.saturating_add(of.upper),
            at.saturating_add(of.true_lower),
            at.saturating_add(of.true_upper),
        );
        let old = self.data.unwrap_or(new);
        self.data = Some((old.0.min(new.0), old.1.max(new.1), old.2.min(new.2), old.3.max(new.3)));
        self.align = self.align.max(of.align);
    }

    fn finish(self, sequence: Vec<(i64, Arc<Datatype>)>, scattered: bool, pad: bool) -> Datatype {
        let (low, high, true_lower, true_upper) = self.data.unwrap_or_default();
        let lower = self.lower.unwrap_or(low);
        let align = signed(self.align.max(1));
        let extent = high.saturating_sub(lower);
        let padding = if pad && extent > 0 { (align - extent % align) % align } else { 0 };
        let upper = self.upper.unwrap_or_else(|| high.saturating_add(padding));
        let sum = |bytes: fn(&Datatype) -> u64| sequence.iter().map(|(_, of)| bytes(of)).fold(0, u64::saturating_add);
        let (size, message_size) = (sum(|of| of.size), sum(|of| of.message_size));
        let dense = !scattered && lower == 0 && upper == signed(size) && in_order(&sequence);
        let conversion = sequence.iter().find_map(|(_, of)| of.conversion);
        Datatype {
            size,
            message_size,
            conversion,
            lower,
            upper,
            true_lower,
            true_upper,
            align: self.align.max(1),
            elements: sum(|of| of.elements),
            dense,
            scattered,
            shape: Shape::Sequence(sequence),
        }
    }
}

/// The members follow one another without gaps from 0 on.
fn in_order(members: &[(i64, Arc<Datatype>)]) -> bool {
    let mut next = 0;
    members.iter().all(|(at, of)| {
        let fits = *at == next && of.dense;
        next = at.saturating_add(signed(of.size));
        fits
    })
}

fn signed(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(which: Predefined) -> Arc<Datatype> {
        Arc::new(Datatype::predefined(which, DataModel::Lp64))
    }

    #[test]
    fn vector_has_the_extent_of_its_last_block() {
        let column = Datatype::strided(4, 1, 80, &of(Predefined::Double));
        assert_eq!((column.size, column.extent(), column.elements), (32, 248, 4));
        assert!(!column.dense);
    }

    #[test]
    fn contiguous_is_dense() {
        let row = Datatype::contiguous(10, &of(Predefined::Int));
        assert_eq!((row.size, row.extent(), row.dense), (40, 40, true));
    }

    #[test]
    fn structure_is_padded_as_in_c() {
        let members = [(Some(0), 1, of(Predefined::Double)), (Some(8), 1, of(Predefined::Int))];
        let pair = Datatype::structure(&members, true);
        assert_eq!((pair.size, pair.extent(), pair.true_upper), (12, 16, 12));
    }

    #[test]
    fn upper_bound_marker_sets_the_extent() {
        let members = [(Some(0), 1, of(Predefined::Int)), (Some(24), 1, of(Predefined::UpperBound))];
        assert_eq!(Datatype::structure(&members, true).extent(), 24);
    }

    #[test]
    fn subarray_spans_the_whole_array() {
        let part = Datatype::subarray(&[6, 8], &[2, 3], &[1, 2], &of(Predefined::Int));
        assert_eq!((part.size, part.extent(), part.true_lower), (24, 192, 40));
        assert_eq!(part.true_upper, 40 + 32 + 12);
    }

    #[test]
    fn negative_stride_reaches_below_zero() {
        let reversed = Datatype::strided(3, 1, -4, &of(Predefined::Int));
        assert_eq!((reversed.lower, reversed.upper, reversed.dense), (-8, 4, false));
    }

    #[test]
    fn elements_of_a_partly_filled_type() {
        let members = [(Some(0), 2, of(Predefined::Int)), (Some(8), 1, of(Predefined::Double))];
        let mixed = Datatype::structure(&members, true);
        let counts: Vec<u64> = [0, 4, 8, 12, 16, 20].iter().map(|&n| mixed.elements_in(n)).collect();
        assert_eq!(counts, [0, 1, 2, 2, 3, 4]);
    }

    #[test]
    fn elements_of_another_data_model_have_a_size_in_messages() {
        let convert = |which| Arc::new(Datatype::converted(which, DataModel::Ilp32, DataModel::Lp64));
        let members = [(Some(0), 1, convert(Predefined::Long)), (Some(4), 2, convert(Predefined::Double))];
        let record = Arc::new(Datatype::structure(&members, true));
        assert_eq!((record.size, record.message_size, record.extent(), record.dense), (20, 24, 20, true));
        let counts: Vec<u64> = [4, 8, 16, 24, 32].iter().map(|&bytes| record.elements_in(bytes)).collect();
        assert_eq!(counts, [0, 1, 2, 3, 4]);
        let both = [DataModel::Ilp32, DataModel::Lp64];
        let plain = record.unconverted();
        assert_eq!((plain.size, plain.message_size, plain.is_converted()), (20, 20, false));
        assert_eq!((record.differing(both), of(Predefined::Double).differing(both)), (Some(Predefined::Long), None));
    }

    #[test]
    fn unknown_displacement_scatters() {
        let members = [(None, 1, of(Predefined::Int)), (Some(4), 1, of(Predefined::Int))];
        let type_ = Datatype::structure(&members, true);
        assert_eq!((type_.size, type_.scattered), (8, true));
    }
}
