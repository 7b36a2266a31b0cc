//! Whatever a program asks for, the command ends within its limits, by an exit code of its own and with a diagnostic.

use std::process::{Command, Output};

/// What is refused or counted at once ends long before this, on any machine; what takes a power of its depth does not end at all.
const FAR: &str = "time=3600s";

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
fn random_numbers_are_followed_within_the_budget_and_unknown_beyond() {
    let program =
        "#include <stdlib.h>\nint main(void){int n=0;\nfor(int i=0;i<5000;i++)\nif(rand()%3==0)\nn++;\nreturn 0;}";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.c");
    std::fs::write(&path, program).unwrap();
    let counted = |budget: &str| {
        let command = ["count", "--format", "json", "--budget", budget];
        let output = Command::new(env!("CARGO_BIN_EXE_chronos")).args(command).arg(&path).output().unwrap();
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let codes: Vec<_> = report["diagnostics"].as_array().unwrap().iter().map(|said| said["code"].clone()).collect();
        let sum = report["blocks"].as_array().unwrap().iter().find(|block| block["line_start"] == 5).unwrap();
        (output.status.code(), sum["counts"][0]["source"].clone(), sum["counts"][0]["count"].clone(), codes)
    };
    let (code, source, count, codes) = counted("1000000");
    assert_eq!((code, source.as_str(), codes.contains(&"C0339".into())), (Some(0), Some("static"), false));
    // What the program prints here with glibc.
    assert_eq!(count, HITS);
    let (code, source, _, codes) = counted("40000");
    assert_eq!((code, source.as_str(), codes.contains(&"C0339".into())), (Some(0), Some("assumed"), true), "{codes:?}");
}

/// Of 5,000 numbers of glibc's `rand`, never seeded, those that 3 divides.
const HITS: u64 = 1639;

#[test]
fn counts_until_a_limit_are_no_exact_counts() {
    // A task that no other can reach is followed iteration by iteration.
    let program = "#include <mpi.h>\nint main(int c,char**v){int*m,r;MPI_Win w;MPI_Init(&c,&v);MPI_Comm_rank(MPI_COMM_WORLD,&r);\n\
                   MPI_Win_allocate(4,4,MPI_INFO_NULL,MPI_COMM_WORLD,&m,&w);m[0]=0;MPI_Win_lock_all(0,w);\n\
                   while(m[0]==0)\nMPI_Comm_rank(MPI_COMM_WORLD,&r);\nMPI_Win_unlock_all(w);MPI_Win_free(&w);MPI_Finalize();return 0;}";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.c");
    std::fs::write(&path, program).unwrap();
    let command = ["count", "-n", "2", "--format", "json", "--limit", "2s"];
    let output = Command::new(env!("CARGO_BIN_EXE_chronos")).args(command).arg(&path).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let sources = |line: u64| {
        let blocks = report["blocks"].as_array().unwrap().iter().filter(move |block| block["line_start"] == line);
        blocks.flat_map(|block| block["counts"].as_array().unwrap()).map(|counts| counts["source"].clone())
    };
    assert!(sources(5).count() > 0 && (4..=6).flat_map(sources).all(|source| source == "unknown"), "{report}");
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

/// The limit is reached while a compiler that does as the script says preprocesses, which is no fault of the source.
#[track_caller]
fn compiler_reaches(script: &str, limit: &str, resource: &str) {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let compiler = folder.path().join("cc");
    std::fs::write(&compiler, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&compiler, std::fs::Permissions::from_mode(0o755)).unwrap();
    reaches(&format!("count --cc {}", compiler.display()), "int main(void){return 0;}", limit, resource);
}

#[test]
fn time_ends_preprocessing_as_any_other_phase() {
    compiler_reaches("exec sleep 3600", "1s", "time");
}

/// The last line of what has none is kept in memory.
#[test]
fn memory_of_preprocessors_counts_as_that_of_the_command() {
    compiler_reaches("head -c 3000000000 /dev/zero | tail -n 1 > /dev/null", "200MiB", "memory");
}

#[test]
fn memory_ends_a_command() {
    reaches("count", "int main(void){int n=0;for(;;){if(n++>100000000)break;}return n;}", "1MiB", "memory");
}

#[test]
fn more_tasks_than_the_memory_holds_are_refused_before_they_begin() {
    let program = "#include <mpi.h>\nint main(int c,char**v){MPI_Init(&c,&v);MPI_Finalize();return 0;}";
    for command in ["count -n 1048576", "predict -n 1048576 --machine epyc-zen5-gcc12-O2"] {
        let (code, said) = run(command, program, "time=3600s,memory=512MiB");
        assert!(matches!(code, Some(1 | 2)), "{code:?} {said}");
        assert!(said.contains("C0950") && said.contains("1048576 tasks need at least"), "{said}");
        assert!(said.contains("-n"), "the remedy: {said}");
    }
}

/// Where the least that tasks take would fit, fewer tasks tell what they take.
#[test]
fn tasks_that_will_not_fit_are_refused_with_a_forecast() {
    let program = "#include <mpi.h>\nint main(int c,char**v){int r,n,t=0;MPI_Init(&c,&v);\n\
        MPI_Comm_rank(MPI_COMM_WORLD,&r);MPI_Comm_size(MPI_COMM_WORLD,&n);\n\
        for(int i=0;i<20;i++){if(r>0)MPI_Recv(&t,1,MPI_INT,r-1,0,MPI_COMM_WORLD,MPI_STATUS_IGNORE);\n\
        if(r<n-1)MPI_Send(&t,1,MPI_INT,r+1,0,MPI_COMM_WORLD);}\nMPI_Finalize();return 0;}";
    let command = "predict -n 1048576 --machine epyc-zen5-gcc12-O2 --cost-model instruction-sum";
    let (code, said) = run(command, program, "time=3600s,memory=3GiB");
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("C0950") && said.contains("need about") && said.contains("tasks fit (-n "), "{said}");
}

