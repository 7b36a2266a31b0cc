#include <mpi.h>

/* The last iteration reads behind the array. */
int main(int argc, char **argv)
{
    int sizes[4] = {1, 2, 3, 4};
    int i, total = 0;

    MPI_Init(&argc, &argv);
    for (i = 0; i <= 4; i++)
        total += sizes[i];
    MPI_Bcast(sizes, total, MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
