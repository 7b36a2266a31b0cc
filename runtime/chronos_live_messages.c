/* Calls of MPI whose outcome a driver decides (chronos run): receives, completion, probes. Each asks first, then does what
 * the answer says. See chronos_live.c. */
#ifdef CHRONOS_WITH_MPI
#include "chronos_live.h"
#include "chronos_calls.h"
#include "direct.h"
#include <stdlib.h>
#include <string.h>

PROFILED(MPI_Waitall)
PROFILED(MPI_Wait)
PROFILED(MPI_Testany)
PROFILED(MPI_Irecv)
PROFILED(MPI_Isend)
PROFILED(MPI_Pack_size)
PROFILED(MPI_Pack)

typedef chronos_number number;

/* --- requests --- */

/* Requests that are asked about: their numbers, and at which position of the call each stands. */
typedef struct {
  number *ids;
  int *positions;
  unsigned count;
} asked;

static MPI_Request handle_of(number id) { return (MPI_Request)chronos_handle((int)id); }

/* Gives receives their messages. */
static void deliver(unsigned count, const number *messages) {
  for (; count >= CHRONOS_MESSAGE; count -= CHRONOS_MESSAGE, messages += CHRONOS_MESSAGE)
    if (messages[CHRONOS_REQUEST] >= 0)
      cm_give(handle_of(messages[CHRONOS_REQUEST]), (int)messages[CHRONOS_SENDER], (long)messages[CHRONOS_NUMBER]);
}

static void add(asked *all, unsigned *room, int id, int position) {
  if (all->count == *room) {
    *room = 2 * *room + 16;
    all->ids = realloc(all->ids, *room * sizeof *all->ids);
    all->positions = realloc(all->positions, *room * sizeof *all->positions);
    if (!all->ids || !all->positions) abort();
  }
  all->ids[all->count] = id;
  all->positions[all->count++] = position;
}

/* Those that somebody else has a part in. */
static asked open_requests(int count, const MPI_Request list[]) {
  asked all = {0, 0, 0};
  unsigned room = 0, parts, part;
  int i;
  for (i = 0; i < count; i++) {
    const int id = chronos_find(list[i]), *others;
    if (id < 0) continue;
    if (!chronos_is_nobody(id)) add(&all, &room, id, i);
    parts = chronos_parts(id, &others);
    for (part = 0; part < parts; part++) add(&all, &room, others[part], i);
  }
  return all;
}

static void release(asked *all) {
  free(all->ids);
  free(all->positions);
}

/* The first that is complete because it concerns nobody; -1. */
static int complete_at_once(int count, const MPI_Request list[]) {
  const int *others;
  int i;
  for (i = 0; i < count; i++) {
    const int id = chronos_find(list[i]);
    if (id >= 0 && chronos_is_nobody(id) && chronos_parts(id, &others) == 0) return i;
  }
  return -1;
}

static int finish_all(int count, MPI_Request list[], MPI_Status statuses[]) {
  int *ids = malloc(((size_t)(count > 0 ? count : 0) + 1) * sizeof *ids), i, code;
  if (ids) chronos_find_each(count, list, ids);
  code = PMPI_Waitall(count, list, statuses);
  for (i = 0; ids && i < count; i++) chronos_forget(ids[i]);
  free(ids);
  return code;
}

static int finish_one(MPI_Request *request, MPI_Status *status) {
  const int id = chronos_find(*request), code = PMPI_Wait(request, status);
  chronos_forget(id);
  return code;
}

/* --- all --- */

/* Whether all are complete. */
static int all_complete(const char *what, int count, const MPI_Request list[]) {
  asked all = open_requests(count, list);
  int complete = 1;
  if (all.count == 0) {
    chronos_nothing();
  } else {
    const chronos_answer found = chronos_ask(what, all.count, all.ids);
    complete = found.kind != CHRONOS_NOT_YET;
    if (found.kind == CHRONOS_ARRIVED) deliver(found.count, found.numbers);
    if (found.kind == CHRONOS_ANY) deliver(found.count - 1, found.numbers + 1);
  }
  release(&all);
  return complete;
}

WRAPPED(MPI_Wait)
int MPI_Wait(MPI_Request *request, MPI_Status *status) {
  all_complete("wait", 1, request);
  return finish_one(request, status);
}
WRAPPED(MPI_Waitall)
int MPI_Waitall(int count, MPI_Request list[], MPI_Status statuses[]) {
  all_complete("wait", count, list);
  return finish_all(count, list, statuses);
}
WRAPPED(MPI_Test)
int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status) {
  LEAVES();
  *flag = all_complete("test", 1, request);
  return *flag ? finish_one(request, status) : MPI_SUCCESS;
}
WRAPPED(MPI_Testall)
int MPI_Testall(int count, MPI_Request list[], int *flag, MPI_Status statuses[]) {
  LEAVES();
  *flag = all_complete("test", count, list);
  return *flag ? finish_all(count, list, statuses) : MPI_SUCCESS;
}

