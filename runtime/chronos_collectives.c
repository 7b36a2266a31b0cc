/* Records collective calls and who is in a communicator. See chronos_calls.h. */
#ifdef CHRONOS_WITH_MPI
#include "chronos_calls.h"
#include <stdlib.h>
#include <string.h>

typedef chronos_number number;

/* --- communicators --- */

/* Members of the other side where there are two: what ranks in messages mean. */
static struct {
  int count;
  int *members;
} comms[65536];
static int comm_count = 1, comm_key = MPI_KEYVAL_INVALID;

#ifdef CHRONOS_LIVE
#include "direct.h"
/* Tasks that others start have a world of their own. */
#define IS_FIRST_WORLD(comm) ((comm) == MPI_COMM_WORLD && !cm_stands_by())
int *chronos_world_ranks(MPI_Group group, int *count) { return cm_members(group, count); }
#else
#define IS_FIRST_WORLD(comm) ((comm) == MPI_COMM_WORLD)
int *chronos_world_ranks(MPI_Group group, int *count) {
  MPI_Group world;
  int *own, *found, i;
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  PMPI_Group_size(group, count);
  own = malloc((size_t)(*count + 1) * sizeof *own);
  found = malloc((size_t)(*count + 1) * sizeof *found);
  for (i = 0; own && i < *count; i++) own[i] = i;
  if (own && found) PMPI_Group_translate_ranks(group, *count, own, world, found);
  else *count = 0;
  PMPI_Group_free(&world);
  free(own);
  return found;
}
#endif

/* Members of both sides, that with the lowest rank first, so that all of them say the same. */
static void tell(int id, const int *one, int ones, const int *other, int others) {
  int *members = malloc((size_t)(ones + others + 1) * sizeof *members);
  if (!members) return;
  if (others > 0 && ones > 0 && other[0] < one[0]) {
    const int *first = one;
    const int firsts = ones;
    one = other;
    ones = others;
    other = first;
    others = firsts;
  }
  memcpy(members, one, (size_t)ones * sizeof *members);
  if (others > 0) memcpy(members + ones, other, (size_t)others * sizeof *members);
  chronos_group((unsigned)id, (unsigned)(ones + others), members);
  free(members);
}

chronos_number chronos_copy(MPI_Comm comm) {
  MPI_Group local, remote;
  int id = comm_count, inter = 0, count, others = 0, *members, *other = 0;
  if (id == (int)(sizeof comms / sizeof *comms)) return 0;
  comm_count++;
  PMPI_Comm_test_inter(comm, &inter);
  PMPI_Comm_group(comm, &local);
  members = chronos_world_ranks(local, &count);
  PMPI_Group_free(&local);
  if (inter) {
    PMPI_Comm_remote_group(comm, &remote);
    other = chronos_world_ranks(remote, &others);
    PMPI_Group_free(&remote);
  }
  tell(id, members, count, other, others);
  comms[id].count = inter ? others : count;
  comms[id].members = inter ? other : members;
  if (inter) free(members);
  return id;
}

chronos_number chronos_comm(MPI_Comm comm) {
  void *id = 0;
  number made;
  int found = 0;
  if (IS_FIRST_WORLD(comm) || comm == MPI_COMM_NULL) return 0;
  if (comm_key != MPI_KEYVAL_INVALID) PMPI_Comm_get_attr(comm, comm_key, &id, &found);
  if (found) return (number)(size_t)id;
  if (comm_key == MPI_KEYVAL_INVALID)
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &comm_key, 0);
  made = chronos_copy(comm);
  PMPI_Comm_set_attr(comm, comm_key, (void *)(size_t)made);
  return made;
}

chronos_number chronos_member(chronos_number comm, int rank) {
  if (comm == 0 || rank < 0) return rank;
  return rank < comms[comm].count ? comms[comm].members[rank] : -1;
}

chronos_number chronos_task(MPI_Comm comm, int rank) {
  const number id = rank < 0 ? 0 : chronos_comm(comm);
  if (rank < 0) return -1;
  if (id == 0) return rank;
  return rank < comms[id].count ? comms[id].members[rank] : -1;
}

static int size_of(MPI_Comm comm) {
  int inter = 0, size = 0;
  PMPI_Comm_test_inter(comm, &inter);
  if (inter) PMPI_Comm_remote_size(comm, &size);
  else PMPI_Comm_size(comm, &size);
  return size;
}

