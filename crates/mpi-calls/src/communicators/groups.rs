//! Groups: local calls on sets of tasks.

use crate::call::{Call, Called, DONE, Refusal};
use crate::codes;
use crate::state::handle_table::{GroupId, Handle};
use chronos_base::ids::Id;
use chronos_mpi::group;
use chronos_mpi::{Comparison, Group, handles};

impl Call<'_> {
    /// The group behind a handle.
    pub fn group(&mut self, argument: usize) -> Result<Group, Refusal> {
        let handle = self.int(argument)?;
        if handle == handles::GROUP_EMPTY {
            return Ok(Group::new([]));
        }
        let groups = &self.mpi.tasks[self.task.index()].groups;
        let found = GroupId::from_handle(handle).and_then(|id| groups.get(id).cloned());
        found.ok_or_else(|| {
            self.bad_handle(argument, if handle == handles::NULL { "MPI_GROUP_NULL" } else { "no group of this task" })
        })
    }

    pub(crate) fn store_group(&mut self, argument: usize, group: Group) -> Called {
        let new = if group.size() == 0 {
            handles::GROUP_EMPTY
        } else {
            self.mpi.task(self.task).groups.insert(group).handle()
        };
        self.store_int(argument, new);
        DONE
    }

    fn ranks(&mut self, length: usize, array: usize) -> Result<Vec<i64>, Refusal> {
        let count = self.length(length)?;
        self.elements(array, count)
    }

    /// Ranks named by triples of first, last and stride.
    fn ranges(&mut self, length: usize, array: usize) -> Result<Vec<i64>, Refusal> {
        let count = self.length(length)?;
        let numbers = self.elements(array, 3 * count)?;
        let mut ranks = Vec::new();
        for triple in numbers.chunks_exact(3) {
            let named = group::range(triple[0], triple[1], triple[2]);
            ranks.extend(named.ok_or_else(|| self.bad_argument(array, "holds a stride of 0"))?);
        }
        Ok(ranks)
    }

    fn chosen(&self, group: Result<Group, i64>) -> Result<Group, Refusal> {
        group.map_err(|rank| {
            let message = format!("{} is given rank {rank}, which is outside the group or named twice", self.name());
            self.wrong(&codes::RANK, message, "check the ranks, or predict with another number of tasks (-n)")
        })
    }
}

/// `MPI_Win_get_group(window, group)`.
pub(crate) fn of_window(call: &mut Call<'_>) -> Called {
    let comm = call.window(0)?;
    let group = call.mpi.members(comm).clone();
    call.store_group(1, group)
}

/// `MPI_Comm_group(comm, group)`.
pub(crate) fn of_comm(call: &mut Call<'_>) -> Called {
    let comm = call.comm(0)?;
    let group = call.mpi.own_side(comm, call.task).clone();
    call.store_group(1, group)
}

/// `MPI_Group_incl(group, n, ranks, new)`.
pub(crate) fn incl(call: &mut Call<'_>) -> Called {
    let (group, ranks) = (call.group(0)?, call.ranks(1, 2)?);
    let new = call.chosen(group.include(&ranks))?;
    call.store_group(3, new)
}

/// `MPI_Group_excl(group, n, ranks, new)`.
pub(crate) fn excl(call: &mut Call<'_>) -> Called {
    let (group, ranks) = (call.group(0)?, call.ranks(1, 2)?);
    let new = call.chosen(group.exclude(&ranks))?;
    call.store_group(3, new)
}

/// `MPI_Group_range_incl(group, n, ranges, new)`.
pub(crate) fn range_incl(call: &mut Call<'_>) -> Called {
    let (group, ranks) = (call.group(0)?, call.ranges(1, 2)?);
    let new = call.chosen(group.include(&ranks))?;
    call.store_group(3, new)
}

/// `MPI_Group_range_excl(group, n, ranges, new)`.
pub(crate) fn range_excl(call: &mut Call<'_>) -> Called {
    let (group, ranks) = (call.group(0)?, call.ranges(1, 2)?);
    let new = call.chosen(group.exclude(&ranks))?;
    call.store_group(3, new)
}

fn combined(call: &mut Call<'_>, combine: fn(&Group, &Group) -> Group) -> Called {
    let (a, b) = (call.group(0)?, call.group(1)?);
    call.store_group(2, combine(&a, &b))
}

/// `MPI_Group_union(a, b, new)`.
pub(crate) fn union(call: &mut Call<'_>) -> Called {
    combined(call, Group::union)
}

/// `MPI_Group_intersection(a, b, new)`.
pub(crate) fn intersection(call: &mut Call<'_>) -> Called {
    combined(call, Group::intersection)
}

/// `MPI_Group_difference(a, b, new)`.
pub(crate) fn difference(call: &mut Call<'_>) -> Called {
    combined(call, Group::difference)
}

/// `MPI_Group_size(group, size)`.
pub(crate) fn size(call: &mut Call<'_>) -> Called {
    let group = call.group(0)?;
    call.store_int(1, i64::try_from(group.size()).unwrap_or(i64::MAX));
    DONE
}

/// `MPI_Group_rank(group, rank)`.
pub(crate) fn rank(call: &mut Call<'_>) -> Called {
    let rank = call.group(0)?.rank(call.task);
    call.store_int(1, rank_or_undefined(rank));
    DONE
}

fn rank_or_undefined(rank: Option<usize>) -> i64 {
    rank.and_then(|rank| i64::try_from(rank).ok()).unwrap_or(handles::UNDEFINED)
}

/// `MPI_Group_translate_ranks(a, n, ranks, b, translated)`.
pub(crate) fn translate_ranks(call: &mut Call<'_>) -> Called {
    let (from, to) = (call.group(0)?, call.group(3)?);
    let ranks = call.ranks(1, 2)?;
    let mut translated = Vec::with_capacity(ranks.len());
    for rank in ranks {
        let task = usize::try_from(rank).ok().and_then(|rank| from.task(rank));
        translated.push(match task {
            _ if rank == handles::PROC_NULL => handles::PROC_NULL,
            Some(task) => rank_or_undefined(to.rank(task)),
            None => return call.chosen(Err(rank)).and(DONE),
        });
    }
    call.store_ints(4, &translated);
    DONE
}

/// `MPI_Group_compare(a, b, result)`.
pub(crate) fn compare(call: &mut Call<'_>) -> Called {
    let (a, b) = (call.group(0)?, call.group(1)?);
    call.store_int(
        2,
        match a.compare(&b) {
            Comparison::Identical => handles::IDENT,
            Comparison::Similar => handles::SIMILAR,
            Comparison::Unequal => handles::UNEQUAL,
        },
    );
    DONE
}

/// `MPI_Group_free(group)`.
pub(crate) fn free(call: &mut Call<'_>) -> Called {
    let handle = call.element(0, 0)?;
    if let Some(id) = GroupId::from_handle(handle) {
        call.mpi.task(call.task).groups.remove(id);
    }
    call.store_int(0, handles::NULL);
    DONE
}
