/* Results that were worked out by hand: every program here is evaluated, and must call right() and never wrong(). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

static void right(void) {}

static void wrong(void) { failures++; }

#define EXPECT(actual, expected) \
  do { \
    if ((actual) == (expected)) right(); \
    else { \
      wrong(); \
      printf("%s:%d: %s\n", __FILE__, __LINE__, #actual); \
    } \
  } while (0)

/* What main returns. */
static int finish(void) {
  if (failures) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Finalize();
  return 0;
}
