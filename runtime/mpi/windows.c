/* One-sided communication: windows and their memory. A target handles what others ask of it whenever it is in a call of
 * MPI; so accesses are atomic and need no memory in common. */
#include "windows.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

static cm_table windows, by_number;
enum { FIRST_WINDOW = 1 };

cm_window *cm_window_of(MPI_Win handle) {
  cm_window *window = cm_table_get(&windows, handle);
  if (!window) cm_error(0, MPI_ERR_WIN, "%d is no window", handle);
  return window;
}

cm_window *cm_window_numbered(int number) { return cm_table_get(&by_number, number); }

int cm_window_error(cm_window *window, int class, const char *what) {
  return cm_error_of(CM_OF_WIN, window->handle, window->handler, class, "%s", what);
}

void cm_window_tell(cm_window *window, int rank, int what, long word, char *payload, long bytes) {
  cm_header header = {0};
  header.kind = CM_WINDOW;
  header.rank = window->comm->rank;
  header.length = bytes;
  header.words[0] = what;
  header.words[1] = window->number;
  header.words[2] = word;
  cm_post(window->comm->local->members[rank], &header, payload, 0);
}

void cm_window_arrived(cm_header *header, char *payload) {
  cm_window *window = cm_window_numbered((int)header->words[1]);
  if (!window) cm_fatal("task %d uses a window that is freed", header->from);
  if (header->words[0] <= CM_ANSWER) cm_remote_arrived(window, header, payload);
  else cm_epoch_arrived(window, header);
  free(payload);
}

/* --- making --- */

extern __typeof__(MPI_Comm_dup) PMPI_Comm_dup;
extern __typeof__(MPI_Comm_free) PMPI_Comm_free;

static cm_window *make(int flavor, char *base, long size, int unit, MPI_Comm comm, MPI_Win *handle) {
  cm_window *window = cm_allocate(sizeof *window);
  MPI_Comm own;
  int count;
  /* A communicator of its own gives the window a number that all its tasks know it by. */
  PMPI_Comm_dup(comm, &own);
  window->comm = cm_comm_of(own);
  count = window->comm->local->size;
  window->flavor = flavor;
  window->base = base;
  window->size = size;
  window->unit = unit;
  window->handler = MPI_ERRORS_ARE_FATAL;
  window->open_at = cm_allocate((size_t)count * sizeof(int));
  window->granted = cm_allocate((size_t)count * sizeof(int));
  window->posted = cm_allocate((size_t)count * sizeof(int));
  window->handle = cm_table_add(&windows, FIRST_WINDOW, window);
  window->number = window->comm->context;
  cm_table_put(&by_number, window->number, window);
  *handle = window->handle;
  return window;
}

API(MPI_Win_create)
int MPI_Win_create(void *base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm handle, MPI_Win *new) {
  (void)info;
  ENTER();
  CHECK_COMM(comm, handle);
  if (size < 0) return cm_error(comm, MPI_ERR_SIZE, "the window has %ld bytes", size);
  if (unit <= 0) return cm_error(comm, MPI_ERR_DISP, "the unit of displacements is %d", unit);
  cm_barrier(make(MPI_WIN_FLAVOR_CREATE, base, size, unit, handle, new)->comm);
  return MPI_SUCCESS;
}

API(MPI_Win_allocate)
int MPI_Win_allocate(MPI_Aint size, int unit, MPI_Info info, MPI_Comm handle, void *base, MPI_Win *new) {
  cm_window *window;
  (void)info;
  ENTER();
  CHECK_COMM(comm, handle);
  if (size < 0) return cm_error(comm, MPI_ERR_SIZE, "the window has %ld bytes", size);
  *(void **)base = cm_allocate((size_t)size);
  window = make(MPI_WIN_FLAVOR_ALLOCATE, *(char **)base, size, unit, handle, new);
  cm_barrier(window->comm);
  return MPI_SUCCESS;
}

