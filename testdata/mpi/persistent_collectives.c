#include "expect.h"

/* Persistent collectives came with MPI 4; their buffers are read when they start. */
int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  EXPECT(size, 4);
#if MPI_VERSION >= 4 || defined(__CHRONOS__)
  {
    int i, value = 0, sum = 0, all[4] = {0, 0, 0, 0}, to[4], got[4];
    MPI_Request requests[4];
    MPI_Bcast_init(&value, 1, MPI_INT, 2, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Allreduce_init(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    MPI_Allgather_init(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[2]);
    MPI_Alltoall_init(to, 1, MPI_INT, got, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[3]);
    for (i = 0; i < 3; i++) {
      value = 10 * i + rank;
      MPI_Start(&requests[1]);
      MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
      EXPECT(sum, 40 * i + 6);
      MPI_Start(&requests[0]);
      MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
      EXPECT(value, 10 * i + 2);
    }
    for (i = 0; i < 4; i++) to[i] = 10 * rank + i;
    MPI_Startall(2, requests + 2);
    MPI_Waitall(2, requests + 2, MPI_STATUSES_IGNORE);
    EXPECT(all[3], 3);
    EXPECT(got[3], 30 + rank);
    EXPECT(requests[0] != MPI_REQUEST_NULL, 1);
    for (i = 0; i < 4; i++) MPI_Request_free(&requests[i]);
    EXPECT(requests[3] == MPI_REQUEST_NULL, 1);
  }
#endif
  return finish();
}
