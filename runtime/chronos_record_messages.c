/* Receives, probes and waits of a program whose times are recorded (chronos record): beside what was asked for they tell
 * what wildcards matched, by statuses of their own where the program has none. See chronos_record.c. */
#if defined(CHRONOS_WITH_MPI) && defined(CHRONOS_RECORD)
#include "chronos_calls.h"
#include <stdlib.h>
#include <string.h>

typedef chronos_number number;

#define ROOM void *data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm
#define GIVEN data, count, type, peer, tag, comm

static int is_wild(int peer, int tag) { return peer != MPI_PROC_NULL && (peer < 0 || tag < 0); }

static void got(MPI_Comm comm, const MPI_Status *status) {
  chronos_got(-1, chronos_task(comm, status->MPI_SOURCE), status->MPI_TAG);
}

/* The program's own status, or one beside it. */
static MPI_Status *known(MPI_Status *given, MPI_Status *own) { return given == MPI_STATUS_IGNORE ? own : given; }

/* --- receives --- */

WRAPPED(MPI_Recv)
int MPI_Recv(ROOM, MPI_Status *status) {
  CALLED(MPI_Recv)
  MPI_Status own;
  int code;
  chronos_message("recv", peer, tag, comm, chronos_bytes(count, type), -1);
  if (!is_wild(peer, tag)) return PMPI_Recv(GIVEN, status);
  status = known(status, &own);
  code = PMPI_Recv(GIVEN, status);
  if (code == MPI_SUCCESS) got(comm, status);
  return code;
}

/* An immediate receive, an immediate send, and a wait for both. */
typedef struct {
  int receive, send;
} exchange;

static exchange both(int to, int out_tag, number out, int from, int in_tag, number in, MPI_Comm comm) {
  exchange made = {chronos_request(MPI_REQUEST_NULL), chronos_request(MPI_REQUEST_NULL)};
  number waited[2];
  unsigned used = 0;
  if (from != MPI_PROC_NULL) chronos_message("recv", from, in_tag, comm, in, waited[used++] = made.receive);
  if (to != MPI_PROC_NULL) chronos_message("send", to, out_tag, comm, out, waited[used++] = made.send);
  if (used > 0) chronos_event("wait", used, waited);
  else chronos_nothing();
  return made;
}

static int exchanged(exchange made, int code, int from, int in_tag, MPI_Comm comm, const MPI_Status *status) {
  if (code == MPI_SUCCESS && is_wild(from, in_tag))
    chronos_got(made.receive, chronos_task(comm, status->MPI_SOURCE), status->MPI_TAG);
  chronos_release(made.receive);
  chronos_release(made.send);
  return code;
}

WRAPPED(MPI_Sendrecv)
int MPI_Sendrecv(const void *out, int out_count, MPI_Datatype out_type, int to, int out_tag, void *in, int in_count,
                 MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm, MPI_Status *status) {
  CALLED(MPI_Sendrecv)
  MPI_Status own;
  const exchange made =
      both(to, out_tag, chronos_bytes(out_count, out_type), from, in_tag, chronos_bytes(in_count, in_type), comm);
  if (is_wild(from, in_tag)) status = known(status, &own);
  return exchanged(
      made, PMPI_Sendrecv(out, out_count, out_type, to, out_tag, in, in_count, in_type, from, in_tag, comm, status), from,
      in_tag, comm, status);
}
WRAPPED(MPI_Sendrecv_replace)
int MPI_Sendrecv_replace(void *data, int count, MPI_Datatype type, int to, int out_tag, int from, int in_tag,
                         MPI_Comm comm, MPI_Status *status) {
  CALLED(MPI_Sendrecv_replace)
  MPI_Status own;
  const number bytes = chronos_bytes(count, type);
  const exchange made = both(to, out_tag, bytes, from, in_tag, bytes, comm);
  if (is_wild(from, in_tag)) status = known(status, &own);
  return exchanged(made, PMPI_Sendrecv_replace(data, count, type, to, out_tag, from, in_tag, comm, status), from, in_tag,
                   comm, status);
}

