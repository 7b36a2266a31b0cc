//! `chronos whatif`: what changes of a program or a system would save.

mod recorded;

use super::args::{Format, TableChoice, WhatIfArgs};
use super::exit::Exit;
use super::output::Terminal;
use super::progress::TerminalProgress;
use super::{codes, folders};
use chronos_base::diag::{Code, Diagnostic};
use chronos_base::span::SourceFiles;
use chronos_pipeline::{
    self as pipeline, DiagnosticSet, EvaluatedRun, PredictOptions, ProgramOptions, Question, Refused, RunOptions,
    SweepPlan, SweepPoint,
};
use chronos_predict::efficiency::efficiency;
use chronos_predict::with_recorded_matching;
use chronos_report::json;
use chronos_report::whatif::model::{Base, ChangeRow, WhatIf};
use chronos_report::whatif::{self, WhatIfReport};
use chronos_whatif::{
    Combination, NetworkOptions, Study, causes, efficiencies, is_change, longest_path, rank, tolerance,
};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use std::path::{Path, PathBuf};

/// What was asked for: the words told apart.
struct Asked<'a> {
    options: &'a WhatIfArgs,
    program: ProgramOptions,
    changes: Vec<Combination>,
    networks: NetworkOptions,
}

impl<'a> Asked<'a> {
    fn new(options: &'a WhatIfArgs) -> Result<Self, Vec<Diagnostic>> {
        let mut program = options.front_end.program();
        let word = |path: &PathBuf| path.to_str().filter(|word| is_change(word)).map(str::to_owned);
        let words: Vec<String> = program.files.iter().filter_map(word).collect();
        program.files.retain(|path| word(path).is_none());
        let (mut changes, mut errors) = (Vec::new(), Vec::new());
        for text in words {
            match Combination::parse(&text) {
                Ok(change) => changes.push(change),
                Err(error) => errors.push(error),
            }
        }
        errors.extend(options.record.without_record().err());
        match &options.record.recorded {
            None => errors.extend(check(&program).err()),
            Some(_) => errors.extend(recorded::faults(&program, &changes, &options.show)),
        }
        let networks =
            NetworkOptions { library: options.systems.mpi_library.clone(), factors: options.systems.factors.clone() };
        if errors.is_empty() { Ok(Self { options, program, changes, networks }) } else { Err(errors) }
    }

    /// Whether a table is shown.
    fn shows(&self, table: TableChoice) -> bool {
        let usual: &[TableChoice] = match self.options.record.recorded {
            // Which code a recorded task executes is not known, so there is nothing to rank.
            Some(_) => &[TableChoice::Efficiency],
            None => &[TableChoice::Efficiency, TableChoice::Rank],
        };
        let unasked = self.options.show.is_empty() && self.changes.is_empty() && usual.contains(&table);
        unasked || self.options.show.contains(&table)
    }

    fn predict_options(&self) -> PredictOptions {
        let common = self.options.systems.predict_options(vec![self.program.clone()], &self.options.points);
        let run =
            RunOptions { resume: self.options.resume.clone(), objects: folders::objects(), ..RunOptions::default() };
        let recorded = self.options.record.options();
        PredictOptions { trace: self.options.trace.options(), recorded, run, ..common }
    }

    /// All that an answer depends on beside its point.
    fn question(&self) -> Question<'static> {
        let changes: Vec<&str> = self.changes.iter().map(|change| &*change.text).collect();
        let WhatIfArgs { show, re_evaluate, top, .. } = self.options;
        let text = format!("{changes:?} {show:?} {re_evaluate} {top} {:?}", self.networks);
        let files = self.changes.iter().flat_map(Combination::networks).map(PathBuf::from).collect();
        Question { text, files, code: &code_of }
    }
}

fn code_of(id: &str) -> Option<&'static Code> {
    chronos_whatif::CODES.iter().copied().find(|code| code.id == id)
}

fn check(program: &ProgramOptions) -> Result<(), Diagnostic> {
    let error = |message: &str, help: &str| Err(Diagnostic::error(&codes::NOTHING_TO_CHANGE, message).help(help));
    if program.files.is_empty() && program.compile_commands.is_none() {
        return error("no program is given", "name its C files before the changes");
    }
    if !program.symbolic.is_empty() {
        let help = "give values: --set NAME=VALUE, or --sweep NAME=100,200";
        return error("--symbolic gives expressions, whose critical path is not known", help);
    }
    Ok(())
}

pub fn run(options: &WhatIfArgs, terminal: &Terminal) -> Exit {
    let none = SourceFiles::default();
    let outputs = [options.output.file(), options.html.as_deref()];
    let writable = outputs.into_iter().try_for_each(|path| terminal.writable(path));
    if let Err(error) = writable.and_then(|()| two_files(outputs)) {
        return terminal.report(&[error], &none);
    }
    let asked = match Asked::new(options) {
        Ok(asked) => asked,
        Err(errors) => return terminal.report(&errors, &none),
    };
    let progress = TerminalProgress::new(terminal);
    let plan = match SweepPlan::new(asked.predict_options(), &progress) {
        Ok(plan) => plan,
        Err(refused) => return terminal.refuse(&refused),
    };
    drop(progress);
    let mut told = DiagnosticSet::default();
    plan.read().for_each(|(files, diagnostics)| told.add(diagnostics, files));
    let (mut studies, mut exit) = (Vec::new(), Exit::Done);
    for point in &plan.points {
        match kept_or_made(&asked, &plan, point, &mut told) {
            Ok(Some(study)) => studies.push(study),
            Ok(None) => exit = exit.max(Exit::Incomplete),
            Err(refused) => return terminal.refuse(&refused),
        }
    }
    efficiencies::add_scaling(&mut studies, options.weak);
    terminal.report_all(&told);
    let mut report = WhatIfReport::new(studies);
    report.diagnostics.clone_from(&told.data);
    let text = render(options, &report, terminal);
    let wrong = if told.has_errors() { Exit::Incomplete } else { Exit::Done };
    let page = options.html.as_deref().map(|file| page(&report, file, terminal));
    exit.max(wrong).max(terminal.write(&text, options.output.file())).max(page.unwrap_or(Exit::Done))
}

