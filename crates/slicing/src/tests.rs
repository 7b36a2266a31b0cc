//! What matters in small programs.

use super::*;
use chronos_base::span::{FileId, Span};
use chronos_frontend::lower::{LowerInput, Settings, lower};
use chronos_ir::{CLibrary, DataModel, VarId};

const MPI: &str = "typedef int C; typedef int T; int rand(void); void *malloc(unsigned long);
int MPI_Send(const void *, int, T, int, int, C); int MPI_Recv(void *, int, T, int, int, C, void *);
int MPI_Comm_rank(C, int *); int MPI_Bcast(void *, int, T, int, C); double MPI_Wtime(void);
";

fn analyse(text: &str) -> (Program, Analysis) {
    let text = format!("{MPI}{text}");
    let parsed = lang_c::driver::parse_preprocessed(&lang_c::driver::Config::with_gcc(), text.clone());
    let unit = parsed.unwrap_or_else(|error| panic!("{error}")).unit;
    let span = |span: lang_c::span::Span| {
        let line = text[..span.start].matches('\n').count() + 1;
        Span::line(FileId(0), u32::try_from(line).expect("short"))
    };
    let input = LowerInput { ast: &unit, span: &span, file: FileId(0), is_system: &|_| false };
    // Its random numbers are known to nobody.
    let (program, diagnostics) =
        lower(&[input], DataModel::default(), &Settings { c_library: CLibrary::Other, ..Settings::default() });
    assert!(diagnostics.iter().all(|d| !d.is_error()), "{diagnostics:?}");
    let analysis = Analysis::new(&program, &Assumptions::default());
    (program, analysis)
}

/// Names of the relevant variables.
fn relevant(text: &str) -> String {
    let (program, analysis) = analyse(text);
    let named = program.variables.iter().filter(|(id, _)| analysis.relevant_variable(*id));
    let mut names: Vec<&str> = named.map(|(_, variable)| &*variable.name).collect();
    names.sort_unstable();
    names.dedup();
    names.join(" ")
}

#[test]
fn arguments_that_shape_messages_matter_and_contents_do_not() {
    let names = relevant(
        "int main(void) { int rank, to, junk = 3; double data[4]; MPI_Comm_rank(0, &rank); to = rank + 1;
         data[0] = junk; MPI_Send(data, 4, 1, to, 0, 0); return 0; }",
    );
    assert_eq!(names, "rank to");
}

/// What a call takes hangs on them, and on nothing else that it is given.
#[test]
fn bytes_of_library_calls_matter() {
    let names = relevant(
        "void *memset(void *, int, unsigned long); char area[99];
         int main(void) { int bytes[2], byte; bytes[0] = 7; byte = 3; memset(area, byte, bytes[0]); return 0; }",
    );
    assert_eq!(names, "bytes");
}

#[test]
fn contents_that_become_arguments_matter() {
    let names = relevant(
        "int main(void) { int n = 4, sent = 5, got; double x = 1, y; MPI_Bcast(&x, 1, 2, 0, 0); y = x;
         MPI_Send(&sent, 1, 1, 1, 0, 0); MPI_Recv(&got, 1, 1, 0, 0, 0, 0); MPI_Send(&y, got, 2, 1, 0, 0); return n; }",
    );
    assert_eq!(names, "got sent");
}

#[test]
fn conditions_around_calls_matter_through_callers() {
    let names = relevant(
        "int g; void tell(int to) { if (g > 2) return; MPI_Send(0, 0, 1, to, 0, 0); }
         int main(void) { int a = 1, b = 2, c = 3; if (a > 0) tell(b); return c; }",
    );
    assert_eq!(names, "a b g to");
}

#[test]
fn bounds_matter_and_what_they_count_does_not() {
    let names =
        relevant("int main(void) { int i, n = 5, m = n * 2; double s = 0; for (i = 0; i < m; i++) s += i; return 0; }");
    assert_eq!(names, "i m n");
}

