#include <mpi.h>

/* `left` never gets to 0 and decides what is sent. */
int main(int argc, char **argv)
{
    int rank, left = 7, sum = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    while (left != 0) {
        left = left % 2 == 0 ? left + 3 : left + 1;
        if (left > 1000)
            left = 7;
        sum += left;
    }
    MPI_Bcast(&sum, sum > 0, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
