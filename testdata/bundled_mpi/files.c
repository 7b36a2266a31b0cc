/* Files: offsets, positions, views, order by rank. */
#include "check.h"

int main(int argc, char **argv) {
  const char *name = "mpi-check-file";
  int out[4], in[4], i, count, amode;
  MPI_Offset bytes, at;
  MPI_Datatype type;
  MPI_File file;
  MPI_Status status;
  begin(&argc, &argv);
  for (i = 0; i < 4; i++) out[i] = 10 * rank + i;
  CHECK(MPI_File_open(MPI_COMM_WORLD, "no such folder/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &file) != MPI_SUCCESS);
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_File_write_at_all(file, (MPI_Offset)rank * sizeof out, out, 4, MPI_INT, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  CHECK(count == 4);
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_get_size(file, &bytes);
  CHECK(bytes == (MPI_Offset)(size * sizeof out));
  MPI_File_read_at(file, (MPI_Offset)((rank + 1) % size) * sizeof in, in, 4, MPI_INT, &status);
  for (i = 0; i < 4; i++) CHECK(in[i] == 10 * ((rank + 1) % size) + i);
  MPI_File_seek(file, (MPI_Offset)(size * sizeof out) - 8, MPI_SEEK_SET);
  MPI_File_read(file, in, 4, MPI_INT, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  CHECK(count == 2 && in[1] == 10 * (size - 1) + 3);
  MPI_Barrier(MPI_COMM_WORLD);
  /* Each task sees each size-th number. */
  MPI_Type_vector(4, 1, size, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_File_set_view(file, (MPI_Offset)rank * sizeof(int), MPI_INT, type, "native", MPI_INFO_NULL);
  MPI_File_write_all(file, out, 4, MPI_INT, &status);
  MPI_File_get_position(file, &at);
  CHECK(at == 4);
  MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  MPI_Barrier(MPI_COMM_WORLD);
  for (i = 0; i < 4; i++) {
    MPI_File_read_at(file, (MPI_Offset)i * size + rank, in, 1, MPI_INT, &status);
    CHECK(in[0] == 10 * rank + i);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
  MPI_File_write_ordered(file, &rank, 1, MPI_INT, &status);
  MPI_File_read_at(file, rank, in, 1, MPI_INT, &status);
  CHECK(in[0] == rank);
  MPI_File_get_amode(file, &amode);
  CHECK(amode == (MPI_MODE_CREATE | MPI_MODE_RDWR));
  MPI_Type_free(&type);
  MPI_File_close(&file);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) CHECK(MPI_File_delete(name, MPI_INFO_NULL) == MPI_SUCCESS);
  return end();
}
