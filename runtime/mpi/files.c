/* Files: opening, sizes, views, positions. */
#include "files.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static cm_table files;
enum { FIRST_FILE = 1 };
static MPI_Errhandler default_handler = MPI_ERRORS_RETURN;

extern __typeof__(MPI_Comm_dup) PMPI_Comm_dup;
extern __typeof__(MPI_Comm_free) PMPI_Comm_free;
extern __typeof__(MPI_Win_allocate) PMPI_Win_allocate;
extern __typeof__(MPI_Win_free) PMPI_Win_free;
extern __typeof__(MPI_Win_lock) PMPI_Win_lock;
extern __typeof__(MPI_Win_unlock) PMPI_Win_unlock;
extern __typeof__(MPI_Fetch_and_op) PMPI_Fetch_and_op;
extern __typeof__(MPI_Info_create) PMPI_Info_create;
extern __typeof__(MPI_Info_dup) PMPI_Info_dup;

cm_file *cm_file_of(MPI_File handle) {
  cm_file *file = cm_table_get(&files, handle);
  if (!file) cm_error_of(CM_OF_FILE, handle, default_handler, MPI_ERR_FILE, "%d is no open file", handle);
  return file;
}

int cm_file_error(cm_file *file, int class, const char *what) {
  return cm_error_of(CM_OF_FILE, file ? file->handle : 0, file ? file->handler : default_handler, class, "%s", what);
}

static int class_of(int number) {
  switch (number) {
    case ENOENT: return MPI_ERR_NO_SUCH_FILE;
    case EEXIST: return MPI_ERR_FILE_EXISTS;
    case EACCES: case EPERM: return MPI_ERR_ACCESS;
    case ENOSPC: return MPI_ERR_NO_SPACE;
    case EROFS: return MPI_ERR_READ_ONLY;
    default: return MPI_ERR_IO;
  }
}

/* --- views --- */

typedef struct {
  long *runs, count, room;
} run_list;

static void add_run(void *context, long at, long length) {
  run_list *list = context;
  if (list->count == list->room) {
    list->room = 2 * list->room + 16;
    list->runs = realloc(list->runs, (size_t)list->room * 2 * sizeof(long));
    if (!list->runs) cm_fatal("there is no memory for the view of a file");
  }
  list->runs[2 * list->count] = at;
  list->runs[2 * list->count++ + 1] = length;
}

static void set_view(cm_file *file, MPI_Offset disp, cm_type *etype, cm_type *type) {
  run_list list = {0};
  cm_runs(type, 0, 1, add_run, &list);
  free(file->runs);
  file->runs = list.runs;
  file->run_count = list.count;
  cm_type_keep(etype);
  cm_type_keep(type);
  if (file->etype) cm_type_drop(file->etype);
  if (file->type) cm_type_drop(file->type);
  file->etype = etype;
  file->type = type;
  file->disp = disp;
  file->at = 0;
}

MPI_Offset cm_file_place(const cm_file *file, MPI_Offset at) {
  const MPI_Offset tile = at / file->type->size;
  long rest = (long)(at % file->type->size), i;
  for (i = 0; i < file->run_count && rest >= file->runs[2 * i + 1]; i++) rest -= file->runs[2 * i + 1];
  return file->disp + tile * cm_extent(file->type) + (i < file->run_count ? file->runs[2 * i] : 0) + rest;
}

/* From a byte of the view to the end of its run. */
static long in_run(const cm_file *file, MPI_Offset at) {
  long rest = (long)(at % file->type->size), i;
  for (i = 0; i < file->run_count && rest >= file->runs[2 * i + 1]; i++) rest -= file->runs[2 * i + 1];
  return file->runs[2 * i + 1] - rest;
}

