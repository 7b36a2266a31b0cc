//! Random programs that store known and unknown values by loops that are summarised, and bring them to all kinds of readers.
//!
//! Every line `seen[K]++;` stands alone, so how often it is executed is what the program prints of `seen`.

use std::fmt::Write as _;

/// Scenarios of a program.
pub const SCENARIOS: usize = 6;
/// Lines that are observed in each scenario.
pub const OBSERVED: usize = 3;

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    fn one<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }
}

/// Types of elements, with the MPI datatype.
const TYPES: [(&str, &str); 7] = [
    ("char", "MPI_CHAR"),
    ("unsigned char", "MPI_UNSIGNED_CHAR"),
    ("short", "MPI_SHORT"),
    ("int", "MPI_INT"),
    ("long", "MPI_LONG"),
    ("float", "MPI_FLOAT"),
    ("double", "MPI_DOUBLE"),
];

const SEQUENTIAL: [&str; 13] = [
    "memcpy(b, a, sizeof b);",
    "memmove(a, a + 1, (N - 1) * sizeof(T)); memcpy(b, a, sizeof b);",
    "struct { T v[N]; } x, y; memcpy(x.v, a, sizeof x.v); y = x; memcpy(b, &y, sizeof b);",
    "for (int i = 0; i < N; i++) b[i] = a[i];",
    "for (unsigned i = 0; i < sizeof b; i++) ((char *)b)[i] = ((char *)a)[i];",
    "qsort(a, N, sizeof(T), compare); memcpy(b, a, sizeof b);",
    "char text[64]; for (int i = 0; i < N; i++) { sprintf(text, \"%d\", (int)a[i]); b[i] = text[0] - '0'; }",
    "T *c = calloc(N, sizeof(T)); memcpy(c + N / 2, a + N / 2, (N - N / 2) * sizeof(T)); memcpy(b, c, sizeof b);",
    "union { T v[N]; unsigned char u[N * sizeof(T)]; } u = {0}; memcpy(u.v, a, sizeof u.v); \
     for (int i = 0; i < N; i++) b[i] = u.u[i * sizeof(T)] != 0;",
    "T zero[N] = {0}; for (int i = 0; i < N; i++) b[i] = memcmp(a + i, zero, sizeof(T)) != 0;",
    "struct { unsigned x : 3, y : 5; } f[N] = {0}; for (int i = 0; i < N; i++) f[i].x = (int)a[i] & 7; \
     for (int i = 0; i < N; i++) f[i].y = 1; for (int i = 0; i < N; i++) b[i] = f[i].x;",
    "T *p = a, *q = p + rand() % 2; memcpy(b, q, (N - 1) * sizeof(T));",
    "T c[N] = {0}; T *q = c + rand() % 2; memcpy(q, a, (N - 1) * sizeof(T)); memcpy(b, c, sizeof b);",
];