static int rank_in(MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  return rank;
}

/* --- what is recorded --- */

/* A call that moves the same number of bytes between any two: communicator, root, request, commutes, bytes. */
static void uniform(const char *kind, MPI_Comm comm, number root, number request, number commutes, number bytes) {
  const number values[] = {chronos_comm(comm), root, request, commutes, bytes};
  if (comm == MPI_COMM_NULL) chronos_nothing();
  else chronos_event(kind, 5, values);
}

/* The same with own bytes (OWN: those of the own block) and those of each member. */
enum { OWN = -1 };
static void ragged(const char *kind, MPI_Comm comm, number root, number request, number own, const int *counts,
                   const MPI_Datatype *types, MPI_Datatype type) {
  const int size = counts ? size_of(comm) : 0;
  number *values = malloc((size_t)(size + 5) * sizeof *values);
  int i;
  if (!values) return;
  values[0] = chronos_comm(comm);
  values[1] = root;
  values[2] = request;
  values[3] = 1;
  for (i = 0; i < size; i++) values[5 + i] = chronos_bytes(counts[i], types ? types[i] : type);
  values[4] = own == OWN ? values[5 + rank_in(comm)] : own;
  chronos_event(kind, (unsigned)(size + 5), values);
  free(values);
}

static number commutes(MPI_Op op) {
  int flag = 1;
  PMPI_Op_commutative(op, &flag);
  return flag;
}

static number total(const int *counts, MPI_Comm comm) {
  number sum = 0;
  int i, size = size_of(comm);
  for (i = 0; i < size; i++) sum += counts[i];
  return sum;
}

static int has_sides(MPI_Comm comm) {
  int inter = 0;
  PMPI_Comm_test_inter(comm, &inter);
  return inter;
}

static int is_own(MPI_Comm comm, int root) { return root == (has_sides(comm) ? MPI_ROOT : rank_in(comm)); }

/* --- operations of two sides --- */

static int *members_of(MPI_Comm comm, int far, int *count) {
  MPI_Group group;
  int *members;
  if (far) PMPI_Comm_remote_group(comm, &group);
  else PMPI_Comm_group(comm, &group);
  members = chronos_world_ranks(group, count);
  PMPI_Group_free(&group);
  return members;
}

/* Communicators of a root and the side that it serves, the root behind the others. */
static struct {
  number comm, task, id;
} served[1024];
static int served_count;

static number serving(MPI_Comm comm, int far, number task) {
  const number over = chronos_comm(comm);
  int i = 0, count, *members;
  while (i < served_count && (served[i].comm != over || served[i].task != task)) i++;
  if (i < served_count) return served[i].id;
  if (i == 1024 || comm_count == (int)(sizeof comms / sizeof *comms)) return over;
  members = members_of(comm, far, &count);
  members[count++] = (int)task;
  served[i].comm = over;
  served[i].task = task;
  served[i].id = comm_count++;
  served_count++;
  comms[served[i].id].count = count;
  comms[served[i].id].members = members;
  chronos_group((unsigned)served[i].id, (unsigned)count, members);
  return served[i].id;
}

/* What an operation with a root runs on, and the root's rank in MPI_COMM_WORLD; -1: it concerns the others of this side. */
static number rooted(MPI_Comm comm, int root, number *task) {
  if (!has_sides(comm)) {
    *task = chronos_task(comm, root);
    return chronos_comm(comm);
  }
  if (root == MPI_PROC_NULL) return -1;
  *task = root == MPI_ROOT ? chronos_task(MPI_COMM_WORLD, rank_in(MPI_COMM_WORLD)) : chronos_task(comm, root);
  return serving(comm, root == MPI_ROOT, *task);
}

static void from_root(const char *kind, MPI_Comm comm, int root, number request, number commutes, number bytes) {
  number task = -1, id = rooted(comm, root, &task);
  const number values[] = {id, task, request, commutes, bytes};
  if (id >= 0) chronos_event(kind, 5, values);
  else {
    if (request >= 0) chronos_nobody((int)request);
    chronos_nothing();
  }
}

