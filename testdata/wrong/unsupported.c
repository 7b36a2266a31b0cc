#include <mpi.h>

/* Programs that meet at run time, by ports, are not modelled. */
int main(int argc, char **argv)
{
    int value = 0;
    MPI_Comm workers, others;
    char port[MPI_MAX_PORT_NAME];

    MPI_Init(&argc, &argv);
    MPI_Comm_connect("worker", MPI_INFO_NULL, 0, MPI_COMM_WORLD, &workers);
    MPI_Open_port(MPI_INFO_NULL, port);
    MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &others);
    MPI_Close_port(port);
    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
