/* One-sided communication: fences, exposure, locks, atomic operations, shared memory. */
#include "check.h"

static void fences(void) {
  const int right = (rank + 1) % size;
  int memory[4] = {-1, -1, -1, 100 * rank}, value = rank, got = 0, i;
  MPI_Win window;
  MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(0, window);
  MPI_Put(&value, 1, MPI_INT, right, 1, 1, MPI_INT, window);
  MPI_Get(&got, 1, MPI_INT, right, 3, 1, MPI_INT, window);
  MPI_Win_fence(0, window);
  CHECK(memory[1] == (rank + size - 1) % size && got == 100 * right);
  memory[0] = 0;
  MPI_Win_fence(0, window);
  for (i = 0; i < size; i++) MPI_Accumulate(&value, 1, MPI_INT, i, 0, 1, MPI_INT, MPI_SUM, window);
  MPI_Win_fence(0, window);
  CHECK(memory[0] == size * (size - 1) / 2);
  MPI_Win_free(&window);
}

static void columns(void) {
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  int *memory, column[3] = {rank, rank + 1, rank + 2}, i;
  MPI_Datatype type;
  MPI_Win window;
  MPI_Type_vector(3, 1, 4, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Win_allocate(12 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  memset(memory, 0, 12 * sizeof(int));
  MPI_Win_fence(0, window);
  MPI_Put(column, 3, MPI_INT, right, 1, 1, type, window);
  MPI_Win_fence(0, window);
  for (i = 0; i < 3; i++) CHECK(memory[1 + 4 * i] == left + i && memory[4 * i] == 0);
  MPI_Win_free(&window);
  MPI_Type_free(&type);
}

static void locks(void) {
  long *memory, one = 1, before = -1, all, expected = 0, wanted = 7, old;
  int i;
  MPI_Win window;
  MPI_Win_allocate(2 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  memory[0] = memory[1] = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  for (i = 0; i < 10; i++) {
    long now;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Get(&now, 1, MPI_LONG, 0, 0, 1, MPI_LONG, window);
    MPI_Win_flush(0, window);
    now++;
    MPI_Put(&now, 1, MPI_LONG, 0, 0, 1, MPI_LONG, window);
    MPI_Win_unlock(0, window);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, window);
  MPI_Fetch_and_op(&one, &before, MPI_LONG, 0, 0, MPI_SUM, window);
  MPI_Win_flush_all(window);
  CHECK(before >= 10 * size && before < 11 * size);
  MPI_Compare_and_swap(&wanted, &expected, &old, MPI_LONG, 0, 1, window);
  MPI_Win_flush(0, window);
  CHECK(old == 0 || old == 7);
  MPI_Win_unlock_all(window);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
  MPI_Get_accumulate(0, 0, MPI_LONG, &all, 1, MPI_LONG, 0, 0, 1, MPI_LONG, MPI_NO_OP, window);
  MPI_Win_unlock(0, window);
  CHECK(all == 11 * size);
  if (rank == 0) {
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    CHECK(memory[1] == 7);
    MPI_Win_unlock(0, window);
  }
  MPI_Win_free(&window);
}

static void exposures(void) {
  int memory = -1, value = 55 + rank, peer = rank ^ 1;
  MPI_Group world, other;
  MPI_Win window;
  MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  if (peer < size) {
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &peer, &other);
    MPI_Win_post(other, 0, window);
    MPI_Win_start(other, 0, window);
    MPI_Put(&value, 1, MPI_INT, peer, 0, 1, MPI_INT, window);
    MPI_Win_complete(window);
    MPI_Win_wait(window);
    CHECK(memory == 55 + peer);
    MPI_Group_free(&world);
    MPI_Group_free(&other);
  }
  MPI_Win_free(&window);
}

static void shared(void) {
  int *own, *first, unit;
  MPI_Aint bytes;
  MPI_Win window;
  MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &own, &window);
  MPI_Win_shared_query(window, 0, &bytes, &unit, &first);
  CHECK(bytes == sizeof(int) && unit == sizeof(int) && own - first == rank);
  *own = rank * rank;
  MPI_Win_fence(0, window);
  CHECK(first[(rank + 1) % size] == ((rank + 1) % size) * ((rank + 1) % size));
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
}

static void requests(void) {
  int memory = 10 * rank, got = -1, *base, found;
  MPI_Request request;
  MPI_Win window;
  MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_lock_all(0, window);
  MPI_Rget(&got, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, window, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(got == 10 * ((rank + 1) % size));
  MPI_Win_unlock_all(window);
  MPI_Win_get_attr(window, MPI_WIN_BASE, &base, &found);
  CHECK(found && base == &memory);
  MPI_Win_free(&window);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  fences();
  columns();
  locks();
  exposures();
  shared();
  requests();
  return end();
}
