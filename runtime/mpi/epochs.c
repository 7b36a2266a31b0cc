/* Synchronisation of windows: fences, exposure to a group, locks. */
#include "windows.h"

/* --- all together --- */

API(MPI_Win_fence)
int MPI_Win_fence(int assertion, MPI_Win handle) {
  (void)assertion;
  ENTER();
  CHECK_WINDOW(window, handle);
  cm_window_flush(window, -1);
  cm_barrier(window->comm);
  return MPI_SUCCESS;
}

/* --- a group with a group --- */

API(MPI_Win_post)
int MPI_Win_post(MPI_Group of, int assertion, MPI_Win handle) {
  cm_group *group;
  int i;
  (void)assertion;
  ENTER();
  CHECK_WINDOW(window, handle);
  group = cm_group_of(of);
  if (!group) return MPI_ERR_GROUP;
  if (window->exposed) return cm_window_error(window, MPI_ERR_RMA_SYNC, "it is exposed already");
  window->exposed = cm_group_keep(group);
  for (i = 0; i < group->size; i++)
    cm_window_tell(window, cm_group_rank(window->comm->local, group->members[i]), CM_POSTED, 0, 0, 0);
  return MPI_SUCCESS;
}

API(MPI_Win_start)
int MPI_Win_start(MPI_Group of, int assertion, MPI_Win handle) {
  cm_group *group;
  int i;
  (void)assertion;
  ENTER();
  CHECK_WINDOW(window, handle);
  group = cm_group_of(of);
  if (!group) return MPI_ERR_GROUP;
  if (window->accessed) return cm_window_error(window, MPI_ERR_RMA_SYNC, "an access has begun already");
  window->accessed = cm_group_keep(group);
  for (i = 0; i < group->size; i++) {
    const int rank = cm_group_rank(window->comm->local, group->members[i]);
    while (window->posted[rank] == 0) cm_progress(1);
    window->posted[rank]--;
  }
  return MPI_SUCCESS;
}

API(MPI_Win_complete)
int MPI_Win_complete(MPI_Win handle) {
  int i;
  ENTER();
  CHECK_WINDOW(window, handle);
  if (!window->accessed) return cm_window_error(window, MPI_ERR_RMA_SYNC, "no access has begun (MPI_Win_start)");
  cm_window_flush(window, -1);
  for (i = 0; i < window->accessed->size; i++)
    cm_window_tell(window, cm_group_rank(window->comm->local, window->accessed->members[i]), CM_COMPLETE, 0, 0, 0);
  cm_group_drop(window->accessed);
  window->accessed = 0;
  return MPI_SUCCESS;
}

static int end_exposure(cm_window *window) {
  window->completed -= window->exposed->size;
  cm_group_drop(window->exposed);
  window->exposed = 0;
  return MPI_SUCCESS;
}

API(MPI_Win_wait)
int MPI_Win_wait(MPI_Win handle) {
  ENTER();
  CHECK_WINDOW(window, handle);
  if (!window->exposed) return cm_window_error(window, MPI_ERR_RMA_SYNC, "it is not exposed (MPI_Win_post)");
  while (window->completed < window->exposed->size) cm_progress(1);
  return end_exposure(window);
}

API(MPI_Win_test)
int MPI_Win_test(MPI_Win handle, int *flag) {
  ENTER();
  CHECK_WINDOW(window, handle);
  if (!window->exposed) return cm_window_error(window, MPI_ERR_RMA_SYNC, "it is not exposed (MPI_Win_post)");
  cm_glance();
  *flag = window->completed >= window->exposed->size;
  return *flag ? end_exposure(window) : MPI_SUCCESS;
}

/* --- one with another --- */

static int can_grant(const cm_window *window, int kind) {
  return !window->exclusive && (kind == MPI_LOCK_SHARED || window->shared == 0);
}

static void grant_waiting(cm_window *window) {
  while (window->queue && can_grant(window, window->queue->kind)) {
    cm_waiting_lock *first = window->queue;
    window->queue = first->next;
    if (first->kind == MPI_LOCK_EXCLUSIVE) window->exclusive = 1;
    else window->shared++;
    cm_window_tell(window, first->task, CM_GRANT, 0, 0, 0);
    free(first);
  }
}

static void lock_asked(cm_window *window, int task, int kind) {
  cm_waiting_lock **at = &window->queue, *waiting = cm_allocate(sizeof *waiting);
  waiting->task = task;
  waiting->kind = kind;
  while (*at) at = &(*at)->next;
  *at = waiting;
  grant_waiting(window);
}