/* --- completion --- */

/* Requests of a call before it: afterwards their handles are gone. */
typedef struct {
  int *ids;
  int count, wild;
  MPI_Status *statuses; /* those that the call fills, where it has none of the program */
} requested;

static requested before(int count, const MPI_Request list[], const MPI_Status *given, const MPI_Status *ignored) {
  requested all = {0, count > 0 ? count : 0, 0, 0};
  int i;
  all.ids = malloc(((size_t)all.count + 1) * sizeof *all.ids);
  if (all.ids) chronos_find_each(all.count, list, all.ids);
  for (i = 0; all.ids && i < all.count; i++) {
    if (all.ids[i] >= 0 && chronos_is_wild(all.ids[i])) all.wild = 1;
  }
  if (all.wild && given == ignored) all.statuses = malloc(((size_t)all.count + 1) * sizeof *all.statuses);
  return all;
}

static unsigned add(number *values, unsigned used, int id) {
  const int *parts;
  unsigned count = chronos_parts(id, &parts), part;
  if (!chronos_is_nobody(id)) values[used++] = id;
  for (part = 0; part < count; part++) values[used++] = parts[part];
  return used;
}

/* Tells a wait for those at these positions (the first ones where there are no positions), and what wild ones got. */
static void waited(requested *all, int count, const int *positions, const MPI_Status *given) {
  const MPI_Status *statuses = all->statuses ? all->statuses : given;
  const int *parts;
  size_t most = 1;
  number *values;
  unsigned used = 0;
  int i;
  for (i = 0; all->ids && i < count; i++) {
    const int id = all->ids[positions ? positions[i] : i];
    if (id >= 0) most += 1 + chronos_parts(id, &parts);
  }
  values = malloc(most * sizeof *values);
  for (i = 0; all->ids && values && i < count; i++) {
    const int id = all->ids[positions ? positions[i] : i];
    if (id >= 0) used = add(values, used, id);
  }
  if (used > 0) chronos_event("wait", used, values);
  else chronos_nothing();
  for (i = 0; all->ids && i < count; i++) {
    const int id = all->ids[positions ? positions[i] : i];
    if (id < 0) continue;
    if (all->wild && chronos_is_wild(id)) chronos_got(id, chronos_source(id, statuses[i].MPI_SOURCE), statuses[i].MPI_TAG);
    chronos_forget(id);
  }
  free(values);
  free(all->ids);
  free(all->statuses);
}

/* `given` and `ignored`: the program's statuses, and what stands for none; `done` and `positions`: what has completed. */
#define COMPLETES(name, parameters, arguments, n, list, given, ignored, done, positions)      \
  WRAPPED(name)                                                                               \
  int name parameters {                                                                       \
    CALLED(name)                                                                              \
    requested all = before(n, list, given, ignored);                                          \
    int code;                                                                                 \
    if (all.statuses) given = all.statuses;                                                   \
    code = P##name arguments;                                                                 \
    waited(&all, (done), positions, given);                                                   \
    return code;                                                                              \
  }
#define ONE MPI_STATUS_IGNORE
#define MANY MPI_STATUSES_IGNORE
COMPLETES(MPI_Wait, (MPI_Request *request, MPI_Status *status), (request, status), 1, request, status, ONE, 1, 0)
COMPLETES(MPI_Waitall, (int n, MPI_Request list[], MPI_Status *statuses), (n, list, statuses), n, list, statuses, MANY, n, 0)
COMPLETES(MPI_Waitany, (int n, MPI_Request list[], int *index, MPI_Status *status), (n, list, index, status), n, list,
          status, ONE, *index != MPI_UNDEFINED, index)
COMPLETES(MPI_Waitsome, (int n, MPI_Request list[], int *done, int positions[], MPI_Status *statuses),
          (n, list, done, positions, statuses), n, list, statuses, MANY, *done != MPI_UNDEFINED ? *done : 0, positions)
