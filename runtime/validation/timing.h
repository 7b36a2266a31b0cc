/* Included before every translation unit that `chronos validate` compiles: it must include nothing itself, so
 * that the program's own feature macros keep their effect. */
#ifndef CHRONOS_TIMING_H
#define CHRONOS_TIMING_H
struct chronos_timing { int depth; };
struct chronos_timing chronos_timing_begin(int function);
void chronos_timing_end(struct chronos_timing *timing);
/* A declaration, so that C90 lets others follow; it ends with the block, however that is left. */
#define CHRONOS_TIMED(function)                                                                          \
    __extension__ struct chronos_timing chronos_timing_here                                              \
        __attribute__((__cleanup__(chronos_timing_end), __unused__)) = chronos_timing_begin(function);
#endif
