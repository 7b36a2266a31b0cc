/* Open files, for the files that open them and those that read and write. */
#ifndef CHRONOS_MPI_FILES_H
#define CHRONOS_MPI_FILES_H
#include "internal.h"

typedef struct cm_file {
  int handle, number, mode, atomic;
  cm_comm *comm;
  char *path;
  /* The view: from `disp` on, the bytes that tiles of `type` show. */
  MPI_Offset disp;
  cm_type *etype, *type;
  long *runs, run_count; /* of one tile: place and length */
  MPI_Offset at;         /* in elements of the view */
  MPI_Win pointer;       /* a window with the shared file pointer, at rank 0 */
  MPI_Offset *shared;
  MPI_Errhandler handler;
  /* Of a collective in two parts. */
  long pending;
  MPI_Info info;
} cm_file;

cm_file *cm_file_of(MPI_File handle);
int cm_file_error(cm_file *file, int class, const char *what);
/* Moves bytes between memory and the view from an element on; the number of bytes moved, or -1. */
long cm_file_move(cm_file *file, MPI_Offset at, char *data, long bytes, int writes);
/* Where byte `at` of the view is in the file. */
MPI_Offset cm_file_place(const cm_file *file, MPI_Offset at);

#define CHECK_FILE(file, handle)         \
  cm_file *file = cm_file_of(handle);    \
  if (!file) return MPI_ERR_FILE

#endif
