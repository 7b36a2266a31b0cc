/* Requests: waiting and testing of several, persistent ones, cancelling, the program's own. */
#include "check.h"

enum { COUNT = 5 };

static void several(void) {
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  int out[COUNT], in[COUNT], seen[COUNT] = {0}, i, index, flag, some, indices[COUNT], total = 0;
  MPI_Request sends[COUNT], receives[COUNT];
  MPI_Status statuses[COUNT];
  for (i = 0; i < COUNT; i++) {
    out[i] = 10 * rank + i;
    MPI_Irecv(&in[i], 1, MPI_INT, left, i, MPI_COMM_WORLD, &receives[i]);
  }
  for (i = COUNT - 1; i >= 0; i--) MPI_Isend(&out[i], 1, MPI_INT, right, i, MPI_COMM_WORLD, &sends[i]);
  MPI_Waitany(COUNT, receives, &index, &statuses[0]);
  CHECK(receives[index] == MPI_REQUEST_NULL && statuses[0].MPI_TAG == index);
  seen[index] = 1;
  while (total < COUNT - 1) {
    MPI_Waitsome(COUNT, receives, &some, indices, statuses);
    for (i = 0; i < some; i++) {
      CHECK(!seen[indices[i]] && in[indices[i]] == 10 * left + indices[i]);
      seen[indices[i]] = 1;
    }
    total += some;
  }
  MPI_Waitsome(COUNT, receives, &some, indices, statuses);
  CHECK(some == MPI_UNDEFINED);
  MPI_Waitany(COUNT, receives, &index, &statuses[0]);
  CHECK(index == MPI_UNDEFINED);
  MPI_Testany(COUNT, receives, &index, &flag, &statuses[0]);
  CHECK(flag && index == MPI_UNDEFINED);
  for (flag = 0; !flag;) MPI_Testall(COUNT, sends, &flag, MPI_STATUSES_IGNORE);
  for (i = 0; i < COUNT; i++) CHECK(sends[i] == MPI_REQUEST_NULL);
}

static void persistent(void) {
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  int out = 0, in = -1, i;
  MPI_Request pair[2];
  MPI_Send_init(&out, 1, MPI_INT, right, 40, MPI_COMM_WORLD, &pair[0]);
  MPI_Recv_init(&in, 1, MPI_INT, left, 40, MPI_COMM_WORLD, &pair[1]);
  for (i = 0; i < 4; i++) {
    out = rank + i;
    MPI_Startall(2, pair);
    MPI_Waitall(2, pair, MPI_STATUSES_IGNORE);
    CHECK(in == left + i && pair[0] != MPI_REQUEST_NULL);
  }
  MPI_Request_free(&pair[0]);
  MPI_Request_free(&pair[1]);
  CHECK(pair[0] == MPI_REQUEST_NULL);
}

static void cancelled(void) {
  int in = 3, flag;
  MPI_Request request;
  MPI_Status status;
  MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 50, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &flag);
  CHECK(flag && in == 3);
}

static int queried, freed;
static int query(void *state, MPI_Status *status) {
  queried++;
  MPI_Status_set_elements(status, MPI_INT, *(int *)state);
  MPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = 9;
  status->MPI_TAG = 8;
  return MPI_SUCCESS;
}
static int release(void *state) { return (void)state, freed++, MPI_SUCCESS; }
static int cancel(void *state, int complete) { return (void)state, (void)complete, MPI_SUCCESS; }

static void own(void) {
  int count = 6, flag, told;
  MPI_Request request;
  MPI_Status status;
  MPI_Grequest_start(query, release, cancel, &count, &request);
  MPI_Test(&request, &flag, &status);
  CHECK(!flag);
  MPI_Grequest_complete(request);
  MPI_Wait(&request, &status);
  MPI_Get_count(&status, MPI_INT, &told);
  CHECK(queried == 1 && freed == 1 && told == 6 && status.MPI_SOURCE == 9);
}

static void asked(void) {
  int in = 0, out = 4, flag = 0;
  MPI_Request request;
  MPI_Irecv(&in, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
  MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
  CHECK(!flag);
  MPI_Send(&out, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
  while (!flag) MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
  CHECK(in == 4 && request != MPI_REQUEST_NULL);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  several();
  persistent();
  cancelled();
  own();
  asked();
  return end();
}
