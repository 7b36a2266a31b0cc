/* Collective calls as sets of messages: what a call was given, and how its messages are made. */
#ifndef CHRONOS_MPI_COLLECTIVES_H
#define CHRONOS_MPI_COLLECTIVES_H
#include "internal.h"

/* One side of a call: where block i of a collective is. Counts, places and types of each block, or for all the same. */
typedef struct {
  const char *data;
  int count;
  const int *counts, *places;
  const MPI_Aint *bytes;
  MPI_Datatype type;
  const MPI_Datatype *types;
} cm_side;

struct cm_call {
  void (*begin)(cm_request *);
  cm_side out, in;
  MPI_Op op;
  int root, all;
  int tag; /* of this execution */
  int grid; /* messages of a grid's neighbours have tags of their own */
};

/* A block of a side: its place, number and type. */
typedef struct {
  char *data;
  long count;
  cm_type *type;
} cm_part;

cm_part cm_part_of(const cm_side *side, int i);
void cm_part_send(cm_request *request, int peer, cm_part part);
void cm_part_receive(cm_request *request, int peer, cm_part part);
void cm_part_copy(cm_part from, cm_part to);
/* Between these, parts are added; `then` is called when all are done. */
void cm_round_begin(cm_request *request, void (*then)(cm_request *));
void cm_round_end(cm_request *request);

/* Runs a call to its end, begins it, or keeps it. */
int cm_call_run(const cm_call *call, MPI_Comm comm);
int cm_call_begin(const cm_call *call, MPI_Comm comm, MPI_Request *request);
int cm_call_keep(const cm_call *call, MPI_Comm comm, MPI_Request *request);

/* The three forms of a collective: PARAMETERS in parentheses, without the communicator; the rest sets `call`. */
#define UNPACKED(...) __VA_ARGS__
#define TWO_FORMS(Name, IName, PARAMETERS, ...)                                     \
  API(MPI_##Name)                                                                    \
  int MPI_##Name(UNPACKED PARAMETERS MPI_Comm comm) {                                \
    cm_call call = {0};                                                              \
    ENTER();                                                                         \
    __VA_ARGS__;                                                                     \
    return cm_call_run(&call, comm);                                                 \
  }                                                                                  \
  API(MPI_I##IName)                                                                  \
  int MPI_I##IName(UNPACKED PARAMETERS MPI_Comm comm, MPI_Request *request) {        \
    cm_call call = {0};                                                              \
    ENTER();                                                                         \
    __VA_ARGS__;                                                                     \
    return cm_call_begin(&call, comm, request);                                      \
  }
#define THREE_FORMS(Name, IName, PARAMETERS, ...)                                                   \
  TWO_FORMS(Name, IName, PARAMETERS, __VA_ARGS__)                                                           \
  API(MPI_##Name##_init)                                                                             \
  int MPI_##Name##_init(UNPACKED PARAMETERS MPI_Comm comm, MPI_Info info, MPI_Request *request) {    \
    cm_call call = {0};                                                                              \
    (void)info;                                                                                      \
    ENTER();                                                                                         \
    __VA_ARGS__;                                                                                     \
    return cm_call_keep(&call, comm, request);                                                       \
  }

#endif
