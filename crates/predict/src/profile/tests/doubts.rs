//! What was used although a run may have it otherwise: the counts that depend on it are not called exact, and others are.

use super::{Counted, counted_by};
use chronos_activity::CountSource;
use chronos_base::hash::FxHashMap;
use chronos_interpreter::Inputs;
use chronos_slicing::Assumptions;

const HEADERS: &str = "#include <mpi.h>\n#include <stdlib.h>\n#include <stdio.h>\n#include <string.h>\n#include <ctype.h>\n\
                       #include <locale.h>\n#include <unistd.h>\n#include <signal.h>\n#include <stdarg.h>\n";

/// Of a program that computes `k` with `body`: what is said of a loop that `k` bounds, and whether one that it does not bound
/// is exact.
fn bounded(globals: &str, init: &str, body: &str, inputs: Inputs) -> (CountSource, bool) {
    bounded_by("", globals, init, body, inputs)
}

/// The same, compiled with this command.
fn bounded_by(cc: &str, globals: &str, init: &str, body: &str, inputs: Inputs) -> (CountSource, bool) {
    let text = program(globals, init, body);
    let counted = counted_by(&text, 1, Assumptions::default(), inputs, cc);
    (of_line(&counted, &text, "n++;"), of_line(&counted, &text, "n--;") == CountSource::Static)
}

fn program(globals: &str, init: &str, body: &str) -> String {
    format!(
        "{HEADERS}int n, k;\n{globals}\nint main(int argc, char **argv) {{\n{init}\n{body}\nfor (int i = 0; i < k; i++)\n\
         n++;\nfor (int i = 0; i < 3; i++)\nn--;\nreturn MPI_Finalize();\n}}\n"
    )
}

/// What is said of the count of a line with this text, on the first of the tasks.
fn of_line(counted: &Counted, text: &str, wanted: &str) -> CountSource {
    let line = text.lines().position(|line| line == wanted).map_or(0, |at| at as u32 + 1);
    let found = counted.lines.iter().find(|found| found.line == line);
    found.map_or(CountSource::Unknown, |found| found.counts[0].amount.count.source)
}

#[track_caller]
fn check_with(globals: &str, init: &str, body: &str, expected: CountSource) {
    let found = bounded(globals, init, body, given());
    assert_eq!(found, (expected, true), "{body}");
}

/// A number in a file and on standard input.
fn given() -> Inputs {
    let five: std::sync::Arc<[u8]> = b"5 6 7\n"[..].into();
    Inputs {
        stdin: Some(five.clone()),
        files: FxHashMap::from_iter([("in.txt".to_owned(), five)]),
        ..Inputs::default()
    }
}

const INIT: &str = "MPI_Init(&argc, &argv);";

#[track_caller]
fn assumed(body: &str) {
    check_with("", INIT, body, CountSource::Assumed);
}

#[track_caller]
fn unknown(body: &str) {
    check_with("", INIT, body, CountSource::Unknown);
}

/// Nothing is in doubt.
#[track_caller]
fn exact(body: &str) {
    let (found, _) = bounded("", INIT, body, given());
    assert_eq!(found, CountSource::Static, "{body}");
}

#[test]
fn what_mpi_libraries_have_in_other_ways() {
    let asked = "int p; MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &p);";
    check_with("", asked, "k = p + 3;", CountSource::Assumed);
    check_with("", asked, "MPI_Query_thread(&k); k += 3;", CountSource::Assumed);
    assumed("MPI_Query_thread(&k); k += 2;");
    assumed("k = MPI_Wtick() < 1e-6 ? 2 : 4;");
    assumed("int minor; MPI_Get_version(&k, &minor);");
    assumed("char name[MPI_MAX_PROCESSOR_NAME]; MPI_Get_processor_name(name, &k);");
    assumed("char name[MPI_MAX_LIBRARY_VERSION_STRING]; MPI_Get_library_version(name, &k);");
    assumed("char text[MPI_MAX_ERROR_STRING]; MPI_Error_string(MPI_ERR_TAG, text, &k);");
    assumed(
        "int *bound, flag; MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &flag); k = *bound > 40000 ? 3 : 2;",
    );
}

