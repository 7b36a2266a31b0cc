/* What a compiler makes of loops with the flags under calibration. It is compiled to assembly and never run:
 * -DSUMS is a sum of products that stays one after the other, as what it is added to may be one of the elements; without it
 * elements are added side by side. */
#define N 1024

double x[N], y[N], z[N];

#ifdef SUMS
void sum(double *s)
{
    for (int i = 0; i < N; i++)
        *s += x[i] * y[i];
}
#else
void add(void)
{
    for (int i = 0; i < N; i++)
        z[i] = x[i] + y[i];
}
#endif
