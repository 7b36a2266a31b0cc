/* Time per line of each level of memory. Built with the flags under calibration and -O1; -DREGIONS=a,b,c gives bytes
 * that lie well inside each level in turn, the last one far beyond all caches; -DLINE_BYTES=n the bytes of a
 * line; -DPAGES=n the most pages that are walked over, -DCROWDED=a,b,c rows of columns of a page's pitch that each level holds,
 * but not the one before (0: none), -DREACH=a,b,c bytes of which the last cache may keep some. The name of a result ends in the number of its region. A round handles a chunk of lines and goes on where
 * the round before stopped, so that timings stay short however large the region. */
#include "harness.h"
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef LINE_BYTES
#define LINE_BYTES 64
#endif
#ifndef REGIONS
#define REGIONS 16384, 262144, 4194304, 67108864
#endif

#define CHUNK 64
#define NOPS "nop\nnop\nnop\nnop\nnop\nnop\nnop\nnop\n"
/* More than a page, and an odd number of lines: every step is on another page, and all sets of a cache are used.
 * In a small region that would be all turning back. */
#define LONG_STRIDE (4096 / LINE_BYTES + 1)
#define SHORT_STRIDE 9
/* Rows of a column whose pages every processor finds in its translations. */
#define COLUMN 512
#ifndef PAGES
#define PAGES 8192
#endif
#define PAGES_LEAST 1024
#ifndef CROWDED
#define CROWDED 0, 128, 1024, 0
#endif
#define PAGE_CHUNK 256
#define PAGE_TIMINGS 60
#define PAGE_BYTES 4096

static const size_t regions[] = { REGIONS };
static const size_t crowded[] = { CROWDED };
static char *memory;
/* The region of the running body, and where it is. */
static size_t lines, cursor, first_column, first_line;
/* Of a column: rows and bytes from one to the next. */
static size_t rows, pitch;
/* Lines of the region in random order. */
static uint32_t *order;
static char *follow;

static size_t begin_chunk(size_t count)
{
    size_t at = cursor;
    cursor = at + 2 * count > lines ? 0 : at + count;
    return at;
}

static void read_body(long rounds)
{
    while (rounds--) {
        char *p = memory + begin_chunk(CHUNK) * LINE_BYTES, *end = p + CHUNK * LINE_BYTES;
        for (; p < end; p += 8 * LINE_BYTES) {
#define GET(k) { long x = *(long *)(p + (k) * LINE_BYTES); KEEP_INT(x); }
            GET(0) GET(1) GET(2) GET(3) GET(4) GET(5) GET(6) GET(7)
        }
    }
}

/* The same, with so much beside it to execute that waits for nothing: what of the time of lines is hidden by it. */
static void beside_body(long rounds)
{
    while (rounds--) {
        char *p = memory + begin_chunk(CHUNK) * LINE_BYTES, *end = p + CHUNK * LINE_BYTES;
        for (; p < end; p += LINE_BYTES) {
            GET(0)
            __asm__ volatile(NOPS NOPS NOPS NOPS NOPS NOPS NOPS NOPS);
        }
    }
}

static void write_body(long rounds)
{
    while (rounds--) {
        char *p = memory + begin_chunk(CHUNK) * LINE_BYTES, *end = p + CHUNK * LINE_BYTES;
        for (; p < end; p += 8 * LINE_BYTES) {
#define PUT(k) *(volatile long *)(p + (k) * LINE_BYTES) = rounds;
            PUT(0) PUT(1) PUT(2) PUT(3) PUT(4) PUT(5) PUT(6) PUT(7)
        }
    }
}

/* The lines of one half of the region from those of the other, number by number: two loads and a store for each, so that what
 * lines have to wait for loads shows. Not a multiple of a page apart: processors take such addresses for one. */
#define APART (17 * LINE_BYTES)
/* A chunk of numbers of the first half, its end, and those of the other half. */
#define HALVES(p, end, r)                                                           \
    size_t at = begin_chunk(CHUNK) / 2 * LINE_BYTES;                                \
    double *p = (double *)(memory + at), *end = p + CHUNK * LINE_BYTES / sizeof *p; \
    const double *r = (const double *)(memory + lines / 2 * LINE_BYTES + APART + at);

static void update_body(long rounds)
{
    double c = 0.5;
    KEEP_FLOAT(c);
    while (rounds--) {
        HALVES(p, end, r)
        for (; p < end; p += 8, r += 8) {
#define UPDATE(k) { double x = p[k] * c + r[k]; KEEP_FLOAT(x); p[k] = x; }
            UPDATE(0) UPDATE(1) UPDATE(2) UPDATE(3) UPDATE(4) UPDATE(5) UPDATE(6) UPDATE(7)
        }
    }
}

