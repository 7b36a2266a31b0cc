// The interior of a row is computed while its ends arrive.
// tasks: 3
// expect: nothing
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double row[102] = {0}, next[102] = {0};
    int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
    for (int step = 0; step < 20; step++) {
        MPI_Request requests[4];
        MPI_Irecv(&row[0], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(&row[101], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[1]);
        MPI_Isend(&row[1], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[2]);
        MPI_Isend(&row[100], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &requests[3]);
        for (int i = 2; i < 100; i++)
            next[i] = (row[i - 1] + row[i + 1]) / 2;
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        next[1] = (row[0] + row[2]) / 2;
        next[100] = (row[99] + row[101]) / 2;
        for (int i = 1; i < 101; i++)
            row[i] = next[i];
    }
    MPI_Finalize();
    return 0;
}
