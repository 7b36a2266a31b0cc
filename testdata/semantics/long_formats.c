#include <stdio.h>
static unsigned h = 7; static void eat(const char *s, int n) { while (*s) h = h * 31 + (unsigned char)*s++; h = h * 31 + n; }
int main(void) {
    char b[12]; static char all[200000];
    eat(b, snprintf(b, 9, "%.65536f", 1.0)); eat(b, snprintf(b, 12, "%.99999e", 0.1)); eat(b, snprintf(b, 12, "%.70000g", 2.5)); eat(b, snprintf(b, 12, "%#.70000g", 2.5));
    eat(b, snprintf(b, 12, "%.70000d", -7)); eat(b, snprintf(b, 12, "%100000x|", 255)); eat(b, snprintf(b, 12, "%*.*f", 1200000, 3, 1.5)); eat(b, snprintf(b, 12, "%.99999s", "short"));
    eat(all, sprintf(all, "%.65537f", 0.1)); eat(all, sprintf(all, "%.66000e", 1.0 / 3)); eat(all, sprintf(all, "%.2000f", 4.9e-324)); eat(all, sprintf(all, "%#.66000g", 1e-300));
    return h % 251;
}
