/* Collectives that move data: one round, in which each pair of tasks that has something for each other exchanges it. */
#include "collectives.h"

/* Whether this task is the root, and whether it takes part as another (on the other side of an intercommunicator). */
static int is_root(const cm_request *request) {
  return request->comm->is_inter ? request->call->root == MPI_ROOT : request->call->root == request->comm->rank;
}

static int is_idle(const cm_request *request) {
  return request->comm->is_inter && request->call->root == MPI_PROC_NULL;
}

/* Peers other than this task itself. */
static int is_other(const cm_request *request, int peer) {
  return request->comm->is_inter || peer != request->comm->rank;
}

static void bcast(cm_request *request) {
  const cm_part whole = cm_part_of(&request->call->in, 0);
  int peer;
  cm_round_begin(request, cm_complete);
  if (is_root(request)) {
    for (peer = 0; peer < request->comm->remote->size; peer++)
      if (is_other(request, peer)) cm_part_send(request, peer, whole);
  } else if (!is_idle(request)) {
    cm_part_receive(request, request->call->root, whole);
  }
  cm_round_end(request);
}

THREE_FORMS(Bcast, bcast, (void *data, int count, MPI_Datatype type, int root,), {
  call.begin = bcast;
  call.in = (cm_side){.data = data, .count = count, .type = type};
  call.root = root;
})

static void gather(cm_request *request) {
  cm_call *call = request->call;
  int peer;
  cm_round_begin(request, cm_complete);
  if (is_root(request)) {
    for (peer = 0; peer < request->comm->remote->size; peer++) {
      if (is_other(request, peer)) cm_part_receive(request, peer, cm_part_of(&call->in, peer));
      else if (call->out.data != MPI_IN_PLACE) cm_part_copy(cm_part_of(&call->out, 0), cm_part_of(&call->in, peer));
    }
  } else if (!is_idle(request)) {
    cm_part_send(request, call->root, cm_part_of(&call->out, 0));
  }
  cm_round_end(request);
}

THREE_FORMS(Gather, gather,
            (const void *out, int out_count, MPI_Datatype out_type, void *in, int in_count, MPI_Datatype in_type,
             int root,),
            {
              call.begin = gather;
              call.out = (cm_side){.data = out, .count = out_count, .type = out_type};
              call.in = (cm_side){.data = in, .count = in_count, .type = in_type};
              call.root = root;
            })

THREE_FORMS(Gatherv, gatherv,
            (const void *out, int out_count, MPI_Datatype out_type, void *in, const int counts[], const int places[],
             MPI_Datatype in_type, int root,),
            {
              call.begin = gather;
              call.out = (cm_side){.data = out, .count = out_count, .type = out_type};
              call.in = (cm_side){.data = in, .counts = counts, .places = places, .type = in_type};
              call.root = root;
            })

static void scatter(cm_request *request) {
  cm_call *call = request->call;
  int peer;
  cm_round_begin(request, cm_complete);
  if (is_root(request)) {
    for (peer = 0; peer < request->comm->remote->size; peer++) {
      if (is_other(request, peer)) cm_part_send(request, peer, cm_part_of(&call->out, peer));
      else if (call->in.data != MPI_IN_PLACE) cm_part_copy(cm_part_of(&call->out, peer), cm_part_of(&call->in, 0));
    }
  } else if (!is_idle(request)) {
    cm_part_receive(request, call->root, cm_part_of(&call->in, 0));
  }
  cm_round_end(request);
}

THREE_FORMS(Scatter, scatter,
            (const void *out, int out_count, MPI_Datatype out_type, void *in, int in_count, MPI_Datatype in_type,
             int root,),
            {
              call.begin = scatter;
              call.out = (cm_side){.data = out, .count = out_count, .type = out_type};
              call.in = (cm_side){.data = in, .count = in_count, .type = in_type};
              call.root = root;
            })

THREE_FORMS(Scatterv, scatterv,
            (const void *out, const int counts[], const int places[], MPI_Datatype out_type, void *in, int in_count,
             MPI_Datatype in_type, int root,),
            {
              call.begin = scatter;
              call.out = (cm_side){.data = out, .counts = counts, .places = places, .type = out_type};
              call.in = (cm_side){.data = in, .count = in_count, .type = in_type};
              call.root = root;
            })

