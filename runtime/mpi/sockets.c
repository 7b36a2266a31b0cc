/* The transport between tasks on one machine: a pair of datagram sockets for each task. All tasks write to its one end,
 * the task reads from the other. Datagrams of a sender stay whole and in order; a message longer than one goes on in the
 * next of the same sender. What does not fit into the socket stays in a queue here, so that no task waits for another
 * while it should read what others send it. */
#include "internal.h"
#include "sockets.h"
#include "direct.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum { PIECE = 32768, READ = 0, WRITE = 1 };

/* What stands in front of each datagram. */
typedef struct {
  int from, is_first;
} prefix;

typedef struct outgoing {
  struct outgoing *next;
  cm_header header;
  char *payload;
  long done; /* bytes that are out */
  int begun;
  int *drained;
} outgoing;

/* A message of which the first datagrams have come. */
typedef struct {
  cm_header header;
  char *payload;
  long done;
} incoming;

static int (*pairs)[2];
static struct {
  outgoing *first, *last;
} *queues;
static incoming *partial;
static int queued; /* messages in all queues */
static struct pollfd *polled;

void cm_sockets_begin(int tasks) {
  int i;
  pairs = cm_allocate((size_t)tasks * sizeof *pairs);
  for (i = 0; i < tasks; i++) {
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pairs[i]) != 0)
      cm_fatal("there are not enough sockets for %d tasks: %s (see ulimit -n)", tasks, strerror(errno));
    fcntl(pairs[i][READ], F_SETFL, O_NONBLOCK);
    fcntl(pairs[i][WRITE], F_SETFL, O_NONBLOCK);
    fcntl(pairs[i][READ], F_SETFD, FD_CLOEXEC);
    fcntl(pairs[i][WRITE], F_SETFD, FD_CLOEXEC);
  }
}

void cm_sockets_keep(int task, int tasks) {
  int i;
  for (i = 0; i < tasks; i++)
    if (i != task) close(pairs[i][READ]);
  queues = cm_allocate((size_t)tasks * sizeof *queues);
  partial = cm_allocate((size_t)tasks * sizeof *partial);
  polled = cm_allocate((size_t)(tasks + 2) * sizeof *polled);
}

void cm_sockets_close(int tasks) {
  int i;
  for (i = 0; i < tasks; i++) {
    close(pairs[i][READ]);
    close(pairs[i][WRITE]);
  }
}

/* --- sending --- */

/* One datagram; 0 where there is no room. */
static int put_piece(int to, outgoing *message) {
  prefix front = {cm_task, !message->begun};
  struct iovec parts[3];
  struct msghdr datagram;
  long piece = message->header.length - message->done;
  int count = 0;
  if (piece > PIECE) piece = PIECE;
  parts[count].iov_base = &front;
  parts[count++].iov_len = sizeof front;
  if (front.is_first) {
    parts[count].iov_base = &message->header;
    parts[count++].iov_len = sizeof message->header;
  }
  if (piece > 0) {
    parts[count].iov_base = message->payload + message->done;
    parts[count++].iov_len = (size_t)piece;
  }
  memset(&datagram, 0, sizeof datagram);
  datagram.msg_iov = parts;
  datagram.msg_iovlen = (size_t)count;
  /* Counted before it is on its way: who counts less read than sent knows that something is. */
  __atomic_fetch_add(&cm_states[to].sent, 1, __ATOMIC_SEQ_CST);
  while (sendmsg(pairs[to][WRITE], &datagram, MSG_NOSIGNAL) < 0) {
    if (errno == EINTR) continue;
    __atomic_fetch_sub(&cm_states[to].sent, 1, __ATOMIC_SEQ_CST);
    if (errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS) return 0;
    piece = message->header.length - message->done; /* the task has ended: nobody will read it */
    break;
  }
  message->begun = 1;
  message->done += piece;
  return 1;
}

static int flush_queue(int to) {
  int changes = 0;
  while (queues[to].first) {
    outgoing *message = queues[to].first;
    while (!message->begun || message->done < message->header.length)
      if (!put_piece(to, message)) return changes;
    queues[to].first = message->next;
    if (!message->next) queues[to].last = 0;
    queued--;
    changes++;
    if (message->drained) *message->drained = 1;
    free(message->payload);
    free(message);
  }
  return changes;
}

