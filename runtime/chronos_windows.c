/* Records access to memory of other tasks. See chronos_calls.h. Compiled with programs that call it.
 *
 * A window is a communicator of its own, so that what keeps its accesses in order meets nothing else. An access is
 * a request; those that the program has none of are waited for where the window's synchronisation does. */
#ifdef CHRONOS_WITH_MPI
#include "chronos_calls.h"
#include <stdlib.h>
#include <string.h>

typedef chronos_number number;

/* Tags of the messages that grant access, and that tell of its end. */
enum { GRANT = 0, END = 1, AGREED = 8, NOTHING_MADE = 0 };

typedef struct {
  int count;
  number *tasks;
} group;

typedef struct {
  number handle, comm;
  int used;
  /* Accesses that are under way: ranks and requests. */
  int issued, room, *targets, *ids;
  group posted, started;
} window;

static window *windows;
static int window_count;

static number bits(MPI_Win handle) {
  number value = 0;
  memcpy(&value, &handle, sizeof handle < sizeof value ? sizeof handle : sizeof value);
  return value;
}

static window *find(MPI_Win handle) {
  int i;
  for (i = 0; i < window_count; i++)
    if (windows[i].used && windows[i].handle == bits(handle)) return &windows[i];
  return 0;
}

static void add(MPI_Win handle, MPI_Comm comm) {
  window *grown = 0;
  int i;
  for (i = 0; i < window_count && windows[i].used; i++) {
  }
  if (i == window_count) {
    grown = realloc(windows, ((size_t)i + 1) * sizeof *windows);
    if (!grown) return;
    windows = grown;
    window_count++;
  }
  memset(&windows[i], 0, sizeof *windows);
  windows[i].handle = bits(handle);
  windows[i].comm = chronos_copy(comm);
  windows[i].used = 1;
}

static void agree(number comm, number bytes) {
  const number values[] = {comm, -1, -1, 1, bytes};
  chronos_event("agreement", 5, values);
}

/* Waits for accesses to a rank, or to all (-1); whether there were some. */
static int flush(window *of, int target) {
  number *values = malloc(((size_t)of->issued + 1) * sizeof *values);
  unsigned waited = 0;
  int i, kept = 0;
  for (i = 0; values && i < of->issued; i++) {
    if (target < 0 || of->targets[i] == target) {
      values[waited++] = of->ids[i];
      chronos_release(of->ids[i]);
    } else {
      of->targets[kept] = of->targets[i];
      of->ids[kept++] = of->ids[i];
    }
  }
  if (values) of->issued = kept;
  if (waited > 0) chronos_event("wait", waited, values);
  free(values);
  return waited > 0;
}

static void flush_or_nothing(MPI_Win handle, int target) {
  window *of = find(handle);
  if (target == MPI_PROC_NULL || !of || !flush(of, target)) chronos_nothing();
}

static void access_by(MPI_Win handle, int target, number sent, number returned, int id) {
  const window *of = find(handle);
  const number values[] = {of ? chronos_member(of->comm, target) : target, sent, returned, id};
  chronos_event("access", 4, values);
}

static void access_without_request(MPI_Win handle, int target, number sent, number returned) {
  window *of = find(handle);
  int id;
  if (target == MPI_PROC_NULL || !of) {
    chronos_nothing();
    return;
  }
  if (of->issued == of->room) {
    const size_t room = 2 * (size_t)of->room + 16;
    int *targets = realloc(of->targets, room * sizeof *targets), *ids;
    if (targets) of->targets = targets;
    ids = realloc(of->ids, room * sizeof *ids);
    if (ids) of->ids = ids;
    if (!targets || !ids) return;
    of->room = (int)room;
  }
  id = chronos_request(MPI_REQUEST_NULL);
  of->targets[of->issued] = target;
  of->ids[of->issued++] = id;
  access_by(handle, target, sent, returned, id);
}

static void access_with_request(MPI_Win handle, int target, number sent, number returned, MPI_Request made) {
  if (target == MPI_PROC_NULL) {
    chronos_null_request(made);
    chronos_nothing();
  } else access_by(handle, target, sent, returned, chronos_request(made));
}

/* --- windows --- */

#define MAKES(name, parameters, arguments)                \
  WRAPPED(name)                                           \
  int name parameters {                                   \
    CALLED(name)                                          \
    int code;                                             \
    agree(chronos_comm(comm), AGREED);                    \
    code = P##name arguments;                             \
    if (code == MPI_SUCCESS) add(*made, comm);            \
    return code;                                          \
  }
