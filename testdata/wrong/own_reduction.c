/* How often the tasks meet is decided by a reduction with a function of the program. */
#include <mpi.h>

static void add(void *in, void *inout, int *count, MPI_Datatype *type)
{
    for (int i = 0; i < *count; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

int main(int argc, char **argv)
{
    int one = 1, times = 0;
    MPI_Op op;
    MPI_Init(&argc, &argv);
    MPI_Op_create(add, 1, &op);
    MPI_Allreduce(&one, &times, 1, MPI_INT, op, MPI_COMM_WORLD);
    for (int i = 0; i < times; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Op_free(&op);
    MPI_Finalize();
    return 0;
}
