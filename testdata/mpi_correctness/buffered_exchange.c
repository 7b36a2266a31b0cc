// Buffered sends may face each other.
// tasks: 2
// expect: nothing
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int value = rank, got, other = 1 - rank, bytes = MPI_BSEND_OVERHEAD + sizeof(int);
    char *room = malloc(bytes);
    MPI_Buffer_attach(room, bytes);
    MPI_Bsend(&value, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
    MPI_Recv(&got, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Buffer_detach(&room, &bytes);
    free(room);
    MPI_Finalize();
    return 0;
}