/// What is written first would be lost.
fn two_files(outputs: [Option<&Path>; 2]) -> Result<(), Diagnostic> {
    match outputs {
        [Some(one), Some(other)] if one == other => {
            Err(pipeline::not_written(one, &std::io::Error::other("-o and --html name the same file")))
        }
        _ => Ok(()),
    }
}

fn page(report: &WhatIfReport, file: &Path, terminal: &Terminal) -> Exit {
    // Plain data can always be written.
    whatif::html(report).map_or(Exit::Incomplete, |page| terminal.write(&page, Some(file)))
}

/// A study that was kept, or is made and kept; `None` where the program's own prediction is incomplete, which is not kept.
fn kept_or_made(
    asked: &Asked<'_>,
    plan: &SweepPlan,
    point: &SweepPoint,
    told: &mut DiagnosticSet,
) -> Result<Option<WhatIf>, Box<Refused>> {
    let question = asked.question();
    if let Some((study, diagnostics)) = plan.kept_answer::<WhatIf>(point, &question) {
        told.add(&diagnostics, plan.files(point));
        return Ok(Some(study));
    }
    let mut found = Vec::new();
    let study = study(asked, plan, point, &mut found)?;
    let failed = study.as_ref().and_then(|study| plan.keep_answer(point, &question, study, &found));
    found.extend(failed);
    told.add(&found, plan.files(point));
    Ok(study)
}

/// One study; `None` where the program's own prediction is incomplete.
fn study(
    asked: &Asked<'_>,
    plan: &SweepPlan,
    point: &SweepPoint,
    told: &mut Vec<Diagnostic>,
) -> Result<Option<WhatIf>, Box<Refused>> {
    let refused = |diagnostics| Box::new(Refused { diagnostics, files: plan.files(point).clone() });
    let run = plan.evaluate(point)?;
    told.extend(run.diagnostics.iter().cloned());
    let (Some(evaluated), Some(_)) = (&run.evaluated, run.prediction.total_s) else { return Ok(None) };
    let target = plan.target(point);
    let depends = evaluated.activity().timing_dependent;
    let pinned = if depends { with_recorded_matching(&run.job, target, evaluated) } else { None };
    let studied = pinned.as_ref().unwrap_or(evaluated);
    let study = Study::new(&run.job, target, studied).map_err(|error| refused(vec![error]))?;
    let again = depends && (pinned.is_none() || asked.options.re_evaluate);
    let rows = rows(asked, &study, depends).map_err(refused)?;
    let followed = match pinned.is_some() && again {
        true => {
            let study = Study::new(&run.job, target, evaluated).map_err(|error| refused(vec![error]))?;
            self::rows(asked, &study, depends).map_err(refused)?
        }
        false => Vec::new(),
    };
    let rank = asked.shows(TableChoice::Rank).then(|| rank::rank(&study, asked.options.top));
    told.extend(rank.as_ref().and_then(|_| longest_path::note(&study)));
    let found = || efficiency(&run.job, target, studied);
    if studied.activity().timing_dependent && asked.shows(TableChoice::Tolerance) {
        told.push(tolerance::without_order());
    }
    let waiting = asked.shows(TableChoice::Causes).then(|| causes::causes(&study));
    let (waiting, doubts) = waiting.unwrap_or_default();
    told.extend(doubts);
    Ok(Some(WhatIf {
        program: plan.program_info(&asked.program).files,
        base: Base { re_evaluated: again, recorded_matching: pinned.is_some(), ..base(&run, study.total) },
        rows: side_by_side(rows, followed),
        rank,
        efficiency: asked.shows(TableChoice::Efficiency).then(found).flatten(),
        tolerance: asked.shows(TableChoice::Tolerance).then(|| tolerance::tolerance(&study)),
        waiting,
    }))
}

/// The answers to all changes, labelled where the order of arrival decides something.
fn rows(asked: &Asked<'_>, study: &Study<'_>, depends: bool) -> Result<Vec<ChangeRow>, Vec<Diagnostic>> {
    let again = study.evaluated.activity().timing_dependent;
    let matching = depends.then_some(if again { "followed again" } else { "recorded" });
    let labelled = |row: ChangeRow| ChangeRow { matching, ..row };
    let all: Vec<_> = asked.changes.par_iter().map(|change| study.row(change, &asked.networks).map(labelled)).collect();
    all.into_iter().collect()
}

/// Both answers to each change, one behind the other.
fn side_by_side(rows: Vec<ChangeRow>, followed: Vec<ChangeRow>) -> Vec<ChangeRow> {
    let mut followed = followed.into_iter();
    rows.into_iter().flat_map(|row| std::iter::once(row).chain(followed.next())).collect()
}

fn base(run: &EvaluatedRun, total_s: f64) -> Base {
    Base {
        platform: run.prediction.platform.clone(),
        tasks: run.prediction.tasks_count,
        sweep: run.prediction.sweep.clone(),
        total_s,
        re_evaluated: false,
        recorded_matching: false,
    }
}

fn render(options: &WhatIfArgs, report: &WhatIfReport, terminal: &Terminal) -> String {
    let width = options.output.width(terminal.width());
    match options.output.format {
        Format::Table => whatif::table(report, options.top, width),
        Format::Json => json(report),
        Format::Csv => whatif::csv(report).unwrap_or_default(),
    }
}