#[test]
fn random_conditions_are_unknowable() {
    let (program, analysis) = analyse(
        "int main(void) { int i, n = 9, hits = 0, x; for (i = 0; i < n; i++) { x = rand(); if (x % 2) hits++; }
         while (MPI_Wtime() < 5) hits++; if (n > 4) hits = 0; for (;;) { if (rand() > 5) break; } return 0; }",
    );
    let lost = |(id, block): (BlockId, &Block)| {
        let kind = match block.kind {
            BlockKind::Loop(_) => "loop",
            BlockKind::Branch(_) => "branch",
            BlockKind::Straight(_) | BlockKind::Call(_) => return None,
        };
        Some(format!("{kind} {}", if analysis.is_unknowable_condition(id) { "unknowable" } else { "knowable" }))
    };
    let found: Vec<String> = program.blocks.iter().filter_map(lost).collect();
    insta::assert_snapshot!(found.join("\n"), @r"
    loop knowable
    branch unknowable
    loop unknowable
    branch knowable
    loop unknowable
    branch unknowable
    ");
}

#[test]
fn pointers_lead_to_their_storage() {
    let (program, analysis) = analyse(
        "int a, b; void set(int *p) { *p = 1; } int main(void) { int *q = malloc(8); set(&a); *q = 2; b = 3; return 0; }",
    );
    let set = program.function_named("set").expect("defined");
    let written = ModSets::default().function(&program, &analysis, set);
    let named = |name: &str| program.variables.iter().find(|(_, v)| &*v.name == name).map(|(id, _)| id);
    let writes = |variable: Option<VarId>| variable.is_some_and(|v| written.contains(&analysis.variable(v)));
    assert!(writes(named("a")));
    assert!(!writes(named("b")));
}

/// Names of the relevant variables, and whether the last branch is left to heuristics.
fn checked(text: &str) -> (String, bool) {
    let text = format!("int printf(const char *, ...); {text}");
    let (program, analysis) = analyse(&text);
    let last = program.blocks.iter().rfind(|(_, block)| matches!(block.kind, BlockKind::Branch(_)));
    (relevant(&text), last.is_some_and(|(id, _)| analysis.is_unknowable_condition(id)))
}

#[test]
fn checks_of_sums_over_floating_arrays_are_not_worth_evaluating() {
    let of = |sum: &str, arm: &str| {
        checked(&format!(
            "double a[9]; int n[9]; int main(void) {{ int i, bad = 0; double s = 0;
             for (i = 0; i < 9; i++) {{ a[i] = i; n[i] = i; }} for (i = 0; i < 9; i++) {sum}; if (s > 0.5) {arm} return bad; }}"
        ))
    };
    assert_eq!(of("s += a[i]", "{ printf(\"ERROR: %g\\n\", s); bad = 1; }"), ("i".to_owned(), true));
    assert_eq!(of("s += a[i]", "{ if (s > 0.7) printf(\"Failed\\n\"); }"), ("a i s".to_owned(), true));
    // Not a check; from integers; without an array.
    assert_eq!(of("s += a[i]", "{ bad = 1; }"), ("a i s".to_owned(), false));
    assert_eq!(of("s += n[i]", "{ printf(\"ERROR: %g\\n\", s); bad = 1; }"), ("i n s".to_owned(), false));
    assert_eq!(of("s += 0.1", "{ printf(\"ERROR: %g\\n\", s); bad = 1; }"), ("i s".to_owned(), false));
}

#[test]
fn absolute_values_of_floating_elements_are_not_worth_evaluating() {
    let (names, spared) = checked(
        "double a[9]; int main(void) { int i; double s = 0; for (i = 0; i < 9; i++) s += a[i] < 0 ? -a[i] : a[i]; return s; }",
    );
    assert_eq!((&*names, spared), ("i", true));
}

#[test]
fn allocations_through_a_wrapper_are_told_apart() {
    let names = relevant(
        "void *fresh(unsigned long n) { void *p = malloc(n); return p; }
         int main(void) { int *sizes = fresh(8), *junk = fresh(8), noise = 3; junk[0] = noise; int kept = 4; sizes[0] = kept;
         MPI_Send(junk, sizes[0], 1, 0, 0, 0); return 0; }",
    );
    assert!(names.contains("kept"), "{names}");
    assert!(!names.contains("noise"), "{names}");
}

