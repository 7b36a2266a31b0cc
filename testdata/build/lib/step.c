#include "step.h"

int step(int token)
{
    int sum = token;
    for (int i = 0; i < 100; i++)
        sum += i % 7;
    return sum;
}
