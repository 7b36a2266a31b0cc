/* Writes a trace (chronos-trace/1): one file of lines per task.
 *
 * What a task does is a sequence of symbols: segments (counts of trace points between two MPI calls)
 * and events (MPI calls), or, with -DCHRONOS_ORDER, each trace point and the events. Repetitions are
 * folded as they come, so that loops take no room. Every line carries a checksum and stands for
 * itself: what was written before a task died is a trace of what it did. Counters lie in a mapped file (task-R.live),
 * so that even a task that is killed without warning leaves them; it goes when the trace is complete.
 *
 * Compile with -DCHRONOS_WITH_MPI where the program calls MPI. The folder is named by the environment
 * variable CHRONOS_TRACE (default: chronos-trace). */
#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif
#include "chronos_trace.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#ifdef CHRONOS_WITH_MPI
#include "chronos_calls.h"
#endif

/* Generated for the program: chronos_points.c. */
extern const unsigned chronos_points;
/* Point and count, in turn, of all points that were executed. Not allocated: the program's own memory is to lie where it
 * would lie, or caches behave otherwise. */
extern unsigned long long chronos_sparse[];
/* Counters that fill whole pages, from the beginning of one on; 0 where they cannot be mapped. */
extern const unsigned long chronos_mapped;
extern const char chronos_identity[];
extern const char *const chronos_map[];

typedef unsigned long long count_t;

enum { POINT = 0, SEGMENT = 1, EVENT = 2, RULE = 3 };

/* A symbol and how often it follows itself. */
typedef struct {
  unsigned kind;
  unsigned id;
  count_t times;
} item_t;

enum {
  MAX_ITEMS = 16384, /* not yet written */
  MAX_FOLD = 128,    /* items that repeat */
  MAX_RULES = 4096,
  MAX_BODY = 65536,
  MAX_KNOWN = 4096, /* segments and events that may come again */
  LINE = 4096
};

static item_t items[MAX_ITEMS];
static unsigned item_count;

/* Rules that were defined and can be used again. */
static struct {
  unsigned id, start, length, hash;
} rules[MAX_RULES];
static unsigned rule_count, next_rule;
static item_t bodies[MAX_BODY];
static unsigned body_count;

/* Segments and events by hash. */
static struct known {
  unsigned id, hash, length;
  count_t *data;
} known[2][MAX_KNOWN];
static unsigned next_id[2];

/* The call that is being recorded; what it asked for is known when chronos_event has said so. */
static struct {
  unsigned site, is_open, count;
  const char *what;
  long long *numbers;
} event;
static unsigned numbers_room;

static int file = -1, failed, begun, ended, rank = -1, size = -1;
static volatile sig_atomic_t dying;
static time_t written;
static char line[LINE + 32];
static unsigned line_length, line_sum;

/* --- lines --- */

static void write_all(const char *text, size_t length) {
  while (length > 0 && !failed) {
    ssize_t done = write(file, text, length);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) {
      failed = 1;
      return;
    }
    text += done;
    length -= (size_t)done;
  }
}

static void put(const char *text) {
  for (; *text; text++) {
    line_sum = (line_sum ^ (unsigned char)*text) * 16777619u;
    line[line_length++] = *text;
  }
}

static void put_number(count_t n) {
  char digits[24];
  unsigned at = sizeof digits - 1;
  digits[at] = 0;
  do {
    digits[--at] = (char)('0' + n % 10);
    n /= 10;
  } while (n);
  put(digits + at);
}

static void put_signed(long long n) {
  if (n < 0) put("-");
  put_number(n < 0 ? 0 - (count_t)n : (count_t)n);
}

static void begin_line(const char *word) {
  line_length = 0;
  line_sum = 2166136261u;
  put(word);
}

/* Ends the text of a line with its checksum. */
static void sign_line(void) {
  static const char hex[] = "0123456789abcdef";
  int shift;
  line[line_length++] = ' ';
  line[line_length++] = '#';
  for (shift = 28; shift >= 0; shift -= 4) line[line_length++] = hex[line_sum >> shift & 15];
  line[line_length++] = '\n';
}

static void end_line(void) {
  sign_line();
  write_all(line, line_length);
}

/* A long line goes on in the next one, which begins with a plus sign. */
static void room(void) {
  if (line_length > LINE - 96) {
    end_line();
    begin_line("+");
  }
}

/* --- the file --- */

static int from_environment(const char *const *names) {
  for (; *names; names++) {
    const char *value = getenv(*names);
    if (value && *value) return atoi(value);
  }
  return -1;
}

