/* Collectives: all forms against what they mean, blocking and not, in place, of the program's own operations. */
#include "check.h"

static int *numbers(int count, int first) {
  int *all = malloc((count + 1) * sizeof *all), i;
  for (i = 0; i < count; i++) all[i] = first + i;
  return all;
}

static void moving(void) {
  int i, root, *all = malloc(size * sizeof *all), *mine = numbers(size, 1000 * rank), *counts = malloc(size * sizeof *all),
      *places = malloc(size * sizeof *all), *ragged, value;
  for (root = 0; root < size; root++) {
    value = rank == root ? 77 + root : 0;
    MPI_Bcast(&value, 1, MPI_INT, root, MPI_COMM_WORLD);
    CHECK(value == 77 + root);
    MPI_Gather(&rank, 1, MPI_INT, all, 1, MPI_INT, root, MPI_COMM_WORLD);
    for (i = 0; rank == root && i < size; i++) CHECK(all[i] == i);
    MPI_Scatter(mine, 1, MPI_INT, &value, 1, MPI_INT, root, MPI_COMM_WORLD);
    CHECK(value == 1000 * root + rank);
  }
  MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
  for (i = 0; i < size; i++) CHECK(all[i] == i);
  all[rank] = 2 * rank;
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INT, MPI_COMM_WORLD);
  for (i = 0; i < size; i++) CHECK(all[i] == 2 * i);
  MPI_Alltoall(mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
  for (i = 0; i < size; i++) CHECK(all[i] == 1000 * i + rank);
  /* Task i gives i + 1 numbers. */
  for (i = 0; i < size; i++) counts[i] = i + 1, places[i] = i * (i + 1) / 2;
  ragged = malloc((size + 1) * size * sizeof *ragged);
  MPI_Allgatherv(mine, rank + 1, MPI_INT, ragged, counts, places, MPI_INT, MPI_COMM_WORLD);
  for (i = 0; i < size; i++) CHECK(ragged[places[i]] == 1000 * i && ragged[places[i] + i] == 1000 * i + i);
  MPI_Gatherv(mine, rank + 1, MPI_INT, ragged, counts, places, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Scatterv(ragged, counts, places, MPI_INT, mine, rank + 1, MPI_INT, 0, MPI_COMM_WORLD);
  CHECK(mine[rank] == 1000 * rank + rank);
  free(all);
  free(mine);
  free(counts);
  free(places);
  free(ragged);
}

static void ragged(void) {
  int *to = malloc(size * sizeof *to), *from = malloc(size * sizeof *to), *at = malloc(size * sizeof *to),
      *in_at = malloc(size * sizeof *to), *out, *in, i, sent = 0, received = 0, k;
  MPI_Datatype *types = malloc(size * sizeof *types);
  for (i = 0; i < size; i++) {
    to[i] = (rank + i) % 3;
    from[i] = (rank + i) % 3;
    at[i] = sent;
    in_at[i] = received;
    sent += to[i];
    received += from[i];
    types[i] = MPI_INT;
  }
  out = malloc((sent + 1) * sizeof *out);
  in = malloc((received + 1) * sizeof *in);
  for (i = 0; i < size; i++)
    for (k = 0; k < to[i]; k++) out[at[i] + k] = 10000 * rank + 100 * i + k;
  MPI_Alltoallv(out, to, at, MPI_INT, in, from, in_at, MPI_INT, MPI_COMM_WORLD);
  for (i = 0; i < size; i++)
    for (k = 0; k < from[i]; k++) CHECK(in[in_at[i] + k] == 10000 * i + 100 * rank + k);
  memset(in, 0, (received + 1) * sizeof *in);
  for (i = 0; i < size; i++) at[i] *= sizeof(int), in_at[i] *= sizeof(int);
  MPI_Alltoallw(out, to, at, types, in, from, in_at, types, MPI_COMM_WORLD);
  for (i = 0; i < size; i++)
    for (k = 0; k < from[i]; k++) CHECK(in[in_at[i] / (int)sizeof(int) + k] == 10000 * i + 100 * rank + k);
  free(to);
  free(from);
  free(at);
  free(in_at);
  free(out);
  free(in);
  free(types);
}

/* Products of 2 by 2 matrices do not commute. */
static void multiply(void *in, void *inout, int *count, MPI_Datatype *type) {
  double(*a)[4] = in, (*b)[4] = inout;
  int i;
  (void)type;
  for (i = 0; i < *count; i++) {
    double c[4] = {a[i][0] * b[i][0] + a[i][1] * b[i][2], a[i][0] * b[i][1] + a[i][1] * b[i][3],
                   a[i][2] * b[i][0] + a[i][3] * b[i][2], a[i][2] * b[i][1] + a[i][3] * b[i][3]};
    memcpy(b[i], c, sizeof c);
  }
}

static void matrix_of(int i, double *m) {
  m[0] = 1;
  m[1] = i + 1;
  m[2] = i % 2;
  m[3] = 1;
}

static void product_of(int last, double *m) {
  int i, one = 1;
  double next[4];
  matrix_of(last, m);
  for (i = last - 1; i >= 0; i--) {
    matrix_of(i, next);
    multiply(next, m, &one, 0);
  }
}

static void own_operation(void) {
  MPI_Datatype matrix;
  MPI_Op op;
  double mine[4], all[4], expected[4];
  int commutes;
  MPI_Type_contiguous(4, MPI_DOUBLE, &matrix);
  MPI_Type_commit(&matrix);
  MPI_Op_create(multiply, 0, &op);
  MPI_Op_commutative(op, &commutes);
  CHECK(!commutes);
  matrix_of(rank, mine);
  product_of(size - 1, expected);
  MPI_Reduce(mine, all, 1, matrix, op, size - 1, MPI_COMM_WORLD);
  if (rank == size - 1) CHECK(memcmp(all, expected, sizeof all) == 0);
  MPI_Allreduce(mine, all, 1, matrix, op, MPI_COMM_WORLD);
  CHECK(memcmp(all, expected, sizeof all) == 0);
  MPI_Scan(mine, all, 1, matrix, op, MPI_COMM_WORLD);
  product_of(rank, expected);
  CHECK(memcmp(all, expected, sizeof all) == 0);
  MPI_Op_free(&op);
  MPI_Type_free(&matrix);
}

static void reducing(void) {
  int i, in[2] = {rank + 1, -rank}, out[2], *counts = malloc(size * sizeof *counts), *many, before = 0, mine[8];
  struct { double value; int place; } best, own;
  unsigned char bits = (unsigned char)(1 << rank % 8), any;
  long sum = (long)size * (size + 1) / 2;
  MPI_Allreduce(in, out, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(out[0] == sum && out[1] == size - sum);
  MPI_Allreduce(MPI_IN_PLACE, in, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  CHECK(in[0] == size && in[1] == 0);
  in[0] = rank + 1;
  MPI_Reduce(in, out, 1, MPI_INT, MPI_MIN, 0, MPI_COMM_WORLD);
  if (rank == 0) CHECK(out[0] == 1);
  MPI_Scan(in, out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(out[0] == (rank + 1) * (rank + 2) / 2);
  MPI_Exscan(in, out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank > 0) CHECK(out[0] == rank * (rank + 1) / 2);
  own.value = (rank * 7) % 5;
  own.place = rank;
  MPI_Allreduce(&own, &best, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
  for (i = 0; i < size; i++) CHECK((i * 7) % 5 <= best.value && ((i * 7) % 5 < best.value || i >= best.place));
  MPI_Allreduce(&bits, &any, 1, MPI_UNSIGNED_CHAR, MPI_BOR, MPI_COMM_WORLD);
  CHECK(any == (size >= 8 ? 255 : (1 << size) - 1));
  for (i = 0; i < size; i++) counts[i] = i % 3;
  many = malloc(3 * size * sizeof *many);
  for (i = 0; i < 3 * size; i++) many[i] = rank + i;
  MPI_Reduce_scatter(many, mine, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (i = 0; i < rank; i++) before += counts[i];
  for (i = 0; i < counts[rank]; i++) CHECK(mine[i] == size * (size - 1) / 2 + size * (before + i));
  MPI_Reduce_scatter_block(many, mine, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(mine[1] == size * (size - 1) / 2 + size * (2 * rank + 1));
  in[0] = 3;
  out[0] = 4;
  MPI_Reduce_local(in, out, 1, MPI_INT, MPI_PROD);
  CHECK(out[0] == 12);
  free(counts);
  free(many);
}

static void later(void) {
  int sum = 0, value = rank == 0 ? 5 : 0, *all = malloc(size * sizeof *all), i;
  MPI_Request requests[4];
  MPI_Ibarrier(MPI_COMM_WORLD, &requests[0]);
  MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[1]);
  MPI_Ibcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, &requests[2]);
  MPI_Iallgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  CHECK(sum == size * (size - 1) / 2 && value == 5);
  for (i = 0; i < size; i++) CHECK(all[i] == i);
  free(all);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  moving();
  ragged();
  own_operation();
  reducing();
  later();
  return end();
}
