#include "expect.h"

int main(int argc, char **argv) {
  int rank, size, i, out, in = -1;
  MPI_Request requests[2];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Send_init(&out, 1, MPI_INT, (rank + 1) % size, 3, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(&in, 1, MPI_INT, (rank + size - 1) % size, 3, MPI_COMM_WORLD, &requests[1]);
  for (i = 0; i < 3; i++) {
    out = 10 * i + rank;
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    EXPECT(in, 10 * i + (rank + size - 1) % size);
  }
  out = 100 + rank;
  MPI_Start(&requests[1]);
  MPI_Start(&requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  EXPECT(in, 100 + (rank + size - 1) % size);
  EXPECT(requests[0] != MPI_REQUEST_NULL, 1);
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  EXPECT(requests[1] == MPI_REQUEST_NULL, 1);
  return finish();
}
