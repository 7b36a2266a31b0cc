#include "expect.h"

int main(int argc, char **argv) {
  int rank, size, one = 1, before = -1, old = -1, *memory, sum, zero = 0, three = 3, numbers[2];
  MPI_Win window;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window);
  memory[0] = 0;
  memory[1] = 40 + rank;
  memory[2] = 0;
  memory[3] = 0;
  MPI_Win_unlock(rank, window);
  MPI_Barrier(MPI_COMM_WORLD);

  /* Every task takes a number from a counter at task 0: together they are 0, 1, 2 and 3. */
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
  MPI_Fetch_and_op(&one, &before, MPI_INT, 0, 0, MPI_SUM, window);
  MPI_Win_flush(0, window);
  MPI_Win_unlock(0, window);
  MPI_Allreduce(&before, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  EXPECT(sum, 6);

  MPI_Win_lock_all(0, window);
  /* Only task 3 finds what it compares with, the counter being at 4. */
  if (rank == 3) {
    int four = 4, new = 99;
    MPI_Compare_and_swap(&new, &four, &old, MPI_INT, 0, 0, window);
    MPI_Win_flush_local(0, window);
    EXPECT(old, 4);
    MPI_Win_flush_all(window);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank != 3) {
    MPI_Compare_and_swap(&zero, &three, &old, MPI_INT, 0, 0, window);
    MPI_Win_flush_all(window);
    EXPECT(old, 99);
  }
  /* The neighbour's number, and 5 is added to it. */
  numbers[0] = 5;
  MPI_Get_accumulate(numbers, 1, MPI_INT, &old, 1, MPI_INT, (rank + 1) % size, 1, 1, MPI_INT, MPI_SUM, window);
  MPI_Win_flush_local_all(window);
  EXPECT(old, 40 + (rank + 1) % size);
  MPI_Put(&rank, 1, MPI_INT, (rank + 1) % size, 3, 1, MPI_INT, window);
  MPI_Win_unlock_all(window);
  MPI_Barrier(MPI_COMM_WORLD);

  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window);
  EXPECT(memory[1], 45 + rank);
  EXPECT(memory[3], (rank + size - 1) % size);
  if (rank == 0) EXPECT(memory[0], 99);
  MPI_Win_unlock(rank, window);
  MPI_Win_free(&window);
  return finish();
}
