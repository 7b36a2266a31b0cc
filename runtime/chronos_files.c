/* Records what goes to and from files. See chronos_calls.h. Compiled with programs that call it.
 *
 * Functions in which all tasks meet are recorded as that, and the bytes of the own task behind it. */
#ifdef CHRONOS_WITH_MPI
#include "chronos_calls.h"
#include <stdlib.h>
#include <string.h>

typedef chronos_number number;

enum { AGREED = 8, NOTHING_MADE = 0 };

static struct {
  number handle, comm;
  int used;
} *files;
static int file_count;

static number bits(MPI_File handle) {
  number value = 0;
  memcpy(&value, &handle, sizeof handle < sizeof value ? sizeof handle : sizeof value);
  return value;
}

static int find(MPI_File handle) {
  int i;
  for (i = 0; i < file_count; i++)
    if (files[i].used && files[i].handle == bits(handle)) return i;
  return -1;
}

static void add(MPI_File handle, number comm) {
  void *grown;
  int i;
  for (i = 0; i < file_count && files[i].used; i++) {
  }
  if (i == file_count) {
    grown = realloc(files, ((size_t)i + 1) * sizeof *files);
    if (!grown) return;
    files = grown;
    file_count++;
  }
  files[i].handle = bits(handle);
  files[i].comm = comm;
  files[i].used = 1;
}

static number comm_of(MPI_File handle) {
  const int file = find(handle);
  return file < 0 ? 0 : files[file].comm;
}

static void storage(number bytes, int write, int request) {
  const number values[] = {bytes, write, request};
  chronos_event("storage", 3, values);
}

static void together(const char *kind, number comm, number bytes) {
  const number values[] = {comm, -1, -1, 1, bytes};
  chronos_event(kind, 5, values);
}

/* All who have the file open agree, and ask the file system. */
static void reach(number comm, number bytes) {
  together("agreement", comm, bytes);
  storage(0, 0, -1);
}

WRAPPED(MPI_File_open)
int MPI_File_open(MPI_Comm comm, const char *name, int mode, MPI_Info info, MPI_File *made) {
  CALLED(MPI_File_open)
  int code;
  reach(chronos_comm(comm), AGREED);
  code = PMPI_File_open(comm, name, mode, info, made);
  if (code == MPI_SUCCESS) add(*made, chronos_comm(comm));
  return code;
}
WRAPPED(MPI_File_close)
int MPI_File_close(MPI_File *handle) {
  CALLED(MPI_File_close)
  const int file = find(*handle);
  reach(comm_of(*handle), NOTHING_MADE);
  if (file >= 0) files[file].used = 0;
  return PMPI_File_close(handle);
}
WRAPPED(MPI_File_delete)
int MPI_File_delete(const char *name, MPI_Info info) {
  CALLED(MPI_File_delete)
  storage(0, 1, -1);
  return PMPI_File_delete(name, info);
}

#define ALL_OF(name, parameters, arguments, recorded) \
  WRAPPED(name)                                       \
  int name parameters {                               \
    CALLED(name)                                      \
    recorded;                                         \
    return P##name arguments;                         \
  }
ALL_OF(MPI_File_set_size, (MPI_File file, MPI_Offset size), (file, size), reach(comm_of(file), NOTHING_MADE))
ALL_OF(MPI_File_preallocate, (MPI_File file, MPI_Offset size), (file, size), reach(comm_of(file), NOTHING_MADE))
ALL_OF(MPI_File_sync, (MPI_File file), (file), reach(comm_of(file), NOTHING_MADE))
ALL_OF(MPI_File_seek_shared, (MPI_File file, MPI_Offset at, int whence), (file, at, whence),
       together("agreement", comm_of(file), NOTHING_MADE))
ALL_OF(MPI_File_set_atomicity, (MPI_File file, int flag), (file, flag), together("agreement", comm_of(file), NOTHING_MADE))
ALL_OF(MPI_File_set_view,
       (MPI_File file, MPI_Offset at, MPI_Datatype each, MPI_Datatype tile, const char *form, MPI_Info info),
       (file, at, each, tile, form, info), together("agreement", comm_of(file), NOTHING_MADE))

#define FROM const void *data, int count, MPI_Datatype type
#define INTO void *data, int count, MPI_Datatype type
#define GIVEN data, count, type
#define BYTES chronos_bytes(count, type)

/* Alone and with all others, at the own pointer and at an offset that is given. */
#define ALONE(name, buffer, write)                                               \
  WRAPPED(name)                                                                  \
  int name(MPI_File file, buffer, MPI_Status *status) {                          \
    CALLED(name)                                                                 \
    storage(BYTES, write, -1);                                                   \
    return P##name(file, GIVEN, status);                                         \
  }
