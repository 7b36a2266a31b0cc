/* Ping-pong between the first and the last task over growing sizes.
 * Arguments: largest size in bytes (default 1048576), repetitions (default 20). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size, last;
    long largest = 1048576;
    int repetitions = 20;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc > 1)
        largest = strtol(argv[1], NULL, 0);
    if (argc > 2)
        repetitions = atoi(argv[2]);
    last = size - 1;
    char *buffer = calloc(largest + 1, 1);

    for (long bytes = 1; bytes <= largest; bytes *= 2) {
        MPI_Barrier(MPI_COMM_WORLD);
        double start = MPI_Wtime();
        for (int i = 0; i < repetitions; i++) {
            if (rank == 0 && last > 0) {
                MPI_Send(buffer, (int)bytes, MPI_CHAR, last, i, MPI_COMM_WORLD);
                MPI_Recv(buffer, (int)bytes, MPI_CHAR, last, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            } else if (rank == last && last > 0) {
                MPI_Recv(buffer, (int)bytes, MPI_CHAR, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                MPI_Send(buffer, (int)bytes, MPI_CHAR, 0, i, MPI_COMM_WORLD);
            }
        }
        double elapsed = MPI_Wtime() - start;
        if (rank == 0)
            printf("%8ld bytes: %g us one way\n", bytes, elapsed / repetitions / 2 * 1e6);
    }
    free(buffer);
    MPI_Finalize();
    return 0;
}
