// The address of one member is not made a distance from the begin of the structure.
// tasks: 2
// expect: error C0410
#include <mpi.h>

struct particle {
    int kind;
    char charge;
    double mass;
};

int main(int argc, char **argv)
{
    int rank;
    struct particle one = {0};
    int blocks[2] = {1, 1};
    MPI_Aint base, places[2];
    MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE}, particle;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Get_address(&one, &base);
    MPI_Get_address(&one.mass, &places[1]);
    places[0] = MPI_Aint_diff(base, base);
    MPI_Type_create_struct(2, blocks, places, types, &particle);
    MPI_Type_free(&particle);
    MPI_Finalize();
    return 0;
}
