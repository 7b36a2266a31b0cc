#include <stdio.h>

/* No MPI: every task computes the same. */
int main(void)
{
    int i, sum = 0;

    for (i = 0; i < 1000; i++)
        sum += i;
    printf("%d\n", sum);
    return 0;
}
