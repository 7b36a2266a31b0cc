#include "clear.h"

static double few[1000];
void many_times(void);

int main(void)
{
    for (int k = 0; k < 10; k++)
        clear(few, 1000);
    many_times();
    return 0;
}
