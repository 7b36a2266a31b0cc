/* Runs a task in virtual time: it tells a driver what it computes and which MPI calls it makes, and the driver says what
 * came of them. Stands in place of chronos_trace.c.
 *
 * The driver listens at the Unix socket that CHRONOS_LIVE names. Both sides send frames: what it is and how many numbers
 * follow, 4 bytes each, then numbers of 8 bytes:
 *
 *   0 RANK TASKS POINTS                       the task begins
 *   1 POINT COUNT ...                         what it executed since the last event
 *   2 SITE CPU ASKS NAME NAME NUMBER ...      an event as in traces (its name in 16 bytes), processor time before it in
 *                                             nanoseconds, whether it waits for an answer (1), and whether it is the
 *                                             first one of a call (2)
 *   3 COMM MEMBER ...                         who is in a communicator
 *   4 STATUS CPU OPEN                         the program ends, after MPI_Init and without MPI_Finalize (1), without both (2) or with both (0)
 *   5 COUNT                                   it starts so many tasks: waits for the number of the first
 *
 * An answer is a frame of a kind of chronos_live.h. A task does not wait where the answer tells it nothing: it goes on,
 * and what it computes meanwhile is told when the driver asks. So no task waits for another one that could not go on. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "chronos_live.h"
#include "chronos_calls.h"
#include "direct.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* Generated for the program: chronos_points.c. */
extern const unsigned chronos_points;

typedef struct {
  unsigned kind, count;
} head;

enum { HELLO, SEGMENT, EVENT, GROUP, END, CHILDREN };
enum { NO_SITE = -1, SECONDS_AT_BEGIN = 1000000000 };

static int control = -1, begun, ended;
static long long consumed, mark; /* nanoseconds of the processor: not yet told; when it was looked at */
/* The call that is made: its block, whether it was told of, and whether the clock was looked at for its sake. Calls of
 * libraries that are not instrumented are of the site before them. */
static struct {
  long long site;
  int is_told, is_timed;
} call = {NO_SITE, 0, 0};

/* --- frames --- */

static char *out;
static size_t out_room, out_used;

static void *room_for(size_t bytes) {
  char *place;
  if (out_used + bytes > out_room) {
    out_room = 2 * (out_used + bytes);
    out = realloc(out, out_room);
    if (!out) _exit(1);
  }
  place = out + out_used;
  out_used += bytes;
  return place;
}

static void put_head(unsigned kind, unsigned count) {
  head front;
  front.kind = kind;
  front.count = count;
  memcpy(room_for(sizeof front), &front, sizeof front);
}

static void put(long long number) { memcpy(room_for(sizeof number), &number, sizeof number); }

/* Who drives the run has ended it. */
static void lost(void) { _exit(1); }

static void flush(void) {
  size_t done = 0;
  while (done < out_used) {
    const ssize_t sent = send(control, out + done, out_used - done, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) done += (size_t)sent;
    else if (sent < 0 && errno == EAGAIN) cm_until(control, 1);
    else if (errno != EINTR) lost();
  }
  out_used = 0;
}

static void read_all(void *to, size_t bytes) {
  char *at = to;
  while (bytes > 0) {
    const ssize_t got = recv(control, at, bytes, MSG_DONTWAIT);
    if (got > 0) {
      at += got;
      bytes -= (size_t)got;
    } else if (got < 0 && errno == EAGAIN) {
      cm_until(control, 0);
    } else if (got == 0 || errno != EINTR) {
      lost();
    }
  }
}

static chronos_answer answer(void) {
  static long long *numbers;
  static unsigned room;
  chronos_answer found;
  head front;
  read_all(&front, sizeof front);
  if (front.count > room) {
    room = 2 * front.count;
    numbers = realloc(numbers, room * sizeof *numbers);
    if (!numbers) _exit(1);
  }
  read_all(numbers, front.count * sizeof *numbers);
  found.kind = front.kind;
  found.count = front.count;
  found.numbers = numbers;
  return found;
}

/* --- the processor's clock --- */

static long long processor_time(void) {
  struct timespec now;
  /* The functions for it show simulated time. */
  syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1000000000ll + now.tv_nsec;
}

/* What a stretch of nothing takes from one look at the clock to the next: a system call, of which much is between the looks. */
static long long looking;

static void measure_looking(void) {
  long long last = processor_time(), now, i;
  for (i = 0; i < 100; i++, last = now) {
    now = processor_time();
    if (i == 0 || now - last < looking) looking = now - last;
  }
}

static void stop_clock(void) {
  const long long now = processor_time();
  if (now - mark > looking) consumed += now - mark - looking;
  mark = now;
}

/* A call of MPI ends: what it took is no time of the program. */
static void left(void) {
  if (call.is_told) call.is_timed = 0;
  mark = processor_time();
}

void chronos_leaves(const int *inside) {
  (void)inside;
  left();
}

/* --- events --- */

static void end_segment(void) {
  unsigned used = 0, i;
  for (i = 0; i < chronos_points; i++) used += chronos_counts[i] != 0;
  if (used == 0) return;
  put_head(SEGMENT, 2 * used);
  for (i = 0; i < chronos_points; i++) {
    if (chronos_counts[i] == 0) continue;
    put(i);
    put((long long)chronos_counts[i]);
    chronos_counts[i] = 0;
  }
}

static void put_event(const char *what, int asks, unsigned count, const long long *numbers) {
  long long name[2] = {0, 0};
  const int begins = !call.is_told;
  if (!call.is_timed) stop_clock();
  call.is_told = 1;
  end_segment();
  strncpy((char *)name, what, sizeof name);
  put_head(EVENT, 5 + count);
  put(call.site);
  put(consumed);
  put(asks + 2 * begins);
  put(name[0]);
  put(name[1]);
  if (count > 0) memcpy(room_for(count * sizeof *numbers), numbers, count * sizeof *numbers);
  consumed = 0;
  flush();
}

