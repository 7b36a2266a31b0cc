/* Access to the memory of other tasks' windows. The origin says which runs of bytes it means (it knows the datatype of
 * the target's side), the target applies the operation and answers. */
#include "windows.h"

/* What travels: this, the runs, the data. */
typedef struct {
  long disp;   /* in units of the target */
  long extra;  /* bytes to add to it */
  long runs;   /* pairs of place and length */
  long bytes;  /* of data that is sent */
  long wanted; /* bytes that are asked for */
  int op, type; /* of an accumulation: a predefined type */
  long request;
} order;

typedef struct {
  long *pairs;
  long count, room;
} run_list;

static void add_run(void *context, long at, long length) {
  run_list *list = context;
  if (list->count > 0 && list->pairs[2 * list->count - 2] + list->pairs[2 * list->count - 1] == at) {
    list->pairs[2 * list->count - 1] += length;
    return;
  }
  if (list->count == list->room) {
    list->room = 2 * list->room + 16;
    list->pairs = realloc(list->pairs, (size_t)list->room * 2 * sizeof(long));
    if (!list->pairs) cm_fatal("there is no memory for the datatype of an access");
  }
  list->pairs[2 * list->count] = at;
  list->pairs[2 * list->count + 1] = length;
  list->count++;
}

/* An access from this task: where its answer goes. */
typedef struct {
  cm_window *window;
  int rank;
  void *result;
  long count;
  cm_type *type;
  cm_request *request;
} access;

/* The predefined type that all elements of a type are of, or 0. */
static int element(const cm_type *type) {
  long i;
  int found = type->basic;
  if (found) return found;
  for (i = 0; i < type->block_count; i++) {
    const int of = element(type->blocks[i].type);
    if (type->blocks[i].type->size == 0) continue;
    if (found && of != found) return 0;
    found = of;
  }
  return found;
}

static char *encode(order *what, const run_list *runs, const void *out, long out_count, const cm_type *out_type,
                    long *bytes) {
  char *payload, *data;
  what->runs = runs->count;
  what->bytes = out_type ? out_count * out_type->size : 0;
  *bytes = (long)sizeof *what + runs->count * 2 * (long)sizeof(long) + what->bytes;
  payload = cm_allocate((size_t)*bytes);
  memcpy(payload, what, sizeof *what);
  if (runs->count > 0) memcpy(payload + sizeof *what, runs->pairs, (size_t)runs->count * 2 * sizeof(long));
  data = payload + sizeof *what + runs->count * 2 * (long)sizeof(long);
  if (what->bytes > 0) cm_pack(out_type, out, out_count, data);
  return payload;
}

typedef struct {
  int what, op, rank;
  const void *out;
  long out_count;
  MPI_Datatype out_type;
  void *in;
  long in_count;
  MPI_Datatype in_type;
  MPI_Aint disp;
  long count;
  MPI_Datatype type;
} asked;

static int start_access(const asked *ask, MPI_Win handle, MPI_Request *request) {
  access *own;
  order what = {0};
  run_list runs = {0};
  long bytes;
  char *payload;
  CHECK_WINDOW(window, handle);
  cm_type *target = cm_type_of(ask->type);
  cm_type *out = ask->out_type ? cm_type_of(ask->out_type) : 0;
  if (ask->rank == MPI_PROC_NULL) {
    if (request) *request = cm_request_done(0);
    return MPI_SUCCESS;
  }
  if (ask->rank < 0 || ask->rank >= window->comm->local->size)
    return cm_window_error(window, MPI_ERR_RANK, "there is no such task in the window");
  if (!target || (ask->out_type && !out) || (ask->in_type && !cm_type_of(ask->in_type)))
    return cm_window_error(window, MPI_ERR_TYPE, "a datatype is none");
  if (ask->count < 0 || ask->out_count < 0 || ask->in_count < 0)
    return cm_window_error(window, MPI_ERR_COUNT, "a count is negative");
  cm_runs(target, 0, ask->count, add_run, &runs);
  own = cm_allocate(sizeof *own);
  own->window = window;
  own->rank = ask->rank;
  own->result = ask->in;
  own->count = ask->in_count;
  own->type = ask->in_type ? cm_type_keep(cm_type_of(ask->in_type)) : 0;
  if (request) {
    own->request = cm_request_new(CM_GENERAL);
    own->request->active = 1;
    cm_status_empty(&own->request->status);
    *request = cm_request_publish(own->request);
  }
  what.disp = ask->disp;
  what.wanted = own->type ? ask->in_count * own->type->size : 0;
  what.op = ask->op;
  what.type = element(target);
  what.request = (long)own;
  payload = encode(&what, &runs, ask->out, ask->out_count, out, &bytes);
  free(runs.pairs);
  window->open++;
  window->open_at[ask->rank]++;
  cm_window_tell(window, ask->rank, ask->what, 0, payload, bytes);
  return MPI_SUCCESS;
}

/* --- at the target --- */

static char *target_at(cm_window *window, long disp, const long *pair) {
  const long at = disp * window->unit + pair[0];
  if (window->flavor == MPI_WIN_FLAVOR_DYNAMIC) return (char *)at;
  if (at < 0 || at + pair[1] > window->size)
    cm_fatal("an access to bytes %ld to %ld of a window of %ld (MPI_ERR_RMA_RANGE)", at, at + pair[1] - 1, window->size);
  return window->base + at;
}

static void copy_out(cm_window *window, const order *what, const long *pairs, char *to) {
  long i;
  for (i = 0; i < what->runs; i++) {
    memcpy(to, target_at(window, what->disp, pairs + 2 * i), (size_t)pairs[2 * i + 1]);
    to += pairs[2 * i + 1];
  }
}

