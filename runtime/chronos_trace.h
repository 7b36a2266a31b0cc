/* What instrumented sources need to write a trace (chronos-trace/1). Needs no other header. */
#ifndef CHRONOS_TRACE_H
#define CHRONOS_TRACE_H

/* Assumptions in the source (chronos.h) are nothing where it is executed. */
#ifndef CHRONOS_H
#define CHRONOS_H
#define PIC_proba(probability) ((void)0)
#define chronos_probability(probability) ((void)0)
#define chronos_iterations(iterations) ((void)0)
#endif

extern unsigned long long chronos_counts[];
void chronos_begin(void);
void chronos_order(unsigned point);
void chronos_mpi(unsigned site);
void chronos_abort(unsigned site);
void chronos_event(const char *what, unsigned count, const long long *numbers);
void chronos_group(unsigned id, unsigned count, const int *members);
int chronos_int(unsigned point, int value);
unsigned chronos_unsigned(unsigned point, unsigned value);
long long chronos_long(unsigned point, long long value);
unsigned long long chronos_unsigned_long(unsigned point, unsigned long long value);
double chronos_double(unsigned point, double value);
void *chronos_pointer(unsigned point, const void *value);

/* CHRONOS(n): trace point n is executed. With -DCHRONOS_ORDER the order of all points is kept. */
#ifdef CHRONOS_ORDER
#define CHRONOS(point) chronos_order(point)
#elif defined(_OPENMP)
#define CHRONOS(point) ((void)__atomic_fetch_add(&chronos_counts[point], 1, __ATOMIC_RELAXED))
#else
#define CHRONOS(point) ((void)++chronos_counts[point])
#endif
#define CHRONOS_TAKEN(point, condition) ((condition) ? (CHRONOS(point), 1) : 0)
#define CHRONOS_TRUTH(point, condition) chronos_int(point, (condition) ? 1 : 0)

#endif