MAKES(MPI_Win_create, (void *base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, MPI_Win *made),
      (base, size, unit, info, comm, made))
MAKES(MPI_Win_allocate, (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *made),
      (size, unit, info, comm, base, made))
MAKES(MPI_Win_allocate_shared, (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *made),
      (size, unit, info, comm, base, made))
MAKES(MPI_Win_create_dynamic, (MPI_Info info, MPI_Comm comm, MPI_Win *made), (info, comm, made))

WRAPPED(MPI_Win_free)
int MPI_Win_free(MPI_Win *handle) {
  CALLED(MPI_Win_free)
  window *of = find(*handle);
  if (of) {
    agree(of->comm, NOTHING_MADE);
    free(of->targets);
    free(of->ids);
    free(of->posted.tasks);
    free(of->started.tasks);
    of->used = 0;
  } else chronos_nothing();
  return PMPI_Win_free(handle);
}

/* --- synchronisation --- */

WRAPPED(MPI_Win_fence)
int MPI_Win_fence(int assertion, MPI_Win handle) {
  CALLED(MPI_Win_fence)
  window *of = find(handle);
  if (of) {
    const number values[] = {of->comm, -1, -1, 1, 0};
    flush(of, -1);
    chronos_event("barrier", 5, values);
  } else chronos_nothing();
  return PMPI_Win_fence(assertion, handle);
}

/* Messages without content to or from all members of a group. */
static void tell(const window *of, const group *members, const char *kind, int tag) {
  int i;
  for (i = 0; i < members->count; i++) {
    const number values[] = {members->tasks[i], tag, of->comm, 0, -1};
    chronos_event(kind, 5, values);
  }
  if (members->count == 0) chronos_nothing();
}

static void keep(group *members, MPI_Group given) {
  int *found = chronos_world_ranks(given, &members->count), i;
  number *tasks = realloc(members->tasks, ((size_t)members->count + 1) * sizeof *tasks);
  if (!found || !tasks) members->count = 0;
  if (tasks) members->tasks = tasks;
  for (i = 0; i < members->count; i++) tasks[i] = found[i];
  free(found);
}

WRAPPED(MPI_Win_post)
int MPI_Win_post(MPI_Group given, int assertion, MPI_Win handle) {
  CALLED(MPI_Win_post)
  window *of = find(handle);
  if (of) {
    keep(&of->posted, given);
    tell(of, &of->posted, "bsend", GRANT);
  } else chronos_nothing();
  return PMPI_Win_post(given, assertion, handle);
}
WRAPPED(MPI_Win_start)
int MPI_Win_start(MPI_Group given, int assertion, MPI_Win handle) {
  CALLED(MPI_Win_start)
  window *of = find(handle);
  if (of) {
    keep(&of->started, given);
    tell(of, &of->started, "recv", GRANT);
  } else chronos_nothing();
  return PMPI_Win_start(given, assertion, handle);
}
WRAPPED(MPI_Win_complete)
int MPI_Win_complete(MPI_Win handle) {
  CALLED(MPI_Win_complete)
  window *of = find(handle);
  if (of) {
    flush(of, -1);
    tell(of, &of->started, "bsend", END);
  } else chronos_nothing();
  return PMPI_Win_complete(handle);
}
WRAPPED(MPI_Win_wait)
int MPI_Win_wait(MPI_Win handle) {
  CALLED(MPI_Win_wait)
  window *of = find(handle);
  if (of) tell(of, &of->posted, "recv", END);
  else chronos_nothing();
  return PMPI_Win_wait(handle);
}
WRAPPED(MPI_Win_test)
int MPI_Win_test(MPI_Win handle, int *flag) {
  CALLED(MPI_Win_test)
  const int code = PMPI_Win_test(handle, flag);
  window *of = find(handle);
  if (of && *flag) tell(of, &of->posted, "recv", END);
  else chronos_nothing();
  return code;
}

