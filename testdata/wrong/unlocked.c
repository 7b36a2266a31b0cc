#include <mpi.h>

/* Task 0 keeps the lock that the others wait for: one of them exclusively, one with all locks. */
int main(int argc, char **argv) {
  int rank, memory[4];
  MPI_Win window;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  if (rank == 0) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
  if (rank == 2) MPI_Win_lock_all(0, window);
  MPI_Finalize();
  return 0;
}
