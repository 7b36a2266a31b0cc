/* What the parts of the bundled MPI share: objects behind handles, and what one part offers the others.
 *
 * Layers, each of which knows only those above it in this list:
 *   transport.h   headers and bytes from task to task, waiting, death of tasks (sockets; see launch.c for who starts them)
 *   messages.c    matching of messages and receives; requests.c: completion
 *   types, groups, communicators, collectives, windows, files: MPI's objects, in terms of messages
 * Names that other files see begin with cm_. */
#ifndef CHRONOS_MPI_INTERNAL_H
#define CHRONOS_MPI_INTERNAL_H
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "mpi.h"
#include "transport.h"
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In front of a function of the interface: the name MPI_X gives way to a wrapper's, PMPI_X stays. */
#define API(name)                                     \
  extern __typeof__(name) name __attribute__((weak)); \
  extern __typeof__(name) P##name __attribute__((alias(#name)));

/* The first thing that a call does; its end is noticed wherever it returns. */
#define ENTER() int cm_inside __attribute__((cleanup(cm_leave), unused)) = cm_enter(__func__)

/* --- handles --- */

/* Objects by number; 0 is none. */
typedef struct {
  void **objects;
  int size, first_free;
} cm_table;

int cm_table_add(cm_table *table, int from, void *object);
void cm_table_put(cm_table *table, int handle, void *object);
void *cm_table_get(const cm_table *table, int handle);
void cm_table_remove(cm_table *table, int handle);
void *cm_allocate(size_t bytes); /* of zeros; ends the task where there is no memory */

/* --- attributes, names, error handlers --- */

typedef struct cm_attribute {
  struct cm_attribute *next;
  int key;
  void *value;
} cm_attribute;

enum { CM_OF_COMM, CM_OF_TYPE, CM_OF_WIN, CM_OF_FILE };

int cm_attributes_copy(int kind, int handle, const cm_attribute *from, cm_attribute **to);
int cm_attributes_delete(int kind, int handle, cm_attribute **list);

/* --- datatypes --- */

typedef struct cm_type cm_type;
typedef struct {
  long at, count; /* so many of the type from this displacement on */
  cm_type *type;
} cm_block;

struct cm_type {
  int references, handle;
  long size, lb, ub, true_lb, true_ub, elements;
  int align, dense, bounded; /* bounded: lb or ub were given */
  int basic;                 /* the handle of a predefined type, or 0 */
  int committed, combiner;
  long block_count;
  cm_block *blocks;
  int int_count, aint_count, type_count; /* what it was made of */
  int *ints;
  MPI_Aint *aints;
  cm_type **types;
  char name[MPI_MAX_OBJECT_NAME];
  cm_attribute *attributes;
};

void cm_types_begin(void);
cm_type *cm_type_of(MPI_Datatype handle); /* 0 where there is none */
cm_type *cm_type_keep(cm_type *type);
void cm_type_drop(cm_type *type);
cm_type *cm_type_of_blocks(long count, const cm_block *blocks);
MPI_Datatype cm_type_publish(cm_type *type, int combiner);
void cm_type_made_of(cm_type *type, int ints, const int *int_values, int aints, const MPI_Aint *aint_values, int types,
                     const MPI_Datatype *type_values);
void cm_pack(const cm_type *type, const void *from, long count, void *to);
long cm_unpack(const cm_type *type, void *to, long count, const void *from, long bytes);
long cm_elements(const cm_type *type, long bytes);
/* Calls `run` for each contiguous piece of `count` elements, in order. */
void cm_runs(const cm_type *type, long at, long count, void (*run)(void *, long, long), void *context);
static inline long cm_extent(const cm_type *type) { return type->ub - type->lb; }

/* --- reductions --- */

int cm_op_check(MPI_Op op, const cm_type *type);
void cm_reduce(MPI_Op op, const void *in, void *inout, long count, cm_type *type); /* inout = in op inout */

/* --- groups and communicators --- */

typedef struct {
  int references, size;
  int members[]; /* numbers of tasks */
} cm_group;

cm_group *cm_group_new(int size);
cm_group *cm_group_of(MPI_Group handle);
cm_group *cm_group_keep(cm_group *group);
void cm_group_drop(cm_group *group);
int cm_group_rank(const cm_group *group, int task); /* or MPI_UNDEFINED */
MPI_Group cm_group_publish(cm_group *group);

typedef struct {
  int kind, dimensions, in_count, out_count, weighted;
  int *sizes, *periods;            /* Cartesian */
  int *index, *edges;              /* graph */
  int *in, *out, *in_weights, *out_weights; /* neighbours by rank */
} cm_topology;

typedef struct cm_comm {
  int references, handle, context, rank, is_inter;
  cm_group *local, *remote; /* remote is local where it is no intercommunicator */
  unsigned sequence;        /* of collective calls */
  cm_topology *topology;
  cm_attribute *attributes;
  char name[MPI_MAX_OBJECT_NAME];
  MPI_Errhandler handler;
  MPI_Info info;
} cm_comm;

