/* Requests: completion of what was begun, waiting and testing. */
#include "messages.h"
#include "direct.h"

static cm_table requests;

cm_request *cm_request_new(int kind) {
  cm_request *request = cm_allocate(sizeof *request);
  request->kind = kind;
  return request;
}

MPI_Request cm_request_publish(cm_request *request) {
  request->handle = cm_table_add(&requests, 1, request);
  return request->handle;
}

cm_request *cm_request_of(MPI_Request handle) {
  cm_request *request = cm_table_get(&requests, handle);
  if (!request && handle != MPI_REQUEST_NULL) cm_error(0, MPI_ERR_REQUEST, "%d is no request", handle);
  return request;
}

void cm_request_free(cm_request *request) {
  if (request->handle) cm_table_remove(&requests, request->handle);
  if (request->type) cm_type_drop(request->type);
  if (request->comm) cm_comm_drop(request->comm);
  free(request->call);
  free(request->scratch);
  free(request);
}

void cm_status_empty(MPI_Status *status) {
  status->MPI_SOURCE = MPI_ANY_SOURCE;
  status->MPI_TAG = MPI_ANY_TAG;
  status->MPI_ERROR = MPI_SUCCESS;
  status->chronos_cancelled = 0;
  status->chronos_bytes = 0;
}

MPI_Request cm_request_done(long bytes) {
  cm_request *request = cm_request_new(CM_DONE);
  cm_status_empty(&request->status);
  request->status.chronos_bytes = bytes;
  request->active = request->done = 1;
  return cm_request_publish(request);
}

void cm_complete(cm_request *request) {
  cm_request *parent = request->parent;
  request->done = 1;
  if (parent) {
    if (request->error && !parent->error) parent->error = request->error;
    cm_request_free(request);
    if (--parent->left == 0) parent->then(parent);
  } else if (request->forgotten) {
    cm_request_free(request);
  }
}

/* A send is done when the transport has it: it says so in the request, not by a call. */
static int is_done(cm_request *request) {
  if (request->kind == CM_SEND && !request->done) cm_sent(request);
  return request->done;
}

void cm_wait(cm_request *request) {
  if (request->kind == CM_RECEIVE || request->kind == CM_SEND) {
    cm_here->peer = request->peer;
    cm_here->tag = request->tag;
    cm_here->has_peer = request->channel == CM_POINT;
  }
  while (!is_done(request)) cm_progress(1);
  cm_here->has_peer = 0;
}

static void give_status(cm_request *request, MPI_Status *status) {
  if (request->kind == CM_GENERAL && request->query) request->query(request->state, &request->status);
  if (!cm_is_wanted(status)) return;
  const int error = status->MPI_ERROR;
  *status = request->status;
  status->MPI_ERROR = error;
  status->chronos_cancelled = request->kind == CM_GENERAL ? request->status.chronos_cancelled : request->cancelled;
}

int cm_finish(cm_request *request, MPI_Request *handle, MPI_Status *status) {
  const int error = request->error;
  cm_comm *comm = request->comm;
  const long length = request->type ? request->count * request->type->size : 0;
  const int source = request->status.MPI_SOURCE;
  give_status(request, status);
  if (request->persistent) {
    request->active = 0;
    request->error = 0;
  } else {
    if (request->kind == CM_GENERAL && request->release) request->release(request->state);
    *handle = MPI_REQUEST_NULL;
    if (comm) comm->references++;
    cm_request_free(request);
    if (comm) comm->references--;
  }
  if (error == MPI_ERR_TRUNCATE)
    return cm_error(comm, error, "the message of task %d is longer than the %ld bytes of the receive", source, length);
  return error;
}

/* A handle that waits for nothing: its status is empty. */
static cm_request *active(MPI_Request handle, MPI_Status *status) {
  cm_request *request = cm_request_of(handle);
  if (request && request->active) return request;
  if (cm_is_wanted(status)) {
    const int error = status->MPI_ERROR;
    cm_status_empty(status);
    status->MPI_ERROR = error;
  }
  return 0;
}

static MPI_Status *nth(MPI_Status *statuses, int i) { return cm_is_wanted(statuses) ? &statuses[i] : 0; }

/* --- one --- */

API(MPI_Wait)
int MPI_Wait(MPI_Request *handle, MPI_Status *status) {
  cm_request *request;
  ENTER();
  request = active(*handle, status);
  if (!request) return MPI_SUCCESS;
  cm_wait(request);
  return cm_finish(request, handle, status);
}

