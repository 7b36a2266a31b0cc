//! Functions that the library or the runtime calls, and what was used although a run may have it otherwise.

use super::check;

#[test]
fn functions_registered_with_atexit_run_behind_main_the_last_one_first() {
    let text = "#include <stdlib.h>\nint n;\nvoid first(void) { for (int i = 0; i < n; i++) ; }\n\
                void second(void) { n = 7; }\nvoid never(void) { n = 9; }\nint main(void) {\n  atexit(first);\n\
                atexit(second);\n  at_quick_exit(never);\n  return 0;\n}\n";
    insta::assert_snapshot!(check(text, 1), @r"
    3: [0]=8
    4: [0]=1
    5: [0]=0
    6: [0]=1
    7: [0]=1
    8: [0]=1
    9: [0]=1
    10: [0]=1
    11: [0]=1
    10 0 0 0 0
    ");
}

#[test]
fn what_runs_behind_main_may_call_mpi() {
    let text = "#include <mpi.h>\n#include <stdlib.h>\nvoid bye(void) { MPI_Barrier(MPI_COMM_WORLD); MPI_Finalize(); }\n\
                int main(int c, char **v) {\n  MPI_Init(&c, &v);\n  atexit(bye);\n  exit(0);\n}\n";
    insta::assert_snapshot!(check(text, 2), @r"
    3: [0, 1]=1
    4: [0, 1]=1
    5: [0, 1]=1
    6: [0, 1]=1
    7: [0, 1]=1
    8: [0, 1]=1
    10 0 0 0 0
    ");
}

#[test]
fn constructors_run_by_priority_before_main_and_destructors_behind_it() {
    let text = "int n;\n__attribute__((constructor)) static void last(void) { n = n * 2; }\n\
                static void start(void) __attribute__((constructor(101)));\nstatic void start(void) { n = n + 3; }\n\
                __attribute__((destructor)) void end(void) { for (int i = 0; i < n; i++) ; }\n\
                int main(void) {\n  for (int i = 0; i < n; i++) ;\n  n = 2;\n  return 0;\n}\n";
    insta::assert_snapshot!(check(text, 1), @r"
    2: [0]=1
    4: [0]=1
    5: [0]=3
    6: [0]=1
    7: [0]=7
    8: [0]=1
    9: [0]=1
    10: [0]=1
    11 0 0 0 0
    ");
}

#[test]
fn a_cleanup_runs_however_its_scope_is_left() {
    let text = "int n;\nstatic void done(int *p) { n += *p; }\n#define CLEANED __attribute__((cleanup(done))) int\n\
                static int leave(int i) {\n  CLEANED x = 1;\n  if (i == 0) return n;\n  {\n    CLEANED y = 10;\n\
                if (i == 1) goto out;\n  }\nout:\n  return 0;\n}\nint main(void) {\n  for (int i = 0; i < 3; i++) {\n\
                CLEANED z = 100;\n    if (i == 0) continue;\n    if (i == 2) break;\n    leave(i - 1);\n  }\n  leave(1);\n\
                leave(2);\n  for (int i = 0; i < n; i++) ;\n  return 0;\n}\n";
    insta::assert_snapshot!(check(text, 1), @r"
    2: [0]=8
    4: [0]=3
    5: [0]=3
    6: [0]=3
    8: [0]=2
    9: [0]=2
    10: [0]=1
    12: [0]=2
    13: [0]=3
    14: [0]=1
    15: [0]=3
    16: [0]=3
    17: [0]=3
    18: [0]=2
    19: [0]=1
    20: [0]=1
    21: [0]=1
    22: [0]=1
    23: [0]=324
    24: [0]=1
    25: [0]=1
    36 0 0 0 0
    ");
}

#[test]
fn the_handler_of_a_signal_that_the_process_sends_itself_runs_at_once() {
    let text = "#define _GNU_SOURCE\n#include <signal.h>\n#include <unistd.h>\nvolatile int hits;\n\
                static void on(int s) { hits += s > 0; }\n\
                static void told(int s, siginfo_t *i, void *p) { hits += i->si_signo == s; }\nint main(void) {\n\
                struct sigaction a = {0};\n  signal(SIGUSR1, on);\n  for (int i = 0; i < 3; i++) raise(SIGUSR1);\n\
                a.sa_sigaction = told;\n  a.sa_flags = SA_SIGINFO;\n  sigaction(SIGUSR2, &a, 0);\n\
                kill(getpid(), SIGUSR2);\n  signal(SIGUSR1, SIG_IGN);\n  raise(SIGUSR1);\n\
                for (int i = 0; i < hits; i++) ;\n  return 0;\n}\n";
    insta::assert_snapshot!(check(text, 1), @r"
    5: [0]=3
    6: [0]=1
    7: [0]=1
    8: [0]=1
    9: [0]=1
    10: [0]=4
    11: [0]=1
    12: [0]=1
    13: [0]=1
    14: [0]=1
    15: [0]=1
    16: [0]=1
    17: [0]=5
    18: [0]=1
    19: [0]=1
    21 0 0 0 0
    ");
}

#[test]
fn a_function_that_an_unknown_library_has_is_not_counted_as_never_called() {
    let text = "struct table { int size; void (*work)(int); };\nvoid submit(struct table *t);\nint n;\n\
                static void work(int k) { n += k; }\nstatic void other(void) { n++; }\nint main(void) {\n\
                struct table t = { 1, work };\n  submit(&t);\n  for (int i = 0; i < 3; i++) ;\n\
                for (int i = 0; i < n; i++) ;\n  return 0;\n}\n";
    insta::assert_snapshot!(check(text, 1), @r"
    4: [0]=?
    5: [0]=0
    6: [0]=1
    7: [0]=1
    8: [0]=1
    9: [0]=4
    10: [0]=?>=1
    11: [0]=1
    12: [0]=1
    line 8 makes [0, 8, 9, 10, 11] unknown
    8 0 0 0 5
    ");
}

#[test]
fn what_depends_on_the_environment_is_assumed() {
    let text = "#include <stdlib.h>\n#include <string.h>\nint main(int c, char **v) {\n  int n = 0;\n\
                if (getenv(\"DEBUG\"))\n    n++;\n  for (unsigned i = 0; i < strlen(v[0]); i++)\n    n++;\n\
                for (int i = 0; i < 4; i++)\n    n++;\n  return 0;\n}\n";
    insta::assert_snapshot!(check(text, 1), @r"
    3: [0]=1
    4: [0]=1
    5: [0]=1
    6: [0]=0
    7: [0]=4
    8: [0]=3
    9: [0]=5
    10: [0]=4
    11: [0]=1
    12: [0]=1
    line 5 makes [2, 3] assumed
    line 7 makes [4, 5, 6, 7, 8, 9] assumed
    8 0 8 0 0
    ");
}

#[test]
fn aliases_are_the_functions_that_they_name_and_weak_names_of_nothing_are_null() {
    let text = "int real(void) {\n  return 4;\n}\nint other(void) __attribute__((alias(\"real\")));\n\
                __attribute__((weak)) int opt(void);\nint main(void) {\n  int n = 0;\n  for (int i = 0; i < other(); i++)\n\
                n++;\n  if (opt)\n    n = opt();\n  return n;\n}\n";
    insta::assert_snapshot!(check(text, 1), @r"
    1: [0]=5
    2: [0]=5
    3: [0]=5
    6: [0]=1
    7: [0]=1
    8: [0]=5
    9: [0]=4
    11: [0]=0
    12: [0]=1
    13: [0]=1
    12 0 0 0 0
    ");
}

#[test]
fn errno_is_what_library_functions_leave_there() {
    let text = "#include <errno.h>\n#include <math.h>\n#include <stdlib.h>\nvolatile double x = -1;\nint main(void) {\n\
                for (int i = 0; i < errno; i++) ;\n  strtol(\"99999999999999999999\", 0, 10);\n\
                for (int i = 0; i < errno; i++) ;\n  errno = 0;\n  strtol(\"99\", 0, 10);\n  x = sqrt(x);\n\
                for (int i = 0; i < errno; i++) ;\n  errno = 0;\n  if (!malloc((size_t)1 << 60))\n\
                for (int i = 0; i < errno; i++) ;\n  return 0;\n}\n";
    insta::assert_snapshot!(check(text, 1), @r"
    5: [0]=1
    6: [0]=1
    7: [0]=1
    8: [0]=35
    9: [0]=1
    10: [0]=1
    11: [0]=1
    12: [0]=34
    13: [0]=1
    14: [0]=1
    15: [0]=13
    16: [0]=1
    17: [0]=1
    31 0 0 0 0
    ");
}

#[test]
fn an_order_of_evaluation_that_is_left_open_and_matters_is_assumed() {
    let text = "int k;\nstatic int next(void) { return ++k; }\nstatic int pure(int x) { return x + 1; }\n\
                static int both(int a, int b) { return a * 10 + b; }\nint main(void) {\n\
                for (int i = 0; i < both(pure(1), pure(2)); i++)\n    ;\n  int n = both(next(), next());\n\
                for (int i = 0; i < n; i++)\n    ;\n  return 0;\n}\n";
    insta::assert_snapshot!(check(text, 1), @r"
    2: [0]=2
    3: [0]=48
    4: [0]=25
    5: [0]=1
    6: [0]=24
    8: [0]=1
    9: [0]=13
    11: [0]=1
    12: [0]=1
    line 8 makes [1, 2, 3, 4, 5, 6, 7, 8, 9, 14, 15, 16, 17] assumed
    6 0 13 0 0
    ");
}

#[test]
fn a_stack_over_its_usual_limit_is_assumed_to_be_granted() {
    let text = "static int deep(int n) {\n  volatile char b[1000];\n  b[0] = n;\n  if (n == 0)\n    return b[0];\n\
                return deep(n - 1) + 1;\n}\nstatic int wide(void) {\n  volatile double a[2000000];\n  a[1] = 1;\n  return a[1];\n}\n\
                int main(void) {\n  int n = wide();\n  deep(100);\n  return deep(20000) + n;\n}\n";
    insta::assert_snapshot!(check(text, 1), @r"
    1: [0]=20102
    3: [0]=20102
    4: [0]=20102
    5: [0]=2
    6: [0]=20100
    7: [0]=20102
    8: [0]=1
    10: [0]=1
    11: [0]=1
    12: [0]=1
    13: [0]=1
    14: [0]=1
    15: [0]=1
    16: [0]=1
    17: [0]=1
    line 1 makes [0, 1, 2, 3, 4] assumed
    line 8 makes [5] assumed
    4 0 6 0 0
    ");
}

/// Sources of the counts of a line in a program.
fn of_line(text: &str, line: u32) -> Vec<&'static str> {
    super::sources(&super::counted(text, 1), line)
}

#[test]
fn what_longjmp_executes_again_is_unknown() {
    let text = "#include <setjmp.h>\njmp_buf b;\nint n;\nint main(void) {\n  int r = setjmp(b);\n  if (r < 3) {\n    n++;\n\
                longjmp(b, r + 1);\n  }\n  return n;\n}\n";
    assert_eq!(of_line(text, 6), ["unknown"]);
    assert_eq!(of_line(text, 7), ["unknown"]);
}

#[test]
fn handlers_of_timers_are_called_an_unknown_number_of_times() {
    let text = "#include <signal.h>\n#include <unistd.h>\nint n;\nvoid h(int s) {\n  n++;\n}\nint main(void) {\n\
                signal(SIGALRM, h);\n  alarm(1);\n  pause();\n  while (n < 0)\n    n++;\n  return 0;\n}\n";
    assert_eq!(of_line(text, 5), ["unknown"]);
    assert_eq!(of_line(text, 12), ["unknown"]);
}

#[test]
fn dates_are_not_those_that_were_given() {
    let text = "#include <time.h>\nint n;\nint main(void) {\n  struct tm t = {.tm_mon = 13};\n  mktime(&t);\n\
                for (int i = 0; i < t.tm_mon; i++)\n    n++;\n  return 0;\n}\n";
    assert_ne!(of_line(text, 7), ["static"]);
}

#[test]
fn a_remembered_call_that_jumps_into_a_loop_counts_what_stands_before_the_jump() {
    let text = "static int f(int k) {\n  int n = 0;\n  goto in;\n  while (k > 0) {\n    n++;\n  in:\n    k--;\n    n += k;\n\
                }\n  return n;\n}\nint main(void) {\n  int n = 0;\n  for (int i = 0; i < f(4); i++)\n    n++;\n  return n;\n}\n";
    let found = check(text, 1);
    for line in ["2: [0]=10", "3: [0]=10", "10: [0]=10"] {
        assert!(found.contains(line), "{line} is missing in\n{found}");
    }
}

/// Counts of statements are those of gcov; lines that have only a label have no operations.
#[test]
fn a_switch_into_a_loop_counts_the_statements_behind_its_labels() {
    let text = "int main(void) {\n  int n = 0;\n  for (int c = 1; c < 20; c++) {\n    int k = (c + 3) / 4;\n    switch (c % 4) {\n\
                case 0:\n      do {\n        n++;\n    case 3:\n        n++;\n    case 2: n++;\n    case 1: n++;\n\
                      } while (--k > 0);\n    }\n  }\n  return n & 1;\n}\n";
    insta::assert_snapshot!(check(text, 1), @r"
    1: [0]=1
    2: [0]=1
    3: [0]=20
    4: [0]=19
    5: [0]=19
    8: [0]=40
    10: [0]=45
    11: [0]=50
    12: [0]=55
    13: [0]=55
    16: [0]=1
    17: [0]=1
    21 0 0 0 0
    ");
}
