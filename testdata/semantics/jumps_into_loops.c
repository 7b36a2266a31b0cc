static int f(int k) {
    int n = 0;
    goto in;
    while (k > 0) {
        n++;
    in:
        k--;
        if (k == 3) goto out;
        { int x = k; if (x & 1) continue; n += x; }
    }
    n += 100;
out:
    return n;
}
static int sw(int a, int b) {
    switch (a) {
    case 0:
        switch (b) {
        case 1: return 1;
        case 2: a++;
        default: a += 2; break;
        }
    case 1: a++; break;
    default:
        a = -1;
    case 7 ... 9: a *= 2;
    }
    return a;
}
int main(void) {
    int n = 0;
    for (int i = 0; i < f(9); i++) n++;
    for (int i = 0; i < f(2); i++) n++;
    for (int a = 0; a < 10; a++)
        for (int b = 0; b < 4; b++)
            n += sw(a, b);
    int i = 0;
again:
    if (i++ < 5) { n++; goto again; }
    do { n++; if (n & 1) continue; break; } while (n < 1000);
    for (;;) { if (n++ > 500) break; }
    return n & 127;
}
