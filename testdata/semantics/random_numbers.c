/* Random numbers of the C library: values, seeds, and how many were drawn in loops, branches and functions. */
#define _GNU_SOURCE
#include <stdlib.h>

static unsigned sum = 17;

static void add(unsigned long n) {
    sum = sum * 31 + (unsigned)n;
}

static void add_real(double x) {
    add((unsigned long)(x * 4294967296.0));
}

/* Numbers that nobody uses: only their number matters. */
static void skip(int n) {
    for (int i = 0; i < n; i++)
        rand();
}

static double noise[300];

static void fill(void) {
    for (int i = 0; i < 10; i++)
        for (int j = 0; j < 30; j++)
            if (j > i)
                noise[30 * i + j] = drand48();
}

static void additive(void) {
    static const unsigned seeds[] = {0, 1, 42, 2147483647u, 2147483648u, 4294967295u, 127773};
    for (int i = 0; i < 50; i++)
        add(rand());
    for (unsigned s = 0; s < sizeof seeds / sizeof *seeds; s++) {
        srand(seeds[s]);
        add(rand());
        skip(1000);
        add(random());
        skip(70001);
        add(rand());
    }
    srandom(7);
    int runs = 0;
    for (int i = 0; i < 100; i++) {
        if (rand() % 3 == 0)
            runs += rand() % 5;
        for (int k = rand() % 4; k > 0; k--)
            runs++;
    }
    add(runs);
}

static void congruential(void) {
    unsigned short own[3] = {1, 65535, 300}, seed[3] = {9, 8, 7}, all[7] = {1, 2, 3, 4, 5, 6, 7};
    add_real(drand48());
    add(lrand48());
    srand48(-5);
    add(mrand48());
    fill();
    add(lrand48());
    for (int i = 0; i < 20; i++) {
        add_real(erand48(own));
        add(nrand48(own));
        add(jrand48(own));
    }
    seed48(seed);
    add_real(drand48());
    lcong48(all);
    add(mrand48());
    skip(12);
    add(lrand48());
    add(nrand48(own));
    srand48(3);
    add_real(erand48(own));
    add_real(drand48());
}

static void reentrant(void) {
    unsigned state = 5;
    for (int i = 0; i < 40; i++)
        add(rand_r(&state));
    add(state);
}

/* Darts: the branch decides what is drawn next. */
static void darts(void) {
    srand(1);
    int inside = 0, draws = 0;
    while (draws < 2000) {
        double x = rand() / (double)RAND_MAX, y = random() / (double)RAND_MAX;
        draws += 2;
        if (x * x + y * y <= 1.0)
            inside++;
        else
            draws += rand() & 1;
    }
    add(inside);
    add(draws);
}

int main(void) {
    additive();
    congruential();
    reentrant();
    darts();
    return sum % 251;
}
