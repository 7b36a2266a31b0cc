//! Datatypes: constructors and inquiries, all local.

use crate::call::{Call, Called, DONE, Refusal};
use crate::data::cross_object;
use crate::state::attributes::AttributeOwner;
use crate::state::handle_table::{DatatypeId, Handle};
use crate::state::task::{Commitment, NamedDatatype, OwnType};
use chronos_ir::ScalarType;
use chronos_mpi::datatype::Member;
use chronos_mpi::{Datatype, DistributedDimension, Distribution, handles};
use chronos_values::Value;
use std::sync::Arc;

impl Call<'_> {
    fn store_datatype(&mut self, argument: usize, datatype: Datatype, commitment: Commitment) -> Called {
        let entry = OwnType { datatype: Arc::new(datatype), commitment, name: String::new() };
        let id = self.mpi.task(self.task).datatypes.insert(entry);
        self.store_int(argument, id.handle());
        DONE
    }

    fn counts(&mut self, argument: usize, n: usize) -> Result<Vec<u64>, Refusal> {
        let mut counts = Vec::new();
        for index in 0..n {
            let count = self.element(argument, index)?;
            counts.push(self.not_negative(argument, count)?);
        }
        Ok(counts)
    }

    /// Displacements as they stand in memory.
    fn displacement_values(&mut self, argument: usize, n: usize, ty: ScalarType) -> Result<Vec<Value>, Refusal> {
        let displacements: Vec<Value> =
            (0..n).map(|index| self.element_value(argument, index, ty)).collect::<Result<_, Refusal>>()?;
        for &place in &displacements {
            self.check_set(argument, place)?;
        }
        Ok(displacements)
    }

    /// The same as numbers; `None`: an address or unknown.
    fn displacements(&mut self, argument: usize, n: usize, ty: ScalarType) -> Result<Vec<Option<i64>>, Refusal> {
        Ok(self.displacement_values(argument, n, ty)?.into_iter().map(displacement).collect())
    }

    /// Displacements in bytes of blocks of these lengths: all of them addresses, or none.
    fn byte_displacements(&mut self, argument: usize, blocks: &[u64]) -> Result<Vec<Option<i64>>, Refusal> {
        let aint = self.aint();
        let displacements = self.displacement_values(argument, blocks.len(), aint)?;
        self.check_one_origin(argument, &displacements, blocks);
        Ok(displacements.into_iter().map(displacement).collect())
    }
}

/// A displacement as a number; `None`: an address or unknown.
fn displacement(value: Value) -> Option<i64> {
    match value {
        Value::Distance(distance) => cross_object::displacement(distance),
        other => other.as_int(),
    }
}

/// `MPI_Type_contiguous(count, old, new)`.
pub(crate) fn contiguous(call: &mut Call<'_>) -> Called {
    let (count, old) = (call.count(0)?, call.datatype(1)?);
    call.store_datatype(2, Datatype::contiguous(count, &old), Commitment::None)
}

/// `MPI_Type_vector(count, block, stride, old, new)`.
pub(crate) fn vector(call: &mut Call<'_>) -> Called {
    let (count, block, stride) = (call.count(0)?, call.count(1)?, call.int(2)?);
    let old = call.datatype(3)?;
    let stride = stride.saturating_mul(old.extent());
    call.store_datatype(4, Datatype::strided(count, block, stride, &old), Commitment::None)
}

/// `MPI_Type_create_hvector(count, block, stride, old, new)`.
pub(crate) fn hvector(call: &mut Call<'_>) -> Called {
    let (count, block, stride) = (call.count(0)?, call.count(1)?, call.int(2)?);
    let old = call.datatype(3)?;
    call.store_datatype(4, Datatype::strided(count, block, stride, &old), Commitment::None)
}

/// `MPI_Type_indexed(count, blocks, displacements, old, new)`.
pub(crate) fn indexed(call: &mut Call<'_>) -> Called {
    let (n, old) = (call.length(0)?, call.datatype(3)?);
    let displacements = call.displacements(2, n, ScalarType::I32)?;
    let displacements = scaled(displacements, old.extent());
    let counts = call.counts(1, n)?;
    call.store_datatype(4, gathered(displacements, counts, &old), Commitment::None)
}

