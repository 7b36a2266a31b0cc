#include "expect.h"

int main(int argc, char **argv) {
  int flag, version, subversion, length, provided, size, rank;
  char name[MPI_MAX_PROCESSOR_NAME], text[MPI_MAX_ERROR_STRING];
  int *memory;
  double begin, end;
  MPI_Initialized(&flag);
  EXPECT(flag, 0);
  MPI_Init(&argc, &argv);
  MPI_Initialized(&flag);
  EXPECT(flag, 1);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  EXPECT(size, 4);
  EXPECT(rank >= 0 && rank < 4, 1);
  MPI_Get_version(&version, &subversion);
  EXPECT(version >= 3, 1);
  MPI_Get_processor_name(name, &length);
  EXPECT((int)strlen(name), length);
  MPI_Error_string(MPI_SUCCESS, text, &length);
  EXPECT((int)strlen(text), length);
  EXPECT(MPI_Wtick() > 0.0, 1);
  begin = MPI_Wtime();
  MPI_Barrier(MPI_COMM_WORLD);
  end = MPI_Wtime();
  printf("%f\n", end - begin);
  MPI_Alloc_mem(4 * sizeof(int), MPI_INFO_NULL, &memory);
  memory[3] = 7 + rank;
  EXPECT(memory[3] - rank, 7);
  MPI_Free_mem(memory);
  MPI_Comm_size(MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_WORLD)), &size);
  EXPECT(size, 4);
  MPI_Query_thread(&provided);
  return finish();
}
