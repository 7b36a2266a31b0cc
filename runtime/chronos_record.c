/* Records when a task computes and which MPI calls it makes (chronos record): a file of lines per task, task-R.rec.
 * Stands in place of chronos_trace.c, in front of the program's MPI (the profiling interface): compiled with the program, or as
 * a shared library that is loaded before it.
 *
 *   chronos-record/1 task RANK of TASKS
 *   G ID RANK ...                     who is in a communicator
 *   E ID KIND NUMBER ...              what a call may ask for, as in traces
 *   P ID FUNCTION OFFSET MODULE       where calls stand: the MPI function, the address behind the call within a file
 *   C PLACE CPU USER SYSTEM WALL INSIDE-CPU INSIDE-WALL SWITCHES ITEM ...
 *                                     a call. Before it, since the call before: processor time of the thread, its parts of user
 *                                     and system, time that passed, all in nanoseconds; then what passed inside; how often
 *                                     the thread lost its processor before the call. An item is eID, or mREQUEST:SOURCE:TAG
 *                                     for what a receive of any source or tag got (-1: the item before)
 *   T                                 calls of other threads were made: their times are not those of the task
 *   U FUNCTION                        a call of this function follows, which nothing here can hold: the file ends
 *   END STATUS CPU USER SYSTEM WALL   the program ends, so much after its last call
 *
 * The file is mapped, so that what was recorded is there however the task ends. What recording takes is no time of the
 * program. CHRONOS_RECORD names the folder. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "chronos_calls.h"
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { CHUNK = 1 << 18, KNOWN = 4096, TEXT = 4096 };

/* The wrappers of chronos_messages.c and others call these, which are for traces. */
unsigned long long chronos_counts[1];
void chronos_begin(void) {}
void chronos_order(unsigned point) { (void)point; }
void chronos_mpi(unsigned site) { (void)site; }
void chronos_local(unsigned site) { (void)site; }
void chronos_argument(unsigned site, unsigned outer) { (void)site, (void)outer; }
void chronos_abort(unsigned site) { (void)site; }

static int file = -1, failed, ended;
static pid_t owner; /* who writes the file: not a child of it */
static int depth;   /* calls within calls are theirs */
static __thread int own_thread;
static int other_threads;

/* --- the file --- */

static char *window;
static size_t before_window, used; /* bytes of the file in front of the window; in it */
static char *text;                 /* a line as it grows */
static size_t text_room, text_used;

static void give_up(const char *why) {
  if (!failed) fprintf(stderr, "chronos: the record ends here: %s: %s\n", why, strerror(errno));
  failed = 1;
}

static int next_window(void) {
  void *mapped;
  if (window) munmap(window, CHUNK);
  if (window) before_window += CHUNK;
  window = 0;
  used = 0;
  errno = posix_fallocate(file, (off_t)before_window, CHUNK);
  if (errno != 0) return 0;
  mapped = mmap(0, CHUNK, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)before_window);
  if (mapped == MAP_FAILED) return 0;
  window = mapped;
  return 1;
}

static void put(const char *what, size_t length) {
  if (text_used + length > text_room) {
    text_room = 2 * (text_used + length) + TEXT;
    text = realloc(text, text_room);
    if (!text) abort();
  }
  memcpy(text + text_used, what, length);
  text_used += length;
}

static void put_text(const char *what) { put(what, strlen(what)); }

static void put_number(long long n) {
  char digits[24];
  size_t at = sizeof digits;
  unsigned long long rest = n < 0 ? 0 - (unsigned long long)n : (unsigned long long)n;
  do {
    digits[--at] = (char)('0' + rest % 10);
    rest /= 10;
  } while (rest);
  if (n < 0) digits[--at] = '-';
  put(digits + at, sizeof digits - at);
}

static void put_field(long long n) {
  put(" ", 1);
  put_number(n);
}

