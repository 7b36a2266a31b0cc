extern int x __attribute__((weak));
extern int y[4] __attribute__((weak));
extern int f(int) __attribute__((weak));
extern int z;
#pragma weak z
extern __attribute__((weak)) struct s { int a, b; } st;
int main(void) {
    int n = 0;
    if (&x)
        n++;
    else
        n += 2;
    if (y)
        n++;
    else
        n += 2;
    if (&z != 0)
        n++;
    else
        n += 2;
    if (f)
        n++;
    if (!&st)
        n++;
    int *p = &x;
    if (p)
        n += *p;
    else
        n += 5;
    for (int i = 0; i < n; i++)
        n--;
    return n & 127;
}
