//! Counts by the MPI call that came last.

use super::*;
use crate::Segment;
use chronos_ir::{BlockId, Callee};

fn name(program: &Program, block: BlockId) -> String {
    let name = match program.call(block).map(|call| &call.callee) {
        Some(Callee::Mpi(name)) => name.to_string(),
        _ => "?".into(),
    };
    format!("{name}:{}", program.blocks[block].span.line_start)
}

/// `start or MPI_Recv:30`
fn stretch(program: &Program, segment: &Segment) -> String {
    let start = segment.from_start.then(|| "start".to_owned());
    let calls = segment.after.iter().map(|&(_, block)| name(program, block));
    let mut all: Vec<String> = start.into_iter().chain(calls).collect();
    all.dedup();
    all.join(" or ")
}

impl Counted {
    /// Per task, stretch and line: executions of the iterations of loops there.
    fn loops(&self) -> String {
        let mut text = String::new();
        for (tasks, own) in &self.counts.tasks {
            let ranks: Vec<String> = tasks.iter().map(|task| task.0.to_string()).collect();
            let _ = writeln!(text, "tasks {}", ranks.join(" "));
            for segment in &own.segments {
                for (_, counter, count) in &segment.counts {
                    let block = &self.program.blocks[self.program.block_of(*counter)];
                    let iterations = matches!(block.kind, BlockKind::Loop(_)) && block.counter(0) == *counter;
                    let value = count.value.as_ref().map(|v| v.display(&|symbol| self.counts.atoms.text(symbol)));
                    if iterations {
                        let (line, value) = (block.span.line_start, value.unwrap_or("?".into()));
                        let _ = writeln!(text, "after {}: loop {line}: {value}", stretch(&self.program, segment));
                    }
                }
            }
        }
        text
    }

    /// The parts of every counter add up to the whole, at a point.
    #[track_caller]
    fn adds_up(&self, point: &[i64]) {
        let values =
            self.counts.atoms.values(&|parameter| BigInt::from(point[parameter.0 as usize])).expect("few terms");
        let at = |count: &crate::SymbolicCount| {
            count.value.as_ref().map(|v| v.evaluate_exactly(&|s| values[s.0 as usize].clone()))
        };
        for (_, own) in &self.counts.tasks {
            let mut parts: BTreeMap<_, Option<BigRational>> = BTreeMap::new();
            for (context, counter, count) in own.segments.iter().flat_map(|segment| &segment.counts) {
                let sum = parts.entry((*context, *counter)).or_insert_with(|| Some(BigRational::zero()));
                *sum = sum.take().zip(at(count)).map(|(sum, value)| sum + value);
            }
            for (context, counter, count) in &own.counts {
                let whole = at(count);
                let part = parts.remove(&(*context, *counter)).unwrap_or_else(|| Some(BigRational::zero()));
                let line = self.program.blocks[self.program.block_of(*counter)].span.line_start;
                assert_eq!(part, whole, "line {line} at {point:?}:\n{}", self.loops());
            }
            assert!(parts.values().all(|part| part.as_ref().is_some_and(Zero::is_zero)), "parts of nothing");
        }
    }
}

/// Checks the law on a program of three tasks with the parameter N; shows where its loops run.
#[track_caller]
fn check_segments(text: &str) -> String {
    let text = format!("#include <mpi.h>\nint N = 4; int s; double a[100], b[100];\n{text}");
    let counted = snippet(&text, &["N"]).tasks(3).counted();
    for point in POINTS {
        counted.adds_up(point);
    }
    counted.loops()
}

const BEGIN: &str =
    "int rank, size; MPI_Init(0, 0); MPI_Comm_rank(MPI_COMM_WORLD, &rank); MPI_Comm_size(MPI_COMM_WORLD, &size);";

#[track_caller]
fn check_main(body: &str) -> String {
    check_segments(&format!("int main(void) {{ {BEGIN}\n{body}\nMPI_Finalize(); return 0; }}"))
}

