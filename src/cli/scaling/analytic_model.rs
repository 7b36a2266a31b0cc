//! `chronos scale --model`: a model by its parameters, as the figures of the paper have it.

use crate::cli::args::{Format, ModelChoice, ScaleArgs};
use crate::cli::codes;
use crate::cli::exit::Exit;
use crate::cli::output::Terminal;
use crate::cli::values::Parameter;
use chronos_base::diag::Diagnostic;
use chronos_base::span::SourceFiles;
use chronos_base::units::Seconds;
use chronos_report::scaling::{AnalyticData, Figure, ScalingReport, figure_csv, figure_html, figure_table};
use chronos_scaling::model::Model;

pub fn run(model: ModelChoice, options: &ScaleArgs, terminal: &Terminal) -> Exit {
    match models(model, options) {
        Ok(models) => show(&Figure { models, tasks: options.points.tasks().to_vec() }, options, terminal),
        Err(error) => terminal.report(&[error], &SourceFiles::default()),
    }
}

fn show(figure: &Figure, options: &ScaleArgs, terminal: &Terminal) -> Exit {
    let width = options.output.width(terminal.width());
    let text = match options.output.format {
        Format::Table => figure_table(figure, width),
        Format::Csv => figure_csv(figure).unwrap_or_default(),
        Format::Json => {
            let data = figure.models.iter().map(|model| AnalyticData::new(model, &figure.tasks)).collect();
            serde_json::to_string_pretty(&ScalingReport::of_models(data)).map(|text| text + "\n").unwrap_or_default()
        }
    };
    let page = options.html.as_deref().map(|file| terminal.write(&figure_html(figure), Some(file)));
    terminal.write(&text, options.output.file()).max(page.unwrap_or(Exit::Done))
}

/// One for each ratio, or the one that the parameters make.
fn models(model: ModelChoice, options: &ScaleArgs) -> Result<Vec<Model>, Diagnostic> {
    let names = names(model);
    if let Some(unknown) = options.parameters.iter().find(|p| !names.contains(&&*p.name)) {
        let message = format!("--parameter {}: the model has no parameter of this name", unknown.name);
        return Err(wrong(message, &names));
    }
    if options.levels.is_some() && model != ModelChoice::Hierarchical {
        let message = "--levels: only the model hierarchical has levels of groups";
        return Err(Diagnostic::error(&codes::WRONG_MODEL, message).help("leave it out, or name --model hierarchical"));
    }
    let missing: Vec<&str> = names.iter().copied().filter(|name| !is_given(&options.parameters, name)).collect();
    match options.ratios[..] {
        [] if options.parameters.is_empty() => Err(wrong("--model needs the model's parameters".to_owned(), &names)),
        [] if !missing.is_empty() => {
            Err(wrong(format!("--model needs all parameters; missing: {}", missing.join(", ")), &names))
        }
        [] => Ok(vec![with(model, levels(options), &|name| value(&options.parameters, name))]),
        _ if !has_ratio(model) => {
            Err(wrong("--r: the model has no ratio of computation to communication".to_owned(), &names))
        }
        _ => Ok(options.ratios.iter().map(|&ratio| of_ratio(model, ratio, options)).collect()),
    }
}

fn wrong(message: String, names: &[&str]) -> Diagnostic {
    let each: Vec<String> = names.iter().map(|name| format!("--parameter {name}=VALUE")).collect();
    let ratio = if names.contains(&"s") || names.contains(&"T1") { "" } else { "--r RATIO, or " };
    Diagnostic::error(&codes::WRONG_MODEL, message).help(format!("give {ratio}{}", each.join(" ")))
}

fn has_ratio(model: ModelChoice) -> bool {
    !matches!(model, ModelChoice::Amdahl | ModelChoice::Scaled | ModelChoice::Universal)
}

fn names(model: ModelChoice) -> Vec<&'static str> {
    with(model, 2, &|_| 1.0).parameters().into_iter().map(|(name, _)| name).collect()
}

fn is_given(parameters: &[Parameter], name: &str) -> bool {
    parameters.iter().any(|parameter| parameter.name == name)
}

/// Of the paper.
fn levels(options: &ScaleArgs) -> u32 {
    options.levels.unwrap_or(2)
}

fn value(parameters: &[Parameter], name: &str) -> f64 {
    parameters.iter().rev().find(|p| p.name == name).map_or(0.0, |p| p.value)
}

/// Communication with one task takes 1, and so does the begin (`Tb = Tr`, as in the paper), unless parameters say otherwise.
fn of_ratio(model: ModelChoice, ratio: f64, options: &ScaleArgs) -> Model {
    let given = |name: &str| options.parameters.iter().rev().find(|p| p.name == name).map(|p| p.value);
    let usual = |name: &str| match (model, name) {
        (ModelChoice::Massive, "Tu") | (_, "Ts" | "Ta") => ratio,
        (ModelChoice::Massive, "Td") => 0.0,
        _ => 1.0,
    };
    with(model, levels(options), &|name| given(name).unwrap_or_else(|| usual(name)))
}

fn with(model: ModelChoice, levels: u32, value: &dyn Fn(&str) -> f64) -> Model {
    let time = |name: &str| Seconds(value(name));
    let (begin, work, result) = (time("Tb"), time("Ts"), time("Tr"));
    match model {
        ModelChoice::Flat => Model::Flat { begin, work, result },
        ModelChoice::Hierarchical => Model::Hierarchical { begin, work, result, levels },
        ModelChoice::Tree => Model::Tree { begin, work, result },
        ModelChoice::StateSpace => Model::StateSpace { analysis: time("Ta"), transfer: time("Tc") },
        ModelChoice::Massive => Model::Massive { send: time("Td"), unit: time("Tu"), report: time("Tr") },
        ModelChoice::Amdahl => Model::Amdahl { serial: time("s"), parallel: time("p") },
        ModelChoice::Scaled => Model::Scaled { time: time("T1"), growth: time("g") },
        ModelChoice::Universal => Model::Universal { work: time("T1"), contention: value("a"), coherency: value("b") },
    }
}
