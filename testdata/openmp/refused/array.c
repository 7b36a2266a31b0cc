typedef int row[10];

int main(void) {
  row digits = {0};
#pragma omp parallel for firstprivate(digits)
  for (int i = 0; i < 100; i++)
    digits[i % 10]++;
  return digits[0];
}
