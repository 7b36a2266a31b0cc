#include <stdlib.h>
#include <chronos.h>

int main(void)
{
    int n = 3;

    PIC_proba(n / 2.0);
    if (rand() > 5)
        n = 2;
    return n;
}
