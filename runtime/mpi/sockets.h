/* Setting up of the sockets, for launch.c alone. */
#ifndef CHRONOS_MPI_SOCKETS_H
#define CHRONOS_MPI_SOCKETS_H

void cm_sockets_begin(int tasks);          /* before tasks fork */
void cm_sockets_keep(int task, int tasks); /* in a task: what others read is closed */
void cm_sockets_close(int tasks);          /* in the process that watches */

#endif
