//! Kinds of diagnostics of the interpreter.

use chronos_base::diag::Code;

macro_rules! codes {
    ($($name:ident = $id:literal, $title:literal, $explanation:literal;)*) => {
        $(#[doc = concat!("`", $id, "`: ", $title, ".")]
        pub static $name: Code = Code { id: $id, title: $title, explanation: $explanation };)*
        /// All codes of this module.
        pub static ALL: &[&Code] = &[$(&$name),*];
    };
}

codes! {
    NO_MAIN = "C0301", "the program has no main function",
        "Evaluation begins in `main`. Give all source files of the program, the one that defines main among them.";
    OUT_OF_BOUNDS = "C0302", "access outside an object",
        "The program reads or writes memory beyond the end, or before the begin, of a variable or allocation with the values given, or after the end of its life. Where a real run goes on, so does the evaluation, with a warning: within what malloc rounds an allocation up to, the access goes there; within a page beside an object, what is read is unknown unless the program wrote it there, and what is written there makes a doubt about all counts (C0336). Farther away it is an error. Check the index, the size of the array, and the program's arguments.";
    NULL_POINTER = "C0303", "null pointer dereference",
        "The program reads or writes through a null pointer with the values given. Often an argument is missing (give the program's arguments after `--`), or a file could not be opened (`--input-file`).";
    DIVISION_BY_ZERO = "C0304", "integer division by zero",
        "The divisor is zero with the values given. Check the program's arguments and the constants set with --set.";
    UNKNOWN_MPI = "C0305", "MPI calls depend on an unknown value",
        "Whether, or how often, MPI is called depends on a value that cannot be known without running the program. The labels say where the value comes from. Give the value (--set, --stdin, --input-file, program arguments), or say how the branch or loop behaves (--prob, --iterations).";
    UNKNOWN_TRIPS = "C0306", "unknown number of iterations",
        "The number of iterations depends on a value that cannot be known statically; the counts of the blocks inside are unknown. Give the mean number of iterations with --iterations FILE:LINE=N.";
    ASSUMED_PROBABILITY = "C0307", "assumed probability of a branch",
        "The condition depends on a value that cannot be known statically. Its probability is taken from static heuristics, with the hit rates that were measured for them: opcode (an integer is not negative, not zero or less, not equal to a constant: 84 %), pointer (two pointers differ, a pointer is not null: 60 %), guard (62 %), loop exit (80 %), loop header (75 %), call (78 %), store (55 %) and return (72 %); several are combined by the rule of Dempster and Shafer (T. Ball and J. R. Larus, Branch prediction for free, PLDI 1993; Y. Wu and J. R. Larus, Static branch frequency and program profile analysis, MICRO-27, 1994, Table 1). Where none applies it is 0.5; the labels of a switch share alike; an && or || has what follows from its parts. How often a loop runs is never guessed, but where it follows from such probabilities it is the mean (C0320). Give the probability with --prob FILE:LINE=P, or in the source with PIC_proba(P) before the branch.";
    ASSUMED_NO_ERROR = "C0308", "an error exit is assumed not to be taken",
        "A check whose outcome is unknown ends the program in one of its ways, or reports an error there: it prints a message that says so, or prints to standard error and returns a failure. What is predicted is a run without errors, so this way is assumed not to be taken. Checks of floating-point results (such as `if (fabs(sum - expected) > eps) printf(\"ERROR ...\")`) are not evaluated for that reason: it would take every operation on the arrays they are summed from.";
    UNKNOWN_FUNCTION = "C0309", "unknown library function",
        "The function is defined in none of the source files and is none of the library functions that are modelled. What it returns, and what it writes through its pointer arguments, is unknown. Give the source file that defines it if there is one.";
    ENDLESS = "C0310", "a loop does not end",
        "The evaluation executed very many operations in this loop without an MPI call in sight of its end. The loop may be endless with the values given; otherwise its number of iterations can be given with --iterations FILE:LINE=N.";
    RECURSION = "C0311", "recursion without end",
        "Calls are nested deeper than any real stack allows. The recursion may lack its end with the values given.";
    UNSUPPORTED = "C0312", "something of C that the evaluation does not follow",
        "The construct is understood by the front end, but its effect cannot be followed during evaluation.";
    BUDGET = "C0313", "budget for data-dependent evaluation used up",
        "Loops that depend on data are executed operation by operation, up to a budget. The loops that took most of it are counted from then on, not executed: what they compute becomes unknown, and their loops and branches, and those that depend on it, are assumed to go as they went before. What does not depend on them stays exact. Raise it with --budget N, or give counts with --iterations and --prob.";
    UNKNOWN_INPUT = "C0314", "input was not given",
        "The program reads input that was not given, so what it reads is unknown. Give it with --stdin FILE or --input-file FILE.";
    FILE_AT_HAND = "C0981", "a file was read that lies where the program is started",
        "The program opens a file that was not given with --input-file, and one of this name lies where chronos was started, where a run would find it, too. It is read: below that folder, or where an argument of the program names it. So the prediction belongs to what stands in it now. --only-given-files reads none but those of --input-file.";
    UNKNOWN_CALL = "C0315", "call through an unknown pointer",
        "The function that is called depends on a value that cannot be known statically.";
    BAD_CALL = "C0316", "wrong call of a library function",
        "The arguments of the call are outside what the C standard allows, with the values given.";
    EXIT_STATUS = "C0317", "the program ends with a failure",
        "The program calls exit with a status other than success, or MPI_Abort, with the values given: often arguments or input are missing, or it needs another number of tasks. What is predicted is the time up to there.";
    ASSUMED_CALLS = "C0318", "assumed number of comparisons",
        "The library sorts or searches elements whose values cannot be known statically. The comparison is assumed to be called as often as in the mean over all orders of different elements; its counts are expected values.";
    UNKNOWN_CALLS = "C0319", "unknown number of comparisons",
        "The library sorts or searches elements whose number cannot be known statically, so it is unknown how often the comparison is called.";
    ASSUMED_TRIPS = "C0320", "assumed number of iterations",
        "What the loop does next follows from few numbers (the length of an interval that it halves, a counter) and from branches whose conditions cannot be known statically. The number of iterations is the mean over all ways that it may go, each branch taken with its probability; the fewest and the most iterations are exact. Where the budget ended (C0313), it is the mean of the executions before. Give the probabilities with --prob FILE:LINE=P, or the mean number with --iterations FILE:LINE=N.";
    TO_BOUND = "C0982", "a loop is taken to run to its bound",
        "The loop calls MPI, counts to a bound, and may end before it, as solvers do that iterate until they converge, but at most so often. Whether it ends earlier depends on values that the evaluation does not follow (contents of very large messages, loops that are counted since the budget was used up). It is taken to come to its bound: no run iterates more often, so that the predicted time is an upper bound; counts are marked as assumed. Say how often it runs with --iterations FILE:LINE=N, which holds for a loop with a `break` on an unknown condition, too; or raise --budget where the message says so.";
    MISSING_ARGUMENT = "C0337", "an argument of the program is missing",
        "The program reads an argument that was not given. The message says which one, and where possible what it is used as; the help shows an end of the command to try, and the program's usage text where it has one. A null pointer there ends a real run; what stands behind the last argument is unknown. Give the program's arguments after `--`.";
    RANDOM_NUMBERS = "C0338", "random numbers of the GNU C library",
        "The generators of glibc (rand, random, rand_r, drand48 and its kin) are public: from a known seed, or without one, their numbers are known, and so is what depends on them. Another C library has other numbers; with `--c-library other` they count as unknown, as they do where the seed is unknown (srand(time(NULL))).";
    MANY_RANDOM_NUMBERS = "C0339", "more random numbers than are followed",
        "What depends on random numbers is followed number by number. Where all tasks together draw more than a tenth of --budget, or would if the others draw as many as the first eight or more do, they are not followed: the numbers count as unknown, as those of an unknown seed, and branches on them have a probability (C0307). Raise --budget to follow more; the time that takes grows with it.";
    UNKNOWN_THREADS = "C0350", "threads cannot be followed",
        "The number of threads is unknown, how often the region is executed is unknown, a barrier stands under a condition that is unknown, or a thread other than the first calls MPI. Threads are followed one after the other from barrier to barrier, so each of these has to be known. The same holds for threads that pthread_create starts: where they start, what they wait for, and which mutex they take. docs/openmp.md says what is followed.";
    THREAD_ORDER = "C0984", "MPI calls of several threads are taken in one order",
        "A thread that pthread_create has started calls MPI, which the program allows by MPI_THREAD_SERIALIZED or MPI_THREAD_MULTIPLE. Threads of a task are followed one after the other: a call of MPI that waits keeps the others from going on, so that the calls of a task stand in one order, in which a run need not have them. Where a thread waits for a message that depends on what another thread of its task sends, the prediction may end in a deadlock that a run does not have.";
    THREADS_WAIT = "C0985", "all threads of a task wait",
        "Each thread of a task waits for a mutex, a signal, a semaphore, a barrier or the end of another thread, and none is left that could bring it. Threads are followed in one order; a real run ends in the same way unless its threads come in another one. Look for a signal that is sent before somebody waits for it, a mutex that is not given back, and a barrier for more threads than there are.";
    THREAD_LEVEL = "C0986", "MPI is called by a thread that may not",
        "MPI_Init and MPI_THREAD_SINGLE allow one thread, MPI_THREAD_FUNNELED calls of the first thread alone; with MPI_THREAD_SERIALIZED and MPI_THREAD_MULTIPLE any thread may call MPI. Ask for the level that the program needs: `MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided)`.";
    FOLLOWED_CLOCK = "C0351", "the clock decides what the program does",
        "Loops or branches of the program ask a clock (MPI_Wtime, clock, gettimeofday, ...). A prediction knows what the time would be: each task is followed up to where it reads the clock, and goes on with the time that the simulation has come to; that of `clock` passes in waits as well. So the counts that depend on it belong to this machine and network, are marked `timing`, and are never called exact; on another machine the program does something else. `chronos count` knows no machine, and calls such counts unknown. Times of the real run vary: where a program stops as soon as a time is over, expect other numbers of iterations.";
    UNKNOWN_WORK = "C0335", "work of a library call unknown",
        "How long this library call takes depends on an argument that is unknown here: how many bytes memcpy, memset or fread are for, or what a file of library costs (--library-costs) gives the cost by. Only the cost of the call itself is taken, so the prediction is too short by the rest. A run counts the bytes: `chronos trace`, whose folder `predict --trace` takes, or `chronos run`; or give what decides about the argument (--set, --stdin, --input-file, arguments of the program).";
}
