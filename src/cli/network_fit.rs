//! `chronos network fit`.

use super::args::FormChoice;
use super::exit::Exit;
use super::machine::to_json;
use super::output::Terminal;
use chronos_base::diag::{Diagnostic, system_cause};
use chronos_base::span::SourceFiles;
use chronos_calibrate::codes::MESSAGE_TIMES;
use chronos_calibrate::message_times::{
    FittedTimes, Form, MessageTime, fit, goes_through_all, network, not_monotone, parse, unsuited,
};
use chronos_machine::network::Network;
use std::fmt::Write as _;
use std::path::Path;

pub fn run(times: &Path, form: FormChoice, like: &str, output: &Path, terminal: &Terminal) -> Exit {
    let form = match form {
        FormChoice::Linear => Form::Linear,
        FormChoice::Piecewise => Form::Piecewise,
        FormChoice::Lagrange => Form::Lagrange,
    };
    match made(times, form, like, output) {
        Ok((network, fitted)) => {
            let falls = (!fitted.is_monotone).then(|| not_monotone(form));
            let warning: Vec<Diagnostic> = falls.into_iter().chain(unsuited(&fitted)).collect();
            let told = terminal.report(&warning, &SourceFiles::default());
            let written = terminal.write(&(to_json(&network) + "\n"), Some(output));
            told.max(written).max(terminal.print(&table(&fitted, form)))
        }
        Err(errors) => terminal.report(&errors, &SourceFiles::default()),
    }
}

fn made(times: &Path, form: Form, like: &str, output: &Path) -> Result<(Network, FittedTimes), Vec<Diagnostic>> {
    let measured = read(times).map_err(|error| vec![error])?;
    let fitted = fit(&measured, form).map_err(|error| vec![*error])?;
    let stem = output.file_stem().map_or_else(|| like.into(), |stem| stem.to_string_lossy());
    Ok((network(&Network::load(like)?, &fitted, &stem, &times.display().to_string()), fitted))
}

fn read(path: &Path) -> Result<Vec<MessageTime>, Diagnostic> {
    let wrong = |why: String| {
        Diagnostic::error(&MESSAGE_TIMES, format!("{} cannot be used: {why}", path.display()))
            .help("give lines of a size in bytes and a time in seconds, such as `1024 6.1e-5`")
    };
    let text = std::fs::read_to_string(path).map_err(|error| wrong(system_cause(&error)))?;
    parse(&text).map_err(|line| wrong(format!("line {line} is no size with a time")))
}

/// Measured beside fitted times.
fn table(fitted: &FittedTimes, form: Form) -> String {
    let mut out = format!("{:>10}  {:>12}  {:>12}  {:>7}\n", "Bytes", "Measured", "Fitted", "Off");
    let mut worst = 0.0_f64;
    for (time, ns) in &fitted.residuals {
        let off = if time.ns > 0.0 { 100.0 * (ns / time.ns - 1.0) } else { 0.0 };
        worst = worst.max(off.abs());
        let _ = writeln!(out, "{:>10}  {:>9.2} us  {:>9.2} us  {off:>+5.1} %", time.bytes, time.ns / 1e3, ns / 1e3);
    }
    let untested =
        if goes_through_all(fitted, form) { "; the function goes through all times, which do not test it" } else { "" };
    let _ = writeln!(out, "Greatest difference: {worst:.1} %{untested}");
    out
}
