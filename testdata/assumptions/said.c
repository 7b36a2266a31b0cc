#include <stdio.h>
#include <stdlib.h>
#include <chronos.h>

static int step(int size)
{
    int work = 0;

    PIC_proba(1.0 / size);
    if (rand() % size == 0 && work == 0)
        work = 3;
    chronos_iterations(size / 2);
    while (rand() > 7)
        work++;
    return work;
}

int main(void)
{
    int i, sum = 0;

    for (i = 0; i < 100; i++)
        sum += step(8);
    chronos_iterations(50);
    for (i = 0; i < 10; i++)
        sum++;
    PIC_proba(0.5);
    sum++;
    return sum > 0 ? 0 : 1;
}