#[test]
fn what_the_environment_has_in_other_ways() {
    assumed("char name[64]; gethostname(name, 64); k = strlen(name);");
    assumed("k = getenv(\"MODE\") ? 4 : 2;");
    assumed("setlocale(LC_ALL, \"\"); k = isalpha(228) ? 1 : 2;");
    assumed("setlocale(LC_ALL, \"de_DE.UTF-8\"); k = toupper(228) == 228 ? 1 : 2;");
    assumed("setlocale(LC_ALL, \"\"); k = strcoll(\"a\", \"B\") > 0 ? 2 : 3;");
    assumed("setlocale(LC_ALL, \"\"); double x = 0; sscanf(\"2.5\", \"%lf\", &x); k = x * 2;");
    assumed("char *all = malloc(1L << 40); k = all ? 3 : 1;");
    assumed("k = strlen(argv[0]);");
    assumed("k = remove(\"out.txt\") == 0 ? 3 : 2;");
    check_with("int omp_get_max_threads(void);", INIT, "k = omp_get_max_threads() + 2;", CountSource::Assumed);
}

#[test]
fn blocked_signals_may_come_at_any_time() {
    let globals = "void on(int s) { for (int i = 0; i < 3; i++)\nk++; }";
    let body = "sigset_t all; sigfillset(&all); signal(SIGUSR1, on); sigprocmask(SIG_BLOCK, &all, 0);\nraise(SIGUSR1);";
    check_with(globals, INIT, body, CountSource::Unknown);
}

#[test]
fn bytes_in_another_order_are_not_followed() {
    let globals = "struct __attribute__((scalar_storage_order(\"big-endian\"))) net { int n; } packet;";
    // Nobody knows where such bytes go.
    let (found, _) = bounded(globals, INIT, "packet.n = 3; k = *(char *)&packet.n;", given());
    assert_eq!(found, CountSource::Unknown);
}

#[test]
fn a_file_that_is_given_is_read_as_given() {
    exact("FILE *f = fopen(\"in.txt\", \"r\"); fscanf(f, \"%d\", &k);");
    exact("FILE *f = fopen(\"./in.txt\", \"r\"); fscanf(f, \"%*d %d\", &k);");
    exact("FILE *f = fopen(\"in.txt\", \"r\"); fseek(f, 0, SEEK_END); k = ftell(f);");
    exact("FILE *f = fopen(\"in.txt\", \"r\"); fseek(f, 2, SEEK_SET); fscanf(f, \"%d\", &k);");
    exact("FILE *f = fopen(\"in.txt\", \"r\"); ungetc(getc(f), f); fscanf(f, \"%d\", &k);");
}

#[test]
fn a_file_is_written_where_its_folder_exists() {
    assumed("FILE *f = fopen(\"results/out.txt\", \"w\"); k = f ? 4 : 0;");
    exact("FILE *f = fopen(\"out.txt\", \"w\"); k = f ? 4 : 0;");
    exact("FILE *f = fopen(\"/dev/null\", \"w\"); k = f ? 4 : 0;");
}

