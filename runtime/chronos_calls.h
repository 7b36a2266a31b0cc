/* What the recorders of MPI calls share: chronos_messages.c, chronos_collectives.c and, where a program calls such
 * functions, chronos_neighbours.c, chronos_windows.c and chronos_files.c. They are compiled with a traced program and stand in front of its MPI
 * (the profiling interface).
 *
 * Numbers are what a replay needs: ranks of MPI_COMM_WORLD (of tasks that others start: numbers behind these), bytes, communicators by number (chronos_group says who is in
 * them), requests by the lowest number that is free. Wildcards are recorded as the program asked (-1); of what a call
 * chose among requests, that which it chose. A program with wrappers of its own keeps those (weak symbols). */
#ifndef CHRONOS_CALLS_H
#define CHRONOS_CALLS_H
#include "chronos_trace.h"
#include <mpi.h>

typedef long long chronos_number;

/* Not every mpi.h declares the names of the profiling interface. */
#ifdef __GNUC__
#define PROFILED(name) extern __typeof__(name) P##name;
PROFILED(MPI_Type_size)
PROFILED(MPI_Comm_group)
PROFILED(MPI_Group_size)
PROFILED(MPI_Group_translate_ranks)
PROFILED(MPI_Group_free)
PROFILED(MPI_Comm_create_keyval)
PROFILED(MPI_Comm_set_attr)
PROFILED(MPI_Comm_get_attr)
PROFILED(MPI_Comm_test_inter)
PROFILED(MPI_Comm_remote_group)
PROFILED(MPI_Comm_remote_size)
PROFILED(MPI_Op_commutative)
PROFILED(MPI_Comm_get_parent)
PROFILED(MPI_Request_get_status)
PROFILED(MPI_Test_cancelled)
PROFILED(MPI_Initialized)
PROFILED(MPI_Finalized)
PROFILED(MPI_Comm_rank)
PROFILED(MPI_Comm_size)
#define WRAPPED(name)                                 \
  extern __typeof__(name) name __attribute__((weak)); \
  extern __typeof__(name) P##name;
#else
#define WRAPPED(name)
#endif
#define UNPACKED(...) __VA_ARGS__

/* First in each wrapper: a recorder of times (chronos_record.c) learns when the call begins and ends, and where it stands. */
#ifdef CHRONOS_RECORD
#define CALLED(name)                                               \
  const int chronos_depth __attribute__((cleanup(chronos_leave))) = \
      chronos_enter(#name, __builtin_extract_return_addr(__builtin_return_address(0)));
int chronos_enter(const char *name, const void *from);
void chronos_leave(const int *depth);
/* A call of this function cannot be recorded: what follows would be another program. */
void chronos_unrecorded(const char *name);
/* What a receive or probe of any source or tag got: of a request (-1: of the event that was told last), its message. */
void chronos_got(chronos_number request, chronos_number source, int tag);
#else
#define CALLED(name)
#endif
/* Where a program's receives, probes and waits have other wrappers than those of chronos_messages.c. */
#if defined(CHRONOS_LIVE) || defined(CHRONOS_RECORD)
#define CHRONOS_OTHER_RECEIVES
#endif

/* The number of a communicator; tells who is in it when it is new. */
chronos_number chronos_comm(MPI_Comm comm);
/* Its members agree on something. */
void chronos_agree(chronos_number comm);
/* The rank in MPI_COMM_WORLD of a rank; -1 for a wildcard. */
chronos_number chronos_task(MPI_Comm comm, int rank);
chronos_number chronos_bytes(chronos_number count, MPI_Datatype type);
/* A communicator of its own with the same members. */
chronos_number chronos_copy(MPI_Comm comm);
/* The rank in MPI_COMM_WORLD of a member of a communicator by its number. */
chronos_number chronos_member(chronos_number comm, int rank);
/* Ranks in MPI_COMM_WORLD of a group, to be freed. */
int *chronos_world_ranks(MPI_Group group, int *count);
/* A number for a request that was made. */
int chronos_request(MPI_Request request);
/* One of no message. */
void chronos_null_request(MPI_Request request);
/* One that stands for all of these, which are its own from now on: a wait for it is one for them. */
void chronos_requests(MPI_Request request, unsigned count, const int ids[]);
/* One that turned out to stand for no message. */
void chronos_nobody(int id);
/* That of a request; -1 where it has none. */
int chronos_find(MPI_Request request);
/* Those of the requests of one call, each its own, also where requests have one handle. */
void chronos_find_each(int count, const MPI_Request list[], int ids[]);
/* The handle of one, as a number. */
chronos_number chronos_handle(int id);
int chronos_is_nobody(int id);
int chronos_is_receive(int id);
/* Whether it receives from any source or with any tag, and the rank in MPI_COMM_WORLD of a rank in its communicator. */
int chronos_is_wild(int id);
chronos_number chronos_source(int id, int rank);
/* Those that it stands for; how many. */
unsigned chronos_parts(int id, const int **parts);
/* A request is complete: its number is free again, unless it is persistent. */
void chronos_forget(int id);
/* A message was probed for, to be received by its handle. */
void chronos_matched(MPI_Message message, MPI_Comm comm, const MPI_Status *status);
/* A message of a call: other task, tag, communicator, bytes, number of the request. */
void chronos_message(const char *kind, int peer, int tag, MPI_Comm comm, chronos_number bytes, chronos_number request);
/* A number that is free again. */
void chronos_release(int id);
/* A call that moves nothing: to MPI_PROC_NULL, a test that found nothing. */
void chronos_nothing(void);

#endif
