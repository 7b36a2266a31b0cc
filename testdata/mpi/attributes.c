/* Attributes of the program's own. */
#include "expect.h"

static int copies, deletions;

typedef struct {
  int number;
} Data;

static int copy(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag) {
  Data *old = in, *new = malloc(sizeof *new);
  new->number = old->number + *(int *)extra;
  *(void **)out = new;
  *flag = 1;
  copies++;
  return MPI_SUCCESS;
}

static int delete(MPI_Comm comm, int key, void *value, void *extra) {
  deletions += ((Data *)value)->number;
  return MPI_SUCCESS;
}

static int closed;

static int close_window(MPI_Win window, int key, void *value, void *extra) {
  closed += *(int *)value * *(int *)extra;
  return MPI_SUCCESS;
}

/* Values 3, then 4 instead, then 5 again after it was deleted: 2 * (3 + 4 + 5). */
static void windows(int rank) {
  int memory = 0, key, other, flag, twice = 2, three = 3, four = 4, five = 5, *found;
  MPI_Win window;
  MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, close_window, &key, &twice);
  MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &other, NULL);
  EXPECT(key != other, 1);
  MPI_Win_get_attr(window, key, &found, &flag);
  EXPECT(flag, 0);
  MPI_Win_set_attr(window, key, &three);
  MPI_Win_set_attr(window, other, &three);
  MPI_Win_get_attr(window, key, &found, &flag);
  EXPECT(flag, 1);
  EXPECT(*found, 3);
  MPI_Win_set_attr(window, key, &four);
  EXPECT(closed, 6);
  MPI_Win_delete_attr(window, key);
  EXPECT(closed, 14);
  MPI_Win_get_attr(window, key, &found, &flag);
  EXPECT(flag, 0);
  MPI_Win_set_attr(window, key, &five);
  MPI_Win_free(&window);
  EXPECT(closed, 24);
  MPI_Win_free_keyval(&key);
  EXPECT(key, MPI_KEYVAL_INVALID);
  MPI_Win_free_keyval(&other);
}

int main(int argc, char **argv) {
  int i, rank, key, lost, shared, type_key, flag, step = 10, *upper, global = 7;
  Data data, other, *found;
  MPI_Comm comm, twin;
  MPI_Datatype type, again;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &upper, &flag);
  EXPECT(flag, 1);
  EXPECT(*upper >= 32767, 1);
  MPI_Comm_create_keyval(copy, delete, &key, &step);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &lost, NULL);
  MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &shared, NULL);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_get_attr(comm, key, &found, &flag);
  EXPECT(flag, 0);
  data.number = 1;
  other.number = 2;
  MPI_Comm_set_attr(comm, key, &data);
  MPI_Comm_set_attr(comm, lost, &data);
  MPI_Comm_set_attr(comm, shared, &global);
  MPI_Comm_get_attr(comm, key, &found, &flag);
  EXPECT(flag, 1);
  EXPECT(found->number, 1);
  /* The first one is replaced, which deletes it. */
  MPI_Comm_set_attr(comm, key, &other);
  EXPECT(deletions, 1);
  MPI_Comm_dup(comm, &twin);
  EXPECT(copies, 1);
  MPI_Comm_get_attr(twin, key, &found, &flag);
  EXPECT(flag, 1);
  EXPECT(found->number, 12);
  MPI_Comm_get_attr(twin, lost, &found, &flag);
  EXPECT(flag, 0);
  MPI_Comm_get_attr(twin, shared, &upper, &flag);
  EXPECT(flag, 1);
  EXPECT(*upper, 7);
  /* What is kept there decides how often the tasks meet. */
  for (i = 0; i < *upper; i++) MPI_Barrier(twin);
  MPI_Comm_delete_attr(comm, key);
  EXPECT(deletions, 3);
  MPI_Comm_get_attr(comm, key, &found, &flag);
  EXPECT(flag, 0);
  MPI_Comm_free(&twin);
  EXPECT(deletions, 15);
  MPI_Comm_free(&comm);
  EXPECT(deletions, 15);
  MPI_Comm_free_keyval(&key);
  EXPECT(key, MPI_KEYVAL_INVALID);
  MPI_Comm_free_keyval(&lost);
  MPI_Comm_free_keyval(&shared);
  MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, &type_key, NULL);
  MPI_Type_contiguous(2, MPI_INT, &type);
  MPI_Type_set_attr(type, type_key, &data);
  MPI_Type_dup(type, &again);
  MPI_Type_get_attr(again, type_key, &found, &flag);
  EXPECT(flag, 1);
  EXPECT(found->number, 1);
  MPI_Type_delete_attr(again, type_key);
  MPI_Type_get_attr(again, type_key, &found, &flag);
  EXPECT(flag, 0);
  MPI_Type_free(&again);
  MPI_Type_free(&type);
  MPI_Type_free_keyval(&type_key);
  windows(rank);
  return finish();
}
