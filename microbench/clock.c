/* The effective duration of a cycle: dependent integer additions, one cycle each on every pipelined processor.
 * Built with -O1 behind the flags under calibration. */
#include "harness.h"

static void additions(long rounds)
{
    long x = 1, a = 3;
    KEEP_INT(a);
    while (rounds--) {
#define ONE x += a; KEEP_INT(x);
#define EIGHT ONE ONE ONE ONE ONE ONE ONE ONE
        EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT
    }
}

int main(int argc, char **argv)
{
    harness_begin(argc, argv);
    harness_report("clock", additions, 64, "cycle");
    return 0;
}
