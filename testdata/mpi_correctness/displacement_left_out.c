// One displacement of the structure is never set.
// tasks: 2
// expect: error C0428
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    struct { int n; double x; } value = {1, 2.0};
    int lengths[2] = {1, 1};
    MPI_Aint places[2];
    MPI_Datatype parts[2] = {MPI_INT, MPI_DOUBLE}, both;
    places[0] = 0;
    places[0] = sizeof(double);
    MPI_Type_create_struct(2, lengths, places, parts, &both);
    MPI_Type_commit(&both);
    MPI_Bcast(&value, 1, both, 0, MPI_COMM_WORLD);
    MPI_Type_free(&both);
    MPI_Finalize();
    return 0;
}
