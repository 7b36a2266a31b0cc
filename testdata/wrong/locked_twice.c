#include <mpi.h>

/* Each task holds the lock that the other one asks for next. */
int main(int argc, char **argv) {
  int rank, memory[4];
  MPI_Win window;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1 - rank, 0, window);
  MPI_Win_unlock(1 - rank, window);
  MPI_Win_unlock(rank, window);
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
