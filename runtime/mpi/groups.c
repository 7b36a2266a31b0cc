/* Groups: ordered sets of tasks. */
#include "internal.h"

static cm_table groups;
enum { FIRST_GROUP = 2 };

cm_group *cm_group_new(int size) {
  cm_group *group = cm_allocate(sizeof *group + (size_t)size * sizeof group->members[0]);
  group->references = 1;
  group->size = size;
  return group;
}

cm_group *cm_group_of(MPI_Group handle) {
  static cm_group *empty;
  cm_group *group = cm_table_get(&groups, handle);
  if (handle == MPI_GROUP_EMPTY) {
    if (!empty) empty = cm_group_new(0);
    return empty;
  }
  if (!group) cm_error(0, MPI_ERR_GROUP, "%d is no group", handle);
  return group;
}

cm_group *cm_group_keep(cm_group *group) {
  group->references++;
  return group;
}

void cm_group_drop(cm_group *group) {
  if (--group->references == 0) free(group);
}

int cm_group_rank(const cm_group *group, int task) {
  int i;
  for (i = 0; i < group->size; i++)
    if (group->members[i] == task) return i;
  return MPI_UNDEFINED;
}

MPI_Group cm_group_publish(cm_group *group) {
  if (group->size > 0) return cm_table_add(&groups, FIRST_GROUP, group);
  cm_group_drop(group);
  return MPI_GROUP_EMPTY;
}

int *cm_members(MPI_Group handle, int *count) {
  const cm_group *group = cm_group_of(handle);
  const size_t bytes = group ? (size_t)group->size * sizeof(int) : 0;
  int *members = cm_allocate(bytes + sizeof *members);
  *count = group ? group->size : 0;
  if (group) memcpy(members, group->members, bytes);
  return members;
}

#define CHECK_GROUP(group, handle)          \
  const cm_group *group = cm_group_of(handle); \
  if (!group) return MPI_ERR_GROUP

API(MPI_Group_size)
int MPI_Group_size(MPI_Group handle, int *size) {
  ENTER();
  CHECK_GROUP(group, handle);
  *size = group->size;
  return MPI_SUCCESS;
}

API(MPI_Group_rank)
int MPI_Group_rank(MPI_Group handle, int *rank) {
  ENTER();
  CHECK_GROUP(group, handle);
  *rank = cm_group_rank(group, cm_task);
  return MPI_SUCCESS;
}

API(MPI_Group_compare)
int MPI_Group_compare(MPI_Group a, MPI_Group b, int *result) {
  int i, same = 1;
  ENTER();
  CHECK_GROUP(one, a);
  CHECK_GROUP(other, b);
  *result = MPI_UNEQUAL;
  if (one->size != other->size) return MPI_SUCCESS;
  for (i = 0; i < one->size; i++) {
    if (cm_group_rank(other, one->members[i]) == MPI_UNDEFINED) return MPI_SUCCESS;
    same = same && one->members[i] == other->members[i];
  }
  *result = same ? MPI_IDENT : MPI_SIMILAR;
  return MPI_SUCCESS;
}

API(MPI_Group_translate_ranks)
int MPI_Group_translate_ranks(MPI_Group a, int count, const int ranks[], MPI_Group b, int found[]) {
  int i;
  ENTER();
  CHECK_GROUP(from, a);
  CHECK_GROUP(to, b);
  for (i = 0; i < count; i++) {
    if (ranks[i] != MPI_PROC_NULL && (ranks[i] < 0 || ranks[i] >= from->size))
      return cm_error(0, MPI_ERR_RANK, "there is no task %d in a group of %d", ranks[i], from->size);
    found[i] = ranks[i] == MPI_PROC_NULL ? MPI_PROC_NULL : cm_group_rank(to, from->members[ranks[i]]);
  }
  return MPI_SUCCESS;
}

/* Those of `from` that are (or are not) in `other`, behind what `made` has. */
static void pick(cm_group *made, const cm_group *from, const cm_group *other, int wanted) {
  int i;
  for (i = 0; i < from->size; i++)
    if ((cm_group_rank(other, from->members[i]) != MPI_UNDEFINED) == wanted) made->members[made->size++] = from->members[i];
}

static cm_group *with_room(int size) {
  cm_group *group = cm_group_new(size);
  group->size = 0;
  return group;
}