#[test]
fn one_after_the_other() {
    let shown = check_main(
        "for (int i = 0; i < N; i++) s++;
MPI_Barrier(MPI_COMM_WORLD);
for (int i = 0; i < 2 * N; i++) s++;",
    );
    insta::assert_snapshot!(shown, @r"
    tasks 0 1 2
    after start: loop 4: N if N >= 1, else 0
    after MPI_Barrier:5: loop 6: 2*N if N >= 1, else 0
    ");
}

#[test]
fn first_iteration_is_behind_what_came_before_the_loop() {
    let shown = check_main(
        "for (int t = 0; t < N; t++) {
for (int i = 0; i < 7; i++) s++;
MPI_Barrier(MPI_COMM_WORLD);
for (int i = 0; i < 5; i++) s++; }
for (int i = 0; i < 3; i++) s++;",
    );
    insta::assert_snapshot!(shown, @r"
    tasks 0 1 2
    after start: loop 4: 1 if N >= 1, else 0
    after start: loop 5: 7 if N >= 1, else 0
    after start: loop 8: 3 if N <= 0, else 0
    after MPI_Barrier:6: loop 4: N-1 if N >= 2, else 0
    after MPI_Barrier:6: loop 5: 7*(N-1) if N >= 2, else 0
    after MPI_Barrier:6: loop 7: 5*N if N >= 1, else 0
    after MPI_Barrier:6: loop 8: 3 if N >= 1, else 0
    ");
}

#[test]
fn branches_of_the_rank() {
    let shown = check_main(
        "for (int t = 0; t < N; t++) {
for (int i = 0; i < t; i++) s++;
if (rank > 0) MPI_Recv(a, 1, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
for (int i = 0; i < 5; i++) s++;
if (rank < size - 1) MPI_Send(a, 1, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD); }",
    );
    insta::assert_snapshot!(shown, @r"
    tasks 0
    after start: loop 4: 1 if N >= 1, else 0
    after start: loop 7: 5 if N >= 1, else 0
    after MPI_Send:8: loop 4: N-1 if N >= 2, else 0
    after MPI_Send:8: loop 5: N*(N-1)/2 if N >= 2, else 0
    after MPI_Send:8: loop 7: 5*(N-1) if N >= 2, else 0
    tasks 1
    after start: loop 4: 1 if N >= 1, else 0
    after MPI_Recv:6: loop 7: 5*N if N >= 1, else 0
    after MPI_Send:8: loop 4: N-1 if N >= 2, else 0
    after MPI_Send:8: loop 5: N*(N-1)/2 if N >= 2, else 0
    tasks 2
    after start: loop 4: 1 if N >= 1, else 0
    after MPI_Recv:6: loop 4: N-1 if N >= 2, else 0
    after MPI_Recv:6: loop 5: N*(N-1)/2 if N >= 2, else 0
    after MPI_Recv:6: loop 7: 5*N if N >= 1, else 0
    ");
}

#[test]
fn now_and_then() {
    let shown = check_main(
        "for (int t = 0; t < N; t++) {
for (int i = 0; i < 4; i++) s++;
if (t % 10 == 9) MPI_Barrier(MPI_COMM_WORLD);
for (int i = 0; i < 5; i++) s++; }",
    );
    insta::assert_snapshot!(shown, @r"
    tasks 0 1 2
    after start: loop 4: 1 if N >= 1, else 0
    after start: loop 5: 4 if N >= 1, else 0
    after start: loop 7: 5 if N >= 1, else 0
    after start or MPI_Barrier:6: loop 4: N-1 if N >= 2, else 0
    after start or MPI_Barrier:6: loop 5: 4*(N-1) if N >= 2, else 0
    after start or MPI_Barrier:6: loop 7: 5*(floor((N+1)/10)+floor((N+2)/10)+floor((N+3)/10)+floor((N+4)/10)+floor((N+5)/10)+floor((N+6)/10)+floor((N+7)/10)+floor((N+8)/10)+floor((N+9)/10)-1) if N >= 11; 5*(floor((N+1)/10)+floor((N+2)/10)+floor((N+3)/10)+floor((N+4)/10)+floor((N+5)/10)+floor((N+6)/10)+floor((N+7)/10)+floor((N+8)/10)) if 2 <= N <= 10, else 0
    after MPI_Barrier:6: loop 7: 5*floor(N/10) if N >= 10, else 0
    ");
}

#[test]
fn functions_that_communicate() {
    let shown = check_segments(&format!(
        "void exchange(int n) {{
for (int i = 0; i < n; i++) s++;
MPI_Barrier(MPI_COMM_WORLD); }}
int main(void) {{ {BEGIN}
exchange(N);
for (int i = 0; i < 3; i++) s++;
exchange(2 * N);
for (int i = 0; i < 4; i++) s++;
MPI_Finalize(); return 0; }}"
    ));
    insta::assert_snapshot!(shown, @r"
    tasks 0 1 2
    after start: loop 4: N if N >= 1, else 0
    after MPI_Barrier:5: loop 8: 3
    after MPI_Barrier:5: loop 4: 2*N if N >= 1, else 0
    after MPI_Barrier:5: loop 10: 4
    ");
}

#[test]
fn nested_loops_and_early_ends() {
    let shown = check_main(
        "for (int t = 0; t < N; t++) {
for (int u = 0; u < 3; u++) {
for (int i = 0; i < 4; i++) s++;
MPI_Barrier(MPI_COMM_WORLD); }
if (t == 5) break;
for (int i = 0; i < 5; i++) s++;
MPI_Send(a, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD); }
for (int i = 0; i < 6; i++) s++;",
    );
    insta::assert_snapshot!(shown, @r"
    tasks 0 1 2
    after start: loop 4: 1 if N >= 1, else 0
    after start: loop 5: 1 if N >= 1, else 0
    after start: loop 6: 4 if N >= 1, else 0
    after start or MPI_Barrier:7 or MPI_Send:10: loop 11: 6
    after MPI_Barrier:7: loop 5: 12 if N >= 7; 2*N if 1 <= N <= 6, else 0
    after MPI_Barrier:7: loop 6: 48 if N >= 7; 8*N if 1 <= N <= 6, else 0
    after MPI_Barrier:7: loop 9: 25 if N >= 6; 5*N if 1 <= N <= 5, else 0
    after MPI_Send:10: loop 4: 5 if N >= 7; N-1 if 2 <= N <= 6, else 0
    after MPI_Send:10: loop 5: 5 if N >= 7; N-1 if 2 <= N <= 6, else 0
    after MPI_Send:10: loop 6: 20 if N >= 7; 4*(N-1) if 2 <= N <= 6, else 0
    ");
}

#[test]
fn what_data_decides() {
    let shown = check_main(
        "MPI_Recv(a, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
if (a[0] > 0.0) MPI_Barrier(MPI_COMM_WORLD);
for (int i = 0; i < N; i++) s++;
while (a[1] > 0.0) { MPI_Recv(a, 2, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
for (int i = 0; i < N; i++) s++; }
for (int i = 0; i < 6; i++) s++;",
    );
    insta::assert_snapshot!(shown, @r"
    tasks 0 1 2
    after MPI_Recv:4 or MPI_Barrier:5: loop 6: N if N >= 1, else 0
    after MPI_Recv:4 or MPI_Barrier:5 or MPI_Recv:7: loop 7: ?
    after MPI_Recv:4 or MPI_Barrier:5 or MPI_Recv:7: loop 9: 6
    after MPI_Recv:7: loop 8: ?
    ");
}

#[test]
fn what_cannot_be_followed() {
    let shown = check_segments(&format!(
        "void down(int n) {{ if (n > 0) {{ MPI_Barrier(MPI_COMM_WORLD); down(n - 1); }} }}
int main(void) {{ {BEGIN}
down(N);
for (int i = 0; i < 3; i++) s++;
MPI_Finalize(); return 0; }}"
    ));
    insta::assert_snapshot!(shown, @r"
    tasks 0 1 2
    after start: loop 6: 3 if N <= 0, else 0
    after MPI_Barrier:3: loop 6: 3 if N >= 1, else 0
    ");
}

#[test]
fn programs_without_messages_have_no_segments() {
    let counted = snippet("int N = 4; int s; int main(void) { for (int i = 0; i < N; i++) s++; }", &["N"]).counted();
    assert!(counted.counts.tasks.iter().all(|(_, own)| own.segments.is_empty()));
}