static int flush_all(void) {
  int to, changes = 0;
  for (to = 0; queued > 0 && to < cm_tasks; to++) changes += flush_queue(to);
  return changes;
}

void cm_post(int to, const cm_header *header, char *payload, int *drained) {
  outgoing *message;
  if (to == cm_task) {
    cm_header copy = *header;
    copy.from = cm_task;
    if (drained) *drained = 1;
    cm_arrived(&copy, payload);
    return;
  }
  message = cm_allocate(sizeof *message);
  message->header = *header;
  message->header.from = cm_task;
  message->payload = payload;
  message->drained = drained;
  if (queues[to].last) queues[to].last->next = message;
  else queues[to].first = message;
  queues[to].last = message;
  queued++;
  flush_queue(to);
}

/* --- receiving --- */

static void take_piece(const char *data, long length) {
  prefix front;
  incoming *message;
  memcpy(&front, data, sizeof front);
  data += sizeof front;
  length -= (long)sizeof front;
  message = &partial[front.from];
  if (front.is_first) {
    memcpy(&message->header, data, sizeof message->header);
    data += sizeof message->header;
    length -= (long)sizeof message->header;
    message->done = 0;
    message->payload = message->header.length > 0 ? malloc((size_t)message->header.length) : 0;
    if (message->header.length > 0 && !message->payload)
      cm_fatal("there is no memory for a message of %ld bytes", message->header.length);
  }
  if (length > 0) memcpy(message->payload + message->done, data, (size_t)length);
  message->done += length;
  if (message->done >= message->header.length) {
    cm_header header = message->header;
    char *payload = message->payload;
    message->payload = 0;
    cm_arrived(&header, payload);
  }
}

static int take_all(void) {
  static char datagram[PIECE + sizeof(prefix) + sizeof(cm_header)];
  int changes = 0;
  for (;;) {
    ssize_t length = recv(pairs[cm_task][READ], datagram, sizeof datagram, 0);
    if (length < 0 && errno == EINTR) continue;
    if (length < (ssize_t)sizeof(prefix)) return changes;
    cm_here->received++;
    changes++;
    take_piece(datagram, (long)length);
  }
}

/* --- waiting --- */

/* Sleeps until something can be read or sent, or a file is ready for this (0: no file). Whether the file is. */
static int sleep_until_change(int milliseconds, int file, int events) {
  int count = 1, to;
  polled[0].fd = pairs[cm_task][READ];
  polled[0].events = POLLIN;
  for (to = 0; queued > 0 && to < cm_tasks; to++) {
    if (!queues[to].first) continue;
    polled[count].fd = pairs[to][WRITE];
    polled[count++].events = POLLOUT;
  }
  polled[count].fd = file;
  polled[count].events = (short)events;
  polled[count].revents = 0;
  cm_here->waits++;
  /* Who waits for a driver may go on without any message. */
  cm_here->blocked = milliseconds < 0 && !events;
  cm_turn_give();
  poll(polled, (nfds_t)(count + (events != 0)), milliseconds);
  cm_turn_take();
  cm_here->blocked = 0;
  return events && polled[count].revents;
}

int cm_progress(int wait) {
  int changes = flush_all() + take_all();
  while (wait && changes == 0) {
    sleep_until_change(-1, 0, 0);
    changes = flush_all() + take_all();
  }
  return changes;
}

void cm_until(int file, int writes) {
  int ready = 0;
  while (!ready) {
    flush_all();
    take_all();
    ready = sleep_until_change(-1, file, writes ? POLLOUT : POLLIN);
  }
}

void cm_glance(void) {
  static int fruitless;
  if (cm_progress(0) > 0) {
    fruitless = 0;
  } else if (++fruitless > 50) {
    sleep_until_change(1, 0, 0);
    cm_progress(0);
  }
}

void cm_drain(void) {
  while (queued > 0) cm_progress(1);
}
