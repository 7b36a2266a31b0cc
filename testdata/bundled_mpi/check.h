/* For programs that check an MPI from inside: any number of tasks, silence and "ok" from task 0, or the line that fails. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

#define CHECK(condition)                                                               \
  do {                                                                                 \
    if (!(condition)) {                                                                \
      fprintf(stderr, "%s:%d: task %d: %s\n", __FILE__, __LINE__, rank, #condition);   \
      MPI_Abort(MPI_COMM_WORLD, 3);                                                    \
    }                                                                                  \
  } while (0)

static void begin(int *argc, char ***argv) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
}

static int end(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("ok\n");
  MPI_Finalize();
  return 0;
}