/* The same with four loads and a store for each number: the units that load have nothing to spare. */
static void stencil_body(long rounds)
{
    double c = 0.25;
    KEEP_FLOAT(c);
    while (rounds--) {
        HALVES(p, end, r)
        for (; p < end; p += 8, r += 8) {
#define POINT(k) p[k] = c * (r[(k) - 1] + r[(k) + 1] + r[k] + r[(k) + 2]);
            POINT(0) POINT(1) POINT(2) POINT(3) POINT(4) POINT(5) POINT(6) POINT(7)
        }
    }
}

/* Down the columns of matrices, one after the other: all lines of the region once before any comes again, as neighbours
 * that a processor may fetch together. */
static void strided_body(long rounds)
{
    size_t stride = lines < 16 * LONG_STRIDE ? SHORT_STRIDE : LONG_STRIDE;
    size_t block = lines < COLUMN * stride ? lines : COLUMN * stride;
    size_t column = first_column, first = first_line, at = first + cursor, end = first + block;
    while (rounds--)
        for (int k = 0; k < CHUNK; k++) {
            long x = *(long *)(memory + at * LINE_BYTES);
            KEEP_INT(x);
            at += stride;
            if (at >= end) {
                /* Seldom, so it must stay a branch. */
                __asm__ volatile("");
                column = column + 1 < stride ? column + 1 : 0;
                if (column == 0) {
                    first = end + block <= lines ? end : 0;
                    end = first + block;
                }
                at = first + column;
            }
        }
    cursor = at - first;
    first_column = column;
    first_line = first;
}

/* The same column again and again. */
static void column_body(long rounds)
{
    size_t at = cursor;
    while (rounds--)
        for (int k = 0; k < CHUNK; k++) {
            long x = *(long *)(memory + at * pitch);
            KEEP_INT(x);
            at++;
            if (at >= rows) {
                __asm__ volatile("");
                at = 0;
            }
        }
    cursor = at;
}

/* The same, stores alone and stores of what was loaded, as fast as a loop can make them: lines that stores ask for ahead
 * drive each other out where they share sets. The number of rows is a multiple of a chunk, or a chunk one of them. */
#define COLUMN_STORES(name, operator, beside)                        \
    static void name(long rounds)                                    \
    {                                                                \
        size_t step = rows < CHUNK ? rows : CHUNK;                   \
        for (long left = rounds * CHUNK; left > 0; left -= step) {   \
            char *p = memory + cursor * pitch;                       \
            for (size_t k = 0; k < step; k++, p += pitch) {          \
                *(volatile long *)p operator 1;                      \
                __asm__ volatile(beside);                            \
            }                                                        \
            cursor = cursor + step < rows ? cursor + step : 0;       \
        }                                                            \
    }
COLUMN_STORES(column_write_body, =, "")
COLUMN_STORES(column_update_body, +=, "")
/* A loop with something beside it: fewer loads are ahead of the stores, and drive out what these have asked for. */
COLUMN_STORES(column_update_slowly_body, +=, NOPS NOPS)

/* From one column to another one in the same sets: loads drive out the lines that stores have asked for, before and after they
 * are written. */
#define COLUMN_COPY(name, beside)                                                \
    static void name(long rounds)                                               \
    {                                                                           \
        while (rounds--) {                                                      \
            char *p = memory + cursor * pitch, *from = p + rows / 2 * pitch;    \
            for (int k = 0; k < CHUNK; k++, p += pitch, from += pitch) {        \
                long x = *(long *)from;                                         \
                KEEP_INT(x);                                                    \
                *(volatile long *)p = x;                                        \
                __asm__ volatile(beside);                                       \
            }                                                                   \
            cursor = cursor + CHUNK < rows / 2 ? cursor + CHUNK : 0;            \
        }                                                                       \
    }
COLUMN_COPY(column_copy_body, "")
/* The same with so much beside it that only a few pairs of lines are on their way at once. */
COLUMN_COPY(column_copy_slowly_body, NOPS NOPS NOPS NOPS NOPS NOPS NOPS NOPS)

/* Lines at random, each known before the one before has come. */
static void random_body(long rounds)
{
    while (rounds--) {
        size_t at = begin_chunk(CHUNK);
        for (int k = 0; k < CHUNK; k++) {
            long x = *(long *)(memory + (size_t)order[at + k] * LINE_BYTES);
            KEEP_INT(x);
        }
    }
}

