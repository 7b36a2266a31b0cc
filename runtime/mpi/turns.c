/* Turns: at most so many tasks compute at the same time, so that they do not take each other's caches and processors. A
 * pipe holds a byte for each turn that nobody has. */
#include "internal.h"
#include "direct.h"
#include <errno.h>
#include <unistd.h>

static int turns[2] = {-1, -1};

void cm_turns_begin(int count) {
  if (count < 1 || pipe(turns) != 0) return;
  while (count-- > 0) (void)!write(turns[1], "", 1);
}

void cm_turn_take(void) {
  char turn;
  if (turns[0] < 0 || cm_here->has_turn) return;
  while (read(turns[0], &turn, 1) < 0 && errno == EINTR) {
  }
  cm_here->has_turn = 1;
}

void cm_turn_return(cm_state *task) {
  if (turns[1] < 0 || !task->has_turn) return;
  task->has_turn = 0;
  (void)!write(turns[1], "", 1);
}

void cm_turn_give(void) { cm_turn_return(cm_here); }
