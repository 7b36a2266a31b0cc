#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* Starts as many workers as the first argument says, and adds up what they find. */
int main(int argc, char **argv)
{
    int workers = argc > 1 ? atoi(argv[1]) : 2, steps = 1000000;
    double pi = 0;
    char *arguments[] = { "4", NULL };
    MPI_Comm others;

    MPI_Init(&argc, &argv);
    MPI_Comm_spawn("./worker", arguments, workers, MPI_INFO_NULL, 0, MPI_COMM_SELF, &others, MPI_ERRCODES_IGNORE);
    MPI_Bcast(&steps, 1, MPI_INT, MPI_ROOT, others);
    MPI_Reduce(NULL, &pi, 1, MPI_DOUBLE, MPI_SUM, MPI_ROOT, others);
    printf("%.6f\n", pi);
    MPI_Comm_disconnect(&others);
    MPI_Finalize();
    return 0;
}
