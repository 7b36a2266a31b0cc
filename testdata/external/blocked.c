/* Products of blocks of growing size, by a library that is no part of the program. */
void cblas_dgemm(int order, int ta, int tb, int m, int n, int k, double alpha, const double *a, int lda,
                 const double *b, int ldb, double beta, double *c, int ldc);
void dscal_(const int *n, const double *alpha, double *x, const int *step);

static double a[4096], b[4096], c[4096];

int main(void)
{
    const double half = 0.5;
    const int one = 1;
    int n = 1000;
    for (int i = 1; i <= 4; i++)
        cblas_dgemm(101, 111, 111, 16 * i, 16, 10, 1.0, a, 16, b, 16, 0.0, c, 16);
    dscal_(&n, &half, c, &one);
    return 0;
}
