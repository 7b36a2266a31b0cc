/* Plain characters and long doubles of each machine, and long doubles that travel between x86 and Arm. */
#include <mpi.h>

int of_char, of_mantissa, of_third;

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    char plain = (char)200;
    for (int i = 0; i < plain; i++)
        of_char++;
    for (long double e = 1; 1 + e > 1; e /= 2)
        of_mantissa++;

    long double third = 1.0L / 3, received;
    MPI_Sendrecv(&third, 1, MPI_LONG_DOUBLE, (rank + 2) % size, 0, &received, 1, MPI_LONG_DOUBLE, (rank + 2) % size, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    long double difference = received - third;
    if (difference < 1e-18L && difference > -1e-18L && received > 0)
        of_third++;

    MPI_Finalize();
    return 0;
}
