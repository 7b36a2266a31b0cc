/* Matching: messages that came before their receive, receives that wait for a message, both in order. A message travels
 * packed and is kept here until it is asked for, so that a standard send waits for the transport alone. */
#include "messages.h"
#include "direct.h"

static cm_request *posted, **posted_end = &posted;
static cm_message *waiting, **waiting_end = &waiting;
static long numbered; /* messages that this task has sent from point to point */

const cm_driver *cm_driven;

void cm_messages_begin(void) {}

static int channel_of(const cm_comm *comm, int channel) { return comm->context * 4 + channel; }

static int fits(const cm_header *header, int context, int peer, int tag) {
  return header->context == context && (peer == MPI_ANY_SOURCE || header->rank == peer) &&
         (tag == MPI_ANY_TAG || header->tag == tag);
}

/* --- sending --- */

/* Whether somebody else decides what becomes of it. */
static int is_driven(const cm_request *request) { return cm_driven && request->channel == CM_POINT; }

void cm_send(cm_request *request) {
  cm_header header = {0};
  /* How long a driven send waits for its receive is simulated. */
  const int buffered = request->mode == CM_BUFFERED || is_driven(request);
  char *payload = 0;
  const long bytes = request->count * request->type->size;
  request->done = request->drained = 0;
  request->acknowledged = request->mode != CM_SYNCHRONOUS || buffered;
  cm_status_empty(&request->status);
  if (request->peer == MPI_PROC_NULL) {
    request->drained = 1;
    cm_complete(request);
    return;
  }
  if (bytes > 0) {
    payload = cm_allocate((size_t)bytes);
    cm_pack(request->type, request->out, request->count, payload);
  }
  header.kind = CM_MESSAGE;
  header.context = channel_of(request->comm, request->channel);
  header.tag = request->tag;
  header.rank = request->comm->rank;
  header.sync = !request->acknowledged;
  header.length = bytes;
  header.words[0] = (long)request;
  if (request->channel == CM_POINT) header.words[1] = numbered++;
  request->status.chronos_bytes = bytes;
  cm_post(request->comm->remote->members[request->peer], &header, payload,
          buffered ? 0 : &request->drained);
  /* What is packed is the program's no longer: a buffered send is done, others when the transport has it. */
  if (buffered) request->drained = 1;
  cm_sent(request);
}

void cm_sent(cm_request *request) {
  if (!request->done && request->drained && request->acknowledged) cm_complete(request);
}

void cm_post_numbered(int to, char *payload, long bytes) {
  cm_header header = {0};
  header.kind = CM_MESSAGE;
  header.context = CM_POINT;
  header.length = bytes;
  header.words[1] = numbered++;
  cm_post(to, &header, payload, 0);
}

/* --- receiving --- */

static void acknowledge(const cm_header *header) {
  cm_header answer = {0};
  answer.kind = CM_ACKNOWLEDGE;
  answer.words[0] = header->words[0];
  cm_post(header->from, &answer, 0, 0);
}

void cm_status_of(MPI_Status *status, const cm_header *header) {
  status->MPI_SOURCE = header->rank;
  status->MPI_TAG = header->tag;
  status->MPI_ERROR = MPI_SUCCESS;
  status->chronos_cancelled = 0;
  status->chronos_bytes = header->length;
}

void cm_fill(cm_request *request, const cm_header *header, char *payload) {
  const long room = request->count * request->type->size;
  cm_status_of(&request->status, header);
  if (header->length > room) {
    request->error = MPI_ERR_TRUNCATE;
    request->status.chronos_bytes = room;
  }
  cm_unpack(request->type, request->in, request->count, payload, header->length < room ? header->length : room);
  free(payload);
  if (header->sync) acknowledge(header);
  cm_complete(request);
}

cm_message *cm_find(cm_comm *comm, int channel, int peer, int tag) {
  const int context = channel_of(comm, channel);
  cm_message *message = waiting;
  while (message && !fits(&message->header, context, peer, tag)) message = message->next;
  return message;
}

void cm_take(cm_message *message) {
  cm_message **at = &waiting;
  while (*at != message) at = &(*at)->next;
  *at = message->next;
  if (!*at) waiting_end = at;
}

