/* Communicators and groups, two sides, attributes, error handlers, hints. */
#include "check.h"

static void parts(void) {
  MPI_Comm half, copy, none, shared;
  int own, count, sum, result;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  MPI_Comm_rank(half, &own);
  MPI_Comm_size(half, &count);
  CHECK(count == (size + 1 - rank % 2) / 2 && own == count - 1 - rank / 2);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, half);
  CHECK(sum % 2 == (count * (rank % 2)) % 2);
  MPI_Comm_dup(half, &copy);
  MPI_Comm_compare(half, copy, &result);
  CHECK(result == MPI_CONGRUENT);
  MPI_Comm_compare(half, half, &result);
  CHECK(result == MPI_IDENT);
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 1, 0, &none);
  CHECK((none == MPI_COMM_NULL) == (rank == 0));
  if (none != MPI_COMM_NULL) MPI_Comm_free(&none);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &shared);
  MPI_Comm_size(shared, &count);
  CHECK(count == size);
  MPI_Comm_free(&shared);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&half);
  CHECK(half == MPI_COMM_NULL);
}

/* The same message in two communicators meets its own receive. */
static void apart(void) {
  MPI_Comm copy;
  int one = 1, two = 2, in = 0;
  MPI_Request requests[2];
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Isend(&one, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(&two, 1, MPI_INT, (rank + 1) % size, 0, copy, &requests[1]);
  MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, copy, MPI_STATUS_IGNORE);
  CHECK(in == 2);
  MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CHECK(in == 1);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Comm_free(&copy);
}

static void groups(void) {
  MPI_Group world, low, high, both, empty;
  MPI_Comm some;
  int ranges[1][3] = {{0, 0, 1}}, first = 0, found, result, count, last = size - 1;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_range_incl(world, 1, ranges, &low);
  MPI_Group_excl(world, 1, &first, &high);
  MPI_Group_union(high, low, &both);
  MPI_Group_compare(both, world, &result);
  CHECK(result == (size == 1 ? MPI_IDENT : MPI_SIMILAR));
  MPI_Group_intersection(low, high, &empty);
  MPI_Group_size(empty, &count);
  CHECK(count == 0);
  MPI_Group_translate_ranks(world, 1, &last, both, &found);
  CHECK(found == (size == 1 ? 0 : size - 2));
  MPI_Comm_create(MPI_COMM_WORLD, low, &some);
  CHECK((some != MPI_COMM_NULL) == (rank == 0));
  if (some != MPI_COMM_NULL) MPI_Comm_free(&some);
  if (rank > 0) {
    MPI_Comm_create_group(MPI_COMM_WORLD, high, 3, &some);
    MPI_Comm_size(some, &count);
    CHECK(count == size - 1);
    MPI_Barrier(some);
    MPI_Comm_free(&some);
  }
  MPI_Group_free(&world);
  MPI_Group_free(&low);
  MPI_Group_free(&high);
  MPI_Group_free(&both);
}

static void two_sides(void) {
  MPI_Comm half, inter, merged;
  int is_inter, others, value, in, own, sum;
  if (size < 2) return;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 9, &inter);
  MPI_Comm_test_inter(inter, &is_inter);
  MPI_Comm_remote_size(inter, &others);
  CHECK(is_inter && others == (size + rank % 2) / 2);
  MPI_Comm_rank(inter, &own);
  if (own < others && own < (size + 1 - rank % 2) / 2) {
    value = rank;
    MPI_Sendrecv(&value, 1, MPI_INT, own, 0, &in, 1, MPI_INT, own, 0, inter, MPI_STATUS_IGNORE);
    CHECK(in == (rank ^ 1));
  }
  value = rank == 0 ? 99 : 0;
  MPI_Bcast(&value, 1, MPI_INT, rank % 2 ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL, inter);
  CHECK(value == (rank % 2 || rank == 0 ? 99 : 0));
  value = 1;
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, inter);
  CHECK(sum == others);
  MPI_Intercomm_merge(inter, rank % 2, &merged);
  MPI_Comm_size(merged, &sum);
  MPI_Comm_rank(merged, &own);
  CHECK(sum == size && own == (rank % 2 ? (size + 1) / 2 : 0) + rank / 2);
  MPI_Comm_free(&merged);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
}

static int copies, deletions;
static int copy(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag) {
  (void)comm, (void)key, (void)extra;
  copies++;
  *(void **)out = (char *)in + 1;
  *flag = 1;
  return MPI_SUCCESS;
}
static int delete(MPI_Comm comm, int key, void *value, void *extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  deletions++;
  return MPI_SUCCESS;
}

static void attributes(void) {
  static char data[4];
  MPI_Comm other;
  void *value;
  int key, found, *limit;
  MPI_Comm_create_keyval(copy, delete, &key, 0);
  MPI_Comm_set_attr(MPI_COMM_WORLD, key, data);
  MPI_Comm_get_attr(MPI_COMM_WORLD, key, &value, &found);
  CHECK(found && value == data);
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  MPI_Comm_get_attr(other, key, &value, &found);
  CHECK(found && value == data + 1 && copies == 1);
  MPI_Comm_free(&other);
  CHECK(deletions == 1);
  MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
  MPI_Comm_get_attr(MPI_COMM_WORLD, key, &value, &found);
  CHECK(!found && deletions == 2);
  MPI_Comm_free_keyval(&key);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &limit, &found);
  CHECK(found && *limit >= 32767);
}

static int heard;
static void hear(MPI_Comm *comm, int *code, ...) {
  (void)comm;
  heard = *code;
}

static void errors(void) {
  MPI_Errhandler handler;
  char text[MPI_MAX_ERROR_STRING];
  int code, class, length, x = 0, big[2] = {1, 2};
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  code = MPI_Send(&x, 1, MPI_INT, size + 5, 0, MPI_COMM_WORLD);
  MPI_Error_class(code, &class);
  CHECK(class == MPI_ERR_RANK);
  MPI_Error_string(code, text, &length);
  CHECK(length > 0);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  code = MPI_Sendrecv(big, 2, MPI_INT, 0, 0, &x, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Error_class(code, &class);
  CHECK(class == MPI_ERR_TRUNCATE);
  MPI_Comm_create_errhandler(hear, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Send(&x, -1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  MPI_Error_class(heard, &class);
  CHECK(class == MPI_ERR_COUNT);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&handler);
}

static void hints(void) {
  MPI_Info info, copy;
  char value[16], key[MPI_MAX_INFO_KEY + 1];
  int found, count, length;
  MPI_Info_create(&info);
  MPI_Info_set(info, "a", "1");
  MPI_Info_set(info, "b", "two");
  MPI_Info_set(info, "a", "one");
  MPI_Info_dup(info, &copy);
  MPI_Info_delete(info, "a");
  MPI_Info_get_nkeys(copy, &count);
  CHECK(count == 2);
  MPI_Info_get(copy, "a", 15, value, &found);
  CHECK(found && strcmp(value, "one") == 0);
  MPI_Info_get(info, "a", 15, value, &found);
  CHECK(!found);
  MPI_Info_get_valuelen(info, "b", &length, &found);
  CHECK(found && length == 3);
  MPI_Info_get_nthkey(info, 0, key);
  CHECK(strcmp(key, "b") == 0);
  MPI_Info_free(&info);
  MPI_Info_free(&copy);
  CHECK(info == MPI_INFO_NULL);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  parts();
  apart();
  groups();
  two_sides();
  attributes();
  errors();
  hints();
  return end();
}
