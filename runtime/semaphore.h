/* Semaphores of POSIX for chronos: see pthread.h. */
#include_next <semaphore.h>
#ifndef CHRONOS_SEMAPHORE_H
#define CHRONOS_SEMAPHORE_H 1

extern int __chronos_thread_sem_init(void *, unsigned);
extern int __chronos_thread_sem_wait(void *);
extern int __chronos_thread_sem_trywait(void *);
extern int __chronos_thread_sem_post(void *);

#define sem_init(semaphore, shared, value) ((void)(shared), __chronos_thread_sem_init(semaphore, value))
#define sem_wait __chronos_thread_sem_wait
#define sem_trywait __chronos_thread_sem_trywait
#define sem_post __chronos_thread_sem_post

#endif
