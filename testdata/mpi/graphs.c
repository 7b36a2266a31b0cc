#include "expect.h"

/* Task 0 tells 1 and 2, 1 tells 3, 2 tells nobody, 3 tells 0: by edges, and by each task for itself. */
static void distributed(int rank) {
  static const int sources[4][1] = {{3}, {0}, {0}, {1}}, degrees[4] = {2, 1, 0, 1};
  static const int targets[4][2] = {{1, 2}, {3, 0}, {0, 0}, {0, 0}};
  int in, out, weighted, i, sent[2], got[2] = {-1, -1}, from[2] = {-1, -1}, to[2] = {-1, -1}, none[2];
  int edge_from[1], edge_count[1];
  MPI_Comm graph, same;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, sources[rank], MPI_UNWEIGHTED, degrees[rank], targets[rank],
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
  MPI_Topo_test(graph, &i);
  EXPECT(i, MPI_DIST_GRAPH);
  MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
  EXPECT(in, 1);
  EXPECT(out, degrees[rank]);
  EXPECT(weighted, 0);
  for (i = 0; i < 2; i++) sent[i] = 10 * rank + i;
  MPI_Neighbor_alltoall(sent, 1, MPI_INT, got, 1, MPI_INT, graph);
  EXPECT(got[0], 10 * sources[rank][0] + (rank == 2));
  EXPECT(got[1], -1);
  MPI_Neighbor_allgather(&rank, 1, MPI_INT, got, 1, MPI_INT, graph);
  EXPECT(got[0], sources[rank][0]);
  edge_from[0] = rank;
  edge_count[0] = degrees[rank];
  MPI_Dist_graph_create(MPI_COMM_WORLD, 1, edge_from, edge_count, targets[rank], MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &same);
  MPI_Dist_graph_neighbors_count(same, &in, &out, &weighted);
  EXPECT(in, 1);
  MPI_Dist_graph_neighbors(same, 2, from, none, 2, to, none);
  EXPECT(from[0], sources[rank][0]);
  EXPECT(to[0], degrees[rank] ? targets[rank][0] : -1);
  MPI_Comm_free(&graph);
  MPI_Comm_free(&same);
}

/* A ring as a graph: neighbours below and above. */
static void whole(int rank, int size) {
  int index[4], edges[8], i, nodes, count, list[2], parts[4], got[4], counts[2] = {1, 2}, places[2] = {0, 1};
  MPI_Comm ring;
  for (i = 0; i < size; i++) {
    index[i] = 2 * i + 2;
    edges[2 * i] = (i + size - 1) % size;
    edges[2 * i + 1] = (i + 1) % size;
  }
  MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &ring);
  MPI_Topo_test(ring, &i);
  EXPECT(i, MPI_GRAPH);
  MPI_Graphdims_get(ring, &nodes, &count);
  EXPECT(nodes, 4);
  EXPECT(count, 8);
  MPI_Graph_neighbors_count(ring, (rank + 1) % size, &count);
  EXPECT(count, 2);
  MPI_Graph_neighbors(ring, rank, 2, list);
  EXPECT(list[0], (rank + size - 1) % size);
  EXPECT(list[1], (rank + 1) % size);
  MPI_Graph_get(ring, 4, 8, index, edges);
  EXPECT(index[3], 8);
  EXPECT(edges[7], 0);
  /* One number to the one below, two to the one above, so one comes from above and two from below. */
  for (i = 0; i < 3; i++) parts[i] = 100 * rank + i;
  counts[0] = 1;
  counts[1] = 2;
  {
    int rooms[2] = {2, 1}, behind[2] = {0, 2};
    MPI_Neighbor_alltoallv(parts, counts, places, MPI_INT, got, rooms, behind, MPI_INT, ring);
  }
  EXPECT(got[0], 100 * ((rank + size - 1) % size) + 1);
  EXPECT(got[1], 100 * ((rank + size - 1) % size) + 2);
  EXPECT(got[2], 100 * ((rank + 1) % size));
  MPI_Comm_free(&ring);
}

