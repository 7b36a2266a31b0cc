/* Access to memory of other tasks, files and matched probes, as often as data decide. Ends with a sum, the same on all
 * runs. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, size, sum;

static void matched(int n)
{
    int next = (rank + 1) % size, got, count, flag = 0;
    MPI_Message message;
    MPI_Request request;
    MPI_Status status;
    MPI_Isend(&rank, 1, MPI_INT, next, n % 5, MPI_COMM_WORLD, &request);
    MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    MPI_Mrecv(&got, count, MPI_INT, &message, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    sum += got;
    MPI_Isend(&rank, 1, MPI_INT, next, 6, MPI_COMM_WORLD, &request);
    while (!flag)
        MPI_Improbe(MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Imrecv(&got, 1, MPI_INT, &message, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    sum += got;
}

static void windows(int n)
{
    int *memory, next = (rank + 1) % size, last = (rank + size - 1) % size, one = 1, old, values[8] = { 0 };
    MPI_Win window;
    MPI_Request request;
    MPI_Group world, before, behind;
    MPI_Win_allocate(16 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    for (int i = 0; i < 16; i++)
        memory[i] = i;
    MPI_Win_fence(0, window);
    MPI_Put(values, n % 8, MPI_INT, next, 8, n % 8, MPI_INT, window);
    MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, window);
    MPI_Win_fence(0, window);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, window);
    MPI_Fetch_and_op(&one, &old, MPI_INT, next, 1, MPI_SUM, window);
    MPI_Win_flush(next, window);
    MPI_Rget(values, 2, MPI_INT, next, 4, 2, MPI_INT, window, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_unlock(next, window);
    sum += old + values[1];
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &last, &before);
    MPI_Group_incl(world, 1, &next, &behind);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_post(before, 0, window);
    MPI_Win_start(behind, 0, window);
    MPI_Get(values, n % 4 + 1, MPI_INT, next, 0, n % 4 + 1, MPI_INT, window);
    MPI_Win_complete(window);
    MPI_Win_wait(window);
    MPI_Win_free(&window);
}

static void files(int n)
{
    int values[16] = { 0 };
    MPI_File file;
    MPI_File_open(MPI_COMM_WORLD, "others.bin", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                  &file);
    MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    MPI_File_write_at_all(file, rank * 16, values, n % 16, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_sync(file);
    MPI_File_read_at(file, rank * 16, values, n % 16, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    srand(5);
    for (int n = rand() % 100; n > 10; n = rand() % 100) {
        matched(n);
        windows(n);
        files(n);
    }
    MPI_Reduce(rank ? &sum : MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d\n", sum);
    MPI_Finalize();
    return 0;
}