/// Each of these changes the file that is then read.
#[test]
fn a_file_that_the_program_changes_is_not_read_as_given() {
    const READ: &str = "FILE *f = fopen(\"in.txt\", \"r\"); if (f) fscanf(f, \"%d\", &k);";
    let changes = [
        "FILE *o = fopen(\"in.txt\", \"w\"); fprintf(o, \"2\"); fclose(o);",
        "FILE *o = fopen(\"./in.txt\", \"a\"); fprintf(o, \"2\"); fclose(o);",
        "FILE *o = fopen(\"in.txt\", \"r+\"); fprintf(o, \"2\"); fclose(o);",
        "rename(\"other.txt\", \"in.txt\");",
        "int truncate(const char *, long); truncate(\"in.txt\", 1);",
        "MPI_File o; MPI_File_open(MPI_COMM_SELF, \"in.txt\", MPI_MODE_WRONLY, MPI_INFO_NULL, &o); \
         MPI_File_write(o, \"2\", 1, MPI_CHAR, MPI_STATUS_IGNORE); MPI_File_close(&o);",
    ];
    for change in changes {
        let (found, others) = bounded("", INIT, &format!("{change}\n{READ}"), given());
        assert!(others && matches!(found, CountSource::Assumed | CountSource::Unknown), "{found:?}: {change}");
    }
    // The stream was opened before.
    unknown(
        "FILE *f = fopen(\"in.txt\", \"r\"), *o = fopen(\"in.txt\", \"w\"); fprintf(o, \"2\"); fclose(o);\nfscanf(f, \"%d\", &k);",
    );
    // A command may change any file.
    assumed("system(\"make input\");\nFILE *f = fopen(\"in.txt\", \"r\"); fscanf(f, \"%d\", &k);");
    // Read through its descriptor.
    unknown("char c; FILE *f = fopen(\"in.txt\", \"r\"); read(fileno(f), &c, 1); fscanf(f, \"%d\", &k);");
    unknown("char c; read(0, &c, 1);\nscanf(\"%d\", &k);");
}

#[test]
fn a_file_of_mpi_that_the_c_library_changes_is_not_read_as_given() {
    const READ: &str = "MPI_File f; char c = '4'; MPI_File_open(MPI_COMM_SELF, \"in.txt\", MPI_MODE_RDONLY, MPI_INFO_NULL, &f); \
                        MPI_File_read(f, &c, 1, MPI_CHAR, MPI_STATUS_IGNORE); k = c - '0';";
    exact(READ);
    unknown(&format!("FILE *o = fopen(\"in.txt\", \"w\"); fprintf(o, \"2\"); fclose(o);\n{READ}"));
    unknown(&format!(
        "{READ}\nFILE *o = fopen(\"in.txt\", \"w\"); fprintf(o, \"2\"); fclose(o);\nMPI_File_read_at(f, 0, &c, 1, \
                      MPI_CHAR, MPI_STATUS_IGNORE); k = c - '0';"
    ));
}

/// All that a scan of input that is not known may have written.
#[test]
fn scans_of_unknown_input_forget_what_they_may_write() {
    const OPEN: &str = "FILE *f = fopen(\"unknown.txt\", \"r\");";
    unknown(&format!("{OPEN} long double x = 3; fscanf(f, \"%Lf\", &x); k = x;"));
    unknown(&format!(
        "{OPEN} char text[40] = \"0123456789012345678901234567\"; fscanf(f, \"%s\", text); k = text[20] - '0';"
    ));
    unknown(&format!(
        "{OPEN} char text[40] = \"0123456789012345678901234567\"; fscanf(f, \"%30[a-z]\", text); k = text[20] - '0';"
    ));
    unknown(&format!("{OPEN} int two[2] = {{3, 4}}; fscanf(f, \"%*d%d\", two); k = two[0];"));
    let list = "void from(FILE *f, const char *how, ...) { va_list all; va_start(all, how); vfscanf(f, how, all); va_end(all); }";
    check_with(list, INIT, &format!("{OPEN} k = 3; from(f, \"%d\", &k);"), CountSource::Unknown);
    // The neighbour of what is written is not.
    exact(&format!("{OPEN} int two[2] = {{3, 4}}; fscanf(f, \"%d\", two); k = two[1];"));
}

/// Behind a token that is not known nobody knows where the next one begins.
#[test]
fn tokens_behind_an_unknown_one_are_unknown() {
    let text =
        "char text[20] = \"aa bb cc dd\", by[2] = \" \"; FILE *f = fopen(\"unknown.txt\", \"r\"); by[0] = getc(f);";
    unknown(&format!("{text} strtok(text, by); char *next = strtok(NULL, \" \"); k = next ? strlen(next) : 0;"));
    unknown(&format!("{text} strtok(text, by); k = text[8] == 'c' ? 2 : 4;"));
    exact("char text[20] = \"aa bbb cc dd\"; strtok(text, \" \"); k = strlen(strtok(NULL, \" \"));");
}

