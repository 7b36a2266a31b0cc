/* The ground of the bundled MPI: tasks that hand each other headers with bytes.
 *
 * What a replacement (another way to connect tasks, or a simulator that decides when what arrives) has to give:
 *   - messages from one task to another arrive in the order in which they were sent, whole, and once;
 *   - cm_post() never waits for the other task; *drained becomes 1 when the payload is out of this task's hands;
 *   - cm_progress() calls cm_arrived() for all that has come. Where it may wait, it returns after at least one change
 *     (something arrived, something drained), sleeping until then.
 * Nothing arrives while none of these functions runs: MPI's state needs no locks. */
#ifndef CHRONOS_MPI_TRANSPORT_H
#define CHRONOS_MPI_TRANSPORT_H

typedef struct {
  int kind;          /* what it is for: see enum cm_kind */
  int from;          /* number of the sending task */
  int context, tag;
  int rank;          /* of the sender in its communicator */
  int sync;          /* an acknowledgement is asked for */
  long length;       /* of the payload in bytes */
  long words[6];     /* by kind */
} cm_header;

enum cm_kind { CM_MESSAGE, CM_ACKNOWLEDGE, CM_WINDOW };

/* The number of this task and of all; from this one on tasks stand by until others start them. */
extern int cm_task, cm_tasks, cm_begun;

/* Sends a message to a task, this one included. Takes the payload (from malloc, or 0) over. */
void cm_post(int to, const cm_header *header, char *payload, int *drained);
/* What arrives; the payload is handed over. To be given by the layer above. */
void cm_arrived(cm_header *header, char *payload);
/* Handles all that has come; where `wait` is not 0, waits until something changes. Returns the number of changes. */
int cm_progress(int wait);
/* The same for calls that ask in a loop: sleeps a moment when nothing changes for long. */
void cm_glance(void);
/* Waits until all that was sent is out of this task's hands. */
void cm_drain(void);

/* --- between tasks and who started them --- */

/* For messages about tasks that wait for each other. */
typedef struct {
  volatile int blocked, initialized, finalized, aborted, code;
  unsigned long sent;                     /* packets to this task, counted by those who send them */
  volatile unsigned long received, waits; /* packets; times of waiting */
  const char *volatile function; /* all tasks are copies of one program: the address means the same in each */
  volatile int peer, tag, has_peer;
  volatile int has_turn; /* to compute: see turns.c */
} cm_state;

/* Of this task, and of task 0 and those behind it. */
extern cm_state *cm_here, *cm_states;
/* Ends all tasks. */
void cm_abort(int code) __attribute__((noreturn));

#endif
