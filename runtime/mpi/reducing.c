/* Collectives that combine data. Contributions are collected and combined in the order of ranks, so that results do not
 * depend on who comes first and operations need not commute. */
#include "collectives.h"

static int is_root(const cm_request *request) {
  return request->comm->is_inter ? request->call->root == MPI_ROOT : request->call->root == request->comm->rank;
}

/* Bytes of a contribution in memory, and how far its first element is from where it begins. */
static long room(const cm_type *type, long count) {
  return count * cm_extent(type) + (type->true_ub - type->true_lb) + 16;
}

/* The place of contribution i in the scratch memory. */
static char *slot(const cm_request *request, int i) {
  const cm_part mine = cm_part_of(&request->call->in, 0);
  return request->scratch + i * room(mine.type, mine.count) - mine.type->lb;
}

static cm_part own(const cm_request *request) {
  cm_part part = cm_part_of(&request->call->in, 0);
  if (request->call->out.data != MPI_IN_PLACE) part.data = (char *)request->call->out.data;
  return part;
}

static void need_slots(cm_request *request, int count) {
  const cm_part mine = cm_part_of(&request->call->in, 0);
  if (!request->scratch) request->scratch = cm_allocate((size_t)(count * room(mine.type, mine.count)));
}

/* Combines contributions first..last into that of the last and brings it to its place. */
static void combine(cm_request *request, int first, int last, char *result) {
  const cm_part mine = cm_part_of(&request->call->in, 0);
  cm_part from = mine, to = mine;
  int i;
  for (i = last - 1; i >= first; i--)
    cm_reduce(request->call->op, slot(request, i), slot(request, last), mine.count, mine.type);
  from.data = slot(request, last);
  to.data = result;
  cm_part_copy(from, to);
}

/* Receives the contributions of ranks first..last of the remote side. */
static void collect(cm_request *request, int first, int last) {
  cm_part part = own(request);
  int peer;
  for (peer = first; peer <= last; peer++) {
    cm_part place = part;
    place.data = slot(request, peer);
    if (!request->comm->is_inter && peer == request->comm->rank) cm_part_copy(part, place);
    else cm_part_receive(request, peer, place);
  }
}

/* --- to one --- */

static void reduced(cm_request *request) {
  if (is_root(request)) combine(request, 0, request->comm->remote->size - 1, (char *)request->call->in.data);
  cm_complete(request);
}

static void reduce(cm_request *request) {
  cm_call *call = request->call;
  cm_round_begin(request, reduced);
  if (is_root(request)) {
    need_slots(request, request->comm->remote->size);
    collect(request, 0, request->comm->remote->size - 1);
  } else if (call->root != MPI_PROC_NULL) {
    cm_part_send(request, call->root, own(request));
  }
  cm_round_end(request);
}

#define REDUCTION(BEGIN)                                                   \
  call.begin = BEGIN;                                                      \
  call.out = (cm_side){.data = out, .count = count, .type = type};         \
  call.in = (cm_side){.data = in, .count = count, .type = type};           \
  call.op = op

THREE_FORMS(Reduce, reduce, (const void *out, void *in, int count, MPI_Datatype type, MPI_Op op, int root,), {
  REDUCTION(reduce);
  call.root = root;
})

/* --- to all: to the first, and from there --- */

static void allreduced(cm_request *request) {
  const int size = request->comm->local->size;
  const cm_part result = cm_part_of(&request->call->in, 0);
  int peer;
  if (request->comm->is_inter) {
    combine(request, 0, request->comm->remote->size - 1, result.data);
    cm_complete(request);
    return;
  }
  cm_round_begin(request, cm_complete);
  if (request->comm->rank == 0) {
    combine(request, 0, size - 1, result.data);
    for (peer = 1; peer < size; peer++) cm_part_send(request, peer, result);
  } else {
    cm_part_receive(request, 0, result);
  }
  cm_round_end(request);
}

static void allreduce(cm_request *request) {
  const int size = request->comm->remote->size, inter = request->comm->is_inter;
  int peer;
  cm_round_begin(request, allreduced);
  for (peer = 0; peer < (inter ? size : request->comm->rank > 0); peer++) cm_part_send(request, peer, own(request));
  if (inter || request->comm->rank == 0) {
    need_slots(request, size);
    collect(request, 0, size - 1);
  }
  cm_round_end(request);
}

