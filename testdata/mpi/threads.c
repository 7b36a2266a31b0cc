#include "expect.h"

int main(int argc, char **argv) {
  int provided, rank, sum;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &provided);
  EXPECT(provided >= MPI_THREAD_SINGLE, 1);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  EXPECT(sum, 6);
  return finish();
}
