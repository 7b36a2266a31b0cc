//! `chronos man`: pages made from the definitions of commands and options.

use super::args::{Arguments, ManualArgs};
use super::codes;
use super::exit::Exit;
use super::output::Terminal;
use chronos_base::diag::Diagnostic;
use chronos_base::span::SourceFiles;
use chronos_base::spelling::nearest;
use clap::CommandFactory;
use std::path::Path;

pub fn run(options: &ManualArgs, terminal: &Terminal) -> Exit {
    let told = |error: Diagnostic| terminal.report(&[error], &SourceFiles::default());
    match (&options.command, &options.output) {
        (Some(command), _) => page_of(command).map_or_else(told, |text| terminal.print(&text)),
        (None, None) => terminal.print(&page(Arguments::command())),
        (None, Some(folder)) => match terminal.writable(Some(&folder.join("chronos.1"))) {
            Ok(()) => write_all(folder, terminal),
            Err(error) => told(error),
        },
    }
}

fn page(command: clap::Command) -> String {
    let mut page = Vec::new();
    // Writing to memory cannot fail.
    let _ = clap_mangen::Man::new(command).render(&mut page);
    String::from_utf8_lossy(&page).into_owned()
}

/// Commands with their global options, by the names of their pages.
fn commands() -> Vec<clap::Command> {
    let mut chronos = Arguments::command();
    chronos.build();
    let of = |command: &clap::Command| command.clone().name(format!("chronos-{}", command.get_name()));
    chronos.get_subcommands().filter(|command| command.get_name() != "help").map(of).collect()
}

fn page_of(wanted: &str) -> Result<String, Diagnostic> {
    let name = format!("chronos-{wanted}");
    let commands = commands();
    match commands.iter().find(|command| command.get_name() == name) {
        Some(command) => Ok(page(command.clone())),
        None => {
            let names = || commands.iter().filter_map(|command| command.get_name().strip_prefix("chronos-"));
            let help = match nearest(wanted, names()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("the commands are {}", names().collect::<Vec<_>>().join(", ")),
            };
            Err(Diagnostic::error(&codes::UNKNOWN_COMMAND, format!("chronos has no command `{wanted}`")).help(help))
        }
    }
}

fn write_all(folder: &Path, terminal: &Terminal) -> Exit {
    let all = std::iter::once(Arguments::command()).chain(commands());
    let write = |command: clap::Command| {
        let file = folder.join(format!("{}.1", command.get_name()));
        terminal.write(&page(command), Some(&file))
    };
    all.map(write).max().unwrap_or(Exit::Done)
}