/* Who gets a lock first decides what its window holds. */
static int asks_always(const char *what) { return strcmp(what, "lock") == 0; }

void chronos_event(const char *what, unsigned count, const long long *numbers) {
  chronos_begin();
  if (ended) return;
  if (asks_always(what)) chronos_ask(what, count, numbers);
  else put_event(what, 0, count, numbers);
}

chronos_answer chronos_ask(const char *what, unsigned count, const long long *numbers) {
  chronos_begin();
  put_event(what, 1, count, numbers);
  return answer();
}

void chronos_mpi(unsigned site) {
  chronos_begin();
  stop_clock();
  call.site = site;
  call.is_told = 0;
  call.is_timed = 1;
}

void chronos_local(unsigned site) {
  chronos_mpi(site);
  if (!ended) put_event("-", 0, 0, 0);
}

void chronos_argument(unsigned site, unsigned outer) {
  chronos_local(site);
  chronos_mpi(outer);
}

void chronos_abort(unsigned site) { chronos_mpi(site); }

WRAPPED(MPI_Abort)
int MPI_Abort(MPI_Comm comm, int code) {
  const long long numbers[1] = {code};
  chronos_event("abort", 1, numbers);
  return PMPI_Abort(comm, code);
}

void chronos_group(unsigned id, unsigned count, const int *members) {
  unsigned i;
  chronos_begin();
  put_head(GROUP, count + 1);
  put(id);
  for (i = 0; i < count; i++) put(members[i]);
}

int chronos_first_child(int count) {
  chronos_answer found;
  put_head(CHILDREN, 1);
  put(count);
  flush();
  found = answer();
  if (found.kind != CHRONOS_CHILDREN || found.count < 1) lost();
  return (int)found.numbers[0];
}

/* --- the simulated clock --- */

/* Nanoseconds since the program began. */
static long long simulated(void) {
  const chronos_answer now = chronos_ask("clock", 0, 0);
  left();
  return now.kind == CHRONOS_TIME && now.count > 0 ? now.numbers[0] / 1000 : 0;
}

static double seconds(void) { return 1e-9 * (double)simulated(); }

/* Whether time is simulated: between the begin and the end of the program. */
static int is_simulated(void) { return begun && !ended && control >= 0; }

int clock_gettime(clockid_t clock, struct timespec *at) {
  long long now;
  if (!is_simulated()) return (int)syscall(SYS_clock_gettime, clock, at);
  now = simulated();
  at->tv_sec = now / 1000000000 + (clock == CLOCK_REALTIME ? SECONDS_AT_BEGIN : 0);
  at->tv_nsec = now % 1000000000;
  return 0;
}

int gettimeofday(struct timeval *at, void *zone) {
  struct timespec now;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &now);
  at->tv_sec = now.tv_sec;
  at->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *at) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (at) *at = now.tv_sec;
  return now.tv_sec;
}

clock_t clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (clock_t)(now.tv_sec * CLOCKS_PER_SEC + now.tv_nsec / (1000000000 / CLOCKS_PER_SEC));
}

/* --- begin and end --- */

enum { CLOSED, OPEN, NEVER_OPEN };

static int state_of_mpi(void) {
  int initialized = 0, finalized = 0;
  PMPI_Initialized(&initialized);
  PMPI_Finalized(&finalized);
  if (!initialized) return NEVER_OPEN;
  return finalized ? CLOSED : OPEN;
}

static void at_exit(int status, void *nothing) {
  (void)nothing;
  if (ended || control < 0) return;
  stop_clock();
  end_segment();
  put_head(END, 3);
  put(status);
  put(consumed);
  put(state_of_mpi());
  flush();
  ended = 1;
}

static const cm_driver driver = {left, seconds, chronos_children};

static int connected(const char *path) {
  struct sockaddr_un place;
  const int made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  memset(&place, 0, sizeof place);
  place.sun_family = AF_UNIX;
  strncpy(place.sun_path, path, sizeof place.sun_path - 1);
  if (made >= 0 && connect(made, (struct sockaddr *)&place, sizeof place) == 0) return made;
  fprintf(stderr, "chronos: the driver of the run cannot be reached: %s\n", strerror(errno));
  _exit(1);
}

void chronos_begin(void) {
  const char *path = getenv("CHRONOS_LIVE"), *rank = getenv("CHRONOS_MPI_RANK"), *tasks = getenv("CHRONOS_MPI_TASKS");
  if (begun) return;
  begun = 1;
  if (!path) {
    fprintf(stderr, "chronos: the program was made to be driven by `chronos run`\n");
    _exit(1);
  }
  control = connected(path);
  measure_looking();
  cm_driven = &driver;
  on_exit(at_exit, 0);
  put_head(HELLO, 3);
  put(rank ? atoi(rank) : 0);
  put(tasks ? atoi(tasks) : 1);
  put(chronos_points);
  flush();
  mark = processor_time();
}

void chronos_order(unsigned point) { chronos_counts[point]++; }

#if !defined(__GNUC__)
#define PASSED(name, type, given)          \
  type name(unsigned point, given value) { \
    chronos_order(point);                  \
    return (type)value;                    \
  }
PASSED(chronos_int, int, int)
PASSED(chronos_unsigned, unsigned, unsigned)
PASSED(chronos_long, long long, long long)
PASSED(chronos_unsigned_long, unsigned long long, unsigned long long)
PASSED(chronos_double, double, double)
PASSED(chronos_pointer, void *, const void *)
#endif
