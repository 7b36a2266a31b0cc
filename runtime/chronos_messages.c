/* Records messages between two tasks, and what waits for them. See chronos_calls.h. */
#ifdef CHRONOS_WITH_MPI
#include "chronos_calls.h"
#include <stdlib.h>
#include <string.h>

typedef chronos_number number;

void chronos_nothing(void) { chronos_event("none", 0, 0); }

chronos_number chronos_bytes(chronos_number count, MPI_Datatype type) {
  int size = 0;
  if (count > 0 && type != MPI_DATATYPE_NULL) PMPI_Type_size(type, &size);
  return size > 0 ? count * size : 0;
}

/* --- requests --- */

typedef struct {
  number handle;
  int used, persistent, peer_is_null, receives, wild;
  int found; /* by a position of the call under way */
  number comm;
  /* What a persistent one records when it is started. */
  const char *kind;
  number values[5];
  /* The messages that it stands for, where these are several. */
  int *parts;
  unsigned part_count;
} known;

static known *requests;
static int room;

static number bits(MPI_Request request) {
  number value = 0;
  memcpy(&value, &request, sizeof request < sizeof value ? sizeof request : sizeof value);
  return value;
}

int chronos_request(MPI_Request request) {
  int id = 0;
  while (id < room && requests[id].used) id++;
  if (id == room) {
    known *grown = realloc(requests, (2 * (size_t)room + 64) * sizeof *requests);
    if (!grown) return -1;
    requests = grown;
    memset(requests + room, 0, ((size_t)room + 64) * sizeof *requests);
    room = 2 * room + 64;
  }
  memset(&requests[id], 0, sizeof *requests);
  requests[id].handle = bits(request);
  requests[id].used = 1;
  return id;
}

int chronos_find(MPI_Request request) {
  const number handle = bits(request);
  int id = 0;
  if (request == MPI_REQUEST_NULL) return -1;
  while (id < room && !(requests[id].used && requests[id].handle == handle)) id++;
  return id < room ? id : -1;
}

/* Requests that are complete as they are made may have one handle in common (Open MPI: messages that leave at once), so
 * each position of a call takes a number of its own. */
void chronos_find_each(int count, const MPI_Request list[], int ids[]) {
  int i;
  for (i = 0; i < count; i++) {
    const number handle = bits(list[i]);
    int id = list[i] == MPI_REQUEST_NULL ? room : 0;
    while (id < room && !(requests[id].used && !requests[id].found && requests[id].handle == handle)) id++;
    ids[i] = id < room ? id : -1;
    if (ids[i] >= 0) requests[id].found = 1;
  }
  for (i = 0; i < count; i++)
    if (ids[i] >= 0) requests[ids[i]].found = 0;
}

void chronos_forget(int id) {
  unsigned i;
  if (id < 0 || requests[id].persistent) return;
  requests[id].used = 0;
  for (i = 0; i < requests[id].part_count; i++) requests[requests[id].parts[i]].used = 0;
  free(requests[id].parts);
  requests[id].parts = 0;
  requests[id].part_count = 0;
}

void chronos_requests(MPI_Request request, unsigned count, const int ids[]) {
  const int id = chronos_request(request);
  int *parts = malloc(((size_t)count + 1) * sizeof *parts);
  if (id < 0 || !parts) {
    free(parts);
    return;
  }
  memcpy(parts, ids, count * sizeof *parts);
  requests[id].peer_is_null = 1;
  requests[id].parts = parts;
  requests[id].part_count = count;
}

void chronos_nobody(int id) {
  if (id >= 0) requests[id].peer_is_null = 1;
}

void chronos_release(int id) {
  if (id >= 0) requests[id].used = 0;
}

void chronos_null_request(MPI_Request request) {
  const int id = chronos_request(request);
  if (id >= 0) requests[id].peer_is_null = 1;
}

number chronos_handle(int id) { return id >= 0 && id < room ? requests[id].handle : 0; }

int chronos_is_nobody(int id) { return requests[id].peer_is_null; }

int chronos_is_receive(int id) { return requests[id].receives && !requests[id].peer_is_null; }

int chronos_is_wild(int id) { return requests[id].wild && !requests[id].peer_is_null; }

number chronos_source(int id, int rank) { return chronos_member(requests[id].comm, rank); }

unsigned chronos_parts(int id, const int **parts) {
  *parts = requests[id].parts;
  return requests[id].part_count;
}

/* --- messages --- */

/* Other task, tag, communicator, bytes, request. */
void chronos_message(const char *kind, int peer, int tag, MPI_Comm comm, number bytes, number request) {
  const number values[] = {chronos_task(comm, peer), tag < 0 ? -1 : tag, chronos_comm(comm), bytes, request};
  if (peer == MPI_PROC_NULL) chronos_nothing();
  else chronos_event(kind, 5, values);
}

