/* Topologies: grids, graphs, and who is a neighbour. */
#include "internal.h"

static int *copied(const int *from, int count) {
  int *to = cm_allocate((size_t)count * sizeof *to);
  if (count > 0) memcpy(to, from, (size_t)count * sizeof *to);
  return to;
}

void cm_topology_free(cm_topology *topology) {
  free(topology->sizes);
  free(topology->periods);
  free(topology->index);
  free(topology->edges);
  free(topology->in);
  free(topology->out);
  free(topology->in_weights);
  free(topology->out_weights);
  free(topology);
}

static int *copied_if(const int *from, int count) { return from ? copied(from, count) : 0; }

cm_topology *cm_topology_copy(const cm_topology *from) {
  cm_topology *to = cm_allocate(sizeof *to);
  const int nodes = from->kind == MPI_GRAPH ? from->dimensions : 0;
  *to = *from;
  to->sizes = copied_if(from->sizes, from->dimensions);
  to->periods = copied_if(from->periods, from->dimensions);
  to->index = copied_if(from->index, nodes);
  to->edges = copied_if(from->edges, nodes > 0 ? from->index[nodes - 1] : 0);
  to->in = copied(from->in, from->in_count);
  to->out = copied(from->out, from->out_count);
  to->in_weights = copied_if(from->in_weights, from->in_count);
  to->out_weights = copied_if(from->out_weights, from->out_count);
  return to;
}

static cm_topology *topology_of(cm_comm *comm, int kind) {
  if (comm->topology && comm->topology->kind == kind) return comm->topology;
  cm_error(comm, MPI_ERR_TOPOLOGY, "the communicator has no such topology");
  return 0;
}

#define CHECK_TOPOLOGY(topology, comm, kind)           \
  cm_topology *topology = topology_of(comm, kind);     \
  if (!topology) return MPI_ERR_TOPOLOGY

/* The first `count` tasks with a topology of their own; tasks keep their order. */
static cm_comm *part_of(cm_comm *comm, int count, MPI_Comm *new) {
  *new = cm_split(comm, comm->rank < count ? 0 : MPI_UNDEFINED, comm->rank);
  return *new == MPI_COMM_NULL ? 0 : cm_comm_of(*new);
}

/* --- grids --- */

static int rank_at(const cm_topology *grid, const int *place) {
  int rank = 0, d;
  for (d = 0; d < grid->dimensions; d++) {
    int at = place[d];
    if (at < 0 || at >= grid->sizes[d]) {
      if (!grid->periods[d]) return MPI_PROC_NULL;
      at = (at % grid->sizes[d] + grid->sizes[d]) % grid->sizes[d];
    }
    rank = rank * grid->sizes[d] + at;
  }
  return rank;
}

static void place_of(const cm_topology *grid, int rank, int *place) {
  int d;
  for (d = grid->dimensions - 1; d >= 0; d--) {
    place[d] = rank % grid->sizes[d];
    rank /= grid->sizes[d];
  }
}

static int shifted(const cm_topology *grid, int rank, int dimension, int by) {
  int *place = cm_allocate((size_t)grid->dimensions * sizeof *place), found;
  place_of(grid, rank, place);
  place[dimension] += by;
  found = rank_at(grid, place);
  free(place);
  return found;
}

static void make_grid(cm_comm *comm, int dimensions, const int *sizes, const int *periods) {
  cm_topology *grid = comm->topology = cm_allocate(sizeof *grid);
  int d;
  grid->kind = MPI_CART;
  grid->dimensions = dimensions;
  grid->sizes = copied(sizes, dimensions);
  grid->periods = copied(periods, dimensions);
  grid->in_count = grid->out_count = 2 * dimensions;
  grid->in = cm_allocate((size_t)(2 * dimensions) * sizeof *grid->in);
  for (d = 0; d < dimensions; d++) {
    grid->in[2 * d] = shifted(grid, comm->rank, d, -1);
    grid->in[2 * d + 1] = shifted(grid, comm->rank, d, 1);
  }
  grid->out = copied(grid->in, 2 * dimensions);
}

