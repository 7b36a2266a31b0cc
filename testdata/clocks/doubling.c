/* A benchmark that doubles its repetitions until they take a tenth of a second. */
#include <stdio.h>
#include <time.h>

static double x[1000];

static void kernel(void)
{
    for (int i = 0; i < 1000; i++)
        x[i] = 0.5 * x[i] + 1.0;
}

int main(void)
{
    long repetitions = 1;
    double seconds;
    for (;;) {
        clock_t begin = clock();
        for (long r = 0; r < repetitions; r++)
            kernel();
        seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
        if (seconds >= 0.1)
            break;
        repetitions *= 2;
    }
    printf("%g us\n", 1e6 * seconds / repetitions);
    return 0;
}
