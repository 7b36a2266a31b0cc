/* The last thread in the critical section decides how often the loop runs; what they add is the same in any order. */
#include <omp.h>
#include <stdio.h>

int main(void) {
  int last = 0, sum = 0;
#pragma omp parallel
  {
#pragma omp critical
    {
      last = omp_get_thread_num();
      sum += 2;
    }
  }
  for (int i = 0; i < last; i++)
    putchar('.');
  for (int i = 0; i < sum; i++)
    putchar('\n');
  return 0;
}
