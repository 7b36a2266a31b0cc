/* A window without memory of its own: each task attaches two arrays, tells the others where they are, and is written to, read from
 * and added to there. Task r gets 10 + r - 1 in element r of its first array from the task before it. */
#include "expect.h"

int main(int argc, char **argv) {
  int rank, size, next, before, i, got[2] = {-1, -1}, one = 1, flag, *flavor, sum;
  int first[4] = {0, 0, 0, 0}, *second;
  MPI_Aint own[2], all[8], displacement;
  MPI_Win window;
  void *base;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  next = (rank + 1) % size;
  before = (rank + size - 1) % size;
  second = malloc(8 * sizeof(int));
  for (i = 0; i < 8; i++) second[i] = 100 * rank + i;
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_get_attr(window, MPI_WIN_CREATE_FLAVOR, &flavor, &flag);
  EXPECT(flag, 1);
  EXPECT(*flavor, MPI_WIN_FLAVOR_DYNAMIC);
  MPI_Win_get_attr(window, MPI_WIN_BASE, &base, &flag);
  EXPECT(base == MPI_BOTTOM, 1);
  MPI_Win_attach(window, first, sizeof first);
  MPI_Win_attach(window, second, 8 * sizeof(int));
  MPI_Get_address(first, &own[0]);
  MPI_Get_address(second, &own[1]);
  MPI_Allgather(own, 2, MPI_AINT, all, 2, MPI_AINT, MPI_COMM_WORLD);

  MPI_Win_fence(0, window);
  {
    int value = 10 + rank;
    MPI_Put(&value, 1, MPI_INT, next, MPI_Aint_add(all[2 * next], next * sizeof(int)), 1, MPI_INT, window);
    MPI_Win_fence(0, window);
  }
  EXPECT(first[rank], 10 + before);
  EXPECT(first[next], 0);

  /* Elements 2 and 3 of the second array of the next task. */
  displacement = all[2 * next + 1] + 2 * sizeof(int);
  MPI_Get(got, 2, MPI_INT, next, displacement, 2, MPI_INT, window);
  MPI_Win_fence(0, window);
  EXPECT(got[0], 100 * next + 2);
  EXPECT(got[1], 100 * next + 3);

  /* Every task adds 1 to the last element of the second array of task 0: 7 + 4. */
  MPI_Accumulate(&one, 1, MPI_INT, 0, MPI_Aint_add(all[1], 7 * sizeof(int)), 1, MPI_INT, MPI_SUM, window);
  MPI_Win_fence(0, window);
  EXPECT(second[7], rank == 0 ? 11 : 100 * rank + 7);

  /* Detached memory may be freed and other memory attached. */
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_detach(window, second);
  free(second);
  second = malloc(sizeof(int));
  *second = 0;
  MPI_Win_attach(window, second, sizeof(int));
  MPI_Get_address(second, &own[1]);
  MPI_Allgather(own, 2, MPI_AINT, all, 2, MPI_AINT, MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, before, 0, window);
  MPI_Put(&rank, 1, MPI_INT, before, all[2 * before + 1], 1, MPI_INT, window);
  MPI_Win_unlock(before, window);
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT(*second, next);
  MPI_Allreduce(second, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  EXPECT(sum, 6);
  MPI_Win_detach(window, second);
  MPI_Win_detach(window, first);
  MPI_Win_free(&window);
  free(second);
  return finish();
}
