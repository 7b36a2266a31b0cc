#include <part.h>

int part(int rank)
{
    int sum = 0;
    for (int i = 0; i < SCALE; i++)
        sum += i * rank;
    return sum;
}
