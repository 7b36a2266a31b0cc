/* Copies of arrays for each thread: sums of whole arrays and of parts of them, first and last values, sums of one's own. */
#include <stdio.h>
#include <stdlib.h>

#define N 1200

struct range {
  int low, high;
};

static struct range joined(struct range a, struct range b) {
  a.low = a.low < b.low ? a.low : b.low;
  a.high = a.high > b.high ? a.high : b.high;
  return a;
}

#pragma omp declare reduction(join : struct range : omp_out = joined(omp_out, omp_in)) initializer(omp_priv = {N, -1})

int main(void) {
  int digits[10] = {0}, table[2][3] = {{0}}, start[3] = {1, 2, 3}, last[2] = {0, 0}, found = 0;
  long *parts = malloc(8 * sizeof *parts);
  struct range r = {N, -1};
  for (int i = 0; i < 8; i++)
    parts[i] = 1;
#pragma omp parallel for reduction(+ : digits) reduction(max : parts[2 : 4]) reduction(+ : table[ : 2][ : 3])
  for (int i = 0; i < N; i++) {
    digits[i % 10] += 1;
    if (parts[2 + i % 4] < i)
      parts[2 + i % 4] = i;
    table[i % 2][i % 3]++;
  }
#pragma omp parallel for firstprivate(start) lastprivate(last) reduction(join : r)
  for (int i = 0; i < N; i++) {
    start[i % 3] += i % 2;
    last[0] = i;
    last[1] = start[0] > 0;
    if (i % 7 == 3)
      r = joined(r, (struct range){i, i});
  }
  for (int i = 0; i < digits[3] + (int)parts[5] + table[1][2]; i++)
    found++;
  for (int i = r.low; i < r.high + last[0] + last[1] + start[1]; i++)
    found++;
  printf("%d\n", found);
  free(parts);
  return 0;
}
