/* Each thread adds up its part of an array, and then its sum to that of all under a mutex. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define LENGTH 100000

static double values[LENGTH];
static double total;
static int threads;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *add(void *argument) {
  long number = (long)argument;
  long first = LENGTH * number / threads;
  long end = LENGTH * (number + 1) / threads;
  double sum = 0.0;
  for (long i = first; i < end; i++) {
    sum += values[i];
  }
  pthread_mutex_lock(&lock);
  total += sum;
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(int argc, char **argv) {
  pthread_t started[64];
  threads = argc > 1 ? atoi(argv[1]) : 4;
  for (int i = 0; i < LENGTH; i++) {
    values[i] = 0.5 * i;
  }
  for (long i = 0; i < threads; i++) {
    if (pthread_create(&started[i], NULL, add, (void *)i) != 0) {
      return 1;
    }
  }
  for (int i = 0; i < threads; i++) {
    pthread_join(started[i], NULL);
  }
  printf("%f\n", total);
  return 0;
}