/* The same without waiting, and with a datatype for each way: the numbers that come from above and below change places. */
static void later(MPI_Comm plane, int rank) {
  int i, sent[4], got[4] = {-1, -1, -1, -1}, all[4] = {-1, -1, -1, -1}, counts[4] = {1, 1, 1, 1}, places[4] = {0, 1, 2, 3}, flag = 0;
  MPI_Aint to[4] = {0, 4, 8, 12}, from[4] = {4, 0, 8, 12};
  MPI_Datatype types[4] = {MPI_INT, MPI_INT, MPI_INT, MPI_INT};
  MPI_Request requests[2];
  for (i = 0; i < 4; i++) sent[i] = 10 * rank + i;
  MPI_Ineighbor_alltoall(sent, 1, MPI_INT, got, 1, MPI_INT, plane, &requests[0]);
  MPI_Ineighbor_allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, plane, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  EXPECT(requests[0] == MPI_REQUEST_NULL, 1);
  EXPECT(got[0], rank < 2 ? -1 : 10 * (rank - 2) + 1);
  /* Of the two that come from one task, some libraries take the first for the second. */
  EXPECT(got[2] + got[3], 20 * (rank ^ 1) + 5);
  EXPECT(all[1], rank < 2 ? rank + 2 : -1);
  EXPECT(all[2], rank ^ 1);
  got[0] = got[1] = -1;
  MPI_Neighbor_alltoallw(sent, counts, to, types, got, counts, from, types, plane);
  EXPECT(got[1], rank < 2 ? -1 : 10 * (rank - 2) + 1);
  EXPECT(got[0], rank < 2 ? 10 * (rank + 2) : -1);
  EXPECT(got[2], 10 * (rank ^ 1) + 3);
  got[2] = got[3] = -1;
  MPI_Ineighbor_alltoallv(sent, counts, places, MPI_INT, got, counts, places, MPI_INT, plane, &requests[0]);
  while (!flag) MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
  EXPECT(got[2] + got[3], 20 * (rank ^ 1) + 5);
  got[2] = got[3] = -1;
  MPI_Ineighbor_alltoallw(sent, counts, to, types, got, counts, from, types, plane, &requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  EXPECT(got[2] + got[3], 20 * (rank ^ 1) + 5);
  MPI_Ineighbor_allgatherv(&rank, 1, MPI_INT, all, counts, places, MPI_INT, plane, &requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  EXPECT(all[3], rank ^ 1);
}

/* A grid of 2 x 2, periodic in the second dimension alone: both neighbours there are the same task. */
static void grid(void) {
  int dims[2] = {2, 2}, periods[2] = {0, 1}, sent[4], got[4] = {-1, -1, -1, -1}, i, rank, counts[4] = {1, 1, 1, 1};
  int places[4] = {3, 2, 1, 0};
  MPI_Comm plane;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &plane);
  MPI_Comm_rank(plane, &rank);
  for (i = 0; i < 4; i++) sent[i] = 10 * rank + i;
  MPI_Neighbor_alltoall(sent, 1, MPI_INT, got, 1, MPI_INT, plane);
  /* Ways: up, down, left, right. What the one on the left sent to its right comes from the left. */
  EXPECT(got[0], rank < 2 ? -1 : 10 * (rank - 2) + 1);
  EXPECT(got[1], rank < 2 ? 10 * (rank + 2) : -1);
  EXPECT(got[2], 10 * (rank ^ 1) + 3);
  EXPECT(got[3], 10 * (rank ^ 1) + 2);
  MPI_Neighbor_allgatherv(&rank, 1, MPI_INT, got, counts, places, MPI_INT, plane);
  EXPECT(got[1], rank ^ 1);
  EXPECT(got[0], rank ^ 1);
  later(plane, rank);
  MPI_Comm_free(&plane);
}

int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  distributed(rank);
  whole(rank, size);
  grid();
  return finish();
}