const PARALLEL: [&str; 25] = [
    "MPI_Sendrecv(a, N, D, (rank + 1) % size, 0, b, N, D, (rank + size - 1) % size, 0, W, S);",
    "if (rank == 0) for (int k = 1; k < size; k++) MPI_Send(a, N, D, k, 1, W); else MPI_Recv(b, N, D, 0, 1, W, S);",
    "MPI_Request r[2]; MPI_Irecv(b, N, D, (rank + 1) % size, 2, W, r); MPI_Isend(a, N, D, (rank + size - 1) % size, 2, W, r + 1); \
     MPI_Waitall(2, r, MPI_STATUSES_IGNORE);",
    "memcpy(b, a, sizeof b); MPI_Bcast(b, N, D, 0, W);",
    "MPI_Allreduce(a, b, N, E, MPI_MAX, W);",
    "MPI_Reduce(a, b, N, E, MPI_SUM, 0, W); MPI_Bcast(b, N, E, 0, W);",
    "T all[4 * N]; MPI_Allgather(a, N, D, all, N, D, W); memcpy(b, all + (size - 1) * N, sizeof b);",
    "T all[4 * N] = {0}; MPI_Gather(a, N, D, all, N, D, 0, W); memcpy(b, all + (size - 1) * N, sizeof b);",
    "T all[4 * N] = {0}; memcpy(all, a, sizeof b); memcpy(all + N, a, sizeof b); MPI_Scatter(all, N, D, b, N, D, 0, W);",
    "T all[4 * N], in[4 * N]; for (int k = 0; k < size; k++) memcpy(all + k * N, a, sizeof b); \
     MPI_Alltoall(all, N, D, in, N, D, W); memcpy(b, in, sizeof b);",
    "char buffer[8 * N + 64] = {0}; int at = 0; MPI_Pack(a, N, D, buffer, sizeof buffer, &at, W); at = 0; \
     MPI_Unpack(buffer, sizeof buffer, &at, b, N, D, W);",
    "MPI_Datatype v; MPI_Type_vector(N / 2, 1, 2, D, &v); MPI_Type_commit(&v); \
     MPI_Sendrecv(a, 1, v, (rank + 1) % size, 3, b, N / 2, D, (rank + size - 1) % size, 3, W, S); MPI_Type_free(&v);",
    "MPI_Win w; MPI_Win_create(b, sizeof b, sizeof(T), MPI_INFO_NULL, W, &w); MPI_Win_fence(0, w); \
     MPI_Put(a, N, D, (rank + 1) % size, 0, N, D, w); MPI_Win_fence(0, w); MPI_Win_free(&w);",
    "MPI_Win w; MPI_Win_create(a, N * sizeof(T), sizeof(T), MPI_INFO_NULL, W, &w); MPI_Win_fence(0, w); \
     MPI_Get(b, N, D, (rank + 1) % size, 0, N, D, w); MPI_Win_fence(0, w); MPI_Win_free(&w);",
    "MPI_Win w; MPI_Win_create(b, sizeof b, sizeof(T), MPI_INFO_NULL, W, &w); MPI_Win_fence(0, w); \
     MPI_Accumulate(a, N, E, (rank + 1) % size, 0, N, E, MPI_SUM, w); MPI_Win_fence(0, w); MPI_Win_free(&w);",
    "memcpy(b, a, sizeof b); MPI_Sendrecv_replace(b, N, D, (rank + 1) % size, 4, (rank + size - 1) % size, 4, W, S);",
    "MPI_Scan(a, b, N, E, MPI_SUM, W);",
    "MPI_File f; MPI_File_open(MPI_COMM_SELF, NAME, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f); \
     MPI_File_write_at(f, 0, a, N, D, S); MPI_File_read_at(f, 0, b, N, D, S); MPI_File_close(&f);",
    "if (rank == 0) for (int k = 0; k < 5; k++) MPI_Send(a, N, D, 1, 5, W); \
     if (rank == 1) for (int k = 0; k < 5; k++) MPI_Recv(b, N, D, 0, 5, W, S);",
    "for (int k = 0; k < 6; k++) { memcpy(b, a, sizeof b); MPI_Bcast(b, N, D, size - 1, W); }",
    "for (int k = 0; k < 7; k++) { int n = rank == 0 ? 3 + k % 2 : 0; MPI_Bcast(&n, 1, MPI_INT, 0, W); \
     for (int i = 0; i < n; i++) b[i] = a[i]; }",
    "for (int k = 0; k < 4; k++) for (int j = 0; j < 5; j++) { \
     MPI_Sendrecv(j % 2 ? a : b, N, D, (rank + 1) % size, 6, j % 2 ? b : a, N, D, (rank + size - 1) % size, 6, W, S); }",
    "if (rank == 0) { int n = 2; for (int k = 0; k < 9; k++) { MPI_Send(&n, 1, MPI_INT, 1, 7, W); MPI_Send(a, N, D, 1, 8, W); } } \
     if (rank == 1) for (int k = 0; k < 9; k++) { int n = 0; MPI_Recv(&n, 1, MPI_INT, 0, 7, W, S); \
     MPI_Recv(b, N, D, 0, 8, W, S); if (n != 2) b[0] = 9; }",
    "T c[N] = {0}; for (int k = 0; k < 6; k++) MPI_Allreduce(k % 3 ? a : c, b, N, E, MPI_SUM, W);",
    "MPI_Win w; MPI_Win_create(b, sizeof b, sizeof(T), MPI_INFO_NULL, W, &w); MPI_Win_fence(0, w); \
     for (int k = 0; k < 6; k++) MPI_Accumulate(a, N, E, (rank + 1) % size, 0, N, E, MPI_SUM, w); \
     MPI_Win_fence(0, w); MPI_Win_free(&w);",
];

