//! `chronos machine` and `chronos network`: the shipped files and the user's.

use super::args::{FileAction, MachineAction, MachineArgs, NetworkAction, NetworkArgs};
use super::exit::Exit;
use super::network_fit;
use super::output::Terminal;
use chronos_base::diag::Diagnostic;
use chronos_base::span::SourceFiles;
use chronos_calibrate as calibrate;
use chronos_machine::network::Network;
use chronos_machine::scale::Factor;
use chronos_machine::{self as machine, Machine, diff};
use chronos_predict::suite_residuals;
use std::path::Path;

/// A kind of file: how it is listed and loaded.
struct Kind {
    names: fn() -> Vec<&'static str>,
    load: fn(&str) -> Result<Loaded, Vec<Diagnostic>>,
    /// What is improbable in one that can be loaded.
    warnings: fn(&str) -> Vec<Diagnostic>,
}

/// Columns of names in lists.
const LEAST_NAME_WIDTH: usize = 24;

/// Description and JSON.
type Loaded = (String, String);

pub fn machines(options: &MachineArgs, terminal: &Terminal) -> Exit {
    let load = |name: &str| Machine::load(name).map(|m| (m.description.clone(), m.to_json())).map_err(|e| vec![e]);
    let warnings = |name: &str| Machine::load(name).map(|machine| machine.check(name)).unwrap_or_default();
    let kind = Kind { names: || machine::embedded_names().collect(), load, warnings };
    match &options.action {
        MachineAction::File(action) => run(action, terminal, &kind),
        MachineAction::Diff { left, right, all } => match (Machine::load(left), Machine::load(right)) {
            (Ok(left), Ok(right)) => terminal.print(&diff::table(&left, &right, *all)),
            (left, right) => {
                let errors: Vec<Diagnostic> = [left, right].into_iter().filter_map(Result::err).collect();
                terminal.report(&errors, &SourceFiles::default())
            }
        },
        MachineAction::Scale { name, factors, output } => scale(name, factors, output, terminal),
        MachineAction::Refit { name, output } => refit(name, output, terminal),
    }
}

fn scale(name: &str, factors: &[Factor], output: &Path, terminal: &Terminal) -> Exit {
    let stem = output.file_stem().map_or_else(|| name.into(), |stem| stem.to_string_lossy());
    match Machine::load(name).and_then(|machine| machine.scaled(&stem, factors)) {
        Ok(machine) => {
            let exit = terminal.report(&machine.check(&stem), &SourceFiles::default());
            exit.max(terminal.write(&(machine.to_json() + "\n"), Some(output)))
        }
        Err(error) => terminal.report(&[error], &SourceFiles::default()),
    }
}

fn refit(name: &str, output: &Path, terminal: &Terminal) -> Exit {
    let refitted = Machine::load(name).map_err(|error| vec![error]).and_then(|mut machine| {
        if machine.samples.is_empty() {
            let error =
                Diagnostic::error(&calibrate::codes::NO_SAMPLES, format!("`{name}` keeps nothing of a measurement"));
            return Err(vec![error.help("give a machine file that `chronos calibrate` made")]);
        }
        calibrate::refit(&mut machine);
        suite_residuals::with_residuals(machine)
    });
    match refitted {
        Ok(machine) => terminal.write(&(machine.to_json() + "\n"), Some(output)),
        Err(errors) => terminal.report(&errors, &SourceFiles::default()),
    }
}

pub fn networks(options: &NetworkArgs, terminal: &Terminal) -> Exit {
    let load = |name: &str| Network::load(name).map(|n| (n.description.clone(), to_json(&n)));
    let kind = Kind { names: || Network::library().collect(), load, warnings: |_| Vec::new() };
    match &options.action {
        NetworkAction::File(action) => run(action, terminal, &kind),
        NetworkAction::Fit { times, form, like, output } => network_fit::run(times, *form, like, output, terminal),
    }
}

pub(super) fn to_json(network: &Network) -> String {
    serde_json::to_string_pretty(network).unwrap_or_default()
}

fn run(action: &FileAction, terminal: &Terminal, kind: &Kind) -> Exit {
    match action {
        FileAction::List => {
            let describe = |name: &&str| {
                (kind.load)(name).map_or_else(|_| "cannot be read".to_owned(), |(description, _)| description)
            };
            let names = (kind.names)();
            let width = names.iter().map(|name| name.len()).max().unwrap_or(0).max(LEAST_NAME_WIDTH);
            let lines: Vec<String> = names.iter().map(|name| format!("{name:<width$}  {}\n", describe(name))).collect();
            terminal.print(&lines.concat())
        }
        FileAction::Show { name } => match (kind.load)(name) {
            Ok((_, json)) => terminal.print(&(json + "\n")),
            Err(errors) => terminal.report(&errors, &SourceFiles::default()),
        },
        FileAction::Check { names } => {
            let of = |name: &String| (kind.load)(name).err().unwrap_or_else(|| (kind.warnings)(name));
            let found: Vec<Diagnostic> = names.iter().flat_map(of).collect();
            terminal.report(&found, &SourceFiles::default())
        }
    }
}
