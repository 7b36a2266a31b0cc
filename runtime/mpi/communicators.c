/* Communicators: groups with a context of their own. A context is a number that all members agree on: one above all
 * that any of them has used, so that no two communicators of a task have the same. */
#include "internal.h"

static cm_table comms;
static int next_context = 3;
enum { FIRST_COMM = 3 };

int cm_context_next(void) { return next_context; }

void cm_context_used(int context) {
  if (context >= next_context) next_context = context + 1;
}

cm_comm *cm_comm_of(MPI_Comm handle) {
  cm_comm *comm = cm_table_get(&comms, handle);
  if (!comm && handle != MPI_COMM_WORLD)
    cm_error(0, MPI_ERR_COMM, handle == MPI_COMM_NULL ? "the communicator is MPI_COMM_NULL" : "%d is no communicator",
             handle);
  return comm;
}

static cm_comm *new_comm(cm_group *local, cm_group *remote, int context, const cm_comm *like) {
  cm_comm *comm = cm_allocate(sizeof *comm);
  comm->references = 1;
  comm->context = context;
  comm->local = cm_group_keep(local);
  comm->remote = cm_group_keep(remote ? remote : local);
  comm->is_inter = remote != 0;
  comm->rank = cm_group_rank(local, cm_task);
  comm->handler = like ? like->handler : MPI_ERRORS_ARE_FATAL;
  return comm;
}

cm_comm *cm_comm_new(cm_group *local, cm_group *remote, int context, const cm_comm *like) {
  cm_comm *comm = new_comm(local, remote, context, like);
  cm_context_used(context);
  comm->handle = cm_table_add(&comms, FIRST_COMM, comm);
  return comm;
}

void cm_comm_drop(cm_comm *comm) {
  if (--comm->references > 0) return;
  cm_group_drop(comm->local);
  cm_group_drop(comm->remote);
  if (comm->topology) cm_topology_free(comm->topology);
  free(comm);
}

static void predefined(MPI_Comm handle, cm_group *group, int context, const char *name) {
  cm_comm *comm = new_comm(group, 0, context, 0);
  comm->handle = handle;
  strcpy(comm->name, name);
  cm_table_put(&comms, handle, comm);
}

void cm_comms_begin(void) {
  cm_group *self = cm_group_new(1);
  self->members[0] = cm_task;
  predefined(MPI_COMM_WORLD, cm_world_group(), 1, "MPI_COMM_WORLD");
  predefined(MPI_COMM_SELF, self, 2, "MPI_COMM_SELF");
  cm_parent_begin();
}

/* The context that all tasks of a communicator agree on. */
int cm_agree(cm_comm *comm) {
  int *all = cm_allocate((size_t)comm->local->size * sizeof *all);
  int mine = next_context, i;
  cm_allgather_bytes(comm, &mine, sizeof mine, all);
  for (i = 0; i < comm->local->size; i++)
    if (all[i] > mine) mine = all[i];
  free(all);
  if (comm->is_inter) { /* the other side as well: the first of each side tell each other */
    int other = mine;
    if (comm->rank == 0) {
      cm_send_bytes(comm, CM_CONTROL, 0, 0, &mine, sizeof mine);
      cm_receive_bytes(comm, CM_CONTROL, 0, 0, &other, sizeof other);
      if (other > mine) mine = other;
      for (i = 0; i < comm->remote->size; i++) cm_send_bytes(comm, CM_CONTROL, i, 1, &mine, sizeof mine);
    }
    cm_receive_bytes(comm, CM_CONTROL, 0, 1, &other, sizeof other);
    mine = other > mine ? other : mine;
  }
  return mine;
}

#define RETURN_ENTERED_COMM(comm, handle) \
  ENTER();                                \
  CHECK_COMM(comm, handle)

API(MPI_Comm_rank)
int MPI_Comm_rank(MPI_Comm handle, int *rank) {
  RETURN_ENTERED_COMM(comm, handle);
  *rank = comm->rank;
  return MPI_SUCCESS;
}

API(MPI_Comm_size)
int MPI_Comm_size(MPI_Comm handle, int *size) {
  RETURN_ENTERED_COMM(comm, handle);
  *size = comm->local->size;
  return MPI_SUCCESS;
}

API(MPI_Comm_remote_size)
int MPI_Comm_remote_size(MPI_Comm handle, int *size) {
  RETURN_ENTERED_COMM(comm, handle);
  if (!comm->is_inter) return cm_error(comm, MPI_ERR_COMM, "it is no intercommunicator");
  *size = comm->remote->size;
  return MPI_SUCCESS;
}

