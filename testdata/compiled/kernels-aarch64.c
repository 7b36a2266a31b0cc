double dot(const double *a, const double *b, long n) {
  double s = 0;
  for (long i = 0; i < n; i++)
    s += a[i] * b[i];
  return s;
}
void scale(float *restrict a, const float *restrict b, int n) {
  for (int i = 0; i < n; i++)
    a[i] = 3 * b[i];
}
int total;
void count(const int *a, int n) {
  for (int i = 0; i < n; i++)
    total += a[i] > 7;
}