/// `MPI_Type_create_hindexed(count, blocks, displacements, old, new)`.
pub(crate) fn hindexed(call: &mut Call<'_>) -> Called {
    let (n, old) = (call.length(0)?, call.datatype(3)?);
    let counts = call.counts(1, n)?;
    let displacements = call.byte_displacements(2, &counts)?;
    call.store_datatype(4, gathered(displacements, counts, &old), Commitment::None)
}

/// `MPI_Type_create_indexed_block(count, block, displacements, old, new)`.
pub(crate) fn indexed_block(call: &mut Call<'_>) -> Called {
    let (n, block, old) = (call.length(0)?, call.count(1)?, call.datatype(3)?);
    let displacements = call.displacements(2, n, ScalarType::I32)?;
    let displacements = scaled(displacements, old.extent());
    call.store_datatype(4, gathered(displacements, vec![block; n], &old), Commitment::None)
}

/// `MPI_Type_create_hindexed_block(count, block, displacements, old, new)`.
pub(crate) fn hindexed_block(call: &mut Call<'_>) -> Called {
    let (n, block, old) = (call.length(0)?, call.count(1)?, call.datatype(3)?);
    let counts = vec![block; n];
    let displacements = call.byte_displacements(2, &counts)?;
    call.store_datatype(4, gathered(displacements, counts, &old), Commitment::None)
}

fn scaled(displacements: Vec<Option<i64>>, by: i64) -> Vec<Option<i64>> {
    displacements.into_iter().map(|at| at.map(|at| at.saturating_mul(by))).collect()
}

fn gathered(displacements: Vec<Option<i64>>, counts: Vec<u64>, old: &Arc<Datatype>) -> Datatype {
    let members: Vec<Member> = displacements.into_iter().zip(counts).map(|(at, n)| (at, n, old.clone())).collect();
    Datatype::structure(&members, false)
}

/// `MPI_Type_create_struct(count, blocks, displacements, types, new)`.
pub(crate) fn structure(call: &mut Call<'_>) -> Called {
    let n = call.length(0)?;
    let counts = call.counts(1, n)?;
    let displacements = call.byte_displacements(2, &counts)?;
    let mut members: Vec<Member> = Vec::new();
    for (index, (at, count)) in displacements.into_iter().zip(counts).enumerate() {
        let handle = call.element(3, index)?;
        members.push((at, count, call.named_datatype(3, handle)?.datatype));
    }
    call.store_datatype(4, Datatype::structure(&members, true), Commitment::None)
}

/// `MPI_Type_create_resized(old, lower, extent, new)`.
pub(crate) fn resized(call: &mut Call<'_>) -> Called {
    let (handle, lower, extent) = (call.int(0)?, call.int(1)?, call.int(2)?);
    let NamedDatatype { datatype, commitment } = call.named_datatype(0, handle)?;
    let inherited = if commitment == Commitment::None { Commitment::None } else { Commitment::OfOld };
    call.store_datatype(3, datatype.resized(lower, extent), inherited)
}

const ORDER_FORTRAN: i64 = 57;
const DISTRIBUTE_BLOCK: i64 = 121;
const DISTRIBUTE_CYCLIC: i64 = 122;
const DISTRIBUTE_NONE: i64 = 123;
const DEFAULT_DISTRIBUTION: i64 = -49767;

/// `MPI_Type_create_darray(size, rank, ndims, sizes, distributions, arguments, grid, order, old, new)`.
pub(crate) fn darray(call: &mut Call<'_>) -> Called {
    let (tasks, rank, n) = (call.count(0)?, call.count(1)?, call.length(2)?);
    let (sizes, grid) = (call.counts(3, n)?, call.counts(6, n)?);
    let (kinds, arguments) = (call.elements(4, n)?, call.elements(5, n)?);
    let (order, old) = (call.int(7)?, call.datatype(8)?);
    if rank >= tasks {
        return Err(call.bad_argument(1, "is no rank below the number of tasks"));
    }
    if grid.iter().try_fold(1u64, |all, &along| all.checked_mul(along)) != Some(tasks) {
        return Err(call.bad_argument(6, "is a grid of another number of tasks than the first argument"));
    }
    // The grid is in C's order, whatever the array's is.
    let (mut behind, mut rest) = (tasks, rank);
    let mut dimensions = Vec::with_capacity(n);
    for d in 0..n {
        behind /= grid[d];
        let (size, place) = (sizes[d], rest / behind);
        rest %= behind;
        let distribution = call.distribution(size, grid[d], kinds[d], arguments[d])?;
        dimensions.push(DistributedDimension { size, distribution, tasks: grid[d], place });
    }
    if order == ORDER_FORTRAN {
        dimensions.reverse();
    }
    call.store_datatype(9, Datatype::darray(&dimensions, &old), Commitment::None)
}

