//! `chronos machine` and `chronos network`: the shipped files and the user's.

use super::args::{FileAction, FileArgs};
use super::exit::Exit;
use super::output::Terminal;
use crate::diag::Diagnostic;
use crate::machine::network::Network;
use crate::machine::{self, Machine};
use crate::span::SourceFiles;

/// A kind of file: how it is listed and loaded.
struct Kind {
    names: fn() -> Vec<&'static str>,
    load: fn(&str) -> Result<Loaded, Vec<Diagnostic>>,
}

/// Description and JSON.
type Loaded = (String, String);

pub fn machines(options: &FileArgs, terminal: &Terminal) -> Exit {
    let load = |name: &str| Machine::load(name).map(|m| (m.description.clone(), m.to_json())).map_err(|e| vec![e]);
    run(options, terminal, &Kind { names: || machine::embedded_names().collect(), load })
}

pub fn networks(options: &FileArgs, terminal: &Terminal) -> Exit {
    let load = |name: &str| Network::load(name).map(|n| (n.description.clone(), to_json(&n)));
    run(options, terminal, &Kind { names: || Network::library().collect(), load })
}

fn to_json(network: &Network) -> String {
    serde_json::to_string_pretty(network).unwrap_or_default()
}

fn run(options: &FileArgs, terminal: &Terminal, kind: &Kind) -> Exit {
    match &options.action {
        FileAction::List => {
            let describe = |name: &&str| {
                (kind.load)(name).map_or_else(|_| "cannot be read".to_owned(), |(description, _)| description)
            };
            let lines: Vec<String> =
                (kind.names)().iter().map(|name| format!("{name:<24}  {}\n", describe(name))).collect();
            terminal.print(&lines.concat())
        }
        FileAction::Show { name } => match (kind.load)(name) {
            Ok((_, json)) => terminal.print(&(json + "\n")),
            Err(errors) => terminal.report(&errors, &SourceFiles::default()),
        },
        FileAction::Check { names } => {
            let errors: Vec<Diagnostic> = names.iter().filter_map(|name| (kind.load)(name).err()).flatten().collect();
            terminal.report(&errors, &SourceFiles::default())
        }
    }
}
