//! Effective costs: fitted to the suite, with what they leave unexplained.

use super::fit::{self, Equation, Prior};
use crate::output::rounded;
use crate::output::{Measurement, Measurements, bad_output, median, quantile};
use chronos_base::diag::Diagnostic;
use chronos_base::units::Cycles;
use chronos_ir::{InstructionClass, Unit};
use chronos_machine::{ClassCost, KernelShape, KindResiduals, Residuals, Rules};
use std::collections::BTreeMap;

/// Before the suite is looked at, this share of arithmetic is taken to wait for its operands.
const WAITING_SHARE: f64 = 0.25;

/// No occurrence costs less than this share of the reciprocal throughput: what a suite of tight loops lets
/// overlap completely, ordinary code does not.
const LEAST_SHARE: f64 = 0.5;
/// The same where loops are vectorised, with a few lanes to share a vector operation.
const LEAST_SHARE_VECTORISED: f64 = 0.25;

/// Kinds of kernels that wait for memory to hand on what the iteration before stored, where variables live there:
/// the model `source` prices these chains by themselves, so they say nothing of what an operation adds elsewhere.
const WAITING_KINDS: [&str; 2] = ["reduction", "recurrence"];

/// Fits the effective costs to the suite and says how well they explain it.
pub fn effective(
    measurements: &Measurements,
    ns_per_cycle: f64,
    rules: &Rules,
    classes: &mut BTreeMap<InstructionClass, ClassCost>,
) -> Result<Residuals, Diagnostic> {
    let mut kernels = Vec::new();
    let mut equations = Vec::new();
    let mut weighs = Vec::new();
    for (name, measurement) in &measurements.0 {
        if let Some(kernel) = name.strip_prefix("suite.").filter(|_| measurement.ns() > 0.0) {
            kernels.push((kernel.to_owned(), kind(measurement)));
            equations.push(equation(measurement, ns_per_cycle)?);
            weighs.push(weighs_in(measurement, rules));
        }
    }
    let priors: Vec<Prior> = InstructionClass::ALL.iter().map(|class| prior(*class, rules, classes)).collect();
    let fitted: Vec<Equation> =
        equations.iter().zip(&weighs).filter(|(_, weighs)| **weighs).map(|(equation, _)| equation.clone()).collect();
    let costs = fit::fit(&fitted, &priors);
    for (class, cost) in InstructionClass::ALL.iter().zip(&costs) {
        if let Some(known) = classes.get_mut(class).filter(|_| *class != InstructionClass::FpSqrt) {
            known.effective_cycles = Cycles(rounded(*cost));
        }
    }
    let ratios = equations.iter().map(|equation| fit::predict(equation, &costs));
    Ok(residuals(
        kernels
            .into_iter()
            .zip(ratios)
            .map(|((name, kind), ratio)| Kernel { name, kind, ratio, shape: None })
            .collect(),
    ))
}

/// Whether a kernel says what operations cost: not where a value waits in memory, of which the model `source` knows.
fn weighs_in(measurement: &Measurement, rules: &Rules) -> bool {
    let has = |class: &str| measurement.tokens.iter().any(|token| token == class);
    // No call leaves a floating-point register alone, and clang does not look into what is called.
    let spills = rules.profile.starts_with("clang") && has("call") && has("fp_add");
    if rules.locals_in_registers { !spills } else { !WAITING_KINDS.contains(&&*kind(measurement)) }
}

fn equation(measurement: &Measurement, ns_per_cycle: f64) -> Result<Equation, Diagnostic> {
    let mut occurrences = vec![0.0; InstructionClass::ALL.len()];
    for token in measurement.tokens.iter().filter(|token| !token.contains(':')) {
        let position = InstructionClass::ALL.iter().position(|class| class.name() == token);
        occurrences[position.ok_or_else(|| bad_output(&format!("`{token}` is no instruction class")))?] += 1.0;
    }
    Ok(Equation { occurrences, time: measurement.ns() / ns_per_cycle })
}

fn prior(class: InstructionClass, rules: &Rules, classes: &BTreeMap<InstructionClass, ClassCost>) -> Prior {
    use InstructionClass as C;
    let free = match class {
        C::LocalLoad | C::LocalStore => rules.locals_in_registers,
        C::Address | C::IntConvert => rules.index_arithmetic_folded,
        _ => false,
    };
    if free {
        return Prior { cost: 0.0, scale: 0.02, least: 0.0 };
    }
    let Some(known) = classes.get(&class) else { return Prior { cost: 0.0, scale: 1.0, least: 0.0 } };
    let (latency, throughput) = (known.latency_cycles.0, known.throughput_cycles.0);
    let waits = if matches!(class.unit(), Unit::Load | Unit::Store) { 0.0 } else { WAITING_SHARE };
    let cost = throughput + waits * (latency - throughput);
    let share = if rules.vectorise { LEAST_SHARE_VECTORISED } else { LEAST_SHARE };
    Prior { cost, scale: 0.1 + cost / 2.0, least: share * throughput }
}

/// In front of the name of a kind, as a token of the suite.
const KIND: &str = "kind:";

/// The kind of code that a kernel of the suite is.
pub fn kind(measurement: &Measurement) -> String {
    let kind = measurement.tokens.iter().find_map(|token| token.strip_prefix(KIND));
    kind.unwrap_or("other").to_owned()
}

/// A kernel of the suite, predicted.
pub struct Kernel {
    /// Name of its sample.
    pub name: String,
    /// Kind of code, as the suite names it.
    pub kind: String,
    /// Predicted over measured time.
    pub ratio: f64,
    /// As the cost model that predicts it sees it.
    pub shape: Option<KernelShape>,
}

/// The errors of kernels, together and by kind.
pub fn residuals(kernels: Vec<Kernel>) -> Residuals {
    let sizes: Vec<f64> = kernels.iter().map(|kernel| (kernel.ratio - 1.0).abs()).collect();
    let mut kinds: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for kernel in &kernels {
        kinds.entry(kernel.kind.clone()).or_default().push(kernel.ratio);
    }
    Residuals {
        kernels: number(kernels.len()),
        median_relative: digits(median(sizes.clone())),
        p90_relative: digits(quantile(sizes.clone(), 0.9)),
        max_relative: digits(quantile(sizes, 1.0)),
        shapes: kernels.iter().filter_map(|kernel| Some((kernel.name.clone(), kernel.shape?))).collect(),
        by_kernel: kernels.into_iter().map(|kernel| (kernel.name, digits(kernel.ratio - 1.0))).collect(),
        by_kind: kinds.into_iter().map(|(kind, ratios)| (kind, of_kind(ratios))).collect(),
    }
}

fn of_kind(ratios: Vec<f64>) -> KindResiduals {
    let factors = ratios.iter().map(|ratio| ratio.max(1.0 / ratio.max(1e-9))).collect();
    KindResiduals {
        kernels: number(ratios.len()),
        median_ratio: digits(median(ratios)),
        p90_factor: digits(quantile(factors, 0.9)),
    }
}

fn digits(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
