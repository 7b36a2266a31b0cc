/* Records exchanges with the neighbours in a topology: a receive from each source, a send to each destination, and a wait for
 * all of them. They travel on a communicator of their own, so that they meet no other messages. Directions in a grid have
 * tags of their own, because the neighbours of both directions may be the same task. See chronos_calls.h. */
#ifdef CHRONOS_WITH_MPI
#include "chronos_calls.h"
#include <stdlib.h>
#include <string.h>

typedef chronos_number number;

#ifdef __GNUC__
PROFILED(MPI_Topo_test)
PROFILED(MPI_Cartdim_get)
PROFILED(MPI_Cart_shift)
PROFILED(MPI_Graph_neighbors)
PROFILED(MPI_Graph_neighbors_count)
PROFILED(MPI_Dist_graph_neighbors)
PROFILED(MPI_Dist_graph_neighbors_count)
#endif

/* Ranks, MPI_PROC_NULL where there is nobody, in the order of the blocks. */
typedef struct {
  int count, *ranks;
} side;

static side beside_of(int count) {
  side made = {count, malloc(((size_t)(count > 0 ? count : 0) + 1) * sizeof(int))};
  if (!made.ranks) made.count = 0;
  return made;
}

static void around(MPI_Comm comm, side *in, side *out) {
  int n = 0, i;
  PMPI_Cartdim_get(comm, &n);
  *in = beside_of(2 * n);
  *out = beside_of(2 * n);
  for (i = 0; i < n && in->count && out->count; i++) {
    PMPI_Cart_shift(comm, i, 1, &in->ranks[2 * i], &in->ranks[2 * i + 1]);
    memcpy(out->ranks + 2 * i, in->ranks + 2 * i, 2 * sizeof(int));
  }
}

static void in_graph(MPI_Comm comm, side *in, side *out) {
  int rank = 0, count = 0;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Graph_neighbors_count(comm, rank, &count);
  *in = beside_of(count);
  *out = beside_of(count);
  if (!in->count || !out->count) return;
  PMPI_Graph_neighbors(comm, rank, count, in->ranks);
  PMPI_Graph_neighbors(comm, rank, count, out->ranks);
}

static void in_distributed(MPI_Comm comm, side *in, side *out) {
  int sources = 0, destinations = 0, weighted = 0, *weights;
  PMPI_Dist_graph_neighbors_count(comm, &sources, &destinations, &weighted);
  *in = beside_of(sources);
  *out = beside_of(destinations);
  weights = malloc(((size_t)sources + (size_t)destinations + 1) * sizeof *weights);
  if (weights && in->ranks && out->ranks)
    PMPI_Dist_graph_neighbors(comm, sources, in->ranks, weights, destinations, out->ranks, weights + sources);
  else in->count = out->count = 0;
  free(weights);
}

/* 1 where the topology is a grid. */
static int neighbours(MPI_Comm comm, side *in, side *out) {
  int kind = MPI_UNDEFINED;
  PMPI_Topo_test(comm, &kind);
  *in = *out = beside_of(0);
  if (kind == MPI_CART || kind == MPI_GRAPH || kind == MPI_DIST_GRAPH) {
    free(in->ranks);
    if (kind == MPI_CART) around(comm, in, out);
    if (kind == MPI_GRAPH) in_graph(comm, in, out);
    if (kind == MPI_DIST_GRAPH) in_distributed(comm, in, out);
  } else out->ranks = 0;
  return kind == MPI_CART;
}

/* The communicator of the blocks, by that of the topology. */
static number beside(MPI_Comm comm) {
  static number made[65536];
  const number id = chronos_comm(comm);
  if (id < 0 || id >= 65536) return id;
  if (!made[id]) made[id] = chronos_copy(comm);
  return made[id];
}

/* Bytes of the blocks: of one count and type, or of lists. */
typedef struct {
  int count;
  const int *counts;
  MPI_Datatype type;
  const MPI_Datatype *types;
} blocks;

static number bytes_of(const blocks *all, int i) {
  return chronos_bytes(all->counts ? all->counts[i] : all->count, all->types ? all->types[i] : all->type);
}

