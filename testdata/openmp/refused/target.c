int main(void) {
  int a[4], i;
#pragma omp target map(from : a)
  for (i = 0; i < 4; i++)
    a[i] = i;
  return a[0];
}
