/* Windows, for the files that make them and those that use them. */
#ifndef CHRONOS_MPI_WINDOWS_H
#define CHRONOS_MPI_WINDOWS_H
#include "internal.h"

/* A task that waits for a lock. */
typedef struct cm_waiting_lock {
  struct cm_waiting_lock *next;
  int task, kind;
} cm_waiting_lock;

typedef struct cm_window {
  int handle, number, flavor, unit;
  cm_comm *comm;
  char *base;
  long size;
  int open;                    /* operations of this task that are not done at their target */
  int *open_at;                /* the same by rank */
  int *granted;                /* by rank: the lock that this task asked for is its own */
  int exclusive, shared;       /* locks that other tasks hold here */
  cm_waiting_lock *queue;
  int *posted;                 /* by rank: exposures to this task that were announced and not used */
  int completed;               /* tasks whose accesses to this exposure are complete */
  cm_group *accessed, *exposed; /* MPI_Win_start, MPI_Win_post */
  char *mapped;                /* memory that all share */
  long mapped_size, *shared_sizes;
  int *shared_units;
  char name[MPI_MAX_OBJECT_NAME];
  cm_attribute *attributes;
  MPI_Errhandler handler;
  MPI_Info info;
} cm_window;

/* What tasks tell each other about windows: words[0] of a header; words[1] is the window, words[2] a request. */
enum cm_what { CM_PUT, CM_GET, CM_ACCUMULATE, CM_SWAP, CM_ANSWER, CM_LOCK, CM_GRANT, CM_UNLOCK, CM_POSTED, CM_COMPLETE };

cm_window *cm_window_of(MPI_Win handle); /* reports where there is none */
cm_window *cm_window_numbered(int context);
int cm_window_error(cm_window *window, int class, const char *what);
void cm_window_tell(cm_window *window, int rank, int what, long word, char *payload, long bytes);
void cm_window_flush(cm_window *window, int rank); /* -1: all */
/* What comes for operations (remote.c) and for locks and exposures (epochs.c). */
void cm_remote_arrived(cm_window *window, const cm_header *header, char *payload);
void cm_epoch_arrived(cm_window *window, const cm_header *header);

#define CHECK_WINDOW(window, handle)           \
  cm_window *window = cm_window_of(handle);    \
  if (!window) return MPI_ERR_WIN

#endif
