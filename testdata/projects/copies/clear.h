/* Each file that includes it has a function of its own. */
static inline void clear(double *a, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = 0.0;
}