API(MPI_Win_create_dynamic)
int MPI_Win_create_dynamic(MPI_Info info, MPI_Comm handle, MPI_Win *new) {
  (void)info;
  ENTER();
  CHECK_COMM(comm, handle);
  cm_barrier(make(MPI_WIN_FLAVOR_DYNAMIC, 0, 0, 1, comm->handle, new)->comm);
  return MPI_SUCCESS;
}

/* All memory of a dynamic window can be reached: displacements are addresses. */
API(MPI_Win_attach)
int MPI_Win_attach(MPI_Win handle, void *base, MPI_Aint size) {
  (void)base;
  (void)size;
  ENTER();
  CHECK_WINDOW(window, handle);
  if (window->flavor != MPI_WIN_FLAVOR_DYNAMIC) return cm_window_error(window, MPI_ERR_RMA_FLAVOR, "it is not dynamic");
  return MPI_SUCCESS;
}

API(MPI_Win_detach)
int MPI_Win_detach(MPI_Win handle, const void *base) { return PMPI_Win_attach(handle, (void *)base, 0); }

enum { LINE = 64 };

static long rounded(long bytes) { return (bytes + LINE - 1) / LINE * LINE; }

/* A file without a name, which rank 0 makes and the others open by the one that it had. */
static char *map_shared(cm_window *window, long bytes) {
  char path[64] = "/dev/shm/chronos-XXXXXX";
  char *memory;
  int file = -1;
  if (window->comm->rank == 0) {
    file = mkstemp(path);
    if (file < 0) file = mkstemp(strcpy(path, "/tmp/chronos-XXXXXX"));
    if (file < 0 || ftruncate(file, bytes) != 0) cm_fatal("%ld bytes of shared memory cannot be had", bytes);
  }
  {
    char (*all)[64] = cm_allocate((size_t)window->comm->local->size * sizeof *all);
    cm_allgather_bytes(window->comm, path, sizeof path, all);
    if (window->comm->rank > 0) file = open(all[0], O_RDWR);
    free(all);
  }
  memory = mmap(0, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) cm_fatal("%ld bytes of shared memory cannot be had", bytes);
  close(file);
  cm_barrier(window->comm);
  if (window->comm->rank == 0) unlink(path);
  return memory;
}

API(MPI_Win_allocate_shared)
int MPI_Win_allocate_shared(MPI_Aint size, int unit, MPI_Info info, MPI_Comm handle, void *base, MPI_Win *new) {
  cm_window *window;
  long all = 0, at = 0;
  int i, count;
  (void)info;
  ENTER();
  CHECK_COMM(comm, handle);
  window = make(MPI_WIN_FLAVOR_SHARED, 0, size, unit, handle, new);
  count = comm->local->size;
  window->shared_sizes = cm_allocate((size_t)count * sizeof(long));
  window->shared_units = cm_allocate((size_t)count * sizeof(int));
  cm_allgather_bytes(window->comm, &window->size, sizeof window->size, window->shared_sizes);
  cm_allgather_bytes(window->comm, &window->unit, sizeof window->unit, window->shared_units);
  /* Without gaps, as programs expect that walk from one task's part to the next. */
  for (i = 0; i < count; i++) {
    if (i == comm->rank) at = all;
    all += window->shared_sizes[i];
  }
  window->mapped_size = rounded(all > 0 ? all : 1);
  window->mapped = map_shared(window, window->mapped_size);
  window->base = window->mapped + at;
  *(char **)base = window->base;
  return MPI_SUCCESS;
}

API(MPI_Win_shared_query)
int MPI_Win_shared_query(MPI_Win handle, int rank, MPI_Aint *size, int *unit, void *base) {
  char *at;
  int i;
  ENTER();
  CHECK_WINDOW(window, handle);
  if (!window->mapped) return cm_window_error(window, MPI_ERR_RMA_FLAVOR, "its memory is not shared");
  if (rank == MPI_PROC_NULL)
    for (rank = 0; rank < window->comm->local->size - 1 && window->shared_sizes[rank] == 0; rank++) {
    }
  for (at = window->mapped, i = 0; i < rank; i++) at += window->shared_sizes[i];
  *size = window->shared_sizes[rank];
  *unit = window->shared_units[rank];
  *(char **)base = at;
  return MPI_SUCCESS;
}

