//! Speed of parsing and lowering in bytes of preprocessed text per second: a typical program, whose
//! text is mostly headers, and generated code without any.

use chronos::frontend::{self as source, Preprocessed, SourceOptions};
use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use std::fmt::Write;
use std::hint::black_box;

/// Lines of functions in the style of the generated programs; `kernels` of them.
fn kernels(kernels: usize) -> String {
    let mut text = String::new();
    for k in 0..kernels {
        let _ = write!(
            text,
            r"
struct cell{k} {{ double value, weight; int next, kind; struct cell{k} *left; }};
static struct cell{k} grid{k}[64][64];
double kernel{k}(int n, double *restrict a, const double *b, struct cell{k} *c)
{{
    double sum = 0.0, limit = 1.0e-{precision};
    int count = 0;
    for (int i = 1; i < n - 1; i++) {{
        for (int j = 0; j < 64; ++j) {{
            a[i * 64 + j] = 0.25 * (b[i - 1] + b[i + 1]) + c[i].weight * grid{k}[i % 64][j].value;
            if (a[i * 64 + j] > limit && c[i].kind != {k} || c[i].next == 0)
                sum += a[i * 64 + j] * c[i].value;
            else
                grid{k}[j][i & 63].weight -= sum / (1 + count);
            count += c[i].left ? c[i].left->next : j << 2;
        }}
    }}
    while (count > 100 && sum < limit) {{
        switch (count % 4) {{
        case 0: sum += 1.5; break;
        case 1: count /= 2; /* fall through */
        case 2: sum *= 0.5f; break;
        default: count -= n; continue;
        }}
        count--;
    }}
    return sum + (double)count;
}}
",
            precision = k % 9 + 1
        );
    }
    text
}

fn typical() -> String {
    let mut text = String::from("#include <stdio.h>\n#include <stdlib.h>\n#include <math.h>\n#include <mpi.h>\n");
    text.push_str(&kernels(16));
    text.push_str(
        r#"
int main(int argc, char **argv)
{
    int rank, size;
    double part = 0.0, all;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = rank; i < atoi(argv[1]); i += size)
        part += sqrt((double)i);
    MPI_Reduce(&part, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%f\n", all);
    MPI_Finalize();
    return 0;
}
"#,
    );
    text
}

/// Bytes of one kernel, about.
const KERNEL_BYTES: usize = 1_180;

fn preprocessed(text: &str) -> Result<Preprocessed, String> {
    let directory = tempfile::tempdir().map_err(|error| error.to_string())?;
    let file = directory.path().join("bench.c");
    std::fs::write(&file, text).map_err(|error| error.to_string())?;
    let options = SourceOptions { files: vec![file], ..SourceOptions::default() };
    let preprocessed = source::preprocess(&options).map_err(|failure| format!("{:?}", failure.diagnostics))?;
    preprocessed.parse().map_err(|failure| format!("{:?}", failure.diagnostics))?;
    Ok(preprocessed)
}

fn front_end(c: &mut Criterion) {
    let mut group = c.benchmark_group("front end");
    group.sampling_mode(SamplingMode::Flat).sample_size(20);
    for (name, text) in [("typical", typical()), ("dense", kernels(1_500_000 / KERNEL_BYTES))] {
        let input = preprocessed(&text).expect("the generated program is valid C");
        group.throughput(Throughput::Bytes(input.bytes() as u64));
        group.bench_function(format!("{name}: parse"), |b| b.iter(|| black_box(input.parse().is_ok())));
        group.bench_function(format!("{name}: parse and lower"), |b| {
            b.iter(|| black_box(source::program_of(&input).0.is_some()));
        });
    }
    group.finish();
}

criterion_group!(benches, front_end);
criterion_main!(benches);