API(MPI_Test)
int MPI_Test(MPI_Request *handle, int *flag, MPI_Status *status) {
  cm_request *request;
  ENTER();
  *flag = 1;
  request = active(*handle, status);
  if (!request) return MPI_SUCCESS;
  if (!is_done(request)) cm_glance();
  *flag = is_done(request);
  return *flag ? cm_finish(request, handle, status) : MPI_SUCCESS;
}

API(MPI_Request_get_status)
int MPI_Request_get_status(MPI_Request handle, int *flag, MPI_Status *status) {
  cm_request *request;
  ENTER();
  *flag = 1;
  request = active(handle, status);
  if (!request) return MPI_SUCCESS;
  if (!is_done(request)) cm_glance();
  *flag = is_done(request);
  if (*flag) give_status(request, status);
  return MPI_SUCCESS;
}

/* --- all --- */

/* Finishes all of them; MPI_ERR_IN_STATUS where one failed. */
static int finish_all(int count, MPI_Request handles[], MPI_Status statuses[]) {
  int i, failed = 0;
  for (i = 0; i < count; i++) {
    cm_request *request = active(handles[i], nth(statuses, i));
    const int code = request ? cm_finish(request, &handles[i], nth(statuses, i)) : MPI_SUCCESS;
    if (cm_is_wanted(statuses) && (code || failed)) statuses[i].MPI_ERROR = code;
    failed |= code;
  }
  return failed ? MPI_ERR_IN_STATUS : MPI_SUCCESS;
}

API(MPI_Waitall)
int MPI_Waitall(int count, MPI_Request handles[], MPI_Status statuses[]) {
  int i;
  ENTER();
  for (i = 0; i < count; i++) {
    cm_request *request = active(handles[i], 0);
    if (request) cm_wait(request);
  }
  return finish_all(count, handles, statuses);
}

static int all_done(int count, const MPI_Request handles[]) {
  int i;
  for (i = 0; i < count; i++) {
    cm_request *request = active(handles[i], 0);
    if (request && !is_done(request)) return 0;
  }
  return 1;
}

API(MPI_Testall)
int MPI_Testall(int count, MPI_Request handles[], int *flag, MPI_Status statuses[]) {
  ENTER();
  if (!all_done(count, handles)) cm_glance();
  *flag = all_done(count, handles);
  return *flag ? finish_all(count, handles, statuses) : MPI_SUCCESS;
}

/* --- any --- */

/* The first that is done; MPI_UNDEFINED where none is active, -1 where none is done. */
static int first_done(int count, const MPI_Request handles[]) {
  int i, any = 0;
  for (i = 0; i < count; i++) {
    cm_request *request = active(handles[i], 0);
    if (!request) continue;
    if (is_done(request)) return i;
    any = 1;
  }
  return any ? -1 : MPI_UNDEFINED;
}

static int finish_any(int found, MPI_Request handles[], int *index, MPI_Status *status) {
  *index = found;
  if (found != MPI_UNDEFINED) return cm_finish(cm_request_of(handles[found]), &handles[found], status);
  if (cm_is_wanted(status)) cm_status_empty(status);
  return MPI_SUCCESS;
}

API(MPI_Waitany)
int MPI_Waitany(int count, MPI_Request handles[], int *index, MPI_Status *status) {
  int found;
  ENTER();
  cm_progress(0);
  while ((found = first_done(count, handles)) == -1) cm_progress(1);
  return finish_any(found, handles, index, status);
}

API(MPI_Testany)
int MPI_Testany(int count, MPI_Request handles[], int *index, int *flag, MPI_Status *status) {
  int found;
  ENTER();
  found = first_done(count, handles);
  if (found == -1) {
    cm_glance();
    found = first_done(count, handles);
  }
  *flag = found != -1;
  *index = MPI_UNDEFINED;
  return *flag ? finish_any(found, handles, index, status) : MPI_SUCCESS;
}

/* --- some --- */

static int finish_some(int count, MPI_Request handles[], int *done, int indices[], MPI_Status statuses[]) {
  int i, failed = 0;
  *done = 0;
  for (i = 0; i < count; i++) {
    cm_request *request = active(handles[i], 0);
    int code;
    if (!request || !is_done(request)) continue;
    code = cm_finish(request, &handles[i], nth(statuses, *done));
    if (cm_is_wanted(statuses) && (code || failed)) statuses[*done].MPI_ERROR = code;
    failed |= code;
    indices[(*done)++] = i;
  }
  return failed ? MPI_ERR_IN_STATUS : MPI_SUCCESS;
}

