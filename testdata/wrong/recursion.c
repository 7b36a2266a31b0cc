#include <mpi.h>

/* The recursion has no end for odd numbers. */
static int halves(int n)
{
    if (n == 0)
        return 0;
    return 1 + halves(n - 2);
}

int main(int argc, char **argv)
{
    int depth;

    MPI_Init(&argc, &argv);
    depth = halves(7);
    MPI_Bcast(&depth, depth, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
