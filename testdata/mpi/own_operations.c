/* Reductions by functions of the program. */
#include "expect.h"

typedef struct {
  double value;
  int rank;
} Best;

/* The greatest value, with the highest rank that has it. */
static void best(void *in, void *inout, int *count, MPI_Datatype *type) {
  Best *a = in, *b = inout;
  for (int i = 0; i < *count; i++)
    if (a[i].value > b[i].value || (a[i].value == b[i].value && a[i].rank > b[i].rank)) b[i] = a[i];
}

/* Composition of x -> ax + b, which does not commute: the one of the lower rank is applied first. */
static void compose(void *in, void *inout, int *count, MPI_Datatype *type) {
  int *first = in, *second = inout;
  for (int i = 0; i < *count; i += 2) {
    second[i + 1] += second[i] * first[i + 1];
    second[i] *= first[i];
  }
}

int main(int argc, char **argv) {
  int rank, commutes, lengths[2] = {1, 1}, line[2], result[2], counts[4] = {2, 0, 2, 0}, lines[4];
  MPI_Aint places[2] = {0, sizeof(double)};
  MPI_Datatype types[2] = {MPI_DOUBLE, MPI_INT}, plain, type;
  MPI_Op greatest, composition;
  Best own, all;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Type_create_struct(2, lengths, places, types, &plain);
  MPI_Type_create_resized(plain, 0, sizeof(Best), &type);
  MPI_Type_commit(&type);
  MPI_Op_create(best, 1, &greatest);
  MPI_Op_create(compose, 0, &composition);
  MPI_Op_commutative(greatest, &commutes);
  EXPECT(commutes, 1);
  MPI_Op_commutative(composition, &commutes);
  EXPECT(commutes, 0);
  /* 0, 1, 4 and 1.5: task 2. Then 5 for all: task 3. */
  own.value = rank < 3 ? rank * rank : 1.5;
  own.rank = rank;
  MPI_Allreduce(&own, &all, 1, type, greatest, MPI_COMM_WORLD);
  EXPECT(all.rank, 2);
  EXPECT(all.value == 4.0, 1);
  for (int i = 0; i < 3; i++) {
    own.value = 5;
    own.rank = rank;
    MPI_Reduce(&own, &all, 1, type, greatest, i, MPI_COMM_WORLD);
    if (rank == i) EXPECT(all.rank, 3);
  }
  /* x + 1, 2x + 1, 3x + 1, 4x + 1 one after the other: x + 1, 2x + 3, 6x + 10, 24x + 41. */
  line[0] = rank + 1, line[1] = 1;
  MPI_Scan(line, result, 2, MPI_INT, composition, MPI_COMM_WORLD);
  EXPECT(result[0], rank == 0 ? 1 : rank == 1 ? 2 : rank == 2 ? 6 : 24);
  EXPECT(result[1], rank == 0 ? 1 : rank == 1 ? 3 : rank == 2 ? 10 : 41);
  result[0] = 7;
  MPI_Exscan(line, result, 2, MPI_INT, composition, MPI_COMM_WORLD);
  EXPECT(result[0], rank == 0 ? 7 : rank == 1 ? 1 : rank == 2 ? 2 : 6);
  MPI_Allreduce(MPI_IN_PLACE, line, 2, MPI_INT, composition, MPI_COMM_WORLD);
  EXPECT(line[0], 24);
  EXPECT(line[1], 41);
  /* The same without blocking: two at once, one of them tested for. */
  {
    MPI_Request both[2];
    int index, done = 0, again[2];
    line[0] = rank + 1, line[1] = 1;
    MPI_Iallreduce(line, result, 2, MPI_INT, composition, MPI_COMM_WORLD, &both[0]);
    MPI_Iscan(line, again, 2, MPI_INT, composition, MPI_COMM_WORLD, &both[1]);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    EXPECT(result[0], 24);
    EXPECT(result[1], 41);
    EXPECT(again[0], rank == 0 ? 1 : rank == 1 ? 2 : rank == 2 ? 6 : 24);
    EXPECT(again[1], rank == 0 ? 1 : rank == 1 ? 3 : rank == 2 ? 10 : 41);
    own.value = 5;
    own.rank = rank;
    MPI_Ireduce(&own, &all, 1, type, greatest, 1, MPI_COMM_WORLD, &both[0]);
    while (!done) MPI_Test(&both[0], &done, MPI_STATUS_IGNORE);
    if (rank == 1) EXPECT(all.rank, 3);
    MPI_Iexscan(line, again, 2, MPI_INT, composition, MPI_COMM_WORLD, &both[0]);
    MPI_Waitany(1, both, &index, MPI_STATUS_IGNORE);
    EXPECT(index, 0);
    if (rank > 0) EXPECT(again[0], rank == 1 ? 1 : rank == 2 ? 2 : 6);
  }
  /* 2.5 MiB in all: element i of task r is r + i, so the greatest is 3 + i, of task 3. */
  {
    enum { MANY = 40000 };
    Best *mine = malloc(MANY * sizeof *mine), *most = malloc(MANY * sizeof *most);
    for (int i = 0; i < MANY; i++) {
      mine[i].value = rank + i;
      mine[i].rank = rank;
    }
    MPI_Allreduce(mine, most, MANY, type, greatest, MPI_COMM_WORLD);
    EXPECT(most[0].rank, 3);
    EXPECT(most[MANY - 1].value == 3.0 + MANY - 1, 1);
    free(mine);
    free(most);
  }
  lines[0] = lines[2] = rank + 1, lines[1] = 1, lines[3] = 0;
  MPI_Reduce_scatter(lines, result, counts, MPI_INT, composition, MPI_COMM_WORLD);
  if (rank % 2 == 0) {
    EXPECT(result[0], 24);
    EXPECT(result[1], rank == 0 ? 41 : 0);
  }
  line[0] = 2, line[1] = 5, result[0] = 3, result[1] = 4;
  MPI_Reduce_local(line, result, 2, MPI_INT, composition);
  EXPECT(result[0], 6);
  EXPECT(result[1], 19);
  MPI_Op_free(&greatest);
  MPI_Op_free(&composition);
  MPI_Type_free(&type);
  MPI_Type_free(&plain);
  return finish();
}
