/* Between a program that is executed in virtual time and who drives it (chronos run). See chronos_live.c. */
#ifndef CHRONOS_LIVE_H
#define CHRONOS_LIVE_H

/* What came of an event. */
enum { CHRONOS_NOTHING, CHRONOS_ARRIVED, CHRONOS_ANY, CHRONOS_NOT_YET, CHRONOS_TIME };

typedef struct {
  long long kind;
  unsigned count;
  const long long *numbers; /* until the next answer */
} chronos_answer;

/* The numbers of a message in an answer. */
enum { CHRONOS_REQUEST, CHRONOS_SENDER, CHRONOS_NUMBER, CHRONOS_TAG, CHRONOS_BYTES, CHRONOS_MESSAGE };

/* Tells an event, as chronos_event does, and waits for what comes of it. */
chronos_answer chronos_ask(const char *what, unsigned count, const long long *numbers);

#endif
