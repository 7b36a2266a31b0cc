/* A ring of records whose members have other sizes and places on 32-bit than on 64-bit machines. Every task finds out
 * what the others are made of, and does work that depends on it. */
#include <limits.h>
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>

struct record {
    char name;
    long key;
    double value;
    unsigned long bits;
    short last[3];
};

static MPI_Datatype record_type(void)
{
    int lengths[5] = {1, 1, 1, 1, 3};
    MPI_Aint places[5] = {
        offsetof(struct record, name), offsetof(struct record, key), offsetof(struct record, value),
        offsetof(struct record, bits), offsetof(struct record, last),
    };
    MPI_Datatype types[5] = {MPI_CHAR, MPI_LONG, MPI_DOUBLE, MPI_UNSIGNED_LONG, MPI_SHORT};
    MPI_Datatype members, record;
    MPI_Type_create_struct(5, lengths, places, types, &members);
    MPI_Type_create_resized(members, 0, sizeof(struct record), &record);
    MPI_Type_commit(&record);
    MPI_Type_free(&members);
    return record;
}

static double work(long steps)
{
    double sum = 0.0;
    for (long i = 0; i < steps; i++)
        sum += 1.0 / (i + 1.0);
    return sum;
}

int main(int argc, char **argv)
{
    int rank, size, bytes, count;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Datatype record = record_type();
    MPI_Type_size(record, &bytes);

    /* What the compiler knows decides here, in each task for itself. */
    double sum = sizeof(long) == 8 ? work(2000) : work(1000);
    if (LONG_MAX > INT_MAX)
        sum += work(bytes);
    unsigned long wrapped = 4294967295UL;
    wrapped++;
    for (unsigned long i = 0; i < wrapped && i < 500; i++)
        sum += i;

    /* What the neighbour knows arrives, whatever it is made of there. */
    struct record own[2] = {{'a', -1000L * (rank + 1), 0.5, 7UL, {1, 2, 3}}, {'b', sizeof(long), 1.5, 9UL, {4, 5, 6}}};
    struct record got[2];
    MPI_Status status;
    MPI_Sendrecv(own, 2, record, (rank + 1) % size, 0, got, 2, record, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, record, &count);
    sum += work(-got[0].key);
    sum += work(got[1].key * got[1].last[2] * count);

    long longest = sizeof(void *), all, shortest[1] = {sizeof(void *)};
    MPI_Allreduce(&longest, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    MPI_Bcast(shortest, 1, MPI_LONG, size - 1, MPI_COMM_WORLD);
    sum += work(all * shortest[0]);
    if (rank == 0)
        printf("%g\n", sum);
    MPI_Type_free(&record);
    MPI_Finalize();
    return 0;
}