/* Hands lines over to the file, which is there once the rank is known; until then they are kept. */
static void write_lines(void) {
  size_t done = 0;
  if (file < 0) return;
  while (done < text_used && !failed) {
    size_t part = text_used - done;
    if ((!window || used == CHUNK) && !next_window()) {
      give_up("the file cannot grow");
      break;
    }
    if (part > CHUNK - used) part = CHUNK - used;
    memcpy(window + used, text + done, part);
    used += part;
    done += part;
  }
  text_used = 0;
}

static void end_line(void) {
  put("\n", 1);
  write_lines();
}

static void finish(int status, void *nothing);

/* A task that others start has ranks of its own: its file would be that of another task. */
static int is_spawned(void) {
  MPI_Comm parent = MPI_COMM_NULL;
  PMPI_Comm_get_parent(&parent);
  return parent != MPI_COMM_NULL;
}

static void open_file(void) {
  const char *folder = getenv("CHRONOS_RECORD");
  char path[TEXT], first[128];
  int rank = 0, tasks = 1, initialized = 0, length;
  char *kept = text;
  const size_t kept_used = text_used;
  PMPI_Initialized(&initialized);
  if (file >= 0 || failed || !initialized) return;
  failed = is_spawned();
  if (failed) return;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &tasks);
  snprintf(path, sizeof path, "%s/task-%d.rec", folder && *folder ? folder : ".", rank);
  file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) {
    give_up(path);
    return;
  }
  owner = getpid();
  on_exit(finish, 0);
  length = snprintf(first, sizeof first, "chronos-record/1 task %d of %d\n", rank, tasks);
  text = 0;
  text_room = text_used = 0;
  put(first, (size_t)length);
  put(kept, kept_used);
  free(kept);
  write_lines();
}

/* --- clocks --- */

typedef struct {
  long long cpu, user, system, wall, switches;
} moment;

static long long clock_of(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec * 1000000000ll + now.tv_nsec;
}

static void use_of_thread(moment *now) {
  struct rusage use;
  getrusage(RUSAGE_THREAD, &use);
  now->user = use.ru_utime.tv_sec * 1000000000ll + use.ru_utime.tv_usec * 1000ll;
  now->system = use.ru_stime.tv_sec * 1000000000ll + use.ru_stime.tv_usec * 1000ll;
  now->switches = use.ru_nivcsw;
}

/* The processor's clock is the first that is looked at where computing ends, the last where it begins. */
static moment at_entry(void) {
  moment now;
  now.cpu = clock_of(CLOCK_THREAD_CPUTIME_ID);
  now.wall = clock_of(CLOCK_MONOTONIC);
  use_of_thread(&now);
  return now;
}

static moment at_return(void) {
  moment now;
  use_of_thread(&now);
  now.wall = clock_of(CLOCK_MONOTONIC);
  now.cpu = clock_of(CLOCK_THREAD_CPUTIME_ID);
  return now;
}

static moment begin, entry; /* of what is computed; of the call */

__attribute__((constructor)) static void start(void) { begin = at_return(); }

static long long since(long long now, long long then) { return now > then ? now - then : 0; }

/* What passed since the call before; a bundled MPI forks the tasks after `start`, and their clocks begin anew. */
static void put_stretch(const moment *now) {
  if (now->cpu < begin.cpu) begin.cpu = begin.user = begin.system = begin.switches = 0;
  put_field(since(now->cpu, begin.cpu));
  put_field(since(now->user, begin.user));
  put_field(since(now->system, begin.system));
  put_field(since(now->wall, begin.wall));
}

/* --- places --- */

typedef struct {
  const void *from;
  const char *name;
  unsigned id;
} place;

static place places[KNOWN];
static unsigned next_place;

typedef struct {
  ElfW(Addr) address, offset;
  char path[TEXT];
  int found;
} module;