/* Lines at random, each known only when the one before has come. */
static void latency_body(long rounds)
{
    char *p = follow;
    while (rounds--)
        for (int k = 0; k < CHUNK; k++) {
            p = *(char **)p;
            KEEP_INT(p);
        }
    follow = p;
}

static uint64_t random_state = 88172645463325252u;

static uint64_t random_number(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

/* The lines in random order, each holding the address of the next: one cycle through all of them. */
static void shuffle(void)
{
    for (size_t i = 0; i < lines; i++)
        order[i] = (uint32_t)i;
    for (size_t i = lines - 1; i > 0; i--) {
        size_t j = random_number() % (i + 1);
        uint32_t t = order[i];
        order[i] = order[j];
        order[j] = t;
    }
    for (size_t i = 0; i < lines; i++)
        *(char **)(memory + (size_t)order[i] * LINE_BYTES) =
            memory + (size_t)order[i + 1 < lines ? i + 1 : 0] * LINE_BYTES;
}

static void report(const char *kind, int region, harness_body body)
{
    char name[64];
    snprintf(name, sizeof name, "%s.%d", kind, region);
    cursor = first_column = first_line = 0;
    harness_report(name, body, CHUNK, kind);
}

static int wanted(const char *kind, int region)
{
    char name[64];
    snprintf(name, sizeof name, "%s.%d", kind, region);
    return harness_wanted(name);
}

static int any_wanted(int region)
{
    return wanted("read", region) || wanted("beside", region) || wanted("write", region) || wanted("strided", region)
           || wanted("random", region) || wanted("latency", region);
}

static void measure(int region)
{
    size_t bytes = regions[region] / (CHUNK * LINE_BYTES) * (CHUNK * LINE_BYTES);
    if (!any_wanted(region))
        return;
    lines = bytes / LINE_BYTES;
    memory = aligned_alloc(4096, bytes + 4096);
    order = malloc(lines * sizeof *order);
    if (!memory || !order) {
        perror("malloc");
        exit(1);
    }
    memset(memory, 1, bytes);
    report("read", region, read_body);
    report("beside", region, beside_body);
    report("write", region, write_body);
    if (region < 2) {
        memset(memory, 0, bytes + 4096);
        report("update", region, update_body);
        report("stencil", region, stencil_body);
    }
    report("strided", region, strided_body);
    if (wanted("random", region) || wanted("latency", region)) {
        shuffle();
        follow = memory;
        report("random", region, random_body);
        report("latency", region, latency_body);
    }
    free(order);
    free(memory);
}

static void column_of(const char *kind, int number, size_t count, size_t bytes, harness_body body)
{
    if (count == 0 || !wanted(kind, number))
        return;
    rows = count;
    pitch = bytes;
    memory = aligned_alloc(4096, (count + 1) * bytes / 4096 * 4096 + 4096);
    if (!memory) {
        perror("malloc");
        exit(1);
    }
    memset(memory, 1, count * bytes);
    report(kind, number, body);
    free(memory);
}

static void column(const char *kind, int number, size_t count, size_t bytes)
{
    column_of(kind, number, count, bytes, column_body);
}

/* A line of each page, in all sets of a cache: how many pages a processor knows, and what finding another one takes. */
static void pages(void)
{
    for (size_t count = PAGES_LEAST; count <= PAGES; count *= 2) {
        column("pages", (int)count, count, LONG_STRIDE * LINE_BYTES);
        if (count * 3 / 2 <= PAGES)
            column("pages", (int)(count * 3 / 2), count * 3 / 2, LONG_STRIDE * LINE_BYTES);
    }
}

/* Lines at the begin of pages: they share few sets of each level. */
static void crowds(void)
{
    for (int level = 0; level < (int)(sizeof crowded / sizeof *crowded); level++)
        column("crowded", level, crowded[level], PAGE_BYTES);
    /* As many as sets of the first level have no room for, and those of the second have. */
    for (int bytes = 512; bytes <= PAGE_BYTES; bytes *= 2) {
        column("crowded_read", bytes, 2 * CHUNK, bytes);
        column_of("crowded_write", bytes, 2 * CHUNK, bytes, column_write_body);
        column_of("crowded_update", bytes, 2 * CHUNK, bytes, column_update_body);
        column_of("crowded_update_slowly", bytes, 2 * CHUNK, bytes, column_update_slowly_body);
        column_of("crowded_copy", bytes, (bytes < 2048 ? 4 : 2) * CHUNK, bytes, column_copy_body);
        column_of("crowded_copy_slowly", bytes, (bytes < 2048 ? 4 : 2) * CHUNK, bytes, column_copy_slowly_body);
    }
    /* Few more lines than a set has room for, as in the columns of a tile: some of them stay. */
    for (int bytes = 2048; bytes <= PAGE_BYTES; bytes *= 2) {
        column("crowded_few_read", bytes, CHUNK / 2, bytes);
        column_of("crowded_few_write", bytes, CHUNK / 2, bytes, column_write_body);
        column_of("crowded_few_update", bytes, CHUNK / 2, bytes, column_update_body);
        column_of("crowded_few_update_slowly", bytes, CHUNK / 2, bytes, column_update_slowly_body);
    }
}

/* Nanoseconds per page of the first touch of pages that the system has just given; taking them back is not
 * part of it. Below 0: there is no room for so many. */
static double first_touch(size_t count)
{
    double begin, end;
    char *p;
    if (count > (size_t)sysconf(_SC_AVPHYS_PAGES) / 4 * (size_t)sysconf(_SC_PAGESIZE) / PAGE_BYTES)
        return -1;
    p = mmap(0, count * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return -1;
    begin = harness_now();
    for (size_t k = 0; k < count; k++)
        *(volatile char *)(p + k * PAGE_BYTES) = 1;
    end = harness_now();
    munmap(p, count * PAGE_BYTES);
    return (end - begin) / count;
}

/* The system clears pages before it gives them: of few, it finds those that were just taken back in the caches. */
static void page_faults(const char *name, size_t count, int timings)
{
    double times[PAGE_TIMINGS];
    if (!harness_wanted(name))
        return;
    for (int k = 0; k < timings; k++) {
        times[k] = first_touch(count);
        if (times[k] < 0)
            return;
    }
    qsort(times, timings, sizeof *times, harness_compare);
    printf("%s %.6f %.6f %d page\n", name, times[0], times[timings / 2], timings);
}

static void all_page_faults(void)
{
    page_faults("page_fault", PAGE_CHUNK, PAGE_TIMINGS);
    page_faults("page_fault.4194304", 1 << 10, PAGE_TIMINGS / 3);
    page_faults("page_fault.16777216", 1 << 12, PAGE_TIMINGS / 6);
    page_faults("page_fault.67108864", 1 << 14, PAGE_TIMINGS / 12);
}

#ifdef REACH
static const size_t reaches[] = { REACH };
#define REACH_TIMINGS 5

/* Every word, as most programs go through memory: what others have driven out of a shared cache meanwhile counts. */
static NOINLINE long all_words(const long *p, const long *end)
{
    long sum = 0;
    for (; p < end; p += 8)
        sum += p[0] + p[1] + p[2] + p[3] + p[4] + p[5] + p[6] + p[7];
    return sum;
}

/* How much a cache keeps from one walk to the next, which other processors use as well. */
static void reach(void)
{
    int last = sizeof reaches / sizeof *reaches - 1;
    size_t room = (size_t)sysconf(_SC_AVPHYS_PAGES) / 4 * (size_t)sysconf(_SC_PAGESIZE);
    double times[REACH_TIMINGS];
    char name[64];
    while (last >= 0 && reaches[last] > room)
        last--;
    if (last < 0 || !(memory = aligned_alloc(4096, reaches[last])))
        return;
    memset(memory, 1, reaches[last]);
    for (int at = 0; at <= last; at++) {
        size_t bytes = reaches[at] / 64 * 64, walks = reaches[last] / 2 / bytes + 1;
        snprintf(name, sizeof name, "reach.%zu", reaches[at]);
        if (!harness_wanted(name))
            continue;
        for (int k = 0; k < REACH_TIMINGS; k++) {
            double begin = harness_now();
            for (size_t walk = 0; walk < walks; walk++) {
                KEEP_MEMORY();
                long sum = all_words((long *)memory, (long *)(memory + bytes));
                KEEP_INT(sum);
            }
            times[k] = (harness_now() - begin) / walks / (bytes / 64);
        }
        qsort(times, REACH_TIMINGS, sizeof *times, harness_compare);
        printf("%s %.6f %.6f %d line\n", name, times[0], times[REACH_TIMINGS / 2], REACH_TIMINGS);
    }
    free(memory);
}
#endif

int main(int argc, char **argv)
{
    harness_begin(argc, argv);
    for (int region = 0; region < (int)(sizeof regions / sizeof *regions); region++)
        measure(region);
    pages();
    crowds();
    all_page_faults();
#ifdef REACH
    reach();
#endif
    return 0;
}