API(MPI_Cart_create)
int MPI_Cart_create(MPI_Comm handle, int dimensions, const int sizes[], const int periods[], int reorder,
                    MPI_Comm *new) {
  cm_comm *made;
  long count = 1;
  int d;
  (void)reorder;
  ENTER();
  CHECK_COMM(comm, handle);
  for (d = 0; d < dimensions; d++) {
    if (sizes[d] < 1) return cm_error(comm, MPI_ERR_DIMS, "dimension %d has %d tasks", d, sizes[d]);
    count *= sizes[d];
  }
  if (dimensions < 0 || count > comm->local->size)
    return cm_error(comm, MPI_ERR_DIMS, "a grid of %ld tasks does not fit into a communicator of %d", count,
                    comm->local->size);
  made = part_of(comm, (int)count, new);
  if (made) make_grid(made, dimensions, sizes, periods);
  return MPI_SUCCESS;
}

API(MPI_Cart_coords)
int MPI_Cart_coords(MPI_Comm handle, int rank, int count, int place[]) {
  int *all;
  ENTER();
  CHECK_COMM(comm, handle);
  CHECK_TOPOLOGY(grid, comm, MPI_CART);
  if (rank < 0 || rank >= comm->local->size) return cm_error(comm, MPI_ERR_RANK, "there is no task %d", rank);
  all = cm_allocate((size_t)grid->dimensions * sizeof *all);
  place_of(grid, rank, all);
  memcpy(place, all, (size_t)(count < grid->dimensions ? count : grid->dimensions) * sizeof *place);
  free(all);
  return MPI_SUCCESS;
}

API(MPI_Cart_rank)
int MPI_Cart_rank(MPI_Comm handle, const int place[], int *rank) {
  ENTER();
  CHECK_COMM(comm, handle);
  CHECK_TOPOLOGY(grid, comm, MPI_CART);
  *rank = rank_at(grid, place);
  if (*rank == MPI_PROC_NULL) return cm_error(comm, MPI_ERR_RANK, "the place is not in the grid");
  return MPI_SUCCESS;
}

API(MPI_Cart_shift)
int MPI_Cart_shift(MPI_Comm handle, int dimension, int by, int *from, int *to) {
  ENTER();
  CHECK_COMM(comm, handle);
  CHECK_TOPOLOGY(grid, comm, MPI_CART);
  if (dimension < 0 || dimension >= grid->dimensions)
    return cm_error(comm, MPI_ERR_DIMS, "the grid has no dimension %d", dimension);
  *from = shifted(grid, comm->rank, dimension, -by);
  *to = shifted(grid, comm->rank, dimension, by);
  return MPI_SUCCESS;
}

API(MPI_Cart_sub)
int MPI_Cart_sub(MPI_Comm handle, const int kept[], MPI_Comm *new) {
  int *place, *sizes, *periods, d, color = 0, used = 0;
  ENTER();
  CHECK_COMM(comm, handle);
  CHECK_TOPOLOGY(grid, comm, MPI_CART);
  place = cm_allocate((size_t)grid->dimensions * sizeof *place);
  sizes = copied(grid->sizes, grid->dimensions);
  periods = copied(grid->periods, grid->dimensions);
  place_of(grid, comm->rank, place);
  for (d = 0; d < grid->dimensions; d++) {
    if (!kept[d]) color = color * grid->sizes[d] + place[d];
    else sizes[used] = grid->sizes[d], periods[used++] = grid->periods[d];
  }
  *new = cm_split(comm, color, comm->rank);
  make_grid(cm_comm_of(*new), used, sizes, periods);
  free(place);
  free(sizes);
  free(periods);
  return MPI_SUCCESS;
}

API(MPI_Cart_get)
int MPI_Cart_get(MPI_Comm handle, int count, int sizes[], int periods[], int place[]) {
  ENTER();
  CHECK_COMM(comm, handle);
  CHECK_TOPOLOGY(grid, comm, MPI_CART);
  if (count > grid->dimensions) count = grid->dimensions;
  memcpy(sizes, grid->sizes, (size_t)count * sizeof *sizes);
  memcpy(periods, grid->periods, (size_t)count * sizeof *periods);
  return PMPI_Cart_coords(handle, comm->rank, count, place);
}