cm_comm *cm_comm_of(MPI_Comm handle); /* reports where there is none */
cm_comm *cm_comm_new(cm_group *local, cm_group *remote, int context, const cm_comm *like);
void cm_comm_drop(cm_comm *comm);
void cm_comms_begin(void);
int cm_context_next(void);
void cm_context_used(int context);
void cm_topology_free(cm_topology *topology);
cm_topology *cm_topology_copy(const cm_topology *topology);
MPI_Comm cm_split(cm_comm *comm, int color, int key); /* collective */
int cm_agree(cm_comm *comm); /* collective: a context that no member has used */
/* What one member of a side says, to all of it. */
void cm_tell_side(cm_comm *comm, int from, void *data, long bytes);

/* --- tasks that others start: spawning.c --- */

cm_group *cm_world_group(void);
void cm_parent_begin(void);

/* Channels of a communicator. */
enum { CM_POINT, CM_COLLECTIVE, CM_CONTROL, CM_GRID };

/* --- requests --- */

typedef struct cm_request cm_request;
typedef struct cm_call cm_call;

enum { CM_SEND, CM_RECEIVE, CM_WHOLE, CM_GENERAL, CM_DONE };

struct cm_request {
  int kind, handle, done, active, persistent, forgotten, cancelled, error, mode;
  MPI_Status status;
  const void *out;
  void *in;
  long count;
  cm_type *type;
  cm_comm *comm;
  int channel, peer, tag;
  int drained, acknowledged; /* of a send */
  cm_request *next;          /* among posted receives */
  /* Requests that make up this one. */
  cm_request *parent;
  int left;
  void (*then)(cm_request *);
  cm_call *call;
  char *scratch;
  /* A request of the user's own. */
  MPI_Grequest_query_function *query;
  MPI_Grequest_free_function *release;
  MPI_Grequest_cancel_function *cancel;
  void *state;
  int partitions, ready;
};

enum { CM_STANDARD, CM_BUFFERED, CM_SYNCHRONOUS, CM_READY };

cm_request *cm_request_new(int kind);
MPI_Request cm_request_publish(cm_request *request);
cm_request *cm_request_of(MPI_Request handle);
void cm_request_free(cm_request *request);
void cm_complete(cm_request *request);
void cm_start(cm_request *request);
void cm_wait(cm_request *request);
int cm_finish(cm_request *request, MPI_Request *handle, MPI_Status *status); /* of one that is done */
MPI_Request cm_request_done(long bytes);
/* MPI_STATUS_IGNORE is no address; a null pointer is taken for it, as many libraries do. */
#define cm_is_wanted(status) ((status) && (status) != MPI_STATUS_IGNORE)
void cm_status_empty(MPI_Status *status);

/* --- messages --- */

void cm_messages_begin(void);
void cm_send(cm_request *request);
void cm_receive(cm_request *request);
int cm_unpost(cm_request *request); /* whether the receive was still waiting */
/* A message of no communicator, which a driver names by its number; takes the payload over. */
void cm_post_numbered(int to, char *payload, long bytes);
/* Bytes among tasks of a communicator, blocking. */
void cm_send_bytes(cm_comm *comm, int channel, int peer, int tag, const void *data, long bytes);
long cm_receive_bytes(cm_comm *comm, int channel, int peer, int tag, void *data, long bytes);
cm_request *cm_isend(cm_comm *comm, int channel, const void *data, long count, cm_type *type, int peer, int tag);
cm_request *cm_ireceive(cm_comm *comm, int channel, void *data, long count, cm_type *type, int peer, int tag);

/* --- collective help --- */

void cm_allgather_bytes(cm_comm *comm, const void *mine, long bytes, void *all);
void cm_barrier(cm_comm *comm);
void cm_call_start(cm_request *request);

/* --- windows, files --- */

void cm_window_arrived(cm_header *header, char *payload);

/* --- errors --- */

int cm_enter(const char *function);
void cm_leave(int *inside);
extern int cm_initialized, cm_finalized;
/* Tells the handler of a communicator (0: that of MPI_COMM_WORLD); the class comes back where it returns. */
int cm_error(cm_comm *comm, int class, const char *format, ...) __attribute__((format(printf, 3, 4)));
int cm_error_of(int kind, int handle, MPI_Errhandler handler, int class, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
void cm_fatal(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
const char *cm_class_name(int class);
MPI_Errhandler cm_handler_of_file(MPI_File file);

/* For checks at the beginning of calls. */
#define CHECK_COMM(comm, handle)         \
  cm_comm *comm = cm_comm_of(handle);    \
  if (!comm) return MPI_ERR_COMM
#define CHECK_TYPE(comm, type, handle)   \
  cm_type *type = cm_type_of(handle);    \
  if (!type) return cm_error(comm, MPI_ERR_TYPE, "%d is no datatype", handle)
#define CHECK_COUNT(comm, count) \
  if ((count) < 0) return cm_error(comm, MPI_ERR_COUNT, "the count %ld is negative", (long)(count))

#endif
