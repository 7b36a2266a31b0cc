/* Datatypes: layouts, extents, parts of arrays, packing, what statuses tell of them. */
#include "check.h"
#include <stddef.h>

static void exchange(void *out, int out_count, MPI_Datatype out_type, void *in, int in_count, MPI_Datatype in_type) {
  MPI_Sendrecv(out, out_count, out_type, 0, 1, in, in_count, in_type, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

static void columns(void) {
  int a[4][6], column[8], i, j, size_of;
  MPI_Datatype type, resized;
  MPI_Aint lb, extent;
  for (i = 0; i < 4; i++)
    for (j = 0; j < 6; j++) a[i][j] = 10 * i + j;
  MPI_Type_vector(4, 1, 6, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Type_size(type, &size_of);
  MPI_Type_get_extent(type, &lb, &extent);
  CHECK(size_of == 16 && lb == 0 && extent == 19 * 4);
  exchange(&a[0][2], 1, type, column, 4, MPI_INT);
  for (i = 0; i < 4; i++) CHECK(column[i] == 10 * i + 2);
  MPI_Type_create_resized(type, 0, sizeof(int), &resized);
  MPI_Type_commit(&resized);
  exchange(&a[0][0], 2, resized, column, 8, MPI_INT);
  for (i = 0; i < 8; i++) CHECK(column[i] == 10 * (i % 4) + i / 4);
  MPI_Type_get_true_extent(resized, &lb, &extent);
  CHECK(lb == 0 && extent == 19 * 4);
  MPI_Type_free(&type);
  MPI_Type_free(&resized);
}

typedef struct {
  char letter;
  double value;
  int numbers[3];
} record;

static void structs(void) {
  const int lengths[3] = {1, 1, 3};
  const MPI_Aint places[3] = {offsetof(record, letter), offsetof(record, value), offsetof(record, numbers)};
  const MPI_Datatype parts[3] = {MPI_CHAR, MPI_DOUBLE, MPI_INT};
  record out[2] = {{'a', 1.5, {1, 2, 3}}, {'b', 2.5, {4, 5, 6}}}, in[2];
  MPI_Datatype type;
  MPI_Aint lb, extent;
  MPI_Status status;
  int count, elements, ints, aints, types, combiner, told[4];
  MPI_Aint told_places[3];
  MPI_Datatype told_types[3];
  MPI_Type_create_struct(3, lengths, places, parts, &type);
  MPI_Type_commit(&type);
  MPI_Type_get_extent(type, &lb, &extent);
  CHECK(lb == 0 && extent == sizeof(record));
  memset(in, 0, sizeof in);
  MPI_Sendrecv(out, 2, type, 0, 1, in, 2, type, 0, 1, MPI_COMM_SELF, &status);
  CHECK(in[1].letter == 'b' && in[1].value == 2.5 && in[1].numbers[2] == 6 && in[0].numbers[0] == 1);
  MPI_Get_count(&status, type, &count);
  MPI_Get_elements(&status, type, &elements);
  CHECK(count == 2 && elements == 10);
  MPI_Type_get_envelope(type, &ints, &aints, &types, &combiner);
  CHECK(ints == 4 && aints == 3 && types == 3 && combiner == MPI_COMBINER_STRUCT);
  MPI_Type_get_contents(type, 4, 3, 3, told, told_places, told_types);
  CHECK(told[0] == 3 && told[3] == 3 && told_places[1] == (MPI_Aint)offsetof(record, value) && told_types[1] == MPI_DOUBLE);
  MPI_Type_free(&type);
}

/* A message that ends within an element. */
static void part_of_one(void) {
  int out[5] = {1, 2, 3, 4, 5}, in[6] = {0}, count, elements;
  MPI_Datatype pair;
  MPI_Status status;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  MPI_Sendrecv(out, 5, MPI_INT, 0, 1, in, 3, pair, 0, 1, MPI_COMM_SELF, &status);
  MPI_Get_count(&status, pair, &count);
  MPI_Get_elements(&status, pair, &elements);
  CHECK(count == MPI_UNDEFINED && elements == 5 && in[4] == 5 && in[5] == 0);
  MPI_Type_free(&pair);
}

static void indexed(void) {
  const int lengths[3] = {2, 0, 1}, places[3] = {5, 1, 0}, starts[2] = {6, 2};
  const MPI_Aint bytes[2] = {16, 0};
  const int two[2] = {1, 2};
  int a[8] = {0, 1, 2, 3, 4, 5, 6, 7}, b[4];
  MPI_Datatype type;
  MPI_Type_indexed(3, lengths, places, MPI_INT, &type);
  MPI_Type_commit(&type);
  exchange(a, 1, type, b, 3, MPI_INT);
  CHECK(b[0] == 5 && b[1] == 6 && b[2] == 0);
  MPI_Type_free(&type);
  MPI_Type_create_indexed_block(2, 2, starts, MPI_INT, &type);
  MPI_Type_commit(&type);
  exchange(a, 1, type, b, 4, MPI_INT);
  CHECK(b[0] == 6 && b[1] == 7 && b[2] == 2 && b[3] == 3);
  MPI_Type_free(&type);
  MPI_Type_create_hindexed(2, two, bytes, MPI_INT, &type);
  MPI_Type_commit(&type);
  exchange(a, 1, type, b, 3, MPI_INT);
  CHECK(b[0] == 4 && b[1] == 0 && b[2] == 1);
  MPI_Type_free(&type);
}

static void subarrays(void) {
  const int sizes[3] = {4, 5, 6}, subsizes[3] = {2, 3, 2}, starts[3] = {1, 1, 3};
  int a[4][5][6], b[12], i, j, k, n = 0;
  MPI_Datatype type;
  MPI_Aint lb, extent;
  for (i = 0; i < 4; i++)
    for (j = 0; j < 5; j++)
      for (k = 0; k < 6; k++) a[i][j][k] = 100 * i + 10 * j + k;
  MPI_Type_create_subarray(3, sizes, subsizes, starts, MPI_ORDER_C, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Type_get_extent(type, &lb, &extent);
  CHECK(lb == 0 && extent == sizeof a);
  exchange(a, 1, type, b, 12, MPI_INT);
  for (i = 1; i < 3; i++)
    for (j = 1; j < 4; j++)
      for (k = 3; k < 5; k++) CHECK(b[n++] == 100 * i + 10 * j + k);
  MPI_Type_free(&type);
}

static void distributed(void) {
  const int sizes[2] = {4, 6}, kinds[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC},
            arguments[2] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG}, grid[2] = {2, 2};
  int a[4][6], b[6], i, j;
  MPI_Datatype type;
  for (i = 0; i < 4; i++)
    for (j = 0; j < 6; j++) a[i][j] = 10 * i + j;
  MPI_Type_create_darray(4, 3, 2, sizes, kinds, arguments, grid, MPI_ORDER_C, MPI_INT, &type);
  MPI_Type_commit(&type);
  exchange(a, 1, type, b, 6, MPI_INT);
  for (i = 0; i < 6; i++) CHECK(b[i] == 10 * (2 + i / 3) + 1 + 2 * (i % 3));
  MPI_Type_free(&type);
}

static void packing(void) {
  char buffer[64];
  int n = 7, back = 0, position = 0, bytes;
  double x[2] = {1.25, 2.5}, y[2];
  MPI_Pack(&n, 1, MPI_INT, buffer, sizeof buffer, &position, MPI_COMM_WORLD);
  MPI_Pack(x, 2, MPI_DOUBLE, buffer, sizeof buffer, &position, MPI_COMM_WORLD);
  MPI_Pack_size(2, MPI_DOUBLE, MPI_COMM_WORLD, &bytes);
  CHECK(position >= 20 && bytes >= 16);
  MPI_Bcast(buffer, sizeof buffer, MPI_PACKED, 0, MPI_COMM_WORLD);
  position = 0;
  MPI_Unpack(buffer, sizeof buffer, &position, &back, 1, MPI_INT, MPI_COMM_WORLD);
  MPI_Unpack(buffer, sizeof buffer, &position, y, 2, MPI_DOUBLE, MPI_COMM_WORLD);
  CHECK(back == 7 && y[0] == 1.25 && y[1] == 2.5);
}

static void absolute(void) {
  int a = 1, b = 2, got[2] = {0, 0};
  const int lengths[2] = {1, 1};
  MPI_Aint places[2];
  MPI_Datatype type;
  MPI_Get_address(&a, &places[0]);
  MPI_Get_address(&b, &places[1]);
  MPI_Type_create_hindexed(2, lengths, places, MPI_INT, &type);
  MPI_Type_commit(&type);
  exchange(MPI_BOTTOM, 1, type, got, 2, MPI_INT);
  CHECK(got[0] == 1 && got[1] == 2);
  MPI_Type_free(&type);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  columns();
  structs();
  part_of_one();
  indexed();
  subarrays();
  distributed();
  packing();
  absolute();
  return end();
}
