//! Random C/MPI programs whose tasks do nearly the same: partners, sizes, branches and loops depend on the rank.

use crate::random::Random;
use std::fmt::Write as _;

const HEAD: &str = r"#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
struct place { int row, column; long key; };
static int g0 = 3, g1;
static long g2 = 5;
static int table[16];
static double data[4096];
static void shape(struct place *p, int rank) { p->row = rank / 8; p->column = rank % 8; p->key = (long)rank * 3; }
static void work(int n) { for (int i = 0; i < n; i++) data[i % 64] += 1.0; }
static int walk(int n) { return n <= 1 ? n : walk(n / 2) + (n & 1); }
static void put(int *to, int value) { *to = value; }
";

const BEGIN: &str = r"
    int rank, size, x0 = 1, x1 = 2, x2 = 3, t = 0;
    unsigned u0 = 5;
    short s0 = 1;
    long l0 = 7;
    int here[8] = {0};
    double sum[4] = {0}, total[4];
    struct place p;
    MPI_Status status;
    MPI_Request requests[4];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    shape(&p, rank);
";

/// The program of a seed.
pub fn program(seed: u64) -> String {
    let mut generator = Generator { random: Random(seed), text: HEAD.to_owned(), tag: 0 };
    let mixed = [generator.expression(2, true), generator.expression(2, true)];
    writeln!(generator.text, "static int mix(int rank, int size) {{ int x0 = rank, x1 = 1, x2 = size, t = 0;").unwrap();
    generator
        .text
        .push_str("unsigned u0 = 2; short s0 = 3; long l0 = rank; int here[8] = {1}; struct place p = {1, 2, 3};\n");
    writeln!(generator.text, "if ({}) return x0 + 1; return {}; }}", mixed[0], mixed[1]).unwrap();
    generator.text.push_str("int main(int argc, char **argv)\n{");
    generator.text.push_str(BEGIN);
    let statements = generator.random.within(4, 12);
    (0..statements).for_each(|_| generator.statement(2, true));
    generator.text.push_str("    MPI_Finalize();\n    return 0;\n}\n");
    generator.text
}

struct Generator {
    random: Random,
    text: String,
    tag: i64,
}

impl Generator {
    fn variable(&mut self) -> String {
        let names = ["x0", "x1", "x2", "u0", "s0", "l0", "g0", "g1", "g2", "p.row", "p.column", "p.key"];
        match self.random.within(0, 15) {
            0 => format!("here[{}]", self.random.within(0, 7)),
            1 => format!("table[{}]", self.random.within(0, 15)),
            2 => "here[rank & 7]".to_owned(),
            _ => (*self.random.pick(&names)).to_owned(),
        }
    }

    fn leaf(&mut self) -> String {
        match self.random.within(0, 7) {
            0..=2 => "rank".to_owned(),
            3 => "size".to_owned(),
            4 => self.random.within(-9, 99).to_string(),
            5 => "t".to_owned(),
            _ => self.variable(),
        }
    }

    /// Calls of functions may stand in it, or not (`is_plain`).
    fn expression(&mut self, depth: usize, is_plain: bool) -> String {
        if depth == 0 {
            return self.leaf();
        }
        let a = self.expression(depth - 1, is_plain);
        match self.random.within(0, if is_plain { 13 } else { 15 }) {
            0 | 1 => self.leaf(),
            2..=5 => {
                let b = self.expression(depth - 1, is_plain);
                let op = *self.random.pick(&["+", "-", "*", "&", "|", "^"]);
                format!("({a} {op} {b})")
            }
            6 => format!("({a} / {})", self.random.within(1, 17)),
            7 => format!("({a} % {})", self.random.within(1, 17)),
            8 => format!("({a} >> {})", self.random.within(0, 4)),
            9 => format!("({})({a})", *self.random.pick(&["short", "unsigned", "unsigned char", "long", "_Bool"])),
            10 => format!("({}{a})", *self.random.pick(&["-", "~", "!"])),
            11 => self.condition(depth - 1),
            12 => {
                let (condition, b) = (self.condition(depth - 1), self.leaf());
                format!("({condition} ? {a} : {b})")
            }
            13 => format!("(int)({a} * 0.5)"),
            14 => format!("mix({a}, {})", self.leaf()),
            _ => format!("walk({a} & 255)"),
        }
    }

    fn condition(&mut self, depth: usize) -> String {
        let (a, b) = (self.expression(depth.min(1), true), self.leaf());
        let op = *self.random.pick(&["<", "<=", ">", ">=", "==", "!="]);
        match self.random.within(0, 5) {
            0 => format!("({a} {op} {b} && rank > {})", self.random.within(0, 3)),
            1 => format!("({a} {op} {b} || rank % 2)"),
            2 => format!("(rank {op} {})", self.random.within(0, 64)),
            3 => format!("(rank % {} == {})", self.random.within(2, 5), self.random.within(0, 2)),
            _ => format!("({a} {op} {b})"),
        }
    }

    fn block(&mut self, depth: usize, communicates: bool) {
        let statements = self.random.within(1, 3);
        (0..statements).for_each(|_| self.statement(depth, communicates));
    }

