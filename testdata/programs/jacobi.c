/* Jacobi relaxation of the Laplace equation on a square grid, distributed by blocks of rows
 * with halo exchange. Every CHECK iterations the residual is reduced and the master prints it.
 * Arguments: grid points per side (default 256), iterations (default 100). */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK 20

static double *new_grid(int rows, int columns)
{
    double *grid = calloc((size_t)rows * columns, sizeof(double));
    if (grid == NULL) {
        fprintf(stderr, "out of memory\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return grid;
}

static void exchange(double *grid, int rows, int n, int up, int down)
{
    MPI_Request requests[4];
    MPI_Irecv(&grid[0], n, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&grid[(rows + 1) * n], n, MPI_DOUBLE, down, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(&grid[rows * n], n, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(&grid[n], n, MPI_DOUBLE, up, 2, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

static void relax(const double *old, double *new, int rows, int n)
{
    for (int i = 1; i <= rows; i++)
        for (int j = 1; j < n - 1; j++)
            new[i * n + j] = 0.25 * (old[(i - 1) * n + j] + old[(i + 1) * n + j]
                                     + old[i * n + j - 1] + old[i * n + j + 1]);
}

static double residual(const double *old, const double *new, int rows, int n)
{
    double sum = 0.0;
    for (int i = 1; i <= rows; i++)
        for (int j = 1; j < n - 1; j++) {
            double difference = new[i * n + j] - old[i * n + j];
            sum += difference * difference;
        }
    return sum;
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    int n = argc > 1 ? atoi(argv[1]) : 256;
    int iterations = argc > 2 ? atoi(argv[2]) : 100;
    int rows = n / size + (rank < n % size);
    int up = rank == 0 ? MPI_PROC_NULL : rank - 1;
    int down = rank == size - 1 ? MPI_PROC_NULL : rank + 1;

    double *old = new_grid(rows + 2, n);
    double *new = new_grid(rows + 2, n);
    for (int i = 0; i < rows + 2; i++) {
        old[i * n] = new[i * n] = 1.0;
        old[i * n + n - 1] = new[i * n + n - 1] = 1.0;
    }

    double start = MPI_Wtime();
    for (int iteration = 1; iteration <= iterations; iteration++) {
        exchange(old, rows, n, up, down);
        relax(old, new, rows, n);
        if (iteration % CHECK == 0) {
            double local = residual(old, new, rows, n), global;
            MPI_Allreduce(&local, &global, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
            if (rank == 0)
                printf("iteration %d: residual %g\n", iteration, sqrt(global));
        }
        double *swap = old;
        old = new;
        new = swap;
    }
    double elapsed = MPI_Wtime() - start;
    if (rank == 0)
        printf("Elapsed time: %f s\n", elapsed);

    free(old);
    free(new);
    MPI_Finalize();
    return 0;
}
