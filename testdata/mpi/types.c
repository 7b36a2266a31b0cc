#include "expect.h"
#include <stddef.h>

struct particle {
  int number;
  double place[3];
  char kind;
};

/* A matrix of 4 rows and 5 columns whose elements are 10 row + column. */
static int matrix[4][5];

static void fill(void) {
  int i, j;
  for (i = 0; i < 4; i++)
    for (j = 0; j < 5; j++) matrix[i][j] = 10 * i + j;
}

/* What the type selects of the matrix of task 0 comes to task 1, packed. */
static void moved(int rank, MPI_Datatype type, int count, int first, int last) {
  int got[20], size;
  MPI_Type_size(type, &size);
  EXPECT(size, 4 * count);
  if (rank == 0) MPI_Send(matrix, 1, type, 1, 0, MPI_COMM_WORLD);
  if (rank == 1) {
    MPI_Recv(got, count, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT(got[0], first);
    EXPECT(got[count - 1], last);
  }
}

int main(int argc, char **argv) {
  int rank, lengths[3] = {1, 3, 1}, places[2] = {4, 11}, sizes[2] = {4, 5}, parts[2] = {2, 2}, starts[2] = {1, 3};
  MPI_Datatype row, column, some, wide, window, type, kinds[3] = {MPI_INT, MPI_DOUBLE, MPI_CHAR};
  MPI_Aint base, steps[3], lower, extent;
  struct particle p;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  fill();
  MPI_Type_contiguous(5, MPI_INT, &row);
  MPI_Type_commit(&row);
  moved(rank, row, 5, 0, 4);
  MPI_Type_vector(4, 1, 5, MPI_INT, &column);
  MPI_Type_commit(&column);
  moved(rank, column, 4, 0, 30);
  MPI_Type_indexed(2, lengths, places, MPI_INT, &some);
  MPI_Type_commit(&some);
  moved(rank, some, 4, 4, 23);
  MPI_Type_create_hvector(2, 1, 40, row, &wide);
  MPI_Type_commit(&wide);
  moved(rank, wide, 10, 0, 24);
  MPI_Type_get_extent(wide, &lower, &extent);
  EXPECT(extent, 60);
  MPI_Type_free(&wide);
  EXPECT(wide == MPI_DATATYPE_NULL, 1);
  steps[0] = 8;
  steps[1] = 40;
  MPI_Type_create_hindexed(2, lengths, steps, MPI_INT, &wide);
  MPI_Type_commit(&wide);
  moved(rank, wide, 4, 2, 22);
  MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &window);
  MPI_Type_commit(&window);
  moved(rank, window, 4, 13, 24);

  MPI_Get_address(&p, &base);
  MPI_Get_address(&p.number, &steps[0]);
  MPI_Get_address(&p.place, &steps[1]);
  MPI_Get_address(&p.kind, &steps[2]);
  steps[0] -= base;
  steps[1] -= base;
  steps[2] -= base;
  EXPECT(steps[1], (MPI_Aint)offsetof(struct particle, place));
  MPI_Type_create_struct(3, lengths, steps, kinds, &type);
  MPI_Type_commit(&type);
  MPI_Type_get_extent(type, &lower, &extent);
  EXPECT(lower, 0);
  EXPECT(extent, (MPI_Aint)sizeof p);
  p.number = 10 + rank;
  p.kind = 'x';
  MPI_Bcast(&p, 1, type, 2, MPI_COMM_WORLD);
  EXPECT(p.number, 12);
  return finish();
}
