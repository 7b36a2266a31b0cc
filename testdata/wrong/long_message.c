/* What task 1 does is decided by a message of more values than are followed. */
#include <mpi.h>
#include <stdio.h>

#define COUNT 1100000

static int sent[COUNT], received[COUNT];

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        for (int i = 0; i < COUNT; i++)
            sent[i] = i % 7;
        MPI_Send(sent, COUNT, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else if (rank == 1) {
        int steps = 0;
        MPI_Recv(received, COUNT, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < received[5]; i++)
            steps++;
        printf("%d\n", steps);
    }
    MPI_Finalize();
    return 0;
}
