// The displacements of a structure leave its padding out.
// tasks: 2
// expect: error C0433
#include <mpi.h>
#include <stdlib.h>
#include <stddef.h>

struct particle {
    int id;
    char kind;
    double mass;
};

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    struct particle one = {rank, 'a', 1.5};
    int lengths[3] = {1, 1, 1};
    MPI_Aint places[3] = {0, sizeof(int), sizeof(int) + sizeof(char)};
    MPI_Datatype kinds[3] = {MPI_INT, MPI_CHAR, MPI_DOUBLE}, type;
    MPI_Type_create_struct(3, lengths, places, kinds, &type);
    MPI_Type_commit(&type);
    MPI_Bcast(&one, 1, type, 0, MPI_COMM_WORLD);
    MPI_Type_free(&type);
    MPI_Finalize();
    return 0;
}
