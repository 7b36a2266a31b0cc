#include <mpi.h>

/* A grid of 2 x 2 tasks is given to a program that runs on three. */
int main(int argc, char **argv)
{
    int rank, size, sizes[2] = { 8, 8 }, kinds[2] = { MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC }, grid[2] = { 2, 2 };
    int blocks[2] = { MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG };
    MPI_Datatype part;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Type_create_darray(size, rank, 2, sizes, kinds, blocks, grid, MPI_ORDER_C, MPI_DOUBLE, &part);
    MPI_Type_free(&part);
    MPI_Finalize();
    return 0;
}