/* Requests of the messages, to be freed. */
static int *messages(MPI_Comm comm, blocks out, blocks in, unsigned *used) {
  side sources, destinations;
  const int grid = neighbours(comm, &sources, &destinations);
  const number id = beside(comm);
  int *requests = malloc(((size_t)sources.count + (size_t)destinations.count + 1) * sizeof *requests), i;
  *used = 0;
  for (i = 0; requests && i < sources.count; i++) {
    if (sources.ranks[i] != MPI_PROC_NULL) {
      const int request = chronos_request(MPI_REQUEST_NULL);
      const number values[] = {chronos_task(comm, sources.ranks[i]), grid ? i ^ 1 : 0, id, bytes_of(&in, i), request};
      chronos_event("recv", 5, values);
      requests[(*used)++] = request;
    }
  }
  for (i = 0; requests && i < destinations.count; i++) {
    if (destinations.ranks[i] != MPI_PROC_NULL) {
      const int request = chronos_request(MPI_REQUEST_NULL);
      const number values[] = {chronos_task(comm, destinations.ranks[i]), grid ? i : 0, id, bytes_of(&out, i), request};
      chronos_event("send", 5, values);
      requests[(*used)++] = request;
    }
  }
  free(sources.ranks);
  free(destinations.ranks);
  return requests;
}

static void wait_for(MPI_Comm comm, blocks out, blocks in) {
  unsigned used, i;
  int *requests = messages(comm, out, in, &used);
  number *waited = malloc(((size_t)used + 1) * sizeof *waited);
  for (i = 0; waited && requests && i < used; i++) waited[i] = requests[i];
  if (waited && used > 0) chronos_event("wait", used, waited);
  else chronos_nothing();
  for (i = 0; requests && i < used; i++) chronos_release(requests[i]);
  free(waited);
  free(requests);
}

static void start(MPI_Comm comm, blocks out, blocks in, MPI_Request made) {
  unsigned used;
  int *requests = messages(comm, out, in, &used);
  if (used == 0) chronos_nothing();
  chronos_requests(made, used, requests);
  free(requests);
}

#define EXCHANGES(blocking, immediate, parameters, arguments, out, in)                   \
  WRAPPED(blocking)                                                                      \
  int blocking(UNPACKED parameters MPI_Comm comm) {                                      \
    CALLED(blocking)                                                                     \
    const blocks sent = out, received = in;                                              \
    wait_for(comm, sent, received);                                                      \
    return P##blocking(UNPACKED arguments comm);                                         \
  }                                                                                      \
  WRAPPED(immediate)                                                                     \
  int immediate(UNPACKED parameters MPI_Comm comm, MPI_Request *made) {                  \
    CALLED(immediate)                                                                    \
    const blocks sent = out, received = in;                                              \
    const int code = P##immediate(UNPACKED arguments comm, made);                        \
    start(comm, sent, received, *made);                                                  \
    return code;                                                                         \
  }

#define ONE(count, type) {count, 0, type, 0}
#define MANY(counts, type) {0, counts, type, 0}
#define KINDS(counts, types) {0, counts, MPI_BYTE, types}
#define FEW const void *out, int out_count, MPI_Datatype out_type
#define LIST const void *out, const int out_counts[], const int out_places[], MPI_Datatype out_type

EXCHANGES(MPI_Neighbor_allgather, MPI_Ineighbor_allgather, (FEW, void *in, int in_count, MPI_Datatype in_type, ),
          (out, out_count, out_type, in, in_count, in_type, ), ONE(out_count, out_type), ONE(in_count, in_type))
EXCHANGES(MPI_Neighbor_alltoall, MPI_Ineighbor_alltoall, (FEW, void *in, int in_count, MPI_Datatype in_type, ),
          (out, out_count, out_type, in, in_count, in_type, ), ONE(out_count, out_type), ONE(in_count, in_type))
EXCHANGES(MPI_Neighbor_allgatherv, MPI_Ineighbor_allgatherv,
          (FEW, void *in, const int in_counts[], const int in_places[], MPI_Datatype in_type, ),
          (out, out_count, out_type, in, in_counts, in_places, in_type, ), ONE(out_count, out_type),
          MANY(in_counts, in_type))
EXCHANGES(MPI_Neighbor_alltoallv, MPI_Ineighbor_alltoallv,
          (LIST, void *in, const int in_counts[], const int in_places[], MPI_Datatype in_type, ),
          (out, out_counts, out_places, out_type, in, in_counts, in_places, in_type, ), MANY(out_counts, out_type),
          MANY(in_counts, in_type))
EXCHANGES(MPI_Neighbor_alltoallw, MPI_Ineighbor_alltoallw,
          (const void *out, const int out_counts[], const MPI_Aint out_places[], const MPI_Datatype out_types[], void *in,
           const int in_counts[], const MPI_Aint in_places[], const MPI_Datatype in_types[], ),
          (out, out_counts, out_places, out_types, in, in_counts, in_places, in_types, ), KINDS(out_counts, out_types),
          KINDS(in_counts, in_types))
#else
typedef int chronos_no_neighbours;
#endif