const STORAGE: [&str; 7] = [
    "T a[N] = {0};",
    "static T a[N];",
    "T *a = calloc(N, sizeof(T));",
    "T *a = malloc(N * sizeof(T)); memset(a, 0, N * sizeof(T));",
    "T *a = malloc(N * sizeof(T)); for (int i = 0; i < N; i++) a[i] = i % 3;",
    "struct { int tag; T v[N]; double last; } s = {0}; T *a = s.v;",
    "T rows[3][N] = {{0}}; T *a = rows[1];",
];

/// A program that prints `K COUNT` of each observed line for each task, the task first.
pub fn program(seed: u64, mpi: bool) -> String {
    let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let lines = SCENARIOS * OBSERVED;
    let mut text = String::from("#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n");
    if mpi {
        text.push_str("#include <mpi.h>\n#define W MPI_COMM_WORLD\n#define S MPI_STATUS_IGNORE\n");
    }
    let _ = writeln!(text, "static long seen[{lines}];\nstatic int rank, size = 1;");
    for scenario in 0..SCENARIOS {
        text.push_str(&function(&mut random, scenario, mpi));
    }
    text.push_str("int main(int argc, char **argv) {\n");
    if mpi {
        text.push_str("  MPI_Init(&argc, &argv);\n  MPI_Comm_rank(W, &rank);\n  MPI_Comm_size(W, &size);\n");
    }
    (0..SCENARIOS).for_each(|scenario| text.push_str(&format!("  scenario{scenario}();\n")));
    let _ = writeln!(text, "  for (int k = 0; k < {lines}; k++) printf(\"%d %d %ld\\n\", rank, k, seen[k]);");
    text.push_str(if mpi { "  MPI_Finalize();\n  return 0;\n}\n" } else { "  return 0;\n}\n" });
    text
}

fn function(random: &mut Random, scenario: usize, mpi: bool) -> String {
    let (ty, datatype) = TYPES[random.below(TYPES.len())];
    let n = 4 + random.below(30);
    // Reductions take numbers, not characters.
    let element = if datatype == "MPI_CHAR" { "MPI_SIGNED_CHAR" } else { datatype };
    let reader = if mpi && random.below(4) > 0 { random.one(&PARALLEL) } else { random.one(&SEQUENTIAL) };
    let mut text = format!(
        "#define N {n}\n#define T {ty}\n#define D {datatype}\n#define E {element}\n#define NAME \"data{scenario}\"\n\
         static int compare{scenario}(const void *x, const void *y) {{\n  return *(const T *)x > *(const T *)y;\n}}\n\
         static void scenario{scenario}(void) {{\n  {}\n",
        random.one(&STORAGE)
    );
    for _ in 0..=random.below(3) {
        let _ = writeln!(text, "  {}", store(random, n));
    }
    let _ = writeln!(text, "  {} b[N] = {{0}};", if random.below(2) == 0 { "T" } else { "static T" });
    let _ = writeln!(
        text,
        "  {}",
        reader.replace("NAME", &format!("\"data{scenario}\"")).replace("compare", &format!("compare{scenario}"))
    );
    let first = scenario * OBSERVED;
    let at = random.below(n);
    let _ = writeln!(text, "  for (int i = 0; i < N; i++) {{\n    if (b[i])\n      seen[{first}]++;\n  }}");
    let _ = writeln!(text, "  if (b[{at}] == 1)\n    seen[{}]++;", first + 1);
    let _ = writeln!(text, "  for (int i = 0; i < (int)b[0]; i++)\n    seen[{}]++;", first + 2);
    text + "}\n#undef N\n#undef T\n#undef D\n#undef E\n#undef NAME\n"
}

/// A loop, or a statement, that stores known or unknown values.
fn store(random: &mut Random, n: usize) -> String {
    let (low, at) = (random.below(n / 2), random.below(n));
    let value = random.one(&["rand() % 2", "rand() % 2", "i % 3", "1", "i < 2", "rand() % 2 + rank"]);
    match random.below(6) {
        0 => format!("for (int i = 0; i < N; i++) a[i] = {value};"),
        1 => format!("for (int i = {low}; i < N; i++) a[i] = {value};"),
        2 => format!("for (int i = {low}; i < N; i += 2) a[i] = {value};"),
        3 => format!("for (int i = 0; i < N; i++) if (rand() % 3) a[i] = {value};"),
        4 => format!("for (int j = 0; j < 2; j++) for (int i = j; i < N - 1; i++) a[i + 1 - j] = {value};"),
        _ => format!("{{ int i = {at}; a[i] = {value}; }}"),
    }
}
