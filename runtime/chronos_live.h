/* Between a program that is executed in virtual time and who drives it (chronos run). See chronos_live.c. */
#ifndef CHRONOS_LIVE_H
#define CHRONOS_LIVE_H

/* What came of an event. */
enum { CHRONOS_NOTHING, CHRONOS_ARRIVED, CHRONOS_ANY, CHRONOS_NOT_YET, CHRONOS_TIME, CHRONOS_CHILDREN };

typedef struct {
  long long kind;
  unsigned count;
  const long long *numbers; /* until the next answer */
} chronos_answer;

/* A program that tasks are started of (MPI_Comm_spawn); of the first, that of the tasks that a run begins with, no
 * function is told. Generated for the program: chronos_programs.c. */
typedef struct {
  const char *name;
  int (*main)(int, char **, char **);
} chronos_program;
extern const chronos_program chronos_programs[];

/* The number of the first of so many tasks that this one starts. */
int chronos_first_child(int count);
/* The same, and tells of it; where the program starts tasks. */
int chronos_children(int count) __attribute__((weak));

/* The numbers of a message in an answer. */
enum { CHRONOS_REQUEST, CHRONOS_SENDER, CHRONOS_NUMBER, CHRONOS_TAG, CHRONOS_BYTES, CHRONOS_MESSAGE };

/* Tells an event, as chronos_event does, and waits for what comes of it. */
chronos_answer chronos_ask(const char *what, unsigned count, const long long *numbers);

/* At the begin of a call that may end without one of the bundled MPI, which tell their end themselves: what the call took, the answer
 * that it waited for included, is no time of the program. */
#define LEAVES() int chronos_inside __attribute__((cleanup(chronos_leaves), unused)) = 0
void chronos_leaves(const int *inside);

#endif
