/* Phases with barriers between them, in functions that a region calls: directives that stand outside of it. */
#include <omp.h>
#include <stdio.h>

#define N 1000

static double a[N], b[N];
static int calls, visits;
#pragma omp threadprivate(calls)

static double step(int i) {
  calls++;
  return 0.5 * (a[i - 1] + a[i + 1]);
}

static void relax(int times) {
  for (int t = 0; t < times; t++) {
#pragma omp for nowait
    for (int i = 1; i < N - 1; i++)
      b[i] = step(i);
#pragma omp barrier
#pragma omp for schedule(guided)
    for (int i = 1; i < N - 1; i++)
      a[i] = b[i];
#pragma omp single
    visits++;
  }
}

int main(void) {
  double last = 0, product = 1;
  int i, total = 0, first = 7;
  a[0] = 1;
#pragma omp parallel firstprivate(first) reduction(+ : total)
  {
    first += omp_get_thread_num();
    if (first > 8)
      total += first;
    relax(3);
#pragma omp sections
    {
#pragma omp section
      total += visits;
#pragma omp section
      {
        total += 2 * visits;
      }
    }
#pragma omp for lastprivate(last) reduction(* : product)
    for (i = 1; i <= 10; i += 3) {
      last = i;
      product *= i;
    }
    if (omp_in_parallel())
      total += calls > 0;
  }
  for (int t = 0; t < (int)last + visits; t++)
    total++;
#pragma omp parallel if (total < 0)
  total++;
  if (product == 280)
    printf("%d %g %g\n", total, last, product);
  return 0;
}
