#include "expect.h"

/* Each task sends to the one behind it and receives from the one before it, in every way that there is. */
int main(int argc, char **argv) {
  int rank, size, left, right_one, got = 0, more = 0, count, flag, index, i, twice[2];
  MPI_Status status, statuses[2];
  MPI_Request requests[2];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  left = (rank + size - 1) % size;
  right_one = (rank + 1) % size;

  if (rank % 2 == 0) {
    MPI_Send(&rank, 1, MPI_INT, right_one, 1, MPI_COMM_WORLD);
    MPI_Recv(&got, 1, MPI_INT, left, 1, MPI_COMM_WORLD, &status);
  } else {
    MPI_Recv(&got, 1, MPI_INT, left, 1, MPI_COMM_WORLD, &status);
    MPI_Ssend(&rank, 1, MPI_INT, right_one, 1, MPI_COMM_WORLD);
  }
  EXPECT(got, left);
  EXPECT(status.MPI_SOURCE, left);
  EXPECT(status.MPI_TAG, 1);

  MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(&rank, 1, MPI_INT, right_one, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Wait(&requests[0], &status);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  EXPECT(got, left);
  EXPECT(status.MPI_SOURCE, left);
  EXPECT(requests[0] == MPI_REQUEST_NULL, 1);

  MPI_Irecv(twice, 2, MPI_INT, left, 3, MPI_COMM_WORLD, &requests[0]);
  MPI_Issend(&rank, 1, MPI_INT, right_one, 3, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, statuses);
  MPI_Get_count(&statuses[0], MPI_INT, &count);
  EXPECT(count, 1);
  EXPECT(twice[0], left);

  MPI_Irecv(&got, 1, MPI_INT, left, 4, MPI_COMM_WORLD, &requests[0]);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Irsend(&right_one, 1, MPI_INT, right_one, 4, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitany(1, requests, &index, &status);
  EXPECT(index, 0);
  EXPECT(got, rank);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);

  MPI_Irecv(&got, 1, MPI_INT, left, 5, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(&rank, 1, MPI_INT, right_one, 5, MPI_COMM_WORLD, &requests[1]);
  MPI_Request_free(&requests[1]);
  EXPECT(requests[1] == MPI_REQUEST_NULL, 1);
  flag = 0;
  while (!flag) MPI_Test(&requests[0], &flag, &status);
  EXPECT(got, left);

  MPI_Irecv(&got, 1, MPI_INT, left, 6, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(&rank, 1, MPI_INT, right_one, 6, MPI_COMM_WORLD, &requests[1]);
  flag = 0;
  while (!flag) MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
  EXPECT(got, left);

  MPI_Sendrecv(&rank, 1, MPI_INT, right_one, 7, &got, 1, MPI_INT, left, 7, MPI_COMM_WORLD, &status);
  EXPECT(got, left);
  more = 10 * rank;
  MPI_Sendrecv_replace(&more, 1, MPI_INT, right_one, 8, left, 8, MPI_COMM_WORLD, &status);
  EXPECT(more, 10 * left);

  if (rank == 0) {
    for (i = 1; i < size; i++) {
      int from, numbers[4];
      MPI_Probe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &status);
      from = status.MPI_SOURCE;
      MPI_Get_count(&status, MPI_INT, &count);
      EXPECT(count, from);
      MPI_Recv(numbers, count, MPI_INT, from, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      EXPECT(numbers[count - 1], 100 + from);
    }
    flag = 0;
    while (!flag) MPI_Iprobe(1, 10, MPI_COMM_WORLD, &flag, &status);
    MPI_Recv(&got, 1, MPI_INT, 1, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT(got, 77);
  } else {
    int numbers[4];
    for (i = 0; i < rank; i++) numbers[i] = 100 + rank;
    MPI_Send(numbers, rank, MPI_INT, 0, 9, MPI_COMM_WORLD);
    got = 77;
    if (rank == 1) MPI_Send(&got, 1, MPI_INT, 0, 10, MPI_COMM_WORLD);
  }
  MPI_Recv(&got, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status);
  EXPECT(status.MPI_SOURCE, MPI_PROC_NULL);
  return finish();
}
