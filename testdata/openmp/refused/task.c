int main(void) {
  int sum = 0;
#pragma omp parallel
#pragma omp single
  {
    int left = 3;
#pragma omp task
    {
      left--;
#pragma omp atomic
      sum += left;
    }
  }
  return sum;
}
