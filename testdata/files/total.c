/* Adds up the numbers of a file. */
#include <stdio.h>

int main(int argc, char **argv) {
  FILE *numbers = fopen(argc > 1 ? argv[1] : "testdata/files/numbers.txt", "r");
  if (!numbers)
    return 1;
  int count, number, total = 0;
  fscanf(numbers, "%d", &count);
  for (int i = 0; i < count && fscanf(numbers, "%d", &number) == 1; i++)
    total += number;
  printf("%d\n", total);
  return 0;
}
