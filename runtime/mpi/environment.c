/* Beginning and end, time, names, memory. */
#include "internal.h"
#include "direct.h"
#include <time.h>
#include <unistd.h>

int cm_initialized, cm_finalized;
static int thread_level;

static void begin(int level) {
  cm_here->function = "MPI_Init";
  if (cm_initialized) cm_fatal("it is called twice");
  cm_messages_begin();
  cm_types_begin();
  cm_comms_begin();
  cm_initialized = 1;
  cm_here->initialized = 1;
  thread_level = level < MPI_THREAD_SERIALIZED ? level : MPI_THREAD_SERIALIZED;
}

API(MPI_Init)
int MPI_Init(int *argc, char ***argv) {
  (void)argc;
  (void)argv;
  begin(MPI_THREAD_SINGLE);
  return MPI_SUCCESS;
}

API(MPI_Init_thread)
int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
  (void)argc;
  (void)argv;
  begin(required);
  *provided = thread_level;
  return MPI_SUCCESS;
}

API(MPI_Initialized)
int MPI_Initialized(int *flag) {
  *flag = cm_initialized;
  return MPI_SUCCESS;
}

API(MPI_Finalize)
int MPI_Finalize(void) {
  ENTER();
  cm_attributes_delete(CM_OF_COMM, MPI_COMM_SELF, &cm_comm_of(MPI_COMM_SELF)->attributes);
  cm_barrier(cm_comm_of(MPI_COMM_WORLD));
  cm_drain();
  cm_finalized = 1;
  cm_here->finalized = 1;
  return MPI_SUCCESS;
}

API(MPI_Finalized)
int MPI_Finalized(int *flag) {
  *flag = cm_finalized;
  return MPI_SUCCESS;
}

API(MPI_Query_thread)
int MPI_Query_thread(int *provided) {
  *provided = thread_level;
  return MPI_SUCCESS;
}

API(MPI_Is_thread_main)
int MPI_Is_thread_main(int *flag) {
  *flag = 1;
  return MPI_SUCCESS;
}

API(MPI_Abort)
int MPI_Abort(MPI_Comm comm, int code) {
  (void)comm;
  cm_abort(code);
}

API(MPI_Wtime)
double MPI_Wtime(void) {
  struct timespec now;
  if (cm_driven) return cm_driven->time();
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

API(MPI_Wtick)
double MPI_Wtick(void) {
  struct timespec tick;
  clock_getres(CLOCK_MONOTONIC, &tick);
  return (double)tick.tv_sec + 1e-9 * (double)tick.tv_nsec;
}

API(MPI_Get_processor_name)
int MPI_Get_processor_name(char *name, int *length) {
  if (gethostname(name, MPI_MAX_PROCESSOR_NAME) != 0) strcpy(name, "localhost");
  name[MPI_MAX_PROCESSOR_NAME - 1] = 0;
  *length = (int)strlen(name);
  return MPI_SUCCESS;
}

API(MPI_Get_version)
int MPI_Get_version(int *version, int *subversion) {
  *version = MPI_VERSION;
  *subversion = MPI_SUBVERSION;
  return MPI_SUCCESS;
}

API(MPI_Get_library_version)
int MPI_Get_library_version(char *text, int *length) {
  *length = sprintf(text, "chronos, bundled MPI");
  return MPI_SUCCESS;
}

API(MPI_Alloc_mem)
int MPI_Alloc_mem(MPI_Aint bytes, MPI_Info info, void *memory) {
  (void)info;
  if (bytes < 0) return cm_error(0, MPI_ERR_ARG, "%ld bytes cannot be allocated", bytes);
  *(void **)memory = malloc(bytes ? (size_t)bytes : 1);
  return *(void **)memory ? MPI_SUCCESS : cm_error(0, MPI_ERR_NO_MEM, "there is no memory for %ld bytes", bytes);
}

API(MPI_Free_mem)
int MPI_Free_mem(void *memory) {
  free(memory);
  return MPI_SUCCESS;
}

API(MPI_Pcontrol)
int MPI_Pcontrol(const int level, ...) {
  (void)level;
  return MPI_SUCCESS;
}
