/* Library functions, per call and per byte, built with the very flags under calibration. The time of a call
 * holds the call itself; what the loop around it takes is reported as `baseline` and taken off later. */
#include "harness.h"
#include <ctype.h>
#include <math.h>
#include <sys/time.h>

#define N 128
#define SHORT 64
#define LONG 4096

double xs[N], ys[N];
int ks[N];
char text_short[SHORT], text_long[LONG], target[LONG];
void *blocks[N];
volatile double sink_float;
volatile long sink_int;
static FILE *null_device;

#define EACH(name, statement)            \
    static void name##_body(long rounds) \
    {                                    \
        while (rounds--)                 \
            for (int i = 0; i < N; i++)  \
                statement;               \
    }
#define REAL(name) EACH(name, sink_float = name(xs[i]))
#define REAL2(name) EACH(name, sink_float = name(xs[i], ys[i]))
#define BYTES(name, statement_short, statement_long)  \
    ONCE(name##_short, statement_short)               \
    ONCE(name##_long, statement_long)

/* Numbers in another random order each time, for branches of an order that comes back are learnt, and how often sorting them
 * compares. */
#define SORTED 1024
static long sorted[SORTED], compared;

static void disorder(void)
{
    static unsigned long random = 88172645463325252u;
    for (int i = 0; i < SORTED; i++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        sorted[i] = (long)(random >> 1);
    }
}

static int compare(const void *a, const void *b)
{
    long x = *(const long *)a, y = *(const long *)b;
    return x < y ? -1 : x > y;
}

static int compare_and_count(const void *a, const void *b)
{
    compared++;
    return compare(a, b);
}

static void sort_body(long rounds)
{
    while (rounds--) {
        disorder();
        qsort(sorted, SORTED, sizeof *sorted, compare);
    }
}

static void sort_two_body(long rounds)
{
    while (rounds--)
        qsort(sorted, 2, sizeof *sorted, compare);
}

static void sorting(void)
{
    disorder();
    qsort(sorted, SORTED, sizeof *sorted, compare_and_count);
    harness_report("compare.qsort", sort_body, compared, "qsort");
    harness_report("compare.qsort_two", sort_two_body, 1, "qsort_two");
}

EACH(baseline, sink_float = xs[i])
REAL(sqrt) REAL(fabs) REAL(exp) REAL(log) REAL(log10) REAL(log2) REAL(sin) REAL(cos) REAL(tan) REAL(asin) REAL(acos)
REAL(atan) REAL(sinh) REAL(cosh) REAL(tanh) REAL(floor) REAL(ceil) REAL(round) REAL(trunc) REAL(cbrt) REAL(exp2)
REAL2(pow) REAL2(atan2) REAL2(fmod) REAL2(hypot) REAL2(fmin) REAL2(fmax)
REAL(sqrtf) REAL(fabsf) REAL(expf) REAL(logf) REAL(sinf) REAL(cosf) REAL(floorf)
REAL2(powf)
EACH(abs, sink_int = abs(ks[i]))
EACH(rand, sink_int = rand())
EACH(random, sink_int = random())
EACH(drand48, sink_float = drand48())
EACH(lrand48, sink_int = lrand48())
EACH(rand_r, sink_int = rand_r((unsigned *)&ks[i]))
EACH(toupper, sink_int = toupper(ks[i] & 127))
EACH(isdigit, sink_int = isdigit(ks[i] & 127))
ONCE(srand, srand(7))
ONCE(srandom, srandom(7))
ONCE(srand48, srand48(7))

static void malloc_free_body(long rounds)
{
    while (rounds--) {
        for (int i = 0; i < N; i++)
            blocks[i] = malloc(16 + 8 * (i & 31));
        KEEP_MEMORY();
        for (int i = 0; i < N; i++)
            free(blocks[i]);
    }
}

static void free_twice_body(long rounds)
{
    while (rounds--) {
        for (int i = 0; i < N; i++)
            blocks[i] = realloc(malloc(64), 16 + 8 * (i & 31));
        KEEP_MEMORY();
        for (int i = 0; i < N; i++)
            free(blocks[i]);
    }
}

static void calloc_once(size_t bytes)
{
    void *volatile p = calloc(1, bytes);
    free(p);
}

BYTES(calloc, calloc_once(SHORT), calloc_once(LONG))
BYTES(memset, memset(target, 1, SHORT), memset(target, 1, LONG))
BYTES(memcpy, memcpy(target, text_long, SHORT), memcpy(target, text_long, LONG))
BYTES(memmove, memmove(target, text_long, SHORT), memmove(target, text_long, LONG))
BYTES(memcmp, sink_int = memcmp(target, text_long, SHORT), sink_int = memcmp(target, text_long, LONG))
BYTES(strlen, sink_int = strlen(text_short), sink_int = strlen(text_long))
BYTES(strcpy, strcpy(target, text_short), strcpy(target, text_long))
BYTES(strcmp, strcpy(target, text_short); sink_int = strcmp(target, text_short), strcpy(target, text_long);
      sink_int = strcmp(target, text_long))
BYTES(strchr, sink_int = strchr(text_short, '~') != 0, sink_int = strchr(text_long, '~') != 0)
BYTES(strdup, char *p = strdup(text_short); KEEP_INT(p); free(p), char *p = strdup(text_long); KEEP_INT(p); free(p))
BYTES(fputs, fputs(text_short, null_device), fputs(text_long, null_device))
BYTES(fwrite, fwrite(text_long, 1, SHORT, null_device), fwrite(text_long, 1, LONG, null_device))
BYTES(fprintf, fprintf(null_device, "%d %s\n", ks[1], text_short), fprintf(null_device, "%d %s\n", ks[1], text_long))
BYTES(sprintf, char b[2 * LONG]; sprintf(b, "%d %s\n", ks[1], text_short), char b[2 * LONG];
      sprintf(b, "%d %s\n", ks[1], text_long))
ONCE(fputc, fputc('x', null_device))
ONCE(fflush, fflush(null_device))
ONCE(sscanf, int n = 0; sscanf("1234", "%d", &n); sink_int = n)
ONCE(atoi, sink_int = atoi("12345"))
ONCE(strtol, sink_int = strtol("12345", 0, 10))
ONCE(atof, sink_float = atof("3.14159"))
ONCE(strtod, sink_float = strtod("3.14159", 0))
ONCE(getenv, sink_int = getenv("CHRONOS_NOT_SET") != 0)
ONCE(time, sink_int = time(0))
ONCE(clock, sink_int = clock())
ONCE(gettimeofday, struct timeval t; gettimeofday(&t, 0); sink_int = t.tv_usec)
ONCE(clock_gettime, struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); sink_int = t.tv_nsec)
ONCE(fopen, FILE *f = fopen("/dev/null", "r"); if (f) fclose(f))

#define PER_CALL(name) harness_report("call." #name, name##_body, N, #name)
#define PER_ROUND(name) harness_report("round." #name, name##_body, 1, #name)
#define PER_BYTE(name)                                            \
    harness_report("short." #name, name##_short_body, 1, #name); \
    harness_report("long." #name, name##_long_body, 1, #name)

static void mathematics(void)
{
    PER_CALL(baseline);
    PER_CALL(sqrt); PER_CALL(fabs); PER_CALL(exp); PER_CALL(log); PER_CALL(log10); PER_CALL(log2); PER_CALL(sin);
    PER_CALL(cos); PER_CALL(tan); PER_CALL(asin); PER_CALL(acos); PER_CALL(atan); PER_CALL(sinh); PER_CALL(cosh);
    PER_CALL(tanh); PER_CALL(floor); PER_CALL(ceil); PER_CALL(round); PER_CALL(trunc); PER_CALL(cbrt); PER_CALL(exp2);
    PER_CALL(pow); PER_CALL(atan2); PER_CALL(fmod); PER_CALL(hypot); PER_CALL(fmin); PER_CALL(fmax);
    PER_CALL(sqrtf); PER_CALL(fabsf); PER_CALL(expf); PER_CALL(logf); PER_CALL(sinf); PER_CALL(cosf);
    PER_CALL(floorf); PER_CALL(powf);
}

static void general(void)
{
    PER_CALL(abs); PER_CALL(rand); PER_CALL(random); PER_CALL(drand48); PER_CALL(lrand48); PER_CALL(rand_r);
    PER_CALL(toupper); PER_CALL(isdigit); PER_ROUND(srand); PER_ROUND(srandom); PER_ROUND(srand48);
    PER_CALL(malloc_free); PER_CALL(free_twice);
    PER_ROUND(atoi); PER_ROUND(strtol); PER_ROUND(atof); PER_ROUND(strtod); PER_ROUND(getenv);
    PER_ROUND(time); PER_ROUND(clock); PER_ROUND(gettimeofday); PER_ROUND(clock_gettime);
}

static void strings_and_files(void)
{
    PER_BYTE(calloc); PER_BYTE(memset); PER_BYTE(memcpy); PER_BYTE(memmove); PER_BYTE(memcmp); PER_BYTE(strlen);
    PER_BYTE(strcpy); PER_BYTE(strcmp); PER_BYTE(strchr); PER_BYTE(strdup); PER_BYTE(fputs); PER_BYTE(fwrite);
    PER_BYTE(fprintf); PER_BYTE(sprintf);
    PER_ROUND(fputc); PER_ROUND(fflush); PER_ROUND(sscanf); PER_ROUND(fopen);
}

int main(int argc, char **argv)
{
    harness_begin(argc, argv);
    for (int i = 0; i < N; i++) {
        xs[i] = 0.05 + 0.9 * i / N;
        ys[i] = 1.3 + 0.01 * i;
        ks[i] = 12 * i - 300;
    }
    memset(text_short, 'a', SHORT - 1);
    memset(text_long, 'a', LONG - 1);
    null_device = fopen("/dev/null", "w");
    if (!null_device) {
        perror("/dev/null");
        return 1;
    }
    mathematics();
    general();
    strings_and_files();
    sorting();
    return 0;
}
