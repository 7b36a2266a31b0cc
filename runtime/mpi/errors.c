/* Errors: their names, and the handlers that hear of them. */
#include "internal.h"
#include "direct.h"

typedef struct {
  int references;
  MPI_Comm_errhandler_function *function; /* those of windows and files take a number as well */
} handler;

static cm_table handlers;
enum { FIRST_HANDLER = 4 };

static const char *const names[] = {
    "MPI_SUCCESS", "MPI_ERR_BUFFER", "MPI_ERR_COUNT", "MPI_ERR_TYPE", "MPI_ERR_TAG", "MPI_ERR_COMM", "MPI_ERR_RANK",
    "MPI_ERR_REQUEST", "MPI_ERR_ROOT", "MPI_ERR_GROUP", "MPI_ERR_OP", "MPI_ERR_TOPOLOGY", "MPI_ERR_DIMS", "MPI_ERR_ARG",
    "MPI_ERR_UNKNOWN", "MPI_ERR_TRUNCATE", "MPI_ERR_OTHER", "MPI_ERR_INTERN", "MPI_ERR_IN_STATUS", "MPI_ERR_PENDING",
    "MPI_ERR_ACCESS", "MPI_ERR_AMODE", "MPI_ERR_ASSERT", "MPI_ERR_BAD_FILE", "MPI_ERR_BASE", "MPI_ERR_CONVERSION",
    "MPI_ERR_DISP", "MPI_ERR_DUP_DATAREP", "MPI_ERR_FILE_EXISTS", "MPI_ERR_FILE_IN_USE", "MPI_ERR_FILE",
    "MPI_ERR_INFO_KEY", "MPI_ERR_INFO_NOKEY", "MPI_ERR_INFO_VALUE", "MPI_ERR_INFO", "MPI_ERR_IO", "MPI_ERR_KEYVAL",
    "MPI_ERR_LOCKTYPE", "MPI_ERR_NAME", "MPI_ERR_NO_MEM", "MPI_ERR_NOT_SAME", "MPI_ERR_NO_SPACE",
    "MPI_ERR_NO_SUCH_FILE", "MPI_ERR_PORT", "MPI_ERR_QUOTA", "MPI_ERR_READ_ONLY", "MPI_ERR_RMA_CONFLICT",
    "MPI_ERR_RMA_SYNC", "MPI_ERR_SERVICE", "MPI_ERR_SIZE", "MPI_ERR_SPAWN", "MPI_ERR_UNSUPPORTED_DATAREP",
    "MPI_ERR_UNSUPPORTED_OPERATION", "MPI_ERR_WIN", "", "MPI_ERR_RMA_RANGE", "MPI_ERR_RMA_ATTACH",
    "MPI_ERR_RMA_FLAVOR", "MPI_ERR_RMA_SHARED"};

/* Codes and classes that the program adds. */
enum { MAX_ADDED = 1024 };
static struct {
  int class;
  char *text;
} added[MAX_ADDED];
static int added_count;

const char *cm_class_name(int class) {
  return class >= 0 && class < (int)(sizeof names / sizeof *names) ? names[class] : "MPI error";
}

void cm_fatal(const char *format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  fflush(stdout);
  fprintf(stderr, "chronos: task %d, %s: %s\n", cm_task, cm_here->function ? cm_here->function : "start", text);
  cm_abort(1);
}

int cm_enter(const char *function) {
  cm_here->function = function;
  cm_here->has_peer = 0;
  if (!cm_initialized) cm_fatal("it is called before MPI_Init");
  if (cm_finalized) cm_fatal("it is called after MPI_Finalize");
  return 1;
}

void cm_leave(int *inside) {
  (void)inside;
  if (cm_driven) cm_driven->left();
}

int cm_error_of(int kind, int handle, MPI_Errhandler number, int class, const char *format, ...) {
  char text[512];
  va_list arguments;
  handler *known = cm_table_get(&handlers, number);
  (void)kind;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (known) known->function(&handle, &class);
  else if (number != MPI_ERRORS_RETURN) cm_fatal("%s (%s)", text, cm_class_name(class));
  return class;
}

