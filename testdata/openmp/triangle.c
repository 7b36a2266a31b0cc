/* A loop whose iterations become longer, under three schedules: the last thread of the first one has most to do. */
#include <stdio.h>

#define N 600

static double a[N][N], row[N];

static double prefix(int i) {
  double sum = 0.0;
  for (int j = 0; j <= i; j++)
    sum += a[i][j];
  return sum;
}

int main(void) {
  double total = 0.0;
#pragma omp parallel
  {
#pragma omp for collapse(2)
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        a[i][j] = i - j;
#pragma omp for schedule(static)
    for (int i = 0; i < N; i++)
      row[i] = prefix(i);
#pragma omp for schedule(static, 8)
    for (int i = 0; i < N; i++)
      row[i] += prefix(i);
#pragma omp for schedule(dynamic, 4) reduction(+ : total)
    for (int i = 0; i < N; i++)
      total += row[i] * prefix(i);
  }
  printf("%g\n", total);
  return 0;
}
