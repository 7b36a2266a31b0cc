#include <math.h>
#include <stdio.h>

/* Loops whose counters grow and shrink by factors, and loops up to square roots. */

static int bits(unsigned x) {
  int n = 0;
  while (x) {
    n += x & 1;
    x >>= 1;
  }
  return n;
}

static int digits(long x) {
  int n = 0;
  do {
    x /= 10;
    n++;
  } while (x != 0);
  return n;
}

static int is_prime(int n) {
  if (n < 2)
    return 0;
  for (int d = 2; d * d <= n; d++) {
    if (n % d == 0)
      return 0;
  }
  return 1;
}

static int gcd(int a, int b) {
  while (b != 0) {
    int r = a % b;
    a = b;
    b = r;
  }
  return a;
}

static int levels(int n) {
  int rounds = 0;
  for (int step = 1; step < n; step *= 2) {
    for (int r = 0; r + step < n; r += 2 * step)
      rounds++;
  }
  return rounds;
}

static int first_above(int limit) {
  for (int i = 0; i < 1000; i++) {
    for (int j = 0; j < 50; j++) {
      if (3 * i + j > limit)
        return i * 50 + j;
    }
  }
  return -1;
}

int main(void) {
  long sum = 0;
  for (unsigned i = 0; i < 3000; i++)
    sum += bits(i);
  for (long i = 0; i < 3000; i++)
    sum += digits(i * 7);
  for (int i = 0; i < 400; i++)
    sum += is_prime(i);
  for (int i = 1; i < 60; i++) {
    for (int j = 1; j < 60; j++)
      sum += gcd(i, j);
  }
  sum += levels(1000);
  for (int i = 0; i < 100; i++)
    sum += first_above(i);
  for (int n = 0; n < 5000; n++) {
    for (int i = 1; i <= n; i *= 3)
      sum++;
    for (int i = n; i > 1; i /= 4)
      sum++;
    for (int i = 1; i * i < n; i++)
      sum++;
    for (int i = 2; i <= sqrt(n); i += 2)
      sum++;
  }
  for (int len = 2; len <= 4096; len <<= 1) {
    for (int i = 0; i < 4096; i += len) {
      for (int j = 0; j < len / 2; j++)
        sum++;
    }
  }
  for (unsigned u = 1; u < 4000000000u; u *= 6) {
    if (u > 700000000u)
      break;
    sum++;
  }
  for (long i = 1; i * i <= 100000000L; i++)
    sum++;
  for (int i = 1; i < 2000; i++) {
    for (int j = i; j < 2000; j += i)
      sum++;
  }
  printf("%ld\n", sum);
  return 0;
}