static void describe(int id, const char *kind, int peer, int tag, MPI_Comm comm) {
  requests[id].receives = kind[0] == 'r' && kind[1] == 'e';
  requests[id].wild = requests[id].receives && peer != MPI_PROC_NULL && (peer < 0 || tag < 0);
  requests[id].comm = requests[id].wild ? chronos_comm(comm) : 0;
}

/* The same for a request that was made; one of no message counts as made all the same. */
static void record_immediate(const char *kind, int peer, int tag, MPI_Comm comm, number bytes, MPI_Request request) {
  const int id = chronos_request(request);
  if (id >= 0) requests[id].peer_is_null = peer == MPI_PROC_NULL;
  if (id >= 0) describe(id, kind, peer, tag, comm);
  chronos_message(kind, peer, tag, comm, bytes, id);
}

static void keep(const char *kind, int peer, int tag, MPI_Comm comm, number bytes, MPI_Request request) {
  const int id = chronos_request(request);
  const number values[] = {chronos_task(comm, peer), tag < 0 ? -1 : tag, chronos_comm(comm), bytes, id};
  if (id < 0) return;
  requests[id].persistent = 1;
  requests[id].peer_is_null = peer == MPI_PROC_NULL;
  requests[id].kind = kind;
  describe(id, kind, peer, tag, comm);
  memcpy(requests[id].values, values, sizeof values);
  chronos_nothing();
}

/* Whether it stands for a message. */
static int started(MPI_Request request) {
  const int id = chronos_find(request);
#ifdef CHRONOS_RECORD
  /* Of a persistent collective operation. */
  if (id < 0 && request != MPI_REQUEST_NULL) chronos_unrecorded("MPI_Start");
#endif
  if (id < 0 || requests[id].peer_is_null) return 0;
  chronos_event(requests[id].kind, 5, requests[id].values);
  return 1;
}

#define BUFFER const void *data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm
#define ROOM void *data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm
#define GIVEN data, count, type, peer, tag, comm

#define IMMEDIATE(name, parameters, kind)                                         \
  WRAPPED(name)                                                                   \
  int name(parameters, MPI_Request *request) {                                    \
    CALLED(name)                                                                  \
    const int code = P##name(GIVEN, request);                                     \
    record_immediate(kind, peer, tag, comm, chronos_bytes(count, type), *request); \
    return code;                                                                  \
  }
#define PERSISTENT(name, parameters, kind)                            \
  WRAPPED(name)                                                       \
  int name(parameters, MPI_Request *request) {                        \
    CALLED(name)                                                      \
    const int code = P##name(GIVEN, request);                         \
    keep(kind, peer, tag, comm, chronos_bytes(count, type), *request); \
    return code;                                                      \
  }
#define SENDS(blocking, immediate, persistent, kind)                \
  WRAPPED(blocking)                                                 \
  int blocking(BUFFER) {                                            \
    CALLED(blocking)                                                \
    chronos_message(kind, peer, tag, comm, chronos_bytes(count, type), -1);  \
    return P##blocking(GIVEN);                                      \
  }                                                                 \
  IMMEDIATE(immediate, BUFFER, kind)                                \
  PERSISTENT(persistent, BUFFER, kind)

SENDS(MPI_Send, MPI_Isend, MPI_Send_init, "send")
SENDS(MPI_Ssend, MPI_Issend, MPI_Ssend_init, "ssend")
SENDS(MPI_Bsend, MPI_Ibsend, MPI_Bsend_init, "bsend")
SENDS(MPI_Rsend, MPI_Irsend, MPI_Rsend_init, "rsend")
IMMEDIATE(MPI_Irecv, ROOM, "recv")
PERSISTENT(MPI_Recv_init, ROOM, "recv")

#ifndef CHRONOS_OTHER_RECEIVES
WRAPPED(MPI_Recv)
int MPI_Recv(ROOM, MPI_Status *status) {
  CALLED(MPI_Recv)
  chronos_message("recv", peer, tag, comm, chronos_bytes(count, type), -1);
  return PMPI_Recv(GIVEN, status);
}
#endif
WRAPPED(MPI_Start)
int MPI_Start(MPI_Request *request) {
  CALLED(MPI_Start)
  if (!started(*request)) chronos_nothing();
  return PMPI_Start(request);
}
WRAPPED(MPI_Startall)
int MPI_Startall(int count, MPI_Request list[]) {
  CALLED(MPI_Startall)
  int i, any = 0;
  for (i = 0; i < count; i++) any |= started(list[i]);
  if (!any) chronos_nothing();
  return PMPI_Startall(count, list);
}