/* With a list of blocks at the root, which has none itself where there are two sides. */
static void ragged_root(const char *kind, MPI_Comm comm, int root, number request, number own, const int *counts,
                        MPI_Datatype type) {
  const int listed = is_own(comm, root) ? size_of(comm) : 0, sides = has_sides(comm);
  number task = -1, id = rooted(comm, root, &task), *values = malloc((size_t)(listed + 6) * sizeof *values);
  int i;
  if (id < 0 || !values) {
    if (request >= 0) chronos_nobody((int)request);
    chronos_nothing();
    free(values);
    return;
  }
  values[0] = id;
  values[1] = task;
  values[2] = request;
  values[3] = 1;
  values[4] = sides && listed ? 0 : own;
  for (i = 0; i < listed; i++) values[5 + i] = chronos_bytes(counts[i], type);
  if (sides && listed) values[5 + i++] = 0;
  chronos_event(kind, (unsigned)(5 + i), values);
  free(values);
}

/* Everyone's bytes to everyone on the other side: members of the own side have `own`, those of the other one `other`. */
static void across(const char *kind, MPI_Comm comm, number request, number given, number own, number other) {
  int near, far, i, first;
  int *here = members_of(comm, 0, &near), *there = members_of(comm, 1, &far);
  number *values = malloc((size_t)(near + far + 5) * sizeof *values);
  if (here && there && values && near > 0 && far > 0) {
    first = here[0] < there[0];
    values[0] = chronos_comm(comm);
    values[1] = -1;
    values[2] = request;
    values[3] = 1;
    values[4] = given;
    for (i = 0; i < near; i++) values[5 + i + (first ? 0 : far)] = own;
    for (i = 0; i < far; i++) values[5 + i + (first ? near : 0)] = other;
    chronos_event(kind, (unsigned)(near + far + 5), values);
  }
  free(here);
  free(there);
  free(values);
}

/* --- all members agree --- */

/* Bytes that each member gives to an agreement on what is made; nothing where members only wait for each other. */
enum { AGREED = 8, NOTHING_MADE = 0 };

WRAPPED(MPI_Finalize)
int MPI_Finalize(void) {
  CALLED(MPI_Finalize)
  uniform("agreement", MPI_COMM_WORLD, -1, -1, 1, NOTHING_MADE);
  return PMPI_Finalize();
}

WRAPPED(MPI_Comm_disconnect)
int MPI_Comm_disconnect(MPI_Comm *comm) {
  CALLED(MPI_Comm_disconnect)
  uniform("agreement", *comm, -1, -1, 1, NOTHING_MADE);
  return PMPI_Comm_disconnect(comm);
}

#define MAKES(name, parameters, arguments, from)        \
  WRAPPED(name)                                         \
  int name parameters {                                 \
    CALLED(name)                                        \
    int code;                                           \
    uniform("agreement", from, -1, -1, 1, AGREED);      \
    code = P##name arguments;                           \
    if (code == MPI_SUCCESS) chronos_comm(*made);       \
    return code;                                        \
  }
MAKES(MPI_Comm_dup, (MPI_Comm comm, MPI_Comm *made), (comm, made), comm)
MAKES(MPI_Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm *made), (comm, color, key, made), comm)
MAKES(MPI_Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made),
      (comm, type, key, info, made), comm)
MAKES(MPI_Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm *made), (comm, group, made), comm)
MAKES(MPI_Cart_create, (MPI_Comm comm, int n, const int sizes[], const int periods[], int reorder, MPI_Comm *made),
      (comm, n, sizes, periods, reorder, made), comm)
MAKES(MPI_Cart_sub, (MPI_Comm comm, const int kept[], MPI_Comm *made), (comm, kept, made), comm)
MAKES(MPI_Graph_create, (MPI_Comm comm, int n, const int index[], const int edges[], int reorder, MPI_Comm *made),
      (comm, n, index, edges, reorder, made), comm)

MAKES(MPI_Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm *made), (comm, info, made), comm)
MAKES(MPI_Dist_graph_create,
      (MPI_Comm comm, int n, const int sources[], const int degrees[], const int destinations[], const int weights[],
       MPI_Info info, int reorder, MPI_Comm *made),
      (comm, n, sources, degrees, destinations, weights, info, reorder, made), comm)
MAKES(MPI_Dist_graph_create_adjacent,
      (MPI_Comm comm, int in, const int sources[], const int source_weights[], int out, const int destinations[],
       const int weights[], MPI_Info info, int reorder, MPI_Comm *made),
      (comm, in, sources, source_weights, out, destinations, weights, info, reorder, made), comm)