API(MPI_Win_free)
int MPI_Win_free(MPI_Win *handle) {
  MPI_Comm own;
  ENTER();
  CHECK_WINDOW(window, *handle);
  cm_window_flush(window, -1);
  cm_barrier(window->comm);
  cm_attributes_delete(CM_OF_WIN, *handle, &window->attributes);
  cm_table_remove(&windows, *handle);
  cm_table_remove(&by_number, window->number);
  if (window->flavor == MPI_WIN_FLAVOR_ALLOCATE) free(window->base);
  if (window->mapped) munmap(window->mapped, (size_t)window->mapped_size);
  free(window->shared_sizes);
  free(window->shared_units);
  free(window->open_at);
  free(window->granted);
  free(window->posted);
  own = window->comm->handle;
  PMPI_Comm_free(&own);
  free(window);
  *handle = MPI_WIN_NULL;
  return MPI_SUCCESS;
}

/* --- questions --- */

cm_attribute **cm_window_attributes(MPI_Win handle) {
  cm_window *window = cm_window_of(handle);
  return window ? &window->attributes : 0;
}

int cm_window_predefined(MPI_Win handle, int number, void *value, int *found) {
  static int model = MPI_WIN_UNIFIED;
  cm_window *window = cm_window_of(handle);
  void *known = 0;
  switch (number) {
    case MPI_WIN_BASE: known = window->base; break;
    case MPI_WIN_SIZE: known = &window->size; break;
    case MPI_WIN_DISP_UNIT: known = &window->unit; break;
    case MPI_WIN_CREATE_FLAVOR: known = &window->flavor; break;
    case MPI_WIN_MODEL: known = &model; break;
    default: return 0;
  }
  *found = 1;
  *(void **)value = known;
  return 1;
}

API(MPI_Win_get_group)
int MPI_Win_get_group(MPI_Win handle, MPI_Group *group) {
  ENTER();
  CHECK_WINDOW(window, handle);
  *group = cm_group_publish(cm_group_keep(window->comm->local));
  return MPI_SUCCESS;
}

API(MPI_Win_get_name)
int MPI_Win_get_name(MPI_Win handle, char *name, int *length) {
  ENTER();
  CHECK_WINDOW(window, handle);
  strcpy(name, window->name);
  *length = (int)strlen(name);
  return MPI_SUCCESS;
}

API(MPI_Win_set_name)
int MPI_Win_set_name(MPI_Win handle, const char *name) {
  ENTER();
  CHECK_WINDOW(window, handle);
  snprintf(window->name, sizeof window->name, "%s", name);
  return MPI_SUCCESS;
}

extern __typeof__(MPI_Info_create) PMPI_Info_create;
extern __typeof__(MPI_Info_dup) PMPI_Info_dup;

API(MPI_Win_get_info)
int MPI_Win_get_info(MPI_Win handle, MPI_Info *info) {
  ENTER();
  CHECK_WINDOW(window, handle);
  return window->info ? PMPI_Info_dup(window->info, info) : PMPI_Info_create(info);
}

API(MPI_Win_set_info)
int MPI_Win_set_info(MPI_Win handle, MPI_Info info) {
  ENTER();
  CHECK_WINDOW(window, handle);
  return PMPI_Info_dup(info, &window->info);
}

API(MPI_Win_set_errhandler)
int MPI_Win_set_errhandler(MPI_Win handle, MPI_Errhandler handler) {
  ENTER();
  CHECK_WINDOW(window, handle);
  window->handler = handler;
  return MPI_SUCCESS;
}

API(MPI_Win_get_errhandler)
int MPI_Win_get_errhandler(MPI_Win handle, MPI_Errhandler *handler) {
  ENTER();
  CHECK_WINDOW(window, handle);
  *handler = window->handler;
  return MPI_SUCCESS;
}

API(MPI_Win_call_errhandler)
int MPI_Win_call_errhandler(MPI_Win handle, int code) {
  ENTER();
  CHECK_WINDOW(window, handle);
  cm_window_error(window, code, "the program reports an error");
  return MPI_SUCCESS;
}
