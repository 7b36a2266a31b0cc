//! Latency and reciprocal throughput of instruction classes, scalar and per vector width.

use crate::output::Measurements;
use crate::output::rounded;
use chronos_base::diag::Diagnostic;
use chronos_base::units::Cycles;
use chronos_ir::InstructionClass;
use chronos_machine::{ClassCost, Rules, VectorCost};
use std::collections::BTreeMap;

/// Latency and throughput of each class; the effective cost is still the throughput.
pub fn registers(
    measurements: &Measurements,
    ns_per_cycle: f64,
    rules: &Rules,
) -> Result<BTreeMap<InstructionClass, ClassCost>, Diagnostic> {
    use InstructionClass as C;
    let cycles = |name: String| Ok::<_, Diagnostic>(measurements.ns(&name)? / ns_per_cycle);
    let mut classes = BTreeMap::new();
    for class in C::ALL {
        let (latency, throughput) = match class {
            C::Library => continue,
            // Its relation to another class stands for what was not measured.
            _ if class.default_cost().is_some() && !is_measured(measurements, class) => continue,
            C::LocalLoad | C::LocalStore if rules.locals_in_registers => (0.0, 0.0),
            C::LocalLoad => (cycles("chains.latency.load".into())?, cycles("chains.throughput.load".into())?),
            C::LocalStore | C::Store => {
                // The chain holds a load; a processor that renames memory forwards in less than its time.
                let throughput = cycles("chains.throughput.store".into())?;
                let round_trip = cycles("chains.latency.store".into())?;
                ((round_trip - cycles("chains.latency.load".into())?).max(throughput), throughput)
            }
            C::Branch => [cycles("chains.throughput.branch".into())?; 2].into(),
            C::Call => [cycles("chains.latency.call".into())?; 2].into(),
            C::CopyWord => (cycles("chains.latency.load".into())?, cycles("chains.throughput.copy_word".into())?),
            C::FpSqrt => {
                let sum = cycles("chains.latency.fp_sqrt".into())?;
                (sum - cycles("chains.latency.fp_add".into())?, cycles("chains.throughput.fp_sqrt".into())?)
            }
            _ => {
                let name = class.name();
                (cycles(format!("chains.latency.{name}"))?, cycles(format!("chains.throughput.{name}"))?)
            }
        };
        let effective = if class == C::FpSqrt { f64::midpoint(latency, throughput) } else { throughput };
        classes.insert(class, class_cost(latency, throughput, effective));
    }
    Ok(classes)
}

fn is_measured(measurements: &Measurements, class: InstructionClass) -> bool {
    measurements.get(&format!("chains.throughput.{}", class.name())).is_some()
}

fn class_cost(latency: f64, throughput: f64, effective: f64) -> ClassCost {
    ClassCost {
        latency_cycles: Cycles(rounded(latency)),
        throughput_cycles: Cycles(rounded(throughput)),
        effective_cycles: Cycles(rounded(effective)),
        vector: BTreeMap::new(),
    }
}

/// Adds what vector instructions of each width cost, for classes and widths that were measured.
pub fn vectors(
    measurements: &Measurements,
    ns_per_cycle: f64,
    widths: &[u32],
    classes: &mut BTreeMap<InstructionClass, ClassCost>,
) {
    for (class, cost) in classes {
        for bits in widths {
            if let Some(vector) = vector(measurements, ns_per_cycle, *class, *bits, cost.latency_cycles) {
                cost.vector.insert(bits.to_string(), vector);
            }
        }
    }
}

/// `scalar_latency` stands for that of accesses to memory, which has no chain of vectors.
fn vector(
    measurements: &Measurements,
    ns_per_cycle: f64,
    class: InstructionClass,
    bits: u32,
    scalar_latency: Cycles,
) -> Option<VectorCost> {
    let cycles =
        |kind: &str, class: &str| Some(measurements.get(&format!("vectors{bits}.{kind}.{class}"))? / ns_per_cycle);
    let throughput = cycles("throughput", class.name())?;
    let latency = match class {
        InstructionClass::FpSqrt => cycles("latency", "fp_sqrt")? - cycles("latency", "fp_add")?,
        _ => cycles("latency", class.name()).unwrap_or_else(|| scalar_latency.0.max(throughput)),
    };
    Some(VectorCost { latency_cycles: Cycles(rounded(latency)), throughput_cycles: Cycles(rounded(throughput)) })
}
