//! Programs on platforms whose machines have several data models: the same sources, read once for each.

use super::codes;
use super::prepared::{PreparedProgram, Refused};
use super::systems::TargetSystem;
use chronos_base::diag::Diagnostic;
use chronos_base::span::Span;
use chronos_ir::{CLibrary, DataModel, Difference};
use chronos_machine::platform::Platform;
use chronos_predict::evaluation::{OtherPrograms, spawning};
use std::collections::BTreeSet;

/// The data models of the machines that so many tasks run on, that of the first task first.
pub fn used(system: &TargetSystem, tasks: usize) -> Vec<DataModel> {
    let placed = system.platform().and_then(|platform| Some((platform, platform.place(tasks).ok()?)));
    let Some((platform, nodes)) = placed.filter(|(_, nodes)| !nodes.is_empty()) else {
        return vec![system.machine().model()];
    };
    let mut found = Vec::new();
    for model in nodes.iter().map(|&node| platform.machine(node).model()) {
        if !found.contains(&model) {
            found.push(model);
        }
    }
    found
}

/// The C library of the machines: the one that all of them name. Where they name several, no random numbers are known.
pub fn c_library(system: &TargetSystem) -> CLibrary {
    let libraries: BTreeSet<CLibrary> = match system.platform() {
        Some(platform) => platform.machines.iter().map(|machine| machine.c_library.unwrap_or_default()).collect(),
        None => BTreeSet::from([system.machine().c_library.unwrap_or_default()]),
    };
    libraries.last().copied().unwrap_or_default()
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
        let message = "times are not predicted as expressions on machines of several data models together";
        let help = "leave out --symbolic, or predict with machines of one kind";
        return Err(Diagnostic::error(&codes::DATA_MODELS, message).help(help).into());
    }
    Ok(())
}

/// The machines of a data model.
fn described(model: DataModel) -> &'static str {
    match model {
        DataModel::Lp64 => "64-bit",
        DataModel::Ilp32 => "32-bit",
        DataModel::Aarch64 => "64-bit Arm",
    }
}

fn differing(first: &PreparedProgram, other: &PreparedProgram, difference: &Difference) -> Refused {
    let (one, two) = (described(first.program.model), described(other.program.model));
    let message = format!("the functions of the program are made of other blocks on {one} than on {two} machines");
    let help = "let conditions on the size of `long` or of pointers be those of an `if (sizeof(long) == 8)` in place of \
                `#if`, give `#if` on an architecture the same statements in both branches, or predict with machines of one \
                kind";
    let diagnostic = Diagnostic::error(&codes::DATA_MODELS, message).help(help);
    let has = |prepared: &PreparedProgram| {
        format!("the first difference, as {} machines have it", described(prepared.program.model))
    };
    let files = if difference.first.is_some() { &first.files } else { &other.files };
    // Headers that only one of them includes may give files other numbers: such a place has no name among these files.
    let is_named = |prepared: &PreparedProgram, span: Span| {
        let name = &prepared.files.get(span.file).name;
        files.iter().any(|(id, file)| id == span.file && file.name == *name)
    };
    let found = [(first, difference.first), (other, difference.second)];
    let found = found.into_iter().filter_map(|(prepared, span)| Some((prepared, span?)));
    let found = found.filter(|&(prepared, span)| is_named(prepared, span));
    let labelled = |diagnostic: Diagnostic, (prepared, span)| diagnostic.label(span, has(prepared));
    Refused { diagnostics: vec![found.fold(diagnostic, labelled)], files: files.clone() }
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
    let Some(platform) = system.platform().filter(|platform| has_several(platform)) else {
        return Ok(OtherPrograms::default());
    };
    let starts = chronos_mpi_calls::spawns(&first.program);
    // Tasks that others start go where the rule of placement puts them.
    let most = if starts.is_empty() { tasks } else { tasks.saturating_add(spawning::MOST) };
    let models: Vec<DataModel> =
        used(system, tasks)[..1].iter().copied().chain(others.iter().map(|(of, _)| *of)).collect();
    let program = |node: u32| models.iter().position(|&model| model == platform.machine(node).model());
    let of_task = platform.place(most).ok().and_then(|nodes| {
        let numbers = nodes.into_iter().map(|node| program(node).map(|position| position as u32));
        numbers.collect::<Option<Vec<u32>>>()
    });
    match of_task {
        Some(of_task) => {
            let programs = others.iter().map(|(of, other)| (*of, other.program.clone())).collect();
            Ok(OtherPrograms { programs, of_task })
        }
        None => Err(unplaced(&starts)),
    }
}

fn has_several(platform: &Platform) -> bool {
    platform.machines.iter().any(|machine| machine.model() != platform.machines[0].model())
}

fn unplaced(starts: &[Span]) -> Diagnostic {
    let message =
        "tasks that others start may come to machines of another data model than those that a run begins with";
    let help = "begin with a task on a machine of each data model (-n), with placement \"block\" or \"cyclic\", or predict \
                with machines of one kind";
    let diagnostic = Diagnostic::error(&codes::DATA_MODELS, message).help(help);
    starts.iter().fold(diagnostic, |diagnostic, &span| diagnostic.label(span, "tasks are started here"))
}
