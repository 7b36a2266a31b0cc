/* How collective calls run: each is one or two rounds of messages that are all begun at once. The blocking form waits for
 * the same request that the non-blocking one hands out. No performance is claimed, so every algorithm is the plainest. */
#include "collectives.h"

static int steps(const cm_side *side, int i) { return side->places ? side->places[i] : i * side->count; }

cm_part cm_part_of(const cm_side *side, int i) {
  cm_part part;
  part.type = cm_type_of(side->types ? side->types[i] : side->type);
  part.count = side->counts ? side->counts[i] : side->count;
  part.data = (char *)side->data;
  if (side->types) part.data += side->bytes ? side->bytes[i] : side->places[i];
  else part.data += steps(side, i) * (part.type ? cm_extent(part.type) : 0);
  return part;
}

static int channel(const cm_request *request) { return request->call->grid ? CM_GRID : CM_COLLECTIVE; }

void cm_part_send(cm_request *request, int peer, cm_part part) {
  cm_request *send =
      cm_isend(request->comm, channel(request), part.data, part.count, part.type, peer, request->call->tag);
  send->mode = CM_BUFFERED;
  send->parent = request;
  request->left++;
  cm_send(send);
}

void cm_part_receive(cm_request *request, int peer, cm_part part) {
  cm_request *receive =
      cm_ireceive(request->comm, channel(request), part.data, part.count, part.type, peer, request->call->tag);
  receive->parent = request;
  request->left++;
  cm_receive(receive);
}

void cm_part_copy(cm_part from, cm_part to) {
  const long bytes = from.count * from.type->size;
  char *packed = cm_allocate((size_t)bytes);
  cm_pack(from.type, from.data, from.count, packed);
  cm_unpack(to.type, to.data, to.count, packed, bytes);
  free(packed);
}

void cm_round_begin(cm_request *request, void (*then)(cm_request *)) {
  request->then = then;
  request->left = 1; /* none is the last before all are begun */
}

void cm_round_end(cm_request *request) {
  if (--request->left == 0) request->then(request);
}

void cm_call_start(cm_request *request) {
  request->done = 0;
  request->active = 1;
  cm_status_empty(&request->status);
  /* Members begin the collectives of a communicator in the same order, so the number names the call. */
  request->call->tag = (int)(request->comm->sequence++ & 0x3fffffff);
  request->call->begin(request);
}

static int is_type(const cm_side *side, int i) { return cm_type_of(side->types ? side->types[i] : side->type) != 0; }

static int check(const cm_call *call, cm_comm *comm) {
  const int inter = comm->is_inter && (call->root == MPI_ROOT || call->root == MPI_PROC_NULL);
  if (!call->all && !inter && (call->root < 0 || call->root >= comm->remote->size))
    return cm_error(comm, MPI_ERR_ROOT, "there is no task %d in a communicator of %d", call->root, comm->remote->size);
  if (!call->out.counts) CHECK_COUNT(comm, call->out.count);
  if (!call->in.counts) CHECK_COUNT(comm, call->in.count);
  if (!call->out.types && call->out.type && !is_type(&call->out, 0))
    return cm_error(comm, MPI_ERR_TYPE, "%d is no datatype", call->out.type);
  if (!call->in.types && call->in.type && !is_type(&call->in, 0))
    return cm_error(comm, MPI_ERR_TYPE, "%d is no datatype", call->in.type);
  if (call->op && cm_type_of(call->in.type)) return cm_op_check(call->op, cm_type_of(call->in.type));
  return MPI_SUCCESS;
}

static int prepare(const cm_call *call, MPI_Comm handle, cm_request **request) {
  int code;
  CHECK_COMM(comm, handle);
  code = check(call, comm);
  if (code != MPI_SUCCESS) return code;
  *request = cm_request_new(CM_WHOLE);
  (*request)->comm = comm;
  comm->references++;
  (*request)->call = cm_allocate(sizeof *call);
  *(*request)->call = *call;
  return MPI_SUCCESS;
}

int cm_call_run(const cm_call *call, MPI_Comm comm) {
  cm_request *request;
  MPI_Request handle;
  int code = prepare(call, comm, &request);
  if (code != MPI_SUCCESS) return code;
  cm_call_start(request);
  cm_wait(request);
  cm_drain();
  return cm_finish(request, &handle, 0);
}

int cm_call_begin(const cm_call *call, MPI_Comm comm, MPI_Request *handle) {
  cm_request *request;
  int code = prepare(call, comm, &request);
  if (code != MPI_SUCCESS) return code;
  *handle = cm_request_publish(request);
  cm_call_start(request);
  return MPI_SUCCESS;
}

int cm_call_keep(const cm_call *call, MPI_Comm comm, MPI_Request *handle) {
  cm_request *request;
  int code = prepare(call, comm, &request);
  if (code != MPI_SUCCESS) return code;
  request->persistent = 1;
  *handle = cm_request_publish(request);
  return MPI_SUCCESS;
}
