/* Grids, graphs, and collectives among neighbours. */
#include "check.h"

static void grids(void) {
  int dims[2] = {0, 0}, periods[2] = {1, 0}, place[2], sizes[2], told[2], own, other, up, down, left, right, kind, i;
  const int kept[2] = {0, 1};
  int out[4], in[4];
  MPI_Comm grid, row;
  MPI_Dims_create(size, 2, dims);
  CHECK(dims[0] * dims[1] == size && dims[0] >= dims[1]);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
  MPI_Comm_rank(grid, &own);
  MPI_Cart_coords(grid, own, 2, place);
  MPI_Cart_rank(grid, place, &other);
  CHECK(other == own && place[0] * dims[1] + place[1] == own);
  MPI_Cart_shift(grid, 0, 1, &up, &down);
  MPI_Cart_shift(grid, 1, 1, &left, &right);
  CHECK(down == (place[0] + 1) % dims[0] * dims[1] + place[1]);
  CHECK(right == (place[1] + 1 < dims[1] ? own + 1 : MPI_PROC_NULL));
  CHECK(left == (place[1] > 0 ? own - 1 : MPI_PROC_NULL));
  MPI_Cart_get(grid, 2, sizes, told, place);
  CHECK(sizes[0] == dims[0] && told[0] && !told[1]);
  MPI_Topo_test(grid, &kind);
  CHECK(kind == MPI_CART);
  for (i = 0; i < 4; i++) out[i] = 10 * own + i, in[i] = -1;
  MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, grid);
  CHECK(in[0] == 10 * up + 1 && in[1] == 10 * down);
  CHECK(in[2] == (left == MPI_PROC_NULL ? -1 : 10 * left + 3) && in[3] == (right == MPI_PROC_NULL ? -1 : 10 * right + 2));
  MPI_Neighbor_allgather(&own, 1, MPI_INT, in, 1, MPI_INT, grid);
  CHECK(in[0] == up && in[1] == down);
  MPI_Cart_sub(grid, kept, &row);
  MPI_Comm_rank(row, &other);
  CHECK(other == place[1]);
  MPI_Comm_free(&row);
  MPI_Comm_free(&grid);
}

static void graphs(void) {
  int *index = malloc(size * sizeof *index), *edges = malloc(2 * size * sizeof *edges), i, count, found[2], in[2], nodes;
  MPI_Comm ring;
  for (i = 0; i < size; i++) {
    index[i] = 2 * (i + 1);
    edges[2 * i] = (i + size - 1) % size;
    edges[2 * i + 1] = (i + 1) % size;
  }
  MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &ring);
  MPI_Graph_neighbors_count(ring, rank, &count);
  MPI_Graph_neighbors(ring, rank, 2, found);
  CHECK(count == 2 && found[1] == (rank + 1) % size);
  MPI_Graphdims_get(ring, &nodes, &count);
  CHECK(nodes == size && count == 2 * size);
  MPI_Neighbor_allgather(&rank, 1, MPI_INT, in, 1, MPI_INT, ring);
  CHECK(in[0] == found[0] && in[1] == found[1]);
  MPI_Comm_free(&ring);
  free(index);
  free(edges);
}

static void distributed(void) {
  const int target = (rank + 1) % size, degree = 1, weight = rank + 1;
  int ins, outs, weighted, from, to, in_weight, out_weight, got = -1;
  MPI_Comm ring;
  MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &degree, &target, &weight, MPI_INFO_NULL, 0, &ring);
  MPI_Dist_graph_neighbors_count(ring, &ins, &outs, &weighted);
  CHECK(ins == 1 && outs == 1 && weighted);
  MPI_Dist_graph_neighbors(ring, 1, &from, &in_weight, 1, &to, &out_weight);
  CHECK(from == (rank + size - 1) % size && to == target && in_weight == from + 1 && out_weight == weight);
  MPI_Neighbor_alltoall(&rank, 1, MPI_INT, &got, 1, MPI_INT, ring);
  CHECK(got == from);
  MPI_Comm_free(&ring);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  grids();
  graphs();
  distributed();
  return end();
}
