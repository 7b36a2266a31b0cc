/* Messages that wait to be received, for the files that probe and match. */
#ifndef CHRONOS_MPI_MESSAGES_H
#define CHRONOS_MPI_MESSAGES_H
#include "internal.h"

typedef struct cm_message {
  struct cm_message *next;
  cm_header header;
  char *payload;
} cm_message;

/* The first that fits, or 0. */
cm_message *cm_find(cm_comm *comm, int channel, int peer, int tag);
/* The one of a task with this number, waited for. */
cm_message *cm_awaited(int from, long number);
/* Takes it out of those that wait. */
void cm_take(cm_message *message);
/* Completes a receive with it; the payload is freed. */
void cm_fill(cm_request *request, const cm_header *header, char *payload);
void cm_status_of(MPI_Status *status, const cm_header *header);
/* Completes a send whose transport and receiver are done. */
void cm_sent(cm_request *request);

#endif
