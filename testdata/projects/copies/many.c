#include "clear.h"

static double many[100000];

void many_times(void)
{
    for (int k = 0; k < 100; k++)
        clear(many, 100000);
}