#ifndef CHRONOS_OTHER_RECEIVES
/* An immediate receive, an immediate send, and a wait for both. */
static void both(int to, int out_tag, number out, int from, int in_tag, number in, MPI_Comm comm) {
  const int receive = chronos_request(MPI_REQUEST_NULL), send = chronos_request(MPI_REQUEST_NULL);
  number waited[2];
  unsigned used = 0;
  if (from != MPI_PROC_NULL) chronos_message("recv", from, in_tag, comm, in, waited[used++] = receive);
  if (to != MPI_PROC_NULL) chronos_message("send", to, out_tag, comm, out, waited[used++] = send);
  if (used > 0) chronos_event("wait", used, waited);
  else chronos_nothing();
  chronos_forget(receive);
  chronos_forget(send);
}

WRAPPED(MPI_Sendrecv)
int MPI_Sendrecv(const void *out, int out_count, MPI_Datatype out_type, int to, int out_tag, void *in, int in_count,
                 MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm, MPI_Status *status) {
  CALLED(MPI_Sendrecv)
  both(to, out_tag, chronos_bytes(out_count, out_type), from, in_tag, chronos_bytes(in_count, in_type), comm);
  return PMPI_Sendrecv(out, out_count, out_type, to, out_tag, in, in_count, in_type, from, in_tag, comm, status);
}
WRAPPED(MPI_Sendrecv_replace)
int MPI_Sendrecv_replace(void *data, int count, MPI_Datatype type, int to, int out_tag, int from, int in_tag,
                         MPI_Comm comm, MPI_Status *status) {
  CALLED(MPI_Sendrecv_replace)
  both(to, out_tag, chronos_bytes(count, type), from, in_tag, chronos_bytes(count, type), comm);
  return PMPI_Sendrecv_replace(data, count, type, to, out_tag, from, in_tag, comm, status);
}

/* --- completion --- */

/* Requests before the call: afterwards their handles are gone. 0 where there is no memory. */
static int *before(int count, const MPI_Request list[]) {
  int *ids = malloc(((size_t)(count > 0 ? count : 0) + 1) * sizeof *ids);
  if (ids) chronos_find_each(count, list, ids);
  return ids;
}

/* Records a wait for those at these positions (the first ones where there are no positions). */
static void waited(int *ids, int count, const int *positions) {
  size_t most = 1;
  number *values;
  unsigned used = 0, part;
  int i;
  for (i = 0; ids && i < count; i++) {
    const int id = ids[positions ? positions[i] : i];
    most += id < 0 ? 0 : 1 + requests[id].part_count;
  }
  values = malloc(most * sizeof *values);
  for (i = 0; ids && values && i < count; i++) {
    const int id = ids[positions ? positions[i] : i];
    if (id < 0) continue;
    if (!requests[id].peer_is_null) values[used++] = id;
    for (part = 0; part < requests[id].part_count; part++) values[used++] = requests[id].parts[part];
    chronos_forget(id);
  }
  if (used > 0) chronos_event("wait", used, values);
  else chronos_nothing();
  free(values);
  free(ids);
}

#define COMPLETES(name, parameters, arguments, count, list, done, positions) \
  WRAPPED(name)                                                              \
  int name parameters {                                                      \
    CALLED(name)                                                             \
    int *ids = before(count, list);                                          \
    const int code = P##name arguments;                                      \
    waited(ids, (done), positions);                                          \
    return code;                                                             \
  }
COMPLETES(MPI_Wait, (MPI_Request *request, MPI_Status *status), (request, status), 1, request, 1, 0)
COMPLETES(MPI_Waitall, (int n, MPI_Request list[], MPI_Status statuses[]), (n, list, statuses), n, list, n, 0)
COMPLETES(MPI_Waitany, (int n, MPI_Request list[], int *index, MPI_Status *status), (n, list, index, status), n, list,
          *index != MPI_UNDEFINED, index)
COMPLETES(MPI_Waitsome, (int n, MPI_Request list[], int *done, int positions[], MPI_Status statuses[]),
          (n, list, done, positions, statuses), n, list, *done != MPI_UNDEFINED ? *done : 0, positions)
COMPLETES(MPI_Test, (MPI_Request *request, int *flag, MPI_Status *status), (request, flag, status), 1, request,
          *flag != 0, 0)
COMPLETES(MPI_Testall, (int n, MPI_Request list[], int *flag, MPI_Status statuses[]), (n, list, flag, statuses), n,
          list, *flag ? n : 0, 0)