/* With MPI_IN_PLACE the own part is where the others' are received. */
static void allgather(cm_request *request) {
  cm_call *call = request->call;
  const int in_place = call->out.data == MPI_IN_PLACE;
  const cm_part mine = in_place ? cm_part_of(&call->in, request->comm->rank) : cm_part_of(&call->out, 0);
  int peer;
  cm_round_begin(request, cm_complete);
  for (peer = 0; peer < request->comm->remote->size; peer++) {
    if (is_other(request, peer)) {
      cm_part_receive(request, peer, cm_part_of(&call->in, peer));
      cm_part_send(request, peer, mine);
    } else if (!in_place) {
      cm_part_copy(mine, cm_part_of(&call->in, peer));
    }
  }
  cm_round_end(request);
}

THREE_FORMS(Allgather, allgather,
            (const void *out, int out_count, MPI_Datatype out_type, void *in, int in_count, MPI_Datatype in_type,), {
              call.begin = allgather;
              call.out = (cm_side){.data = out, .count = out_count, .type = out_type};
              call.in = (cm_side){.data = in, .count = in_count, .type = in_type};
              call.all = 1;
            })

THREE_FORMS(Allgatherv, allgatherv,
            (const void *out, int out_count, MPI_Datatype out_type, void *in, const int counts[], const int places[],
             MPI_Datatype in_type,),
            {
              call.begin = allgather;
              call.out = (cm_side){.data = out, .count = out_count, .type = out_type};
              call.in = (cm_side){.data = in, .counts = counts, .places = places, .type = in_type};
              call.all = 1;
            })

/* What is sent is packed at once, so in place nothing is overwritten before it is out: sends come first. */
static void alltoall(cm_request *request) {
  cm_call *call = request->call;
  const int in_place = call->out.data == MPI_IN_PLACE;
  const cm_side *out = in_place ? &call->in : &call->out;
  int peer;
  cm_round_begin(request, cm_complete);
  for (peer = 0; peer < request->comm->remote->size; peer++)
    if (is_other(request, peer)) cm_part_send(request, peer, cm_part_of(out, peer));
  for (peer = 0; peer < request->comm->remote->size; peer++) {
    if (is_other(request, peer)) cm_part_receive(request, peer, cm_part_of(&call->in, peer));
    else if (!in_place) cm_part_copy(cm_part_of(out, peer), cm_part_of(&call->in, peer));
  }
  cm_round_end(request);
}

THREE_FORMS(Alltoall, alltoall,
            (const void *out, int out_count, MPI_Datatype out_type, void *in, int in_count, MPI_Datatype in_type,), {
              call.begin = alltoall;
              call.out = (cm_side){.data = out, .count = out_count, .type = out_type};
              call.in = (cm_side){.data = in, .count = in_count, .type = in_type};
              call.all = 1;
            })

THREE_FORMS(Alltoallv, alltoallv,
            (const void *out, const int out_counts[], const int out_places[], MPI_Datatype out_type, void *in,
             const int in_counts[], const int in_places[], MPI_Datatype in_type,),
            {
              call.begin = alltoall;
              call.out = (cm_side){.data = out, .counts = out_counts, .places = out_places, .type = out_type};
              call.in = (cm_side){.data = in, .counts = in_counts, .places = in_places, .type = in_type};
              call.all = 1;
            })

THREE_FORMS(Alltoallw, alltoallw,
            (const void *out, const int out_counts[], const int out_places[], const MPI_Datatype out_types[], void *in,
             const int in_counts[], const int in_places[], const MPI_Datatype in_types[],),
            {
              call.begin = alltoall;
              call.out = (cm_side){.data = out, .counts = out_counts, .places = out_places, .types = out_types};
              call.in = (cm_side){.data = in, .counts = in_counts, .places = in_places, .types = in_types};
              call.all = 1;
            })

/* --- neighbours --- */

/* All send the same to each neighbour (`all` of the call is 2) or each its block. Receives are begun in the order in
 * which the neighbour's edges to this task stand, so that several edges between two tasks keep their order. */
static void neighbours(cm_request *request) {
  cm_call *call = request->call;
  const cm_topology *topology = request->comm->topology;
  int i;
  cm_round_begin(request, cm_complete);
  for (i = 0; i < topology->out_count; i++)
    cm_part_send(request, topology->out[i], cm_part_of(&call->out, call->all == 2 ? 0 : i));
  for (i = 0; i < topology->in_count; i++) cm_part_receive(request, topology->in[i], cm_part_of(&call->in, i));
  cm_round_end(request);
}

/* In a grid, what goes down comes from above: between two tasks that are both neighbours of each other in one
 * dimension (two tasks in a ring), messages are told apart by their direction. */
