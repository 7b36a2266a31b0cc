/* Reading and writing. Non-blocking forms are done at once; collective forms are those of each task, for the file
 * system has no order among them either; ordered forms take their positions by rank. */
#include "files.h"

MPI_Offset cm_file_shared(cm_file *file, MPI_Offset by);

/* Where a call reads or writes: an explicit offset, the task's own position, the shared one, or that by rank. */
enum { EXPLICIT, OWN, SHARED, ORDERED };

static MPI_Offset position(cm_file *file, int where, MPI_Offset at, MPI_Offset elements) {
  MPI_Offset *all, before = 0, sum = 0, now;
  int i;
  if (where == EXPLICIT) return at;
  if (where == OWN) return file->at += elements, file->at - elements;
  if (where == SHARED) return cm_file_shared(file, elements);
  all = cm_allocate((size_t)file->comm->local->size * sizeof *all);
  cm_allgather_bytes(file->comm, &elements, sizeof elements, all);
  for (i = 0; i < file->comm->local->size; i++) {
    if (i < file->comm->rank) before += all[i];
    sum += all[i];
  }
  now = cm_file_shared(file, 0);
  cm_barrier(file->comm);
  if (file->comm->rank == 0) cm_file_shared(file, sum);
  cm_barrier(file->comm);
  free(all);
  return now + before;
}

static int move(MPI_File handle, int where, MPI_Offset at, void *data, int count, MPI_Datatype of, int writes,
                long *moved) {
  char *packed;
  long bytes, elements;
  int code = MPI_SUCCESS;
  CHECK_FILE(file, handle);
  CHECK_TYPE(0, type, of);
  if (count < 0) return cm_file_error(file, MPI_ERR_COUNT, "the count is negative");
  if (writes ? !(file->mode & (MPI_MODE_WRONLY | MPI_MODE_RDWR)) : !(file->mode & (MPI_MODE_RDONLY | MPI_MODE_RDWR)))
    return cm_file_error(file, MPI_ERR_ACCESS, "the file was not opened for that");
  bytes = count * type->size;
  elements = file->etype->size > 0 ? bytes / file->etype->size : 0;
  packed = cm_allocate((size_t)bytes);
  if (writes) cm_pack(type, data, count, packed);
  *moved = cm_file_move(file, position(file, where, at, elements), packed, bytes, writes);
  if (*moved < 0 || (writes && *moved < bytes)) code = cm_file_error(file, MPI_ERR_IO, "data could not be moved");
  if (!writes && *moved > 0) cm_unpack(type, data, count, packed, *moved);
  /* The position stands behind what there was. */
  if (!writes && where == OWN && *moved >= 0 && *moved < bytes && file->etype->size > 0)
    file->at -= elements - *moved / file->etype->size;
  free(packed);
  file->pending = *moved < 0 ? 0 : *moved;
  return code;
}

static int now(MPI_File file, int where, MPI_Offset at, void *data, int count, MPI_Datatype type, int writes,
               MPI_Status *status) {
  long moved = 0;
  int code = move(file, where, at, data, count, type, writes, &moved);
  if (cm_is_wanted(status)) {
    cm_status_empty(status);
    status->chronos_bytes = moved;
  }
  return code;
}

static int begun(MPI_File file, int where, MPI_Offset at, void *data, int count, MPI_Datatype type, int writes,
                 MPI_Request *request) {
  long moved = 0;
  int code = move(file, where, at, data, count, type, writes, &moved);
  *request = cm_request_done(moved);
  return code;
}

#define BLOCKING(name, const_, where, writes)                                                                      \
  API(MPI_File_##name)                                                                                             \
  int MPI_File_##name(MPI_File file, const_ void *data, int count, MPI_Datatype type, MPI_Status *status) {        \
    ENTER();                                                                                                       \
    return now(file, where, 0, (void *)data, count, type, writes, status);                                         \
  }
#define BLOCKING_AT(name, const_, writes)                                                                          \
  API(MPI_File_##name)                                                                                             \
  int MPI_File_##name(MPI_File file, MPI_Offset at, const_ void *data, int count, MPI_Datatype type,               \
                      MPI_Status *status) {                                                                        \
    ENTER();                                                                                                       \
    return now(file, EXPLICIT, at, (void *)data, count, type, writes, status);                                     \
  }
