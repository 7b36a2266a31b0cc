#include "expect.h"

int main(int argc, char **argv) {
  int rank, size, value, i, all[4], mine[4], counts[4], places[4], triangle[10], row[4];
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  value = rank == 1 ? 5 : 0;
  MPI_Ibcast(&value, 1, MPI_INT, 1, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT(value, 5);
  value = 3 * rank;
  MPI_Iallgather(&value, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (i = 0; i < size; i++) EXPECT(all[i], 3 * i);
  for (i = 0; i < size; i++) all[i] = 10 * rank + i;
  MPI_Ialltoall(all, 1, MPI_INT, mine, 1, MPI_INT, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (i = 0; i < size; i++) EXPECT(mine[i], 10 * i + rank);
  MPI_Igather(&value, 1, MPI_INT, all, 1, MPI_INT, 2, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (rank == 2) EXPECT(all[3], 9);
  for (i = 0; i < size; i++) all[i] = 8 * i;
  MPI_Iscatter(all, 1, MPI_INT, &value, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT(value, 8 * rank);

  for (i = 0; i < size; i++) {
    counts[i] = i + 1;
    places[i] = i * (i + 1) / 2;
    row[i] = rank;
  }
  MPI_Iallgatherv(row, rank + 1, MPI_INT, triangle, counts, places, MPI_INT, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT(triangle[5], 2);
  MPI_Igatherv(row, rank + 1, MPI_INT, triangle, counts, places, MPI_INT, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (rank == 0) EXPECT(triangle[9], 3);
  for (i = 0; i < 10; i++) triangle[i] = i;
  MPI_Iscatterv(triangle, counts, places, MPI_INT, mine, rank + 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT(mine[0], places[rank]);
  {
    int come[16], here[4], behind[4];
    for (i = 0; i < 10; i++) triangle[i] = 100 * rank + i;
    for (i = 0; i < size; i++) {
      here[i] = rank + 1;
      behind[i] = i * (rank + 1);
    }
    MPI_Ialltoallv(triangle, counts, places, MPI_INT, come, here, behind, MPI_INT, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (i = 0; i < size; i++) EXPECT(come[behind[i]], 100 * i + places[rank]);
  }
  return finish();
}
