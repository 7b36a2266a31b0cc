/* A generator whose state is the time of day: its numbers are known to nobody. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int main(void) {
  int odd = 0;
  for (int i = 0; i < 100; i++) {
    unsigned seed = (unsigned)time(NULL);
    if (rand_r(&seed) & 1)
      odd++;
  }
  printf("%d\n", odd);
  return 0;
}
