/* Loops that are shared out together: three of them, in braces, of which one has steps and another one a triangle. */
#include <omp.h>
#include <stdio.h>

#define N 7

int main(void) {
  int i, j, k, sum = 0, most = 0, end = 0;
#pragma omp parallel for collapse(3) reduction(+ : sum) reduction(max : most)
  for (i = 0; i < N; i++) {
    for (j = 10; j > 0; j -= 3) {
      for (k = 1; k <= N + 2; k += 2) {
        if (omp_get_thread_num() == 0)
          sum++;
        most = most > i * j + k ? most : i * j + k;
      }
    }
  }
  for (i = 0; i < sum + most; i++)
    end++;
#pragma omp parallel for collapse(2) schedule(static, 2) reduction(+ : end)
  for (i = 0; i < N; i++)
    for (j = 0; j < 5; j++)
      end += i > j;
#pragma omp parallel for collapse(2) reduction(+ : end)
  for (i = 0; i < N; i++)
    for (j = i; j < N; j++)
      end += 1;
  omp_set_schedule(omp_sched_static, 3);
#pragma omp parallel for schedule(runtime) reduction(+ : end)
  for (i = 0; i < 40; i++)
    if (omp_get_thread_num() == omp_get_num_threads() - 1)
      end++;
#pragma omp parallel for ordered(1)
  for (i = 1; i < N; i++) {
#pragma omp ordered depend(sink : i - 1)
    end += i;
#pragma omp ordered depend(source)
  }
  for (i = 0; i < end; i++)
    most++;
  printf("%d\n", most);
  return 0;
}
