/* Topologies: what they share, and grids. */
#include "topologies.h"

int *cm_copied(const int *from, int count) {
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

static int *copied_if(const int *from, int count) { return from ? cm_copied(from, count) : 0; }

cm_topology *cm_topology_copy(const cm_topology *from) {
  cm_topology *to = cm_allocate(sizeof *to);
  const int nodes = from->kind == MPI_GRAPH ? from->dimensions : 0;
  *to = *from;
  to->sizes = copied_if(from->sizes, from->dimensions);
  to->periods = copied_if(from->periods, from->dimensions);
  to->index = copied_if(from->index, nodes);
  to->edges = copied_if(from->edges, nodes > 0 ? from->index[nodes - 1] : 0);
  to->in = cm_copied(from->in, from->in_count);
  to->out = cm_copied(from->out, from->out_count);
  to->in_weights = copied_if(from->in_weights, from->in_count);
  to->out_weights = copied_if(from->out_weights, from->out_count);
  return to;
}

cm_topology *cm_topology_of(cm_comm *comm, int kind) {
  if (comm->topology && comm->topology->kind == kind) return comm->topology;
  cm_error(comm, MPI_ERR_TOPOLOGY, "the communicator has no such topology");
  return 0;
}

cm_comm *cm_first_tasks(cm_comm *comm, int count, MPI_Comm *new) {
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
  grid->sizes = cm_copied(sizes, dimensions);
  grid->periods = cm_copied(periods, dimensions);
  grid->in_count = grid->out_count = 2 * dimensions;
  grid->in = cm_allocate((size_t)(2 * dimensions) * sizeof *grid->in);
  for (d = 0; d < dimensions; d++) {
    grid->in[2 * d] = shifted(grid, comm->rank, d, -1);
    grid->in[2 * d + 1] = shifted(grid, comm->rank, d, 1);
  }
  grid->out = cm_copied(grid->in, 2 * dimensions);
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
  made = cm_first_tasks(comm, (int)count, new);
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
  sizes = cm_copied(grid->sizes, grid->dimensions);
  periods = cm_copied(grid->periods, grid->dimensions);
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
