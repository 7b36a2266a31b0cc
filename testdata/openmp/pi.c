/* The area under 4 / (1 + x^2): each thread adds its part of the sum. */
#include <stdio.h>

int main(void) {
  const int n = 1000000;
  double sum = 0.0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; i++) {
    double x = (i + 0.5) / n;
    sum += 4.0 / (1.0 + x * x);
  }
  printf("%.12f\n", sum / n);
  return 0;
}
