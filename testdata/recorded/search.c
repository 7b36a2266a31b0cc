/* Search for a pattern in a text that task 0 has: it sends chunks to those who ask for more (self-scheduled).
 * Arguments: bytes of text, bytes of a chunk. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char pattern[] = "abacab";
enum { LENGTH = sizeof pattern - 1, CHUNK = 1, RESULT = 2 };

/* Occurrences that begin in the first `begins` bytes. */
static long count(const char *text, int begins) {
  long found = 0;
  for (int at = 0; at < begins; at++) {
    int same = 0;
    while (same < LENGTH && text[at + same] == pattern[same]) same++;
    found += same == LENGTH;
  }
  return found;
}

static char *generated(int bytes) {
  char *text = malloc((size_t)bytes + LENGTH);
  unsigned state = 1;
  for (int at = 0; at < bytes; at++) {
    state = state * 1664525u + 1013904223u;
    text[at] = (char)('a' + (state >> 24) % 3);
  }
  memset(text + bytes, ' ', LENGTH);
  return text;
}

/* A chunk takes the begin of the next one along; an empty one ends a worker. */
static void master(int bytes, int chunk, int workers) {
  char *text = generated(bytes), none = 0;
  long total = 0;
  int next = 0;
  while (workers > 0) {
    long found;
    MPI_Status status;
    MPI_Recv(&found, 1, MPI_LONG, MPI_ANY_SOURCE, RESULT, MPI_COMM_WORLD, &status);
    total += found;
    if (next < bytes) {
      const int part = bytes - next < chunk ? bytes - next : chunk;
      MPI_Send(text + next, part + LENGTH, MPI_CHAR, status.MPI_SOURCE, CHUNK, MPI_COMM_WORLD);
      next += part;
    } else {
      MPI_Send(&none, 0, MPI_CHAR, status.MPI_SOURCE, CHUNK, MPI_COMM_WORLD);
      workers--;
    }
  }
  printf("%ld occurrences in %d bytes\n", total, bytes);
  free(text);
}

static void worker(int chunk) {
  char *text = malloc((size_t)chunk + LENGTH);
  long found = 0;
  for (;;) {
    int bytes;
    MPI_Status status;
    MPI_Send(&found, 1, MPI_LONG, 0, RESULT, MPI_COMM_WORLD);
    MPI_Recv(text, chunk + LENGTH, MPI_CHAR, 0, CHUNK, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_CHAR, &bytes);
    if (bytes == 0) break;
    found = count(text, bytes - LENGTH);
  }
  free(text);
}

int main(int argc, char **argv) {
  const int bytes = argc > 1 ? atoi(argv[1]) : 1000000, chunk = argc > 2 ? atoi(argv[2]) : 50000;
  int rank, tasks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &tasks);
  if (rank == 0) master(bytes, chunk, tasks - 1);
  else worker(chunk);
  MPI_Finalize();
  return 0;
}