static void find_rank(void) {
  static const char *const ranks[] = {"CHRONOS_MPI_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID", 0};
  static const char *const sizes[] = {"CHRONOS_MPI_TASKS", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS", 0};
  if (rank < 0) rank = from_environment(ranks);
  if (size < 0) size = from_environment(sizes);
  if (rank < 0) rank = 0;
  if (size < 1) size = 1;
}

static const char *folder(void) {
  const char *name = getenv("CHRONOS_TRACE");
  return name && *name ? name : "chronos-trace";
}

/* FOLDER/NAME, or FOLDER/task-RANK and NAME; printf would take as long as all else before the program begins. */
static void make_path(char *path, const char *name, int task) {
  size_t used = strlen(folder());
  char digits[16];
  unsigned at = sizeof digits - 1;
  int rest = task;
  if (used > LINE - 64) used = LINE - 64;
  memcpy(path, folder(), used);
  path[used++] = '/';
  digits[at] = 0;
  if (task >= 0) {
    memcpy(path + used, "task-", 5);
    used += 5;
    do digits[--at] = (char)('0' + rest % 10);
    while (rest /= 10);
  }
  strcpy(path + used, digits + at);
  strcat(path + used, name);
}

/* Empties a file that is there by taking it away: file systems write out what replaces the text of a file at once, which
 * takes longer than a short program. One that holds this text and nothing else is used as it is, behind it. */
static int open_after(const char *path, const char *text, size_t length) {
  static char found[256];
  int opened = open(path, O_RDWR);
  const ssize_t there = opened < 0 ? -1 : read(opened, found, sizeof found);
  if (there == 0 || (length < sizeof found && there == (ssize_t)length && memcmp(found, text, length) == 0)) return opened;
  if (opened >= 0) {
    close(opened);
    unlink(path);
  }
  return open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
}

/* Whether the file is that map: it begins with the checksum of all of it. */
static int is_written(const char *path) {
  char text[96];
  struct stat found;
  const char *const *part = chronos_map;
  size_t used = 0, length = 0;
  int same = 0, map = open(path, O_RDONLY);
  if (map < 0) return 0;
  for (; *part; part++) length += strlen(*part);
  if (fstat(map, &found) == 0 && (size_t)found.st_size == length && length > sizeof text &&
      read(map, text, sizeof text) == (ssize_t)sizeof text) {
    for (part = chronos_map; used < sizeof text && *part; used += length, part++) {
      length = strlen(*part);
      if (length > sizeof text - used) length = sizeof text - used;
      if (memcmp(text + used, *part, length) != 0) break;
    }
    same = used == sizeof text;
  }
  close(map);
  return same;
}

static void write_map(void) {
  static char buffer[16384];
  size_t used = 0;
  char path[LINE];
  const char *const *text = chronos_map;
  int task = file;
  make_path(path, "trace.json", -1);
  if (is_written(path)) return;
  unlink(path);
  file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (file < 0) {
    file = task;
    return;
  }
  for (; *text; text++) {
    const size_t length = strlen(*text);
    if (used + length > sizeof buffer) {
      write_all(buffer, used);
      used = 0;
    }
    if (length > sizeof buffer) write_all(*text, length);
    else {
      memcpy(buffer + used, *text, length);
      used += length;
    }
  }
  write_all(buffer, used);
  if (file >= 0) close(file);
  file = task;
}

#ifndef CHRONOS_ORDER
static void map_counters(void);
#endif

static void first_line(void) {
  begin_line("chronos-trace/1 ");
  put(chronos_identity);
#ifdef CHRONOS_ORDER
  put(" order ");
#else
  put(" counts ");
#endif
  put_number(chronos_points);
  put(" task ");
  put_number((count_t)rank);
  put(" of ");
  put_number((count_t)size);
  sign_line();
}

static void open_file(void) {
  char path[LINE];
  if (file >= 0 || failed) return;
  find_rank();
  first_line();
  make_path(path, ".ctr", rank);
  if (access(folder(), F_OK) != 0) mkdir(folder(), 0777);
  /* Before what takes room: without it, nothing else says anything. */
  if (rank == 0) write_map();
  file = open_after(path, line, line_length);
  if (file < 0) {
    failed = 1;
    fprintf(stderr, "chronos: the trace %s cannot be written: %s\n", path, strerror(errno));
    return;
  }
  if (lseek(file, 0, SEEK_CUR) == 0) write_all(line, line_length);
#ifndef CHRONOS_ORDER
  map_counters();
#endif
}

#ifndef CHRONOS_ORDER
/* Of this task, up to the last MPI call; behind the counters in the mapped file. */
static count_t *totals;
static char live[LINE];

/* The file of counters, with zeros for both tables that have room on the disk: a page that cannot be written would kill the
 * program. One that was made before the run is used as it is and left to who made it. */
static int open_live(size_t bytes) {
  static const char zeros[4096];
  char path[LINE];
  struct stat found;
  size_t at;
  int opened;
  make_path(path, ".live", rank);
  opened = open(path, O_RDWR);
  if (opened >= 0 && fstat(opened, &found) == 0 && (size_t)found.st_size == 2 * bytes) return opened;
  if (opened >= 0) close(opened);
  unlink(path);
  opened = open(path, O_RDWR | O_CREAT | O_TRUNC, 0666);
  if (opened < 0) return -1;
  strcpy(live, path);
  /* Written, not allocated: what is gone before the system writes it out never takes room. */
  for (at = 0; at < 2 * bytes; at += sizeof zeros)
    if (pwrite(opened, zeros, sizeof zeros, (off_t)at) != (ssize_t)sizeof zeros) {
      close(opened);
      unlink(live);
      return -1;
    }
  return opened;
}

/* From here on the counters are in a file: chronos-live/1 is counts since the last MPI call, then totals up to it. */
static void map_counters(void) {
  const size_t bytes = chronos_mapped * sizeof(count_t);
  const size_t used = chronos_points * sizeof(count_t);
  int task;
  if (totals || chronos_points == 0 || chronos_mapped == 0 || sysconf(_SC_PAGESIZE) > 4096) return;
  task = open_live(bytes);
  if (task < 0) return;
  if (pwrite(task, chronos_counts, used, 0) == (ssize_t)used) {
    totals = mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, task, (off_t)bytes);
    if (totals == MAP_FAILED) totals = 0;
  }
  if (totals) {
    memset(totals, 0, used);
    mmap(chronos_counts, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, task, 0);
  }
  close(task);
}
#endif