API(MPI_Waitsome)
int MPI_Waitsome(int count, MPI_Request handles[], int *done, int indices[], MPI_Status statuses[]) {
  int found;
  ENTER();
  cm_progress(0);
  while ((found = first_done(count, handles)) == -1) cm_progress(1);
  *done = MPI_UNDEFINED;
  return found == MPI_UNDEFINED ? MPI_SUCCESS : finish_some(count, handles, done, indices, statuses);
}

API(MPI_Testsome)
int MPI_Testsome(int count, MPI_Request handles[], int *done, int indices[], MPI_Status statuses[]) {
  int found;
  ENTER();
  cm_glance();
  found = first_done(count, handles);
  *done = found == MPI_UNDEFINED ? MPI_UNDEFINED : 0;
  return found < 0 ? MPI_SUCCESS : finish_some(count, handles, done, indices, statuses);
}

/* --- beginning again, giving up --- */

void cm_start(cm_request *request) {
  request->active = 1;
  request->done = request->cancelled = request->error = 0;
  if (request->kind == CM_SEND) cm_send(request);
  else if (request->kind == CM_RECEIVE) cm_receive(request);
  else cm_call_start(request);
}

API(MPI_Start)
int MPI_Start(MPI_Request *handle) {
  cm_request *request;
  ENTER();
  request = cm_request_of(*handle);
  if (!request || !request->persistent || request->active)
    return cm_error(0, MPI_ERR_REQUEST, "the request cannot be started");
  request->ready = 0;
  if (request->partitions > 0 && request->kind == CM_SEND) request->active = 1;
  else cm_start(request);
  return MPI_SUCCESS;
}

API(MPI_Startall)
int MPI_Startall(int count, MPI_Request handles[]) {
  int i, code = MPI_SUCCESS;
  for (i = 0; i < count && code == MPI_SUCCESS; i++) code = PMPI_Start(&handles[i]);
  return code;
}

/* A receive that no message has met is taken back; what was sent is on its way. */
API(MPI_Cancel)
int MPI_Cancel(MPI_Request *handle) {
  cm_request *request;
  ENTER();
  request = cm_request_of(*handle);
  if (!request) return cm_error(0, MPI_ERR_REQUEST, "there is no request to cancel");
  if (request->kind == CM_GENERAL && request->cancel) return request->cancel(request->state, request->done);
  /* Whether a driven one can be taken back has been decided. */
  if (request->kind == CM_RECEIVE && !request->done && (cm_driven || cm_unpost(request))) {
    request->cancelled = 1;
    cm_complete(request);
  }
  return MPI_SUCCESS;
}

API(MPI_Request_free)
int MPI_Request_free(MPI_Request *handle) {
  cm_request *request;
  ENTER();
  request = cm_request_of(*handle);
  if (!request) return cm_error(0, MPI_ERR_REQUEST, "there is no request to free");
  *handle = MPI_REQUEST_NULL;
  if (!request->active || is_done(request)) {
    if (request->kind == CM_GENERAL && request->release) request->release(request->state);
    cm_request_free(request);
    return MPI_SUCCESS;
  }
  cm_table_remove(&requests, request->handle);
  request->handle = 0;
  /* The flag that the transport sets must outlive the send: it is waited for at the end of all. */
  request->forgotten = request->kind != CM_SEND || request->mode == CM_SYNCHRONOUS;
  return MPI_SUCCESS;
}

/* --- requests of the user's own --- */

API(MPI_Grequest_start)
int MPI_Grequest_start(MPI_Grequest_query_function *query, MPI_Grequest_free_function *release,
                       MPI_Grequest_cancel_function *cancel, void *state, MPI_Request *handle) {
  cm_request *request = cm_request_new(CM_GENERAL);
  ENTER();
  request->query = query;
  request->release = release;
  request->cancel = cancel;
  request->state = state;
  request->active = 1;
  *handle = cm_request_publish(request);
  return MPI_SUCCESS;
}

API(MPI_Grequest_complete)
int MPI_Grequest_complete(MPI_Request handle) {
  cm_request *request;
  ENTER();
  request = cm_request_of(handle);
  if (!request || request->kind != CM_GENERAL) return cm_error(0, MPI_ERR_REQUEST, "it is no request of the program");
  request->done = 1;
  return MPI_SUCCESS;
}
