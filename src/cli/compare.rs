//! `chronos compare`: programs side by side, or saved reports.

use super::args::{CompareArgs, Format, is_json};
use super::codes;
use super::exit::Exit;
use super::output::Terminal;
use super::progress::TerminalProgress;
use super::values::Limit;
use chronos_base::diag::Diagnostic;
use chronos_base::span::SourceFiles;
use chronos_base::spelling::nearest;
use chronos_pipeline::{self as pipeline, DiagnosticSet, PredictOptions, ProgramOptions, SweepPlan, saved_report};
use chronos_report::compare::{ComparedProgram, Comparison, Entry, csv, html, table};
use chronos_report::json;
use chronos_report::number::seconds;
use std::path::PathBuf;

pub fn run(options: &CompareArgs, terminal: &Terminal) -> Exit {
    let outputs = [options.output.file(), options.html.as_deref()];
    let mut faults: Vec<Diagnostic> = outputs.into_iter().filter_map(|file| terminal.writable(file).err()).collect();
    faults.extend(fault(options));
    if !faults.is_empty() {
        return terminal.report(&faults, &SourceFiles::default());
    }
    let compared = match options.is_of_reports() {
        true => saved_report::read(&options.front_end.files)
            .map(|(programs, entries)| ComparisonInput { programs, entries, told: DiagnosticSet::default() })
            .map_err(|errors| terminal.report(&errors, &SourceFiles::default())),
        false => predicted(options, terminal),
    };
    compared.map_or_else(|exit| exit, |found| finish(options, found, terminal))
}

/// What is to be compared.
struct ComparisonInput {
    programs: Vec<ComparedProgram>,
    entries: Vec<Entry>,
    told: DiagnosticSet,
}

fn fault(options: &CompareArgs) -> Option<Diagnostic> {
    let error = |message: &str, help: &str| Some(Diagnostic::error(&codes::NOTHING_TO_COMPARE, message).help(help));
    let machines = options.systems.count();
    if options.is_of_reports() {
        return match (options.front_end.files.len(), machines) {
            (1, _) => error("one report alone cannot be compared", "name two: chronos compare old.json new.json"),
            (_, 1..) => error("saved reports have their machines already", "leave --machine and --platform out"),
            _ => None,
        };
    }
    if let Some(report) = options.front_end.files.iter().find(|file| is_json(file)) {
        let message = format!("{} is a report, and others are programs", report.display());
        return error(&message, "compare either saved reports or C files");
    }
    let programs = options.front_end.files.len() + options.programs.len();
    match (programs, machines) {
        (0, _) => error("no program is given", "name C files, a program each, or --program NAME=FILE,FILE"),
        (1, 1) if options.points.count() == 1 => error(
            "there is one program, one machine and one number of tasks",
            "give more of any: FILEs, --machine or -n 2,4,8",
        ),
        _ if !options.front_end.symbolic.is_empty() => {
            error("--symbolic gives expressions, which are not compared", "give values: --sweep NAME=100,200,400")
        }
        _ => None,
    }
}

/// The programs with their names: those of one file by its stem, or by its path where stems are the same.
fn programs(options: &CompareArgs) -> Vec<ProgramOptions> {
    let files = options.front_end.files.iter().cloned();
    let own = pipeline::program_names(&options.front_end.files).into_iter().zip(files.map(|file| vec![file]));
    let named = options.programs.iter().map(|program| (program.name.clone(), program.files.clone()));
    let flags = options.front_end.program();
    let program = |(name, files): (String, Vec<PathBuf>)| ProgramOptions { name, files, ..flags.clone() };
    let mut all: Vec<ProgramOptions> = own.chain(named).map(program).collect();
    let files: Vec<PathBuf> = all.iter().flat_map(|program| program.files.clone()).collect();
    all.iter_mut().for_each(|program| program.other_programs_files.clone_from(&files));
    all
}

fn predict_options(options: &CompareArgs, programs: &[ProgramOptions]) -> PredictOptions {
    PredictOptions {
        efficiency: options.output.format == Format::Json || options.efficiency,
        run: options.work.options(),
        ..options.systems.predict_options(programs.to_vec(), &options.points)
    }
}

fn predicted(options: &CompareArgs, terminal: &Terminal) -> Result<ComparisonInput, Exit> {
    let programs = programs(options);
    if let Some(error) = repeated(&programs).or_else(|| no_baseline(options, &programs)) {
        return Err(terminal.report(&[error], &SourceFiles::default()));
    }
    let progress = TerminalProgress::new(terminal);
    let plan = SweepPlan::new(predict_options(options, &programs), &progress).map_err(|r| terminal.refuse(&r))?;
    let mut told = DiagnosticSet::default();
    plan.read().for_each(|(files, found)| told.add(found, files));
    let mut entries = Vec::new();
    let made = plan.run(&progress, |point, result| {
        told.add(&result.diagnostics, plan.files(point));
        let (program, system) = (&programs[point.program].name, plan.system_name(point));
        let took = || format!("{program} -n {} on {system}: {:.3?}", point.tasks, result.took);
        progress.suspend(|| terminal.tell(took));
        entries.push(Entry::new(program, &result.prediction));
    });
    drop(progress);
    made.map_err(|refused| terminal.refuse(&refused))?;
    Ok(ComparisonInput { programs: programs.iter().map(described).collect(), entries, told })
}

