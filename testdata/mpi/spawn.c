/* Four tasks start three further ones of the same program, one by one and several at once; what each of them sees was worked
 * out by hand. Parents have the ranks 0 to 3 and children 0 to 2, so sums over one side are 6 and 3. */
#include "expect.h"

static void child(MPI_Comm parent, int argc, char **argv) {
  int rank, size, n, sum, value = 0;
  MPI_Comm all;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  EXPECT(size, 3);
  EXPECT(argc, 3);
  EXPECT(strcmp(argv[1], "child"), 0);
  EXPECT(atoi(argv[2]), 17);
  MPI_Comm_remote_size(parent, &n);
  EXPECT(n, 4);
  /* Ranks 0 to 3 of the parents give 1 to 4. */
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, parent);
  EXPECT(sum, 10);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  EXPECT(sum, 3);
  MPI_Bcast(&value, 1, MPI_INT, 1, parent);
  EXPECT(value, 99);
  if (rank == 2) {
    MPI_Recv(&value, 1, MPI_INT, 3, 5, parent, MPI_STATUS_IGNORE);
    EXPECT(value, 53);
    value = 2 * value;
    MPI_Send(&value, 1, MPI_INT, 0, 6, parent);
  }
  MPI_Intercomm_merge(parent, 1, &all);
  MPI_Comm_rank(all, &n);
  EXPECT(n, 4 + rank);
  MPI_Comm_free(&all);
  MPI_Comm_disconnect(&parent);
  EXPECT(parent == MPI_COMM_NULL, 1);
}

static void sibling(MPI_Comm parent, char **argv) {
  int rank, size, got;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  EXPECT(size, 3);
  /* One task of the first kind, two of the second. */
  EXPECT(strcmp(argv[1], rank == 0 ? "one" : "two"), 0);
  MPI_Scatter(NULL, 1, MPI_INT, &got, 1, MPI_INT, 0, parent);
  EXPECT(got, 10 * rank);
  MPI_Comm_disconnect(&parent);
}

static void several(int rank, char *name) {
  char *one[] = {"one", NULL}, *two[] = {"two", NULL};
  char **arguments[] = {one, two}, *commands[] = {name, name};
  int counts[] = {1, 2}, n, values[] = {0, 10, 20};
  MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
  MPI_Comm children;
  MPI_Comm_spawn_multiple(2, commands, arguments, counts, infos, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
  MPI_Comm_remote_size(children, &n);
  EXPECT(n, 3);
  MPI_Scatter(values, 1, MPI_INT, NULL, 1, MPI_INT, rank == 0 ? MPI_ROOT : MPI_PROC_NULL, children);
  MPI_Comm_disconnect(&children);
}

int main(int argc, char **argv) {
  int rank, size, n, sum, value, errors[3] = {-1, -1, -1};
  char *arguments[] = {"child", "17", NULL};
  MPI_Comm parent, children, all;
  MPI_Init(&argc, &argv);
  MPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) {
    if (argc == 3) child(parent, argc, argv);
    else sibling(parent, argv);
    return finish();
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  EXPECT(size, 4);
  MPI_Comm_spawn(argv[0], arguments, 3, MPI_INFO_NULL, 2, MPI_COMM_WORLD, &children, errors);
  EXPECT(errors[0], MPI_SUCCESS);
  EXPECT(errors[2], MPI_SUCCESS);
  MPI_Comm_remote_size(children, &n);
  EXPECT(n, 3);
  MPI_Comm_size(children, &n);
  EXPECT(n, 4);
  value = rank + 1;
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, children);
  EXPECT(sum, 3);
  value = rank == 1 ? 99 : -1;
  MPI_Bcast(&value, 1, MPI_INT, rank == 1 ? MPI_ROOT : MPI_PROC_NULL, children);
  if (rank == 3) {
    value = 53;
    MPI_Send(&value, 1, MPI_INT, 2, 5, children);
  }
  if (rank == 0) {
    MPI_Recv(&value, 1, MPI_INT, 2, 6, children, MPI_STATUS_IGNORE);
    EXPECT(value, 106);
  }
  MPI_Intercomm_merge(children, 0, &all);
  MPI_Comm_size(all, &n);
  EXPECT(n, 7);
  /* All seven: parents 0 to 3, children 4 to 6. */
  MPI_Comm_rank(all, &n);
  EXPECT(n, rank);
  MPI_Comm_free(&all);
  MPI_Comm_disconnect(&children);
  several(rank, argv[0]);
  return finish();
}
