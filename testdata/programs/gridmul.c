/* Matrix-vector products on a grid of tasks with a communicator for each row and column.
 * Arguments: order (default 240), products (default 10). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int near_square(int size)
{
    int rows = 1;
    for (int r = 1; r * r <= size; r++)
        if (size % r == 0)
            rows = r;
    return rows;
}

static int share(int n, int parts, int i) { return n * (i + 1) / parts - n * i / parts; }

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Comm row, column;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int n = argc > 1 ? atoi(argv[1]) : 240;
    int products = argc > 2 ? atoi(argv[2]) : 10;
    int rows = near_square(size), columns = size / rows;
    int r = rank / columns, c = rank % columns;
    MPI_Comm_split(MPI_COMM_WORLD, r, c, &row);
    MPI_Comm_split(MPI_COMM_WORLD, c, r, &column);

    int height = share(n, rows, r), width = share(n, columns, c);
    double *a = malloc(sizeof(double) * (height * width + 1));
    double *x = malloc(sizeof(double) * (width + 1)), *y = malloc(sizeof(double) * (height + 1));
    double *part = malloc(sizeof(double) * (height + 1));
    for (int i = 0; i < height * width; i++)
        a[i] = 1.0 / (i + 1);
    for (int j = 0; j < width; j++)
        x[j] = j;

    for (int k = 0; k < products; k++) {
        MPI_Bcast(x, width, MPI_DOUBLE, 0, column);
        for (int i = 0; i < height; i++) {
            part[i] = 0.0;
            for (int j = 0; j < width; j++)
                part[i] += a[i * width + j] * x[j];
        }
        MPI_Allreduce(part, y, height, MPI_DOUBLE, MPI_SUM, row);
    }
    double norm = 0.0, largest;
    for (int i = 0; i < height; i++)
        norm += y[i] * y[i];
    MPI_Allreduce(MPI_IN_PLACE, &norm, 1, MPI_DOUBLE, MPI_SUM, column);
    MPI_Reduce(&norm, &largest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("norm %g\n", largest);
    MPI_Comm_free(&row);
    MPI_Comm_free(&column);
    MPI_Finalize();
    return 0;
}
