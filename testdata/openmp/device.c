/* Regions of devices, which the host executes where there is none: its teams one after the other. */
#include <omp.h>
#include <stdio.h>

#define N 64

#pragma omp declare target
static double scaled(double x) {
  return 0.5 * x;
}
#pragma omp end declare target

static double a[N], b[N];

int main(void) {
  double sum = 0;
  int lost = 3, kept = 4, teams = 0, visits = 0, steps = 0;
#pragma omp target data map(tofrom : a) map(to : b)
  {
#pragma omp target teams distribute parallel for map(tofrom : a)
    for (int i = 0; i < N; i++)
      a[i] = scaled(b[i] + i);
#pragma omp target update from(a)
#pragma omp target map(tofrom : kept)
    {
      lost = lost + 5;
      kept = kept + lost;
    }
#pragma omp target teams num_teams(5) map(tofrom : teams, visits)
    {
      visits++;
      if (omp_get_team_num() == 2)
        teams = omp_get_num_teams();
#pragma omp distribute
      for (int i = 0; i < N; i++)
        b[i] += 1;
    }
  }
#pragma omp target teams distribute parallel for simd collapse(2) reduction(+ : sum)
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 8; j++)
      sum += b[8 * i + j];
#pragma omp teams num_teams(2)
  visits++;
  for (int i = 0; i < 10 * lost + kept + 100 * teams + visits + (int)sum; i++)
    steps++;
  printf("%d %d %g\n", steps, omp_is_initial_device(), a[3]);
  return 0;
}