/* --- one of them, or some --- */

/* The position of one that is complete; -1 where none is, MPI_UNDEFINED where there is none. */
static int one_complete(const char *what, int count, const MPI_Request list[]) {
  asked all = open_requests(count, list);
  int found = complete_at_once(count, list);
  if (found < 0 && all.count > 0) {
    const chronos_answer told = chronos_ask(what, all.count, all.ids);
    if (told.kind == CHRONOS_ANY && told.numbers[0] < (number)all.count) {
      found = all.positions[told.numbers[0]];
      deliver(told.count - 1, told.numbers + 1);
    }
  } else if (found < 0) {
    found = MPI_UNDEFINED;
  }
  release(&all);
  return found;
}

static int finish_any(int found, MPI_Request list[], int *index, MPI_Status *status) {
  int flag;
  *index = found;
  if (found != MPI_UNDEFINED) return finish_one(&list[found], status);
  return PMPI_Testany(0, list, index, &flag, status); /* an empty status */
}

WRAPPED(MPI_Waitany)
int MPI_Waitany(int count, MPI_Request list[], int *index, MPI_Status *status) {
  if (complete_at_once(count, list) >= 0) chronos_nothing();
  return finish_any(one_complete("waitany", count, list), list, index, status);
}
WRAPPED(MPI_Testany)
int MPI_Testany(int count, MPI_Request list[], int *index, int *flag, MPI_Status *status) {
  LEAVES();
  int found;
  if (complete_at_once(count, list) >= 0) chronos_nothing();
  found = one_complete("testany", count, list);
  *flag = found != -1;
  *index = MPI_UNDEFINED;
  return *flag ? finish_any(found, list, index, status) : MPI_SUCCESS;
}

/* Takes all that are complete, one after the other; the first is waited for where the call does so. */
static int some(int waits, int count, MPI_Request list[], int *done, int positions[], MPI_Status statuses[]) {
  int code = MPI_SUCCESS, found = 0;
  *done = 0;
  for (;;) {
    MPI_Status *status = statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[*done];
    found = one_complete(waits && *done == 0 ? "waitany" : "testany", count, list);
    if (found < 0 || found == MPI_UNDEFINED) break;
    positions[(*done)++] = found;
    if (code == MPI_SUCCESS) code = finish_one(&list[found], status);
  }
  if (*done == 0 && found == MPI_UNDEFINED) {
    chronos_nothing();
    *done = MPI_UNDEFINED;
  }
  return code;
}

WRAPPED(MPI_Waitsome)
int MPI_Waitsome(int count, MPI_Request list[], int *done, int positions[], MPI_Status statuses[]) {
  return some(1, count, list, done, positions, statuses);
}
WRAPPED(MPI_Testsome)
int MPI_Testsome(int count, MPI_Request list[], int *done, int positions[], MPI_Status statuses[]) {
  LEAVES();
  return some(0, count, list, done, positions, statuses);
}

WRAPPED(MPI_Cancel)
int MPI_Cancel(MPI_Request *request) {
  LEAVES();
  const number id = chronos_find(*request);
  if (id < 0 || !chronos_is_receive((int)id)) chronos_nothing();
  else if (chronos_ask("cancel", 1, &id).kind == CHRONOS_NOT_YET) return MPI_SUCCESS;
  else chronos_nobody((int)id);
  return PMPI_Cancel(request);
}

/* --- receives --- */

#define ROOM void *data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm
#define GIVEN data, count, type, peer, tag, comm

static chronos_answer ask_for(const char *what, int peer, int tag, MPI_Comm comm, number bytes) {
  const number values[] = {chronos_task(comm, peer), tag < 0 ? -1 : tag, chronos_comm(comm), bytes, -1};
  return chronos_ask(what, 5, values);
}

static int is_message(const chronos_answer *found) {
  return found->kind == CHRONOS_ARRIVED && found->count >= CHRONOS_MESSAGE;
}

WRAPPED(MPI_Recv)
int MPI_Recv(ROOM, MPI_Status *status) {
  MPI_Request request;
  chronos_answer found;
  int code;
  if (peer == MPI_PROC_NULL) {
    chronos_nothing();
    return PMPI_Recv(GIVEN, status);
  }
  found = ask_for("recv", peer, tag, comm, chronos_bytes(count, type));
  code = PMPI_Irecv(GIVEN, &request);
  if (code != MPI_SUCCESS) return code;
  if (is_message(&found)) cm_give(request, (int)found.numbers[CHRONOS_SENDER], (long)found.numbers[CHRONOS_NUMBER]);
  return PMPI_Wait(&request, status);
}

