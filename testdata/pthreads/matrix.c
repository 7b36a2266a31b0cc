/* A product of matrices: threads have blocks of rows, given by a structure, and return how many they have done. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define N 48

static double a[N][N], b[N][N], c[N][N];
static pthread_barrier_t filled;

typedef struct {
  int first, last;
} Rows;

static void *multiply(void *argument) {
  const Rows *rows = argument;
  for (int i = rows->first; i < rows->last; i++) {
    for (int j = 0; j < N; j++) {
      a[i][j] = i + j;
      b[i][j] = i - j;
    }
  }
  pthread_barrier_wait(&filled);
  for (int i = rows->first; i < rows->last; i++) {
    for (int j = 0; j < N; j++) {
      double sum = 0.0;
      for (int k = 0; k < N; k++) {
        sum += a[i][k] * b[k][j];
      }
      c[i][j] = sum;
    }
  }
  long *done = malloc(sizeof *done);
  *done = rows->last - rows->first;
  pthread_exit(done);
}

int main(int argc, char **argv) {
  int threads = argc > 1 ? atoi(argv[1]) : 4;
  pthread_t *started = malloc(threads * sizeof *started);
  Rows *rows = malloc(threads * sizeof *rows);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_JOINABLE);
  pthread_barrier_init(&filled, NULL, threads);
  for (int i = 0; i < threads; i++) {
    rows[i].first = i * N / threads;
    rows[i].last = (i + 1) * N / threads;
    pthread_create(&started[i], &attributes, multiply, &rows[i]);
  }
  long all = 0;
  for (int i = 0; i < threads; i++) {
    void *result;
    pthread_join(started[i], &result);
    all += *(long *)result;
    free(result);
  }
  for (long i = 0; i < all; i++) {
    if (c[i][i] != c[i][i]) {
      return 1;
    }
  }
  pthread_barrier_destroy(&filled);
  free(started);
  free(rows);
  return 0;
}
