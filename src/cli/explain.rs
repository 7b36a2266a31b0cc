//! `chronos explain`.

use super::args::ExplainArgs;
use super::codes;
use super::exit::Exit;
use super::output::Terminal;
use crate::diag::{Code, Diagnostic};
use crate::span::SourceFiles;

pub fn run(options: &ExplainArgs, terminal: &Terminal) -> Exit {
    let Some(wanted) = &options.code else {
        let lines: Vec<String> = all().map(|code| format!("{}  {}\n", code.id, code.title)).collect();
        return terminal.print(&lines.concat());
    };
    match all().find(|code| code.id.eq_ignore_ascii_case(wanted)) {
        Some(code) => terminal.print(&format!("{}: {}\n\n{}\n", code.id, code.title, code.explanation)),
        None => terminal.report(&[unknown(wanted)], &SourceFiles::default()),
    }
}

fn unknown(wanted: &str) -> Diagnostic {
    Diagnostic::error(&codes::UNKNOWN_CODE, format!("no diagnostic has the code `{wanted}`"))
        .help("`chronos explain` lists all codes")
}

/// All codes, ascending.
fn all() -> impl Iterator<Item = &'static Code> {
    let mut codes: Vec<&'static Code> = TABLES.iter().flat_map(|table| table.iter().copied()).collect();
    codes.sort_by_key(|code| code.id);
    codes.into_iter()
}

/// Every module that reports has its codes here.
static TABLES: &[&[&Code]] = &[
    crate::source::codes::ALL,
    crate::source::lower::codes::ALL,
    crate::count::interp::codes::ALL,
    crate::count::annotations::CODES,
    crate::count::mpi::CODES,
    crate::machine::codes::ALL,
    crate::machine::network::codes::ALL,
    crate::cost::codes::ALL,
    crate::calibrate::codes::ALL,
    crate::replay::codes::ALL,
    crate::assumptions::codes::ALL,
    codes::ALL,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_explained() {
        let codes: Vec<_> = all().collect();
        assert!(codes.windows(2).all(|pair| pair[0].id != pair[1].id));
        assert!(codes.iter().all(|code| code.id.len() == 5 && code.explanation.len() > 40));
    }
}
