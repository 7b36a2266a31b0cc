// The root sets fewer counts and displacements than there are members.
// tasks: 3
// expect: error C0428
#include <mpi.h>

int main(int argc, char **argv)
{
    int numbers[30] = {0}, own[5], counts[3], starts[3];
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 2; i++) {
        counts[i] = 5;
        starts[i] = 10 * i;
    }
    MPI_Scatterv(numbers, counts, starts, MPI_INT, own, 5, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
