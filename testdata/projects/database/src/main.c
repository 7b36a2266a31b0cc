#include <mpi.h>
#include <part.h>

int main(int argc, char **argv)
{
    int rank, mine, all;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    mine = part(rank);
    for (int i = 0; i < SCALE; i++)
        MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
