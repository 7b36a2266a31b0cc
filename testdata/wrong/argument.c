#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* The number of rows is an argument, which nobody checks. */
int main(int argc, char **argv)
{
    int rows, rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 5 && rank == 0)
        printf("Usage: argument ROWS [TOLERANCE]\n");
    rows = atoi(argv[1]);
    MPI_Bcast(&rows, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
