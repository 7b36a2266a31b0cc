/* Heat in a rod, by tasks that hold a part each and threads that share it. The first thread exchanges the ends. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define CELLS 20000
#define STEPS 50

int main(int argc, char **argv) {
  int rank, size, provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int own = CELLS / size;
  int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
  double *u = calloc(own + 2, sizeof *u), *next = calloc(own + 2, sizeof *next), heat = 0.0;
  if (rank == 0)
    u[0] = next[0] = 100.0;
#pragma omp parallel
  for (int step = 0; step < STEPS; step++) {
#pragma omp master
    {
      MPI_Sendrecv(&u[1], 1, MPI_DOUBLE, left, 0, &u[own + 1], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
      MPI_Sendrecv(&u[own], 1, MPI_DOUBLE, right, 1, &u[0], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
      if (rank == 0)
        u[0] = 100.0;
    }
#pragma omp barrier
#pragma omp for
    for (int i = 1; i <= own; i++)
      next[i] = u[i] + 0.25 * (u[i - 1] - 2.0 * u[i] + u[i + 1]);
#pragma omp single
    {
      double *old = u;
      u = next;
      next = old;
    }
  }
#pragma omp parallel for reduction(+ : heat)
  for (int i = 1; i <= own; i++)
    heat += u[i];
  double all;
  MPI_Reduce(&heat, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("%g\n", all);
  free(u);
  free(next);
  MPI_Finalize();
  return 0;
}
