#include <stdio.h>

/* How often the loop runs depends on input that was not given. */
int main(void)
{
    double error, x = 1.0;

    scanf("%lf", &error);
    while (x > error)
        x = x / 2.0;
    printf("%g\n", x);
    return 0;
}
