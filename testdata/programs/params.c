/* Only the root reads the parameters (from its arguments or, with -f, from a file) and broadcasts them as
 * a struct; all tasks then integrate 4/(1+x*x) over their share of the intervals.
 * Options: -n INTERVALS (default 100000), -r REPEATS (default 3), -f FILE. */
#include <getopt.h>
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct parameters {
    long intervals;
    int repeats;
    double weight;
};

static void read_file(const char *name, struct parameters *p)
{
    char line[80];
    FILE *file = fopen(name, "r");
    if (file == NULL) {
        perror(name);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    while (fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, "intervals", 9) == 0)
            p->intervals = atol(line + 9);
        else if (strncmp(line, "repeats", 7) == 0)
            p->repeats = atoi(line + 7);
    }
    fclose(file);
}

static void parse(int argc, char **argv, struct parameters *p)
{
    int option;
    while ((option = getopt(argc, argv, "n:r:f:")) != -1) {
        switch (option) {
        case 'n':
            p->intervals = atol(optarg);
            break;
        case 'r':
            p->repeats = atoi(optarg);
            break;
        case 'f':
            read_file(optarg, p);
            break;
        default:
            MPI_Abort(MPI_COMM_WORLD, 2);
        }
    }
}

static MPI_Datatype parameters_type(void)
{
    int lengths[3] = {1, 1, 1};
    MPI_Aint places[3] = {offsetof(struct parameters, intervals), offsetof(struct parameters, repeats),
                          offsetof(struct parameters, weight)};
    MPI_Datatype members[3] = {MPI_LONG, MPI_INT, MPI_DOUBLE}, type;
    MPI_Type_create_struct(3, lengths, places, members, &type);
    MPI_Type_commit(&type);
    return type;
}

int main(int argc, char **argv)
{
    int rank, size;
    struct parameters p = {100000, 3, 1.0};

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0)
        parse(argc, argv, &p);
    MPI_Datatype type = parameters_type();
    MPI_Bcast(&p, 1, type, 0, MPI_COMM_WORLD);
    MPI_Type_free(&type);

    for (int repeat = 0; repeat < p.repeats; repeat++) {
        double start = MPI_Wtime();
        double h = 1.0 / p.intervals, sum = 0.0, pi;
        for (long i = rank; i < p.intervals; i += size) {
            double x = h * (i + 0.5);
            sum += 4.0 / (1.0 + x * x);
        }
        sum *= h * p.weight;
        MPI_Reduce(&sum, &pi, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
        if (rank == 0)
            printf("pi %.12f\nElapsed time: %f s\n", pi, MPI_Wtime() - start);
    }
    MPI_Finalize();
    return 0;
}
