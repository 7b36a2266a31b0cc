/* Questions about types, which compilers answer without running anything; -O0 keeps each of them. */
#include <stdio.h>

int main(void)
{
    int table[4], same = 0;
    for (int i = 0; i < 3; i++) {
        if (__builtin_types_compatible_p(__typeof__(table[i]), int))
            same++;
        if (__builtin_types_compatible_p(int[4], __typeof__(table)) && !__builtin_types_compatible_p(int *, char *))
            same += 10;
    }
    printf("%d\n", same);
    return 0;
}