static int holds(struct dl_phdr_info *info, size_t size, void *data) {
  module *wanted = data;
  int i;
  (void)size;
  for (i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    const ElfW(Addr) from = info->dlpi_addr + part->p_vaddr;
    if (part->p_type != PT_LOAD || wanted->address < from || wanted->address >= from + part->p_memsz) continue;
    wanted->offset = wanted->address - info->dlpi_addr;
    snprintf(wanted->path, sizeof wanted->path, "%s", info->dlpi_name ? info->dlpi_name : "");
    wanted->found = 1;
    return 1;
  }
  return 0;
}

static void tell_place(const place *made) {
  static module found;
  found.address = (ElfW(Addr))made->from;
  found.offset = 0;
  found.found = 0;
  found.path[0] = 0;
  dl_iterate_phdr(holds, &found);
  if (found.found && !found.path[0]) {
    const ssize_t length = readlink("/proc/self/exe", found.path, sizeof found.path - 1);
    found.path[length > 0 ? length : 0] = 0;
  }
  put_text("P");
  put_field(made->id);
  put_text(" ");
  put_text(made->name);
  put_field((long long)found.offset);
  put_text(" ");
  put_text(found.path);
  end_line();
}

static unsigned place_of(const char *name, const void *from) {
  const size_t at = ((size_t)from / 4 + (size_t)name / 8 * 31) % KNOWN;
  place *known = &places[at];
  if (known->name == name && known->from == from) return known->id;
  known->name = name;
  known->from = from;
  known->id = next_place++;
  tell_place(known);
  return known->id;
}

/* --- what calls ask for --- */

typedef struct {
  const char *kind;
  unsigned count, id;
  long long *numbers;
} description;

static description descriptions[KNOWN];
static unsigned next_description;

static unsigned description_of(const char *kind, unsigned count, const long long *numbers) {
  unsigned long long hash = 14695981039346656037ull ^ (size_t)kind;
  description *known;
  unsigned i;
  for (i = 0; i < count; i++) hash = (hash ^ (unsigned long long)numbers[i]) * 1099511628211ull;
  known = &descriptions[(hash ^ hash >> 32) % KNOWN];
  if (known->numbers && known->kind == kind && known->count == count &&
      memcmp(known->numbers, numbers, count * sizeof *numbers) == 0)
    return known->id;
  free(known->numbers);
  known->numbers = malloc((count + 1) * sizeof *numbers);
  if (known->numbers && count > 0) memcpy(known->numbers, numbers, count * sizeof *numbers);
  known->kind = kind;
  known->count = count;
  known->id = next_description++;
  put_text("E");
  put_field(known->id);
  put_text(" ");
  put_text(kind);
  for (i = 0; i < count; i++) put_field(numbers[i]);
  end_line();
  return known->id;
}

/* --- calls --- */

/* Items of the call that is made. */
typedef struct {
  int is_match;
  long long number, source, tag;
} item;

static item *items;
static unsigned item_count, item_room;
static unsigned current; /* its place */

static void add_item(item made) {
  if (item_count == item_room) {
    item_room = 2 * item_room + 16;
    items = realloc(items, item_room * sizeof *items);
    if (!items) abort();
  }
  items[item_count++] = made;
}

static int is_ours(void) { return own_thread && depth == 1 && !ended; }

/* Whether this thread is the one whose calls are recorded: the first that makes one. */
static int is_own(void) {
  static int is_taken;
  if (!own_thread && is_taken && !other_threads) other_threads = 1;
  if (!is_taken) own_thread = is_taken = 1;
  return own_thread;
}

int chronos_enter(const char *name, const void *from) {
  if (!is_own()) return 0;
  if (depth++ > 0) return 1;
  entry = at_entry();
  item_count = 0;
  current = place_of(name, from);
  return 1;
}

