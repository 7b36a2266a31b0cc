/* Another loop on 32-bit than on 64-bit machines, chosen by the preprocessor. */
#include <limits.h>

static unsigned long mix(unsigned long x)
{
#if ULONG_MAX > 4294967295
    for (int i = 0; i < 8; i++)
        x ^= x >> 33;
#endif
    return x;
}

int main(void)
{
    return mix(5) == 0;
}
