#include <mpi.h>

int main(int argc, char **argv) {
  int rank, value = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Bcast(&value, 1, MPI_INT, rank % 2, MPI_COMM_WORLD); /* everyone is its own root */
  MPI_Finalize();
  return 0;
}
