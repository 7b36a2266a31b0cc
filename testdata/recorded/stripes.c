/* Product of two square matrices on a mesh of tasks: stripes go down the columns of the mesh, results along its rows to task 0,
 * which takes them as they come. Argument: order of the matrices, a multiple of both sides of the mesh. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { LEFT = 1, RIGHT = 2, RESULT = 3 };

static double *matrix(int rows, int columns) { return calloc((size_t)rows * (size_t)columns, sizeof(double)); }

/* Rows of the left matrix times columns of the right one, which stand one behind the other. */
static void multiply(int rows, int columns, int n, const double *left, const double *right, double *result) {
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) {
      double sum = 0;
      for (int k = 0; k < n; k++) sum += left[i * n + k] * right[j * n + k];
      result[i * columns + j] = sum;
    }
}

int main(int argc, char **argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 240;
  int rank, tasks, sides[2] = {0, 0};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &tasks);
  MPI_Dims_create(tasks, 2, sides);
  const int row = rank / sides[1], column = rank % sides[1], rows = n / sides[0], columns = n / sides[1];
  /* All rows from the own ones on: those below get theirs from here. */
  const int below = sides[0] - row;
  double *left = matrix(rows * below, n), *right = matrix(columns, n), *result = matrix(rows, columns * sides[1]);
  if (rank == 0) {
    double *all = matrix(n, n);
    for (int i = 0; i < n * n; i++) {
      left[i] = i % 7;
      all[i] = i % 5;
    }
    for (int to = 1; to < sides[1]; to++) {
      MPI_Send(left, n * n, MPI_DOUBLE, to, LEFT, MPI_COMM_WORLD);
      MPI_Send(all + to * columns * n, columns * n, MPI_DOUBLE, to, RIGHT, MPI_COMM_WORLD);
    }
    for (int i = 0; i < columns * n; i++) right[i] = all[i];
    free(all);
  } else {
    const int from = row == 0 ? 0 : rank - sides[1];
    MPI_Recv(left, rows * below * n, MPI_DOUBLE, from, LEFT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(right, columns * n, MPI_DOUBLE, from, RIGHT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (below > 1) {
    MPI_Send(left + rows * n, rows * (below - 1) * n, MPI_DOUBLE, rank + sides[1], LEFT, MPI_COMM_WORLD);
    MPI_Send(right, columns * n, MPI_DOUBLE, rank + sides[1], RIGHT, MPI_COMM_WORLD);
  }
  multiply(rows, columns, n, left, right, result);
  /* Blocks of all columns to the right come from the next task of the row. */
  double *sum = matrix(rows * sides[1], columns);
  const int behind = sides[1] - 1 - column;
  for (int i = 0; i < rows * columns; i++) sum[i] = result[i];
  if (behind > 0)
    MPI_Recv(sum + rows * columns, rows * columns * behind, MPI_DOUBLE, rank + 1, RESULT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (column > 0) MPI_Send(sum, rows * columns * (behind + 1), MPI_DOUBLE, rank - 1, RESULT, MPI_COMM_WORLD);
  if (column == 0 && row > 0) MPI_Send(sum, rows * n, MPI_DOUBLE, 0, RESULT + 1, MPI_COMM_WORLD);
  if (rank == 0) {
    double trace = sum[0];
    for (int i = 1; i < sides[0]; i++) {
      MPI_Recv(sum, rows * n, MPI_DOUBLE, MPI_ANY_SOURCE, RESULT + 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      trace += sum[0];
    }
    printf("%d rows, %.0f\n", n, trace);
  }
  free(sum);
  free(left);
  free(right);
  free(result);
  MPI_Finalize();
  return 0;
}
