/* Task 1 tests a request until its message has come; task 0 computes before it sends. */
#include <mpi.h>
#include <stdio.h>

#ifndef WORK
#define WORK 50000000
#endif

int main(int argc, char **argv)
{
    int rank, there = 0, value = 1;
    long polls = 0;
    double x = 1.0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        for (long i = 0; i < WORK; i++)
            x = x * 1.0000001 + 1e-9;
        MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Request request;
        MPI_Irecv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
        while (!there) {
            MPI_Test(&request, &there, MPI_STATUS_IGNORE);
            polls++;
        }
        printf("%ld polls\n", polls);
    }
    printf("%g\n", x);
    MPI_Finalize();
    return 0;
}
