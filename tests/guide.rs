//! The user guide and the README: every command in it is run, and its output compared; pages that are made from the program are current.
//!
//! `TRYCMD=overwrite cargo test --test guide` writes what commands print now; `UPDATE_SCHEMAS=1` rewrites docs/codes.md and
//! docs/options.md.

use std::fmt::Write as _;

#[test]
fn commands_of_the_guide() {
    trycmd::TestCases::new().case("docs/*.md").case("README.md");
    // What the commands wrote is no part of the sources.
    for file in
        ["prefix.html", "prefix.txt", "lu.csv", "part.csv", "old.json", "new.json", "counts.csv"].iter().chain(&WRITTEN)
    {
        let _ = std::fs::remove_file(file);
    }
    for folder in ["results", "julia.rec", "short.rec"] {
        let _ = std::fs::remove_dir_all(folder);
    }
}

/// What commands of the how-to pages write.
const WRITTEN: [&str; 9] = [
    "pi.json",
    "pi.txt",
    "jacobi.html",
    "jacobi.jsonl",
    "jacobi.cubex",
    "jacobi.txt",
    "jacobi.json",
    "spa.html",
    "spa.txt",
];

fn codes() -> String {
    let mut page = String::from(
        "# Diagnostic codes\n\nMade from the program's own tables (`UPDATE_SCHEMAS=1 cargo test --test guide`); \
         `chronos explain CODE` says the same.\n",
    );
    for code in chronos::cli::diagnostic_codes() {
        let _ = write!(page, "\n## {}: {}\n\n{}\n", code.id, code.title, code.explanation);
    }
    page
}

/// Made pages are rewritten where that is asked for.
fn check_made(path: &str, made: &str) {
    if std::env::var_os("UPDATE_SCHEMAS").is_some() {
        std::fs::write(path, made).expect("written");
    }
    let written = std::fs::read_to_string(path).unwrap_or_default();
    assert!(written == made, "{path}: run the tests with UPDATE_SCHEMAS=1");
}

#[test]
fn the_page_of_codes_is_current() {
    check_made("docs/codes.md", &codes());
}

/// What `--help` says of all commands.
fn options() -> String {
    let mut page = String::from(
        "# Commands and options\n\nMade from the program itself (`UPDATE_SCHEMAS=1 cargo test --test guide`); \
         `chronos COMMAND --help` and `chronos man COMMAND` say the same.\n",
    );
    let mut all = chronos::cli::commands();
    all.build();
    page.push_str("\n## Everywhere\n");
    described(&all, true, &mut page);
    all.get_subcommands().for_each(|command| section(command, &mut page));
    page
}

fn section(command: &clap::Command, page: &mut String) {
    if command.get_name() == "help" {
        return;
    }
    let name = command.get_bin_name().unwrap_or(command.get_name());
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let _ = write!(page, "\n## {name}\n\n{about}.\n");
    described(command, false, page);
    if let Some(examples) = command.get_after_help() {
        let _ = write!(page, "\n```text\n{examples}\n```\n");
    }
    command.get_subcommands().for_each(|command| section(command, page));
}

/// A list of arguments; those of every command only where `global`.
fn described(command: &clap::Command, global: bool, page: &mut String) {
    let shown = |arg: &&clap::Arg| !arg.is_hide_set() && arg.is_global_set() == global && arg.get_id() != "help";
    let mut all: Vec<&clap::Arg> = command.get_arguments().filter(shown).collect();
    all.sort_by_key(|arg| !arg.is_positional());
    page.push_str(if all.is_empty() { "" } else { "\n" });
    for arg in all {
        let help = arg.get_help().map_or(String::new(), |help| format!(": {help}."));
        let _ = writeln!(page, "- `{}`{help}{}", spelled(arg), defaults(arg));
    }
}

fn spelled(arg: &clap::Arg) -> String {
    let names = arg.get_value_names().unwrap_or_default().join(" ");
    let value = if arg.get_action().takes_values() { names } else { String::new() };
    let short = arg.get_short().map(|short| format!("-{short}"));
    let long = arg.get_long().map(|long| format!("--{long}"));
    let flags: Vec<String> = short.into_iter().chain(long).collect();
    format!("{} {value}", flags.join(", ")).trim().to_owned()
}

fn defaults(arg: &clap::Arg) -> String {
    let mut text = String::new();
    let values: Vec<String> = arg.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
    if arg.get_action().takes_values() && !values.is_empty() {
        let _ = write!(text, " One of {}.", values.join(", "));
    }
    let default: Vec<String> = arg.get_default_values().iter().map(|v| v.to_string_lossy().into_owned()).collect();
    if arg.get_action().takes_values() && !default.concat().is_empty() {
        let _ = write!(text, " Default: {}.", default.join(" "));
    }
    text
}

#[test]
fn the_page_of_options_is_current() {
    check_made("docs/options.md", &options());
}

/// Pages that SUMMARY.md does not name cannot be found.
#[test]
fn every_page_is_in_the_summary() {
    let summary = std::fs::read_to_string("docs/SUMMARY.md").expect("a summary");
    for entry in std::fs::read_dir("docs").expect("a folder") {
        let name = entry.expect("an entry").file_name().to_string_lossy().into_owned();
        let is_page = name.ends_with(".md") && name != "SUMMARY.md";
        assert!(!is_page || summary.contains(&format!("({name})")), "{name}");
    }
    for line in summary.lines().filter_map(|line| line.split_once("](")?.1.split_once(')')) {
        assert!(std::path::Path::new("docs").join(line.0).exists(), "{}", line.0);
    }
}