#define ALONE_AT(name, buffer, write)                                            \
  WRAPPED(name)                                                                  \
  int name(MPI_File file, MPI_Offset at, buffer, MPI_Status *status) {           \
    CALLED(name)                                                                 \
    storage(BYTES, write, -1);                                                   \
    return P##name(file, at, GIVEN, status);                                     \
  }
#define WITH_ALL(name, buffer, write)                                            \
  WRAPPED(name)                                                                  \
  int name(MPI_File file, buffer, MPI_Status *status) {                          \
    CALLED(name)                                                                 \
    together("barrier", comm_of(file), 0);                                       \
    storage(BYTES, write, -1);                                                   \
    return P##name(file, GIVEN, status);                                         \
  }
#define WITH_ALL_AT(name, buffer, write)                                         \
  WRAPPED(name)                                                                  \
  int name(MPI_File file, MPI_Offset at, buffer, MPI_Status *status) {           \
    CALLED(name)                                                                 \
    together("barrier", comm_of(file), 0);                                       \
    storage(BYTES, write, -1);                                                   \
    return P##name(file, at, GIVEN, status);                                     \
  }
#define IMMEDIATE(name, buffer, write)                                           \
  WRAPPED(name)                                                                  \
  int name(MPI_File file, buffer, MPI_Request *made) {                           \
    CALLED(name)                                                                 \
    const int code = P##name(file, GIVEN, made);                                 \
    storage(BYTES, write, chronos_request(*made));                               \
    return code;                                                                 \
  }
#define IMMEDIATE_AT(name, buffer, write)                                        \
  WRAPPED(name)                                                                  \
  int name(MPI_File file, MPI_Offset at, buffer, MPI_Request *made) {            \
    CALLED(name)                                                                 \
    const int code = P##name(file, at, GIVEN, made);                             \
    storage(BYTES, write, chronos_request(*made));                               \
    return code;                                                                 \
  }
#define BEGINS(name, buffer, write)                                              \
  WRAPPED(name)                                                                  \
  int name(MPI_File file, buffer) {                                              \
    CALLED(name)                                                                 \
    together("barrier", comm_of(file), 0);                                       \
    storage(BYTES, write, -1);                                                   \
    return P##name(file, GIVEN);                                                 \
  }
#define BEGINS_AT(name, buffer, write)                                           \
  WRAPPED(name)                                                                  \
  int name(MPI_File file, MPI_Offset at, buffer) {                               \
    CALLED(name)                                                                 \
    together("barrier", comm_of(file), 0);                                       \
    storage(BYTES, write, -1);                                                   \
    return P##name(file, at, GIVEN);                                             \
  }
#define ENDS(name, buffer)                                                       \
  WRAPPED(name)                                                                  \
  int name(MPI_File file, buffer, MPI_Status *status) {                          \
    CALLED(name)                                                                 \
    chronos_nothing();                                                           \
    return P##name(file, data, status);                                          \
  }

ALONE(MPI_File_read, INTO, 0)
ALONE(MPI_File_read_shared, INTO, 0)
ALONE_AT(MPI_File_read_at, INTO, 0)
ALONE(MPI_File_write, FROM, 1)
ALONE(MPI_File_write_shared, FROM, 1)
ALONE_AT(MPI_File_write_at, FROM, 1)
WITH_ALL(MPI_File_read_all, INTO, 0)
WITH_ALL(MPI_File_read_ordered, INTO, 0)
WITH_ALL_AT(MPI_File_read_at_all, INTO, 0)
WITH_ALL(MPI_File_write_all, FROM, 1)
WITH_ALL(MPI_File_write_ordered, FROM, 1)
WITH_ALL_AT(MPI_File_write_at_all, FROM, 1)
IMMEDIATE(MPI_File_iread, INTO, 0)
IMMEDIATE(MPI_File_iread_shared, INTO, 0)
IMMEDIATE_AT(MPI_File_iread_at, INTO, 0)
IMMEDIATE(MPI_File_iwrite, FROM, 1)
IMMEDIATE(MPI_File_iwrite_shared, FROM, 1)
IMMEDIATE_AT(MPI_File_iwrite_at, FROM, 1)
BEGINS(MPI_File_read_all_begin, INTO, 0)
BEGINS(MPI_File_read_ordered_begin, INTO, 0)
BEGINS_AT(MPI_File_read_at_all_begin, INTO, 0)
BEGINS(MPI_File_write_all_begin, FROM, 1)
BEGINS(MPI_File_write_ordered_begin, FROM, 1)
BEGINS_AT(MPI_File_write_at_all_begin, FROM, 1)
ENDS(MPI_File_read_all_end, void *data)
ENDS(MPI_File_read_ordered_end, void *data)
ENDS(MPI_File_read_at_all_end, void *data)
ENDS(MPI_File_write_all_end, const void *data)
ENDS(MPI_File_write_ordered_end, const void *data)
ENDS(MPI_File_write_at_all_end, const void *data)
#else
typedef int chronos_no_files;
#endif
