/* A bounded buffer: producers put numbers in, consumers take them out until they find the end. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define SLOTS 8
#define ITEMS 200

static int buffer[SLOTS], count, in, out;
static long consumed;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;

static void put(int item) {
  pthread_mutex_lock(&lock);
  while (count == SLOTS) {
    pthread_cond_wait(&not_full, &lock);
  }
  buffer[in] = item;
  in = (in + 1) % SLOTS;
  count++;
  pthread_cond_signal(&not_empty);
  pthread_mutex_unlock(&lock);
}

static int take(void) {
  pthread_mutex_lock(&lock);
  while (count == 0) {
    pthread_cond_wait(&not_empty, &lock);
  }
  int item = buffer[out];
  out = (out + 1) % SLOTS;
  count--;
  pthread_cond_signal(&not_full);
  pthread_mutex_unlock(&lock);
  return item;
}

static void *produce(void *argument) {
  int items = *(int *)argument;
  for (int i = 1; i <= items; i++) {
    put(i);
  }
  return NULL;
}

static void *consume(void *argument) {
  long own = 0;
  (void)argument;
  for (;;) {
    int item = take();
    if (item < 0) {
      break;
    }
    own += item;
  }
  pthread_mutex_lock(&lock);
  consumed += own;
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(int argc, char **argv) {
  int threads = argc > 1 ? atoi(argv[1]) : 2;
  int items = ITEMS;
  pthread_t producers[16], consumers[16];
  for (int i = 0; i < threads; i++) {
    pthread_create(&producers[i], NULL, produce, &items);
    pthread_create(&consumers[i], NULL, consume, NULL);
  }
  for (int i = 0; i < threads; i++) {
    pthread_join(producers[i], NULL);
  }
  for (int i = 0; i < threads; i++) {
    put(-1);
  }
  for (int i = 0; i < threads; i++) {
    pthread_join(consumers[i], NULL);
  }
  printf("%ld\n", consumed);
  return 0;
}