long cm_file_move(cm_file *file, MPI_Offset element, char *data, long bytes, int writes) {
  MPI_Offset at = element * file->etype->size;
  long moved = 0;
  if (file->type->size == 0) return 0;
  while (moved < bytes) {
    long piece = file->type->dense ? bytes - moved : in_run(file, at);
    ssize_t done;
    if (piece > bytes - moved) piece = bytes - moved;
    done = writes ? pwrite(file->number, data + moved, (size_t)piece, cm_file_place(file, at))
                  : pread(file->number, data + moved, (size_t)piece, cm_file_place(file, at));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return -1;
    if (done == 0) break;
    moved += done;
    at += done;
  }
  return moved;
}

/* --- opening --- */

static int open_one(const char *path, int mode, int first) {
  int flags = mode & MPI_MODE_RDWR ? O_RDWR : mode & MPI_MODE_WRONLY ? O_WRONLY : O_RDONLY;
  if (mode & MPI_MODE_CREATE) flags |= O_CREAT;
  if (first && mode & MPI_MODE_EXCL) flags |= O_EXCL;
  return open(path, flags, 0666);
}

API(MPI_File_open)
int MPI_File_open(MPI_Comm handle, const char *path, int mode, MPI_Info info, MPI_File *new) {
  cm_file *file;
  MPI_Comm own;
  int number = -1, code = 0, i, *codes;
  (void)info;
  ENTER();
  CHECK_COMM(comm, handle);
  /* One makes the file before the others open it. */
  if (comm->rank == 0 && (number = open_one(path, mode, 1)) < 0) code = class_of(errno);
  cm_barrier(comm);
  if (comm->rank > 0 && (number = open_one(path, mode, 0)) < 0) code = class_of(errno);
  codes = cm_allocate((size_t)comm->local->size * sizeof *codes);
  cm_allgather_bytes(comm, &code, sizeof code, codes);
  for (i = 0; i < comm->local->size; i++)
    if (codes[i]) code = codes[i];
  free(codes);
  *new = MPI_FILE_NULL;
  if (code) {
    if (number >= 0) close(number);
    return cm_error_of(CM_OF_FILE, 0, default_handler, code, "%s cannot be opened", path);
  }
  file = cm_allocate(sizeof *file);
  file->number = number;
  file->mode = mode;
  file->handler = default_handler;
  file->path = strcpy(cm_allocate(strlen(path) + 1), path);
  PMPI_Comm_dup(handle, &own);
  file->comm = cm_comm_of(own);
  PMPI_Win_allocate(comm->rank == 0 ? (MPI_Aint)sizeof(MPI_Offset) : 0, 1, MPI_INFO_NULL, own, &file->shared,
                    &file->pointer);
  set_view(file, 0, cm_type_of(MPI_BYTE), cm_type_of(MPI_BYTE));
  if (mode & MPI_MODE_APPEND) file->at = lseek(number, 0, SEEK_END);
  if (mode & MPI_MODE_APPEND && comm->rank == 0) *file->shared = file->at;
  *new = file->handle = cm_table_add(&files, FIRST_FILE, file);
  cm_barrier(file->comm);
  return MPI_SUCCESS;
}

API(MPI_File_close)
int MPI_File_close(MPI_File *handle) {
  MPI_Comm own;
  int rank;
  ENTER();
  CHECK_FILE(file, *handle);
  rank = file->comm->rank;
  close(file->number);
  PMPI_Win_free(&file->pointer);
  if (rank == 0 && file->mode & MPI_MODE_DELETE_ON_CLOSE) unlink(file->path);
  own = file->comm->handle;
  PMPI_Comm_free(&own);
  cm_table_remove(&files, *handle);
  cm_type_drop(file->etype);
  cm_type_drop(file->type);
  free(file->runs);
  free(file->path);
  free(file);
  *handle = MPI_FILE_NULL;
  return MPI_SUCCESS;
}

API(MPI_File_delete)
int MPI_File_delete(const char *path, MPI_Info info) {
  (void)info;
  ENTER();
  if (unlink(path) == 0) return MPI_SUCCESS;
  return cm_error_of(CM_OF_FILE, 0, default_handler, class_of(errno), "%s cannot be deleted", path);
}

