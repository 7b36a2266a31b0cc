#include <mpi.h>

/* Both tasks start accesses before they grant any. */
int main(int argc, char **argv) {
  int rank, other, memory[4];
  MPI_Win window;
  MPI_Group world, neighbour;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  other = 1 - rank;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 1, &other, &neighbour);
  MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_start(neighbour, 0, window);
  MPI_Win_post(neighbour, 0, window);
  MPI_Win_complete(window);
  MPI_Win_wait(window);
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
