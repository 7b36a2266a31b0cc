/* Topologies, for the files of grids and graphs. */
#ifndef CHRONOS_MPI_TOPOLOGIES_H
#define CHRONOS_MPI_TOPOLOGIES_H
#include "internal.h"

int *cm_copied(const int *from, int count);
cm_topology *cm_topology_of(cm_comm *comm, int kind); /* reports where there is none of this kind */
/* The first `count` tasks with a communicator of their own, in their order; 0 where this task is none of them. */
cm_comm *cm_first_tasks(cm_comm *comm, int count, MPI_Comm *new);

#define CHECK_TOPOLOGY(topology, comm, kind)              \
  cm_topology *topology = cm_topology_of(comm, kind);     \
  if (!topology) return MPI_ERR_TOPOLOGY

#endif
