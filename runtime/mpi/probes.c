/* Probes, with matching or without, and what a status tells. */
#include "messages.h"
#include "direct.h"

static cm_table matched;
enum { FIRST_MATCHED = 2 };

static int look(int peer, int tag, MPI_Comm of, int wait, cm_message **message) {
  CHECK_COMM(comm, of);
  if (peer != MPI_ANY_SOURCE && peer != MPI_PROC_NULL && (peer < 0 || peer >= comm->remote->size))
    return cm_error(comm, MPI_ERR_RANK, "there is no task %d in a communicator of %d", peer, comm->remote->size);
  *message = cm_find(comm, CM_POINT, peer, tag);
  if (!*message && !wait) {
    cm_glance();
    *message = cm_find(comm, CM_POINT, peer, tag);
  }
  cm_here->peer = peer;
  cm_here->tag = tag;
  cm_here->has_peer = 1;
  while (!*message && wait) {
    cm_progress(1);
    *message = cm_find(comm, CM_POINT, peer, tag);
  }
  return MPI_SUCCESS;
}

static void no_task(MPI_Status *status) {
  if (!cm_is_wanted(status)) return;
  cm_status_empty(status);
  status->MPI_SOURCE = MPI_PROC_NULL;
}

static void tell(MPI_Status *status, const cm_message *message) {
  if (cm_is_wanted(status)) cm_status_of(status, &message->header);
}

static void match(cm_message *message, MPI_Message *handle) {
  cm_take(message);
  *handle = cm_table_add(&matched, FIRST_MATCHED, message);
}

API(MPI_Probe)
int MPI_Probe(int peer, int tag, MPI_Comm comm, MPI_Status *status) {
  cm_message *message;
  int code;
  ENTER();
  if (peer == MPI_PROC_NULL) return no_task(status), MPI_SUCCESS;
  code = look(peer, tag, comm, 1, &message);
  if (code == MPI_SUCCESS) tell(status, message);
  return code;
}

API(MPI_Iprobe)
int MPI_Iprobe(int peer, int tag, MPI_Comm comm, int *flag, MPI_Status *status) {
  cm_message *message;
  int code;
  ENTER();
  *flag = 1;
  if (peer == MPI_PROC_NULL) return no_task(status), MPI_SUCCESS;
  code = look(peer, tag, comm, 0, &message);
  if (code != MPI_SUCCESS) return code;
  *flag = message != 0;
  if (message) tell(status, message);
  return MPI_SUCCESS;
}

API(MPI_Mprobe)
int MPI_Mprobe(int peer, int tag, MPI_Comm comm, MPI_Message *handle, MPI_Status *status) {
  cm_message *message;
  int code;
  ENTER();
  *handle = MPI_MESSAGE_NO_PROC;
  if (peer == MPI_PROC_NULL) return no_task(status), MPI_SUCCESS;
  code = look(peer, tag, comm, 1, &message);
  if (code != MPI_SUCCESS) return code;
  tell(status, message);
  match(message, handle);
  return MPI_SUCCESS;
}

API(MPI_Improbe)
int MPI_Improbe(int peer, int tag, MPI_Comm comm, int *flag, MPI_Message *handle, MPI_Status *status) {
  cm_message *message;
  int code;
  ENTER();
  *flag = 1;
  *handle = MPI_MESSAGE_NO_PROC;
  if (peer == MPI_PROC_NULL) return no_task(status), MPI_SUCCESS;
  code = look(peer, tag, comm, 0, &message);
  if (code != MPI_SUCCESS) return code;
  *flag = message != 0;
  if (!message) return MPI_SUCCESS;
  tell(status, message);
  match(message, handle);
  return MPI_SUCCESS;
}

MPI_Message cm_match(int from, long number, MPI_Status *status) {
  MPI_Message handle;
  match(cm_awaited(from, number), &handle);
  tell(status, cm_table_get(&matched, handle));
  return handle;
}

static int receive_matched(void *data, int count, MPI_Datatype handle, MPI_Message *from, cm_request **request) {
  cm_message *message = cm_table_get(&matched, *from);
  CHECK_TYPE(0, type, handle);
  if (!message && *from != MPI_MESSAGE_NO_PROC) return cm_error(0, MPI_ERR_REQUEST, "%d is no message", *from);
  *request = cm_ireceive(cm_comm_of(MPI_COMM_SELF), CM_POINT, data, count, type, MPI_PROC_NULL, 0);
  if (message) {
    cm_fill(*request, &message->header, message->payload);
    cm_table_remove(&matched, *from);
    free(message);
  } else {
    cm_receive(*request);
  }
  *from = MPI_MESSAGE_NULL;
  return MPI_SUCCESS;
}

API(MPI_Mrecv)
int MPI_Mrecv(void *data, int count, MPI_Datatype type, MPI_Message *message, MPI_Status *status) {
  cm_request *request;
  MPI_Request handle;
  int code;
  ENTER();
  code = receive_matched(data, count, type, message, &request);
  return code == MPI_SUCCESS ? cm_finish(request, &handle, status) : code;
}

API(MPI_Imrecv)
int MPI_Imrecv(void *data, int count, MPI_Datatype type, MPI_Message *message, MPI_Request *handle) {
  cm_request *request;
  int code;
  ENTER();
  code = receive_matched(data, count, type, message, &request);
  if (code == MPI_SUCCESS) *handle = cm_request_publish(request);
  return code;
}

/* --- statuses --- */

API(MPI_Get_count)
int MPI_Get_count(const MPI_Status *status, MPI_Datatype handle, int *count) {
  CHECK_TYPE(0, type, handle);
  if (type->size == 0) *count = status->chronos_bytes == 0 ? 0 : MPI_UNDEFINED;
  else if (status->chronos_bytes % type->size) *count = MPI_UNDEFINED;
  else *count = (int)(status->chronos_bytes / type->size);
  return MPI_SUCCESS;
}

API(MPI_Get_elements_x)
int MPI_Get_elements_x(const MPI_Status *status, MPI_Datatype handle, MPI_Count *count) {
  CHECK_TYPE(0, type, handle);
  *count = cm_elements(type, status->chronos_bytes);
  return MPI_SUCCESS;
}

API(MPI_Get_elements)
int MPI_Get_elements(const MPI_Status *status, MPI_Datatype type, int *count) {
  MPI_Count found = 0;
  int code = PMPI_Get_elements_x(status, type, &found);
  *count = (int)found;
  return code;
}

API(MPI_Status_set_elements_x)
int MPI_Status_set_elements_x(MPI_Status *status, MPI_Datatype handle, MPI_Count count) {
  CHECK_TYPE(0, type, handle);
  status->chronos_bytes = type->elements > 0 ? count * type->size / type->elements : 0;
  return MPI_SUCCESS;
}

API(MPI_Status_set_elements)
int MPI_Status_set_elements(MPI_Status *status, MPI_Datatype type, int count) {
  return PMPI_Status_set_elements_x(status, type, count);
}

API(MPI_Status_set_cancelled)
int MPI_Status_set_cancelled(MPI_Status *status, int flag) {
  status->chronos_cancelled = flag;
  return MPI_SUCCESS;
}

API(MPI_Test_cancelled)
int MPI_Test_cancelled(const MPI_Status *status, int *flag) {
  *flag = status->chronos_cancelled;
  return MPI_SUCCESS;
}