#define BEGINNING(name, const_, where, writes)                                                                     \
  API(MPI_File_##name)                                                                                             \
  int MPI_File_##name(MPI_File file, const_ void *data, int count, MPI_Datatype type, MPI_Request *request) {      \
    ENTER();                                                                                                       \
    return begun(file, where, 0, (void *)data, count, type, writes, request);                                      \
  }
#define BEGINNING_AT(name, const_, writes)                                                                         \
  API(MPI_File_##name)                                                                                             \
  int MPI_File_##name(MPI_File file, MPI_Offset at, const_ void *data, int count, MPI_Datatype type,               \
                      MPI_Request *request) {                                                                      \
    ENTER();                                                                                                       \
    return begun(file, EXPLICIT, at, (void *)data, count, type, writes, request);                                  \
  }
#define IN_TWO_PARTS(name, const_, where, writes)                                                                  \
  API(MPI_File_##name##_begin)                                                                                     \
  int MPI_File_##name##_begin(MPI_File file, const_ void *data, int count, MPI_Datatype type) {                    \
    ENTER();                                                                                                       \
    return now(file, where, 0, (void *)data, count, type, writes, 0);                                              \
  }                                                                                                                \
  SECOND_PART(name, const_)
#define IN_TWO_PARTS_AT(name, const_, writes)                                                                      \
  API(MPI_File_##name##_begin)                                                                                     \
  int MPI_File_##name##_begin(MPI_File file, MPI_Offset at, const_ void *data, int count, MPI_Datatype type) {     \
    ENTER();                                                                                                       \
    return now(file, EXPLICIT, at, (void *)data, count, type, writes, 0);                                          \
  }                                                                                                                \
  SECOND_PART(name, const_)
#define SECOND_PART(name, const_)                                                                                  \
  API(MPI_File_##name##_end)                                                                                       \
  int MPI_File_##name##_end(MPI_File file, const_ void *data, MPI_Status *status) {                                \
    (void)data;                                                                                                    \
    ENTER();                                                                                                       \
    return ended(file, status);                                                                                    \
  }

static int ended(MPI_File handle, MPI_Status *status) {
  CHECK_FILE(file, handle);
  if (cm_is_wanted(status)) {
    cm_status_empty(status);
    status->chronos_bytes = file->pending;
  }
  return MPI_SUCCESS;
}

#define NOTHING
BLOCKING(read, NOTHING, OWN, 0)
BLOCKING(read_all, NOTHING, OWN, 0)
BLOCKING(read_shared, NOTHING, SHARED, 0)
BLOCKING(read_ordered, NOTHING, ORDERED, 0)
BLOCKING(write, const, OWN, 1)
BLOCKING(write_all, const, OWN, 1)
BLOCKING(write_shared, const, SHARED, 1)
BLOCKING(write_ordered, const, ORDERED, 1)
BLOCKING_AT(read_at, NOTHING, 0)
BLOCKING_AT(read_at_all, NOTHING, 0)
BLOCKING_AT(write_at, const, 1)
BLOCKING_AT(write_at_all, const, 1)
BEGINNING(iread, NOTHING, OWN, 0)
BEGINNING(iread_all, NOTHING, OWN, 0)
BEGINNING(iread_shared, NOTHING, SHARED, 0)
BEGINNING(iwrite, const, OWN, 1)
BEGINNING(iwrite_all, const, OWN, 1)
BEGINNING(iwrite_shared, const, SHARED, 1)
BEGINNING_AT(iread_at, NOTHING, 0)
BEGINNING_AT(iread_at_all, NOTHING, 0)
BEGINNING_AT(iwrite_at, const, 1)
BEGINNING_AT(iwrite_at_all, const, 1)
IN_TWO_PARTS(read_all, NOTHING, OWN, 0)
IN_TWO_PARTS(read_ordered, NOTHING, ORDERED, 0)
IN_TWO_PARTS(write_all, const, OWN, 1)
IN_TWO_PARTS(write_ordered, const, ORDERED, 1)
IN_TWO_PARTS_AT(read_at_all, NOTHING, 0)
IN_TWO_PARTS_AT(write_at_all, const, 1)