/* The members of what is made agree, not those of what it is made of. */
#define JOINS(name, parameters, arguments)                                                            \
  WRAPPED(name)                                                                                       \
  int name parameters {                                                                               \
    CALLED(name)                                                                                      \
    const int code = P##name arguments;                                                               \
    uniform("agreement", code == MPI_SUCCESS ? *made : MPI_COMM_NULL, -1, -1, 1, AGREED);             \
    return code;                                                                                      \
  }
#ifndef CHRONOS_LIVE
JOINS(MPI_Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made), (comm, group, tag, made))
JOINS(MPI_Intercomm_create, (MPI_Comm comm, int leader, MPI_Comm peer, int other, int tag, MPI_Comm *made),
      (comm, leader, peer, other, tag, made))
JOINS(MPI_Intercomm_merge, (MPI_Comm comm, int high, MPI_Comm *made), (comm, high, made))
#else
/* A driver has to know that they meet before they wait for each other. */
void chronos_agree(number comm) {
  const number values[] = {comm, -1, -1, 1, AGREED};
  chronos_event("agreement", 5, values);
}

WRAPPED(MPI_Comm_create_group)
int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made) {
  CALLED(MPI_Comm_create_group)
  int count, code, *members = chronos_world_ranks(group, &count);
  if (comm_count < (int)(sizeof comms / sizeof *comms)) {
    chronos_group((unsigned)comm_count, (unsigned)count, members);
    comms[comm_count].count = count;
    comms[comm_count].members = members;
    chronos_agree(comm_count++);
  }
  code = PMPI_Comm_create_group(comm, group, tag, made);
  if (code == MPI_SUCCESS) chronos_comm(*made);
  return code;
}
WRAPPED(MPI_Intercomm_merge)
int MPI_Intercomm_merge(MPI_Comm comm, int high, MPI_Comm *made) {
  CALLED(MPI_Intercomm_merge)
  int code;
  chronos_agree(chronos_copy(comm));
  code = PMPI_Intercomm_merge(comm, high, made);
  if (code == MPI_SUCCESS) chronos_comm(*made);
  return code;
}
#endif

/* --- collectives --- */

/* The blocking call and the immediate one; `record` is what they do, with the number of the request. */
#define COLLECTIVE(blocking, immediate, parameters, arguments, record)       \
  WRAPPED(blocking)                                                          \
  int blocking(UNPACKED parameters MPI_Comm comm) {                          \
    CALLED(blocking)                                                         \
    const number request = -1;                                               \
    record;                                                                  \
    return P##blocking(UNPACKED arguments comm);                             \
  }                                                                          \
  WRAPPED(immediate)                                                         \
  int immediate(UNPACKED parameters MPI_Comm comm, MPI_Request *made) {      \
    CALLED(immediate)                                                        \
    const int code = P##immediate(UNPACKED arguments comm, made);            \
    const number request = chronos_request(*made);                           \
    record;                                                                  \
    return code;                                                             \
  }

COLLECTIVE(MPI_Barrier, MPI_Ibarrier, (), (), uniform("barrier", comm, -1, request, 1, 0))
COLLECTIVE(MPI_Bcast, MPI_Ibcast, (void *data, int count, MPI_Datatype type, int root, ), (data, count, type, root, ),
           from_root("bcast", comm, root, request, 1, chronos_bytes(count, type)))

#define OPERANDS (const void *out, void *in, int count, MPI_Datatype type, MPI_Op op, )
#define THEM (out, in, count, type, op, )
COLLECTIVE(MPI_Reduce, MPI_Ireduce, (const void *out, void *in, int count, MPI_Datatype type, MPI_Op op, int root, ),
           (out, in, count, type, op, root, ),
           from_root("reduce", comm, root, request, commutes(op), chronos_bytes(count, type)))
COLLECTIVE(MPI_Allreduce, MPI_Iallreduce, OPERANDS, THEM,
           uniform("allreduce", comm, -1, request, commutes(op), chronos_bytes(count, type)))
COLLECTIVE(MPI_Scan, MPI_Iscan, OPERANDS, THEM,
           uniform("scan", comm, -1, request, commutes(op), chronos_bytes(count, type)))
COLLECTIVE(MPI_Exscan, MPI_Iexscan, OPERANDS, THEM,
           uniform("exscan", comm, -1, request, commutes(op), chronos_bytes(count, type)))
