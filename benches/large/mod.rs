//! A generated program of the size of a real application: modules with structs, lists, numeric kernels,
//! tables of functions, printers with variable arguments and an MPI driver, each in a file of its own.

use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Lines of one module, about.
pub const MODULE_LINES: usize = 1_000;
/// Groups of four functions in a module.
const GROUPS: usize = 22;

const HEADER: &str = r"#ifndef GRID_H
#define GRID_H
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
typedef struct cell { double value, weight; int next, kind; struct cell *left, *right; } cell;
typedef struct grid { int n, m, rank, size; double *data, *other; cell *cells; int (*visit)(struct grid *, int); } grid;
#define AT(g, i, j) ((g)->data[(i) * (g)->m + (j)])
#define MAX(a, b) ((a) > (b) ? (a) : (b))
extern int verbosity;
void report(const char *format, ...);
";

/// Four functions that call each other and those of the group before.
fn group(text: &mut String, module: usize, k: usize) {
    let id = module * GROUPS + k;
    let before = if k == 0 { "g->n".to_owned() } else { format!("walk{}(g, depth - 1)", id - 1) };
    let _ = write!(
        text,
        r#"
static double kernel{id}(grid *g, int from, int to)
{{
    double sum = 0.0;
    for (int i = MAX(from, 1); i < to - 1; i++) {{
        for (int j = 1; j < g->m - 1; ++j) {{
            double old = AT(g, i, j);
            g->other[i * g->m + j] = 0.25 * (AT(g, i - 1, j) + AT(g, i + 1, j) + AT(g, i, j - 1) + AT(g, i, j + 1));
            if (fabs(old - g->other[i * g->m + j]) > 1.0e-{precision} && g->cells[i].kind != {k})
                sum += old * g->cells[i].weight;
        }}
    }}
    return sum;
}}
static cell *list{id}(grid *g, int length)
{{
    cell *first = NULL;
    for (int i = 0; i < length; i++) {{
        cell *next = malloc(sizeof *next);
        memset(next, 0, sizeof *next);
        next->left = first;
        next->kind = (i * {id}) % 7;
        if (first)
            first->right = next;
        first = next;
    }}
    return first;
}}
int walk{id}(grid *g, int depth)
{{
    int found = 0;
    if (depth <= 0)
        return {before_zero};
    for (cell *at = g->cells[depth % g->n].left; at; at = at->left) {{
        switch (at->kind) {{
        case 0: found += at->next; break;
        case 1: found -= depth; /* fall through */
        case {case}: found <<= 1; break;
        default: if (verbosity > 2) report("kind %d of %s\n", at->kind, "walk{id}"); continue;
        }}
    }}
    return found + {before};
}}
static void exchange{id}(grid *g)
{{
    MPI_Request requests[2];
    int up = (g->rank + 1) % g->size, down = (g->rank + g->size - 1) % g->size;
    MPI_Irecv(g->other, g->m, MPI_DOUBLE, down, {id}, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(g->data, g->m, MPI_DOUBLE, up, {id}, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    g->visit = g->visit == walk{id} ? NULL : walk{id};
}}
"#,
        precision = k % 9 + 1,
        case = k % 5 + 2,
        before_zero = k % 3,
    );
}

fn module(module: usize) -> String {
    let mut text = String::from("#include \"grid.h\"\n");
    (0..GROUPS).for_each(|k| group(&mut text, module, k));
    let _ = write!(text, "int module{module}(grid *g, int steps)\n{{\n    int found = 0;\n");
    for k in 0..GROUPS {
        let id = module * GROUPS + k;
        let _ = write!(
            text,
            "    for (int s = 0; s < steps; s++) {{\n        kernel{id}(g, g->rank * 2, g->n);\n        \
             g->cells[{k} % g->n].left = list{id}(g, {k});\n        exchange{id}(g);\n    }}\n    \
             found += walk{id}(g, 3) + (g->visit ? g->visit(g, 1) : 0);\n"
        );
    }
    text.push_str("    return found;\n}\n");
    text
}

fn driver(modules: usize) -> String {
    let mut text = String::from(
        r#"#include "grid.h"
int verbosity = 1;
void report(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
}
int main(int argc, char **argv)
{
    grid g = { .n = 16, .m = 16 };
    int found = 0, all;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &g.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &g.size);
    g.data = calloc(g.n * g.m, sizeof(double));
    g.other = calloc(g.n * g.m, sizeof(double));
    g.cells = calloc(g.n, sizeof(cell));
"#,
    );
    for m in 0..modules {
        let _ = writeln!(text, "    found += module{m}(&g, 2);");
    }
    text.push_str(
        "    MPI_Allreduce(&found, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);\n    \
         report(\"%d found\\n\", all);\n    MPI_Finalize();\n    return 0;\n}\n",
    );
    text
}

/// Writes the sources of a program of so many modules to a folder; the files, in their order.
pub fn write(folder: &Path, modules: usize) -> std::io::Result<Vec<PathBuf>> {
    let mut header = HEADER.to_owned();
    for id in 0..modules * GROUPS {
        let _ = writeln!(header, "int walk{id}(grid *g, int depth);");
    }
    (0..modules).for_each(|m| {
        let _ = writeln!(header, "int module{m}(grid *g, int steps);");
    });
    header.push_str("#endif\n");
    std::fs::write(folder.join("grid.h"), header)?;
    let texts = std::iter::once(("main.c".to_owned(), driver(modules)))
        .chain((0..modules).map(|m| (format!("module{m}.c"), module(m))));
    texts
        .map(|(name, text)| {
            let path = folder.join(name);
            std::fs::write(&path, text)?;
            Ok(path)
        })
        .collect()
}
