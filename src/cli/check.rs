//! `chronos check`: the first command for a new program.

use super::args::CheckArgs;
use super::exit::Exit;
use super::made_input::{self, MadeInput};
use super::output::Terminal;
use chronos_base::diag::Diagnostic;
use chronos_interpreter::InputTemplates;
use chronos_ir::{Callee, DataModel, Program, openmp};
use chronos_machine::network::Network;
use chronos_mpi_calls as mpi;
use chronos_pipeline::{self as pipeline, ProgramOptions};
use chronos_predict::correctness;
use chronos_predict::evaluation::Job;
use chronos_predict::profile::{self, Counted};
use chronos_report::check::{Check, MpiUse, render};
use std::collections::BTreeMap;
use std::sync::Arc;

pub fn run(options: &CheckArgs, terminal: &Terminal) -> Exit {
    let program_options = options.front_end.program();
    let (program, files, mut diagnostics) = pipeline::program(&program_options, DataModel::default());
    let Some(program) = program else { return terminal.report(&diagnostics, &files) };
    let program = Arc::new(program);
    let faults = pipeline::before_evaluation(&program);
    if program.main.is_none() {
        return terminal.report(&[diagnostics, faults].concat(), &files);
    }
    let templates = options.make_input.as_ref().map(|_| InputTemplates::default());
    let evaluated =
        if faults.is_empty() { Some(evaluated(options, &program_options, &program, templates.clone())) } else { None };
    let evaluated = match evaluated.transpose() {
        Ok(evaluated) => evaluated,
        Err(errors) => return terminal.report(&errors, &files),
    };
    let (counted, found) = evaluated.unzip();
    diagnostics.extend(faults);
    diagnostics.extend(chronos_mpi_calls::own_operations(&program));
    // The list tells what is assumed, in fewer words.
    let wrong = |d: &&Diagnostic| d.is_error();
    diagnostics.extend(found.into_iter().flatten());
    terminal.report(&diagnostics, &files);
    let errors = diagnostics.iter().filter(wrong).count();
    let followed = counted.as_ref().is_some_and(|counted| counted.complete);
    let complete = followed && errors == 0;
    // What the prediction does not know ends it, whatever else is followed.
    let only_misuse = diagnostics.iter().filter(wrong).all(correctness::is_finding);
    let made =
        options.make_input.as_ref().zip(templates.as_ref()).map(|(folder, made)| made_input::write(folder, made));
    let made = match made.transpose() {
        Ok(made) => made.unwrap_or_default(),
        Err(error) => return terminal.report(&[error], &files),
    };
    let checked = check(options, &program, counted, errors, &made);
    let mut page = render(&Check { followed: followed && only_misuse, ..checked });
    if options.mpi {
        page += &format!("\n{}", correctness::summary(&diagnostics, options.tasks, followed));
    }
    page += &made.list;
    let written = terminal.page(&page);
    written.max(if complete { Exit::Done } else { Exit::Incomplete })
}

/// The counts, and what is told besides them.
fn evaluated(
    options: &CheckArgs,
    program_options: &ProgramOptions,
    program: &Arc<Program>,
    templates: Option<InputTemplates>,
) -> Result<(Counted, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut job = pipeline::job(program_options, program, options.tasks)?;
    job.inputs.templates = templates;
    let job =
        pipeline::with_spawned(Job { correctness: options.mpi, tasks_per_node: options.nodes.tasks_per_node, ..job })?;
    let network = Network::load(pipeline::ORDERING_NETWORK)?;
    let counted = profile::count(&job, &network);
    if !options.mpi {
        let found = counted.diagnostics.iter().filter(|d| d.is_error()).cloned().collect();
        return Ok((counted, found));
    }
    let found = correctness::findings(&job, &network, &counted);
    Ok((counted, found))
}

fn check(options: &CheckArgs, program: &Program, counted: Option<Counted>, errors: usize, made: &MadeInput) -> Check {
    let by_clock = counted.as_ref().is_some_and(|counted| counted.by_clock);
    let counts = counted.map(|counted| (counted.summary, counted.inexact));
    let open = counts.as_ref().is_some_and(|(summary, _)| summary.assumed + summary.unknown > 0);
    let pragma = |(text, span): &(String, _)| (program.files.locate(*span), text.clone());
    let info = pipeline::info(&options.front_end.program());
    Check {
        program: info.title(),
        files: info.files,
        tasks: options.tasks,
        functions: program.functions.len(),
        blocks: program.blocks.len(),
        mpi: uses(program),
        pragmas: program.pragmas.iter().map(pragma).collect(),
        next: next(open, errors, counts.is_some(), by_clock, &made.options),
        by_clock,
        counts,
        errors,
        followed: false,
    }
}

fn uses(program: &Program) -> Vec<MpiUse> {
    let mut places: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (id, block) in program.blocks.iter() {
        if let Some(Callee::Mpi(name)) = program.call(id).map(|call| &call.callee)
            && !openmp::is_directive(name)
        {
            places.entry(name).or_default().push(program.files.locate(block.span));
        }
    }
    let used = |(name, places): (&str, _)| MpiUse { name: name.to_owned(), covered: mpi::supported(name), places };
    places.into_iter().map(used).collect()
}

fn next(open: bool, errors: usize, evaluated: bool, by_clock: bool, input: &[String]) -> Vec<(String, String)> {
    let with = |command: &str, options: &str, why: &str| (typed(command, options, input), why.to_owned());
    let counts = with("count", "", "the source, with how often each line is executed");
    let how_long = "how long it takes on this processor; `chronos machine list` names others, for --machine";
    let predict = with("predict", "", how_long);
    if errors > 0 {
        let again = "again, when all is resolved; `chronos explain CODE` says more about a diagnostic";
        let other = [with("check", "", again)].into_iter().chain(evaluated.then_some(counts));
        return by_clock.then_some(predict).into_iter().chain(other).collect();
    }
    let fill_in = "what is assumed or unknown, to be filled in and given with --assume assumptions.json";
    let assume = open.then(|| with("count", "--write-assumptions assumptions.json", fill_in));
    assume.into_iter().chain([predict, counts]).collect()
}

/// The same command line for another command, with input that was made and further options before the program's own arguments.
fn typed(command: &str, options: &str, input: &[String]) -> String {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let own = given.iter().position(|word| word == "--").unwrap_or(given.len());
    let mut words = vec!["chronos".to_owned(), command.to_owned()];
    let mut named = false;
    let mut rest = given[..own].iter();
    while let Some(word) = rest.next() {
        if !named && word == "check" {
            named = true;
        } else if word == "--make-input" {
            rest.next();
        } else if (command == "check" || word != "--mpi") && !word.starts_with("--make-input=") {
            words.push(quoted(word));
        }
    }
    words.extend(input.iter().map(|word| quoted(word)));
    words.extend((!options.is_empty()).then(|| options.to_owned()));
    words.extend(given[own..].iter().map(|word| quoted(word)));
    words.join(" ")
}

/// As a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn words_are_quoted_for_a_shell() {
        let all: Vec<String> = ["a.c", "-DN=3", "gcc -O2", "it's", ""].into_iter().map(quoted).collect();
        assert_eq!(all.join(" "), "a.c -DN=3 'gcc -O2' 'it'\\''s' ''");
    }
}
