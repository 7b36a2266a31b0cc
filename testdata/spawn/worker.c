#include <mpi.h>
#include <stdlib.h>

/* Integrates factor / (1 + x * x) over its share of the steps. */
int main(int argc, char **argv)
{
    int rank, size, steps;
    double sum = 0, factor = atoi(argv[1]);
    MPI_Comm parent;

    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent == MPI_COMM_NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Bcast(&steps, 1, MPI_INT, 0, parent);
    for (int i = rank; i < steps; i += size) {
        double x = (i + 0.5) / steps;
        sum += factor / (1 + x * x) / steps;
    }
    MPI_Reduce(&sum, NULL, 1, MPI_DOUBLE, MPI_SUM, 0, parent);
    MPI_Comm_disconnect(&parent);
    MPI_Finalize();
    return 0;
}
