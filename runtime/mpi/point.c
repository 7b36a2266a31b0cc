/* Point to point: sends, receives, their persistent forms, buffers. */
#include "messages.h"

static int check(cm_comm *comm, long count, MPI_Datatype handle, int peer, int tag, int receives, cm_type **type) {
  *type = cm_type_of(handle);
  if (!*type) return cm_error(comm, MPI_ERR_TYPE, "%d is no datatype", handle);
  if (!(*type)->committed) return cm_error(comm, MPI_ERR_TYPE, "the datatype is not committed (MPI_Type_commit)");
  CHECK_COUNT(comm, count);
  if (peer == MPI_PROC_NULL) return MPI_SUCCESS;
  if (!(receives && peer == MPI_ANY_SOURCE) && (peer < 0 || peer >= comm->remote->size))
    return cm_error(comm, MPI_ERR_RANK, "there is no task %d in a communicator of %d", peer, comm->remote->size);
  if (tag < 0 && !(receives && tag == MPI_ANY_TAG)) return cm_error(comm, MPI_ERR_TAG, "the tag %d is negative", tag);
  return MPI_SUCCESS;
}

/* --- the buffer of buffered sends: the runtime has its own memory, the user's only has to be long enough --- */

static struct {
  void *memory;
  int size;
} attached;

static int check_buffer(cm_comm *comm, long bytes) {
  if (attached.memory && bytes + MPI_BSEND_OVERHEAD <= attached.size) return MPI_SUCCESS;
  return cm_error(comm, MPI_ERR_BUFFER, "a buffered send of %ld bytes needs a buffer of %ld (MPI_Buffer_attach)", bytes,
                  bytes + MPI_BSEND_OVERHEAD);
}

API(MPI_Buffer_attach)
int MPI_Buffer_attach(void *memory, int size) {
  ENTER();
  if (attached.memory) return cm_error(0, MPI_ERR_BUFFER, "a buffer is attached already");
  attached.memory = memory;
  attached.size = size;
  return MPI_SUCCESS;
}

API(MPI_Buffer_detach)
int MPI_Buffer_detach(void *memory, int *size) {
  ENTER();
  if (!attached.memory) return cm_error(0, MPI_ERR_BUFFER, "no buffer is attached");
  cm_drain();
  *(void **)memory = attached.memory;
  *size = attached.size;
  attached.memory = 0;
  return MPI_SUCCESS;
}

/* --- sends --- */

static int prepare_send(int mode, const void *data, long count, MPI_Datatype handle, int peer, int tag, MPI_Comm of,
                        cm_request **request) {
  cm_type *type;
  int code;
  CHECK_COMM(comm, of);
  code = check(comm, count, handle, peer, tag, 0, &type);
  if (code == MPI_SUCCESS && mode == CM_BUFFERED) code = check_buffer(comm, count * type->size);
  if (code != MPI_SUCCESS) return code;
  *request = cm_isend(comm, CM_POINT, data, count, type, peer, tag);
  (*request)->mode = mode;
  return MPI_SUCCESS;
}

static int send(int mode, const void *data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm) {
  cm_request *request;
  MPI_Request handle;
  int code = prepare_send(mode, data, count, type, peer, tag, comm, &request);
  if (code != MPI_SUCCESS) return code;
  cm_send(request);
  cm_wait(request);
  return cm_finish(request, &handle, 0);
}

static int begin_send(int mode, const void *data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                      MPI_Request *handle) {
  cm_request *request;
  int code = prepare_send(mode, data, count, type, peer, tag, comm, &request);
  if (code != MPI_SUCCESS) return code;
  *handle = cm_request_publish(request);
  cm_send(request);
  return MPI_SUCCESS;
}

static int keep_send(int mode, const void *data, long count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                     MPI_Request *handle) {
  cm_request *request;
  int code = prepare_send(mode, data, count, type, peer, tag, comm, &request);
  if (code != MPI_SUCCESS) return code;
  request->persistent = 1;
  request->active = 0;
  *handle = cm_request_publish(request);
  return MPI_SUCCESS;
}

#define SENDS(PREFIX, IPREFIX, MODE)                                                                               \
  API(MPI_##PREFIX##send)                                                                                          \
  int MPI_##PREFIX##send(const void *data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm) {       \
    ENTER();                                                                                                       \
    return send(MODE, data, count, type, peer, tag, comm);                                                         \
  }                                                                                                                \
  API(MPI_I##IPREFIX##send)                                                                                        \
  int MPI_I##IPREFIX##send(const void *data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,       \
                           MPI_Request *request) {                                                                 \
    ENTER();                                                                                                       \
    return begin_send(MODE, data, count, type, peer, tag, comm, request);                                          \
  }                                                                                                                \
  API(MPI_##PREFIX##send_init)                                                                                     \
  int MPI_##PREFIX##send_init(const void *data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,    \
                              MPI_Request *request) {                                                              \
    ENTER();                                                                                                       \
    return keep_send(MODE, data, count, type, peer, tag, comm, request);                                           \
  }

SENDS(B, b, CM_BUFFERED)
SENDS(S, s, CM_SYNCHRONOUS)
SENDS(R, r, CM_READY)