static void apply(cm_window *window, const order *what, const long *pairs, const char *data, int kind) {
  cm_type *type = cm_type_of(what->type);
  long i;
  if (kind == CM_ACCUMULATE && what->op == MPI_NO_OP) return;
  for (i = 0; i < what->runs; i++) {
    char *at = target_at(window, what->disp, pairs + 2 * i);
    const long length = pairs[2 * i + 1];
    if (kind == CM_ACCUMULATE && what->op != MPI_REPLACE) cm_reduce(what->op, data, at, length / cm_extent(type), type);
    else memcpy(at, data, (size_t)length);
    data += length;
  }
}

/* Compares the first half of the data with what is there, and puts the second half there when it is the same. */
static void swap(cm_window *window, const order *what, const long *pairs, const char *data) {
  char *at = target_at(window, what->disp, pairs);
  if (memcmp(at, data, (size_t)pairs[1]) == 0) memcpy(at, data + pairs[1], (size_t)pairs[1]);
}

static void answered(const cm_header *header, const char *payload) {
  access *own = (access *)header->words[2];
  own->window->open--;
  own->window->open_at[own->rank]--;
  if (own->type) {
    cm_unpack(own->type, own->result, own->count, payload, header->length);
    cm_type_drop(own->type);
  }
  if (own->request) cm_complete(own->request);
  free(own);
}

void cm_remote_arrived(cm_window *window, const cm_header *header, char *payload) {
  const int kind = (int)header->words[0];
  order what;
  const long *pairs;
  const char *data;
  char *answer;
  if (kind == CM_ANSWER) {
    answered(header, payload);
    return;
  }
  memcpy(&what, payload, sizeof what);
  pairs = (const long *)(payload + sizeof what);
  data = payload + sizeof what + what.runs * 2 * (long)sizeof(long);
  answer = what.wanted > 0 ? cm_allocate((size_t)what.wanted) : 0;
  if (answer) copy_out(window, &what, pairs, answer);
  if (kind == CM_SWAP) swap(window, &what, pairs, data);
  else if (kind != CM_GET) apply(window, &what, pairs, data, kind);
  cm_window_tell(window, header->rank, CM_ANSWER, what.request, answer, what.wanted);
}

/* --- the interface --- */

#define WITH_REQUEST(Name, RName, PARAMETERS, ...)                                     \
  API(MPI_##Name)                                                                      \
  int MPI_##Name(PARAMETERS, MPI_Win window) {                                         \
    ENTER();                                                                           \
    return start_access(&(asked){__VA_ARGS__}, window, 0);                             \
  }                                                                                    \
  API(MPI_##RName)                                                                     \
  int MPI_##RName(PARAMETERS, MPI_Win window, MPI_Request *request) {                  \
    ENTER();                                                                           \
    return start_access(&(asked){__VA_ARGS__}, window, request);                       \
  }
#define PUT const void *out, int out_count, MPI_Datatype out_type, int rank, MPI_Aint disp, int count, MPI_Datatype type
#define GET void *in, int in_count, MPI_Datatype in_type, int rank, MPI_Aint disp, int count, MPI_Datatype type
#define BOTH                                                                                                         \
  const void *out, int out_count, MPI_Datatype out_type, void *in, int in_count, MPI_Datatype in_type, int rank,     \
      MPI_Aint disp, int count, MPI_Datatype type, MPI_Op op
#define ACCUMULATE PUT, MPI_Op op

WITH_REQUEST(Put, Rput, PUT, CM_PUT, 0, rank, out, out_count, out_type, 0, 0, 0, disp, count, type)
WITH_REQUEST(Get, Rget, GET, CM_GET, 0, rank, 0, 0, 0, in, in_count, in_type, disp, count, type)
WITH_REQUEST(Accumulate, Raccumulate, ACCUMULATE, CM_ACCUMULATE, op, rank, out, out_count, out_type, 0, 0, 0, disp, count,
             type)
WITH_REQUEST(Get_accumulate, Rget_accumulate, BOTH, CM_ACCUMULATE, op, rank, op == MPI_NO_OP ? 0 : out,
             op == MPI_NO_OP ? 0 : out_count, op == MPI_NO_OP ? 0 : out_type, in, in_count, in_type, disp, count, type)

API(MPI_Fetch_and_op)
int MPI_Fetch_and_op(const void *out, void *in, MPI_Datatype type, int rank, MPI_Aint disp, MPI_Op op, MPI_Win window) {
  ENTER();
  return start_access(&(asked){CM_ACCUMULATE, op, rank, op == MPI_NO_OP ? 0 : out, op != MPI_NO_OP,
                               op == MPI_NO_OP ? 0 : type, in, 1, type, disp, 1, type},
                      window, 0);
}

API(MPI_Compare_and_swap)
int MPI_Compare_and_swap(const void *new, const void *expected, void *in, MPI_Datatype handle, int rank, MPI_Aint disp,
                         MPI_Win window) {
  char both[64];
  int code;
  ENTER();
  CHECK_TYPE(0, type, handle);
  if (type->size > 32) return cm_error(0, MPI_ERR_TYPE, "the datatype is too large to be compared");
  memcpy(both, expected, (size_t)type->size);
  memcpy(both + type->size, new, (size_t)type->size);
  code = start_access(
      &(asked){CM_SWAP, 0, rank, both, 2 * type->size, MPI_BYTE, in, 1, handle, disp, 1, handle}, window, 0);
  return code;
}
