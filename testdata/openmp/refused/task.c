int main(void) {
  int sum = 0;
#pragma omp parallel
#pragma omp single
  {
    int left[2] = {3, 4};
#pragma omp task
    {
      left[1]--;
#pragma omp atomic
      sum += left[1];
    }
  }
  return sum;
}