static void unlocked(cm_window *window) {
  if (window->exclusive) window->exclusive = 0;
  else window->shared--;
  grant_waiting(window);
}

void cm_epoch_arrived(cm_window *window, const cm_header *header) {
  switch (header->words[0]) {
    case CM_LOCK: lock_asked(window, header->rank, (int)header->words[2]); break;
    case CM_GRANT: window->granted[header->rank] = 1; break;
    case CM_UNLOCK: unlocked(window); break;
    case CM_POSTED: window->posted[header->rank]++; break;
    case CM_COMPLETE: window->completed++; break;
    default: break;
  }
}

static int lock(cm_window *window, int kind, int rank) {
  if (kind != MPI_LOCK_EXCLUSIVE && kind != MPI_LOCK_SHARED)
    return cm_window_error(window, MPI_ERR_LOCKTYPE, "it is neither MPI_LOCK_EXCLUSIVE nor MPI_LOCK_SHARED");
  if (rank < 0 || rank >= window->comm->local->size)
    return cm_window_error(window, MPI_ERR_RANK, "there is no such task in the window");
  if (window->granted[rank]) return cm_window_error(window, MPI_ERR_RMA_SYNC, "the task is locked already");
  cm_window_tell(window, rank, CM_LOCK, kind, 0, 0);
  while (!window->granted[rank]) cm_progress(1);
  return MPI_SUCCESS;
}

static int unlock(cm_window *window, int rank) {
  if (rank < 0 || rank >= window->comm->local->size || !window->granted[rank])
    return cm_window_error(window, MPI_ERR_RMA_SYNC, "the task is not locked");
  cm_window_flush(window, rank);
  window->granted[rank] = 0;
  cm_window_tell(window, rank, CM_UNLOCK, 0, 0, 0);
  return MPI_SUCCESS;
}

API(MPI_Win_lock)
int MPI_Win_lock(int kind, int rank, int assertion, MPI_Win handle) {
  (void)assertion;
  ENTER();
  CHECK_WINDOW(window, handle);
  return rank == MPI_PROC_NULL ? MPI_SUCCESS : lock(window, kind, rank);
}

API(MPI_Win_unlock)
int MPI_Win_unlock(int rank, MPI_Win handle) {
  ENTER();
  CHECK_WINDOW(window, handle);
  return rank == MPI_PROC_NULL ? MPI_SUCCESS : unlock(window, rank);
}

API(MPI_Win_lock_all)
int MPI_Win_lock_all(int assertion, MPI_Win handle) {
  int rank, code = MPI_SUCCESS;
  (void)assertion;
  ENTER();
  CHECK_WINDOW(window, handle);
  for (rank = 0; rank < window->comm->local->size && code == MPI_SUCCESS; rank++)
    code = lock(window, MPI_LOCK_SHARED, rank);
  return code;
}

API(MPI_Win_unlock_all)
int MPI_Win_unlock_all(MPI_Win handle) {
  int rank, code = MPI_SUCCESS;
  ENTER();
  CHECK_WINDOW(window, handle);
  for (rank = 0; rank < window->comm->local->size && code == MPI_SUCCESS; rank++) code = unlock(window, rank);
  return code;
}

/* --- completion --- */

void cm_window_flush(cm_window *window, int rank) {
  while (rank < 0 ? window->open > 0 : window->open_at[rank] > 0) cm_progress(1);
}

static int flush(MPI_Win handle, int rank) {
  CHECK_WINDOW(window, handle);
  if (rank != MPI_PROC_NULL) cm_window_flush(window, rank);
  return MPI_SUCCESS;
}

API(MPI_Win_flush)
int MPI_Win_flush(int rank, MPI_Win handle) {
  ENTER();
  return flush(handle, rank);
}
API(MPI_Win_flush_local)
int MPI_Win_flush_local(int rank, MPI_Win handle) {
  ENTER();
  return flush(handle, rank);
}
API(MPI_Win_flush_all)
int MPI_Win_flush_all(MPI_Win handle) {
  ENTER();
  return flush(handle, -1);
}
API(MPI_Win_flush_local_all)
int MPI_Win_flush_local_all(MPI_Win handle) {
  ENTER();
  return flush(handle, -1);
}

API(MPI_Win_sync)
int MPI_Win_sync(MPI_Win handle) {
  ENTER();
  CHECK_WINDOW(window, handle);
  __sync_synchronize();
  cm_glance(); /* programs wait in loops around it */
  return MPI_SUCCESS;
}
