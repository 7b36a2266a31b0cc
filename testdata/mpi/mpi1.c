#include "expect.h"

/* Functions that MPI-3 removed, and programs still call. */
int main(int argc, char **argv) {
  int rank, lengths[2] = {2, 1}, numbers[6];
  MPI_Datatype wide, type, kinds[2] = {MPI_INT, MPI_INT};
  MPI_Aint first, second, steps[2], extent;
  MPI_Init(&argc, &argv);
  MPI_Errhandler_set(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Address(&numbers[0], &first);
  MPI_Address(&numbers[4], &second);
  EXPECT(second - first, 16);
  MPI_Type_hvector(2, 1, 12, MPI_INT, &wide);
  MPI_Type_extent(wide, &extent);
  EXPECT(extent, 16);
  steps[0] = 0;
  steps[1] = second - first;
  MPI_Type_struct(2, lengths, steps, kinds, &type);
  MPI_Type_commit(&type);
  numbers[4] = rank;
  MPI_Bcast(numbers, 1, type, 3, MPI_COMM_WORLD);
  EXPECT(numbers[4], 3);
  return finish();
}