API(MPI_Cartdim_get)
int MPI_Cartdim_get(MPI_Comm handle, int *count) {
  ENTER();
  CHECK_COMM(comm, handle);
  CHECK_TOPOLOGY(grid, comm, MPI_CART);
  *count = grid->dimensions;
  return MPI_SUCCESS;
}

API(MPI_Cart_map)
int MPI_Cart_map(MPI_Comm handle, int dimensions, const int sizes[], const int periods[], int *rank) {
  long count = 1;
  int d;
  (void)periods;
  ENTER();
  CHECK_COMM(comm, handle);
  for (d = 0; d < dimensions; d++) count *= sizes[d];
  *rank = comm->rank < count ? comm->rank : MPI_UNDEFINED;
  return MPI_SUCCESS;
}

/* The split of `count` into `free` factors, not increasing, whose largest is as small as possible, then the next. */
static int best_split(int count, int free, int limit, int *factors) {
  int first;
  if (free == 1) return count <= limit ? (factors[0] = count, 1) : 0;
  for (first = 1; first <= count && first <= limit; first++)
    if (count % first == 0 && best_split(count / first, free - 1, first, factors + 1)) return factors[0] = first, 1;
  return 0;
}

API(MPI_Dims_create)
int MPI_Dims_create(int count, int dimensions, int sizes[]) {
  int d, free_ones = 0, used = 0, factors[64];
  if (dimensions > 64) return cm_error(0, MPI_ERR_DIMS, "%d dimensions", dimensions);
  for (d = 0; d < dimensions; d++) {
    if (sizes[d] < 0 || (sizes[d] > 0 && count % sizes[d]))
      return cm_error(0, MPI_ERR_DIMS, "%d tasks do not divide by the %d of dimension %d", count, sizes[d], d);
    if (sizes[d] > 0) count /= sizes[d];
    else free_ones++;
  }
  if (free_ones == 0) return count == 1 ? MPI_SUCCESS : cm_error(0, MPI_ERR_DIMS, "the dimensions hold fewer tasks");
  best_split(count, free_ones, count, factors);
  for (d = 0; d < dimensions; d++)
    if (sizes[d] == 0) sizes[d] = factors[used++];
  return MPI_SUCCESS;
}

/* --- graphs --- */

API(MPI_Graph_create)
int MPI_Graph_create(MPI_Comm handle, int nodes, const int index[], const int edges[], int reorder, MPI_Comm *new) {
  cm_comm *made;
  cm_topology *graph;
  int first;
  (void)reorder;
  ENTER();
  CHECK_COMM(comm, handle);
  if (nodes < 0 || nodes > comm->local->size)
    return cm_error(comm, MPI_ERR_ARG, "a graph of %d tasks does not fit into a communicator of %d", nodes,
                    comm->local->size);
  made = part_of(comm, nodes, new);
  if (!made) return MPI_SUCCESS;
  graph = made->topology = cm_allocate(sizeof *graph);
  graph->kind = MPI_GRAPH;
  graph->dimensions = nodes;
  graph->index = copied(index, nodes);
  graph->edges = copied(edges, nodes > 0 ? index[nodes - 1] : 0);
  first = made->rank > 0 ? index[made->rank - 1] : 0;
  graph->in_count = graph->out_count = index[made->rank] - first;
  graph->in = copied(edges + first, graph->in_count);
  graph->out = copied(edges + first, graph->out_count);
  return MPI_SUCCESS;
}

API(MPI_Graphdims_get)
int MPI_Graphdims_get(MPI_Comm handle, int *nodes, int *edges) {
  ENTER();
  CHECK_COMM(comm, handle);
  CHECK_TOPOLOGY(graph, comm, MPI_GRAPH);
  *nodes = graph->dimensions;
  *edges = graph->dimensions > 0 ? graph->index[graph->dimensions - 1] : 0;
  return MPI_SUCCESS;
}

