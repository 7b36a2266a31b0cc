//! Files by their descriptors.

use super::*;

/// What main returns where the file `data` holds ten letters.
#[track_caller]
fn check(body: &str, expected: i64) {
    let text = format!(
        "#include <fcntl.h>\n#include <unistd.h>\n#include <sys/stat.h>\n#include <sys/mman.h>\nint main(void) {{ {body} }}"
    );
    let (result, diagnostics) = returned(&text);
    assert_eq!(result, Some(expected), "{diagnostics}");
}

fn returned(text: &str) -> (Option<i64>, String) {
    let mut options = options(&[]);
    options.inputs.files.insert("data".into(), b"abcdefghij".as_slice().into());
    let mut evaluator = evaluator(text, options);
    steps(&mut evaluator, 0);
    let result = evaluator.result(TaskId(0)).and_then(|value| value.as_int());
    (result, format!("{:?}", evaluator.diagnostics()))
}

#[test]
fn files_are_read_to_their_end() {
    check(
        "char b[8]; long n, all = 0; int f = open(\"data\", O_RDONLY); if (f < 0) return -1; \
         while ((n = read(f, b, 4)) > 0) all = all * 10 + n; close(f); return all;",
        442,
    );
}

#[test]
fn positions_are_followed() {
    let open = "char b[8] = {0}; int f = open(\"data\", O_RDONLY);";
    check(&format!("{open} lseek(f, 3, SEEK_SET); read(f, b, 2); return b[0] == 'd' && b[1] == 'e';"), 1);
    check(&format!("{open} return lseek(f, -4, SEEK_END);"), 6);
    check(&format!("{open} read(f, b, 2); return lseek(f, 1, SEEK_CUR);"), 3);
}

#[test]
fn places_are_read_without_moving() {
    let open = "char b[8] = {0}; int f = open(\"data\", O_RDONLY);";
    check(
        &format!("{open} int n = pread(f, b, 8, 7); read(f, b + 4, 1); return n * 10 + (b[0] == 'h') + (b[4] == 'a');"),
        32,
    );
}

#[test]
fn all_is_written() {
    check("int f = open(\"new\", O_WRONLY | O_CREAT, 0644); return f >= 0 ? write(f, \"hello\", 5) : -1;", 5);
}

#[test]
fn sizes_of_given_files_are_known() {
    check("struct stat s; return stat(\"data\", &s) * 100 + s.st_size;", 10);
    check("struct stat s; int f = open(\"data\", O_RDONLY); return fstat(f, &s) * 100 + s.st_size;", 10);
}

#[test]
fn the_rest_that_the_system_says_of_a_file_is_not_known() {
    let text = "#include <sys/stat.h>\nint main(void) { struct stat s; stat(\"data\", &s); return s.st_mtime > 5; }";
    let (result, _) = returned(text);
    assert_eq!(result, None);
}

#[test]
fn mapped_files_are_memory() {
    let open = "int f = open(\"data\", O_RDONLY);";
    check(
        &format!(
            "{open} char *m = mmap(0, 10, PROT_READ, MAP_PRIVATE, f, 0); int r = (m != MAP_FAILED) * 100 + m[3] - 'a'; munmap(m, 10); return r + m[10];"
        ),
        103,
    );
    check(
        "int *m = mmap(0, 400, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); m[7] = 5; return m[6] + m[7];",
        5,
    );
}

#[test]
fn what_is_not_open_has_no_size_and_no_memory() {
    check("struct stat s; return fstat(77, &s);", -1);
    check("return mmap(0, 10, PROT_READ, MAP_PRIVATE, 77, 0) == MAP_FAILED;", 1);
    check("int f = open(\"data\", O_RDONLY); return mmap(0, 0, PROT_READ, MAP_PRIVATE, f, 0) == MAP_FAILED;", 1);
    check("return mmap(0, 1L << 60, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED;", 1);
}