void cm_receive(cm_request *request) {
  cm_message *message;
  request->done = 0;
  cm_status_empty(&request->status);
  if (request->peer == MPI_PROC_NULL) {
    request->status.MPI_SOURCE = MPI_PROC_NULL;
    cm_complete(request);
    return;
  }
  if (is_driven(request)) return;
  message = cm_find(request->comm, request->channel, request->peer, request->tag);
  if (message) {
    cm_take(message);
    cm_fill(request, &message->header, message->payload);
    free(message);
    return;
  }
  request->next = 0;
  *posted_end = request;
  posted_end = &request->next;
}

static int unlink_posted(cm_request **at) {
  cm_request *request = *at;
  *at = request->next;
  if (!*at) posted_end = at;
  return 1;
}

int cm_unpost(cm_request *request) {
  cm_request **at;
  for (at = &posted; *at; at = &(*at)->next)
    if (*at == request) return unlink_posted(at);
  return 0;
}

static void message_arrived(cm_header *header, char *payload) {
  cm_request **at;
  cm_message *message;
  for (at = &posted; *at; at = &(*at)->next) {
    cm_request *request = *at;
    if (!fits(header, channel_of(request->comm, request->channel), request->peer, request->tag)) continue;
    unlink_posted(at);
    cm_fill(request, header, payload);
    return;
  }
  message = cm_allocate(sizeof *message);
  message->header = *header;
  message->payload = payload;
  *waiting_end = message;
  waiting_end = &message->next;
}

void cm_arrived(cm_header *header, char *payload) {
  if (header->kind == CM_MESSAGE) {
    message_arrived(header, payload);
  } else if (header->kind == CM_ACKNOWLEDGE) {
    cm_request *request = (cm_request *)header->words[0];
    request->acknowledged = 1;
    cm_sent(request);
  } else {
    cm_window_arrived(header, payload);
  }
}

/* --- driven from outside --- */

cm_message *cm_awaited(int from, long number) {
  const int point = CM_POINT;
  for (;;) {
    cm_message *message = waiting;
    while (message && !(message->header.from == from && message->header.words[1] == number &&
                        message->header.context % 4 == point))
      message = message->next;
    if (message) return message;
    cm_progress(1);
  }
}

void cm_give(MPI_Request handle, int from, long number) {
  cm_request *request = cm_request_of(handle);
  cm_message *message;
  if (!request || request->done) return;
  message = cm_awaited(from, number);
  cm_take(message);
  cm_fill(request, &message->header, message->payload);
  free(message);
}

void cm_look(int from, long number, MPI_Status *status) {
  const cm_message *message = cm_awaited(from, number);
  if (cm_is_wanted(status)) cm_status_of(status, &message->header);
}

/* --- for other parts --- */

static cm_request *exchange(int kind, cm_comm *comm, int channel, long count, cm_type *type, int peer, int tag) {
  cm_request *request = cm_request_new(kind);
  request->comm = comm;
  comm->references++;
  request->channel = channel;
  request->count = count;
  request->type = cm_type_keep(type);
  request->peer = peer;
  request->tag = tag;
  request->active = 1;
  return request;
}

cm_request *cm_isend(cm_comm *comm, int channel, const void *data, long count, cm_type *type, int peer, int tag) {
  cm_request *request = exchange(CM_SEND, comm, channel, count, type, peer, tag);
  request->out = data;
  return request;
}

cm_request *cm_ireceive(cm_comm *comm, int channel, void *data, long count, cm_type *type, int peer, int tag) {
  cm_request *request = exchange(CM_RECEIVE, comm, channel, count, type, peer, tag);
  request->in = data;
  return request;
}

void cm_send_bytes(cm_comm *comm, int channel, int peer, int tag, const void *data, long bytes) {
  cm_request *request = cm_isend(comm, channel, data, bytes, cm_type_of(MPI_BYTE), peer, tag);
  cm_send(request);
  cm_wait(request);
  cm_request_free(request);
}

long cm_receive_bytes(cm_comm *comm, int channel, int peer, int tag, void *data, long bytes) {
  cm_request *request = cm_ireceive(comm, channel, data, bytes, cm_type_of(MPI_BYTE), peer, tag);
  cm_receive(request);
  cm_wait(request);
  bytes = request->status.chronos_bytes;
  cm_request_free(request);
  return bytes;
}
