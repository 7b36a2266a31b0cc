/* Tasks that a program starts (MPI_Comm_spawn). They stand by as processes from the beginning (launch.c); a driver says
 * which of them are taken (direct.h). The task that starts them sends each a letter: the program, its arguments, and who
 * the others are. */
#include "messages.h"
#include "direct.h"

/* What stands in a letter in front of the members of both sides and the texts. */
typedef struct {
  int context, parents, children, texts;
} letter;

/* Programs with their arguments, one for each task to be started: texts one behind the other. */
typedef struct {
  int tasks, texts;
  long bytes;
  char *data;
} wanted;

/* A task that was started: its own group and that of those who started it. */
static struct {
  cm_group *own, *parents;
  int context;
  MPI_Comm parent;
} born;

int cm_stands_by(void) { return cm_task >= cm_begun; }

/* --- letters --- */

static void add_text(wanted *all, const char *text) {
  const long more = (long)strlen(text) + 1;
  char *grown = realloc(all->data, (size_t)(all->bytes + more));
  if (!grown) cm_fatal("there is no memory for arguments");
  memcpy(grown + all->bytes, text, (size_t)more);
  all->data = grown;
  all->bytes += more;
  all->texts++;
}

static wanted program(const char *command, char *const *arguments, int tasks) {
  wanted all = {0};
  all.tasks = tasks;
  add_text(&all, command);
  for (; arguments != MPI_ARGV_NULL && *arguments; arguments++) add_text(&all, *arguments);
  return all;
}

static char *written(const letter *front, const cm_group *parents, int first, const wanted *what, long *bytes) {
  const size_t sides = (size_t)(front->parents + front->children) * sizeof(int);
  char *text, *at;
  int i;
  *bytes = (long)(sizeof *front + sides) + what->bytes;
  text = at = cm_allocate((size_t)*bytes);
  memcpy(at, front, sizeof *front);
  at += sizeof *front;
  memcpy(at, parents->members, (size_t)front->parents * sizeof(int));
  at += (size_t)front->parents * sizeof(int);
  for (i = 0; i < front->children; i++, at += sizeof(int)) {
    const int child = first + i;
    memcpy(at, &child, sizeof child);
  }
  memcpy(at, what->data, (size_t)what->bytes);
  return text;
}

static cm_group *group_of(const char *members, int count) {
  cm_group *group = cm_group_new(count);
  memcpy(group->members, members, (size_t)count * sizeof(int));
  return group;
}

char **cm_begin_spawned(int from, long number, int *count) {
  cm_message *message = cm_awaited(from, number);
  const char *at = message->payload + sizeof(letter);
  char **arguments;
  letter front;
  int i;
  cm_take(message);
  memcpy(&front, message->payload, sizeof front);
  born.context = front.context;
  born.parents = group_of(at, front.parents);
  at += (size_t)front.parents * sizeof(int);
  born.own = group_of(at, front.children);
  at += (size_t)front.children * sizeof(int);
  arguments = cm_allocate((size_t)(front.texts + 1) * sizeof *arguments);
  for (i = 0; i < front.texts; i++, at += strlen(at) + 1) arguments[i] = (char *)at;
  *count = front.texts;
  return arguments; /* they stand in the message, which stays */
}

/* --- communicators of a task that was started --- */

cm_group *cm_world_group(void) {
  cm_group *world;
  int i;
  if (born.own) return cm_group_keep(born.own);
  world = cm_group_new(cm_begun);
  for (i = 0; i < cm_begun; i++) world->members[i] = i;
  return world;
}

void cm_parent_begin(void) {
  if (born.own) born.parent = cm_comm_new(born.own, born.parents, born.context, 0)->handle;
}

API(MPI_Comm_get_parent)
int MPI_Comm_get_parent(MPI_Comm *parent) {
  *parent = born.own ? born.parent : MPI_COMM_NULL;
  return MPI_SUCCESS;
}

/* --- starting --- */

static void send_letters(cm_comm *comm, int context, int first, int children, const wanted *all, int kinds) {
  const letter sides = {context, comm->local->size, children, 0};
  int kind, i, to = first;
  for (kind = 0; kind < kinds; kind++) {
    for (i = 0; i < all[kind].tasks; i++, to++) {
      letter front = sides;
      long bytes;
      char *text;
      front.texts = all[kind].texts;
      text = written(&front, comm->local, first, &all[kind], &bytes);
      cm_post_numbered(to, text, bytes);
    }
  }
}

/* Collective over `comm`; the root alone knows what is started. */
static int start(cm_comm *comm, int root, wanted *all, int kinds, MPI_Comm *made, int codes[]) {
  int numbers[2] = {0, 0}, i, context; /* the first task that is started, and how many */
  cm_group *children;
  if (comm->rank == root) {
    for (i = 0; i < kinds; i++) numbers[1] += all[i].tasks;
    numbers[0] = cm_driven->children(numbers[1]);
  }
  context = cm_agree(comm);
  cm_tell_side(comm, root, numbers, sizeof numbers);
  children = cm_group_new(numbers[1]);
  for (i = 0; i < numbers[1]; i++) children->members[i] = numbers[0] + i;
  if (comm->rank == root) send_letters(comm, context, numbers[0], numbers[1], all, kinds);
  *made = cm_comm_new(comm->local, children, context, comm)->handle;
  cm_group_drop(children);
  for (i = 0; codes != MPI_ERRCODES_IGNORE && i < numbers[1]; i++) codes[i] = MPI_SUCCESS;
  return MPI_SUCCESS;
}

static void need_driver(void) {
  if (!cm_driven)
    cm_fatal("the bundled MPI starts further tasks under `chronos run` alone");
}

API(MPI_Comm_spawn)
int MPI_Comm_spawn(const char *command, char *arguments[], int tasks, MPI_Info info, int root, MPI_Comm handle,
                   MPI_Comm *made, int codes[]) {
  wanted all = {0};
  int code;
  ENTER();
  CHECK_COMM(comm, handle);
  (void)info;
  need_driver();
  if (comm->rank == root && tasks < 1) return cm_error(comm, MPI_ERR_ARG, "%d tasks cannot be started", tasks);
  if (comm->rank == root) all = program(command, arguments, tasks);
  code = start(comm, root, &all, 1, made, codes);
  free(all.data);
  return code;
}

API(MPI_Comm_spawn_multiple)
int MPI_Comm_spawn_multiple(int count, char *commands[], char **arguments[], const int tasks[], const MPI_Info infos[],
                            int root, MPI_Comm handle, MPI_Comm *made, int codes[]) {
  wanted *all = 0;
  int code, i;
  ENTER();
  CHECK_COMM(comm, handle);
  (void)infos;
  need_driver();
  if (comm->rank == root) {
    if (count < 1) return cm_error(comm, MPI_ERR_ARG, "%d programs cannot be started", count);
    all = cm_allocate((size_t)count * sizeof *all);
    for (i = 0; i < count; i++)
      all[i] = program(commands[i], arguments == MPI_ARGVS_NULL ? MPI_ARGV_NULL : arguments[i], tasks[i]);
  }
  code = start(comm, root, all, all ? count : 0, made, codes);
  for (i = 0; all && i < count; i++) free(all[i].data);
  free(all);
  return code;
}