API(MPI_Comm_test_inter)
int MPI_Comm_test_inter(MPI_Comm handle, int *flag) {
  RETURN_ENTERED_COMM(comm, handle);
  *flag = comm->is_inter;
  return MPI_SUCCESS;
}

API(MPI_Comm_group)
int MPI_Comm_group(MPI_Comm handle, MPI_Group *group) {
  RETURN_ENTERED_COMM(comm, handle);
  *group = cm_group_publish(cm_group_keep(comm->local));
  return MPI_SUCCESS;
}

API(MPI_Comm_remote_group)
int MPI_Comm_remote_group(MPI_Comm handle, MPI_Group *group) {
  RETURN_ENTERED_COMM(comm, handle);
  if (!comm->is_inter) return cm_error(comm, MPI_ERR_COMM, "it is no intercommunicator");
  *group = cm_group_publish(cm_group_keep(comm->remote));
  return MPI_SUCCESS;
}

API(MPI_Comm_compare)
int MPI_Comm_compare(MPI_Comm a, MPI_Comm b, int *result) {
  MPI_Group one, other;
  RETURN_ENTERED_COMM(first, a);
  CHECK_COMM(second, b);
  if (first == second) return *result = MPI_IDENT, MPI_SUCCESS;
  if (first->is_inter != second->is_inter) return *result = MPI_UNEQUAL, MPI_SUCCESS;
  PMPI_Comm_group(a, &one);
  PMPI_Comm_group(b, &other);
  extern __typeof__(MPI_Group_compare) PMPI_Group_compare;
  extern __typeof__(MPI_Group_free) PMPI_Group_free;
  PMPI_Group_compare(one, other, result);
  PMPI_Group_free(&one);
  PMPI_Group_free(&other);
  if (*result == MPI_IDENT) *result = MPI_CONGRUENT;
  return MPI_SUCCESS;
}

/* --- copies --- */

static int complete_copy(cm_comm *comm, cm_comm *copy, MPI_Comm *new) {
  *new = copy->handle;
  copy->info = comm->info;
  if (comm->topology) copy->topology = cm_topology_copy(comm->topology);
  return cm_attributes_copy(CM_OF_COMM, comm->handle, comm->attributes, &copy->attributes);
}

API(MPI_Comm_dup)
int MPI_Comm_dup(MPI_Comm handle, MPI_Comm *new) {
  RETURN_ENTERED_COMM(comm, handle);
  return complete_copy(comm, cm_comm_new(comm->local, comm->is_inter ? comm->remote : 0, cm_agree(comm), comm), new);
}

API(MPI_Comm_dup_with_info)
int MPI_Comm_dup_with_info(MPI_Comm handle, MPI_Info info, MPI_Comm *new) {
  (void)info;
  return PMPI_Comm_dup(handle, new);
}

/* The agreement waits for the others: they come, for the call is collective. */
API(MPI_Comm_idup)
int MPI_Comm_idup(MPI_Comm handle, MPI_Comm *new, MPI_Request *request) {
  int code = PMPI_Comm_dup(handle, new);
  *request = cm_request_done(0);
  return code;
}

/* --- parts --- */

typedef struct {
  int color, key, rank, context;
} choice;

static int by_key(const void *a, const void *b) {
  const choice *one = a, *other = b;
  if (one->key != other->key) return one->key < other->key ? -1 : 1;
  return one->rank - other->rank;
}

MPI_Comm cm_split(cm_comm *comm, int color, int key) {
  const int size = comm->local->size;
  choice mine = {color, key, comm->rank, next_context}, *all = cm_allocate((size_t)size * sizeof *all);
  cm_group *group = cm_group_new(size);
  cm_comm *made = 0;
  int i, used = 0, context = 0;
  cm_allgather_bytes(comm, &mine, sizeof mine, all);
  qsort(all, (size_t)size, sizeof *all, by_key);
  for (i = 0; i < size; i++) {
    if (all[i].context > context) context = all[i].context;
    if (all[i].color == color) group->members[used++] = comm->local->members[all[i].rank];
  }
  group->size = used;
  cm_context_used(context);
  if (color != MPI_UNDEFINED) made = cm_comm_new(group, 0, context, comm);
  cm_group_drop(group);
  free(all);
  return made ? made->handle : MPI_COMM_NULL;
}

