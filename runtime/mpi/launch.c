/* Starts the tasks and watches them.
 *
 * With CHRONOS_MPI_TASKS=P in the environment, a program with this library becomes P tasks before its main begins: the
 * process that was started makes the sockets, forks, and then only watches. It ends all tasks when one of them dies or
 * aborts, and when all of them wait for messages that nobody sends. Without the variable there is one task. The last
 * CHRONOS_MPI_SPAWNED of them stand by until others start them (spawning.c).
 *
 * The file that CHRONOS_MPI_ENDED names gets a line about the first task that ends before its program does: its number, how
 * (`exit`, `signal` or `abort`), and the code or the number of the signal. */
#include "internal.h"
#include "sockets.h"
#include "direct.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

int cm_task, cm_tasks = 1, cm_begun = 1;
static cm_state alone;
cm_state *cm_here = &alone, *cm_states = &alone;
static pid_t *children;
static int living, exit_code;
static volatile sig_atomic_t signalled;

enum { LOOK_MS = 100, GRACE_MS = 3000 };

static void say(const char *format, ...) {
  char text[512];
  va_list arguments;
  int length;
  va_start(arguments, format);
  length = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (length > 0) (void)!write(2, text, (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
}

static void signal_all(int number) {
  int i;
  for (i = 0; i < cm_tasks; i++)
    if (children[i] > 0) kill(children[i], number);
}

/* Of the first task that ended early, for who started the job. */
static void note(int task, const char *how, int code) {
  static int is_noted;
  const char *path = getenv("CHRONOS_MPI_ENDED");
  FILE *file = is_noted || !path ? 0 : fopen(path, "w");
  is_noted = 1;
  if (!file) return;
  fprintf(file, "%d %s %d\n", task, how, code);
  fclose(file);
}

/* Whether the job is at its end because of this task. */
static int is_fatal(int task, int status) {
  const cm_state *state = &cm_states[task];
  const int is_open = state->initialized && !state->finalized;
  if (state->aborted) {
    exit_code = state->code;
    note(task, "abort", exit_code);
    say("chronos: task %d called MPI_Abort with code %d\n", task, state->code);
    return 1;
  }
  if (WIFSIGNALED(status)) {
    exit_code = 128 + WTERMSIG(status);
    note(task, "signal", WTERMSIG(status));
    say("chronos: task %d was ended by signal %d (%s)\n", task, WTERMSIG(status), strsignal(WTERMSIG(status)));
    return 1;
  }
  if (is_open) note(task, "exit", WEXITSTATUS(status));
  if (WEXITSTATUS(status) == 0) return 0;
  exit_code = WEXITSTATUS(status);
  if (is_open) {
    say("chronos: task %d ended with code %d before MPI_Finalize\n", task, exit_code);
    return 1;
  }
  return 0;
}

static int reap(int *ending) {
  int status, i, any = 0;
  pid_t child;
  while ((child = waitpid(-1, &status, WNOHANG)) > 0) {
    for (i = 0; i < cm_tasks && children[i] != child; i++) {
    }
    if (i == cm_tasks) continue;
    any = 1;
    children[i] = 0;
    living--;
    cm_turn_return(&cm_states[i]);
    if (!*ending && is_fatal(i, status)) *ending = 1;
  }
  return any;
}

/* All tasks that live wait, nothing is on its way, and none has moved since the last look. */
static int all_wait(unsigned long *before) {
  unsigned long moved = 0;
  int i, waiting = 0, same;
  for (i = 0; i < cm_tasks; i++) {
    const unsigned long sent = __atomic_load_n(&cm_states[i].sent, __ATOMIC_SEQ_CST);
    moved += cm_states[i].waits + sent + cm_states[i].received;
    if (children[i] == 0 || cm_states[i].finalized) continue;
    if (!cm_states[i].blocked || sent != cm_states[i].received) waiting = -cm_tasks;
    waiting++;
  }
  same = moved == *before;
  *before = moved;
  return waiting > 0 && same;
}

static void tell_waiting(void) {
  int i, told = 0;
  say("chronos: all tasks wait for messages that no task sends\n");
  for (i = 0; i < cm_tasks && told < 16; i++) {
    const cm_state *state = &cm_states[i];
    if (children[i] == 0 || !state->blocked) continue;
    told++;
    if (!state->has_peer) say("chronos:   task %d in %s\n", i, state->function);
    else if (state->peer == MPI_ANY_SOURCE) say("chronos:   task %d in %s from any task, tag %d\n", i, state->function, state->tag);
    else say("chronos:   task %d in %s, other task %d, tag %d\n", i, state->function, state->peer, state->tag);
  }
}

static void on_signal(int number) { signalled = number; }

static void watch(void) {
  unsigned long before = (unsigned long)-1;
  int ending = 0, waited = 0, stuck = 0;
  while (living > 0) {
    struct timespec look = {0, (ending ? 10 : LOOK_MS) * 1000000L};
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigtimedwait(&set, 0, &look);
    if (signalled) { /* before tasks that the same signal ended are looked at */
      ending = ending ? ending : 1;
      exit_code = 128 + signalled;
      signalled = 0;
    }
    reap(&ending);
    if (!ending && all_wait(&before)) {
      if (++stuck < 3) continue;
      tell_waiting();
      exit_code = 1;
      ending = 1;
    } else if (!ending) {
      stuck = 0;
    }
    if (ending == 1) {
      signal_all(SIGTERM);
      ending = 2;
    } else if (ending == 2 && ++waited > GRACE_MS / 10) {
      signal_all(SIGKILL);
      ending = 3;
    }
  }
}

static void become_task(int task) {
  char number[16];
  cm_task = task;
  cm_here = &cm_states[task];
  snprintf(number, sizeof number, "%d", task);
  setenv("CHRONOS_MPI_RANK", number, 1);
  cm_sockets_keep(task, cm_tasks);
  cm_turn_take();
  if (task > 0) {
    int nothing = open("/dev/null", O_RDONLY);
    if (nothing >= 0) {
      dup2(nothing, 0);
      close(nothing);
    }
  }
  setvbuf(stdout, 0, _IOLBF, 1 << 16); /* lines of tasks do not tear each other apart */
}

static void enough_files(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

__attribute__((constructor)) static void launch(void) {
  const char *wanted = getenv("CHRONOS_MPI_TASKS"), *spawned = getenv("CHRONOS_MPI_SPAWNED");
  sigset_t set, old;
  int i;
  if (!wanted || getenv("CHRONOS_MPI_RANK")) {
    cm_sockets_begin(1);
    cm_sockets_keep(0, 1);
    return;
  }
  cm_begun = cm_tasks = atoi(wanted);
  if (cm_tasks < 1 || cm_tasks > 4096) cm_fatal("CHRONOS_MPI_TASKS=%s is no number of tasks from 1 to 4096", wanted);
  if (spawned) cm_begun -= atoi(spawned);
  if (cm_begun < 1) cm_fatal("CHRONOS_MPI_SPAWNED=%s leaves no task to begin with", spawned);
  enough_files();
  cm_states = mmap(0, (size_t)cm_tasks * sizeof *cm_states, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (cm_states == MAP_FAILED) cm_fatal("there is no memory for %d tasks", cm_tasks);
  children = cm_allocate((size_t)cm_tasks * sizeof *children);
  cm_sockets_begin(cm_tasks);
  if (getenv("CHRONOS_MPI_TURNS")) cm_turns_begin(atoi(getenv("CHRONOS_MPI_TURNS")));
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  sigprocmask(SIG_BLOCK, &set, &old);
  for (i = 0; i < cm_tasks; i++) {
    pid_t parent = getpid();
    pid_t child = fork();
    if (child == 0) {
      sigprocmask(SIG_SETMASK, &old, 0);
#ifdef __linux__
      prctl(PR_SET_PDEATHSIG, SIGTERM);
      if (getppid() != parent) _exit(1);
#endif
      become_task(i);
      return;
    }
    if (child < 0) {
      say("chronos: task %d of %d cannot be started: %s\n", i, cm_tasks, strerror(errno));
      signal_all(SIGKILL);
      _exit(1);
    }
    children[i] = child;
    living++;
  }
  cm_sockets_close(cm_tasks);
  signal(SIGINT, on_signal);
  signal(SIGTERM, on_signal);
  signal(SIGHUP, on_signal);
  watch();
  _exit(exit_code & 255);
}

void cm_abort(int code) {
  fflush(0);
  cm_here->code = code;
  cm_here->aborted = 1;
  _exit(code & 255 ? code & 255 : 1);
}
