#include "expect.h"

static const char *const NAME = "chronos_files.tmp";

int main(int argc, char **argv) {
  int rank, size, i, count, numbers[4], got[4] = {0, 0, 0, 0};
  MPI_Offset bytes;
  MPI_File file;
  MPI_Info hints;
  MPI_Status status;
  MPI_Datatype tile, spread;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_File_open(MPI_COMM_WORLD, NAME, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_File_set_errhandler(file, MPI_ERRORS_ARE_FATAL);
  MPI_File_get_info(file, &hints);
  MPI_Info_free(&hints);
  MPI_File_set_size(file, 0);
  MPI_File_get_size(file, &bytes);
  EXPECT(bytes, 0);
  /* 16 numbers: four of each task, one behind the other. */
  for (i = 0; i < 4; i++) numbers[i] = 10 * rank + i;
  MPI_File_write_at(file, 16 * rank, numbers, 4, MPI_INT, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  EXPECT(count, 4);
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_sync(file);
  MPI_File_get_size(file, &bytes);
  EXPECT(bytes, 64);
  MPI_File_read_at(file, 16 * ((rank + 1) % size), got, 4, MPI_INT, &status);
  EXPECT(got[3], 10 * ((rank + 1) % size) + 3);
  /* The individual pointer. */
  MPI_File_seek(file, 16 * rank, MPI_SEEK_SET);
  MPI_File_read(file, got, 2, MPI_INT, &status);
  MPI_File_read(file, got + 2, 2, MPI_INT, &status);
  EXPECT(got[0], 10 * rank);
  EXPECT(got[2], 10 * rank + 2);
  /* Every fourth number is this task's. */
  MPI_Type_vector(1, 1, 1, MPI_INT, &tile);
  MPI_Type_create_resized(tile, 0, 16, &spread);
  MPI_Type_commit(&spread);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_set_view(file, 4 * rank, MPI_INT, spread, "native", MPI_INFO_NULL);
  MPI_File_read(file, got, 4, MPI_INT, &status);
  EXPECT(got[0], rank);
  EXPECT(got[3], 30 + rank);
  MPI_File_seek(file, -1, MPI_SEEK_CUR);
  numbers[0] = 500 + rank;
  MPI_File_write(file, numbers, 1, MPI_INT, &status);
  MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  MPI_File_iread_at(file, 12 + rank, got, 1, MPI_INT, &request);
  MPI_Wait(&request, &status);
  EXPECT(got[0], 500 + rank);
  MPI_File_set_atomicity(file, 1);
  MPI_File_iwrite_at(file, rank, numbers, 1, MPI_INT, &request);
  MPI_Wait(&request, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  EXPECT(count, 1);
  MPI_File_seek(file, rank, MPI_SEEK_SET);
  MPI_File_iread(file, got, 1, MPI_INT, &request);
  MPI_Wait(&request, &status);
  EXPECT(got[0], 500 + rank);
  MPI_File_seek(file, 4 + rank, MPI_SEEK_SET);
  MPI_File_iwrite(file, numbers, 1, MPI_INT, &request);
  MPI_Wait(&request, &status);
  MPI_File_preallocate(file, 128);
  MPI_File_get_size(file, &bytes);
  EXPECT(bytes, 128);
  MPI_File_close(&file);
  EXPECT(file == MPI_FILE_NULL, 1);
  if (rank == 0) MPI_File_delete(NAME, MPI_INFO_NULL);
  MPI_Barrier(MPI_COMM_WORLD);
  return finish();
}