impl Call<'_> {
    /// How one dimension is dealt out among `tasks`.
    fn distribution(&self, size: u64, tasks: u64, kind: i64, argument: i64) -> Result<Distribution, Refusal> {
        let given = u64::try_from(argument).ok().filter(|&block| block > 0);
        if given.is_none() && argument != DEFAULT_DISTRIBUTION && kind != DISTRIBUTE_NONE {
            return Err(self.bad_argument(5, "has a block that is neither positive nor MPI_DISTRIBUTE_DFLT_DARG"));
        }
        match kind {
            DISTRIBUTE_BLOCK => match given {
                Some(block) if block.saturating_mul(tasks) < size => {
                    Err(self.bad_argument(5, "has blocks that all tasks together do not fill the array with"))
                }
                block => Ok(Distribution::Block(block.unwrap_or(size.div_ceil(tasks)))),
            },
            DISTRIBUTE_CYCLIC => Ok(Distribution::Cyclic(given.unwrap_or(1))),
            DISTRIBUTE_NONE if tasks == 1 => Ok(Distribution::Whole),
            DISTRIBUTE_NONE => Err(self
                .bad_argument(6, "has several tasks along a dimension that is not distributed (MPI_DISTRIBUTE_NONE)")),
            _ => Err(self.bad_argument(4, "has a distribution that is none of BLOCK, CYCLIC and NONE")),
        }
    }
}

/// `MPI_Type_create_subarray(ndims, sizes, subsizes, starts, order, old, new)`.
pub(crate) fn subarray(call: &mut Call<'_>) -> Called {
    let n = call.length(0)?;
    let (mut sizes, mut parts, mut starts) = (call.counts(1, n)?, call.counts(2, n)?, call.counts(3, n)?);
    let (order, old) = (call.int(4)?, call.datatype(5)?);
    let fits = (0..n).all(|i| starts[i].checked_add(parts[i]).is_some_and(|end| end <= sizes[i]));
    if !fits {
        return Err(call.bad_argument(3, "places the part outside of the array"));
    }
    if order == ORDER_FORTRAN {
        [&mut sizes, &mut parts, &mut starts].into_iter().for_each(|list| list.reverse());
    }
    call.store_datatype(6, Datatype::subarray(&sizes, &parts, &starts, &old), Commitment::None)
}

/// `MPI_Type_dup(old, new)`.
pub(crate) fn dup(call: &mut Call<'_>) -> Called {
    let handle = call.int(0)?;
    let NamedDatatype { datatype, commitment } = call.named_datatype(0, handle)?;
    call.store_datatype(1, (*datatype).clone(), commitment)?;
    match call.element(1, 0) {
        Ok(new) => call.copy_attributes((AttributeOwner::Type(handle), handle), AttributeOwner::Type(new)),
        Err(_) => DONE,
    }
}

/// `MPI_Type_commit(type)`.
pub(crate) fn commit(call: &mut Call<'_>) -> Called {
    let handle = call.element(0, 0)?;
    call.named_datatype(0, handle)?;
    if let Some(own) = call.own_type(handle) {
        own.commitment = Commitment::Own;
    }
    DONE
}

/// `MPI_Type_free(type)`.
pub(crate) fn free(call: &mut Call<'_>) -> Called {
    let handle = call.element(0, 0)?;
    let own = DatatypeId::from_handle(handle);
    if own.and_then(|id| call.mpi.task(call.task).datatypes.remove(id)).is_none() {
        return Err(call.bad_handle(0, "no derived datatype of this task"));
    }
    call.store_int(0, handles::NULL);
    call.free_attributes(AttributeOwner::Type(handle), handle, None)
}
