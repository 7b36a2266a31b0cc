/* Product of two square matrices by slaves that are started for it, after Amakata, Shinano and Nakamori. Arguments: order of the
 * matrices, number of slaves. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZES = 1, ROWS, MATRIX, PRODUCT };

static int first_row(int n, int slave, int slaves) { return n * slave / slaves; }

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 100, slaves = argc > 2 ? atoi(argv[2]) : 2;
    MPI_Comm others;

    MPI_Init(&argc, &argv);
    MPI_Comm_spawn("mm_slave", MPI_ARGV_NULL, slaves, MPI_INFO_NULL, 0, MPI_COMM_SELF, &others, MPI_ERRCODES_IGNORE);
    double *a = malloc(n * n * sizeof *a), *b = malloc(n * n * sizeof *b), *c = malloc(n * n * sizeof *c);
    for (int i = 0; i < n * n; i++) {
        a[i] = i % 7;
        b[i] = i % 5;
    }
    for (int slave = 0; slave < slaves; slave++) {
        const int first = first_row(n, slave, slaves), rows = first_row(n, slave + 1, slaves) - first;
        const int sizes[2] = { n, rows };
        MPI_Send(sizes, 2, MPI_INT, slave, SIZES, others);
        MPI_Send(a + first * n, rows * n, MPI_DOUBLE, slave, ROWS, others);
        MPI_Send(b, n * n, MPI_DOUBLE, slave, MATRIX, others);
    }
    for (int got = 0; got < slaves; got++) {
        MPI_Status status;
        int count;
        MPI_Probe(MPI_ANY_SOURCE, PRODUCT, others, &status);
        MPI_Get_count(&status, MPI_DOUBLE, &count);
        MPI_Recv(c + first_row(n, status.MPI_SOURCE, slaves) * n, count, MPI_DOUBLE, status.MPI_SOURCE, PRODUCT, others,
                 MPI_STATUS_IGNORE);
    }
    printf("%.0f\n", c[n * n - 1]);
    MPI_Finalize();
    return 0;
}
