#include <stdio.h>

/* Functions that call themselves, with arguments that come again and with ones that do not. */

static long calls;
static int depth;
static int deepest;

static long fib(int n) {
  calls++;
  if (n < 2)
    return n;
  return fib(n - 1) + fib(n - 2);
}

static void hanoi(int n, int from, int to, int by) {
  if (n == 0)
    return;
  hanoi(n - 1, from, by, to);
  printf("%d to %d\n", from, to);
  hanoi(n - 1, by, to, from);
}

static int ackermann(int m, int n) {
  if (m == 0)
    return n + 1;
  if (n == 0)
    return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}

static int binomial(int n, int k) {
  if (k == 0 || k == n)
    return 1;
  return binomial(n - 1, k - 1) + binomial(n - 1, k);
}

static int odd(int n);

static int even(int n) {
  if (n == 0)
    return 1;
  return odd(n - 1);
}

static int odd(int n) {
  if (n == 0)
    return 0;
  return even(n - 1);
}

static int halves(int low, int high) {
  depth++;
  if (depth > deepest)
    deepest = depth;
  int parts = 1;
  if (high - low > 1) {
    int middle = low + (high - low) / 2;
    parts = halves(low, middle) + halves(middle, high);
  }
  depth--;
  return parts;
}

static double power(double x, int n) {
  if (n == 0)
    return 1;
  double half = power(x, n / 2);
  return n % 2 ? x * half * half : half * half;
}

static int collatz(long n) {
  int steps = 0;
  while (n != 1) {
    n = n % 2 ? 3 * n + 1 : n / 2;
    steps++;
  }
  return steps;
}

int main(void) {
  long sum = fib(30);
  hanoi(9, 1, 3, 2);
  sum += ackermann(2, 40);
  sum += binomial(18, 7);
  for (int i = 0; i < 100; i++)
    sum += even(i) + fib(i % 15);
  sum += halves(0, 500);
  for (int i = 0; i < deepest; i++)
    sum++;
  for (int i = 0; i < 40; i++)
    sum += power(2, i) < 1000;
  for (int i = 1; i < 300; i++)
    sum += collatz(i % 50 + 1);
  for (long i = 0; i < calls % 1000; i++)
    sum++;
  printf("%ld\n", sum);
  return 0;
}