/// As `run` with a limit of memory; gives standard output, standard error and the most KiB that were in memory.
fn run_watched(command: &str, program: &str, limit: &str) -> (String, String, u64) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.c");
    std::fs::write(&path, program).unwrap();
    let child = Command::new(env!("CARGO_BIN_EXE_chronos"))
        .args(command.split(' '))
        .arg(&path)
        .args(["--limit", limit])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", child.id());
    let ended = std::thread::spawn(move || child.wait_with_output().unwrap());
    let mut most = 0;
    while !ended.is_finished() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
        most = line.split_whitespace().next().and_then(|kib| kib.parse().ok()).unwrap_or(0).max(most);
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let out = ended.join().unwrap();
    assert_eq!(out.status.code(), Some(1));
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    (text(&out.stdout), text(&out.stderr), most)
}

#[track_caller]
fn stays_within_memory(command: &str, program: &str) {
    let (told, said, most) = run_watched(command, program, "time=3600s,memory=200MB");
    assert!(said.contains("C0950") && said.contains("the limit of memory was reached"), "{said}");
    assert!(told.contains("int main"), "what is known until then is told: {told}\n{said}");
    // Without a limit it would be gigabytes; how far it goes beyond depends on how soon the machine lets somebody look.
    assert!((50_000..1_500_000).contains(&most), "{most} KiB");
}

#[test]
fn memory_ends_arrays_that_are_followed() {
    let program = "#include <stdlib.h>\nint main(void) { long n = 600000000, c = 0; unsigned x = 1, *a = malloc(n * sizeof *a);\n\
                   for (long i = 0; i < n; i++) { x = x * 1103515245u + 12345u; a[i] = x; if (x >> 30) c++; }\n\
                   for (long i = 0; i < n; i++) if (a[i] % 3 == 0) c++;\nreturn c > 5; }";
    stays_within_memory("count --budget 1000000000000", program);
}

#[test]
fn memory_ends_messages_that_do_not_repeat() {
    let program = "#include <mpi.h>\nstatic char b[65536];\n\
                   int main(int argc, char **argv) { int r; unsigned x = 1; MPI_Init(&argc, &argv); MPI_Comm_rank(MPI_COMM_WORLD, &r);\n\
                   for (long i = 0; i < 2000000000; i++) { x = x * 1103515245u + 12345u; int n = x >> 17;\n\
                   if (r == 0) MPI_Send(b, n, MPI_CHAR, 1, 0, MPI_COMM_WORLD);\n\
                   else MPI_Recv(b, n, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }\n\
                   MPI_Finalize(); return 0; }";
    stays_within_memory("count -n 2 --budget 1000000000000", program);
}

