//! `--build`: runs the user's build with chronos in place of its compilers, and hands what it compiled to the command as a
//! compilation database.

use super::args::{Command, DEFAULT_LINK, FrontEndArgs};
use super::exit::Exit;
use super::output::Terminal;
use super::progress::TerminalProgress;
use chronos_base::span::SourceFiles;
use chronos_build::wrapper::{self, Wrapped};
use chronos_build::{Captured, Request, capture};
use chronos_pipeline::Progress as _;
use std::env;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

/// What this process has to do where a build started it in place of a compiler; `None` where it is the command itself.
pub fn as_wrapper() -> Option<ExitCode> {
    let folder = PathBuf::from(env::var_os(wrapper::FOLDER)?);
    let name = wrapper::called_by(&env::args_os().next()?).filter(|name| wrapper::is_wrapped(name))?;
    let wrapped = Wrapped {
        folder,
        name,
        arguments: env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect(),
        search_path: search_path(),
        directory: env::current_dir().unwrap_or_default(),
    };
    let (code, message) = wrapper::run(&wrapped);
    if let Some(message) = message {
        let _ = writeln!(std::io::stderr(), "{message}");
    }
    Some(ExitCode::from(code))
}

/// Runs the build that a command names; its files take the place of those of the command line. What is
/// returned holds them until it is dropped.
///
/// # Errors
/// The build fails or makes no program that is meant; it has been told.
pub fn captured(command: &mut Command, terminal: &Terminal) -> Result<Option<Captured>, Exit> {
    let Some(program) = program(command) else { return Ok(None) };
    let Some(build) = program.build.take() else { return Ok(None) };
    let request = Request {
        command: &build,
        executable: program.exe.as_deref(),
        wrapper: env::current_exe().unwrap_or_default(),
        search_path: search_path(),
    };
    let progress = TerminalProgress::new(terminal);
    progress.describe(format!("building: {build}"));
    progress.begin(1);
    let captured = capture(&request);
    drop(progress);
    let captured = captured.map_err(|error| terminal.report(&[*error], &SourceFiles::default()).max(Exit::Usage))?;
    terminal.report(&captured.notes, &SourceFiles::default());
    program.compile_commands = Some(captured.database());
    program.exe = Some(captured.executable.name());
    // Its commands have just been run as the user's own.
    program.trust = true;
    if let Some(link) = link(command).filter(|link| *link == DEFAULT_LINK) {
        let words = captured.executable.link.iter().map(String::as_str);
        *link = shlex::try_join(words.chain([DEFAULT_LINK])).unwrap_or_else(|_| DEFAULT_LINK.to_owned());
    }
    Ok(Some(captured))
}

/// What a command that compiles the program anew links it with.
fn link(command: &mut Command) -> Option<&mut String> {
    match command {
        Command::Run(options) => Some(&mut options.link),
        Command::Trace(options) => Some(&mut options.link),
        _ => None,
    }
}

/// The program of a command that reads one.
pub(super) fn program(command: &mut Command) -> Option<&mut FrontEndArgs> {
    match command {
        Command::Predict(options) => Some(&mut options.front_end),
        Command::Run(options) => Some(&mut options.predict.front_end),
        Command::Scale(options) => Some(&mut options.front_end),
        Command::WhatIf(options) => Some(&mut options.front_end),
        Command::Check(options) => Some(&mut options.front_end),
        Command::Count(options) => Some(&mut options.front_end),
        Command::Validate(options) => Some(&mut options.front_end),
        Command::Instrument(options) => Some(&mut options.program.front_end),
        Command::Trace(options) => Some(&mut options.program.front_end),
        Command::Dump(options) => Some(&mut options.front_end),
        _ => None,
    }
}

fn search_path() -> Vec<PathBuf> {
    env::var_os("PATH").iter().flat_map(env::split_paths).collect()
}