/* An immediate receive, an immediate send, and a wait for both. What is sent is on its way before it waits. */
WRAPPED(MPI_Sendrecv)
int MPI_Sendrecv(const void *out, int out_count, MPI_Datatype out_type, int to, int out_tag, void *in, int in_count,
                 MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm, MPI_Status *status) {
  MPI_Request requests[2];
  MPI_Status statuses[2];
  const number ids[] = {chronos_request(MPI_REQUEST_NULL), chronos_request(MPI_REQUEST_NULL)};
  number waited[2];
  unsigned used = 0;
  int code = PMPI_Irecv(in, in_count, in_type, from, in_tag, comm, &requests[0]);
  if (code == MPI_SUCCESS) code = PMPI_Isend(out, out_count, out_type, to, out_tag, comm, &requests[1]);
  if (code != MPI_SUCCESS) return code;
  if (from != MPI_PROC_NULL) {
    chronos_message("recv", from, in_tag, comm, chronos_bytes(in_count, in_type), ids[0]);
    waited[used++] = ids[0];
  }
  if (to != MPI_PROC_NULL) {
    chronos_message("send", to, out_tag, comm, chronos_bytes(out_count, out_type), ids[1]);
    waited[used++] = ids[1];
  }
  if (used == 0) {
    chronos_nothing();
  } else {
    const chronos_answer found = chronos_ask("wait", used, waited);
    if (is_message(&found))
      cm_give(requests[0], (int)found.numbers[CHRONOS_SENDER], (long)found.numbers[CHRONOS_NUMBER]);
  }
  chronos_release((int)ids[0]);
  chronos_release((int)ids[1]);
  code = PMPI_Waitall(2, requests, statuses);
  if (status != MPI_STATUS_IGNORE) *status = statuses[0];
  return code;
}
WRAPPED(MPI_Sendrecv_replace)
int MPI_Sendrecv_replace(void *data, int count, MPI_Datatype type, int to, int out_tag, int from, int in_tag,
                         MPI_Comm comm, MPI_Status *status) {
  int bytes = 0, used = 0, code;
  char *packed;
  PMPI_Pack_size(count, type, comm, &bytes);
  packed = malloc((size_t)bytes + 1);
  if (!packed) return MPI_ERR_NO_MEM;
  PMPI_Pack(data, count, type, packed, bytes, &used, comm);
  code = MPI_Sendrecv(packed, used, MPI_PACKED, to, out_tag, data, count, type, from, in_tag, comm, status);
  free(packed);
  return code;
}

/* --- probes --- */

WRAPPED(MPI_Probe)
int MPI_Probe(int peer, int tag, MPI_Comm comm, MPI_Status *status) {
  LEAVES();
  chronos_answer found;
  if (peer == MPI_PROC_NULL) {
    chronos_nothing();
    return PMPI_Probe(peer, tag, comm, status);
  }
  found = ask_for("probe", peer, tag, comm, 0);
  if (is_message(&found)) cm_look((int)found.numbers[CHRONOS_SENDER], (long)found.numbers[CHRONOS_NUMBER], status);
  return MPI_SUCCESS;
}
WRAPPED(MPI_Iprobe)
int MPI_Iprobe(int peer, int tag, MPI_Comm comm, int *flag, MPI_Status *status) {
  LEAVES();
  chronos_answer found;
  if (peer == MPI_PROC_NULL) {
    chronos_nothing();
    return PMPI_Iprobe(peer, tag, comm, flag, status);
  }
  found = ask_for("iprobe", peer, tag, comm, 0);
  *flag = is_message(&found);
  if (*flag) cm_look((int)found.numbers[CHRONOS_SENDER], (long)found.numbers[CHRONOS_NUMBER], status);
  return MPI_SUCCESS;
}

static void match(const chronos_answer *found, MPI_Comm comm, MPI_Message *message, MPI_Status *status) {
  MPI_Status own;
  *message = cm_match((int)found->numbers[CHRONOS_SENDER], (long)found->numbers[CHRONOS_NUMBER], &own);
  chronos_matched(*message, comm, &own);
  if (status != MPI_STATUS_IGNORE) *status = own;
}

WRAPPED(MPI_Mprobe)
int MPI_Mprobe(int peer, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status) {
  chronos_answer found;
  if (peer == MPI_PROC_NULL) {
    chronos_nothing();
    return PMPI_Mprobe(peer, tag, comm, message, status);
  }
  found = ask_for("probe", peer, tag, comm, 0);
  if (is_message(&found)) match(&found, comm, message, status);
  return MPI_SUCCESS;
}
WRAPPED(MPI_Improbe)
int MPI_Improbe(int peer, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status) {
  LEAVES();
  chronos_answer found;
  if (peer == MPI_PROC_NULL) {
    chronos_nothing();
    return PMPI_Improbe(peer, tag, comm, flag, message, status);
  }
  found = ask_for("iprobe", peer, tag, comm, 0);
  *flag = is_message(&found);
  if (*flag) match(&found, comm, message, status);
  return MPI_SUCCESS;
}
#else
typedef int chronos_no_live_messages;
#endif