API(MPI_Group_union)
int MPI_Group_union(MPI_Group a, MPI_Group b, MPI_Group *new) {
  cm_group *made;
  ENTER();
  CHECK_GROUP(one, a);
  CHECK_GROUP(other, b);
  made = with_room(one->size + other->size);
  pick(made, one, one, 1);
  pick(made, other, one, 0);
  *new = cm_group_publish(made);
  return MPI_SUCCESS;
}

API(MPI_Group_intersection)
int MPI_Group_intersection(MPI_Group a, MPI_Group b, MPI_Group *new) {
  cm_group *made;
  ENTER();
  CHECK_GROUP(one, a);
  CHECK_GROUP(other, b);
  made = with_room(one->size);
  pick(made, one, other, 1);
  *new = cm_group_publish(made);
  return MPI_SUCCESS;
}

API(MPI_Group_difference)
int MPI_Group_difference(MPI_Group a, MPI_Group b, MPI_Group *new) {
  cm_group *made;
  ENTER();
  CHECK_GROUP(one, a);
  CHECK_GROUP(other, b);
  made = with_room(one->size);
  pick(made, one, other, 0);
  *new = cm_group_publish(made);
  return MPI_SUCCESS;
}

/* The tasks of these ranks, or all others in their order. */
static int choose(const cm_group *group, int count, const int ranks[], int included, MPI_Group *new) {
  cm_group *named = with_room(count), *made;
  int i;
  for (i = 0; i < count; i++) {
    if (ranks[i] < 0 || ranks[i] >= group->size || cm_group_rank(named, group->members[ranks[i]]) != MPI_UNDEFINED)
      return cm_error(0, MPI_ERR_RANK, "rank %d is not in a group of %d, or named twice", ranks[i], group->size);
    named->members[named->size++] = group->members[ranks[i]];
  }
  if (included) {
    *new = cm_group_publish(named);
    return MPI_SUCCESS;
  }
  made = with_room(group->size);
  pick(made, group, named, 0);
  cm_group_drop(named);
  *new = cm_group_publish(made);
  return MPI_SUCCESS;
}

API(MPI_Group_incl)
int MPI_Group_incl(MPI_Group handle, int count, const int ranks[], MPI_Group *new) {
  ENTER();
  CHECK_GROUP(group, handle);
  return choose(group, count, ranks, 1, new);
}

API(MPI_Group_excl)
int MPI_Group_excl(MPI_Group handle, int count, const int ranks[], MPI_Group *new) {
  ENTER();
  CHECK_GROUP(group, handle);
  return choose(group, count, ranks, 0, new);
}

static int choose_ranges(MPI_Group handle, int count, int ranges[][3], int included, MPI_Group *new) {
  int *ranks, i, used = 0, code;
  long rank;
  CHECK_GROUP(group, handle);
  ranks = cm_allocate((size_t)(group->size + 1) * sizeof *ranks);
  for (i = 0; i < count; i++) {
    const int step = ranges[i][2];
    if (step == 0) return cm_error(0, MPI_ERR_ARG, "the step of a range is 0");
    for (rank = ranges[i][0]; step > 0 ? rank <= ranges[i][1] : rank >= ranges[i][1]; rank += step) {
      if (used > group->size) return cm_error(0, MPI_ERR_RANK, "the ranges name more tasks than there are");
      ranks[used++] = (int)rank;
    }
  }
  code = choose(group, used, ranks, included, new);
  free(ranks);
  return code;
}

API(MPI_Group_range_incl)
int MPI_Group_range_incl(MPI_Group handle, int count, int ranges[][3], MPI_Group *new) {
  ENTER();
  return choose_ranges(handle, count, ranges, 1, new);
}

API(MPI_Group_range_excl)
int MPI_Group_range_excl(MPI_Group handle, int count, int ranges[][3], MPI_Group *new) {
  ENTER();
  return choose_ranges(handle, count, ranges, 0, new);
}

API(MPI_Group_free)
int MPI_Group_free(MPI_Group *handle) {
  cm_group *group;
  ENTER();
  group = cm_group_of(*handle);
  if (!group) return MPI_ERR_GROUP;
  if (*handle != MPI_GROUP_EMPTY) {
    cm_table_remove(&groups, *handle);
    cm_group_drop(group);
  }
  *handle = MPI_GROUP_NULL;
  return MPI_SUCCESS;
}
