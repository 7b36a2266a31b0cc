//! Programs on platforms whose machines have several data models: the same sources, read once for each.

use super::codes;
use super::prepared::{PreparedProgram, Refused};
use super::systems::TargetSystem;
use chronos_base::diag::Diagnostic;
use chronos_ir::{DataModel, Difference};
use chronos_predict::evaluation::OtherPrograms;

/// The data models of the machines that so many tasks run on, that of the first task first.
pub fn used(system: &TargetSystem, tasks: usize) -> Vec<DataModel> {
    let placed = system.platform().and_then(|platform| Some((platform, platform.place(tasks).ok()?)));
    let Some((platform, nodes)) = placed.filter(|(_, nodes)| !nodes.is_empty()) else {
        return vec![system.machine().data_model];
    };
    let mut found = Vec::new();
    for model in nodes.iter().map(|&node| platform.machine(node).data_model) {
        if !found.contains(&model) {
            found.push(model);
        }
    }
    found
}

/// Refuses programs that cannot run together.
///
/// # Errors
/// Their first difference, or what cannot be followed on machines of several data models.
pub fn check(first: &PreparedProgram, others: &[&PreparedProgram]) -> Result<(), Box<Refused>> {
    for other in others {
        if let Some(difference) = first.program.first_difference(&other.program) {
            return Err(Box::new(differing(first, other, &difference)));
        }
    }
    if !others.is_empty() && !first.program.parameters.is_empty() {
        let message = "times are not predicted as expressions on machines of 32 and 64 bits together";
        let help = "leave out --symbolic, or predict with machines of one kind";
        return Err(Diagnostic::error(&codes::DATA_MODELS, message).help(help).into());
    }
    Ok(())
}

fn differing(first: &PreparedProgram, other: &PreparedProgram, difference: &Difference) -> Refused {
    let message = "the functions of the program are made of other blocks on 32-bit than on 64-bit machines";
    let help = "let conditions on the size of `long` or of pointers be those of an `if (sizeof(long) == 8)` in place of \
                `#if`, or predict with machines of one kind";
    let (of, span) = match (difference.first, difference.second) {
        (None, Some(span)) => (other, Some(span)),
        (span, _) => (first, span),
    };
    let bits = if of.program.model == DataModel::Lp64 { 64 } else { 32 };
    let label = format!("the first difference, as {bits}-bit machines have it");
    let diagnostic = Diagnostic::error(&codes::DATA_MODELS, message).help(help);
    let diagnostic = span.into_iter().fold(diagnostic, |diagnostic, span| diagnostic.label(span, label.clone()));
    Refused { diagnostics: vec![diagnostic], files: of.files.clone() }
}

/// What the job of so many tasks has besides its own program.
///
/// # Errors
/// Tasks are started, perhaps on machines that none of the programs was read for.
pub fn other_programs(
    first: &PreparedProgram,
    others: &[(DataModel, &PreparedProgram)],
    system: &TargetSystem,
    tasks: usize,
) -> Result<OtherPrograms, Diagnostic> {
    let Some(platform) = system.platform() else { return Ok(OtherPrograms::default()) };
    let starts = chronos_mpi_calls::spawns(&first.program);
    let several = || platform.machines.iter().any(|machine| machine.data_model != platform.machines[0].data_model);
    if let Some(&span) = starts.first().filter(|_| several()) {
        let message = "tasks that others start are not followed on machines of 32 and 64 bits together";
        let help = "predict with machines of one kind";
        return Err(Diagnostic::error(&codes::DATA_MODELS, message).label(span, "tasks are started here").help(help));
    }
    if others.is_empty() {
        return Ok(OtherPrograms::default());
    }
    let position = |node: u32| {
        let model = platform.machine(node).data_model;
        others.iter().position(|(of, _)| *of == model).map_or(0, |position| position as u32 + 1)
    };
    let of_task = platform.place(tasks)?.into_iter().map(position).collect();
    Ok(OtherPrograms { programs: others.iter().map(|(of, other)| (*of, other.program.clone())).collect(), of_task })
}
