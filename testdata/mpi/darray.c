/* Parts of arrays that are dealt out to a grid of tasks: sizes, extents and the elements themselves, worked out by hand. */
#include "expect.h"

/* The elements of an array of `n` numbers that the part takes, as text. */
static void elements(MPI_Datatype part, const int *array, char *text) {
  int packed[64], bytes, i, position = 0, used = 0;
  char buffer[256];
  MPI_Type_size(part, &bytes);
  MPI_Pack((void *)array, 1, part, buffer, sizeof buffer, &position, MPI_COMM_WORLD);
  memcpy(packed, buffer, bytes);
  for (i = 0; i < bytes / 4; i++) used += sprintf(text + used, "%d ", packed[i]);
  text[used] = 0;
}

static void line(const int *array) {
  static const char *blocks[] = {"0 1 2 ", "3 4 5 ", "6 7 8 ", "9 "};
  static const char *cyclic[] = {"0 1 8 9 ", "2 3 ", "4 5 ", "6 7 "};
  int rank, size, grid = 4, n = 10, kind = MPI_DISTRIBUTE_BLOCK, block = MPI_DISTRIBUTE_DFLT_DARG;
  char text[512];
  MPI_Aint lower, extent;
  MPI_Datatype part;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  /* 10 in blocks of ceil(10 / 4) = 3. */
  MPI_Type_create_darray(4, rank, 1, &n, &kind, &block, &grid, MPI_ORDER_C, MPI_INT, &part);
  MPI_Type_commit(&part);
  MPI_Type_size(part, &size);
  EXPECT(size, rank == 3 ? 4 : 12);
  MPI_Type_get_extent(part, &lower, &extent);
  EXPECT(lower, 0);
  EXPECT(extent, 40);
  elements(part, array, text);
  EXPECT(strcmp(text, blocks[rank]), 0);
  MPI_Type_free(&part);
  /* In turn two by two. */
  kind = MPI_DISTRIBUTE_CYCLIC, block = 2;
  MPI_Type_create_darray(4, rank, 1, &n, &kind, &block, &grid, MPI_ORDER_C, MPI_INT, &part);
  MPI_Type_commit(&part);
  elements(part, array, text);
  EXPECT(strcmp(text, cyclic[rank]), 0);
  MPI_Type_free(&part);
}

static void plane(const int *array) {
  /* 4 rows of 6 on a grid of 2 x 2: rows in blocks, columns one by one. */
  static const char *c[] = {"0 2 4 6 8 10 ", "1 3 5 7 9 11 ", "12 14 16 18 20 22 ", "13 15 17 19 21 23 "};
  /* The first dimension, of 4, is the fastest; the grid's order stays C's: 0 1 | 2 3 of 4, columns 0 2 4 and 1 3 5 of 6. */
  static const char *fortran[] = {"0 1 8 9 16 17 ", "4 5 12 13 20 21 ", "2 3 10 11 18 19 ", "6 7 14 15 22 23 "};
  int rank, size, grid[] = {2, 2}, n[] = {4, 6}, kinds[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};
  int blocks[] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG}, none[] = {4, 1};
  char text[512];
  MPI_Aint lower, extent;
  MPI_Datatype part;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Type_create_darray(4, rank, 2, n, kinds, blocks, grid, MPI_ORDER_C, MPI_INT, &part);
  MPI_Type_commit(&part);
  MPI_Type_get_extent(part, &lower, &extent);
  EXPECT(extent, 96);
  elements(part, array, text);
  EXPECT(strcmp(text, c[rank]), 0);
  MPI_Type_free(&part);
  MPI_Type_create_darray(4, rank, 2, n, kinds, blocks, grid, MPI_ORDER_FORTRAN, MPI_INT, &part);
  MPI_Type_commit(&part);
  elements(part, array, text);
  EXPECT(strcmp(text, fortran[rank]), 0);
  MPI_Type_free(&part);
  /* A row each, whole. */
  kinds[1] = MPI_DISTRIBUTE_NONE;
  MPI_Type_create_darray(4, rank, 2, n, kinds, blocks, none, MPI_ORDER_C, MPI_INT, &part);
  MPI_Type_commit(&part);
  MPI_Type_size(part, &size);
  EXPECT(size, 24);
  MPI_Type_free(&part);
}

int main(int argc, char **argv) {
  int array[24], i, kept[24] = {0}, rank, sum, got;
  MPI_Datatype part;
  int grid = 4, n = 24, kind = MPI_DISTRIBUTE_CYCLIC, one = MPI_DISTRIBUTE_DFLT_DARG;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (i = 0; i < 24; i++) array[i] = i;
  line(array);
  plane(array);
  /* Every task sends every fourth number, from its rank on, to the next one: 6 numbers whose sum is 6 r + 4 * 15. */
  MPI_Type_create_darray(4, rank, 1, &n, &kind, &one, &grid, MPI_ORDER_C, MPI_INT, &part);
  MPI_Type_commit(&part);
  MPI_Isend(array, 1, part, (rank + 1) % 4, 0, MPI_COMM_WORLD, &request);
  MPI_Recv(kept, 6, MPI_INT, (rank + 3) % 4, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (sum = 0, i = 0; i < 6; i++) sum += kept[i];
  EXPECT(sum, 6 * ((rank + 3) % 4) + 60);
  got = kept[5];
  EXPECT(got, (rank + 3) % 4 + 20);
  MPI_Type_free(&part);
  return finish();
}
