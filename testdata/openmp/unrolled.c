/* Loops that the compiler is asked to write out. */
#include <stdio.h>

int main(void)
{
    double sum = 0.0;
    long odd = 0;
#pragma omp unroll partial(4)
    for (int i = 0; i < 100; i++)
        sum += i;
#pragma omp parallel for reduction(+ : sum, odd)
    for (int i = 0; i < 100; i++) {
#pragma omp unroll
        for (int j = 0; j < 4; j++) {
            sum += i * j;
            if ((i + j) % 2)
                odd++;
        }
    }
    printf("%g %ld\n", sum, odd);
    return 0;
}
