//! Whatever a program asks for, the command ends within its limits, by an exit code of its own and with a diagnostic.

use std::process::{Command, Output};

/// Runs chronos on a program within a limit; gives its exit code and what it says on standard error.
fn run(command: &str, program: &str, limit: &str) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.c");
    std::fs::write(&path, program).unwrap();
    let words = command.split(' ').map(str::to_owned);
    let Output { status, stderr, .. } =
        Command::new(env!("CARGO_BIN_EXE_chronos")).args(words).arg(&path).args(["--limit", limit]).output().unwrap();
    (status.code(), String::from_utf8_lossy(&stderr).into_owned())
}

#[track_caller]
fn reaches(command: &str, program: &str, limit: &str, resource: &str) {
    let (code, said) = run(command, program, limit);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("C0950") && said.contains(&format!("the limit of {resource} was reached")), "{said}");
    assert!(said.contains("--limit"), "the remedy: {said}");
}

#[test]
fn time_ends_a_recursion() {
    let ackermann = "int a(int m,int n){return m==0?n+1:n==0?a(m-1,1):a(m-1,a(m,n-1));}int main(void){return a(4,2);}";
    reaches("count --budget 100000000000", ackermann, "1s", "time");
}

#[test]
fn time_ends_a_phase_that_does_not_look_at_it() {
    // Macros that double each other: a million operators, which the parser takes in one go or the front end refuses.
    let mut text = "#define A0 1+1\n".to_owned();
    (1..24).for_each(|n| text += &format!("#define A{n} A{0}+A{0}\n", n - 1));
    let (code, said) = run("count", &(text + "int main(void){return A23;}"), "3s");
    assert!(matches!(code, Some(1 | 2)), "{said}");
    assert!(said.contains("C0950") || said.contains("C0118"), "{said}");
}

#[test]
fn memory_ends_a_command() {
    reaches("count", "int main(void){int n=0;for(;;){if(n++>100000000)break;}return n;}", "1MiB", "memory");
}

#[test]
fn nesting_is_followed_or_refused() {
    let nested = |level: &str, end: &str, depth: usize| {
        format!("int main(int c, char **v) {{ {}c++{}; return c; }}", level.repeat(depth), end.repeat(depth))
    };
    let kinds = [("{ ", ";}"), ("if (c) ", ""), ("while (c < 2) ", ""), ("do ", "; while (0)"), ("(", ")"), ("- ", "")];
    for (level, end) in kinds {
        let text = nested(level, end, 5000).replace("- c++", "- c");
        let (code, said) = run("dump --phase program -q", &text, "time=20s");
        assert!(matches!(code, Some(0..=2)) && !said.contains("overflowed its stack"), "{level}: {code:?} {said}");
        let (code, said) = run("count", &nested(level, end, 40_000), "time=20s");
        assert!(code == Some(2) && said.contains("C0118"), "{level}: {code:?} {said}");
    }
}
