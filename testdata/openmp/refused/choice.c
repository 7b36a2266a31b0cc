int main(void) {
  int a[4], i;
#pragma omp metadirective when(device = {kind(nohost)} : target) default(parallel for)
  for (i = 0; i < 4; i++)
    a[i] = i;
  return a[0];
}