static void put_call(const moment *now) {
  unsigned i;
  if (other_threads == 1) {
    put_text("T\n");
    other_threads = 2;
  }
  put_text("C");
  put_field(current);
  put_stretch(&entry);
  put_field(since(now->cpu, entry.cpu));
  put_field(since(now->wall, entry.wall));
  put_field(since(entry.switches, begin.switches));
  for (i = 0; i < item_count; i++) {
    put_text(items[i].is_match ? " m" : " e");
    put_number(items[i].number);
    if (!items[i].is_match) continue;
    put_text(":");
    put_number(items[i].source);
    put_text(":");
    put_number(items[i].tag);
  }
  end_line();
}

void chronos_leave(const int *entered) {
  moment now;
  if (!*entered) return;
  if (depth > 1 || ended) {
    depth--;
    return;
  }
  now.cpu = clock_of(CLOCK_THREAD_CPUTIME_ID);
  now.wall = clock_of(CLOCK_MONOTONIC);
  put_call(&now);
  if (file < 0) open_file();
  depth = 0;
  begin = at_return();
}

void chronos_event(const char *what, unsigned count, const long long *numbers) {
  item made = {0, 0, 0, 0};
  if (!is_ours()) return;
  made.number = description_of(what, count, numbers);
  add_item(made);
}

void chronos_got(chronos_number request, chronos_number source, int tag) {
  item made = {1, request, source, tag};
  if (is_ours()) add_item(made);
}

void chronos_group(unsigned id, unsigned count, const int *members) {
  unsigned i;
  put_text("G");
  put_field(id);
  for (i = 0; i < count; i++) put_field(members[i]);
  end_line();
}

WRAPPED(MPI_Init)
int MPI_Init(int *count, char ***arguments) {
  CALLED(MPI_Init)
  chronos_nothing();
  return PMPI_Init(count, arguments);
}
WRAPPED(MPI_Init_thread)
int MPI_Init_thread(int *count, char ***arguments, int wanted, int *given) {
  CALLED(MPI_Init_thread)
  chronos_nothing();
  return PMPI_Init_thread(count, arguments, wanted, given);
}

/* --- calls that no record holds --- */

static void cut_off(void) {
  if (!failed && ftruncate(file, (off_t)(before_window + used)) != 0) give_up("its end cannot be cut off");
}

void chronos_unrecorded(const char *name) {
  if (!is_own() || ended || file < 0) return;
  ended = 1;
  put_text("U ");
  put_text(name);
  end_line();
  cut_off();
}

WRAPPED(MPI_Comm_spawn)
int MPI_Comm_spawn(const char *command, char *arguments[], int tasks, MPI_Info info, int root, MPI_Comm comm,
                   MPI_Comm *made, int codes[]) {
  chronos_unrecorded("MPI_Comm_spawn");
  return PMPI_Comm_spawn(command, arguments, tasks, info, root, comm, made, codes);
}
WRAPPED(MPI_Comm_spawn_multiple)
int MPI_Comm_spawn_multiple(int count, char *commands[], char **arguments[], const int tasks[], const MPI_Info infos[],
                            int root, MPI_Comm comm, MPI_Comm *made, int codes[]) {
  chronos_unrecorded("MPI_Comm_spawn_multiple");
  return PMPI_Comm_spawn_multiple(count, commands, arguments, tasks, infos, root, comm, made, codes);
}

/* --- calls that need no other task --- */

WRAPPED(MPI_Comm_free)
int MPI_Comm_free(MPI_Comm *comm) {
  CALLED(MPI_Comm_free)
  chronos_nothing();
  return PMPI_Comm_free(comm);
}
WRAPPED(MPI_Wtime)
double MPI_Wtime(void) {
  CALLED(MPI_Wtime)
  chronos_event("clock", 0, 0);
  return PMPI_Wtime();
}

/* --- the end --- */

static void finish(int status, void *nothing) {
  const moment now = at_entry();
  (void)nothing;
  if (ended || file < 0 || getpid() != owner || !own_thread) return;
  ended = 1;
  put_text("END");
  put_field(status);
  put_stretch(&now);
  end_line();
  cut_off();
}