WRAPPED(MPI_Win_lock)
int MPI_Win_lock(int kind, int target, int assertion, MPI_Win handle) {
  CALLED(MPI_Win_lock)
  const window *of = find(handle);
  if (of && target != MPI_PROC_NULL) {
    const number values[] = {of->comm, chronos_member(of->comm, target), kind == MPI_LOCK_EXCLUSIVE};
    chronos_event("lock", 3, values);
  } else chronos_nothing();
  return PMPI_Win_lock(kind, target, assertion, handle);
}
WRAPPED(MPI_Win_unlock)
int MPI_Win_unlock(int target, MPI_Win handle) {
  CALLED(MPI_Win_unlock)
  window *of = find(handle);
  if (of && target != MPI_PROC_NULL) {
    const number values[] = {of->comm, chronos_member(of->comm, target)};
    flush(of, target);
    chronos_event("unlock", 2, values);
  } else chronos_nothing();
  return PMPI_Win_unlock(target, handle);
}
WRAPPED(MPI_Win_lock_all)
int MPI_Win_lock_all(int assertion, MPI_Win handle) {
  CALLED(MPI_Win_lock_all)
  const window *of = find(handle);
  if (of) {
    const number values[] = {of->comm, -1, 0};
    chronos_event("lock", 3, values);
  } else chronos_nothing();
  return PMPI_Win_lock_all(assertion, handle);
}
WRAPPED(MPI_Win_unlock_all)
int MPI_Win_unlock_all(MPI_Win handle) {
  CALLED(MPI_Win_unlock_all)
  window *of = find(handle);
  if (of) {
    const number values[] = {of->comm, -1};
    flush(of, -1);
    chronos_event("unlock", 2, values);
  } else chronos_nothing();
  return PMPI_Win_unlock_all(handle);
}

#define FLUSHES(name, parameters, arguments, target) \
  WRAPPED(name)                                      \
  int name parameters {                              \
    CALLED(name)                                     \
    flush_or_nothing(handle, target);                \
    return P##name arguments;                        \
  }
FLUSHES(MPI_Win_flush, (int target, MPI_Win handle), (target, handle), target)
FLUSHES(MPI_Win_flush_local, (int target, MPI_Win handle), (target, handle), target)
FLUSHES(MPI_Win_flush_all, (MPI_Win handle), (handle), -1)
FLUSHES(MPI_Win_flush_local_all, (MPI_Win handle), (handle), -1)

/* --- accesses --- */

#define FROM const void *out, int out_count, MPI_Datatype out_type
#define INTO void *in, int in_count, MPI_Datatype in_type
#define PLACE int target, MPI_Aint at, int count, MPI_Datatype type
#define THERE target, at, count, type
#define MOVED chronos_bytes(count, type)

#define ACCESSES(name, with_request, parameters, arguments, sent, returned)               \
  WRAPPED(name)                                                                           \
  int name(UNPACKED parameters MPI_Win handle) {                                          \
    CALLED(name)                                                                          \
    access_without_request(handle, target, sent, returned);                               \
    return P##name(UNPACKED arguments handle);                                            \
  }                                                                                       \
  WRAPPED(with_request)                                                                   \
  int with_request(UNPACKED parameters MPI_Win handle, MPI_Request *made) {               \
    CALLED(with_request)                                                                  \
    const int code = P##with_request(UNPACKED arguments handle, made);                    \
    access_with_request(handle, target, sent, returned, *made);                           \
    return code;                                                                          \
  }
ACCESSES(MPI_Put, MPI_Rput, (FROM, PLACE, ), (out, out_count, out_type, THERE, ), MOVED, 0)
ACCESSES(MPI_Get, MPI_Rget, (INTO, PLACE, ), (in, in_count, in_type, THERE, ), 0, MOVED)
ACCESSES(MPI_Accumulate, MPI_Raccumulate, (FROM, PLACE, MPI_Op op, ), (out, out_count, out_type, THERE, op, ), MOVED, 0)
ACCESSES(MPI_Get_accumulate, MPI_Rget_accumulate, (FROM, INTO, PLACE, MPI_Op op, ),
         (out, out_count, out_type, in, in_count, in_type, THERE, op, ), op == MPI_NO_OP ? 0 : MOVED, MOVED)

WRAPPED(MPI_Fetch_and_op)
int MPI_Fetch_and_op(const void *out, void *in, MPI_Datatype type, int target, MPI_Aint at, MPI_Op op, MPI_Win handle) {
  CALLED(MPI_Fetch_and_op)
  const number moved = chronos_bytes(1, type);
  access_without_request(handle, target, op == MPI_NO_OP ? 0 : moved, moved);
  return PMPI_Fetch_and_op(out, in, type, target, at, op, handle);
}
WRAPPED(MPI_Compare_and_swap)
int MPI_Compare_and_swap(const void *out, const void *compared, void *in, MPI_Datatype type, int target, MPI_Aint at,
                         MPI_Win handle) {
  CALLED(MPI_Compare_and_swap)
  const number moved = chronos_bytes(1, type);
  access_without_request(handle, target, 2 * moved, moved);
  return PMPI_Compare_and_swap(out, compared, in, type, target, at, handle);
}
#else
typedef int chronos_no_windows;
#endif
