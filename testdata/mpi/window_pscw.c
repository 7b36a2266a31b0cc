#include "expect.h"

/* Task 0 writes into the windows of the others, which grant it, and reads from one. */
int main(int argc, char **argv) {
  int rank, size, i, memory[2] = {-1, -1}, value, others[3] = {1, 2, 3}, zero = 0, got = 0;
  MPI_Group world, group;
  MPI_Win window;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  memory[1] = 50 + rank;
  MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  if (rank == 0) {
    int values[4];
    MPI_Group_incl(world, 3, others, &group);
    MPI_Win_start(group, 0, window);
    for (i = 1; i < size; i++) {
      values[i] = 7 * i;
      MPI_Put(&values[i], 1, MPI_INT, i, 0, 1, MPI_INT, window);
    }
    MPI_Get(&got, 1, MPI_INT, 2, 1, 1, MPI_INT, window);
    MPI_Win_complete(window);
    EXPECT(got, 52);
  } else {
    MPI_Group_incl(world, 1, &zero, &group);
    MPI_Win_post(group, 0, window);
    MPI_Win_wait(window);
    value = memory[0];
    EXPECT(value, 7 * rank);
  }
  MPI_Group_free(&group);
  MPI_Group_free(&world);
  MPI_Win_free(&window);
  return finish();
}