API(MPI_Graph_get)
int MPI_Graph_get(MPI_Comm handle, int max_index, int max_edges, int index[], int edges[]) {
  int i, all;
  ENTER();
  CHECK_COMM(comm, handle);
  CHECK_TOPOLOGY(graph, comm, MPI_GRAPH);
  all = graph->dimensions > 0 ? graph->index[graph->dimensions - 1] : 0;
  for (i = 0; i < graph->dimensions && i < max_index; i++) index[i] = graph->index[i];
  for (i = 0; i < all && i < max_edges; i++) edges[i] = graph->edges[i];
  return MPI_SUCCESS;
}

API(MPI_Graph_map)
int MPI_Graph_map(MPI_Comm handle, int nodes, const int index[], const int edges[], int *rank) {
  (void)index;
  (void)edges;
  ENTER();
  CHECK_COMM(comm, handle);
  *rank = comm->rank < nodes ? comm->rank : MPI_UNDEFINED;
  return MPI_SUCCESS;
}

API(MPI_Graph_neighbors_count)
int MPI_Graph_neighbors_count(MPI_Comm handle, int rank, int *count) {
  ENTER();
  CHECK_COMM(comm, handle);
  CHECK_TOPOLOGY(graph, comm, MPI_GRAPH);
  if (rank < 0 || rank >= graph->dimensions) return cm_error(comm, MPI_ERR_RANK, "there is no task %d", rank);
  *count = graph->index[rank] - (rank > 0 ? graph->index[rank - 1] : 0);
  return MPI_SUCCESS;
}

API(MPI_Graph_neighbors)
int MPI_Graph_neighbors(MPI_Comm handle, int rank, int max, int found[]) {
  int i, count;
  ENTER();
  CHECK_COMM(comm, handle);
  CHECK_TOPOLOGY(graph, comm, MPI_GRAPH);
  if (PMPI_Graph_neighbors_count(handle, rank, &count)) return MPI_ERR_RANK;
  for (i = 0; i < count && i < max; i++) found[i] = graph->edges[(rank > 0 ? graph->index[rank - 1] : 0) + i];
  return MPI_SUCCESS;
}

API(MPI_Topo_test)
int MPI_Topo_test(MPI_Comm handle, int *kind) {
  ENTER();
  CHECK_COMM(comm, handle);
  *kind = comm->topology ? comm->topology->kind : MPI_UNDEFINED;
  return MPI_SUCCESS;
}

/* --- graphs of which each task knows a part --- */

API(MPI_Dist_graph_create_adjacent)
int MPI_Dist_graph_create_adjacent(MPI_Comm handle, int ins, const int in[], const int in_weights[], int outs,
                                   const int out[], const int out_weights[], MPI_Info info, int reorder,
                                   MPI_Comm *new) {
  cm_topology *graph;
  (void)info;
  (void)reorder;
  ENTER();
  CHECK_COMM(comm, handle);
  graph = cm_allocate(sizeof *graph);
  graph->kind = MPI_DIST_GRAPH;
  graph->in_count = ins;
  graph->out_count = outs;
  graph->in = copied(in, ins);
  graph->out = copied(out, outs);
  graph->weighted = in_weights != MPI_UNWEIGHTED && out_weights != MPI_UNWEIGHTED;
  if (graph->weighted && ins > 0) graph->in_weights = copied(in_weights, ins);
  if (graph->weighted && outs > 0) graph->out_weights = copied(out_weights, outs);
  part_of(comm, comm->local->size, new)->topology = graph;
  return MPI_SUCCESS;
}

enum { EDGE = 3 }; /* source, destination, weight */