    fn line(&mut self, line: &str) {
        self.text.push_str("    ");
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn statement(&mut self, depth: usize, communicates: bool) {
        if communicates && self.random.chance(40) {
            return self.communication();
        }
        let value = self.expression(2, false);
        match self.random.within(0, if depth == 0 { 5 } else { 10 }) {
            0..=2 => {
                let variable = self.variable();
                self.line(&format!("{variable} = {value};"));
            }
            3 => self.line(&format!("work({value} & 63);")),
            4 => self.line(&format!("printf(\"%d of %d\\n\", (int)({value}), size);")),
            5 => {
                let variable = *self.random.pick(&["x0", "g0", "here[2]", "p.row"]);
                self.line(&format!("put(&{variable}, {value});"));
            }
            6 | 7 => {
                let condition = self.condition(2);
                self.line(&format!("if ({condition}) {{"));
                self.block(depth - 1, false);
                self.line("} else {");
                self.block(depth - 1, false);
                self.line("}");
            }
            8 => {
                self.line(&format!("for (int i = 0; i < ({value} & 7); i++) {{"));
                self.block(depth - 1, false);
                self.line("}");
            }
            9 => {
                self.line(&format!("switch ({value} & 3) {{ case 0:"));
                self.block(depth - 1, false);
                self.line("break; case 2: case 3:");
                self.block(depth - 1, false);
                self.line("default: g1++; }");
            }
            _ => {
                let times = self.random.within(1, 30);
                self.line(&format!("for (t = 0; t < {times}; t++) {{"));
                self.block(depth - 1, communicates);
                self.line("}");
            }
        }
    }

    /// That all tasks take part in.
    fn communication(&mut self) {
        self.tag += 1;
        let (tag, bytes) = (self.tag, self.random.within(1, 600));
        let by = self.random.within(1, 9);
        let status = *self.random.pick(&["MPI_STATUS_IGNORE", "&status"]);
        let text = match self.random.within(0, 13) {
            0 | 1 => format!(
                "MPI_Sendrecv(data, {bytes}, MPI_DOUBLE, (rank + {by}) % size, {tag}, data + 1024, {bytes}, MPI_DOUBLE, \
                 (rank + size - {by}) % size, {tag}, MPI_COMM_WORLD, {status});"
            ),
            2 | 3 => format!(
                "{{ int up = rank == 0 ? MPI_PROC_NULL : rank - 1, down = rank == size - 1 ? MPI_PROC_NULL : rank + 1;\n\
                 MPI_Irecv(data, {bytes}, MPI_DOUBLE, up, {tag}, MPI_COMM_WORLD, &requests[0]);\n\
                 MPI_Irecv(data + 1024, {bytes}, MPI_DOUBLE, down, {tag}, MPI_COMM_WORLD, &requests[1]);\n\
                 MPI_Isend(data, {bytes}, MPI_DOUBLE, down, {tag}, MPI_COMM_WORLD, &requests[2]);\n\
                 MPI_Isend(data, {bytes}, MPI_DOUBLE, up, {tag}, MPI_COMM_WORLD, &requests[3]);\n\
                 MPI_Waitall(4, requests, MPI_STATUSES_IGNORE); }}"
            ),
            4 | 5 => format!(
                "{{ int partner = rank ^ {by}; if (partner < size) {{ if (rank < partner) {{\n\
                 MPI_Send(data, {bytes}, MPI_DOUBLE, partner, {tag}, MPI_COMM_WORLD);\n\
                 MPI_Recv(data, {bytes}, MPI_DOUBLE, partner, {tag}, MPI_COMM_WORLD, {status}); }} else {{\n\
                 MPI_Recv(data, {bytes}, MPI_DOUBLE, partner, {tag}, MPI_COMM_WORLD, {status});\n\
                 MPI_Send(data, {bytes}, MPI_DOUBLE, partner, {tag}, MPI_COMM_WORLD); }} }} }}"
            ),
            6 => format!(
                "for (int mask = 1; mask < size; mask <<= 1) {{ if (rank & mask) {{\n\
                 MPI_Send(sum, 1, MPI_DOUBLE, rank - mask, {tag}, MPI_COMM_WORLD); break; }}\n\
                 if (rank + mask < size) MPI_Recv(total, 1, MPI_DOUBLE, rank + mask, {tag}, MPI_COMM_WORLD, {status}); }}"
            ),
            7 => format!(
                "if (rank == 0) {{ for (int from = 1; from < size; from++)\n\
                 MPI_Recv(total, 1, MPI_DOUBLE, from, {tag}, MPI_COMM_WORLD, {status}); }}\n\
                 else MPI_Send(sum, 1, MPI_DOUBLE, 0, {tag}, MPI_COMM_WORLD);"
            ),
            8 => format!("if (rank == 0) x1 = {bytes}; MPI_Bcast(&x1, 1, MPI_INT, 0, MPI_COMM_WORLD);"),
            9 => "MPI_Allreduce(sum, total, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);".to_owned(),
            10 => format!("MPI_Reduce(sum, total, 4, MPI_DOUBLE, MPI_MAX, {by}, MPI_COMM_WORLD);"),
            11 => "MPI_Barrier(MPI_COMM_WORLD);".to_owned(),
            12 => format!("MPI_Gather(sum, 1, MPI_DOUBLE, data, 1, MPI_DOUBLE, {by}, MPI_COMM_WORLD);"),
            _ => {
                let partner = self.random.within(1, 5);
                format!(
                    "MPI_Sendrecv_replace(&x2, 1, MPI_INT, (rank + {partner}) % size, {tag}, \
                     (rank + size - {partner}) % size, {tag}, MPI_COMM_WORLD, {status});"
                )
            }
        };
        self.line(&text);
    }
}
