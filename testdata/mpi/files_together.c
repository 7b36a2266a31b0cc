#include "expect.h"

static const char *const NAME = "chronos_together.tmp";

int main(int argc, char **argv) {
  int rank, size, i, number, got, sum, row[2];
  MPI_File file;
  MPI_Status status;
  MPI_Request request;
  MPI_Offset bytes;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_File_open(MPI_COMM_WORLD, NAME, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_File_set_size(file, 0);
  MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  number = 10 + rank;
  MPI_File_write_at_all_begin(file, rank, &number, 1, MPI_INT);
  MPI_File_write_at_all_end(file, &number, &status);
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_sync(file);
  MPI_File_read_at_all_begin(file, (rank + 1) % size, &got, 1, MPI_INT);
  MPI_File_read_at_all_end(file, &got, &status);
  EXPECT(got, 10 + (rank + 1) % size);

  MPI_File_seek(file, 4 + rank, MPI_SEEK_SET);
  number = 20 + rank;
  MPI_File_write_all_begin(file, &number, 1, MPI_INT);
  MPI_File_write_all_end(file, &number, &status);
  MPI_File_seek(file, 4 + rank, MPI_SEEK_SET);
  MPI_File_read_all_begin(file, &got, 1, MPI_INT);
  MPI_File_read_all_end(file, &got, &status);
  EXPECT(got, 20 + rank);

  /* In the order of ranks: task r writes 2 numbers behind those of the tasks before it. */
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_seek_shared(file, 8, MPI_SEEK_SET);
  row[0] = 30 + rank;
  row[1] = 40 + rank;
  MPI_File_write_ordered_begin(file, row, 2, MPI_INT);
  MPI_File_write_ordered_end(file, row, &status);
  MPI_File_seek_shared(file, 8, MPI_SEEK_SET);
  MPI_File_read_ordered_begin(file, row, 2, MPI_INT);
  MPI_File_read_ordered_end(file, row, &status);
  EXPECT(row[0], 30 + rank);
  EXPECT(row[1], 40 + rank);
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_sync(file);
  MPI_File_read_at(file, 8 + 2 * ((rank + 1) % size), &got, 1, MPI_INT, &status);
  EXPECT(got, 30 + (rank + 1) % size);
  MPI_File_get_size(file, &bytes);
  EXPECT(bytes, 64);

  /* Each number is read by one task, whoever comes first. */
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
  MPI_File_iread_shared(file, &got, 1, MPI_INT, &request);
  MPI_Wait(&request, &status);
  MPI_Allreduce(&got, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  EXPECT(sum, 10 + 11 + 12 + 13);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_seek_shared(file, 16, MPI_SEEK_SET);
  number = 7;
  MPI_File_iwrite_shared(file, &number, 1, MPI_INT, &request);
  MPI_Wait(&request, &status);
  MPI_Barrier(MPI_COMM_WORLD);
  for (i = 0; i < size; i++) {
    MPI_File_read_at(file, 16 + i, &got, 1, MPI_INT, &status);
    EXPECT(got, 7);
  }
  MPI_File_close(&file);
  if (rank == 0) MPI_File_delete(NAME, MPI_INFO_NULL);
  MPI_Barrier(MPI_COMM_WORLD);

  /* It goes away with the last task that closes it: others still read when the first one has. */
  MPI_File_open(MPI_COMM_WORLD, NAME, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
  number = 20 + rank;
  MPI_File_write_at_all(file, 4 * rank, &number, 1, MPI_INT, &status);
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_read_at(file, 4 * ((rank + 1) % size), &got, 1, MPI_INT, &status);
  EXPECT(got, 20 + (rank + 1) % size);
  MPI_File_get_size(file, &bytes);
  EXPECT(bytes, 16);
  MPI_File_close(&file);
  return finish();
}