COMPLETES(MPI_Test, (MPI_Request *request, int *flag, MPI_Status *status), (request, flag, status), 1, request, status,
          ONE, *flag != 0, 0)
COMPLETES(MPI_Testall, (int n, MPI_Request list[], int *flag, MPI_Status *statuses), (n, list, flag, statuses), n, list,
          statuses, MANY, *flag ? n : 0, 0)
COMPLETES(MPI_Testany, (int n, MPI_Request list[], int *index, int *flag, MPI_Status *status),
          (n, list, index, flag, status), n, list, status, ONE, *flag && *index != MPI_UNDEFINED, index)
COMPLETES(MPI_Testsome, (int n, MPI_Request list[], int *done, int positions[], MPI_Status *statuses),
          (n, list, done, positions, statuses), n, list, statuses, MANY, *done != MPI_UNDEFINED ? *done : 0, positions)

/* A receive that was taken back is complete at once; one whose message has come, and a send, go on. */
static int is_taken_back(MPI_Request request) {
  MPI_Status status;
  int complete = 0, cancelled = 0;
  if (PMPI_Request_get_status(request, &complete, &status) != MPI_SUCCESS || !complete) return 0;
  PMPI_Test_cancelled(&status, &cancelled);
  return cancelled;
}

WRAPPED(MPI_Cancel)
int MPI_Cancel(MPI_Request *request) {
  CALLED(MPI_Cancel)
  const int id = chronos_find(*request);
  const int code = PMPI_Cancel(request);
  const number taken = id;
  if (id >= 0 && chronos_is_receive(id) && is_taken_back(*request)) {
    chronos_event("cancel", 1, &taken);
    chronos_nobody(id);
  }
  return code;
}

/* --- probes --- */

WRAPPED(MPI_Probe)
int MPI_Probe(int peer, int tag, MPI_Comm comm, MPI_Status *status) {
  CALLED(MPI_Probe)
  MPI_Status own;
  int code;
  chronos_message("probe", peer, tag, comm, 0, -1);
  status = known(status, &own);
  code = PMPI_Probe(peer, tag, comm, status);
  if (code == MPI_SUCCESS && is_wild(peer, tag)) got(comm, status);
  return code;
}
WRAPPED(MPI_Iprobe)
int MPI_Iprobe(int peer, int tag, MPI_Comm comm, int *flag, MPI_Status *status) {
  CALLED(MPI_Iprobe)
  MPI_Status own;
  int code;
  status = known(status, &own);
  code = PMPI_Iprobe(peer, tag, comm, flag, status);
  chronos_message("probe", *flag ? peer : MPI_PROC_NULL, tag, comm, 0, -1);
  if (*flag && is_wild(peer, tag)) got(comm, status);
  return code;
}
WRAPPED(MPI_Mprobe)
int MPI_Mprobe(int peer, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status) {
  CALLED(MPI_Mprobe)
  MPI_Status own;
  int code;
  chronos_message("probe", peer, tag, comm, 0, -1);
  status = known(status, &own);
  code = PMPI_Mprobe(peer, tag, comm, message, status);
  chronos_matched(*message, comm, status);
  if (code == MPI_SUCCESS && is_wild(peer, tag)) got(comm, status);
  return code;
}
WRAPPED(MPI_Improbe)
int MPI_Improbe(int peer, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status) {
  CALLED(MPI_Improbe)
  MPI_Status own;
  int code;
  status = known(status, &own);
  code = PMPI_Improbe(peer, tag, comm, flag, message, status);
  chronos_message("probe", *flag ? peer : MPI_PROC_NULL, tag, comm, 0, -1);
  if (*flag) {
    chronos_matched(*message, comm, status);
    if (is_wild(peer, tag)) got(comm, status);
  }
  return code;
}
#else
typedef int chronos_no_record_messages;
#endif
