//! Help texts as they are written: clap takes `{n}` in them for a line break, and commands that start MPI programs have it
//! for the number of tasks.

use clap::builder::StyledStr;
use clap::error::ErrorKind;

/// What clap looks for.
const BREAK: &str = "{n}";
/// The same with a change of style inside that changes nothing: clap does not find it, and terminals do not show it.
const SHOWN: &str = "{\u{1b}[0mn}";

/// Parses the process's arguments again where they ask for help, for help that is written as it stands.
pub fn as_written(error: clap::Error, command: impl FnOnce() -> clap::Command) -> clap::Error {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            written_out(command()).try_get_matches().err().unwrap_or(error)
        }
        _ => error,
    }
}

/// A command of which no text is broken.
fn written_out(command: clap::Command) -> clap::Command {
    let (after, after_long) = (shown(command.get_after_help()), shown(command.get_after_long_help()));
    let command = command.mut_args(written_argument).mut_subcommands(written_out);
    let command = after.into_iter().fold(command, clap::Command::after_help);
    after_long.into_iter().fold(command, clap::Command::after_long_help)
}

fn written_argument(argument: clap::Arg) -> clap::Arg {
    let (help, long_help) = (shown(argument.get_help()), shown(argument.get_long_help()));
    let argument = help.into_iter().fold(argument, clap::Arg::help);
    long_help.into_iter().fold(argument, clap::Arg::long_help)
}

/// The text that is shown as this one is written; none where clap would not change it.
fn shown(text: Option<&StyledStr>) -> Option<StyledStr> {
    let text = text?.to_string();
    text.contains(BREAK).then(|| text.replace(BREAK, SHOWN).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How often the texts of a command hold what clap takes for a break.
    fn written(command: &clap::Command) -> usize {
        let arguments = command.get_arguments().filter(|argument| !argument.is_hide_set());
        let texts = arguments.filter_map(|argument| argument.get_long_help().or(argument.get_help()));
        let texts = texts.chain(command.get_after_long_help().or(command.get_after_help()));
        texts.map(|text| text.to_string().matches(BREAK).count()).sum()
    }

    #[test]
    fn every_help_shows_the_number_of_tasks() {
        let plain = super::super::commands();
        let mut broken = written_out(plain.clone());
        let mut seen = 0;
        for command in plain.get_subcommands() {
            let name = command.get_name();
            let help = broken.find_subcommand_mut(name).expect("it has the same commands").render_long_help();
            let (text, wanted) = (help.to_string(), written(command));
            assert!(text.matches(BREAK).count() >= wanted, "{name} breaks lines at {{n}}: {text}");
            seen += wanted;
        }
        assert!(seen >= 8, "{seen}");
    }
}
