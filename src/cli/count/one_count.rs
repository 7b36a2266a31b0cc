//! One count: of a program with its values set, on one number of tasks.

use crate::cli::args::CountArgs;
use crate::cli::codes;
use crate::cli::output::Terminal;
use chronos_base::diag::Diagnostic;
use chronos_base::span::SourceFiles;
use chronos_ir::DataModel;
use chronos_machine::network::Network;
use chronos_pipeline::{self as pipeline, PreparedProgram, ProgramOptions, Refused, RequiredFunction};
use chronos_predict::evaluation::Job;
use chronos_predict::profile::{self, Counted};
use chronos_report::counts::CountReport;
use chronos_report::diagnostics;
use chronos_report::model::ProgramInfo;
use std::time::Instant;

pub fn prepared(program: ProgramOptions, options: &CountArgs) -> Result<PreparedProgram, Box<Refused>> {
    let required = options.function.as_deref().map(|name| RequiredFunction { option: "--function", name });
    PreparedProgram::read(
        program,
        DataModel::default(),
        required,
        options.points.tasks().iter().any(|&tasks| tasks > 1),
    )
}

pub fn counted(job: &Job, options: &CountArgs, terminal: &Terminal) -> Result<Counted, Vec<Diagnostic>> {
    let network = Network::load(pipeline::ORDERING_NETWORK)?;
    let job = &Job { tasks_per_node: options.nodes.tasks_per_node, ..job.clone() };
    let traced = options.trace.options().map(|trace| pipeline::read_trace(&trace, job)).transpose()?;
    let begin = Instant::now();
    let counted = match traced {
        None => profile::count(job, &network),
        Some((trace, partial)) => {
            // Where only some blocks have points, what an evaluation counts further on is exact and not in the trace.
            let budget = options.front_end.budget.or((!trace.map.whole).then_some(job.assumptions.budget));
            let job = pipeline::with_little_effort(job, &trace, budget);
            let mut counted = profile::traced::count(&job, &network, &trace);
            counted.diagnostics.extend(partial);
            counted
        }
    };
    terminal.tell(|| format!("-n {}: counted in {:.3?}", job.tasks, begin.elapsed()));
    Ok(counted)
}

pub fn report(
    counted: Counted,
    program: ProgramInfo,
    tasks_count: usize,
    diagnostics: &[Diagnostic],
    files: &SourceFiles,
) -> CountReport {
    CountReport {
        schema: CountReport::SCHEMA,
        program,
        tasks_count,
        sweep: Vec::new(),
        parameters: counted.parameters,
        blocks: counted.blocks,
        functions: counted.functions,
        lines: counted.lines,
        summary: counted.summary,
        inexact: counted.inexact,
        diagnostics: diagnostics.iter().map(|d| diagnostics::data(d, files)).collect(),
    }
}

/// What `--strict` objects to.
pub fn strict(options: &CountArgs, report: &CountReport) -> Option<Diagnostic> {
    let inexact = report.summary.inexact();
    let message = || format!("the counts of {inexact} of {} blocks are not exact (--strict)", report.blocks.len());
    let error = || Diagnostic::error(&codes::NOT_EXACT, message());
    (options.strict && inexact > 0).then(|| error().help("the list names each of them with its reason and the remedy"))
}