#[test]
fn an_address_beside_a_random_number_is_known() {
    let (program, analysis) = analyse(
        "struct state { double seed; int *cells; } all; int cells[4]; int main(void) { all.cells = cells; all.seed = rand();
         for (int i = 0; i < all.cells[0]; i++) ; return 0; }",
    );
    let unknowable = program.blocks.ids().filter(|&id| analysis.is_unknowable_condition(id)).count();
    assert_eq!(unknowable, 0);
}

/// Loops whose condition nobody can know.
fn unknowable(text: &str) -> usize {
    let (program, analysis) = analyse(text);
    program.blocks.ids().filter(|&id| analysis.is_unknowable_condition(id)).count()
}

#[test]
fn storage_is_unknowable_where_nothing_known_is_written() {
    let main = |body: &str| {
        format!(
            "int cells[9], n; int main(int argc, char **argv) {{ int i, k = argc; {body}
         for (i = 0; i < cells[k]; i++) ; return 0; }}"
        )
    };
    let random = "for (i = 0; i < 9; i++) cells[i] = 0; for (i = 0; i < 9; i++) cells[i] += rand();";
    assert_eq!(unknowable(&main(random)), 1);
    assert_eq!(unknowable(&main(&format!("{random} cells[2] = argc;"))), 0);
    assert_eq!(unknowable(&main("if (rand() > 3) cells[1] = 5;")), 2);
}

#[test]
fn addresses_are_followed_through_integers() {
    let names = relevant(
        "int main(void) { int *raw = malloc(99); unsigned long at = (unsigned long)raw; at = (at + 7) / 8 * 8;
         int *data = (int *)at, k; raw[1] = 3; for (k = 0; k < data[1]; k++) ; return 0; }",
    );
    assert_eq!(names, "at data k raw");
    let (program, analysis) = analyse(
        "int main(void) { int *p = malloc(9); unsigned long a = (unsigned long)p; int *q = (int *)(a + 8); return *q; }",
    );
    let pointee = |name: &str| {
        let found = program.variables.iter().find(|(_, variable)| &*variable.name == name);
        found.and_then(|(id, _)| analysis.pointee(analysis.variable(id)))
    };
    assert!(pointee("p").is_some());
    assert_eq!(pointee("p"), pointee("q"));
}

#[test]
fn what_mpi_calls_need_weighs_more_than_counts() {
    let (program, analysis) = analyse(
        "int main(void) { int i, n = 5, to = 1, idle = 0; for (i = 0; i < n; i++) idle++;
         MPI_Send(0, 0, 1, to, 0, 0); return 0; }",
    );
    let loss = |name: &str| {
        let found = program.variables.iter().find(|(_, variable)| &*variable.name == name);
        found.map(|(id, _)| analysis.loss_of_variable(id))
    };
    assert_eq!([loss("n"), loss("to"), loss("idle")], [Some(Loss::Counts), Some(Loss::Structure), Some(Loss::None)]);
}

/// Whether MPI calls may differ in another order of arrival, where a sum of what came is compared like this.
fn order_decides(check: &str) -> bool {
    let (program, analysis) = analyse(&format!(
        "int printf(const char *, ...); double a[9]; int main(void) {{ int i, k; double s = 0; for (k = 0; k < 3; k++) {{ MPI_Recv(a, 9, 2, -1, 0, 0, 0);
         for (i = 0; i < 9; i++) s += a[i]; {check} MPI_Bcast(a, 9, 2, 0, 0); }} return 0; }}"
    ));
    let receives = |id: &BlockId| matches!(program.call(*id).map(|call| &call.callee), Some(Callee::Mpi(name)) if &**name == "MPI_Recv");
    analysis.arrival(&program, &program.blocks.ids().filter(receives).collect()).structure
}

#[test]
fn another_order_of_arrival_makes_no_error() {
    assert!(order_decides("if (s > 0.5) return 1;"));
    assert!(!order_decides("if (s > 0.5) { printf(\"ERROR: %g\\n\", s); return 1; }"));
}