API(MPI_Comm_split)
int MPI_Comm_split(MPI_Comm handle, int color, int key, MPI_Comm *new) {
  RETURN_ENTERED_COMM(comm, handle);
  if (comm->is_inter) cm_fatal("the bundled MPI does not split intercommunicators");
  if (color < 0 && color != MPI_UNDEFINED) return cm_error(comm, MPI_ERR_ARG, "the colour %d is negative", color);
  *new = cm_split(comm, color, key);
  return MPI_SUCCESS;
}

/* All tasks share this machine. */
API(MPI_Comm_split_type)
int MPI_Comm_split_type(MPI_Comm handle, int type, int key, MPI_Info info, MPI_Comm *new) {
  RETURN_ENTERED_COMM(comm, handle);
  (void)info;
  *new = cm_split(comm, type == MPI_UNDEFINED ? MPI_UNDEFINED : 0, key);
  return MPI_SUCCESS;
}

API(MPI_Comm_create)
int MPI_Comm_create(MPI_Comm handle, MPI_Group of, MPI_Comm *new) {
  cm_group *group;
  int context;
  RETURN_ENTERED_COMM(comm, handle);
  if (comm->is_inter) cm_fatal("the bundled MPI does not make parts of intercommunicators");
  group = cm_group_of(of);
  if (!group) return MPI_ERR_GROUP;
  context = cm_agree(comm);
  cm_context_used(context);
  *new = MPI_COMM_NULL;
  if (cm_group_rank(group, cm_task) != MPI_UNDEFINED) *new = cm_comm_new(group, 0, context, comm)->handle;
  return MPI_SUCCESS;
}

/* Members of the group alone agree: by way of the first of them. */
API(MPI_Comm_create_group)
int MPI_Comm_create_group(MPI_Comm handle, MPI_Group of, int tag, MPI_Comm *new) {
  cm_group *group;
  int i, rank, first, context = next_context;
  RETURN_ENTERED_COMM(comm, handle);
  group = cm_group_of(of);
  if (!group) return MPI_ERR_GROUP;
  rank = cm_group_rank(group, cm_task);
  *new = MPI_COMM_NULL;
  if (rank == MPI_UNDEFINED) return MPI_SUCCESS;
  first = cm_group_rank(comm->local, group->members[0]);
  tag = 16 + 2 * tag;
  for (i = 1; rank == 0 && i < group->size; i++) {
    int other;
    cm_receive_bytes(comm, CM_CONTROL, cm_group_rank(comm->local, group->members[i]), tag, &other, sizeof other);
    if (other > context) context = other;
  }
  if (rank > 0) {
    cm_send_bytes(comm, CM_CONTROL, first, tag, &context, sizeof context);
    cm_receive_bytes(comm, CM_CONTROL, first, tag + 1, &context, sizeof context);
  }
  for (i = 1; rank == 0 && i < group->size; i++)
    cm_send_bytes(comm, CM_CONTROL, cm_group_rank(comm->local, group->members[i]), tag + 1, &context, sizeof context);
  *new = cm_comm_new(group, 0, context, comm)->handle;
  return MPI_SUCCESS;
}

/* --- two sides --- */

/* What the first of a side says, to all of it. */
void cm_tell_side(cm_comm *comm, int from, void *data, long bytes) {
  int i;
  if (comm->rank != from) {
    cm_receive_bytes(comm, CM_CONTROL, from, 2, data, bytes);
    return;
  }
  for (i = 0; i < comm->local->size; i++)
    if (i != from) cm_send_bytes(comm, CM_CONTROL, i, 2, data, bytes);
}