static void put_item(const item_t *item) {
  static const char *const kinds[] = {" p", " s", " e", " r"};
  room();
  put(kinds[item->kind]);
  put_number(item->id);
  if (item->times > 1) {
    put("*");
    put_number(item->times);
  }
}

static void write_items(const char *word, const item_t *from, unsigned count) {
  unsigned i;
  open_file();
  begin_line(word);
  for (i = 0; i < count; i++) put_item(&from[i]);
  end_line();
}

/* Writes the oldest items for good. */
static void commit(unsigned count) {
  if (count == 0) return;
  write_items("T", items, count);
  item_count -= count;
  memmove(items, items + count, item_count * sizeof *items);
}

/* --- folding --- */

static int same(const item_t *a, const item_t *b, unsigned count) {
  unsigned i;
  for (i = count; i-- > 0;)
    if (a[i].id != b[i].id || a[i].kind != b[i].kind || a[i].times != b[i].times) return 0;
  return 1;
}

static unsigned hash_items(const item_t *from, unsigned count) {
  unsigned hash = count, i;
  for (i = 0; i < count; i++) hash = (hash * 31 + from[i].id) * 31 + from[i].kind + (unsigned)from[i].times * 7;
  return hash;
}

static int find_rule(unsigned id) {
  int i;
  for (i = (int)rule_count - 1; i >= 0; i--)
    if (rules[i].id == id) return i;
  return -1;
}

/* The rule for a sequence, defined where it is new. */
static unsigned rule_for(const item_t *from, unsigned count) {
  unsigned hash = hash_items(from, count), i;
  for (i = 0; i < rule_count; i++)
    if (rules[i].hash == hash && rules[i].length == count && same(bodies + rules[i].start, from, count))
      return rules[i].id;
  if (rule_count == MAX_RULES || body_count + count > MAX_BODY) rule_count = body_count = 0;
  open_file();
  begin_line("R ");
  put_number(next_rule);
  for (i = 0; i < count; i++) put_item(&from[i]);
  end_line();
  rules[rule_count].id = next_rule;
  rules[rule_count].start = body_count;
  rules[rule_count].length = count;
  rules[rule_count].hash = hash;
  rule_count++;
  memcpy(bodies + body_count, from, count * sizeof *from);
  body_count += count;
  return next_rule++;
}

