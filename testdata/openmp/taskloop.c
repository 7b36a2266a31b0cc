/* Loops whose iterations are tasks, tasks that wait for others, and copies that tasks have of variables. */
#include <stdio.h>

#define N 90

static int values[N];

static int summed(int from, int to) {
  int left = 0, right = 0, level = to - from;
  if (level < 8) {
    for (int i = from; i < to; i++)
      left += values[i];
    return left;
  }
#pragma omp task shared(left)
  {
    level /= 2;
    left = summed(from, from + level);
  }
#pragma omp task shared(right)
  right = summed(from + level / 2, to);
#pragma omp taskwait
  return level == to - from ? left + right : -1;
}

int main(void) {
  int i, total = 0, chain = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop grainsize(8)
    for (i = 0; i < N; i++)
      values[i] = i % 4;
    total = summed(0, N);
#pragma omp task depend(out : chain) shared(chain)
    chain += 5;
#pragma omp task depend(in : chain) shared(chain, total)
    total += chain;
  }
#pragma omp parallel master taskloop reduction(+ : total) collapse(2)
  for (i = 0; i < 4; i++)
    for (int j = 0; j < 5; j++)
      total += i == j;
  for (i = 0; i < total; i++)
    chain++;
  printf("%d %d\n", total, chain);
  return 0;
}
