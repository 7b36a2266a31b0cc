//! What the functions of a BLAS cost here, by their arguments: the figures of a file of library costs
//! (`chronos-library-costs/1`).
//!
//! A BLAS is chosen when a program is linked, and implementations differ by more than a factor of ten, so machine files
//! have no costs of it. Each function is timed at several sizes on one processor (`microbench/blas.c`). A call costs a
//! constant and its work times a rate; both are fitted by least squares of the relative errors.

use super::build::{Run, Workshop};
use super::codes;
use super::options::Progress;
use super::output::{self, Measurement, Measurements, rounded};
use super::plan::Effort;
use chronos_base::diag::Diagnostic;
use chronos_base::units::Nanoseconds;

/// What to measure.
#[derive(Clone, Debug)]
pub struct Options {
    /// Compiler command with its flags, as words.
    pub compiler: Vec<String>,
    /// What a program is linked with, such as `-lopenblas`, as words.
    pub link: Vec<String>,
    /// How thoroughly.
    pub effort: Effort,
}

/// A function whose work is an expression of its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Function {
    /// Of double precision; `d` becomes `s` for single precision.
    name: &'static str,
    /// Names of the arguments, as far as `work` needs them.
    pub arguments: &'static [&'static str],
    /// Operations of a call, as a file of library costs writes them.
    pub work: &'static str,
}

