/* Threads of POSIX for chronos: that of the system, with calls that chronos follows in place of those that start, order and end
   threads. A started thread is a copy of the frame of `__chronos_thread_create`, as fork makes one of a process, so that the
   start function is called as any other function is. */
#include_next <pthread.h>
#ifndef CHRONOS_PTHREAD_H
#define CHRONOS_PTHREAD_H 1

/* Positive in the thread that calls, negative in the one that begins there; none where too many threads run. */
extern long __chronos_thread_fork(void *);
extern void __chronos_thread_end(void);
/* What it says of itself; 0 for the first thread. */
extern long __chronos_thread_number(void);
extern int __chronos_thread_join(unsigned long);
extern int __chronos_thread_mutex_lock(void *);
extern int __chronos_thread_mutex_unlock(void *);
extern int __chronos_thread_mutex_trylock(void *);
extern int __chronos_thread_cond_wait(void *, void *);
extern int __chronos_thread_cond_timedwait(void *, void *);
extern int __chronos_thread_cond_signal(void *);
extern int __chronos_thread_cond_broadcast(void *);
extern int __chronos_thread_barrier_init(void *, unsigned);
extern int __chronos_thread_barrier_wait(void *);
extern int __chronos_thread_yield(void);

/* What the threads returned, by their numbers. */
__attribute__((weak)) void *__chronos_thread_results[1025];

static inline int __chronos_thread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                                          void *argument) {
  long number = __chronos_thread_fork(argument);
  (void)attributes;
  if (number < 0) {
    __chronos_thread_results[-number] = start(argument);
    __chronos_thread_end();
  }
  if (number == 0) return 11; /* EAGAIN */
  *thread = (pthread_t)number;
  return 0;
}

static inline int __chronos_thread_joined(pthread_t thread, void **result) {
  int error = __chronos_thread_join((unsigned long)thread);
  if (error == 0 && result) *result = __chronos_thread_results[(unsigned long)thread];
  return error;
}

static inline __attribute__((noreturn)) void __chronos_thread_exit(void *result) {
  __chronos_thread_results[__chronos_thread_number()] = result;
  __chronos_thread_end();
}

static inline int __chronos_thread_once(int *state, void (*start)(void)) {
  if (*state == 0) {
    *state = 2;
    start();
  }
  return 0;
}

#define pthread_create __chronos_thread_create
#define pthread_join __chronos_thread_joined
#define pthread_exit __chronos_thread_exit
#define pthread_once __chronos_thread_once
#define pthread_mutex_lock __chronos_thread_mutex_lock
#define pthread_mutex_unlock __chronos_thread_mutex_unlock
#define pthread_mutex_trylock __chronos_thread_mutex_trylock
#define pthread_spin_lock(lock) __chronos_thread_mutex_lock((void *)(lock))
#define pthread_spin_unlock(lock) __chronos_thread_mutex_unlock((void *)(lock))
#define pthread_spin_trylock(lock) __chronos_thread_mutex_trylock((void *)(lock))
/* Readers keep each other out here, which none of them can see. */
#define pthread_rwlock_rdlock __chronos_thread_mutex_lock
#define pthread_rwlock_wrlock __chronos_thread_mutex_lock
#define pthread_rwlock_tryrdlock __chronos_thread_mutex_trylock
#define pthread_rwlock_trywrlock __chronos_thread_mutex_trylock
#define pthread_rwlock_unlock __chronos_thread_mutex_unlock
#define pthread_cond_wait __chronos_thread_cond_wait
#define pthread_cond_timedwait(condition, mutex, until) ((void)(until), __chronos_thread_cond_timedwait(condition, mutex))
#define pthread_cond_signal __chronos_thread_cond_signal
#define pthread_cond_broadcast __chronos_thread_cond_broadcast
#define pthread_barrier_init(barrier, attributes, count) ((void)(attributes), __chronos_thread_barrier_init(barrier, count))
#define pthread_barrier_wait __chronos_thread_barrier_wait
#define pthread_yield __chronos_thread_yield
#define sched_yield __chronos_thread_yield

#endif