/* --- sizes --- */

API(MPI_File_set_size)
int MPI_File_set_size(MPI_File handle, MPI_Offset size) {
  int code;
  ENTER();
  CHECK_FILE(file, handle);
  cm_barrier(file->comm);
  code = ftruncate(file->number, size);
  cm_barrier(file->comm);
  return code == 0 ? MPI_SUCCESS : cm_file_error(file, class_of(errno), "the size cannot be set");
}

API(MPI_File_get_size)
int MPI_File_get_size(MPI_File handle, MPI_Offset *size) {
  struct stat status;
  ENTER();
  CHECK_FILE(file, handle);
  if (fstat(file->number, &status) != 0) return cm_file_error(file, MPI_ERR_IO, "the size cannot be told");
  *size = status.st_size;
  return MPI_SUCCESS;
}

API(MPI_File_preallocate)
int MPI_File_preallocate(MPI_File handle, MPI_Offset size) {
  MPI_Offset now;
  int code = PMPI_File_get_size(handle, &now);
  return code == MPI_SUCCESS && now < size ? PMPI_File_set_size(handle, size) : code;
}

API(MPI_File_sync)
int MPI_File_sync(MPI_File handle) {
  ENTER();
  CHECK_FILE(file, handle);
  cm_barrier(file->comm);
  return MPI_SUCCESS;
}

/* --- views and positions --- */

API(MPI_File_set_view)
int MPI_File_set_view(MPI_File handle, MPI_Offset disp, MPI_Datatype etype, MPI_Datatype type, const char *format,
                      MPI_Info info) {
  (void)info;
  ENTER();
  CHECK_FILE(file, handle);
  CHECK_TYPE(0, unit, etype);
  CHECK_TYPE(0, tile, type);
  if (strcmp(format, "native") && strcmp(format, "internal"))
    return cm_file_error(file, MPI_ERR_UNSUPPORTED_DATAREP, "only native and internal data can be handled");
  set_view(file, disp == MPI_DISPLACEMENT_CURRENT ? cm_file_place(file, file->at * file->etype->size) : disp, unit,
           tile);
  if (file->comm->rank == 0) *file->shared = 0;
  cm_barrier(file->comm);
  return MPI_SUCCESS;
}

API(MPI_File_get_view)
int MPI_File_get_view(MPI_File handle, MPI_Offset *disp, MPI_Datatype *etype, MPI_Datatype *type, char *format) {
  ENTER();
  CHECK_FILE(file, handle);
  *disp = file->disp;
  *etype = file->etype->handle;
  *type = file->type->handle;
  strcpy(format, "native");
  return MPI_SUCCESS;
}

static int moved_to(cm_file *file, MPI_Offset now, MPI_Offset by, int from, MPI_Offset *to) {
  struct stat status;
  if (from == MPI_SEEK_SET) now = 0;
  if (from == MPI_SEEK_END) {
    if (fstat(file->number, &status) != 0) return cm_file_error(file, MPI_ERR_IO, "the size cannot be told");
    for (now = 0; cm_file_place(file, now * file->etype->size) < status.st_size; now++) {
    }
  }
  if (now + by < 0) return cm_file_error(file, MPI_ERR_ARG, "the position would be in front of the file");
  *to = now + by;
  return MPI_SUCCESS;
}

API(MPI_File_seek)
int MPI_File_seek(MPI_File handle, MPI_Offset by, int from) {
  ENTER();
  CHECK_FILE(file, handle);
  return moved_to(file, file->at, by, from, &file->at);
}

API(MPI_File_get_position)
int MPI_File_get_position(MPI_File handle, MPI_Offset *at) {
  ENTER();
  CHECK_FILE(file, handle);
  *at = file->at;
  return MPI_SUCCESS;
}

/* The shared position, which `by` is added to. */
MPI_Offset cm_file_shared(cm_file *file, MPI_Offset by) {
  MPI_Offset before;
  PMPI_Win_lock(MPI_LOCK_SHARED, 0, 0, file->pointer);
  PMPI_Fetch_and_op(&by, &before, MPI_OFFSET, 0, 0, MPI_SUM, file->pointer);
  PMPI_Win_unlock(0, file->pointer);
  return before;
}

