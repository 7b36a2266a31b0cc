#include "expect.h"

static int calls;

/* The lesser of two numbers: the result of a reduction with it must be that of MPI_MIN. */
static void lesser(void *in, void *inout, int *length, MPI_Datatype *type) {
  int i, *a = in, *b = inout;
  calls++;
  for (i = 0; i < *length; i++)
    if (a[i] < b[i]) b[i] = a[i];
}

int main(int argc, char **argv) {
  int rank, size, value, sum, i, all[4], mine[4], counts[4], places[4], triangle[10], row[4];
  MPI_Op op;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  value = rank == 2 ? 42 : 0;
  MPI_Bcast(&value, 1, MPI_INT, 2, MPI_COMM_WORLD);
  EXPECT(value, 42);
  value = rank + 1;
  sum = -1;
  MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_PROD, 1, MPI_COMM_WORLD);
  EXPECT(sum, rank == 1 ? 24 : -1);
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  EXPECT(sum, 4);
  MPI_Scan(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  EXPECT(sum, (rank + 1) * (rank + 2) / 2);

  MPI_Gather(&value, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 0)
    for (i = 0; i < size; i++) EXPECT(all[i], i + 1);
  for (i = 0; i < size; i++) all[i] = 7 * i;
  MPI_Scatter(all, 1, MPI_INT, &value, 1, MPI_INT, 3, MPI_COMM_WORLD);
  EXPECT(value, 7 * rank);
  MPI_Allgather(&value, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
  for (i = 0; i < size; i++) EXPECT(all[i], 7 * i);
  for (i = 0; i < size; i++) all[i] = 10 * rank + i;
  MPI_Alltoall(all, 1, MPI_INT, mine, 1, MPI_INT, MPI_COMM_WORLD);
  for (i = 0; i < size; i++) EXPECT(mine[i], 10 * i + rank);

  /* Task r has r+1 numbers, all r; they lie one behind the other. */
  for (i = 0; i < size; i++) {
    counts[i] = i + 1;
    places[i] = i * (i + 1) / 2;
    row[i] = rank;
  }
  MPI_Gatherv(row, rank + 1, MPI_INT, triangle, counts, places, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    EXPECT(triangle[0], 0);
    EXPECT(triangle[2], 1);
    EXPECT(triangle[9], 3);
    for (i = 0; i < 10; i++) triangle[i] = i;
  }
  MPI_Scatterv(triangle, counts, places, MPI_INT, mine, rank + 1, MPI_INT, 0, MPI_COMM_WORLD);
  EXPECT(mine[rank], places[rank] + rank);
  MPI_Allgatherv(row, rank + 1, MPI_INT, triangle, counts, places, MPI_INT, MPI_COMM_WORLD);
  EXPECT(triangle[5], 2);
  EXPECT(triangle[6], 3);
  /* To task i go i+1 of mine, so r+1 come from each. */
  for (i = 0; i < 10; i++) triangle[i] = 100 * rank + i;
  {
    int come[16], here[4], behind[4];
    for (i = 0; i < size; i++) {
      here[i] = rank + 1;
      behind[i] = i * (rank + 1);
    }
    MPI_Alltoallv(triangle, counts, places, MPI_INT, come, here, behind, MPI_INT, MPI_COMM_WORLD);
    for (i = 0; i < size; i++) EXPECT(come[behind[i]], 100 * i + places[rank]);
  }
  for (i = 0; i < size; i++) {
    all[i] = rank + i;
    counts[i] = 1;
  }
  MPI_Reduce_scatter(all, &sum, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  EXPECT(sum, 6 + 4 * rank);

  MPI_Op_create(lesser, 1, &op);
  value = 10 - rank;
  MPI_Allreduce(&value, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
  EXPECT(sum, 7);
  MPI_Op_free(&op);
  EXPECT(op == MPI_OP_NULL, 1);
  MPI_Barrier(MPI_COMM_WORLD);
  return finish();
}