static void grid_neighbours(cm_request *request) {
  cm_call *call = request->call;
  const cm_topology *topology = request->comm->topology;
  const int tag = call->tag;
  int i;
  call->grid = 1;
  cm_round_begin(request, cm_complete);
  for (i = 0; i < topology->out_count; i++) {
    call->tag = (tag & 0x3ffffff) << 5 | (i & 31);
    cm_part_send(request, topology->out[i], cm_part_of(&call->out, call->all == 2 ? 0 : i));
  }
  for (i = 0; i < topology->in_count; i++) {
    call->tag = (tag & 0x3ffffff) << 5 | ((i ^ 1) & 31);
    cm_part_receive(request, topology->in[i], cm_part_of(&call->in, i));
  }
  call->tag = tag;
  cm_round_end(request);
}

static void begin_neighbours(cm_request *request) {
  if (!request->comm->topology) {
    request->error = cm_error(request->comm, MPI_ERR_TOPOLOGY, "the communicator has no topology");
    cm_complete(request);
  } else if (request->comm->topology->kind == MPI_CART) {
    grid_neighbours(request);
  } else {
    neighbours(request);
  }
}

TWO_FORMS(Neighbor_allgather, neighbor_allgather,
          (const void *out, int out_count, MPI_Datatype out_type, void *in, int in_count, MPI_Datatype in_type,), {
            call.begin = begin_neighbours;
            call.out = (cm_side){.data = out, .count = out_count, .type = out_type};
            call.in = (cm_side){.data = in, .count = in_count, .type = in_type};
            call.all = 2;
          })

TWO_FORMS(Neighbor_allgatherv, neighbor_allgatherv,
          (const void *out, int out_count, MPI_Datatype out_type, void *in, const int counts[], const int places[],
           MPI_Datatype in_type,),
          {
            call.begin = begin_neighbours;
            call.out = (cm_side){.data = out, .count = out_count, .type = out_type};
            call.in = (cm_side){.data = in, .counts = counts, .places = places, .type = in_type};
            call.all = 2;
          })

TWO_FORMS(Neighbor_alltoall, neighbor_alltoall,
          (const void *out, int out_count, MPI_Datatype out_type, void *in, int in_count, MPI_Datatype in_type,), {
            call.begin = begin_neighbours;
            call.out = (cm_side){.data = out, .count = out_count, .type = out_type};
            call.in = (cm_side){.data = in, .count = in_count, .type = in_type};
            call.all = 1;
          })

TWO_FORMS(Neighbor_alltoallv, neighbor_alltoallv,
          (const void *out, const int out_counts[], const int out_places[], MPI_Datatype out_type, void *in,
           const int in_counts[], const int in_places[], MPI_Datatype in_type,),
          {
            call.begin = begin_neighbours;
            call.out = (cm_side){.data = out, .counts = out_counts, .places = out_places, .type = out_type};
            call.in = (cm_side){.data = in, .counts = in_counts, .places = in_places, .type = in_type};
            call.all = 1;
          })

TWO_FORMS(Neighbor_alltoallw, neighbor_alltoallw,
          (const void *out, const int out_counts[], const MPI_Aint out_bytes[], const MPI_Datatype out_types[],
           void *in, const int in_counts[], const MPI_Aint in_bytes[], const MPI_Datatype in_types[],),
          {
            call.begin = begin_neighbours;
            call.out = (cm_side){.data = out, .counts = out_counts, .bytes = out_bytes, .types = out_types};
            call.in = (cm_side){.data = in, .counts = in_counts, .bytes = in_bytes, .types = in_types};
            call.all = 1;
          })

/* --- for other parts --- */

/* Every rank's bytes, in order, of the own side of a communicator. */
void cm_allgather_bytes(cm_comm *comm, const void *mine, long bytes, void *all) {
  cm_comm side = *comm;
  cm_call call = {0};
  cm_request *request = cm_request_new(CM_WHOLE);
  side.remote = side.local;
  side.is_inter = 0;
  side.references = 1 << 20;
  /* Both sides of an intercommunicator use its numbers: the sides' own messages go by way of another context. */
  if (comm->is_inter) side.context = -comm->context * 2 - (comm->local->members[0] < comm->remote->members[0]);
  call.out = (cm_side){.data = mine, .count = (int)bytes, .type = MPI_BYTE};
  call.in = (cm_side){.data = all, .count = (int)bytes, .type = MPI_BYTE};
  call.begin = allgather;
  call.all = 1;
  request->comm = &side;
  request->call = cm_allocate(sizeof call);
  *request->call = call;
  cm_call_start(request);
  comm->sequence = side.sequence;
  cm_wait(request);
  cm_drain();
  request->comm = 0;
  cm_request_free(request);
}
