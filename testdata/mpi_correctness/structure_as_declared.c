// A structure is sent as it is declared, and as bytes.
// tasks: 2
// expect: nothing
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
    struct particle all[3] = {{0}};
    int lengths[3] = {1, 1, 1};
    MPI_Aint places[3] = {offsetof(struct particle, id), offsetof(struct particle, kind), offsetof(struct particle, mass)};
    MPI_Datatype kinds[3] = {MPI_INT, MPI_CHAR, MPI_DOUBLE}, type;
    MPI_Type_create_struct(3, lengths, places, kinds, &type);
    MPI_Type_commit(&type);
    MPI_Bcast(all, 3, type, 0, MPI_COMM_WORLD);
    MPI_Bcast(all, 3 * sizeof(struct particle), MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Type_free(&type);
    MPI_Finalize();
    return 0;
}