/* All edges that any task gave, by rank and then in their order. */
static int *all_edges(cm_comm *comm, const int *mine, int count, int *total) {
  const int size = comm->local->size;
  int *counts = cm_allocate((size_t)size * sizeof *counts), *padded, *all, most = 0, i, used = 0;
  cm_allgather_bytes(comm, &count, sizeof count, counts);
  for (i = 0; i < size; i++)
    if (counts[i] > most) most = counts[i];
  padded = cm_allocate((size_t)(most * EDGE) * sizeof *padded);
  memcpy(padded, mine, (size_t)(count * EDGE) * sizeof *padded);
  all = cm_allocate((size_t)(size * most * EDGE) * sizeof *all);
  cm_allgather_bytes(comm, padded, (long)sizeof *all * most * EDGE, all);
  for (i = 0; i < size; i++) {
    memmove(all + used * EDGE, all + i * most * EDGE, (size_t)(counts[i] * EDGE) * sizeof *all);
    used += counts[i];
  }
  free(counts);
  free(padded);
  *total = used;
  return all;
}

API(MPI_Dist_graph_create)
int MPI_Dist_graph_create(MPI_Comm handle, int count, const int sources[], const int degrees[], const int targets[],
                          const int weights[], MPI_Info info, int reorder, MPI_Comm *new) {
  int *mine, *all, i, j, used = 0, total = 0, ins = 0, outs = 0, code;
  int *in, *out, *in_weights, *out_weights;
  ENTER();
  CHECK_COMM(comm, handle);
  for (i = 0; i < count; i++) total += degrees[i];
  mine = cm_allocate((size_t)(total * EDGE) * sizeof *mine);
  for (i = 0; i < count; i++)
    for (j = 0; j < degrees[i]; j++, used++) {
      mine[used * EDGE] = sources[i];
      mine[used * EDGE + 1] = targets[used];
      mine[used * EDGE + 2] = weights == MPI_UNWEIGHTED ? 1 : weights[used];
    }
  all = all_edges(comm, mine, used, &total);
  in = cm_allocate((size_t)total * sizeof *in);
  out = cm_allocate((size_t)total * sizeof *out);
  in_weights = cm_allocate((size_t)total * sizeof *in);
  out_weights = cm_allocate((size_t)total * sizeof *out);
  for (i = 0; i < total; i++) {
    const int *edge = all + i * EDGE;
    if (edge[1] == comm->rank) in[ins] = edge[0], in_weights[ins++] = edge[2];
    if (edge[0] == comm->rank) out[outs] = edge[1], out_weights[outs++] = edge[2];
  }
  code = PMPI_Dist_graph_create_adjacent(handle, ins, in, weights == MPI_UNWEIGHTED ? MPI_UNWEIGHTED : in_weights, outs,
                                         out, weights == MPI_UNWEIGHTED ? MPI_UNWEIGHTED : out_weights, info, reorder,
                                         new);
  free(mine);
  free(all);
  free(in);
  free(out);
  free(in_weights);
  free(out_weights);
  return code;
}

API(MPI_Dist_graph_neighbors_count)
int MPI_Dist_graph_neighbors_count(MPI_Comm handle, int *ins, int *outs, int *weighted) {
  ENTER();
  CHECK_COMM(comm, handle);
  CHECK_TOPOLOGY(graph, comm, MPI_DIST_GRAPH);
  *ins = graph->in_count;
  *outs = graph->out_count;
  *weighted = graph->weighted;
  return MPI_SUCCESS;
}

API(MPI_Dist_graph_neighbors)
int MPI_Dist_graph_neighbors(MPI_Comm handle, int max_in, int in[], int in_weights[], int max_out, int out[],
                             int out_weights[]) {
  int i;
  ENTER();
  CHECK_COMM(comm, handle);
  CHECK_TOPOLOGY(graph, comm, MPI_DIST_GRAPH);
  for (i = 0; i < graph->in_count && i < max_in; i++) {
    in[i] = graph->in[i];
    if (graph->in_weights && in_weights != MPI_UNWEIGHTED) in_weights[i] = graph->in_weights[i];
  }
  for (i = 0; i < graph->out_count && i < max_out; i++) {
    out[i] = graph->out[i];
    if (graph->out_weights && out_weights != MPI_UNWEIGHTED) out_weights[i] = graph->out_weights[i];
  }
  return MPI_SUCCESS;
}