fn described(program: &ProgramOptions) -> ComparedProgram {
    let info = pipeline::info(program);
    let name = program.name.clone();
    ComparedProgram { name, files: info.files, arguments: info.arguments, defines: info.defines, report: None }
}

fn repeated(programs: &[ProgramOptions]) -> Option<Diagnostic> {
    let again = |i: &usize| programs[..*i].iter().any(|other| other.name == programs[*i].name);
    let twice = (0..programs.len()).find(again)?;
    let message = format!("two programs are called {}", programs[twice].name);
    Some(Diagnostic::error(&codes::NOTHING_TO_COMPARE, message).help("give each its own name: --program NAME=FILE"))
}

fn no_baseline(options: &CompareArgs, programs: &[ProgramOptions]) -> Option<Diagnostic> {
    let wanted = options.baseline.as_deref()?;
    let names = || programs.iter().map(|program| program.name.as_str());
    if names().any(|name| name == wanted) {
        return None;
    }
    let help = match nearest(wanted, names()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("the programs are {}", names().collect::<Vec<_>>().join(", ")),
    };
    Some(
        Diagnostic::error(&codes::UNKNOWN_PROGRAM, format!("--baseline {wanted}: no program has this name")).help(help),
    )
}

fn finish(options: &CompareArgs, found: ComparisonInput, terminal: &Terminal) -> Exit {
    terminal.report_all(&found.told);
    let wrong = found.told.has_errors();
    let mut comparison = Comparison::new(found.programs, found.entries, options.baseline.as_deref());
    comparison.diagnostics = found.told.data;
    if options.is_of_reports() && !comparison.has_common_cases() {
        return terminal.report(&[nothing_in_common()], &SourceFiles::default());
    }
    let mut exit = terminal.write(&render(options, &comparison, terminal), options.output.file());
    if let Some(file) = options.html.as_deref() {
        exit = exit.max(terminal.write(&html::render(&comparison), Some(file)));
    }
    let slow = options.fail_over.and_then(|limit| slow(&comparison, limit));
    terminal.report(slow.as_slice(), &SourceFiles::default());
    let failed = wrong || slow.is_some() || !comparison.is_complete();
    exit.max(if failed { Exit::Incomplete } else { Exit::Done })
}

fn render(options: &CompareArgs, comparison: &Comparison, terminal: &Terminal) -> String {
    let width = options.output.width(terminal.width());
    match options.output.format {
        Format::Table => table::render(comparison, width),
        Format::Json => json(comparison),
        Format::Csv => csv::render(comparison).unwrap_or_default(),
    }
}

/// What `--fail-over` objects to.
fn slow(comparison: &Comparison, limit: Limit) -> Option<Diagnostic> {
    match limit {
        Limit::Seconds(limit) => {
            let over = comparison.entries.iter().filter(|e| e.known_s > limit);
            let worst = over.max_by(|a, b| a.known_s.total_cmp(&b.known_s))?;
            let message =
                format!("{} takes {}, which is over {limit} s (--fail-over)", case(worst), seconds(worst.known_s));
            Some(Diagnostic::error(&codes::OVER_LIMIT, message).help("the exit code is 1"))
        }
        Limit::Percent(limit) => {
            let slower = comparison.slower(limit);
            let worst = slower.first()?;
            let first = comparison.programs.first().map_or("the first", |program| &program.name);
            let change = worst.change_percent.unwrap_or(0.0);
            let more = match slower.len() - 1 {
                0 => String::new(),
                1 => "; one more case is over the limit".to_owned(),
                more => format!("; {more} more cases are over the limit"),
            };
            let message =
                format!("{} takes {change:.1} % longer than {first} (--fail-over {limit}%){more}", case(worst));
            Some(Diagnostic::error(&codes::SLOWER, message).help("the exit code is 1"))
        }
    }
}

fn case(e: &Entry) -> String {
    let values: String = e.sweep.iter().map(|value| format!(", {} = {}", value.name, value.value)).collect();
    let tasks = if e.tasks_count == 1 { "1 task".to_owned() } else { format!("{} tasks", e.tasks_count) };
    format!("{} on {} with {tasks}{values}", e.program, e.machine)
}

fn nothing_in_common() -> Diagnostic {
    Diagnostic::error(&codes::NOTHING_IN_COMMON, "the reports have no prediction in common")
        .help("make them with the same --machine, --network, -n and --sweep")
}