#[test]
fn nesting_is_followed_or_refused() {
    let nested = |level: &str, end: &str, depth: usize| {
        format!("int main(int c, char **v) {{ {}c++{}; return c; }}", level.repeat(depth), end.repeat(depth))
    };
    let kinds = [("{ ", ";}"), ("if (c) ", ""), ("while (c < 2) ", ""), ("do ", "; while (0)"), ("(", ")"), ("- ", "")];
    for (level, end) in kinds {
        let text = nested(level, end, 5000).replace("- c++", "- c");
        let (code, said) = run("dump --phase program -q", &text, FAR);
        assert!(matches!(code, Some(0..=2)) && !said.contains("overflowed its stack"), "{level}: {code:?} {said}");
        let (code, said) = run("count", &nested(level, end, 40_000), FAR);
        assert!(code == Some(2) && said.contains("C0118"), "{level}: {code:?} {said}");
    }
}

#[test]
fn what_the_parser_reads_several_times_is_refused_where_it_is_deep() {
    let kinds = [("f(", ")"), ("a[", "]"), ("typeof(", ")"), ("(int){", "}"), ("({", ";})"), ("sizeof(typeof(", "))")];
    for (level, end) in kinds {
        let text =
            format!("int main(int c, char **v) {{ c = {}c{}; return c; }}", level.repeat(5000), end.repeat(5000));
        for command in ["count", "check -n 2", "dump --phase program"] {
            let (code, said) = run(command, &text, FAR);
            assert!(
                code == Some(2) && said.contains("C0118") && said.contains("a.c:1"),
                "{command} {level}: {code:?} {said}"
            );
        }
    }
}

#[test]
fn loops_within_loops_take_no_power_of_their_depth() {
    let text = format!("int main(int c, char **v) {{ {}c++; return c; }}", "while (c < 2) ".repeat(50));
    let (code, said) = run("count", &text, FAR);
    assert!(matches!(code, Some(0 | 1)) && !said.contains("C0950"), "{code:?} {said}");
}

