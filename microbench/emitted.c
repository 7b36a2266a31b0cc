/* What a compiler makes of loops with the flags under calibration. It is compiled to assembly and never run:
 * -DSUMS is a sum of products, without it elements that are added side by side. */
#define N 1024

double x[N], y[N], z[N];

#ifdef SUMS
double sum(void)
{
    double s = 0.0;
    for (int i = 0; i < N; i++)
        s += x[i] * y[i];
    return s;
}
#else
void add(void)
{
    for (int i = 0; i < N; i++)
        z[i] = x[i] + y[i];
}
#endif
