/* Multiplies rows by a matrix, both of which the task that has started this one sends. */
#include <mpi.h>
#include <stdlib.h>

enum { SIZES = 1, ROWS, MATRIX, PRODUCT };

int main(int argc, char **argv)
{
    int sizes[2];
    MPI_Comm master;

    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&master);
    MPI_Recv(sizes, 2, MPI_INT, 0, SIZES, master, MPI_STATUS_IGNORE);
    const int n = sizes[0], rows = sizes[1];
    double *a = malloc(rows * n * sizeof *a), *b = malloc(n * n * sizeof *b), *c = malloc(rows * n * sizeof *c);
    MPI_Recv(a, rows * n, MPI_DOUBLE, 0, ROWS, master, MPI_STATUS_IGNORE);
    MPI_Recv(b, n * n, MPI_DOUBLE, 0, MATRIX, master, MPI_STATUS_IGNORE);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++) sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
        }
    MPI_Send(c, rows * n, MPI_DOUBLE, 0, PRODUCT, master);
    MPI_Finalize();
    return 0;
}
