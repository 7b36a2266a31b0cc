/* What instrumented sources need to write a trace (chronos-trace/1). Needs no other header. */
#ifndef CHRONOS_TRACE_H
#define CHRONOS_TRACE_H

/* The front end asks for the types that pointers lead to, in place of types; compilers have the original alone. */
#define __builtin_pointees_compatible_p(a, b) __builtin_types_compatible_p(__typeof__(*(a)), __typeof__(*(b)))

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
void chronos_local(unsigned site); /* of a call that is no more than its name */
void chronos_argument(unsigned site, unsigned outer); /* the same, of an argument of the call at outer, which begins behind it */
void chronos_abort(unsigned site);
void chronos_event(const char *what, unsigned count, const long long *numbers);
void chronos_group(unsigned id, unsigned count, const int *members);

/* CHRONOS(n): trace point n is executed. With -DCHRONOS_ORDER the order of all points is kept. */
#ifdef CHRONOS_ORDER
#define CHRONOS(point) chronos_order(point)
#elif defined(_OPENMP)
#define CHRONOS(point) ((void)__atomic_fetch_add(&chronos_counts[point], 1, __ATOMIC_RELAXED))
#else
#define CHRONOS(point) ((void)++chronos_counts[point])
#endif
/* What a call of the library is for: its bytes are added up in place of its executions. */
#ifdef CHRONOS_ORDER
#define CHRONOS_BYTES(point, bytes) (bytes)
#else
static inline __attribute__((unused)) __SIZE_TYPE__ chronos_sized(unsigned point, __SIZE_TYPE__ bytes) {
  chronos_counts[point] += bytes;
  return bytes;
}
#define CHRONOS_BYTES(point, bytes) chronos_sized(point, bytes)
#endif
#define CHRONOS_TAKEN(point, condition) ((condition) ? (CHRONOS(point), 1) : 0)
#define CHRONOS_TRUTH(point, condition) ((condition) ? (CHRONOS(point), 1) : (CHRONOS(point), 0))

/* Points of inner loops count in variables, which are added up behind the loops. */
#ifdef CHRONOS_ORDER
#define CHRONOS_LOCAL(point)
#define CHRONOS_CHOICE(point)
#define CHRONOS_HERE(point) CHRONOS(point)
#define CHRONOS_HERE_TAKEN(point, condition) CHRONOS_TAKEN(point, condition)
#define CHRONOS_HERE_TRUTH(point, condition) CHRONOS_TRUTH(point, condition)
#define CHRONOS_ADD(point)
#else
#define CHRONOS_LOCAL(point) unsigned long long chronos_at_##point = 0;
#define CHRONOS_CHOICE(point) unsigned long long chronos_at_##point = 0; int chronos_is_##point;
#define CHRONOS_HERE(point) ((void)++chronos_at_##point)
#define CHRONOS_HERE_TAKEN(point, condition) \
  (chronos_is_##point = (condition) ? 1 : 0, chronos_at_##point += (unsigned)chronos_is_##point, chronos_is_##point)
#define CHRONOS_HERE_TRUTH(point, condition) \
  (chronos_is_##point = (condition) ? 1 : 0, ++chronos_at_##point, chronos_is_##point)
#ifdef _OPENMP
#define CHRONOS_ADD(point) (void)__atomic_fetch_add(&chronos_counts[point], chronos_at_##point, __ATOMIC_RELAXED);
#else
#define CHRONOS_ADD(point) chronos_counts[point] += chronos_at_##point;
#endif
#endif

/* In front of a small loop in which a choice is counted; what is not known to be long may end where an unrolled part begins. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 8 && !defined(CHRONOS_ORDER)
#define CHRONOS_UNROLLED _Pragma("GCC unroll 4")
#define CHRONOS_UNROLLED_LONG _Pragma("GCC unroll 64")
#else
#define CHRONOS_UNROLLED
#define CHRONOS_UNROLLED_LONG
#endif

/* A long loop around choices runs in pieces: CHRONOS_PIECES(left) begins one, where that many iterations follow the one that
   begins; CHRONOS_PIECE(step) goes through it. GCC puts whether a condition held into a byte, adds bytes, and unrolls (SEEN hides
   that the byte is 0 or 1, from which GCC would make a second comparison). What vectorises does so with counters as wide as
   integers: other compilers, and GCC with -DCHRONOS_VECTORS, which is for -O3. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 8 && !defined(CHRONOS_ORDER) && !defined(CHRONOS_VECTORS)
#define CHRONOS_MOST 240u
typedef unsigned char chronos_few;
#define CHRONOS_PIECE(step) _Pragma("GCC unroll 16") for (; chronos_left != 0; chronos_left--, step)
#if defined(__i386__) || defined(__x86_64__)
#define CHRONOS_HIDE(flag) __asm__("" : "+q"(flag));
#else
#define CHRONOS_HIDE(flag) __asm__("" : "+r"(flag));
#endif
#else
#define CHRONOS_MOST 0xffffffffu
typedef unsigned chronos_few;
#define CHRONOS_PIECE(step) for (; chronos_left != 0; chronos_left--, step)
#define CHRONOS_HIDE(flag)
#endif
#define CHRONOS_PIECES(left) unsigned chronos_left = (left) < CHRONOS_MOST ? (unsigned)(left) + 1 : CHRONOS_MOST;
#ifdef CHRONOS_ORDER
#define CHRONOS_BYTE(point)
#define CHRONOS_FLAG_TAKEN(point, condition) CHRONOS_TAKEN(point, condition)
#define CHRONOS_SEEN(point)
#define CHRONOS_SUM(point)
#else
#define CHRONOS_BYTE(point) chronos_few chronos_few_##point = 0, chronos_is_##point;
#define CHRONOS_FLAG_TAKEN(point, condition) (chronos_is_##point = (condition) ? 1 : 0, chronos_is_##point)
#define CHRONOS_SEEN(point) CHRONOS_HIDE(chronos_is_##point) chronos_few_##point += chronos_is_##point;
#define CHRONOS_SUM(point) chronos_at_##point += chronos_few_##point;
#endif

/* Functions that a value is handed through. */
#if defined(__GNUC__) && !defined(CHRONOS_ORDER)
#define CHRONOS_PASSING(name, type, given)                                             \
  static __inline__ __attribute__((unused)) type name(unsigned point, given value) { \
    CHRONOS(point);                                                                \
    return (type)value;                                                            \
  }
#else
#define CHRONOS_PASSING(name, type, given) type name(unsigned point, given value);
#endif
CHRONOS_PASSING(chronos_int, int, int)
CHRONOS_PASSING(chronos_unsigned, unsigned, unsigned)
CHRONOS_PASSING(chronos_long, long long, long long)
CHRONOS_PASSING(chronos_unsigned_long, unsigned long long, unsigned long long)
CHRONOS_PASSING(chronos_double, double, double)
CHRONOS_PASSING(chronos_pointer, void *, const void *)

#endif
