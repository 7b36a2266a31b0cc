/* Where z*z + c converges for c of the square from -2 to 2: tasks get lines of the image from task 0 as they ask for more.
 * Arguments: side of the image, lines of a part, most iterations. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { PART = 1, DONE = 2 };

static int steps_of(double re, double im, int most) {
  double x = 0, y = 0;
  int step = 0;
  while (step < most && x * x + y * y < 4) {
    const double next = x * x - y * y + re;
    y = 2 * x * y + im;
    x = next;
    step++;
  }
  return step;
}

static void master(int side, int lines, int workers) {
  int *image = malloc((size_t)lines * (size_t)side * sizeof *image), next = 0;
  long sum = 0;
  while (workers > 0) {
    int count, part[2] = {0, 0};
    MPI_Status status;
    MPI_Recv(image, lines * side, MPI_INT, MPI_ANY_SOURCE, DONE, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    for (int i = 0; i < count; i++) sum += image[i];
    if (next < side) {
      part[0] = next;
      part[1] = next + lines < side ? next + lines : side;
      next = part[1];
    } else {
      workers--;
    }
    MPI_Send(part, 2, MPI_INT, status.MPI_SOURCE, PART, MPI_COMM_WORLD);
  }
  printf("%ld steps\n", sum);
  free(image);
}

static void worker(int side, int lines, int most) {
  int *image = malloc((size_t)lines * (size_t)side * sizeof *image), count = 0;
  for (;;) {
    int part[2];
    MPI_Send(image, count, MPI_INT, 0, DONE, MPI_COMM_WORLD);
    MPI_Recv(part, 2, MPI_INT, 0, PART, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (part[0] == part[1]) break;
    count = 0;
    for (int line = part[0]; line < part[1]; line++)
      for (int at = 0; at < side; at++) image[count++] = steps_of(4.0 * at / side - 2, 4.0 * line / side - 2, most);
  }
  free(image);
}

int main(int argc, char **argv) {
  const int side = argc > 1 ? atoi(argv[1]) : 200, lines = argc > 2 ? atoi(argv[2]) : 10;
  const int most = argc > 3 ? atoi(argv[3]) : 200;
  int rank, tasks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &tasks);
  if (rank == 0) master(side, lines, tasks - 1);
  else worker(side, lines, most);
  MPI_Finalize();
  return 0;
}
