/* Prints how long a program takes from MPI_Init to MPI_Finalize, without the time of MPI_Comm_spawn. Linked with the program; other
 * layers in front of MPI, loaded before it, keep their calls. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

static double begin, starting;

#define NEXT(name) __typeof__(&name) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

int MPI_Init(int *count, char ***arguments) {
  NEXT(MPI_Init);
  const int code = next(count, arguments);
  PMPI_Barrier(MPI_COMM_WORLD);
  begin = PMPI_Wtime();
  return code;
}

int MPI_Comm_spawn(const char *command, char *arguments[], int tasks, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *made,
                   int codes[]) {
  NEXT(MPI_Comm_spawn);
  const double before = PMPI_Wtime();
  const int code = next(command, arguments, tasks, info, root, comm, made, codes);
  starting += PMPI_Wtime() - before;
  return code;
}

int MPI_Finalize(void) {
  NEXT(MPI_Finalize);
  MPI_Comm parent;
  int rank;
  PMPI_Barrier(MPI_COMM_WORLD);
  PMPI_Comm_get_parent(&parent);
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0 && parent == MPI_COMM_NULL) printf("took %.9f s\n", PMPI_Wtime() - begin - starting);
  fflush(stdout);
  return next();
}
