#include <stdio.h>
#include <stdlib.h>

static double grid[64];

int main(void)
{
    double sum = 0;
    int i, x = rand(), hits = 0;

    for (i = 0; i < 64; i++)
        sum += grid[i] * i;
    if (x < 0 && hits == 0) hits = 1; else if (x == 5) hits = 2;
    switch (x) {
    case 1:
        hits++;
        break;
    case 2:
    case 3:
        hits--;
    }
    if (sum > 1e-8) {
        printf("ERROR: sum is %g\n", sum);
        return 1;
    }
    if (rand() == 1)
        abort();
    return hits;
}