const fn function(name: &'static str, arguments: &'static [&'static str], work: &'static str) -> Function {
    Function { name, arguments, work }
}

/// The operations that the definitions ask for; copies and searches have one per element.
const FUNCTIONS: &[Function] = &[
    function("cblas_ddot", &["n"], "2*n"),
    function("cblas_dnrm2", &["n"], "2*n"),
    function("cblas_dasum", &["n"], "n"),
    function("cblas_idamax", &["n"], "n"),
    function("cblas_dcopy", &["n"], "n"),
    function("cblas_dswap", &["n"], "n"),
    function("cblas_dscal", &["n"], "n"),
    function("cblas_daxpy", &["n"], "2*n"),
    function("cblas_dgemv", &["order", "trans", "m", "n"], "2*m*n"),
    function("cblas_dger", &["order", "m", "n"], "2*m*n"),
    function("cblas_dtrsv", &["order", "uplo", "trans", "diag", "n"], "n*n"),
    function("cblas_dgemm", &["order", "transa", "transb", "m", "n", "k"], "2*m*n*k"),
    // Side is 141 where the triangle stands on the left and has m rows, 142 where it has n.
    function("cblas_dtrsm", &["order", "side", "uplo", "transa", "diag", "m", "n"], "m*n*(m*(142-side)+n*(side-141))"),
];

/// What a function costs.
#[derive(Clone, Debug, PartialEq)]
pub struct Cost {
    /// The C name.
    pub name: String,
    /// Its arguments and its work, those of double precision.
    pub function: Function,
    /// Whatever its work.
    pub per_call: Nanoseconds,
    /// Of a unit of its work.
    pub per_work: Nanoseconds,
}

const PROGRAM: &str = "blas";

/// Measures all functions.
///
/// # Errors
/// The compiler or the linker refuses the program; it does not run.
pub fn measure(options: &Options, progress: &mut dyn FnMut(Progress)) -> Result<Vec<Cost>, Diagnostic> {
    let workshop = Workshop::open(&options.compiler)?;
    let source = include_str!("../microbench/blas.c");
    let built = workshop.build_linked(PROGRAM, source, &[], &options.link).map_err(|error| unlinked(error, options))?;
    let run = Run { milliseconds: options.effort.milliseconds(), ..Run::default() };
    let rounds = options.effort.rounds().0;
    let mut measured = Measurements::default();
    for round in 0..rounds {
        progress(Progress { done: round as u32, total: rounds as u32, what: "timing the BLAS".to_owned() });
        measured.merge(output::parse(PROGRAM, &built.run(&run)?)?);
    }
    let singles = FUNCTIONS.iter().map(|function| (single(function.name), function));
    let doubles = FUNCTIONS.iter().map(|function| (function.name.to_owned(), function));
    doubles.chain(singles).map(|(name, function)| cost(name, *function, &measured)).collect()
}

/// The name of single precision: `cblas_dgemm`, `cblas_idamax` -> `cblas_sgemm`, `cblas_isamax`.
fn single(double: &str) -> String {
    let (library, name) = double.split_at("cblas_".len());
    format!("{library}{}", name.replacen('d', "s", 1))
}

fn unlinked(error: Diagnostic, options: &Options) -> Diagnostic {
    let link = options.link.join(" ");
    let hint = format!(
        "the program is linked with `{link}`: name a BLAS with the C interface (cblas_dgemm), such as -lopenblas or -lblas"
    );
    if error.code == &codes::BUILD_FAILED { error.help(hint) } else { error }
}

fn cost(name: String, function: Function, measured: &Measurements) -> Result<Cost, Diagnostic> {
    let prefix = format!("{PROGRAM}.{name}/");
    let points = measured.0.range(prefix.clone()..).take_while(|(key, _)| key.starts_with(&prefix));
    let points: Vec<(f64, f64)> = points.filter_map(|(_, measurement)| point(measurement)).collect();
    if points.len() < 2 {
        return Err(output::bad_output(&format!("no results for {name}")));
    }
    let (call, work) = fit(&points);
    Ok(Cost { name, function, per_call: Nanoseconds(rounded(call)), per_work: Nanoseconds(rounded(work)) })
}

/// The work of a call, and its time in nanoseconds.
fn point(measurement: &Measurement) -> Option<(f64, f64)> {
    let work = measurement.tokens.iter().find_map(|token| token.strip_prefix("work:"))?.parse().ok()?;
    Some((work, measurement.ns())).filter(|&(work, ns): &(f64, f64)| work > 0.0 && ns > 0.0)
}

/// The constant and the rate, none of them negative, that explain times by work with the least sum of squares of
/// relative errors.
fn fit(points: &[(f64, f64)]) -> (f64, f64) {
    // Both columns are divided by the time, so that the target is 1.
    let rows = points.iter().map(|&(work, ns)| (1.0 / ns, work / ns));
    let (mut aa, mut ab, mut bb, mut a1, mut b1) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for (a, b) in rows {
        (aa, ab, bb, a1, b1) = (aa + a * a, ab + a * b, bb + b * b, a1 + a, b1 + b);
    }
    let determinant = aa * bb - ab * ab;
    let (call, work) = ((a1 * bb - b1 * ab) / determinant, (b1 * aa - a1 * ab) / determinant);
    match (call >= 0.0, work >= 0.0) {
        (true, true) => (call, work),
        (_, true) => (0.0, b1 / bb),
        // A single size, or times that do not depend on the work.
        _ => (a1 / aa, 0.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A BLAS of naive loops: every function of `microbench/blas.c`.
    const NAIVE: &str = include_str!("../../../testdata/blas/naive.c");

    #[test]
    fn a_line_through_times_has_their_rate() {
        let (call, work) = fit(&[(10.0, 25.0), (100.0, 205.0), (1000.0, 2005.0)]);
        assert!((call - 5.0).abs() < 1e-9 && (work - 2.0).abs() < 1e-9, "{call} {work}");
        let (call, work) = fit(&[(10.0, 5.0), (100.0, 100.0)]);
        assert!(call == 0.0 && work > 0.0, "{call} {work}");
    }

    #[test]
    fn names_of_single_precision() {
        let names: Vec<String> =
            ["cblas_dgemm", "cblas_idamax", "cblas_ddot"].iter().map(|name| single(name)).collect();
        assert_eq!(names, ["cblas_sgemm", "cblas_isamax", "cblas_sdot"]);
    }

    #[test]
    fn every_function_of_the_table_is_measured() {
        let folder = chronos_base::temporary::Folder::new().expect("a folder");
        let source = folder.path().join("naive.c");
        std::fs::write(&source, NAIVE).expect("written");
        let link = vec![source.display().to_string()];
        let compiler = vec!["cc".to_owned(), "-O2".to_owned()];
        let options = Options { compiler, link, effort: Effort::Trial };
        let costs = measure(&options, &mut |_| {}).expect("measured");
        let rows = chronos_functions::all().filter(|row| row.header == "cblas.h");
        let mut expected: Vec<&str> = rows.map(|row| row.name).collect();
        let mut measured: Vec<&str> = costs.iter().map(|cost| &*cost.name).collect();
        expected.sort_unstable();
        measured.sort_unstable();
        assert_eq!(measured, expected);
        assert!(costs.iter().all(|cost| cost.per_work.0 > 0.0), "{costs:?}");
    }

    #[test]
    fn a_library_without_the_functions_is_told() {
        let compiler = vec!["cc".to_owned()];
        let options = Options { compiler, link: vec!["-lm".to_owned()], effort: Effort::Trial };
        let error = measure(&options, &mut |_| {}).expect_err("nothing to link");
        assert!(error.message.contains("cblas_"), "{}", error.message);
        assert!(error.help.iter().any(|help| help.contains("-lopenblas")), "{:?}", error.help);
    }
}
