/* What follows a branch that leaves an iteration by chance is decided by that branch. */
#include <stdlib.h>

int main(void)
{
    int kept = 0;
    for (int i = 0; i < 100; i++) {
        if (rand() % 4 == 3)
            continue;
        kept++;
    }
    return kept > 100;
}