API(MPI_Send)
int MPI_Send(const void *data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm) {
  ENTER();
  return send(CM_STANDARD, data, count, type, peer, tag, comm);
}
API(MPI_Isend)
int MPI_Isend(const void *data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request *request) {
  ENTER();
  return begin_send(CM_STANDARD, data, count, type, peer, tag, comm, request);
}
API(MPI_Send_init)
int MPI_Send_init(const void *data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                  MPI_Request *request) {
  ENTER();
  return keep_send(CM_STANDARD, data, count, type, peer, tag, comm, request);
}

/* --- receives --- */

static int prepare_receive(void *data, long count, MPI_Datatype handle, int peer, int tag, MPI_Comm of,
                           cm_request **request) {
  cm_type *type;
  int code;
  CHECK_COMM(comm, of);
  code = check(comm, count, handle, peer, tag, 1, &type);
  if (code == MPI_SUCCESS) *request = cm_ireceive(comm, CM_POINT, data, count, type, peer, tag);
  return code;
}

API(MPI_Recv)
int MPI_Recv(void *data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Status *status) {
  cm_request *request;
  MPI_Request handle;
  int code;
  ENTER();
  code = prepare_receive(data, count, type, peer, tag, comm, &request);
  if (code != MPI_SUCCESS) return code;
  cm_receive(request);
  cm_wait(request);
  return cm_finish(request, &handle, status);
}

API(MPI_Irecv)
int MPI_Irecv(void *data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request *handle) {
  cm_request *request;
  int code;
  ENTER();
  code = prepare_receive(data, count, type, peer, tag, comm, &request);
  if (code != MPI_SUCCESS) return code;
  *handle = cm_request_publish(request);
  cm_receive(request);
  return MPI_SUCCESS;
}

static int keep_receive(void *data, long count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                        MPI_Request *handle) {
  cm_request *request;
  int code = prepare_receive(data, count, type, peer, tag, comm, &request);
  if (code != MPI_SUCCESS) return code;
  request->persistent = 1;
  request->active = 0;
  *handle = cm_request_publish(request);
  return MPI_SUCCESS;
}

API(MPI_Recv_init)
int MPI_Recv_init(void *data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request *handle) {
  ENTER();
  return keep_receive(data, count, type, peer, tag, comm, handle);
}

/* --- both --- */

API(MPI_Sendrecv)
int MPI_Sendrecv(const void *out, int out_count, MPI_Datatype out_type, int to, int out_tag, void *in, int in_count,
                 MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm, MPI_Status *status) {
  cm_request *sending, *receiving;
  MPI_Request handle;
  int code;
  ENTER();
  code = prepare_send(CM_STANDARD, out, out_count, out_type, to, out_tag, comm, &sending);
  if (code != MPI_SUCCESS) return code;
  code = prepare_receive(in, in_count, in_type, from, in_tag, comm, &receiving);
  if (code != MPI_SUCCESS) return code;
  cm_receive(receiving);
  cm_send(sending);
  cm_wait(sending);
  cm_wait(receiving);
  cm_finish(sending, &handle, 0);
  return cm_finish(receiving, &handle, status);
}

API(MPI_Sendrecv_replace)
int MPI_Sendrecv_replace(void *data, int count, MPI_Datatype handle, int to, int out_tag, int from, int in_tag,
                         MPI_Comm comm, MPI_Status *status) {
  char *packed;
  long bytes;
  int code;
  ENTER();
  CHECK_TYPE(0, type, handle);
  CHECK_COUNT(0, count);
  bytes = count * type->size;
  packed = cm_allocate((size_t)bytes);
  cm_pack(type, data, count, packed);
  code = PMPI_Sendrecv(packed, (int)bytes, MPI_PACKED, to, out_tag, data, count, handle, from, in_tag, comm, status);
  free(packed);
  return code;
}

/* --- in parts: sent when the last one is ready --- */

API(MPI_Psend_init)
int MPI_Psend_init(const void *data, int partitions, MPI_Count count, MPI_Datatype type, int peer, int tag,
                   MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  int code;
  (void)info;
  ENTER();
  code = keep_send(CM_STANDARD, data, partitions * count, type, peer, tag, comm, request);
  if (code == MPI_SUCCESS) cm_request_of(*request)->partitions = partitions;
  return code;
}

API(MPI_Precv_init)
int MPI_Precv_init(void *data, int partitions, MPI_Count count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                   MPI_Info info, MPI_Request *request) {
  int code;
  (void)info;
  ENTER();
  code = keep_receive(data, partitions * count, type, peer, tag, comm, request);
  if (code == MPI_SUCCESS) cm_request_of(*request)->partitions = partitions;
  return code;
}

API(MPI_Pready)
int MPI_Pready(int partition, MPI_Request handle) {
  cm_request *request;
  ENTER();
  request = cm_request_of(handle);
  if (!request || partition < 0 || partition >= request->partitions)
    return cm_error(0, MPI_ERR_ARG, "there is no partition %d", partition);
  if (++request->ready == request->partitions) cm_start(request);
  return MPI_SUCCESS;
}

API(MPI_Parrived)
int MPI_Parrived(MPI_Request handle, int partition, int *flag) {
  cm_request *request;
  ENTER();
  (void)partition;
  request = cm_request_of(handle);
  if (request && !request->done) cm_glance();
  *flag = !request || request->done;
  return MPI_SUCCESS;
}
