/* Runs whose time is simulated (chronos run): a driver outside tells which message a receive gets, which request has
 * completed, and what the clock shows. Messages still travel by the transport; each point-to-point message has a number,
 * counted by its sender from 0, by which the driver names it. */
#ifndef CHRONOS_MPI_DIRECT_H
#define CHRONOS_MPI_DIRECT_H
#include "mpi.h"
#include "transport.h"

typedef struct {
  void (*left)(void);   /* a call of MPI has ended */
  double (*time)(void); /* of the simulated clock, in seconds */
  int (*children)(int count); /* the number of the first of so many tasks that this one starts */
} cm_driver;

/* 0 where nobody drives: messages meet receives as they come. */
extern const cm_driver *cm_driven;

/* Gives a receive the message of this task with this number, waiting for it. */
void cm_give(MPI_Request receive, int from, long number);
/* Waits for a message and tells about it; it can still be received. */
void cm_look(int from, long number, MPI_Status *status);
/* The same, and takes it for MPI_Mrecv. */
MPI_Message cm_match(int from, long number, MPI_Status *status);
/* Serves the transport until a file can be read, or written. */
void cm_until(int file, int writes);

/* Whether others start this task: its main function does not begin before they do. */
int cm_stands_by(void);
/* Waits for the message by which a task starts this one: its arguments, the program's name first. */
char **cm_begin_spawned(int from, long number, int *count);
/* The numbers of the tasks of a group, to be freed. */
int *cm_members(MPI_Group group, int *count);

/* At most so many tasks compute at the same time; who waits lets others. */
void cm_turns_begin(int count);
void cm_turn_take(void);
void cm_turn_give(void);
/* Of a task that has ended. */
void cm_turn_return(cm_state *task);

#endif
