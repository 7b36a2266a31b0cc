#include <stdio.h>
#include <stdlib.h>

static int values[100];

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 20, swaps = 0;
    srand(n);
    for (int i = 0; i < n; i++)
        values[i] = rand() % 1000;
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && values[j - 1] > values[j]; j--) {
            int value = values[j];
            values[j] = values[j - 1];
            values[j - 1] = value;
            swaps++;
        }
    printf("%d swaps\n", swaps);
    return 0;
}
