/* A pipeline of threads that wait for each other by flags in memory, with a lock around what they report. */
#include <omp.h>
#include <stdio.h>

#define STAGES 3
#define ITEMS 20

static int ready[STAGES + 1][ITEMS], done;

int main(void) {
  omp_lock_t lock;
  omp_init_lock(&lock);
  for (int item = 0; item < ITEMS; item++)
    ready[0][item] = item + 1;
#pragma omp parallel num_threads(STAGES)
  {
    int stage = STAGES - 1 - omp_get_thread_num();
    for (int item = 0; item < ITEMS; item++) {
      int value = 0;
      while (value == 0) {
#pragma omp atomic read
        value = ready[stage][item];
      }
#pragma omp atomic write
      ready[stage + 1][item] = 2 * value;
    }
    omp_set_lock(&lock);
    done += 1;
    omp_unset_lock(&lock);
  }
  for (int i = 0; i < done + ready[STAGES][2]; i++)
    ready[0][0]++;
  printf("%d\n", ready[0][0]);
  return 0;
}
