/* Point to point: order, wildcards, modes, statuses, probes. */
#include "check.h"

static void order_and_tags(void) {
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  int out[3] = {rank, rank + 100, rank + 200}, in = -1, i;
  MPI_Request requests[3];
  MPI_Status status;
  for (i = 0; i < 3; i++) MPI_Isend(&out[i], 1, MPI_INT, right, i % 2, MPI_COMM_WORLD, &requests[i]);
  MPI_Recv(&in, 1, MPI_INT, left, 1, MPI_COMM_WORLD, &status);
  CHECK(in == left + 100 && status.MPI_TAG == 1 && status.MPI_SOURCE == left);
  MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
  CHECK(in == left && status.MPI_TAG == 0);
  MPI_Recv(&in, 1, MPI_INT, left, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CHECK(in == left + 200);
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  /* What others send later is no candidate for the wildcards above. */
  MPI_Barrier(MPI_COMM_WORLD);
}

static void long_messages(void) {
  const int count = 300000, other = rank ^ 1;
  double *out = malloc(count * sizeof *out), *in = malloc(count * sizeof *in);
  int i;
  if (other < size) {
    for (i = 0; i < count; i++) out[i] = rank * 1e6 + i;
    MPI_Sendrecv(out, count, MPI_DOUBLE, other, 5, in, count, MPI_DOUBLE, other, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (i = 0; i < count; i++) CHECK(in[i] == other * 1e6 + i);
    MPI_Sendrecv_replace(in, count, MPI_DOUBLE, other, 6, other, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (i = 0; i < count; i++) CHECK(in[i] == out[i]);
  }
  free(out);
  free(in);
}

static void modes(void) {
  int out = rank, in = -1, i, bytes = 4096;
  char *buffer = malloc(bytes);
  if (size < 2 || rank > 1) {
    free(buffer);
    return;
  }
  if (rank == 0) {
    MPI_Request request;
    MPI_Buffer_attach(buffer, bytes);
    for (i = 0; i < 4; i++) MPI_Bsend(&out, 1, MPI_INT, 1, 10, MPI_COMM_WORLD);
    MPI_Buffer_detach(&buffer, &bytes);
    CHECK(bytes == 4096);
    MPI_Ssend(&out, 1, MPI_INT, 1, 11, MPI_COMM_WORLD);
    MPI_Issend(&out, 1, MPI_INT, 1, 12, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(request == MPI_REQUEST_NULL);
    MPI_Recv(&in, 1, MPI_INT, 1, 13, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Rsend(&out, 1, MPI_INT, 1, 14, MPI_COMM_WORLD);
  } else {
    MPI_Request ready;
    MPI_Irecv(&in, 1, MPI_INT, 0, 14, MPI_COMM_WORLD, &ready);
    for (i = 0; i < 4; i++) MPI_Recv(&out, 1, MPI_INT, 0, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(&out, 1, MPI_INT, 0, 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(&out, 1, MPI_INT, 0, 12, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&out, 1, MPI_INT, 0, 13, MPI_COMM_WORLD);
    MPI_Wait(&ready, MPI_STATUS_IGNORE);
    CHECK(in == 0);
  }
  free(buffer);
}

/* A synchronous send is done only when its receive has begun. */
static void synchronous(void) {
  int done = 1, value = 7;
  MPI_Request request;
  if (size < 2 || rank > 1) return;
  if (rank == 0) {
    MPI_Issend(&value, 1, MPI_INT, 1, 20, MPI_COMM_WORLD, &request);
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    CHECK(!done);
    MPI_Send(&value, 1, MPI_INT, 1, 21, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(&value, 1, MPI_INT, 0, 21, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(&value, 1, MPI_INT, 0, 20, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(value == 7);
  }
}

static void probes(void) {
  int i, flag = 0, count;
  MPI_Status status;
  MPI_Message message;
  if (rank == 0) {
    int *got = calloc(size, sizeof *got);
    for (i = 1; i < size; i++) {
      int data[16];
      MPI_Probe(MPI_ANY_SOURCE, 30, MPI_COMM_WORLD, &status);
      MPI_Get_count(&status, MPI_INT, &count);
      CHECK(count == status.MPI_SOURCE % 16);
      MPI_Recv(data, count, MPI_INT, status.MPI_SOURCE, 30, MPI_COMM_WORLD, &status);
      got[status.MPI_SOURCE]++;
    }
    for (i = 1; i < size; i++) CHECK(got[i] == 1);
    for (i = 1; i < size; i++) {
      double data = 0;
      MPI_Mprobe(MPI_ANY_SOURCE, 31, MPI_COMM_WORLD, &message, &status);
      MPI_Mrecv(&data, 1, MPI_DOUBLE, &message, &status);
      CHECK(message == MPI_MESSAGE_NULL && data == status.MPI_SOURCE * 0.5);
    }
    for (i = 1; i < size; i++) {
      char data = 0;
      MPI_Request request;
      while (!flag) MPI_Improbe(MPI_ANY_SOURCE, 32, MPI_COMM_WORLD, &flag, &message, &status);
      MPI_Imrecv(&data, 1, MPI_CHAR, &message, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      CHECK(data == 'x');
      flag = 0;
    }
    MPI_Iprobe(MPI_ANY_SOURCE, 33, MPI_COMM_WORLD, &flag, &status);
    CHECK(!flag);
    free(got);
  } else {
    int data[16] = {0};
    double half = rank * 0.5;
    char letter = 'x';
    MPI_Send(data, rank % 16, MPI_INT, 0, 30, MPI_COMM_WORLD);
    MPI_Send(&half, 1, MPI_DOUBLE, 0, 31, MPI_COMM_WORLD);
    MPI_Send(&letter, 1, MPI_CHAR, 0, 32, MPI_COMM_WORLD);
  }
}

static void nobody(void) {
  int value = 42;
  MPI_Status status;
  MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
  MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status);
  CHECK(value == 42 && status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG);
}

static void self(void) {
  int out = 5, in = 0;
  MPI_Request request;
  MPI_Irecv(&in, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
  MPI_Send(&out, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(in == 5);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  order_and_tags();
  long_messages();
  modes();
  synchronous();
  probes();
  nobody();
  self();
  return end();
}