/// C leaves undefined what a signed integer comes to that overflows; of unsigned and narrow ones it says what they hold.
#[test]
fn signed_integers_that_overflow_are_in_doubt() {
    assumed("int s = 2147483600; for (int i = 0; i < 100; i++) s += i; k = s > 0 ? 5 : 7;");
    assumed("int s = 1; for (int i = 0; i < 20; i++) s = s * 1103515245 + 12345; k = s & 7;");
    assumed("long s = 1; for (int i = 0; i < 20; i++) s *= 1103515245; k = s & 7;");
    assumed("int s = -2147483647; s -= argc + 1; k = s > 0 ? 5 : 7;");
    assumed("int s = 65536 * argc; k = s * s + 3;");
    exact("unsigned s = 1; for (int i = 0; i < 20; i++) s = s * 1103515245 + 12345; k = s & 7;");
    exact("unsigned long s = 1; for (int i = 0; i < 20; i++) s *= 6364136223846793005; k = s & 7;");
    exact("short s = 32767; s++; signed char c = 127; c += 3; k = s + 32770 + c + 128;");
    exact("int s = 65536 * argc; k = (int)((long)s * s % 5) + 3;");
    exact("int s = 2147483647, t = s + argc; k = 4;");
    let wraps = |flags: &str, expected| {
        let body = "int s = 1; for (int i = 0; i < 20; i++) s = s * 1103515245 + 12345; k = s & 7;";
        assert_eq!(bounded_by(flags, "", INIT, body, given()), (expected, true), "{flags}");
    };
    wraps("gcc -O2 -fwrapv", CountSource::Static);
    wraps("gcc -O0", CountSource::Assumed);
}

/// Where a task has the address of another's memory, what its owner reads there may have been stored by it.
#[test]
fn memory_that_others_may_store_into_is_in_doubt() {
    let shared = |query: &str| {
        let init = "MPI_Init(&argc, &argv);\nMPI_Win w; MPI_Aint b; int unit, *mine, *other;\n\
                    MPI_Win_allocate_shared(4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &w); *mine = 5;";
        let body =
            format!("{query} MPI_Win_fence(0, w); if (other != mine) *other = 7; MPI_Win_fence(0, w); k = *mine;");
        let text = program("", init, &body);
        let counted = counted_by(&text, 2, Assumptions::default(), given(), "");
        of_line(&counted, &text, "n++;")
    };
    let query = |rank: &str| format!("MPI_Win_shared_query(w, {rank}, &b, &unit, &other);");
    assert_eq!(shared(&query("1")), CountSource::Unknown);
    assert_eq!(shared("other = mine;"), CountSource::Static);
}

/// Flags that let the code round otherwise than the source says, or that mean something that is not modelled.
#[test]
fn flags_that_let_the_compiler_depart_from_the_source() {
    const BODY: &str = "double x = 0.1, r = 1; while (r > 1e-6) { r = r * 0.5 + x * 1e-9; k++; }";
    let check = |cc: &str, expected: (CountSource, bool)| {
        assert_eq!(bounded_by(cc, "", INIT, BODY, given()), expected, "{cc}");
    };
    let (exact, assumed) = (CountSource::Static, CountSource::Assumed);
    check("gcc -O2", (exact, true));
    check("gcc -O2 -mfma", (assumed, true));
    check("gcc -O2 -mfma -ffp-contract=off", (exact, true));
    check("gcc -O2 -ffast-math", (assumed, true));
    check("gcc -O2 -fwrapv", (exact, true));
    check("gcc -O2 -ftrapv", (assumed, false));
    check("gcc -mlong-double-64", (assumed, false));
    // No sum to be fused with a product decides.
    let found = bounded_by("gcc -O2 -mfma", "", INIT, "double r = 1; while (r > 1e-6) { r *= 0.5; k++; }", given());
    assert_eq!(found, (exact, true));
}
