//! What several integration tests use; each of them uses a part of it.

#![allow(dead_code)]

use chronos::cost::ModelName;
use chronos::frontend::{self as source, SourceOptions};
use chronos::interpreter::Inputs;
use chronos::ir::{CLibrary, DataModel};
use chronos::machine::Machine;
use chronos::machine::network::Network;
use chronos::predict::{self as predict, Job, ModelOptions, OtherPrograms, Target};
use chronos::report::model::Prediction;
use chronos::slicing::Assumptions;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

/// C files of a folder, sorted.
pub fn sources(folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "c"));
    files.sort();
    assert!(!files.is_empty());
    files
}

/// A program of one file, ready to be predicted.
pub fn job(file: &Path, tasks: usize, arguments: &[&str]) -> Job {
    job_of_model(file, tasks, arguments, DataModel::Lp64)
}

/// The same for a machine of this data model.
pub fn job_of_model(file: &Path, tasks: usize, arguments: &[&str], model: DataModel) -> Job {
    // Other random numbers than those of glibc are unknown: what a run alone tells.
    let c_library = CLibrary::Other;
    let options = SourceOptions { files: vec![file.to_owned()], model, c_library, ..SourceOptions::default() };
    let (program, files, diagnostics) = source::program(&options);
    let text = chronos::report::diagnostics::render(&diagnostics, &files, false);
    let job = Job {
        program: Arc::new(program.unwrap_or_else(|| panic!("{text}"))),
        other_programs: OtherPrograms::default(),
        tasks,
        spawned: 0,
        arguments: arguments.iter().map(|&a| a.to_owned()).collect(),
        inputs: Inputs::default(),
        assumptions: Assumptions { budget: 10_000_000, ..Assumptions::default() },
        tasks_per_node: 1,
        correctness: false,
        object_code: chronos::predict::object_code::ObjectCodes::default(),
    };
    let network = Network::load("ethernet-100").expect("it is shipped");
    chronos::predict::evaluation::spawning::complete(job, &network).expect("tasks are not started without end")
}

/// The same where tasks take turns: every second one runs on a machine of another data model, the first on one of `first`.
pub fn job_of_both_models(file: &Path, tasks: usize, arguments: &[&str], first: DataModel) -> Job {
    let other = if first == DataModel::Lp64 { DataModel::Ilp32 } else { DataModel::Lp64 };
    let [job, counterpart] = [first, other].map(|model| job_of_model(file, tasks, arguments, model));
    let difference = job.program.first_difference(&counterpart.program);
    assert_eq!(difference, None, "{}", file.display());
    // More than there are at first: some start others.
    let of_task = (0..64).map(|task| task % 2).collect();
    Job { other_programs: OtherPrograms { programs: vec![(other, counterpart.program)], of_task }, ..job }
}

/// Does something for a machine with its network. Which machine does not matter: counts do not depend on it.
pub fn with_target<R>(run: impl FnOnce(Target<'_>) -> R) -> R {
    let machine = Machine::load("epyc-zen5-gcc12-O0").expect("it is shipped");
    let network = Network::load("ethernet-100").expect("it is shipped");
    run(Target {
        machine: &machine,
        platform: None,
        network: &network,
        options: &ModelOptions { cost_model: Some(ModelName::InstructionSum), ..ModelOptions::default() },
        calibration: None,
        timeline: false,
    })
}

/// On any machine.
pub fn predict(job: &Job) -> Prediction {
    let outcome = with_target(|target| predict::predict(job, target));
    if outcome.prediction.total_s.is_none() {
        println!("{}", chronos::report::diagnostics::render(&outcome.diagnostics, &job.program.files, false));
    }
    outcome.prediction
}

/// Whether MPI programs can be compiled here.
pub fn has_mpi() -> bool {
    Command::new("mpicc").arg("--version").output().is_ok()
}

/// Open MPI's or MPICH's `mpirun`, also as root and on fewer cores than tasks.
pub fn mpirun(tasks: usize, program: &str) -> Command {
    let mut command = Command::new("mpirun");
    command
        .args(["-np", &tasks.to_string(), "--oversubscribe", program])
        .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
        .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
        .env("OMPI_MCA_rmaps_base_oversubscribe", "1")
        .env("OMPI_MCA_mpi_yield_when_idle", "1");
    command
}

/// Compares with the committed schema; `UPDATE_SCHEMAS=1` rewrites it.
pub fn check_schema(name: &str, schema: &serde_json::Value) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("schemas/{name}.json"));
    let text = format!("{}\n", serde_json::to_string_pretty(schema).expect("schema is JSON"));
    if std::env::var_os("UPDATE_SCHEMAS").is_some() {
        std::fs::write(&path, &text).expect("schemas/ is writable");
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap_or_default(), text, "run the tests with UPDATE_SCHEMAS=1");
}

/// The first version of a format whose second one has `added` in its objects (name of a definition or, where empty, the
/// whole, and of a property), and in which `optional` need not be there.
pub fn first_version(
    schema: &serde_json::Value,
    added: &[(&str, &str)],
    optional: &[(&str, &str)],
) -> serde_json::Value {
    let mut first = schema.clone();
    let object = |name: &str| if name.is_empty() { String::new() } else { format!("/$defs/{name}") };
    for (name, property) in added {
        let properties = first.pointer_mut(&format!("{}/properties", object(name))).and_then(|all| all.as_object_mut());
        properties.expect("an object").remove(*property).expect("a property");
    }
    for (name, property) in optional {
        let own =
            first.pointer_mut(&format!("{}/properties/{property}", object(name))).and_then(|own| own.as_object_mut());
        own.expect("an object").remove("default");
        let required = first.pointer_mut(&format!("{}/required", object(name))).and_then(|all| all.as_array_mut());
        required.expect("a list").insert(0, (*property).into());
    }
    let defs = first["$defs"].as_object_mut().expect("definitions");
    ["TaskClass", "Ranks"].iter().for_each(|name| _ = defs.remove(*name));
    first
}

/// Arguments of a command that reads a program, whose random numbers nobody knows: as where the seed is not known.
pub fn without_random_numbers<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    match arguments {
        [command @ ("count" | "predict" | "trace" | "instrument"), rest @ ..] => {
            [&[*command, "--c-library", "other"], rest].concat()
        }
        _ => arguments.to_vec(),
    }
}
