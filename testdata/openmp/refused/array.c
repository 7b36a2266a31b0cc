int main(void) {
  int digits[10] = {0};
#pragma omp parallel for reduction(+ : digits)
  for (int i = 0; i < 100; i++)
    digits[i % 10]++;
  return digits[0];
}