/* Folds the end of the items once. */
static int fold(void) {
  unsigned length, n = item_count;
  item_t *end = items + n;
  if (n >= 2 && end[-1].id == end[-2].id && end[-1].kind == end[-2].kind) {
    end[-2].times += end[-1].times;
    item_count--;
    return 1;
  }
  for (length = 2; length <= MAX_FOLD && length + 1 <= n; length++) {
    const item_t *rule = end - length - 1;
    if (rule->kind == RULE) {
      int index = find_rule(rule->id);
      if (index >= 0 && rules[index].length == length && same(bodies + rules[index].start, end - length, length)) {
        end[-(int)length - 1].times++;
        item_count -= length;
        return 1;
      }
    }
    if (rule->id != end[-1].id || rule->kind != end[-1].kind || 2 * length > n) continue;
    if (same(end - 2 * length, end - length, length)) {
      item_t folded;
      folded.kind = RULE;
      folded.id = rule_for(end - length, length);
      folded.times = 2;
      item_count -= 2 * length;
      items[item_count++] = folded;
      return 1;
    }
  }
  return 0;
}

static void append(unsigned kind, unsigned id) {
  item_t *last = items + item_count - 1;
  if (item_count > 0 && last->id == id && last->kind == kind) {
    last->times++;
    return;
  }
  /* The run before is complete: only now can it be compared. */
  while (fold()) {
  }
  if (item_count == MAX_ITEMS) commit(MAX_ITEMS / 2);
  items[item_count].kind = kind;
  items[item_count].id = id;
  items[item_count].times = 1;
  item_count++;
}

/* --- segments and events --- */

static unsigned hash_data(const count_t *data, unsigned length) {
  count_t hash = 14695981039346656037ull;
  unsigned i;
  for (i = 0; i < length; i++) hash = (hash ^ data[i]) * 1099511628211ull;
  return (unsigned)(hash >> 32 ^ hash);
}

/* The id of something that is described by numbers; *is_new where it is to be defined. */
static unsigned intern(unsigned table, const count_t *data, unsigned length, int *is_new) {
  unsigned hash = hash_data(data, length);
  struct known *entry = &known[table][hash % MAX_KNOWN];
  *is_new = 0;
  if (entry->data && entry->hash == hash && entry->length == length &&
      memcmp(entry->data, data, length * sizeof *data) == 0)
    return entry->id;
  *is_new = 1;
  if (dying) return next_id[table]++;
  free(entry->data);
  entry->data = malloc((length ? length : 1) * sizeof *data);
  if (entry->data) memcpy(entry->data, data, length * sizeof *data);
  entry->hash = hash;
  entry->length = length;
  entry->id = next_id[table];
  return next_id[table]++;
}

#ifndef CHRONOS_ORDER
static void end_segment(void) {
  unsigned n = 0, i, id;
  int is_new;
  for (i = 0; i < chronos_points; i++) {
    if (chronos_counts[i] == 0) continue;
    chronos_sparse[n++] = i;
    chronos_sparse[n++] = chronos_counts[i];
    if (totals) totals[i] += chronos_counts[i];
    chronos_counts[i] = 0;
  }
  if (n == 0) return;
  id = intern(0, chronos_sparse, n, &is_new);
  if (is_new) {
    open_file();
    begin_line("S ");
    put_number(id);
    for (i = 0; i < n; i += 2) {
      room();
      put(" ");
      put_number(chronos_sparse[i]);
      put(":");
      put_number(chronos_sparse[i + 1]);
    }
    end_line();
  }
  append(SEGMENT, id);
}
#else
static void end_segment(void) {}
#endif

/* The call that was recorded is done with. */
static void end_event(void) {
  count_t fixed[16], *data = fixed;
  unsigned n = 0, i, id;
  int is_new;
  if (!event.is_open) return;
  event.is_open = 0;
  if (event.count > 12) data = dying ? 0 : malloc((event.count + 2) * sizeof *data);
  if (!data) return;
  data[n++] = event.site;
  data[n++] = (count_t)(size_t)event.what; /* a literal: its address names it */
  for (i = 0; i < event.count; i++) data[n++] = (count_t)event.numbers[i];
  id = intern(1, data, n, &is_new);
  if (data != fixed) free(data);
  if (is_new) {
    open_file();
    begin_line("E ");
    put_number(id);
    put(" ");
    put_number(event.site);
    put(" ");
    put(event.what ? event.what : "-");
    for (i = 0; i < event.count; i++) {
      room();
      put(" ");
      put_signed(event.numbers[i]);
    }
    end_line();
  }
  append(EVENT, id);
}