API(MPI_File_get_position_shared)
int MPI_File_get_position_shared(MPI_File handle, MPI_Offset *at) {
  ENTER();
  CHECK_FILE(file, handle);
  *at = cm_file_shared(file, 0);
  return MPI_SUCCESS;
}

API(MPI_File_seek_shared)
int MPI_File_seek_shared(MPI_File handle, MPI_Offset by, int from) {
  int code = MPI_SUCCESS;
  ENTER();
  CHECK_FILE(file, handle);
  cm_barrier(file->comm);
  if (file->comm->rank == 0) code = moved_to(file, *file->shared, by, from, file->shared);
  cm_barrier(file->comm);
  return code;
}

API(MPI_File_get_byte_offset)
int MPI_File_get_byte_offset(MPI_File handle, MPI_Offset at, MPI_Offset *place) {
  ENTER();
  CHECK_FILE(file, handle);
  *place = cm_file_place(file, at * file->etype->size);
  return MPI_SUCCESS;
}

API(MPI_File_get_type_extent)
int MPI_File_get_type_extent(MPI_File handle, MPI_Datatype type, MPI_Aint *extent) {
  ENTER();
  CHECK_FILE(file, handle);
  CHECK_TYPE(0, of, type);
  (void)file;
  *extent = cm_extent(of);
  return MPI_SUCCESS;
}

/* --- questions --- */

API(MPI_File_get_group)
int MPI_File_get_group(MPI_File handle, MPI_Group *group) {
  ENTER();
  CHECK_FILE(file, handle);
  *group = cm_group_publish(cm_group_keep(file->comm->local));
  return MPI_SUCCESS;
}

API(MPI_File_get_amode)
int MPI_File_get_amode(MPI_File handle, int *mode) {
  ENTER();
  CHECK_FILE(file, handle);
  *mode = file->mode;
  return MPI_SUCCESS;
}

API(MPI_File_set_info)
int MPI_File_set_info(MPI_File handle, MPI_Info info) {
  ENTER();
  CHECK_FILE(file, handle);
  return PMPI_Info_dup(info, &file->info);
}

API(MPI_File_get_info)
int MPI_File_get_info(MPI_File handle, MPI_Info *info) {
  ENTER();
  CHECK_FILE(file, handle);
  return file->info ? PMPI_Info_dup(file->info, info) : PMPI_Info_create(info);
}

API(MPI_File_set_atomicity)
int MPI_File_set_atomicity(MPI_File handle, int flag) {
  ENTER();
  CHECK_FILE(file, handle);
  file->atomic = flag;
  return MPI_SUCCESS;
}

API(MPI_File_get_atomicity)
int MPI_File_get_atomicity(MPI_File handle, int *flag) {
  ENTER();
  CHECK_FILE(file, handle);
  *flag = file->atomic;
  return MPI_SUCCESS;
}

API(MPI_File_set_errhandler)
int MPI_File_set_errhandler(MPI_File handle, MPI_Errhandler number) {
  if (handle == MPI_FILE_NULL) return default_handler = number, MPI_SUCCESS;
  CHECK_FILE(file, handle);
  file->handler = number;
  return MPI_SUCCESS;
}

API(MPI_File_get_errhandler)
int MPI_File_get_errhandler(MPI_File handle, MPI_Errhandler *number) {
  if (handle == MPI_FILE_NULL) return *number = default_handler, MPI_SUCCESS;
  CHECK_FILE(file, handle);
  *number = file->handler;
  return MPI_SUCCESS;
}

API(MPI_File_call_errhandler)
int MPI_File_call_errhandler(MPI_File handle, int code) {
  CHECK_FILE(file, handle);
  cm_file_error(file, code, "the program reports an error");
  return MPI_SUCCESS;
}
