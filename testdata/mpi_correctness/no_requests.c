// Waiting for no requests at all: there are no statuses to be stored.
// tasks: 1
// expect: nothing
#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv)
{
    int flag, number, places[1];
    MPI_Init(&argc, &argv);
    MPI_Waitall(0, NULL, NULL);
    MPI_Testall(0, NULL, &flag, NULL);
    MPI_Waitsome(0, NULL, &number, places, NULL);
    MPI_Testsome(0, NULL, &number, places, NULL);
    MPI_Finalize();
    return flag ? 0 : 1;
}