static void learn_rank(void) {
#ifdef CHRONOS_WITH_MPI
  int initialized = 0, finalized = 0;
  if (rank >= 0) return;
  PMPI_Initialized(&initialized);
  PMPI_Finalized(&finalized);
  if (!initialized || finalized) return;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
#endif
}

/* So that a task that is killed leaves what it did up to now. */
static void checkpoint(void) {
  time_t now = time(0);
  if (written == 0) written = now;
  if (now == written || rank < 0) return;
  written = now;
  write_items("P", items, item_count);
}

void chronos_mpi(unsigned site) {
  chronos_begin();
  learn_rank();
  end_event();
  end_segment();
  checkpoint();
  event.site = site;
  event.is_open = 1;
  event.count = 0;
  event.what = 0;
}

void chronos_local(unsigned site) { chronos_mpi(site); }

void chronos_argument(unsigned site, unsigned outer) {
  /* The outer call was named before its arguments were evaluated, and has asked for nothing yet. */
  if (event.is_open && event.site == outer && !event.what) event.is_open = 0;
  chronos_mpi(site);
  chronos_mpi(outer);
}

/* What a call asked for. One that asks for several things is several events of one site; calls by libraries that are not
 * instrumented are of the site before them. */
void chronos_event(const char *what, unsigned count, const long long *numbers) {
  if (ended) return;
  chronos_begin();
  learn_rank();
  if (!event.is_open || event.what) {
    end_event();
    end_segment();
    event.is_open = 1;
  }
  if (count > numbers_room) {
    long long *grown = realloc(event.numbers, 2 * count * sizeof *grown);
    if (!grown) return;
    event.numbers = grown;
    numbers_room = 2 * count;
  }
  memcpy(event.numbers, numbers, count * sizeof *numbers);
  event.what = what;
  event.count = count;
}

void chronos_group(unsigned id, unsigned count, const int *members) {
  unsigned i;
  if (ended) return;
  chronos_begin();
  learn_rank();
  open_file();
  begin_line("G ");
  put_number(id);
  for (i = 0; i < count; i++) {
    room();
    put(" ");
    put_signed(members[i]);
  }
  end_line();
}

/* --- beginning and end --- */

static void finish(const char *how, unsigned number) {
  if (ended || !begun) return;
  ended = 1;
  end_event();
  end_segment();
  if (!dying)
    while (fold()) {
    }
  open_file();
  if (item_count > 0) write_items("T", items, item_count);
  begin_line(how);
  put_number(number);
  end_line();
  if (failed) (void)!write(2, "chronos: the trace is incomplete: it could not be written\n", 58);
#ifndef CHRONOS_ORDER
  if (!failed && live[0]) unlink(live);
#endif
  if (file >= 0) close(file);
  file = -1;
}

static void at_exit(void) { finish("END ", 0); }

static void at_signal(int number) {
  dying = 1;
  finish("CUT ", (unsigned)number);
  signal(number, SIG_DFL);
  raise(number);
}

void chronos_abort(unsigned site) {
  chronos_mpi(site);
  finish("CUT ", 0);
}

/* Signals that end a program; on a stack of their own, for one that has overflown. */
static void catch_signals(void) {
  static const int signals[] = {SIGTERM, SIGINT, SIGHUP, SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL, SIGXCPU, SIGXFSZ};
  static char memory[65536];
  stack_t stack;
  unsigned i;
  memset(&stack, 0, sizeof stack);
  stack.ss_sp = memory;
  stack.ss_size = sizeof memory;
  sigaltstack(&stack, 0);
  for (i = 0; i < sizeof signals / sizeof *signals; i++) {
    struct sigaction action, before;
    memset(&action, 0, sizeof action);
    action.sa_handler = at_signal;
    action.sa_flags = SA_ONSTACK;
    if (sigaction(signals[i], &action, &before) != 0) continue;
    if ((before.sa_flags & SA_SIGINFO) || before.sa_handler != SIG_DFL) sigaction(signals[i], &before, 0);
  }
}

void chronos_begin(void) {
  if (begun) return;
  begun = 1;
  atexit(at_exit);
  catch_signals();
#ifndef CHRONOS_WITH_MPI
  open_file();
#endif
}

void chronos_order(unsigned point) {
#ifdef CHRONOS_ORDER
  if (event.is_open) end_event();
  append(POINT, point);
#else
  chronos_counts[point]++;
#endif
}

#if !defined(__GNUC__) || defined(CHRONOS_ORDER)
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
