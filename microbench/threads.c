/* What two threads of OpenMP cost beside their work: begin and end of a region, barriers, critical sections, chunks of a
 * dynamic schedule. Built with -fopenmp behind the flags under calibration. */
#include "harness.h"

static void region(long rounds)
{
    while (rounds--) {
#pragma omp parallel num_threads(2)
        KEEP_MEMORY();
    }
}

static void barrier(long rounds)
{
#pragma omp parallel num_threads(2)
    for (long r = 0; r < rounds; r++) {
#pragma omp barrier
        KEEP_MEMORY();
    }
}

static long counted;

/* Both threads come to it in each round. */
static void lock(long rounds)
{
#pragma omp parallel num_threads(2)
    for (long r = 0; r < rounds; r++) {
#pragma omp critical
        counted++;
    }
}

/* Two threads take chunks beside each other: half a round passes for each. */
static void dispatch(long rounds)
{
#pragma omp parallel for schedule(dynamic, 1) num_threads(2)
    for (long r = 0; r < rounds; r++)
        KEEP_MEMORY();
}

int main(int argc, char **argv)
{
    harness_begin(argc, argv);
    harness_report("region", region, 1, "region");
    harness_report("barrier", barrier, 1, "barrier");
    harness_report("lock", lock, 2, "lock");
    harness_report("dispatch", dispatch, 0.5, "dispatch");
    return 0;
}
