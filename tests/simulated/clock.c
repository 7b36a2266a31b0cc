/* Prints how long a program takes from MPI_Init to MPI_Finalize, without the time of MPI_Comm_spawn. Linked with the program; other
 * layers in front of MPI, loaded before it, keep their calls.
 *
 * On an emulated cluster, whose tasks share processors, a layer may wait in the place of MPI's empty polls of its sockets. MPI_Iprobe
 * would then take as long as that layer waits, a millisecond for example, and not the microsecond of a real node: while a program
 * only looks for messages, its polls go past all layers. For that they have to be found in the program first (-rdynamic). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <poll.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

static double begin, starting;
static int is_looking;

#define NEXT(name) __typeof__(&name) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

int MPI_Init(int *count, char ***arguments) {
  NEXT(MPI_Init);
  const int code = next(count, arguments);
  PMPI_Barrier(MPI_COMM_WORLD);
  begin = PMPI_Wtime();
  return code;
}

int MPI_Comm_spawn(const char *command, char *arguments[], int tasks, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *made,
                   int codes[]) {
  NEXT(MPI_Comm_spawn);
  const double before = PMPI_Wtime();
  const int code = next(command, arguments, tasks, info, root, comm, made, codes);
  starting += PMPI_Wtime() - before;
  return code;
}

int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *is_there, MPI_Status *status) {
  NEXT(MPI_Iprobe);
  is_looking = 1;
  const int code = next(source, tag, comm, is_there, status);
  is_looking = 0;
  return code;
}

int poll(struct pollfd *files, nfds_t count, int timeout) {
  NEXT(poll);
  return is_looking ? (int)syscall(SYS_poll, files, count, timeout) : next(files, count, timeout);
}

int epoll_wait(int file, struct epoll_event *events, int most, int timeout) {
  NEXT(epoll_wait);
  return is_looking ? (int)syscall(SYS_epoll_wait, file, events, most, timeout) : next(file, events, most, timeout);
}

int MPI_Finalize(void) {
  NEXT(MPI_Finalize);
  MPI_Comm parent;
  int rank;
  PMPI_Barrier(MPI_COMM_WORLD);
  PMPI_Comm_get_parent(&parent);
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0 && parent == MPI_COMM_NULL) printf("took %.9f s\n", PMPI_Wtime() - begin - starting);
  fflush(stdout);
  return next();
}