COMPLETES(MPI_Testany, (int n, MPI_Request list[], int *index, int *flag, MPI_Status *status),
          (n, list, index, flag, status), n, list, *flag && *index != MPI_UNDEFINED, index)
COMPLETES(MPI_Testsome, (int n, MPI_Request list[], int *done, int positions[], MPI_Status statuses[]),
          (n, list, done, positions, statuses), n, list, *done != MPI_UNDEFINED ? *done : 0, positions)

#endif
WRAPPED(MPI_Request_free)
int MPI_Request_free(MPI_Request *request) {
  CALLED(MPI_Request_free)
  const int id = chronos_find(*request);
  if (id >= 0) requests[id].used = 0;
  chronos_nothing();
  return PMPI_Request_free(request);
}
#ifndef CHRONOS_OTHER_RECEIVES
WRAPPED(MPI_Probe)
int MPI_Probe(int peer, int tag, MPI_Comm comm, MPI_Status *status) {
  CALLED(MPI_Probe)
  chronos_message("probe", peer, tag, comm, 0, -1);
  return PMPI_Probe(peer, tag, comm, status);
}
WRAPPED(MPI_Iprobe)
int MPI_Iprobe(int peer, int tag, MPI_Comm comm, int *flag, MPI_Status *status) {
  CALLED(MPI_Iprobe)
  const int code = PMPI_Iprobe(peer, tag, comm, flag, status);
  chronos_message("probe", *flag ? peer : MPI_PROC_NULL, tag, comm, 0, -1);
  return code;
}

#endif

/* --- matched probes --- */

/* Messages that were probed for and not yet received. */
static struct {
  number handle;
  int used, peer, tag;
  MPI_Comm comm;
} matched[256];

static number message_bits(MPI_Message message) {
  number value = 0;
  memcpy(&value, &message, sizeof message < sizeof value ? sizeof message : sizeof value);
  return value;
}

void chronos_matched(MPI_Message message, MPI_Comm comm, const MPI_Status *status) {
  int i = 0;
  while (i < 256 && matched[i].used) i++;
  if (i == 256 || message == MPI_MESSAGE_NULL || message == MPI_MESSAGE_NO_PROC) return;
  matched[i].used = 1;
  matched[i].handle = message_bits(message);
  matched[i].peer = status->MPI_SOURCE;
  matched[i].tag = status->MPI_TAG;
  matched[i].comm = comm;
}

static void record_matched(MPI_Message message, number bytes, int request) {
  const number handle = message_bits(message);
  int i = 0;
  while (i < 256 && !(matched[i].used && matched[i].handle == handle)) i++;
  if (i == 256) {
    if (request >= 0) requests[request].peer_is_null = 1;
    chronos_nothing();
    return;
  }
  matched[i].used = 0;
  chronos_message("recv", matched[i].peer, matched[i].tag, matched[i].comm, bytes, request);
}

#ifndef CHRONOS_OTHER_RECEIVES
WRAPPED(MPI_Mprobe)
int MPI_Mprobe(int peer, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status) {
  CALLED(MPI_Mprobe)
  MPI_Status own;
  int code;
  chronos_message("probe", peer, tag, comm, 0, -1);
  code = PMPI_Mprobe(peer, tag, comm, message, &own);
  chronos_matched(*message, comm, &own);
  if (status != MPI_STATUS_IGNORE) *status = own;
  return code;
}
WRAPPED(MPI_Improbe)
int MPI_Improbe(int peer, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status) {
  CALLED(MPI_Improbe)
  MPI_Status own;
  const int code = PMPI_Improbe(peer, tag, comm, flag, message, &own);
  chronos_message("probe", *flag ? peer : MPI_PROC_NULL, tag, comm, 0, -1);
  if (*flag) {
    chronos_matched(*message, comm, &own);
    if (status != MPI_STATUS_IGNORE) *status = own;
  }
  return code;
}
#endif
WRAPPED(MPI_Mrecv)
int MPI_Mrecv(void *data, int count, MPI_Datatype type, MPI_Message *message, MPI_Status *status) {
  CALLED(MPI_Mrecv)
  record_matched(*message, chronos_bytes(count, type), -1);
  return PMPI_Mrecv(data, count, type, message, status);
}
WRAPPED(MPI_Imrecv)
int MPI_Imrecv(void *data, int count, MPI_Datatype type, MPI_Message *message, MPI_Request *made) {
  CALLED(MPI_Imrecv)
  const MPI_Message given = *message;
  const int code = PMPI_Imrecv(data, count, type, message, made);
  record_matched(given, chronos_bytes(count, type), chronos_request(*made));
  return code;
}
#else
typedef int chronos_no_messages;
#endif