THREE_FORMS(Allreduce, allreduce, (const void *out, void *in, int count, MPI_Datatype type, MPI_Op op,), {
  REDUCTION(allreduce);
  call.all = 1;
})

static void nothing(cm_request *request) {
  request->call->in = (cm_side){.data = (const char *)&cm_initialized, .type = MPI_BYTE};
  request->call->out = request->call->in;
  request->call->op = MPI_NO_OP;
  allreduce(request);
}

THREE_FORMS(Barrier, barrier, (), {
  call.begin = nothing;
  call.all = 1;
})

void cm_barrier(cm_comm *comm) {
  const cm_call call = {.begin = nothing, .all = 1};
  cm_call_run(&call, comm->handle);
}

/* --- prefixes --- */

static int exclusive(const cm_request *request) { return request->call->root == 1; }

static void scanned(cm_request *request) {
  const int last = request->comm->rank - exclusive(request);
  if (last >= 0) combine(request, 0, last, (char *)request->call->in.data);
  cm_complete(request);
}

static void scan(cm_request *request) {
  const int rank = request->comm->rank;
  int peer;
  cm_round_begin(request, scanned);
  for (peer = rank + 1; peer < request->comm->local->size; peer++) cm_part_send(request, peer, own(request));
  need_slots(request, rank + 1);
  collect(request, 0, rank - exclusive(request));
  cm_round_end(request);
}

THREE_FORMS(Scan, scan, (const void *out, void *in, int count, MPI_Datatype type, MPI_Op op,), {
  REDUCTION(scan);
  call.all = 1;
})

THREE_FORMS(Exscan, exscan, (const void *out, void *in, int count, MPI_Datatype type, MPI_Op op,), {
  REDUCTION(scan);
  call.all = 1;
  call.root = 1;
})

/* --- to each its part --- */

/* `out` has the parts for all, `in` the number of each (counts) or of all the same (count). */
static cm_part part_for(const cm_request *request, int rank) {
  const cm_side *in = &request->call->in;
  cm_part part = own(request);
  long before = 0;
  int i;
  for (i = 0; i < rank; i++) before += in->counts ? in->counts[i] : in->count;
  part.count = in->counts ? in->counts[rank] : in->count;
  part.data += before * cm_extent(part.type);
  return part;
}

static void scattered(cm_request *request) {
  cm_side whole = request->call->in;
  request->call->in.count = (int)part_for(request, request->comm->rank).count;
  request->call->in.counts = 0;
  combine(request, 0, request->comm->local->size - 1, (char *)whole.data);
  request->call->in = whole;
  cm_complete(request);
}

static void reduce_scatter(cm_request *request) {
  const int size = request->comm->local->size, rank = request->comm->rank;
  const cm_part mine = part_for(request, rank);
  int peer;
  if (request->comm->is_inter) cm_fatal("the bundled MPI does not do this on intercommunicators");
  cm_round_begin(request, scattered);
  for (peer = 0; peer < size; peer++)
    if (peer != rank) cm_part_send(request, peer, part_for(request, peer));
  free(request->scratch);
  request->scratch = cm_allocate((size_t)(size * room(mine.type, mine.count)));
  for (peer = 0; peer < size; peer++) {
    cm_part place = mine;
    place.data = request->scratch + peer * room(mine.type, mine.count) - mine.type->lb;
    if (peer == rank) cm_part_copy(mine, place);
    else cm_part_receive(request, peer, place);
  }
  cm_round_end(request);
}

THREE_FORMS(Reduce_scatter, reduce_scatter,
            (const void *out, void *in, const int counts[], MPI_Datatype type, MPI_Op op,), {
              call.begin = reduce_scatter;
              call.out = (cm_side){.data = out, .type = type};
              call.in = (cm_side){.data = in, .counts = counts, .type = type};
              call.op = op;
              call.all = 1;
            })

THREE_FORMS(Reduce_scatter_block, reduce_scatter_block,
            (const void *out, void *in, int count, MPI_Datatype type, MPI_Op op,), {
              REDUCTION(reduce_scatter);
              call.all = 1;
            })