/// The file and the name of a constant, its value in the source, and what docs/limits.md says of it.
const DOCUMENTED: &[(&str, &str, &str, &str)] = &[
    ("src/cli/limits.rs", "DEFAULT_TIME", "Duration::from_hours(1)", "| time | 3,600 s;"),
    ("crates/frontend/src/parsing/nesting.rs", "MAX_NESTING", "20_000", "brackets and operators | 20,000 | C0118"),
    (
        "crates/frontend/src/parsing/nesting.rs",
        "MAX_NESTING_IN_EXPRESSIONS",
        "1_000",
        "in an expression | 1,000 | C0118",
    ),
    ("crates/frontend/src/parsing/nesting.rs", "MAX_TYPES_IN_SIZES", "16", "counts twice | 16 | C0118"),
    ("crates/pipeline/src/values.rs", "MAX_TASKS", "1 << 20", "tasks (`-n`) | 1,048,576"),
    ("crates/predict/src/evaluation/followed.rs", "MANY_TASKS", "64", "partners are evaluated once | 64 |"),
    ("crates/interpreter/src/state/remembered/native.rs", "HOT", "50_000", "compiled for this processor | 50,000 |"),
    ("crates/interpreter/src/state/task.rs", "NATIVE_SPEED", "20", "compiled loops that count as one | 20 |"),
    ("crates/interpreter/src/classes/mod.rs", "MANY_CLASSES", "64", "classes of such tasks | 64,"),
    ("crates/interpreter/src/classes/mod.rs", "LEAST_MEMBERS", "8", "classes of such tasks | 64, or an eighth"),
    ("crates/interpreter/src/classes/mod.rs", "MOST_CLASSES", "512", "of the tasks, 512 at most |"),
    ("crates/predict/src/executed.rs", "FOLLOWED", "100_000_000", "`chronos run --time predicted` runs | 100,000,000"),
    ("crates/predict/src/evaluation/spawning.rs", "MOST", "1 << 14", "(`MPI_Comm_spawn`) | 16,384"),
    ("crates/abstract-execution/src/loops/run.rs", "MOST_NESTED", "16", "within one another | 16 |"),
    ("crates/slicing/src/doubts/stack.rs", "LIMIT", "8 << 20", "modelled program | 8 MiB"),
    ("crates/symbolic/src/values.rs", "MAX_TERMS", "2_000_000", "symbolic result | 2,000,000"),
    ("crates/predict/src/symbolic/total.rs", "MOST_CALLS", "200_000.0", "gives as a formula | 200,000 | C0987"),
    ("crates/predict/src/symbolic/total.rs", "MOST_PARAMETERS", "2", "beside the number of tasks | 2 | C0987"),
    ("crates/predict/src/symbolic/total.rs", "MOST_TASKS", "6", "such a formula is fitted to | 6 |"),
    ("crates/pipeline/src/values.rs", "MAX_VALUES", "100_000", "one sweep | 100,000"),
    ("crates/pipeline/src/sweeps.rs", "MAX_COMBINATIONS", "1_000_000", "all sweeps | 1,000,000"),
    ("crates/predict/src/a_priori/skeleton.rs", "MOST_MEMBERS", "65_536", "operation a priori | 65,536; 256"),
    ("crates/predict/src/a_priori/skeleton.rs", "MOST_SQUARE", "256", "operation a priori | 65,536; 256"),
    (
        "crates/predict/src/a_priori/skeleton.rs",
        "MOST_UNEQUAL",
        "4096",
        "and 4,096 where members have different blocks",
    ),
    (
        "crates/predict/src/a_priori/alone.rs",
        "MOST_FOLLOWED",
        "64",
        "evaluates alone for computing times | 64 of at most 65,536",
    ),
    (
        "crates/predict/src/a_priori/alone.rs",
        "MOST_TASKS",
        "65_536",
        "evaluates alone for computing times | 64 of at most 65,536",
    ),
    ("crates/replay/src/engine/polls.rs", "POLLS_PER_ROUND", "1 << 19", "rounds of 524,288 | C0717"),
    ("crates/replay/src/engine/polls.rs", "HOPELESS_ROUNDS", "4", "| 4 rounds of"),
    ("crates/whatif/src/structure/mod.rs", "MOST_STEPS", "10_000_000", "balance, overlap) | 10,000,000"),
    ("crates/whatif/src/search.rs", "MOST_TRIED", "2_000", "place=best:M | 2,000"),
    ("crates/replay/src/engine/limits.rs", "MOST_DEPENDENCES", "1 << 22", "critical path | 4,194,304 | C0718"),
    ("crates/predict/src/replayed.rs", "MOST_STEPS", "1 << 25", "on the critical path | 33,554,432 | the report says"),
    ("crates/predict/src/evaluation/mod.rs", "MOST_PINNED", "10_000_000", "matching of a run | 10,000,000"),
    ("crates/replay/src/engine/waiting.rs", "MOST_STEPS", "1 << 22", "causes of waiting | 4,194,304 | C0720"),
    ("crates/machine/src/topology/mod.rs", "MOST_CHANNELS", "1 << 24", "of a topology | 16,777,216 | C0530"),
    ("crates/machine/src/platform/file.rs", "MOST_NODES", "1 << 24", "of a platform | 16,777,216 | C0530"),
    ("crates/tool-formats/src/goal/parse.rs", "MOST_RANKS", "1 << 24", "that is read | 16,777,216"),
    ("crates/replay/src/unfold.rs", "MOST", "50_000_000", "schedule that is written | 50,000,000"),
    ("crates/pipeline/src/kept_objects.rs", "KEPT_BYTES", "Bytes(256 << 20)", "between commands | 256 MiB"),
    ("crates/predict/src/lib.rs", "MOST_ACTIONS", "20_000_000", "trace that is written | 20,000,000"),
];

#[test]
fn the_page_of_limits_has_the_numbers_of_the_program() {
    let page = std::fs::read_to_string("docs/limits.md").unwrap();
    for (file, name, value, told) in DOCUMENTED {
        let source = std::fs::read_to_string(file).unwrap();
        let start = format!("const {name}: ");
        let line = source.lines().find(|line| line.contains(&start)).unwrap_or_else(|| panic!("{file}: no {name}"));
        assert!(line.ends_with(&format!("= {value};")), "docs/limits.md is to say what {file} says: {line}");
        assert!(page.contains(told), "docs/limits.md lacks `{told}`");
    }
    assert!(page.contains(&format!("{} (`--budget`)", "100,000,000")), "the budget");
    assert_eq!(chronos::pipeline::TRACED_BUDGET, 1_000_000);
    assert!(page.contains("| 1,000,000 (`--budget`) |"), "the budget of a program with a trace");
    assert_eq!(chronos::slicing::Assumptions::default().budget, 100_000_000);
}
