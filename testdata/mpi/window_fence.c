#include "expect.h"

int main(int argc, char **argv) {
  int rank, size, i, memory[8], out[2], in[2] = {0, 0};
  MPI_Win window;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (i = 0; i < 8; i++) memory[i] = 100 * rank + i;
  MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(0, window);
  /* Two numbers to the right, at 2; two from the left, at 4. */
  out[0] = 10 * rank;
  out[1] = 10 * rank + 1;
  MPI_Put(out, 2, MPI_INT, (rank + 1) % size, 2, 2, MPI_INT, window);
  MPI_Get(in, 2, MPI_INT, (rank + size - 1) % size, 4, 2, MPI_INT, window);
  MPI_Win_fence(0, window);
  EXPECT(memory[1], 100 * rank + 1);
  EXPECT(memory[2], 10 * ((rank + size - 1) % size));
  EXPECT(memory[3], 10 * ((rank + size - 1) % size) + 1);
  EXPECT(in[0], 100 * ((rank + size - 1) % size) + 4);
  EXPECT(in[1], 100 * ((rank + size - 1) % size) + 5);
  /* All add their rank to the first number of task 0. */
  MPI_Accumulate(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, window);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
  EXPECT(memory[0], rank == 0 ? 6 : 100 * rank);
  MPI_Win_free(&window);
  EXPECT(window == MPI_WIN_NULL, 1);
  return finish();
}
