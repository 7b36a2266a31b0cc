/* Tasks of MPI whose threads add up parts, and the first thread the sums of all tasks. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

#define THREADS 3
#define LENGTH 30000

static int rank, size;
static double parts[THREADS];

static void *work(void *argument) {
  int number = *(int *)argument;
  double sum = 0.0;
  for (int i = rank * THREADS + number; i < LENGTH; i += size * THREADS) {
    double x = (i + 0.5) / LENGTH;
    sum += 4.0 / (1.0 + x * x);
  }
  parts[number] = sum;
  return NULL;
}

int main(int argc, char **argv) {
  int provided, numbers[THREADS];
  pthread_t started[THREADS];
  double sum = 0.0, pi;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < THREADS; i++) {
      numbers[i] = i;
      pthread_create(&started[i], NULL, work, &numbers[i]);
    }
    for (int i = 0; i < THREADS; i++) {
      pthread_join(started[i], NULL);
      sum += parts[i];
    }
    MPI_Allreduce(&sum, &pi, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  if (rank == 0) {
    printf("%.9f\n", pi / LENGTH);
  }
  MPI_Finalize();
  return 0;
}
