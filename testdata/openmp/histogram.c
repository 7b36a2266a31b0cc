/* Counts numbers by their last digit: each thread for itself, then all in turn. The first thread reports. */
#include <omp.h>
#include <stdio.h>

#define N 30000

int main(void) {
  int histogram[10] = {0}, parts = 0;
#pragma omp parallel num_threads(4) shared(histogram)
  {
    int own[10] = {0};
    int me = omp_get_thread_num(), all = omp_get_num_threads();
    for (int i = me; i < N; i += all)
      own[i * 7 % 10]++;
#pragma omp critical
    for (int digit = 0; digit < 10; digit++)
      histogram[digit] += own[digit];
#pragma omp atomic
    parts++;
#pragma omp barrier
#pragma omp master
    for (int digit = 0; digit < 10; digit++)
      printf("%d: %d of %d parts\n", digit, histogram[digit], parts);
  }
  return 0;
}