int cm_error(cm_comm *comm, int class, const char *format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (!comm && cm_initialized) comm = cm_comm_of(MPI_COMM_WORLD);
  return cm_error_of(CM_OF_COMM, comm ? comm->handle : 0, comm ? comm->handler : MPI_ERRORS_ARE_FATAL, class, "%s", text);
}

static int create(MPI_Comm_errhandler_function *function, MPI_Errhandler *number) {
  handler *made = cm_allocate(sizeof *made);
  made->function = function;
  *number = cm_table_add(&handlers, FIRST_HANDLER, made);
  return MPI_SUCCESS;
}

API(MPI_Comm_create_errhandler)
int MPI_Comm_create_errhandler(MPI_Comm_errhandler_function *f, MPI_Errhandler *number) { return create(f, number); }
API(MPI_Errhandler_create)
int MPI_Errhandler_create(MPI_Handler_function *f, MPI_Errhandler *number) { return create(f, number); }
API(MPI_Win_create_errhandler)
int MPI_Win_create_errhandler(MPI_Win_errhandler_function *f, MPI_Errhandler *number) { return create(f, number); }
API(MPI_File_create_errhandler)
int MPI_File_create_errhandler(MPI_File_errhandler_function *f, MPI_Errhandler *number) { return create(f, number); }

/* What objects still name goes on: handlers are few. */
API(MPI_Errhandler_free)
int MPI_Errhandler_free(MPI_Errhandler *number) {
  *number = MPI_ERRHANDLER_NULL;
  return MPI_SUCCESS;
}

API(MPI_Comm_set_errhandler)
int MPI_Comm_set_errhandler(MPI_Comm handle, MPI_Errhandler number) {
  ENTER();
  CHECK_COMM(comm, handle);
  comm->handler = number;
  return MPI_SUCCESS;
}
API(MPI_Comm_get_errhandler)
int MPI_Comm_get_errhandler(MPI_Comm handle, MPI_Errhandler *number) {
  ENTER();
  CHECK_COMM(comm, handle);
  *number = comm->handler;
  return MPI_SUCCESS;
}
API(MPI_Comm_call_errhandler)
int MPI_Comm_call_errhandler(MPI_Comm handle, int code) {
  ENTER();
  CHECK_COMM(comm, handle);
  cm_error(comm, code, "the program reports an error");
  return MPI_SUCCESS;
}
API(MPI_Errhandler_set)
int MPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler number) { return PMPI_Comm_set_errhandler(comm, number); }
API(MPI_Errhandler_get)
int MPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler *number) { return PMPI_Comm_get_errhandler(comm, number); }

API(MPI_Error_class)
int MPI_Error_class(int code, int *class) {
  int own = code - MPI_ERR_LASTCODE - 1;
  *class = own >= 0 && own < added_count ? added[own].class : code;
  return MPI_SUCCESS;
}

API(MPI_Error_string)
int MPI_Error_string(int code, char *text, int *length) {
  int own = code - MPI_ERR_LASTCODE - 1;
  const char *known = own >= 0 && own < added_count ? (added[own].text ? added[own].text : "") : cm_class_name(code);
  *length = snprintf(text, MPI_MAX_ERROR_STRING, "%s", known);
  return MPI_SUCCESS;
}

static int add(int class, int *code) {
  if (added_count == MAX_ADDED) return cm_error(0, MPI_ERR_OTHER, "there are too many error codes");
  *code = MPI_ERR_LASTCODE + 1 + added_count;
  added[added_count++].class = class < 0 ? *code : class;
  return MPI_SUCCESS;
}

API(MPI_Add_error_class)
int MPI_Add_error_class(int *class) { return add(-1, class); }
API(MPI_Add_error_code)
int MPI_Add_error_code(int class, int *code) { return add(class, code); }
API(MPI_Add_error_string)
int MPI_Add_error_string(int code, const char *text) {
  int own = code - MPI_ERR_LASTCODE - 1;
  if (own < 0 || own >= added_count) return cm_error(0, MPI_ERR_ARG, "%d is no code that was added", code);
  free(added[own].text);
  added[own].text = strcpy(cm_allocate(strlen(text) + 1), text);
  return MPI_SUCCESS;
}