COLLECTIVE(MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, OPERANDS, THEM,
           uniform("reduce_scatter", comm, -1, request, commutes(op), chronos_bytes((number)count * size_of(comm), type)))
COLLECTIVE(MPI_Reduce_scatter, MPI_Ireduce_scatter,
           (const void *out, void *in, const int counts[], MPI_Datatype type, MPI_Op op, ),
           (out, in, counts, type, op, ),
           uniform("reduce_scatter", comm, -1, request, commutes(op), chronos_bytes(total(counts, comm), type)))

#define BLOCKS const void *out, int out_count, MPI_Datatype out_type, void *in, int in_count, MPI_Datatype in_type
#define THOSE out, out_count, out_type, in, in_count, in_type
#define OUT chronos_bytes(out_count, out_type)
#define IN chronos_bytes(in_count, in_type)
COLLECTIVE(MPI_Gather, MPI_Igather, (BLOCKS, int root, ), (THOSE, root, ),
           from_root("gather", comm, root, request, 1, is_own(comm, root) ? IN : OUT))
COLLECTIVE(MPI_Scatter, MPI_Iscatter, (BLOCKS, int root, ), (THOSE, root, ),
           from_root("scatter", comm, root, request, 1, is_own(comm, root) ? OUT : IN))
COLLECTIVE(MPI_Allgather, MPI_Iallgather, (BLOCKS, ), (THOSE, ),
           has_sides(comm) ? across("allgatherv", comm, request, OUT, OUT, IN)
                           : uniform("allgather", comm, -1, request, 1, out == MPI_IN_PLACE ? IN : OUT))
COLLECTIVE(MPI_Alltoall, MPI_Ialltoall, (BLOCKS, ), (THOSE, ),
           has_sides(comm) ? across("alltoallv", comm, request, 0, 0, OUT)
                           : uniform("alltoall", comm, -1, request, 1, out == MPI_IN_PLACE ? IN : OUT))

#define FEW const void *out, int out_count, MPI_Datatype out_type
#define MANY const void *out, const int counts[], const int places[], MPI_Datatype out_type
COLLECTIVE(MPI_Gatherv, MPI_Igatherv,
           (FEW, void *in, const int counts[], const int places[], MPI_Datatype in_type, int root, ),
           (out, out_count, out_type, in, counts, places, in_type, root, ),
           ragged_root("gatherv", comm, root, request, out == MPI_IN_PLACE ? chronos_bytes(counts[root], in_type) : OUT,
                       counts, in_type))
COLLECTIVE(MPI_Scatterv, MPI_Iscatterv, (MANY, void *in, int in_count, MPI_Datatype in_type, int root, ),
           (out, counts, places, out_type, in, in_count, in_type, root, ),
           ragged_root("scatterv", comm, root, request, in == MPI_IN_PLACE ? chronos_bytes(counts[root], out_type) : IN,
                       counts, out_type))
COLLECTIVE(MPI_Allgatherv, MPI_Iallgatherv,
           (FEW, void *in, const int counts[], const int places[], MPI_Datatype in_type, ),
           (out, out_count, out_type, in, counts, places, in_type, ),
           ragged("allgatherv", comm, -1, request,
                  out == MPI_IN_PLACE ? chronos_bytes(counts[rank_in(comm)], in_type) : OUT, counts, 0, in_type))
COLLECTIVE(MPI_Alltoallv, MPI_Ialltoallv,
           (MANY, void *in, const int in_counts[], const int in_places[], MPI_Datatype in_type, ),
           (out, counts, places, out_type, in, in_counts, in_places, in_type, ),
           ragged("alltoallv", comm, -1, request, OWN, out == MPI_IN_PLACE ? in_counts : counts, 0,
                  out == MPI_IN_PLACE ? in_type : out_type))
COLLECTIVE(MPI_Alltoallw, MPI_Ialltoallw,
           (const void *out, const int counts[], const int places[], const MPI_Datatype types[], void *in,
            const int in_counts[], const int in_places[], const MPI_Datatype in_types[], ),
           (out, counts, places, types, in, in_counts, in_places, in_types, ),
           ragged("alltoallv", comm, -1, request, OWN, out == MPI_IN_PLACE ? in_counts : counts,
                  out == MPI_IN_PLACE ? in_types : types, MPI_BYTE))
#else
typedef int chronos_no_collectives;
#endif
