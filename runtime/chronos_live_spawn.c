/* Tasks that a program starts, in virtual time (chronos run). Each stands by as a process until the message that asks for
 * it has come at its virtual time; then its process is started, which takes the time that the network says, and its main
 * function begins. The linker gives main to __wrap_main (--wrap=main). See chronos_live.c. */
#ifdef CHRONOS_WITH_MPI
#include "chronos_live.h"
#include "chronos_calls.h"
#include "direct.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

PROFILED(MPI_Abort)

int __real_main(int count, char **arguments, char **environment);

static const char *own_path = "";

/* Whether a part of a path is a program's name, of which the table has letters, digits and `_` alone. */
static int is_name(const char *part, size_t length, const char *name) {
  size_t i;
  for (i = 0; i < length && name[i]; i++)
    if (name[i] != (isalnum((unsigned char)part[i]) ? part[i] : '_')) return 0;
  return i == length && !name[i];
}

/* A program by the last part of its path; this one, the first of the table, also by the path that it was started by. */
static const chronos_program *program_of(const char *path) {
  const char *slash = strrchr(path, '/'), *part = slash ? slash + 1 : path;
  const chronos_program *program = chronos_programs;
  size_t length = strlen(part);
  if (strcmp(path, own_path) == 0) return program;
  if (length > 4 && strcmp(part + length - 4, ".exe") == 0) length -= 4;
  while (program->name && !is_name(part, length, program->name)) program++;
  return program->name ? program : 0;
}

int __wrap_main(int count, char **arguments, char **environment) {
  chronos_answer found;
  const chronos_program *program;
  own_path = arguments[0];
  if (!cm_stands_by()) return __real_main(count, arguments, environment);
  found = chronos_ask("standby", 0, 0);
  if (found.kind != CHRONOS_ARRIVED || found.count < CHRONOS_MESSAGE) _exit(1);
  arguments = cm_begin_spawned((int)found.numbers[CHRONOS_SENDER], (long)found.numbers[CHRONOS_NUMBER], &count);
  chronos_event("start", 0, 0);
  program = program_of(arguments[0]);
  if (!program || !program->main) return __real_main(count, arguments, environment);
  return program->main(count, arguments, environment);
}

/* --- who starts them --- */

/* Of the root, while it starts tasks. */
static MPI_Comm starting;

/* The number of the first of so many tasks. Each is asked for by a message; then all who take part agree. */
int chronos_children(int count) {
  const int first = chronos_first_child(count);
  int i;
  for (i = 0; i < count; i++) {
    const chronos_number child = first + i;
    chronos_event("request", 1, &child);
  }
  chronos_agree(chronos_comm(starting));
  return first;
}

static int is_root(int root, MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  return rank == root;
}

static void need_source(const char *path) {
  if (program_of(path)) return;
  fprintf(stderr, "chronos: MPI_Comm_spawn starts `%s`, whose source was not given: --spawn NAME=FILE\n", path);
  PMPI_Abort(MPI_COMM_WORLD, 1);
}

/* Those who start tasks and those who are started wait for each other. */
static int met(int code, const MPI_Comm *made) {
  if (code == MPI_SUCCESS) chronos_agree(chronos_comm(*made));
  return code;
}

WRAPPED(MPI_Comm_spawn)
int MPI_Comm_spawn(const char *command, char *arguments[], int tasks, MPI_Info info, int root, MPI_Comm comm,
                   MPI_Comm *made, int codes[]) {
  if (is_root(root, comm)) {
    need_source(command);
    starting = comm;
  } else {
    chronos_agree(chronos_comm(comm));
  }
  return met(PMPI_Comm_spawn(command, arguments, tasks, info, root, comm, made, codes), made);
}

WRAPPED(MPI_Comm_spawn_multiple)
int MPI_Comm_spawn_multiple(int count, char *commands[], char **arguments[], const int tasks[], const MPI_Info infos[],
                            int root, MPI_Comm comm, MPI_Comm *made, int codes[]) {
  int i;
  if (is_root(root, comm)) {
    for (i = 0; i < count; i++) need_source(commands[i]);
    starting = comm;
  } else {
    chronos_agree(chronos_comm(comm));
  }
  return met(PMPI_Comm_spawn_multiple(count, commands, arguments, tasks, infos, root, comm, made, codes), made);
}

/* --- who is started --- */

static int arrived(int code) {
  MPI_Comm parent = MPI_COMM_NULL;
  if (code == MPI_SUCCESS) PMPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) chronos_agree(chronos_comm(parent));
  return code;
}

WRAPPED(MPI_Init)
int MPI_Init(int *count, char ***arguments) { return arrived(PMPI_Init(count, arguments)); }

WRAPPED(MPI_Init_thread)
int MPI_Init_thread(int *count, char ***arguments, int wanted, int *given) {
  return arrived(PMPI_Init_thread(count, arguments, wanted, given));
}
#else
typedef int chronos_no_live_spawn;
#endif