API(MPI_Intercomm_create)
int MPI_Intercomm_create(MPI_Comm handle, int leader, MPI_Comm bridge, int remote_leader, int tag, MPI_Comm *new) {
  int numbers[2] = {0, 0}, mine[2]; /* size of the side, its next context */
  cm_group *other;
  RETURN_ENTERED_COMM(comm, handle);
  if (leader < 0 || leader >= comm->local->size) return cm_error(comm, MPI_ERR_RANK, "there is no task %d", leader);
  mine[0] = comm->local->size;
  mine[1] = cm_agree(comm);
  if (comm->rank == leader) {
    CHECK_COMM(peers, bridge);
    cm_send_bytes(peers, CM_CONTROL, remote_leader, 16 + 2 * tag, mine, sizeof mine);
    cm_receive_bytes(peers, CM_CONTROL, remote_leader, 16 + 2 * tag, numbers, sizeof numbers);
  }
  cm_tell_side(comm, leader, numbers, sizeof numbers);
  other = cm_group_new(numbers[0]);
  if (comm->rank == leader) {
    cm_comm *peers = cm_comm_of(bridge);
    cm_send_bytes(peers, CM_CONTROL, remote_leader, 17 + 2 * tag, comm->local->members,
                  (long)sizeof(int) * comm->local->size);
    cm_receive_bytes(peers, CM_CONTROL, remote_leader, 17 + 2 * tag, other->members, (long)sizeof(int) * other->size);
  }
  cm_tell_side(comm, leader, other->members, (long)sizeof(int) * other->size);
  *new = cm_comm_new(comm->local, other, numbers[1] > mine[1] ? numbers[1] : mine[1], comm)->handle;
  cm_group_drop(other);
  return MPI_SUCCESS;
}

API(MPI_Intercomm_merge)
int MPI_Intercomm_merge(MPI_Comm handle, int high, MPI_Comm *new) {
  const cm_group *first, *second;
  cm_group *all;
  int other = high, context, mine_first;
  RETURN_ENTERED_COMM(comm, handle);
  if (!comm->is_inter) return cm_error(comm, MPI_ERR_COMM, "it is no intercommunicator");
  context = cm_agree(comm);
  if (comm->rank == 0) {
    cm_send_bytes(comm, CM_CONTROL, 0, 3, &high, sizeof high);
    cm_receive_bytes(comm, CM_CONTROL, 0, 3, &other, sizeof other);
  }
  {
    cm_comm *side = cm_comm_new(comm->local, 0, context, comm);
    cm_tell_side(side, 0, &other, sizeof other);
    cm_table_remove(&comms, side->handle);
    cm_comm_drop(side);
  }
  /* Of two sides that want the same place, that of the lower first task comes first. */
  mine_first = !high != !other ? !high : comm->local->members[0] < comm->remote->members[0];
  first = mine_first ? comm->local : comm->remote;
  second = mine_first ? comm->remote : comm->local;
  all = cm_group_new(first->size + second->size);
  memcpy(all->members, first->members, (size_t)first->size * sizeof(int));
  memcpy(all->members + first->size, second->members, (size_t)second->size * sizeof(int));
  *new = cm_comm_new(all, 0, context + 1, comm)->handle;
  cm_group_drop(all);
  return MPI_SUCCESS;
}

/* --- end, names, hints --- */

API(MPI_Comm_free)
int MPI_Comm_free(MPI_Comm *handle) {
  int code;
  RETURN_ENTERED_COMM(comm, *handle);
  if (*handle < FIRST_COMM) return cm_error(comm, MPI_ERR_COMM, "%s cannot be freed", comm->name);
  code = cm_attributes_delete(CM_OF_COMM, *handle, &comm->attributes);
  if (code != MPI_SUCCESS) return code;
  cm_table_remove(&comms, *handle);
  cm_comm_drop(comm);
  *handle = MPI_COMM_NULL;
  return MPI_SUCCESS;
}

API(MPI_Comm_disconnect)
int MPI_Comm_disconnect(MPI_Comm *handle) { return PMPI_Comm_free(handle); }

API(MPI_Comm_get_name)
int MPI_Comm_get_name(MPI_Comm handle, char *name, int *length) {
  RETURN_ENTERED_COMM(comm, handle);
  strcpy(name, comm->name);
  *length = (int)strlen(name);
  return MPI_SUCCESS;
}

API(MPI_Comm_set_name)
int MPI_Comm_set_name(MPI_Comm handle, const char *name) {
  RETURN_ENTERED_COMM(comm, handle);
  snprintf(comm->name, sizeof comm->name, "%s", name);
  return MPI_SUCCESS;
}

extern __typeof__(MPI_Info_create) PMPI_Info_create;
extern __typeof__(MPI_Info_dup) PMPI_Info_dup;

API(MPI_Comm_get_info)
int MPI_Comm_get_info(MPI_Comm handle, MPI_Info *info) {
  RETURN_ENTERED_COMM(comm, handle);
  return comm->info ? PMPI_Info_dup(comm->info, info) : PMPI_Info_create(info);
}

API(MPI_Comm_set_info)
int MPI_Comm_set_info(MPI_Comm handle, MPI_Info info) {
  RETURN_ENTERED_COMM(comm, handle);
  return PMPI_Info_dup(info, &comm->info);
}
